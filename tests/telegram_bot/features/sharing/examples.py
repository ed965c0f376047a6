from collections.abc import Callable, Iterator

from telegram_bot.features.sharing import NOT_YOURS, OwnResult, OwnResultNotice, ShareResult
from telegram_bot.intents.request import Request
from telegram_bot.notices import Notice

WISHES: tuple[Request, ...] = (ShareResult(7),)


def notices(_: Callable[[int], str]) -> Iterator[Notice]:
    """Each ending of a place, without a bluff, with one, and with several."""
    results = [
        OwnResult(player=15, place=place, players=11, bluffs=bluffs, held=min(bluffs, 1))
        for place, bluffs in ((1, 0), (2, 1), (3, 10), (11, 0))
    ]
    yield from (OwnResultNotice(result=each) for each in results)
    yield NOT_YOURS
