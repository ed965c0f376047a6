from collections.abc import Callable, Iterator

from telegram_bot.features.shouts import MUTED, NO_SCREEN, TOO_SOON, ShoutNotice, Word
from telegram_bot.intents.request import Request
from telegram_bot.notices import Notice

WISHES: tuple[Request, ...] = ()


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """Each shout, a texted call, both wishes of the host, and each refusal."""
    yield from (ShoutNotice(player=number + 1, name=name(number), word=word) for number, word in enumerate(Word))
    yield ShoutNotice(player=1, name=name(0), text="5x4")
    yield from (ShoutNotice(muted=muted) for muted in (True, False))
    yield from (NO_SCREEN, MUTED, TOO_SOON)
