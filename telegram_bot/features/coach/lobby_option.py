"""The host's choice whether players may ask the coach."""

from typing import Final

from telegram_bot.service.languages import mark
from telegram_bot.service.lobby_options import LobbyOption
from telegram_bot.tables.model import HINTS

HINTS_ALLOWED: Final = LobbyOption(
    HINTS,
    sign="💡",
    title=mark("Hints allowed"),
    values={
        "off": mark("No hints: this game counts."),
        "on": mark("Hints are allowed. This game does not count for the league."),
    },
    explained={"on": mark("Hints are allowed, so this game does not count for the league.")},
)
