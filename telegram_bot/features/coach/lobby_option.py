"""The host's choice whether players may ask the coach."""

from typing import Final

from telegram_bot.tables.model import Table
from telegram_bot.tables.views import TableView
from telegram_bot.words.languages import mark
from telegram_bot.words.lobby_options import LobbyOption

HINTS_ALLOWED: Final = LobbyOption(
    "hints",
    sign="💡",
    title=mark("Hints allowed"),
    values={
        "off": mark("No hints: this game counts."),
        "on": mark("Hints are allowed. This game doesn't count for the league."),
    },
    explained={"on": mark("Hints are allowed, so this game doesn't count for the league.")},
    unrated=("on",),
)


def are_allowed(table: Table | TableView) -> bool:
    """Return True if the player on turn may ask for a hint: the host allows hints, or one person practises."""
    return table.practice or HINTS_ALLOWED.value_in(table.options) == "on"
