"""The traits of a channel, and the way of each private message, which follows from them."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from telegram_bot import app
from telegram_bot.app import CHANNELS, App, service_config
from telegram_bot.channels.sms import TRAITS as SMS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM
from telegram_bot.errors import OperatorError
from telegram_bot.features.tournament.requests import OpenTournament
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory, ChannelTraits
from telegram_bot.intents.envelope import read_envelope
from telegram_bot.screens.routes import Address, Routes, Way
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start
from telegram_bot.service.handlers.phone_requests import LinkPhone, OpenPrivateLobby
from telegram_bot.service.handlers.queries import SeeDice, SeeHelp, UnparsedText
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, DirectMessages, LaneName, OutboxEntry, Player, PrivateView
from telegram_bot.storage.web_models import WebSession
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.quiet_hours import QuietHours
from tests.telegram_bot.conftest import GroupHarness


def test_only_one_channels_addresses_can_be_linked_and_nothing_of_a_channel_that_is_gone() -> None:
    assert CHANNELS.linkable == SMS.name
    with pytest.raises(ValueError, match="sms, line"):
        ChannelDirectory((SMS, ChannelTraits("line", linkable=True)))
    gone = CHANNELS.traits("gone")
    assert (gone.shared_chats, gone.linkable, gone.paid) == (False, False, False)


@pytest.mark.parametrize(
    ("web_seat", "page"),
    [(False, True), (True, False), (True, True)],
    ids=["no web seat: the page is of yesterday", "no page", "a page"],
)
async def test_only_a_served_page_is_sent_its_chats_words(database: Database, *, web_seat: bool, page: bool) -> None:
    harness = GroupHarness(database)
    channels = CHANNELS if web_seat else service_config(Settings()).channels
    harness.service.config = replace(harness.service.config, channels=channels)
    await harness.lobby("Ana", "Bo", "Cy")
    if page:
        with harness.database.transaction() as session:
            session.add(WebSession(token_hash="", chat_id=1, language="en", seen_at=0))
    await harness.tap("Ana", Start())
    await harness.say("Ana", Leave(confirmed=True))
    assert harness.notices("host")
    if not web_seat:
        await harness.say("Bo", Stop(confirmed=True))
        await harness.say("Ana", OpenTournament())
        await harness.say("Ana", OpenLobby())
    said = [(row.slot, read_envelope(row.notice)) for row in harness.rows(OutboxEntry) if row.lane.channel == "web"]
    expected = [(None, "host")] if web_seat and page else []
    assert [(slot, envelope and envelope.notice.kind) for slot, envelope in said] == expected


# A third channel, which no layer below the channels knows

LINE = ChannelTraits("line", shared_chats=False, buttons=False)
ANA, BO = 901, 902


class Lines(GroupHarness):
    """A channel for Ana and Bo with lines of their own only."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.service.config = replace(self.service.config, channels=ChannelDirectory((TELEGRAM, SMS, LINE)))

    async def line(self, address: int, request: i.AnyRequest) -> None:
        self._causes += 1
        who = i.Person("line", address, "Ana" if address == ANA else "Bo", language="en")
        await self.service.handle(i.Intent("line", str(self._causes), who, request))

    def told(self, address: int) -> list[str]:
        return [envelope.notice.kind for envelope in self.envelopes() if envelope.lane == LaneName("line", address)]

    async def playing(self) -> None:
        """Ana's own table, where Bo has taken a seat, in the first round, with all notices sent."""
        await self.line(ANA, OpenPrivateLobby())
        await self.line(BO, Join(code=self.table().code))
        await self.line(ANA, Start())
        await self.set_dice("22222", "33333")
        self.mark_all_sent()


@pytest.fixture
def lines(database: Database) -> Lines:
    return Lines(database)


async def test_without_shared_chats_all_is_told_in_private_and_free_messages_follow_each_other(lines: Lines) -> None:
    await lines.playing()
    await lines.line(ANA, MakeBid(3, 2))
    assert lines.told(ANA) == ["confirmation"]
    await lines.line(BO, MakeBid(4, 2))
    await lines.line(ANA, MakeBid(5, 2))
    assert lines.told(BO) == ["hand", "confirmation", "hand"], "a paid message would have replaced the first"
    await lines.line(BO, CallDudo())
    assert lines.told(BO).count("hand") == 3
    assert {row.lane for row in lines.rows(OutboxEntry)} == {LaneName("line", ANA), LaneName("line", BO)}


async def test_without_buttons_a_person_is_told_how_to_begin_or_a_player_what_can_be_said(lines: Lines) -> None:
    for request in (SeeHelp(), SeeDice(), UnparsedText(None)):
        await lines.line(BO, request)
    assert lines.told(BO) == ["welcome"] * 3
    await lines.line(BO, LinkPhone("ABC234"))
    assert [notice.reason for notice in lines.notices("rejection")] == [RejectionReason.NO_TEXTING]
    await lines.playing()
    assert lines.table().clock == lines.service.config.clock, "a quick channel's tables begin with the usual one"
    assert not lines.table().seats[0].by_text
    await lines.line(ANA, UnparsedText(None))
    assert [notice.help for notice in lines.notices("hand")] == ["unheard"]


async def test_where_no_quiet_hours_are_kept_messages_do_not_wait(lines: Lines) -> None:
    await lines.line(BO, Choose("quiet", QuietHours(0, 24 * 60 - 1, "UTC")))
    await lines.playing()
    await lines.line(ANA, MakeBid(3, 2))
    assert {row.not_before for row in lines.waiting()} == {0}


async def test_a_channel_without_traits_cannot_start(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(token=SecretStr(f"123456789:{35 * 'a'}"))
    App(settings, database)
    monkeypatch.setattr(app, "CHANNELS", ChannelDirectory((SMS,)))
    with pytest.raises(OperatorError, match="telegram"):
        App(settings, database)


ALL_KINDS = ChannelDirectory(
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
    return Routes(group, ALL_KINDS, frozenset({9} if unreachable else ()), frozenset({9} if page else ()))


OWN_TABLE = Routes(Chat(id=5, channel="messenger", address=77, topic=0, title=""), ALL_KINDS, frozenset(), frozenset())


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
def test_private_messages_take_the_best_way(known: Routes, person: Player, way: Way | None, to: Address | None) -> None:
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
