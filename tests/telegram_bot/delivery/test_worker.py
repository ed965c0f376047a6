"""Lanes of messages: in order, side by side, the most urgent first, through every kind of trouble and death."""

import asyncio
import math
import re
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlmodel import select

from telegram_bot.delivery import outbox, worker
from telegram_bot.delivery.limits import LaneUsage, Limits
from telegram_bot.delivery.outbox import MOST_READ
from telegram_bot.delivery.results import MAX_EDIT_ATTEMPTS
from telegram_bot.delivery.sender import (
    ChatLostError,
    ChatMovedError,
    InvalidError,
    NotSentError,
    RefusedError,
    SlowDownError,
    TargetGoneError,
    UnknownOutcomeError,
)
from telegram_bot.delivery.worker import LEAST_WAIT_SECONDS
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices import BidsNotice, GuestNotice, LobbyNotice, Notice, OutdatedNotice
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.screens.posting import Notification, Urgency, outbox_columns, urgency_of
from telegram_bot.service.handlers.lobby_requests import Join, Start
from telegram_bot.storage.models import (
    Chat,
    DiceStyle,
    LaneName,
    NoticeStatus,
    OutboxEntry,
    Player,
    PrivateView,
    SentMessage,
)
from test_support.postgres import PostgresServer
from tests.telegram_bot.conftest import ANA, BO, BOTH_DATABASES, GROUP, ONLY_POSTGRESQL, ONLY_SQLITE, GroupHarness
from tests.telegram_bot.delivery.conftest import (
    DeliveryHarness,
    Failure,
    RecordingSender,
    changed,
    example_notices,
    hangs,
    named_notice,
    running,
    text_of,
    until,
)

# Order


async def test_lanes_run_side_by_side(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    release = asyncio.Event()
    sender.failures[GROUP] = [release.wait]
    harness.enqueue(named_notice("slow"))
    for chat in (ANA, BO):
        for name in "xy":
            harness.enqueue(named_notice(name), chat=chat)
    draining = asyncio.create_task(delivery.drain(GROUP, ANA, BO))
    await until(lambda: len(sender.sent) == 4)
    assert sender.texts(ANA) == sender.texts(BO) == ["x", "y"]
    assert sender.texts(GROUP) == []
    release.set()
    await draining
    assert sender.texts(GROUP) == ["slow"]


async def test_a_menu_moves_to_the_private_chat_of_its_host_when_a_message_has_reached_it(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender
) -> None:
    await harness.lobby("Ana", "Bo")
    await delivery.drain(GROUP)
    harness.enqueue(named_notice("to Ana"), chat=ANA)
    await delivery.drain(GROUP, ANA)
    shown = {each.chat: each.notice.to_host for each, _ in sender.sent if isinstance(each.notice, LobbyNotice)}
    assert shown == {GROUP: False, ANA: True}


async def test_a_person_who_was_forgotten_and_comes_back_can_be_written_to_again(delivery: DeliveryHarness) -> None:
    harness = delivery.harness
    await harness.lobby("Ana", "Bo")
    for _ in range(2):
        harness.mark_all_sent()
        await delivery.send(named_notice("to Bo"), chat=BO)
        assert harness.player("Bo").direct == "open"
        forgetting = PersonDeletion(harness.service)
        await forgetting.leave(harness.player("Bo").id)
        await forgetting.forget(harness.player("Bo").id)
        await harness.tap("Bo", Join())
        harness.now += 1


async def test_work_that_nobody_announced_is_found(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    async with running(delivery.delivery):
        harness.enqueue(named_notice("found"))
        await until(lambda: sender.texts() == ["found"])
        harness.enqueue(named_notice("again"))
        await until(lambda: sender.texts() == ["found", "again"])


async def test_what_came_too_late_is_not_sent_and_what_was_sent_is_not_kept(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    harness.enqueue(named_notice("late"), expires_at=harness.now - 1)
    await delivery.send(named_notice("in time"), expires_at=harness.now + 1)
    assert sender.texts() == ["in time"]
    rows = [(row.status, row.notice, row.done_at) for row in harness.rows(OutboxEntry)]
    assert rows == [(status, None, harness.now) for status in (NoticeStatus.SUPERSEDED, NoticeStatus.SENT)]


async def test_of_edits_that_wait_in_one_slot_the_latest_wins(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    table, hand, _ = await example_notices(harness)
    for name in ("Eve", "Fay", "Gus"):
        waits = GuestNotice(what="knock", table=1, code="ABCDE", player=9, name=name)
        harness.enqueue(waits, slot="door", key=())
        harness.enqueue(hand, chat=ANA, slot="hand:1")
    for slot, number in (("deal:1", 1), ("deal:2", 1), ("deal:2", 2)):
        harness.enqueue(table, slot=slot, key=(), table=number)
    await delivery.drain(GROUP, ANA)
    assert [envelope.notice.name for envelope, _ in sender.sent if isinstance(envelope.notice, GuestNotice)] == ["Gus"]
    assert sender.texts(ANA) == ["hand"] * 3
    assert sender.texts(GROUP).count("table") == 3, "they are in different slots"


async def test_a_deleted_message_is_written_anew_and_its_keys_need_no_taking_away(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    table, _, _ = await example_notices(harness)
    sender.failures[GROUP] = [TargetGoneError("message to edit not found")]
    await delivery.send(OutdatedNotice(), target=MessageRef(5))
    assert (sender.sent, delivery.statuses()) == ([], [NoticeStatus.SENT])
    await delivery.send(table, slot="deal:1", key=())
    sender.failures[GROUP] = [TargetGoneError("message to edit not found")]
    harness.enqueue(changed(table), slot="deal:1", key=())
    await delivery.send(named_notice("after"))
    assert sender.texts() == ["table", "table", "after"]
    assert [target for _, target in sender.sent] == [None, None, None]
    assert harness.rows(SentMessage)[0].message == 1002


@pytest.mark.parametrize("pictures", [False, True])
async def test_a_new_hand_takes_the_keyboard_off_the_old_one(delivery: DeliveryHarness, *, pictures: bool) -> None:
    harness, sender = delivery.harness, delivery.sender
    sender.pictures, sender.hands_have_keyboards = pictures, True
    _, hand, _ = await example_notices(harness)
    for turn in (1, 2):
        await delivery.send(hand, chat=ANA, slot="hand:1", key=(turn,))
    assert sender.texts(ANA) == ["hand", "hand", "outdated"]
    assert (sender.sent[-1][0].target, sender.sent[-1][0].chat) == (MessageRef(1001, picture=pictures), ANA)
    (shown,) = harness.rows(SentMessage)
    assert (shown.message, shown.picture) == (1002, pictures)
    await delivery.send(hand, chat=GROUP, receiver=ANA, slot="hand:1", key=(3,))
    await delivery.send(hand, chat=ANA, slot="hand:1", key=(4,))
    await delivery.drain()
    strip = sender.sent[-1][0]
    assert (strip.notice.kind, strip.chat, strip.receiver) == ("outdated", GROUP, ANA), "where it was"


async def test_a_lane_whose_wait_is_a_rounding_error_is_not_asked_again_at_once(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    sender.limits = Limits(per_bot_per_second=0, per_chat_seconds=1, per_group_per_minute=0)
    lane = LaneName("telegram", ANA)
    delivery.delivery.usage[lane] = LaneUsage(chat_arrival=math.nextafter(harness.now, math.inf))
    harness.enqueue(named_notice("a"), chat=ANA)
    delivery.delivery.wake([lane])
    await delivery.delivery.idle()
    ((due, _),) = delivery.timers.values()
    assert due - harness.now > LEAST_WAIT_SECONDS / 2, "until then only a clock that stands still would be asked"


async def test_a_pause_that_telegram_asks_for_rests_that_lane_alone(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    sender.failures[GROUP] = [SlowDownError(7)]
    for name in "abc":
        harness.enqueue(named_notice(name))
        harness.enqueue(named_notice(name), chat=ANA)
    await delivery.drain(GROUP, ANA)
    assert (sender.texts(GROUP), sender.texts(ANA)) == ([], ["a", "b", "c"])
    harness.now += 6.9
    await delivery.drain(GROUP)
    assert sender.texts(GROUP) == []
    async with running(delivery.delivery):
        harness.now += 0.2
        await until(lambda: sender.texts(GROUP) == ["a", "b", "c"])


async def test_what_was_not_sent_is_tried_again_later_and_later(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    sender.failures[GROUP] = [NotSentError("ConnectError")] * 3
    harness.enqueue(named_notice("a"))
    harness.enqueue(named_notice("b"))
    sender.clock = lambda: harness.now
    await delivery.drain_with_time()
    assert sender.texts() == ["a", "b"], "in order all the same"
    waits = [later - earlier for earlier, later in pairwise(sender.times)]
    assert [wait >= least for wait, least in zip(waits, (1, 2, 4), strict=False)] == [True] * 3
    assert delivery.statuses() == [NoticeStatus.SENT] * 2


@pytest.mark.parametrize("failure", [UnknownOutcomeError("ReadTimeout"), hangs], ids=["no answer", "no end"])
async def test_a_send_whose_fate_is_unknown_is_never_repeated(
    delivery: DeliveryHarness, monkeypatch: pytest.MonkeyPatch, failure: Failure
) -> None:
    harness, sender = delivery.harness, delivery.sender
    monkeypatch.setattr(worker, "SEND_SECONDS", 0.05)
    sender.failures[GROUP] = [failure]
    harness.enqueue(named_notice("perhaps"))
    await delivery.send(named_notice("next"))
    assert [text_of(envelope) for envelope in sender.tried] == ["perhaps", "next"]
    assert delivery.statuses() == [NoticeStatus.UNKNOWN, NoticeStatus.SENT]
    assert all(row.notice is None for row in harness.rows(OutboxEntry))


async def test_an_edit_whose_fate_is_unknown_is_repeated_and_not_for_ever(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    table, _, _ = await example_notices(harness)
    await delivery.send(table, slot="deal:1", key=())
    sender.failures[GROUP] = [UnknownOutcomeError("ReadTimeout")]
    harness.enqueue(changed(table), slot="deal:1", key=())
    await delivery.drain_with_time()
    assert [target for _, target in sender.sent] == [None, MessageRef(1001)]
    sender.failures[GROUP] = [UnknownOutcomeError("ReadTimeout")] * 100
    harness.enqueue(OutdatedNotice(), target=MessageRef(5))
    sender.tried.clear()
    await delivery.drain_with_time()
    assert len(sender.tried) == MAX_EDIT_ATTEMPTS
    assert delivery.statuses()[-1] == NoticeStatus.UNKNOWN


async def test_notices_that_are_never_accepted_or_that_this_version_cannot_read_do_not_block_the_lane(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender
) -> None:
    sender.failures[GROUP] = [InvalidError("message is too long"), ZeroDivisionError("a bug")]
    unreadable = range(3, 2 * MOST_READ + 4)
    for name in ("too long", "a fault", *map(str, unreadable), "sent"):
        harness.enqueue(named_notice(name))
    for row in unreadable:
        later: dict[str, object] = {"channel": "telegram", "chat": GROUP, "notice": {"kind": "tomorrow's"}}
        harness.update_row(OutboxEntry, row, notice=later if row % 2 else {"kind": "of another version"})
    await delivery.drain()
    assert sender.texts() == ["sent"]
    rows = [(row.status, row.error) for row in sorted(harness.rows(OutboxEntry), key=lambda row: row.id)]
    assert rows == [
        (NoticeStatus.FAILED, "message is too long"),
        (NoticeStatus.FAILED, "ZeroDivisionError"),
        *[(NoticeStatus.FAILED, "unreadable")] * len(unreadable),
        (NoticeStatus.SENT, None),
    ]


async def test_a_refused_whisper_takes_the_private_chat(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    await harness.game("22222", "33333", sent=True)
    harness.update_row(Chat, 1, ephemeral=True)
    await harness.call("3x4")
    sender.failures[GROUP] = [RefusedError("not enough rights")]
    await delivery.drain(GROUP)
    await delivery.drain(BO)
    assert sender.texts(BO) == ["hand", "outdated"], "the board of the time before the whispers loses its keys"
    assert harness.player("Bo").direct == "open", "it got through"


async def test_the_lane_follows_a_group_that_moved(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    await harness.game("22222", "33333", sent=True)
    sender.failures[GROUP] = [ChatMovedError(-100777)]
    harness.enqueue(named_notice("a"))
    await delivery.send(named_notice("b"))
    await delivery.drain(-100777)
    assert sender.texts(-100777) == ["table", "a", "b"], "and the table is shown where it can be tapped"
    assert harness.rows(Chat)[0].address == -100777


async def test_an_edit_knows_whether_the_message_is_a_picture(delivery: DeliveryHarness, screens: list[str]) -> None:
    harness, sender = delivery.harness, delivery.sender
    table, hand, reveal = await example_notices(harness)
    harness.service.tables.mark = lambda *_: None  # type: ignore[method-assign]
    for notice in (table, reveal, hand):
        sender.pictures = notice is reveal
        await delivery.send(notice, slot="deal:1", key=())
    targets = [target for _, target in sender.sent]
    assert targets == [None, MessageRef(1001, picture=False), MessageRef(1001, picture=True)]
    assert harness.rows(SentMessage)[0].picture
    screens.clear()


@ONLY_SQLITE
async def test_a_bid_reads_nothing_of_all_that_was_sent_before(delivery: DeliveryHarness) -> None:
    """SQLite finds each row by an index: the outbox contains the notices of days."""
    harness = delivery.harness
    await harness.game("22222", "33333")
    await delivery.drain(GROUP, ANA, BO)
    plans: list[str] = []

    @event.listens_for(harness.database.engine, "before_cursor_execute")
    def explain(_connection: object, cursor: Any, statement: str, given: Any, *_: object) -> None:
        if statement.startswith(("SELECT", "UPDATE", "DELETE", "INSERT")):
            row = given[0] if given and isinstance(given[0], tuple | list | dict) else given
            found = cursor.execute(f"EXPLAIN QUERY PLAN {statement}", row).fetchall()
            plans.extend(f"{detail}: {statement}" for *_, detail in found)

    await harness.call("3x2")
    await delivery.drain(GROUP, ANA, BO)
    with harness.database.transaction() as session:
        delivery.delivery.look(session)
    tables = "outbox|sent_message|game_action|inbox|player|game_table|sitting"
    assert plans
    scan = rf"SCAN ({tables})\b(?! USING (COVERING )?INDEX ix_outbox_open)"
    assert not [plan for plan in plans if re.match(scan, plan)]


async def test_one_notice_that_never_gets_through_is_set_aside_while_others_do(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    sender.failures[GROUP] = [NotSentError("InternalServerError")] * 1000
    harness.enqueue(named_notice("poison"))
    harness.enqueue(named_notice("next"))
    for minute in range(40):
        harness.enqueue(named_notice(str(minute)), chat=ANA)
        await delivery.drain(ANA, GROUP)
        if len(sender.tried) > 50:
            break
        if delivery.statuses()[0] == NoticeStatus.FAILED:
            sender.failures.clear()
        harness.now += 31
    await delivery.drain(GROUP)
    assert delivery.statuses()[0] == NoticeStatus.FAILED
    assert sender.texts(GROUP) == ["next"]
    assert "set aside" in caplog.text
    tries = sum(envelope.chat == GROUP for envelope in sender.tried)
    assert 10 <= tries <= 25


async def test_a_group_that_is_lost_is_told_to_the_operator_without_its_id(
    delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    sender.failures[GROUP] = [ChatLostError("Forbidden: bot was kicked from the supergroup chat")]
    await delivery.send(named_notice("anyone there?"))
    assert "cannot be written to: Forbidden: bot was kicked" in caplog.text
    assert str(GROUP) not in caplog.text


async def test_neither_an_outage_nor_one_more_failure_after_it_sets_anything_aside(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    chats = (GROUP, ANA, BO)
    sender.failures = {chat: [NotSentError("InternalServerError")] * 1000 for chat in chats}
    for chat in chats:
        harness.enqueue(named_notice("kept"), chat=chat)
    for _ in range(50):
        await delivery.drain(*chats)
        harness.now += 31
    assert delivery.statuses() == [NoticeStatus.PENDING] * 3
    sender.failures = {GROUP: [NotSentError("BadGateway")]}
    await delivery.drain(ANA, BO)
    for _ in range(2):
        harness.now += 31
        await delivery.drain(GROUP)
    assert sender.texts() == ["kept"] * 3


async def test_a_turn_behind_its_own_help_waits_for_no_other(harness: GroupHarness, sender: RecordingSender) -> None:
    _, hand, _ = await example_notices(harness)
    chats = [*range(1000, 1099), ANA]
    for chat in chats:
        harness.enqueue(named_notice("help"), chat=chat)
    limits = Limits(per_bot_per_second=25, per_chat_seconds=0, per_group_per_minute=0)
    delivery = DeliveryHarness(harness, sender, limits)
    arrived = 0.0

    async def on_turn() -> None:
        nonlocal arrived
        arrived = harness.now
        harness.enqueue(hand, chat=ANA)
        delivery.delivery.wake([LaneName("telegram", ANA)])

    sender.failures[1010] = [on_turn]
    await delivery.drain(*chats, end=lambda: "hand" in sender.texts())
    assert harness.now - arrived < 0.2
    assert sender.texts(ANA) == ["help", "hand"], "the order within a chat stays"


@BOTH_DATABASES
async def test_a_lane_that_cannot_be_read_is_set_aside_and_all_others_are_served(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    for name, stored in (("lost", "telegram:True"), ("lost too", "telegram:1:2"), ("lost as well", "telegram")):
        harness.enqueue(named_notice(name))
        with harness.database.transaction() as session:
            last = "UPDATE outbox SET lane = :lane WHERE id = (SELECT max(id) FROM outbox)"
            session.execute(text(last), {"lane": stored})
    harness.enqueue(named_notice("hello"), chat=ANA)
    with harness.database.transaction() as session:
        assert outbox.lanes_with_notices(session, harness.now) == [LaneName("telegram", ANA)]
    await delivery.drain(ANA)
    assert sender.texts(ANA) == ["hello"]
    assert delivery.statuses() == [NoticeStatus.FAILED] * 3 + [NoticeStatus.SENT]
    assert "lanes cannot be read" in caplog.text
    with harness.database.transaction() as session:
        assert outbox.lanes_with_notices(session, harness.now) == []


@BOTH_DATABASES
async def test_what_a_dead_worker_was_sending_goes_again(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    table, _, _ = await example_notices(harness)
    await delivery.send(table, slot="deal:1", key=())
    sender.sent.clear()
    harness.enqueue(named_notice("perhaps sent"))
    harness.enqueue(changed(table), slot="deal:1", key=())
    harness.enqueue(table, slot="deal:2", key=())
    harness.enqueue(OutdatedNotice(), target=MessageRef(5))
    with harness.database.transaction() as session:
        for left in session.exec(select(OutboxEntry).where(OutboxEntry.status == NoticeStatus.PENDING)):
            left.status = NoticeStatus.SENDING
    await delivery.send(named_notice("new"))
    assert sender.texts() == ["new"], "this process may be sending it"
    await delivery.begin()
    harness.all_compared()
    await delivery.drain()
    assert [(text_of(envelope), target) for envelope, target in sender.sent[1:]] == [
        ("perhaps sent", None),
        ("table", MessageRef(1001)),
        ("table", None),
        ("outdated", MessageRef(5)),
    ]
    assert set(delivery.statuses()) == {NoticeStatus.SENT}


async def test_a_text_that_a_dead_worker_was_sending_is_not_paid_for_twice_and_its_turn_is_told_once_more(
    harness: GroupHarness, delivery: DeliveryHarness, caplog: pytest.LogCaptureFixture
) -> None:
    await harness.game("22", "33", sent=True)
    harness.enqueue(named_notice("your turn"), turn=harness.table().step)
    (text,) = [row.id for row in harness.rows(OutboxEntry) if row.status == NoticeStatus.PENDING]
    harness.update_row(OutboxEntry, text, status=NoticeStatus.SENDING, lane=LaneName("sms", 4912345))
    with caplog.at_level("INFO"):
        await delivery.begin()
    assert "welcome" in caplog.text
    assert [row.status for row in harness.rows(OutboxEntry) if row.id == text] == [NoticeStatus.UNKNOWN]
    assert harness.table().running.retell_at is not None


@BOTH_DATABASES
async def test_trouble_while_marking_a_message_as_sent_does_not_send_it_again(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender, caplog: pytest.LogCaptureFixture
) -> None:
    harness.enqueue(named_notice("once"), slot="lobby")
    harness.enqueue(named_notice("next"))

    async def hide() -> None:
        with harness.database.transaction() as session:
            session.connection().exec_driver_sql("ALTER TABLE sent_message RENAME TO hidden")

    sender.failures[GROUP] = [hide]
    draining = asyncio.create_task(delivery.drain())
    await until(lambda: "marking messages as sent failed" in caplog.text and "marking a message" in caplog.text)
    with harness.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE hidden RENAME TO sent_message")
    await draining
    assert sender.texts() == ["once", "next"]
    assert harness.rows(SentMessage)[0].message == 1001
    assert delivery.statuses() == [NoticeStatus.SENT] * 2


@ONLY_POSTGRESQL
async def test_a_database_that_is_away_is_told_in_a_line_a_minute_and_work_goes_on_afterwards(
    delivery: DeliveryHarness, postgresql: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    harness, sender = delivery.harness, delivery.sender
    async with running(delivery.delivery):
        with postgresql.unreachable(harness.database.engine.url.render_as_string(hide_password=False)):
            await until(lambda: delivery.delivery._troubles._unlogged.total() > 0)
            assert caplog.text.count("looking for lanes failed: connection failed") == 1
        assert "Traceback" not in caplog.text
        harness.enqueue(named_notice("once"))
        await until(lambda: sender.texts() == ["once"])


async def test_stopping_finishes_the_send_under_way_and_leaves_the_rest(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    release = asyncio.Event()
    sender.failures[GROUP] = [release.wait]
    harness.enqueue(named_notice("under way"))
    harness.enqueue(named_notice("later"))
    delivery.delivery.wake([LaneName("telegram", GROUP)])
    await until(lambda: bool(sender.tried))
    stopping = asyncio.create_task(delivery.delivery.stop())
    await asyncio.sleep(0)
    release.set()
    await stopping
    assert sender.texts() == ["under way"]
    assert delivery.statuses() == [NoticeStatus.SENT, NoticeStatus.PENDING]
    delivery.delivery.wake([LaneName("telegram", GROUP)])
    await delivery.delivery.idle()
    assert sender.texts() == ["under way"], "nothing begins any more"
    reborn = DeliveryHarness(harness, sender)
    await reborn.drain()
    assert sender.texts() == ["under way", "later"]


async def test_a_send_that_hangs_does_not_keep_the_process_from_ending(
    delivery: DeliveryHarness, caplog: pytest.LogCaptureFixture
) -> None:
    delivery.sender.failures[GROUP] = [hangs]
    delivery.harness.enqueue(named_notice("perhaps"))
    delivery.delivery.wake([LaneName("telegram", GROUP)])
    await until(lambda: bool(delivery.sender.tried))
    await delivery.delivery.stop(grace=0.05)
    assert (delivery.statuses(), caplog.text) == ([NoticeStatus.SENDING], "")


async def test_a_message_is_not_edited_to_show_the_same(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    table, _, _ = await example_notices(harness)
    for notice in (table, table, changed(table)):
        await delivery.send(notice, slot="deal:1", key=())
    assert [target for _, target in sender.sent] == [None, MessageRef(1001)]
    harness.enqueue(OutdatedNotice(), target=MessageRef(1001))
    await delivery.send(changed(table), slot="deal:1", key=())
    assert sender.sent[-1][1] == MessageRef(1001), "its buttons had gone, so it is shown again"
    for _ in range(2):
        await delivery.send(changed(table), slot="deal:1", key=(), dice_style=DiceStyle.WORDS)
    assert [envelope.dice_style for envelope, _ in sender.sent[-2:]] == [DiceStyle.KEYCAPS, DiceStyle.WORDS]


# In a group's lane the player on turn is first, then the end of a round, and needless notices are dropped


BUSY = Limits(per_bot_per_second=0, per_chat_seconds=0, per_group_per_minute=20)


def sent(sender: RecordingSender) -> list[tuple[str, int | None]]:
    """Each notice to the group with the receiver of an ephemeral one."""
    return [(envelope.notice.kind, envelope.receiver) for envelope, _ in sender.sent if envelope.chat == GROUP]


@pytest.fixture
async def ephemeral(harness: GroupHarness) -> GroupHarness:
    """A game of three by ephemeral messages in the group; no notice is sent yet after the start."""
    await harness.lobby("Ana", "Bo", "Cy")
    harness.update_row(Chat, 1, ephemeral=True)
    return harness


async def begun(harness: GroupHarness) -> None:
    await harness.tap("Ana", Start())
    await harness.set_dice("22222", "33333", "44444")
    harness.mark_all_sent()


async def test_earlier_hands_and_those_of_past_turns_drop(ephemeral: GroupHarness, sender: RecordingSender) -> None:
    await begun(ephemeral)
    for call in ("2x2", "3x2", "4x2"):
        await ephemeral.call(call)
    await DeliveryHarness(ephemeral, sender).drain(GROUP)
    told = [("hand", 101), ("table", None), ("outdated", 101)]
    assert sent(sender) == told, "Bo and Cy have bid without their keyboards"


async def in_a_full_minute(harness: GroupHarness, sender: RecordingSender, *calls: str) -> DeliveryHarness:
    """Send what is so urgent that it need not wait, after each call."""
    delivery = DeliveryHarness(harness, sender, BUSY)
    delivery.use_up(*[Urgency.TOLD] * 18)
    for call in calls:
        await harness.call(call)
        delivery.delivery.wake([LaneName("telegram", GROUP)])
        await delivery.delivery.idle()
    return delivery


async def test_in_a_full_minute_a_turn_is_sent_an_edit_waits(ephemeral: GroupHarness, sender: RecordingSender) -> None:
    await ephemeral.tap("Ana", Start())
    await ephemeral.set_dice("22222", "33333", "44444")
    await DeliveryHarness(ephemeral, sender).drain(GROUP)
    sender.sent.clear()
    delivery = await in_a_full_minute(ephemeral, sender, "2x2", "3x2")
    assert sent(sender) == [("hand", 102), ("hand", 103)]
    ephemeral.now += 60
    await delivery.drain(GROUP)
    assert sent(sender).count(("table", None)) == 1, "one edit tells both bids"


async def test_keys_that_all_share_overtake_what_waits_a_minute(harness: GroupHarness, sender: RecordingSender) -> None:
    await harness.lobby("Ana", "Bo", "Cy")
    for player in (1, 2, 3):
        harness.update_row(Player, player, view=PrivateView.SHARED)
    await begun(harness)
    harness.enqueue(OutdatedNotice(), slot="an earlier round", key=())
    await in_a_full_minute(harness, sender, "2x2")
    assert sent(sender) == [("table", None)]


async def test_what_is_said_once_is_as_urgent_as_its_type_or_the_tap_that_asked_for_it(harness: GroupHarness) -> None:
    table, hand, reveal = await example_notices(harness)

    def urgency(notice: Notice, handle: str | None = None) -> int:
        envelope = Envelope(channel="telegram", chat=GROUP, notice=notice, reply_handle=handle)
        return int(outbox_columns(Notification(envelope), now=0)["urgency"])

    page = BidsNotice(view=table.view, seat=0, face=4, private=False)
    said = [urgency(each) for each in (table, hand, page, reveal, named_notice("x"))]
    assert said == [Urgency.ASKS] * 3 + [Urgency.ENDS, Urgency.TOLD]
    assert urgency(named_notice("x"), handle="q") == Urgency.ASKS


async def test_an_edit_that_asks_nobody_can_wait_and_a_new_round_comes_soon(harness: GroupHarness) -> None:
    table, hand, _ = await example_notices(harness)
    waiting = hand.model_copy(update={"view": hand.view.model_copy(update={"on_turn": False})})
    asked = hand.model_copy(update={"view": hand.view.model_copy(update={"on_turn": True})})
    for notice, edited, new in (
        (waiting, Urgency.TOLD, Urgency.SOON),
        (asked, Urgency.ASKS, Urgency.ASKS),
        (table, Urgency.TOLD, Urgency.SOON),
        (table.model_copy(update={"shared": True}), Urgency.ASKS, Urgency.ASKS),
    ):
        envelope = Envelope(channel="telegram", chat=GROUP, notice=notice)
        found = [urgency_of(Notification(envelope, is_edit=is_edit)) for is_edit in (True, False)]
        assert found == [edited, new]


@pytest.mark.parametrize("set_back", [0, 3600])
async def test_a_group_waits_after_a_restart_if_its_messages_of_a_minute_are_sent_and_not_for_a_clock_that_was_set_back(
    harness: GroupHarness, sender: RecordingSender, set_back: int
) -> None:
    for number in range(20):
        harness.enqueue(named_notice(str(number)))
    await DeliveryHarness(harness, sender).drain()
    harness.now -= set_back
    restarted = DeliveryHarness(harness, sender, BUSY)
    harness.enqueue(named_notice("one more"))
    async with running(restarted.delivery):
        await until(lambda: bool(restarted.timers or "one more" in sender.texts()))
    assert ("one more" in sender.texts()) == (set_back > 0)
