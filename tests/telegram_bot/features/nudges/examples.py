from collections.abc import Callable, Iterator

from telegram_bot.features import nudges
from telegram_bot.intents.request import Request
from telegram_bot.notices import Notice

WISHES: tuple[Request, ...] = (nudges.CallSleepers(15), *(nudges.RemoveSleeper(15, dice_go=go) for go in (True, False)))


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """Each answer about a sleeper, with and without the host's keys, the call, and both ends of a removal."""
    yield nudges.SleepersNotice(table=7, sleepers=())
    for called in nudges.Called:
        for for_host in (False, True):
            yield nudges.SleepersNotice(table=7, sleepers=(nudges.Sleeper(15, name(0), called),), for_host=for_host)
    yield nudges.CalledNotice(table=7, name=name(0), title=name(1))
    yield from (nudges.RemovedNotice(name=name(0), dice_go=dice_go) for dice_go in (True, False))
