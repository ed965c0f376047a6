"""Choose the reveals of an evening's reel: its least likely bluff, right doubt and right calza, of different people."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Final, TypeAlias

from perudo_core import PerudoError, apply, new_game
from telegram_bot.features.story.analysis import GameStory
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.results.bluff_cards import highlight_of, shown_seats
from telegram_bot.service.results.evenings import finished_games, was_spoken
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.bluff_card import IS_A_FEAT, BluffCard, Feat, ShownSuccess, shown_successes
from telegram_bot.statistics.game_facts import PlayedAction
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import FrozenModel, Table
from telegram_bot.tables.result_views import RevealView, reveal_view

REVEALED: Final = (Feat.BLUFF, Feat.CALZA, Feat.DUDO)


class ReelReveal(FrozenModel):
    """One reveal of a reel."""

    card: BluffCard
    view: RevealView
    """Hidden and forgotten players have no name and no face."""
    spoken: bool = False
    """Whether the bluff was a voice note."""

    @property
    def name(self) -> str:
        """The name of the player whose success it shows."""
        return self.view.seats[self.card.seat].name


_Found: TypeAlias = tuple[ShownSuccess, int, ReelReveal]
"""A success, its player, and its reveal."""


def choose_reveals(uow: UnitOfWork, row: GameTable, story: GameStory | None) -> tuple[ReelReveal, ...]:
    """Return the best reveals of the evening until a finished game, the least likely one last.

    Each shows another kind of success of another person. The end of the game has told its highlight, its `story` the
    calls that it has told, and a win from one die is no reveal.
    """
    told = highlight_of(uow, load_table(row))
    calls = [] if story is None else [each for each in (story.bluff, story.best) if each is not None]

    def is_told(card: BluffCard) -> bool:
        return card == told or any(call.is_on(card) for call in calls)

    found: list[_Found] = []
    for table in finished_games(uow, row):
        try:
            reveals = _reveals(table, played_game(uow.session, table)[0], shown_seats(uow, table))
            found += (
                (success, table.seats[success.card.seat].player, reveal)
                for success, reveal in reveals
                if success.chance <= IS_A_FEAT and not (table.id == row.id and is_told(success.card))
            )
        except PerudoError:  # the stored actions cannot be replayed
            continue
    found.sort(key=lambda each: each[0].chance)
    best = max((_choice(found, order) for order in permutations(REVEALED)), key=_worth)
    return tuple(_with_voice(uow, reveal) for *_, reveal in sorted(best, key=lambda each: -each[0].chance))


def _with_voice(uow: UnitOfWork, reveal: ReelReveal) -> ReelReveal:
    card = reveal.card
    is_spoken = card.feat is Feat.BLUFF and was_spoken(uow, reveal.view.table, card.seat, card.quantity, card.face)
    return reveal.model_copy(update={"spoken": is_spoken})


def _choice(found: list[_Found], order: Iterable[Feat]) -> list[_Found]:
    """Return the least likely success of each kind in turn, of a person who has none yet."""
    chosen: list[_Found] = []
    for feat in order:
        people = {player for _, player, _ in chosen}
        new = (each for each in found if each[0].card.feat is feat and each[1] not in people)
        if (first := next(new, None)) is not None:
            chosen.append(first)
    return chosen


def _worth(chosen: list[_Found]) -> tuple[int, float]:
    """Return the order of choices: as many reveals as possible, and the least likely ones."""
    return len(chosen), -sum(float(success.chance) for success, *_ in chosen)


def _reveals(table: Table, actions: list[PlayedAction], shown: list[int]) -> Iterator[tuple[ShownSuccess, ReelReveal]]:
    """Yield the successes of each reveal of a game."""
    moments = defaultdict[int, list[ShownSuccess]](list)
    for each in shown_successes(table.rules, len(table.seats), actions):
        if each.card.seat in shown:
            moments[each.action].append(each)
    state = new_game(table.rules, [seat.name for seat in table.seats])
    for number, (action, _) in enumerate(actions):
        before, (state, events) = state, apply(state, action)
        if number in moments:
            old, new = (table.model_copy(update={"game": game}) for game in (before, state))
            view = reveal_view(old, new, events)
            if view is not None and view.bid is not None:
                named = _without_names(view, shown)
                yield from ((each, ReelReveal(card=each.card, view=named)) for each in moments[number])


def _without_names(view: RevealView, shown: list[int]) -> RevealView:
    """Return a reveal without the names and faces of hidden and forgotten players: the reel is forwarded."""
    seats = (
        seat if at in shown or seat.computer is not None else seat.model_copy(update={"name": "", "face": None})
        for at, seat in enumerate(view.seats)
    )
    return view.model_copy(update={"seats": tuple(seats)})
