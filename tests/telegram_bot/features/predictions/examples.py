from collections.abc import Callable, Iterator

from telegram_bot.features.predictions import notices as n
from telegram_bot.features.predictions.ghosts import GuessCall
from telegram_bot.features.predictions.twists import ChooseTwist, RefuseTwist
from telegram_bot.notices import KnockedOutNotice, Notice
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import TWISTS
from telegram_bot.tables.views import table_view
from tests.telegram_bot.conftest import running_table

WISHES = (*(GuessCall(guess) for guess in n.Guess), *(ChooseTwist(7, twist) for twist in TWISTS), RefuseTwist())


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """Each answer to each guess, one and several ghosts at the end of a round, and the best ghosts of a game."""
    yield from (n.GuessAnswerNotice(answer=answer, guess=guess) for answer in n.GuessAnswer for guess in n.Guess)
    yield n.GuessersNotice(round=2, guessed=tuple(n.Guesser(player=at, name=name(at), face=Face.LION) for at in (1, 2)))
    yield KnockedOutNotice(place=3, players=6, title=name(5))
    table = running_table("112", "34", calls="2x3")
    view = table_view(table.with_seat(0, name=name(0)).with_seat(1, name=name(1)))
    for chosen in (None, n.Guess.EXACT):
        yield n.AskGhostNotice(table=1, step=7, title=name(5), view=view, chosen=chosen)
    for streak in range(4):
        judged = n.AskGhostNotice(table=1, step=7, title=name(5), guess=n.Guess.EXACT, knew=streak > 0, streak=streak)
        yield judged
    yield judged.model_copy(update={"view": view})
    for right in (False, True):
        one = n.Ghost(player=1, name=name(1), face=Face.LLAMA, right=right)
        yield n.GhostsNotice(knew=right, guessed=1, ghosts=(one,))
    haunting = n.Ghost(player=2, name=name(0), face=Face.FROG, right=True, streak=3, haunts=1, haunted=name(2))
    yield n.GhostsNotice(
        knew=2, guessed=3, ghosts=(haunting, one, n.Ghost(player=3, name=name(3), face=Face.LION, right=None))
    )
    yield n.ProphetsNotice(prophets=tuple(n.Prophet(name=name(at), right=10 - at, made=30) for at in range(3)))
    yield from (n.TwistOfferNotice(table=1, title=name(5), twists=(twist,), is_chosen=True) for twist in TWISTS)
    yield n.TwistOfferNotice(table=1, title=name(5), right=7, twists=tuple(TWISTS)[:3])
    yield n.TwistOfferNotice(table=1, title=name(5), right=7, twists=tuple(TWISTS)[2:])
