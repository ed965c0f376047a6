from collections.abc import Callable, Iterator

from telegram_bot import notices as n
from telegram_bot.features.aloud import SpokenNotice
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.tables.views import hand_view
from tests.telegram_bot.conftest import running_table

WISHES = tuple(Choose("aloud", on, to_all) for on in (True, False) for to_all in (True, False))


def notices(name: Callable[[int], str]) -> Iterator[n.Notice]:
    table = running_table("22222", "33333").with_seat(0, name=name(0)).with_seat(1, name=name(1))
    yield SpokenNotice(told=n.HandNotice(view=hand_view(table, 0), player=1, title="Friends", deal=1))
    yield SpokenNotice(told=n.ConfirmationNotice(done=n.Confirmation.SETTING_CHOSEN, setting="aloud", value=True))
