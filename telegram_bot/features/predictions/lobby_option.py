"""The host's choice from when on spectators may predict."""

from collections.abc import Mapping
from typing import Final

from telegram_bot.service.languages import mark
from telegram_bot.service.lobby_options import LobbyOption

ONCE_OUT: Final = "once_out"
"""Once a player is out and surely watches."""
START: Final = "start"
OFF: Final = "off"

_EXPLAINED: Final = mark("Whoever watches guesses the next call, in secret and for fun. The end names the prophets.")
SINCE: Final = LobbyOption(
    "predictions",
    sign="🔮",
    title=mark("Guesses"),
    values={ONCE_OUT: mark("Once someone is out"), START: mark("From the start"), OFF: mark("No guesses")},
    explained={ONCE_OUT: _EXPLAINED, START: _EXPLAINED},
)


def are_allowed(options: Mapping[str, str], *, all_in_play: bool) -> bool:
    """Return True if spectators may predict now, by the options of the table."""
    since = SINCE.value_in(options)
    return since == START or (since == ONCE_OUT and not all_in_play)
