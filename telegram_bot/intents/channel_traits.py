"""The capabilities and costs of a channel: the service asks for traits, never for a channel's name.

Each channel declares its traits in its own package; `app` passes them to the service as a `ChannelDirectory`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ChannelTraits:
    """One channel for the service; the defaults describe a messenger with groups and buttons."""

    name: str
    """The beginning of its lanes' names."""
    shared_chats: bool = True
    """Whether a table can be in a chat that all its players read; otherwise all messages are private, and a table's
    chat receives none."""
    buttons: bool = True
    """Whether messages have buttons; otherwise texts explain how to begin, and what to say."""
    paid: bool = False
    """Whether each message costs money; if so, optional messages are left out."""
    slow: bool = False
    """Whether people read their messages hours later; if so, their seats are marked, and tables of the channel begin
    with `ServiceConfig.slow_table_clock`."""
    quiet_hours: bool = False
    """Whether private messages wait for the end of their receiver's quiet hours."""
    supersedes: bool = False
    """Whether a private message replaces an earlier waiting one about the same."""
    unordered: bool = False
    """Whether messages overtake each other; if so, each names its round."""
    plays_voice: bool = False
    """Whether people can listen to messages there."""
    linkable: bool = False
    """Whether an address can be linked to a person of another channel (`Player.phone`). At most one channel has this.
    """
    reads_rooms: bool = False
    """Whether its players read a table's chat, wherever the table is: the channel computes what follows from the table,
    and is sent what is said there. People of other channels can open a page there (`WebSession.shown_chat_id`). At most
    one channel has this."""


NO_CHAT: Final = ChannelTraits("none", shared_chats=False, buttons=False)
"""The place of a table without a chat of its own: each player has the whole table in private, on their own channel."""

_ABSENT: Final = ChannelTraits("", shared_chats=False, buttons=False, supersedes=True)
"""A channel in stored rows that this version does not have: its notices wait."""


class ChannelDirectory:
    """The traits of all channels."""

    def __init__(self, channels: Iterable[ChannelTraits], *, pages: bool = True) -> None:
        """`pages`: whether the installation has set up the channel that reads rooms."""
        self._traits = {traits.name: traits for traits in (NO_CHAT, *channels)}
        linkable = [name for name, traits in self._traits.items() if traits.linkable]
        if len(linkable) > 1:
            raise ValueError(f"addresses of one channel at most can be linked, not of {', '.join(linkable)}")
        self.linkable: Final = linkable[0] if linkable else None
        """The channel of the addresses in `Player.phone`."""
        self.rooms: Final = next((name for name, traits in self._traits.items() if traits.reads_rooms), None)
        """The channel on which the rooms of all tables can be read."""
        self.pages: Final = self.rooms if pages else None
        """The same, if the installation has set it up: otherwise notices for it would wait for ever."""

    def traits(self, channel: str) -> ChannelTraits:
        """Return a channel's traits."""
        return self._traits.get(channel, _ABSENT)
