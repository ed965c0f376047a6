"""Notices as the tests of the sender send them."""

from __future__ import annotations

from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.delivery.sender import (
    DeliveryError,
)
from telegram_bot.service.notices import (
    BidsNotice,
    Envelope,
    HandNotice,
    MessageRef,
    Notice,
    PausedNotice,
    TableNotice,
)
from telegram_bot.tables.views import hand_view, table_view
from tests.telegram_bot.conftest import running_table

GROUP, ANA = -1001, 101
RULES = Rules.preset("box_2009").with_options(calza=True)
TABLE = running_table("22222", "33333", rules=RULES, calls="3x4")
HAND = HandNotice(view=hand_view(TABLE, 1), player=2, title="Friends", deal=1)
ROUND = TableNotice(view=table_view(TABLE), shared=False, unreachable=False)
PAUSED = PausedNotice(table=1)
TURN = BidsNotice(view=table_view(TABLE), seat=1, face=4, private=True)


def to(chat: int, notice: Notice, **more: Any) -> Envelope:
    return Envelope(channel="telegram", chat=chat, notice=notice, **more)


async def trouble(sender: TelegramSender, envelope: Envelope, target: MessageRef | None = None) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        await sender.send(envelope, target)
    return caught.value
