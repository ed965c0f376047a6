"""What a channel can do, and what its messages cost: the service asks for traits, never for a channel's name.

Each channel declares its traits in its own package; `app` hands them to the service as a `ChannelDirectory`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ChannelTraits:
    """One channel as the service sees it; the defaults describe a messenger with groups and buttons."""

    name: str
    """With which the names of its lanes begin."""
    shared_chats: bool = True
    """Whether a table can stand in a chat that all its players read; otherwise players are told everything in private,
    and a table's chat receives nothing."""
    buttons: bool = True
    """Whether there is anything to tap; otherwise who plays nowhere is told how to begin, and who is not understood
    what can be said."""
    paid: bool = False
    """Whether each message costs money; if so, nothing is sent that can be left out."""
    slow: bool = False
    """Whether people read their messages hours later; if so, their seats are marked, and tables of the channel begin
    with `ServiceConfig.slow_table_clock`."""
    quiet_hours: bool = False
    """Whether private messages wait for the end of their receiver's quiet hours."""
    supersedes: bool = False
    """Whether a private message replaces an earlier one about the same that still waits."""
    unordered: bool = False
    """Whether messages overtake each other; if so, each tells the round that it belongs to."""
    plays_voice: bool = False
    """Whether people can listen to messages there."""
    linkable: bool = False
    """Whether an address can be linked to a person of another channel (`Player.phone`). At most one channel's can."""
    reads_rooms: bool = False
    """Whether its players read what a table's chat is told, wherever the table stands: it is sent to this channel as
    well (`Chat.watched`). People of other channels can open a page there (`Player.page_open`). At most one
    channel's do."""


_ABSENT: Final = ChannelTraits("", shared_chats=False, buttons=False, supersedes=True)
"""A channel of stored rows that this version does not have: whatever is written to it waits."""


class ChannelDirectory:
    """The traits of all channels."""

    def __init__(self, channels: Iterable[ChannelTraits]) -> None:
        self._traits = {traits.name: traits for traits in channels}
        linkable = [name for name, traits in self._traits.items() if traits.linkable]
        if len(linkable) > 1:
            raise ValueError(f"addresses of one channel at most can be linked, not of {', '.join(linkable)}")
        self.linkable: Final = linkable[0] if linkable else None
        """The channel of the addresses in `Player.phone`."""
        self.rooms: Final = next((name for name, traits in self._traits.items() if traits.reads_rooms), None)
        """The channel on which the rooms of all tables can be read."""

    def traits(self, channel: str) -> ChannelTraits:
        """A channel's traits."""
        return self._traits.get(channel, _ABSENT)
