"""Reports of a messenger about a chat and its members. No person asks for these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrivateChatBlocked:
    """The person blocked the bot: direct messages are refused from now on."""


@dataclass(frozen=True, slots=True)
class MemberLeft:
    """The person left the group or was removed from it."""


@dataclass(frozen=True, slots=True)
class MembersJoined:
    """People, by their addresses on the channel, came into the group."""

    addresses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BotMembershipChanged:
    """The bot's own membership or rights in a chat changed."""

    present: bool
    can_whisper: bool
    arrived: bool = False
    can_write: bool = True


@dataclass(frozen=True, slots=True)
class TopicReopened:
    """A closed topic was opened again; perhaps the bot could not write there."""


@dataclass(frozen=True, slots=True)
class ChatMoved:
    """The group became a supergroup with another address."""

    address: int
