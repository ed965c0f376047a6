"""A player's private messages take the first way that works; all that depends on it follows from one value."""

from typing import Any

import pytest

from telegram_bot.intents.channel_traits import ChannelDirectory, ChannelTraits
from telegram_bot.screens.routes import Address, Routes, Way
from telegram_bot.storage.models import Chat, DirectMessages, Player, PrivateView

CHANNELS = ChannelDirectory(
    [
        ChannelTraits("messenger"),
        ChannelTraits("texts", shared_chats=False, buttons=False, paid=True, linkable=True),
        ChannelTraits("pages", reads_rooms=True),
    ]
)
HERE = Address("messenger", -5, 77)
OWN_CHAT = Address("messenger", 77)


def routes(*, ephemeral: bool = True, unreachable: bool = False, page: bool = False) -> Routes:
    group = Chat(id=4, channel="messenger", address=-5, topic=0, title="", ephemeral=ephemeral)
    return Routes(group, CHANNELS, frozenset({9} if unreachable else ()), frozenset({9} if page else ()))


OWN_TABLE = Routes(Chat(id=5, channel="messenger", address=77, topic=0, title=""), CHANNELS, frozenset(), frozenset())


def player(channel: str = "messenger", **columns: Any) -> Player:
    known: dict[str, Any] = {"view": PrivateView.AUTO, "direct": DirectMessages.UNKNOWN, "phone": None}
    return Player(id=9, channel=channel, address=77, name="Ana", **known | columns)


@pytest.mark.parametrize(
    ("known", "person", "way", "to"),
    [
        (routes(), player(), Way.EPHEMERAL, HERE),
        (routes(), player(direct=DirectMessages.OPEN), Way.DIRECT, OWN_CHAT),
        (routes(), player(direct=DirectMessages.OPEN, view=PrivateView.EPHEMERAL), Way.EPHEMERAL, HERE),
        (routes(ephemeral=False), player(), Way.DIRECT, OWN_CHAT),
        (routes(unreachable=True), player(), Way.DIRECT, OWN_CHAT),
        (routes(), player(direct=DirectMessages.REFUSED, view=PrivateView.DIRECT), Way.EPHEMERAL, HERE),
        (routes(unreachable=True), player(direct=DirectMessages.REFUSED), None, None),
        (routes(), player(view=PrivateView.ALERT), None, None),
        (OWN_TABLE, player(view=PrivateView.ALERT, direct=DirectMessages.OPEN), Way.DIRECT, OWN_CHAT),
        (routes(), player(view=PrivateView.TEXT, phone=31), Way.LINKED, Address("texts", 31)),
        (routes(), player(view=PrivateView.TEXT), Way.EPHEMERAL, HERE),
        (routes(page=True), player(view=PrivateView.TEXT, phone=31), Way.PAGE, Address("pages", 9)),
        (routes(), player("texts"), Way.DIRECT, Address("texts", 77)),
        (routes(), player("pages"), Way.DIRECT, Address("pages", 77)),
    ],
)
def test_private_messages_take_the_first_way_that_works(
    known: Routes, person: Player, way: Way | None, to: Address | None
) -> None:
    found = known.to(person)
    assert (found.way, found.to) == (way, to)


def test_texts_to_a_phone_are_said_once_and_tell_all() -> None:
    texts = routes().to(player("texts"))
    assert (texts.kept, texts.has_board, texts.is_remote, texts.reads_messages) == (None, False, True, True)


def test_an_own_chat_has_a_board_and_a_page_needs_none() -> None:
    board, page = routes(ephemeral=False).to(player()), routes().to(player("pages"))
    assert (board.has_board, board.kept, board.is_remote, board.by_the_room) == (True, OWN_CHAT, False, False)
    assert (page.has_board, page.kept, page.is_remote) == (False, Address("pages", 77), False)


def test_messages_in_the_group_or_on_its_page_have_no_pictures_of_their_own() -> None:
    assert routes().to(player()).by_the_room
    assert routes(page=True).to(player()).by_the_room


def test_a_link_to_the_bot_helps_those_who_want_private_messages_and_get_none() -> None:
    assert routes(unreachable=True).to(player(direct=DirectMessages.REFUSED)).needs_start_link
    assert not routes().to(player(view=PrivateView.SHARED)).needs_start_link


def test_a_host_reads_menus_in_an_open_private_chat_only() -> None:
    assert routes().to(player(direct=DirectMessages.OPEN)).has_menus
    assert not routes().to(player()).has_menus
    assert not routes().to(player("texts", direct=DirectMessages.OPEN)).has_menus
