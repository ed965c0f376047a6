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


@pytest.mark.parametrize(
    ("known", "person", "traits"),
    [
        (routes(), player("texts"), {"kept": None, "has_board": False, "is_remote": True, "reads_messages": True}),
        (routes(ephemeral=False), player(), {"kept": OWN_CHAT, "has_board": True, "is_remote": False}),
        (routes(ephemeral=False), player(), {"by_the_room": False}),
        (routes(), player("pages"), {"kept": Address("pages", 77), "has_board": False, "is_remote": False}),
        (routes(), player(), {"by_the_room": True, "has_menus": False}),
        (routes(page=True), player(), {"by_the_room": True}),
        (routes(), player(view=PrivateView.SHARED), {"needs_start_link": False}),
        (routes(unreachable=True), player(direct=DirectMessages.REFUSED), {"needs_start_link": True}),
        (routes(), player(direct=DirectMessages.OPEN), {"has_menus": True}),
        (routes(), player("texts", direct=DirectMessages.OPEN), {"has_menus": False}),
    ],
)
def test_what_a_way_can_show_follows_from_it(known: Routes, person: Player, traits: dict[str, object]) -> None:
    found = known.to(person)
    assert {name: getattr(found, name) for name in traits} == traits
