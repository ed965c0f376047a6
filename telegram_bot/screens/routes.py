"""The addresses of people and rooms, and the routes of private messages: for each player the first way that works."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

from sqlmodel import select

from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.intents import Person, Place
from telegram_bot.repositories.membership import ephemeral_unreachable_in
from telegram_bot.repositories.repositories import Repositories
from telegram_bot.storage.models import Chat, DirectMessages, LaneName, Player, PrivateView
from telegram_bot.storage.web_models import WebSession


class Way(StrEnum):
    """How to send a private message to a player."""

    EPHEMERAL = "ephemeral"
    DIRECT = "direct"
    LINKED = "linked"
    """At the address of another channel that is linked to the player."""
    PAGE = "page"
    """The web seat, which is open on the player's device."""


PREFERRED: dict[str, tuple[Way, ...]] = {
    PrivateView.AUTO: (Way.EPHEMERAL, Way.DIRECT),
    PrivateView.EPHEMERAL: (Way.EPHEMERAL, Way.DIRECT),
    PrivateView.DIRECT: (Way.DIRECT, Way.EPHEMERAL),
    PrivateView.ALERT: (),
    PrivateView.SHARED: (),
    PrivateView.INLINE: (),
    PrivateView.TEXT: (Way.LINKED, Way.EPHEMERAL, Way.DIRECT),
}


def page_readers_in(repositories: Repositories, chat: Chat) -> frozenset[int]:
    """Return the players of other channels whose open page shows the chat's room."""
    shows_rooms = repositories.channels.pages is not None and repositories.traits(chat.channel).shared_chats
    if not shows_rooms:
        return frozenset()
    readers = select(WebSession.player_id).where(WebSession.shown_chat_id == chat.id)
    return frozenset(filter(None, repositories.session.exec(readers)))


def has_pages(repositories: Repositories, chat: Chat) -> bool:
    """Return True if a page of another channel shows the chat's room, or was the last to show it."""
    if repositories.channels.pages in (None, chat.channel):
        return False
    pages = select(WebSession.id).where(WebSession.chat_id == chat.id).limit(1)
    return repositories.session.exec(pages).first() is not None


def room_of(chat: Chat, channels: ChannelDirectory) -> Place:
    """Return the chat's room, where pages read.

    Raises:
        ValueError: no channel reads rooms.
    """
    if channels.rooms is None:
        raise ValueError("no channel reads rooms")
    return Place(channels.rooms, room_address(chat, channels))


def room_address(chat: Chat, channels: ChannelDirectory) -> int:
    """Return the address of the chat's room on the channel that reads rooms."""
    return chat.address if chat.channel == channels.rooms else -chat.id


def is_room(address: int) -> bool:
    """Return True for the address of a room on the channel that reads rooms. The address of a person is above zero."""
    return address < 0


def own_page(repositories: Repositories, player: Player) -> Person:
    """Return the private address of a player on their pages."""
    if player.channel == repositories.channels.rooms or repositories.channels.rooms is None:
        return Person(player.channel, player.address, player.name)
    return Person(repositories.channels.rooms, player.id, player.name)


def page_or_chat(repositories: Repositories, player: Player, room: Chat) -> Person:
    """Return the private address of a player for news of a room: the page that shows it, or their own chat."""
    if player.id in page_readers_in(repositories, room):
        return own_page(repositories, player)
    return Person(player.channel, player.address, player.name)


def own_address(repositories: Repositories, player: Player) -> Person:
    """Return the address of private news: the linked phone, if the player chose text messages, or their own chat."""
    linkable = repositories.channels.linkable
    if player.view == PrivateView.TEXT and player.phone is not None and linkable is not None:
        return Person(linkable, player.phone, player.name)
    return Person(player.channel, player.address, player.name)


class Address(NamedTuple):
    """The chat of a message, and its only reader if it is ephemeral."""

    channel: str
    chat: int
    receiver: int | None = None

    @property
    def lane(self) -> LaneName:
        """Return the queue of its messages."""
        return LaneName(self.channel, self.chat)


@dataclass(frozen=True, slots=True)
class Route:
    """The route of a table's private messages to one player, and the messages that follow from it."""

    way: Way | None
    """How they are sent, or None if no way works: then the table's message offers the bids."""
    to: Address | None
    """Their chat, or None without a way."""
    kept: Address | None
    """The same if delivery keeps these messages up to date; texts to phones are said once."""
    has_board: bool
    """Whether one message is edited during the round. A reader of the room needs none."""
    is_remote: bool
    """Whether the player does not see the table's chat, so that all messages must be private."""
    by_the_room: bool
    """Whether they are shown next to the messages of the table's chat, which have the pictures."""
    needs_start_link: bool
    """Whether a link to the bot would help: the player accepts private messages, and no way works."""
    has_menus: bool
    """Whether a host reads the menus of the lobby in their open private chat: the group keeps *Join*."""
    topic: int = 0
    """The topic of the table's chat in which an ephemeral message stands."""

    @property
    def is_own_chat(self) -> bool:
        """Return True if the messages reach the player's own chat or phone, which nothing else does."""
        return self.way in (Way.DIRECT, Way.LINKED)

    @property
    def reads_messages(self) -> bool:
        """Return True if the player follows the table by private messages that are never edited."""
        return not self.has_board and (self.way is Way.LINKED or self.is_remote)


@dataclass(frozen=True, slots=True)
class Routes:
    """The routes of the private messages about a table in a chat."""

    chat: Chat
    channels: ChannelDirectory
    unreachable: frozenset[int]
    """The players whom ephemeral messages do not reach in this chat."""
    page_readers: frozenset[int]
    """The players of other channels whose open page shows the chat's room."""

    @classmethod
    def about(cls, repositories: Repositories, chat: Chat) -> Self:
        """Read the routes about a chat. Unreachable players are read only if the chat has ephemeral messages."""
        unreachable = ephemeral_unreachable_in(repositories, chat) if chat.ephemeral else frozenset[int]()
        return cls(chat, repositories.channels, unreachable, page_readers_in(repositories, chat))

    def to(self, player: Player) -> Route:
        """Return the best route to a player that may work.

        An open private chat is first if the player has not chosen: it uses nothing of the group's limit, it notifies,
        and it stays. An open web page that shows the chat is before everything else.
        """
        return self.by(self._way_to(player), player)

    def by(self, way: Way | None, player: Player) -> Route:
        """Return the route to a player by this way, or without a way."""
        traits, chat = self.channels.traits(player.channel), self.chat
        to = None if way is None else self._address(way, player)
        is_shared = self.channels.traits(chat.channel).shared_chats
        remote = not is_shared or (player.channel != chat.channel and not traits.reads_rooms)
        return Route(
            way=way,
            to=to,
            kept=to if to is not None and self.channels.traits(to.channel).buttons else None,
            has_board=way is Way.DIRECT and traits.buttons and not traits.reads_rooms,
            is_remote=remote,
            by_the_room=way is Way.EPHEMERAL or player.id in self.page_readers,
            needs_start_link=way is None and player.channel == chat.channel and bool(PREFERRED[player.view]),
            has_menus=traits.buttons and not remote and player.direct == DirectMessages.OPEN,
            topic=chat.topic if way is Way.EPHEMERAL else 0,
        )

    def _way_to(self, player: Player) -> Way | None:
        if player.id in self.page_readers:
            return Way.PAGE
        # The player's own chat has no message of the table to which another view belongs.
        in_own_chat = (self.chat.channel, self.chat.address) == (player.channel, player.address)
        view = PrivateView.AUTO if in_own_chat and not PREFERRED[player.view] else player.view
        is_open = view == PrivateView.AUTO and player.direct == DirectMessages.OPEN
        for way in PREFERRED[PrivateView.DIRECT if is_open else view]:
            match way:
                case Way.EPHEMERAL:
                    is_here = self.chat.ephemeral and player.channel == self.chat.channel
                    works = is_here and player.id not in self.unreachable
                case Way.DIRECT:
                    works = player.direct != DirectMessages.REFUSED
                case _:
                    works = player.phone is not None
            if works:
                return way
        return None

    def _address(self, way: Way, player: Player) -> Address:
        if way is Way.EPHEMERAL:
            return Address(self.chat.channel, self.chat.address, player.address)
        if way is Way.LINKED and self.channels.linkable is not None and player.phone is not None:
            return Address(self.channels.linkable, player.phone)
        if player.id in self.page_readers and self.channels.rooms not in (None, player.channel):
            return Address(self.channels.rooms, player.id)
        return Address(player.channel, player.address)
