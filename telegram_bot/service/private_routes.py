"""Choose a player's private route: the first one that works."""

from collections.abc import Collection
from enum import StrEnum
from typing import Final, NamedTuple

from sqlalchemy import bindparam
from sqlmodel import select

from telegram_bot.service.channel_traits import ChannelDirectory
from telegram_bot.service.membership import ephemeral_unreachable_in
from telegram_bot.service.repositories import Repositories
from telegram_bot.storage.models import Chat, DirectMessages, LaneName, Player, PrivateView
from telegram_bot.storage.web_models import WebSession


class PrivateRoute(StrEnum):
    """How to send a private message to a player."""

    EPHEMERAL = "ephemeral"
    DIRECT = "direct"
    LINKED = "linked"
    """At the address of another channel that is linked to the player."""
    PAGE = "page"
    """The web seat, which is open on the player's device."""


PREFERRED: dict[str, tuple[PrivateRoute, ...]] = {
    PrivateView.AUTO: (PrivateRoute.EPHEMERAL, PrivateRoute.DIRECT),
    PrivateView.EPHEMERAL: (PrivateRoute.EPHEMERAL, PrivateRoute.DIRECT),
    PrivateView.DIRECT: (PrivateRoute.DIRECT, PrivateRoute.EPHEMERAL),
    PrivateView.ALERT: (),
    PrivateView.SHARED: (),
    PrivateView.INLINE: (),
    PrivateView.TEXT: (PrivateRoute.LINKED, PrivateRoute.EPHEMERAL, PrivateRoute.DIRECT),
}


_READERS: Final = select(WebSession.player_id).where(WebSession.shown_chat_id == bindparam("chat"))


def page_readers_in(repositories: Repositories, chat: Chat) -> frozenset[int]:
    """Return the players of other channels whose open page shows the chat's room."""
    shows_rooms = repositories.channels.pages is not None and repositories.traits(chat.channel).shared_chats
    if not shows_rooms:
        return frozenset()
    return frozenset(filter(None, repositories.session.scalars(_READERS, {"chat": chat.id})))


def unreachable_in(repositories: Repositories, chat: Chat) -> frozenset[int]:
    """Return the players whom ephemeral messages do not reach in a chat; read only if the chat has such messages."""
    return ephemeral_unreachable_in(repositories, chat) if chat.ephemeral else frozenset()


def route_to(
    player: Player, chat: Chat, ephemeral_unreachable: Collection[int] = (), page_readers: Collection[int] = ()
) -> PrivateRoute | None:
    """Return the best private route that may work, or None if there is none, so the table's message offers the bids.

    An open private chat is first if the player has not chosen: it uses nothing of the group's limit, it notifies, and
    it stays. An open web page that shows the chat is before everything else. `ephemeral_unreachable`: players, by their
    ids, whom ephemeral messages do not reach in this chat. `page_readers`: see `page_readers_in`.
    """
    if player.id in page_readers:
        return PrivateRoute.PAGE
    is_open = player.view == PrivateView.AUTO and player.direct == DirectMessages.OPEN
    for route in PREFERRED[PrivateView.DIRECT if is_open else player.view]:
        if (
            route is PrivateRoute.EPHEMERAL
            and chat.ephemeral
            and player.channel == chat.channel
            and player.id not in ephemeral_unreachable
        ):
            return route
        if route is PrivateRoute.DIRECT and player.direct != DirectMessages.REFUSED:
            return route
        if route is PrivateRoute.LINKED and player.phone is not None:
            return route
    return None


def needs_start_link(player: Player, chat: Chat, route: PrivateRoute | None) -> bool:
    """Return True if a link to the bot would help: the player accepts private messages, and no `route` works."""
    return route is None and player.channel == chat.channel and bool(PREFERRED[player.view])


def is_remote(player: Player, chat: Chat, channels: ChannelDirectory) -> bool:
    """Return True if the player does not see the table's chat, so that all messages must be private."""
    if not channels.traits(chat.channel).shared_chats:
        return True
    return player.channel != chat.channel and not channels.traits(player.channel).reads_rooms


def room_address(chat: Chat, channels: ChannelDirectory) -> int:
    """Return the address of the chat's room on the channel that reads rooms."""
    return chat.address if chat.channel == channels.rooms else -chat.id


class Address(NamedTuple):
    """The chat of a message, and its only reader if it is ephemeral."""

    channel: str
    chat: int
    receiver: int | None = None

    @property
    def lane(self) -> LaneName:
        """Return the queue of its messages."""
        return LaneName(self.channel, self.chat)


def private_address(
    player: Player, route: PrivateRoute, chat: Chat, channels: ChannelDirectory, page_readers: Collection[int]
) -> Address:
    """Return the address of a player's private messages about a table in this chat, by a route that works."""
    if route is PrivateRoute.EPHEMERAL:
        return Address(chat.channel, chat.address, player.address)
    if route is PrivateRoute.LINKED and channels.linkable is not None and player.phone is not None:
        return Address(channels.linkable, player.phone)
    if player.id in page_readers and channels.rooms not in (None, player.channel):
        return Address(channels.rooms, player.id)
    return Address(player.channel, player.address)


def has_board(player: Player, route: PrivateRoute | None, channels: ChannelDirectory) -> bool:
    """Return True if the player's private message can be edited during the round. A reader of the room needs none."""
    traits = channels.traits(player.channel)
    return route is PrivateRoute.DIRECT and traits.buttons and not traits.reads_rooms


def chooses_in_private(host: Player, chat: Chat, channels: ChannelDirectory) -> bool:
    """Return True if the host reads a lobby's menus in their open private chat: the group keeps *Join*."""
    tappable = channels.traits(host.channel).buttons and not is_remote(host, chat, channels)
    return tappable and host.direct == DirectMessages.OPEN
