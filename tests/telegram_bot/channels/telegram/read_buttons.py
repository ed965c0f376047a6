"""What the tests of buttons and keyboards share: tables, and buttons read as the bot reads them."""

from __future__ import annotations

from perudo_core import Rules
from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.buttons import Rows
from telegram_bot.service import intents as i
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.words.catalogue import catalogue

W = catalogue("en")
BOT = "perudo_bot"
LARGEST_TABLE = 10**15 - 1
CLASSIC = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")
HOUSES = (
    HouseRules(key="classic", title="Classic", line="five dice, calza, and lost dice in sight", rules=CLASSIC),
    HouseRules(key="k" * 32, title="A name that is far too long for a button", rules=Rules.preset("aces")),
)


def read(data: str | None) -> callback_data.ParsedTap | None:
    return callback_data.parse_callback(data)


def data_of(rows: Rows) -> list[str]:
    return [button["callback_data"] for row in rows for button in row if "callback_data" in button]


def what(data: str) -> i.What:
    tap = read(data)
    assert tap is not None, data
    return tap.what
