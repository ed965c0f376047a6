"""The host's choice from when on the group's message asks for guesses."""

from collections.abc import Mapping
from typing import Final

from telegram_bot.words.languages import mark
from telegram_bot.words.lobby_options import LobbyOption

ONCE_OUT: Final = "once_out"
"""Once a player is out and surely watches. Pages ask each reader without dice from the start."""
START: Final = "start"
OFF: Final = "off"

_EXPLAINED: Final = mark(
    "Whoever is out or only watches is a ghost and guesses in secret what is under the cups. After the dice I say how"
    " many ghosts knew."
)
SINCE: Final = LobbyOption(
    "predictions",
    sign="👻",
    title=mark("Ghosts"),
    values={ONCE_OUT: mark("Once someone is out"), START: mark("From the start"), OFF: mark("No ghosts")},
    explained={ONCE_OUT: _EXPLAINED, START: _EXPLAINED},
)


def are_asked_in_chats(options: Mapping[str, str], *, all_in_play: bool) -> bool:
    """Return True if the message of the round asks for guesses now, by the options of the table."""
    since = SINCE.value_in(options)
    return since == START or (since == ONCE_OUT and not all_in_play)
