from collections.abc import Callable, Iterator

from telegram_bot.features.newspaper.edition import Between, Lie, Luck, Revenge
from telegram_bot.features.newspaper.notices import NewspaperNotice
from telegram_bot.features.newspaper.requests import NO_MORE, PASSED, TAKEN, WANTED, EndNewspaper, WantRevenge
from telegram_bot.notices import Notice
from telegram_bot.tables.faces import Face

WISHES = (WantRevenge(7, 1_700_251_200), EndNewspaper())
OUR_NAMES = {"newspaper": {"vendredo", "Vendredo"}}


def a_newspaper(name: Callable[[int], str], *, wanted_by: str | None = None, times: int = 1) -> NewspaperNotice:
    return NewspaperNotice(
        table=7,
        title=name(2),
        at=1_700_038_800,
        zone="Europe/Rome",
        lie=Lie(name=name(0), face=Face.FROG, quantity=12, bid_face=4, dice=(2, 3, 3, 6, 5), spoken=times > 1),
        catches=(Between(name=name(0), other=name(1), times=times), Between(name=name(1), other=name(0), times=1)),
        falls=(Between(name=name(0), other=name(1), times=times), Between(name=name(1), other=name(2), times=1)),
        sun=Luck(name=name(0), ones=12, dice=44),
        rain=Luck(name=name(1), ones=2, dice=40),
        revenge=Revenge(name=name(0), other=name(1), at=1_700_251_200),
        wanted_by=wanted_by,
    )


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    yield from (a_newspaper(name, wanted_by=wanted_by, times=4) for wanted_by in (None, "", name(1)))
    yield NewspaperNotice(table=7, title="", at=1_700_038_800, zone="UTC")
    yield from (WANTED, TAKEN, PASSED, NO_MORE)
