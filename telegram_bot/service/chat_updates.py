"""What a messenger tells by itself of a chat and of who is in it."""

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
    """The bot's own standing in a chat changed."""

    present: bool
    can_whisper: bool
    arrived: bool = False
    can_write: bool = True


@dataclass(frozen=True, slots=True)
class TopicReopened:
    """A topic in which the bot could perhaps not write was opened again."""


@dataclass(frozen=True, slots=True)
class ChatMoved:
    """The group became a supergroup with another address."""

    address: int
