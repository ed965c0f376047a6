"""A friend with any phone sits at the same table; a table of phones alone plays as well."""

from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.intents import PrivateRouteFailed
from telegram_bot.notices import GameOverNotice, HandNotice, LobbyNotice
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.phone_requests import LinkPhone, OpenPrivateLobby, RequestPhoneLink
from telegram_bot.service.handlers.queries import SeeDice, SeeStatus
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.models import LaneName, LinkCode, NoticeStatus, OutboxEntry, PrivateView
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.quiet_hours import QuietHours
from tests.telegram_bot.conftest import GROUP, NUMBERS, START, GroupHarness, chosen

ANA, BO, CY = 501, 502, 503


def texts(harness: GroupHarness, phone: int) -> list[Envelope]:
    return [envelope for envelope in harness.envelopes() if (envelope.channel, envelope.chat) == ("sms", phone)]


def kinds(harness: GroupHarness, phone: int) -> list[str]:
    return [envelope.notice.kind for envelope in texts(harness, phone)]


async def a_mixed_lobby(harness: GroupHarness) -> None:
    await harness.say("Ana", OpenLobby())
    await harness.text("Bo", Join(code=harness.table().code))


async def a_mixed_game(harness: GroupHarness, *hands: str, opener: int = 0) -> None:
    await a_mixed_lobby(harness)
    await harness.tap("Ana", Start())
    await harness.set_dice(*hands, opener=opener)
    harness.mark_all_sent()


async def test_a_phone_at_a_groups_table_gets_its_dice_alone_and_one_text_a_round(harness: GroupHarness) -> None:
    await a_mixed_lobby(harness)
    shown: LobbyNotice = harness.notices("lobby")[-1]
    assert (shown.numbers, shown.view.code) == (NUMBERS, harness.table().code)
    assert [seat.by_text for seat in shown.view.seats] == [False, True]
    assert kinds(harness, BO) == ["confirmation"]
    harness.mark_all_sent()
    await harness.tap("Ana", Start())
    (hand,) = [envelope.notice for envelope in texts(harness, BO)]
    assert isinstance(hand, HandNotice)
    assert hand.view.seat == 1
    assert not any(kind == "hand" and chat == GROUP for kind, chat in harness.waiting_kinds())
    await harness.set_dice("11236", "2345")
    harness.mark_all_sent()
    await harness.call("3x4")
    assert kinds(harness, BO) == ["hand"]
    harness.mark_all_sent()
    await harness.text("Bo", CallDudo())
    (hand,) = [envelope.notice for envelope in texts(harness, BO) if envelope.notice.kind == "hand"]
    assert isinstance(hand, HandNotice)
    assert hand.previous is not None
    assert hand.previous.count == 3


async def test_who_is_out_hears_how_and_who_won_in_the_end(harness: GroupHarness) -> None:
    await a_mixed_lobby(harness)
    await harness.say("Cy", Join())
    await harness.tap("Ana", Start())
    await harness.set_dice("1", "2", "6", opener=1)
    harness.mark_all_sent()
    await harness.text("Bo", MakeBid(3, 6))
    assert kinds(harness, BO) == ["confirmation"]
    harness.mark_all_sent()
    await harness.call("dudo")
    assert kinds(harness, BO) == ["reveal"]
    harness.mark_all_sent()
    await harness.set_dice("6", "", "1", opener=2)
    await harness.call("2x5")
    await harness.call("dudo")
    (over,) = [envelope.notice for envelope in texts(harness, BO)]
    assert isinstance(over, GameOverNotice)
    assert over.previous is not None


async def test_the_group_is_never_offered_a_link_for_somebody_who_texts(harness: GroupHarness) -> None:
    await a_mixed_game(harness, "11236", "2345", opener=1)
    await harness.text("Bo", i.PrivateChatBlocked())
    await harness.text("Bo", MakeBid(3, 4))
    assert not any(notice.unreachable for notice in harness.notices("table"))
    assert kinds(harness, BO) == []


async def test_a_refused_text_about_one_table_shows_the_bids_to_the_groups_of_all(harness: GroupHarness) -> None:
    await a_mixed_game(harness, "11236", "2345", opener=0)
    family = i.Place("telegram", -2002, 0, "Family")
    await harness.say("Cy", OpenLobby(), where=family)
    await harness.text("Bo", Join(code=harness.table(2).code))
    await harness.tap("Cy", Start(), table=2, where=family)
    if harness.table(2).begun_game.turn == 0:
        await harness.tap("Cy", MakeBid(1, 2), table=2, where=family)
    harness.mark_all_sent()
    await harness.call("3x4")
    (refused,) = texts(harness, BO)
    harness.mark_all_sent()
    await harness.service.handle(PrivateRouteFailed(refused, 1))
    assert {notice.shared for notice in harness.notices("table")} == {True}
    assert {chat for kind, chat in harness.waiting_kinds() if kind == "table"} == {GROUP, -2002}


async def test_a_friend_with_telegram_sits_there_too(harness: GroupHarness) -> None:
    await harness.text("Ana", OpenPrivateLobby())
    await harness.text("Bo", Join(code=harness.table().code))
    await harness.say("Cy", StartPrivateChat(code=harness.table().code), where=None)
    await harness.text("Ana", Start())
    await harness.set_dice("1", "2", "6")
    assert ("hand", 103) in harness.waiting_kinds()
    harness.mark_all_sent()
    await harness.text("Ana", Stop(confirmed=True))
    assert ("closed", 103) in harness.waiting_kinds()


ALL_BUT_AN_HOUR = QuietHours(start=23 * 60, end=22 * 60, zone="UTC")  # the tests' day begins at 22:13 UTC


async def test_texts_wait_for_the_morning_unless_their_reader_is_awake(harness: GroupHarness) -> None:
    await a_mixed_game(harness, "11236", "2345")
    await harness.text("Bo", Choose("quiet", ALL_BUT_AN_HOUR))
    harness.mark_all_sent()
    harness.now += 3601
    await harness.call("2x4")
    (waiting,) = [row for row in harness.waiting() if row.lane == LaneName("sms", BO)]
    assert waiting.not_before == START - START % 86400 + 86400 + 22 * 3600
    assert harness.table().running.ends == waiting.not_before + 120
    await harness.set_dice("11236", "2345")
    await harness.call("3x4")
    of_bo = [row.status for row in harness.rows(OutboxEntry) if row.lane == LaneName("sms", BO)]
    assert of_bo[-2:] == [NoticeStatus.SUPERSEDED, NoticeStatus.PENDING], "the last one is enough"
    await harness.text("Bo", SeeStatus())
    assert [row.not_before for row in harness.waiting() if row.lane == LaneName("sms", BO)] == [0, 0]
    harness.mark_all_sent()
    await harness.text("Bo", MakeBid(4, 4))
    harness.mark_all_sent()
    await harness.call("5x4")
    assert [row.not_before for row in harness.waiting() if row.lane == LaneName("sms", BO)] == [0]
    assert harness.table().running.ends == harness.now + 120
    harness.mark_all_sent()
    await harness.text("Bo", Choose("quiet", None))
    assert harness.table().seats[1].quiet is None
    assert [chosen(notice) for notice in harness.notices("confirmation")] == [("quiet", None)]


async def test_the_game_goes_on_without_texts_to_it(harness: GroupHarness) -> None:
    await a_mixed_game(harness, "11236", "2345")
    await harness.call("3x4")
    (refused,) = texts(harness, BO)
    await harness.service.handle(PrivateRouteFailed(refused, 1))
    harness.mark_all_sent()
    await harness.run_deadlines(120)
    assert harness.table().seats[1].away
    assert kinds(harness, BO) == []


async def linked(harness: GroupHarness) -> None:
    await harness.say("Ana", RequestPhoneLink(), where=None)
    code = harness.rows(LinkCode)[-1]
    await harness.text("Ana", LinkPhone(code.code.lower()))


async def test_a_code_links_a_phone_that_sits_nowhere_once_and_in_time(harness: GroupHarness) -> None:
    await harness.say("Ana", RequestPhoneLink())
    assert harness.rows(LinkCode) == [], "it is not said in the group"
    await harness.text("Cy", OpenPrivateLobby())
    await harness.say("Ana", RequestPhoneLink(), where=None)
    (code,) = harness.rows(LinkCode)
    for name, phone, sent, seconds, why in (
        ("Bo", BO, "AAAAAA", 0, RejectionReason.LINK_EXPIRED),
        ("Cy", CY, code.code, 0, RejectionReason.STILL_SEATED),
        ("Bo", BO, code.code, 901, RejectionReason.LINK_EXPIRED),
    ):
        harness.now += seconds
        harness.mark_all_sent()
        await harness.text(name, LinkPhone(sent))
        assert [envelope.notice.reason for envelope in texts(harness, phone)] == [why]  # type: ignore[attr-defined]
    assert harness.player("Ana").phone is None
    await linked(harness)
    assert harness.rows(LinkCode) == []


async def test_the_dice_of_who_linked_it_come_where_they_came_before(harness: GroupHarness) -> None:
    await harness.game("11236", "2345")
    await linked(harness)
    assert kinds(harness, ANA)[-1] == "hand", "their dice follow them"
    harness.mark_all_sent()
    await harness.text("Ana", SeeDice())
    (refused,) = texts(harness, ANA)
    harness.mark_all_sent()
    await harness.service.handle(PrivateRouteFailed(refused, 1))
    assert harness.player("Ana").view == PrivateView.AUTO
    assert harness.waiting_kinds() == [("hand", 101)]


async def test_a_waiting_text_of_another_version_holds_up_no_call(harness: GroupHarness) -> None:
    await harness.text("Ana", OpenPrivateLobby())
    await harness.text("Bo", Join(code=harness.table().code))
    await harness.text("Ana", Start())
    for row in harness.rows(OutboxEntry):
        if row.slot is not None and row.slot.startswith("hand"):
            harness.update_row(OutboxEntry, row.id, notice={"kind": "of another version"})
    turn = harness.table().begun_game.turn
    assert turn is not None
    await harness.text(("Ana", "Bo")[turn], MakeBid(1, 2))
    assert harness.table().step == 1
