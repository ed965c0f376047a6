"""Lanes of messages: in order, side by side, through every kind of trouble."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from typing import Any

import pytest
from sqlalchemy import event, null, update
from sqlmodel import select

from telegram_bot.delivery import lanes
from telegram_bot.delivery.channel import (
    ChatMovedError,
    InvalidError,
    NotSentError,
    RefusedError,
    SlowDownError,
    Target,
    TargetGoneError,
    UnknownFateError,
)
from telegram_bot.delivery.limits import Limits
from telegram_bot.service import intents as i
from telegram_bot.service.notices import (
    Mode,
    StripNotice,
    TableNotice,
)
from telegram_bot.storage.rows import Chat, Lane, Outbox, Sending, SentMessage
from tests.databases import PostgresServer
from tests.telegram_bot.conftest import ONLY_POSTGRESQL, ONLY_SQLITE, Room
from tests.telegram_bot.delivery.conftest import (
    ANA,
    BO,
    GROUP,
    Office,
    Wire,
    hello,
    later,
    running,
    until,
    views,
    word,
)

# Order


async def test_a_lane_is_sent_in_order(room: Room, office: Office, wire: Wire) -> None:
    for name in "abcdefghij":
        room.send(hello(name))
    await office.drain()
    assert wire.texts() == list("abcdefghij")
    assert office.statuses() == [Sending.SENT] * 10
    assert wire.most_under_way == 1


async def test_lanes_run_side_by_side(room: Room, office: Office, wire: Wire) -> None:
    """One slow chat keeps no other waiting."""
    release = asyncio.Event()

    async def slow() -> None:
        await release.wait()

    wire.trouble[GROUP] = [slow]
    room.send(hello("slow"))
    for chat in (ANA, BO):
        for name in "xy":
            room.send(hello(name), chat=chat)
    draining = asyncio.create_task(office.drain(GROUP, ANA, BO))
    await until(lambda: len(wire.sent) == 4)
    assert wire.texts(ANA) == wire.texts(BO) == ["x", "y"]
    assert wire.texts(GROUP) == []
    release.set()
    await draining
    assert wire.texts(GROUP) == ["slow"]


async def test_work_that_nobody_announced_is_found(room: Room, office: Office, wire: Wire) -> None:
    async with running(office.delivery):
        room.send(hello("found"))
        await until(lambda: wire.texts() == ["found"])
        room.send(hello("again"))
        await until(lambda: wire.texts() == ["found", "again"])


async def test_what_was_sent_is_not_kept(room: Room, office: Office) -> None:
    _, hand, _ = await views(room)
    room.send(hand, chat=ANA)
    await office.drain(ANA)
    (row,) = room.all(Outbox)
    assert (row.status, row.notice, row.done_at) == (Sending.SENT, None, room.now)


async def test_what_came_too_late_is_not_sent(room: Room, office: Office, wire: Wire) -> None:
    room.send(hello("late"), expires_at=room.now - 1)
    room.send(hello("in time"), expires_at=room.now + 1)
    await office.drain()
    assert wire.texts() == ["in time"]
    assert office.statuses() == [Sending.SUPERSEDED, Sending.SENT]
    assert all(row.notice is None for row in room.all(Outbox))


# Slots: what is edited, what replaces what


async def test_a_slot_is_filled_once_and_edited_then(room: Room, office: Office, wire: Wire) -> None:
    table, _, reveal = await views(room)
    room.send(table, slot="deal:1", mode=Mode.EDIT, supersedable=True)
    await office.drain()
    room.send(reveal, slot="deal:1", mode=Mode.EDIT)
    await office.drain()
    assert [target for _, target in wire.sent] == [None, Target(1001)]
    (sent,) = room.all(SentMessage)
    assert (sent.chat, sent.message, sent.slot) == (GROUP, 1001, "deal:1")


async def test_of_edits_that_wait_the_latest_wins_and_a_reveal_is_never_dropped(
    room: Room, office: Office, wire: Wire
) -> None:
    table, hand, reveal = await views(room)
    for step in range(3):
        view = table.view.model_copy(update={"step": step})
        room.send(table.model_copy(update={"view": view}), slot="deal:1", mode=Mode.EDIT, supersedable=True)
        room.send(hand, chat=ANA, slot="hand:1")
    room.send(reveal, slot="deal:1", mode=Mode.EDIT)
    room.send(table, slot="deal:2", mode=Mode.EDIT, supersedable=True)
    room.send(reveal, slot="deal:2", mode=Mode.EDIT)
    room.send(table, slot="deal:2", mode=Mode.EDIT, supersedable=True)
    await office.drain(GROUP, ANA)
    assert wire.texts(GROUP) == ["reveal", "reveal", "table"], "the table before it was seen by nobody"
    assert wire.texts(ANA) == ["hand"] * 3


async def test_an_edit_supersedes_only_its_own_slot(room: Room, office: Office, wire: Wire) -> None:
    table, _, _ = await views(room)
    room.send(table, slot="deal:1", mode=Mode.EDIT, supersedable=True)
    room.send(table, slot="deal:2", mode=Mode.EDIT, supersedable=True)
    room.send(table, slot="deal:2", mode=Mode.EDIT, supersedable=True, table=2)
    await office.drain()
    assert len(wire.sent) == 3


async def test_a_message_that_was_deleted_is_written_anew(room: Room, office: Office, wire: Wire) -> None:
    table, _, _ = await views(room)
    room.send(table, slot="deal:1", mode=Mode.EDIT, supersedable=True)
    await office.drain()
    wire.trouble[GROUP] = [TargetGoneError("message to edit not found")]
    room.send(later(table), slot="deal:1", mode=Mode.EDIT, supersedable=True)
    room.send(hello("after"))
    await office.drain()
    assert wire.texts() == ["table", "table", "after"]
    assert [target for _, target in wire.sent] == [None, None, None]
    assert room.all(SentMessage)[0].message == 1002


async def test_a_keyboard_that_is_gone_needs_no_taking_away(room: Room, office: Office, wire: Wire) -> None:
    wire.trouble[GROUP] = [TargetGoneError("message to edit not found")]
    room.send(StripNotice(message=5), mode=Mode.TARGET)
    await office.drain()
    assert (wire.sent, office.statuses()) == ([], [Sending.SENT])


async def test_a_new_hand_takes_the_keyboard_off_the_old_one(room: Room, office: Office, wire: Wire) -> None:
    _, hand, _ = await views(room)
    room.send(hand, chat=ANA, slot="hand:1", mode=Mode.REPLACE)
    await office.drain(ANA)
    room.send(hand, chat=ANA, slot="hand:1", mode=Mode.REPLACE)
    await office.drain(ANA)
    assert wire.texts(ANA) == ["hand", "hand", "strip"]
    strip = wire.sent[-1][0]
    assert isinstance(strip.notice, StripNotice)
    assert (strip.notice.message, strip.mode, strip.chat) == (1001, Mode.TARGET, ANA)
    assert room.all(SentMessage)[0].message == 1002


async def test_a_hand_that_changed_its_way_is_stripped_where_it_was(room: Room, office: Office, wire: Wire) -> None:
    _, hand, _ = await views(room)
    room.send(hand, chat=GROUP, receiver=ANA, slot="hand:1", mode=Mode.REPLACE)
    await office.drain()
    room.send(hand, chat=ANA, slot="hand:1", mode=Mode.REPLACE)
    await office.drain(ANA)
    await office.drain()
    strip = wire.sent[-1][0]
    assert (strip.notice.kind, strip.chat, strip.receiver) == ("strip", GROUP, ANA)


# Trouble


async def test_a_pause_that_telegram_asks_for_rests_that_lane_alone(room: Room, office: Office, wire: Wire) -> None:
    wire.trouble[GROUP] = [SlowDownError(7)]
    for name in "abc":
        room.send(hello(name))
        room.send(hello(name), chat=ANA)
    await office.drain(GROUP, ANA)
    assert (wire.texts(GROUP), wire.texts(ANA)) == ([], ["a", "b", "c"])
    assert room.all(Lane)
    room.now += 6.9
    await office.drain(GROUP)
    assert wire.texts(GROUP) == []
    async with running(office.delivery):
        room.now += 0.2
        await until(lambda: wire.texts(GROUP) == ["a", "b", "c"])


async def test_what_was_not_sent_is_tried_again_later_and_later(room: Room, office: Office, wire: Wire) -> None:
    wire.trouble[GROUP] = [NotSentError("ConnectError")] * 3
    room.send(hello("a"))
    room.send(hello("b"))
    wire.clock = lambda: room.now
    await office.drain_with_time()
    assert wire.texts() == ["a", "b"], "in order all the same"
    waits = [later - earlier for earlier, later in pairwise(wire.times)]
    assert [wait >= least for wait, least in zip(waits, (1, 2, 4), strict=False)] == [True] * 3
    assert office.statuses() == [Sending.SENT] * 2


async def test_a_send_whose_fate_is_unknown_is_never_repeated(room: Room, office: Office, wire: Wire) -> None:
    wire.trouble[GROUP] = [UnknownFateError("ReadTimeout")]
    room.send(hello("perhaps"))
    room.send(hello("next"))
    await office.drain()
    assert [word(envelope) for envelope in wire.tried] == ["perhaps", "next"]
    assert office.statuses() == [Sending.UNKNOWN, Sending.SENT]
    assert all(row.notice is None for row in room.all(Outbox))


async def test_an_edit_whose_fate_is_unknown_is_repeated_and_not_for_ever(
    room: Room, office: Office, wire: Wire
) -> None:
    table, _, _ = await views(room)
    room.send(table, slot="deal:1", mode=Mode.EDIT)
    await office.drain()
    wire.trouble[GROUP] = [UnknownFateError("ReadTimeout")]
    room.send(later(table), slot="deal:1", mode=Mode.EDIT)
    await office.drain_with_time()
    assert [target for _, target in wire.sent] == [None, Target(1001)]
    wire.trouble[GROUP] = [UnknownFateError("ReadTimeout")] * 100
    room.send(StripNotice(message=5), mode=Mode.TARGET)
    wire.tried.clear()
    with room.database.transaction() as session:
        row = session.exec(select(Outbox).where(Outbox.status == Sending.PENDING)).one()
        row.attempts = 3
    await office.drain_with_time()
    assert len(wire.tried) == 2
    assert office.statuses()[-1] == Sending.UNKNOWN


async def test_a_notice_that_is_never_accepted_does_not_block_the_lane(room: Room, office: Office, wire: Wire) -> None:
    wire.trouble[GROUP] = [InvalidError("message is too long"), ZeroDivisionError("a bug")]
    for name in "abc":
        room.send(hello(name))
    await office.drain()
    assert wire.texts() == ["c"]
    assert office.statuses() == [Sending.FAILED, Sending.FAILED, Sending.SENT]
    errors = [row.error for row in sorted(room.all(Outbox), key=lambda row: row.id or 0)]
    assert errors == ["message is too long", "ZeroDivisionError", None]


async def test_a_notice_that_this_version_cannot_read_does_not_block_the_lane(
    room: Room, office: Office, wire: Wire
) -> None:
    for name in "abc":
        room.send(hello(name))
    room.change(Outbox, 1, notice={"kind": "of another version"}, status=Sending.SENDING)
    room.change(Outbox, 2, notice={"channel": "telegram", "chat": GROUP, "notice": {"kind": "tomorrow's"}})
    await office.drain()
    assert wire.texts() == ["c"]
    assert office.statuses() == [Sending.FAILED, Sending.FAILED, Sending.SENT]
    assert [row.error for row in room.all(Outbox)] == ["unreadable", "unreadable", None]


async def test_a_refused_private_message_takes_the_next_way(room: Room, office: Office, wire: Wire) -> None:
    await room.game("22222", "33333")
    room.flush()
    wire.trouble[BO] = [RefusedError("bot can't initiate conversation with a user")]
    await room.call("3x4")
    await office.drain(BO, GROUP)
    assert room.player("Bo").direct == "refused"
    assert wire.texts(BO) == []
    notice = wire.sent[-1][0].notice
    assert isinstance(notice, TableNotice)
    assert (notice.shared, notice.unreachable) == (True, True)


async def test_a_refused_whisper_takes_the_private_chat(room: Room, office: Office, wire: Wire) -> None:
    await room.game("22222", "33333")
    room.change(Chat, 1, ephemeral=True)
    room.flush()
    await room.call("3x4")
    room.change(Outbox, next(row.id for row in room.waiting() if row.slot == "deal:1"), status="superseded")
    wire.trouble[GROUP] = [RefusedError("not enough rights")]
    await office.drain(GROUP)
    await office.drain(BO)
    assert wire.texts(BO) == ["hand"]
    assert room.player("Bo").direct == "open", "it got through"


async def test_the_lane_follows_a_group_that_moved(room: Room, office: Office, wire: Wire) -> None:
    await room.game("22222", "33333")
    room.flush()
    wire.trouble[GROUP] = [ChatMovedError(-100777)]
    room.send(hello("a"))
    room.send(hello("b"))
    await office.drain(GROUP)
    await office.drain(-100777)
    assert wire.texts(-100777) == ["a", "b", "table"], "and the table is shown where it can be tapped"
    assert room.all(Chat)[0].address == -100777


# Limits, leases, dead workers


async def test_a_lane_keeps_to_its_limits(room: Room, wire: Wire) -> None:
    office = Office(room, wire, Limits(per_bot_per_second=1000, per_chat_seconds=0.1, per_group_per_minute=0))
    for name in "abcde":
        room.send(hello(name))
    started = room.now
    office.delivery.wake(["telegram:-1001"])
    while office.delivery._lanes:
        await asyncio.sleep(0.005)
        room.now += 0.005
    assert wire.texts() == list("abcde")
    assert room.now - started >= 0.4


async def test_only_one_worker_drains_a_lane(room: Room, wire: Wire) -> None:
    first, second = Office(room, wire), Office(room, wire)
    for name in "abcdefgh":
        room.send(hello(name))
    await asyncio.gather(first.drain(), second.drain())
    assert wire.texts() == list("abcdefgh")
    assert wire.most_under_way == 1


async def test_a_leased_lane_is_taken_over_once_its_holder_is_silent_for_long(room: Room, office: Office) -> None:
    room.send(hello("a"))
    with room.database.transaction() as session:
        assert lanes.hold(session, "telegram:-1001", "somebody else", room.now)
    await office.drain()
    assert office.statuses() == [Sending.PENDING]
    with room.database.transaction() as session:
        assert lanes.with_work(session, ["telegram"], room.now) == []
    room.now += lanes.LEASE_SECONDS
    with room.database.transaction() as session:
        assert lanes.with_work(session, ["telegram"], room.now) == ["telegram:-1001"]
    await office.drain()
    assert office.statuses() == [Sending.SENT]


@ONLY_SQLITE
async def test_after_a_restart_the_leases_of_the_earlier_life_are_void(room: Room, office: Office) -> None:
    room.send(hello("a"))
    with room.database.transaction() as session:
        assert lanes.hold(session, "telegram:-1001", "my earlier life", room.now)
    await office.delivery.take_over()
    await office.drain()
    assert office.statuses() == [Sending.SENT]


async def left_in_sending(room: Room, *rows: dict[str, Any]) -> None:
    for row in rows:
        room.send(**row)
    with room.database.transaction() as session:
        for left in session.exec(select(Outbox).where(Outbox.status == Sending.PENDING)):
            left.status = Sending.SENDING
        assert lanes.hold(session, "telegram:-1001", "dead worker", room.now)
    room.now += lanes.LEASE_SECONDS + 1


async def test_what_a_dead_worker_was_sending_goes_again_only_where_nobody_can_play_on_without(
    room: Room, office: Office, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    table, _, _ = await views(room)
    room.send(table, slot="deal:1", mode=Mode.EDIT)
    await office.drain()
    wire.sent.clear()
    await left_in_sending(
        room,
        {"notice": hello("perhaps sent")},
        {"notice": later(table), "slot": "deal:1", "mode": Mode.EDIT},
        {"notice": table, "slot": "deal:2", "mode": Mode.EDIT},
        {"notice": StripNotice(message=5), "mode": Mode.TARGET},
    )
    room.send(hello("new"))
    with caplog.at_level("INFO"):
        await office.drain()
    told = [line.partition(" ")[0] for line in caplog.messages if "was under way when its worker died" in line]
    assert told == ["welcome", "table"], "what may have been lost, what may be seen twice; not the edits"
    assert [(word(envelope), target) for envelope, target in wire.sent] == [
        ("table", Target(1001)),
        ("table", None),
        ("strip", None),
        ("new", None),
    ]
    assert office.statuses()[1:] == [Sending.UNKNOWN, *[Sending.SENT] * 4]


@ONLY_POSTGRESQL
async def test_a_worker_that_was_thought_dead_and_marks_its_message_is_believed(
    room: Room, office: Office, wire: Wire
) -> None:
    """It does so just when another decides what becomes of what it left."""
    table, _, _ = await views(room)
    await left_in_sending(room, {"notice": table, "slot": "deal:1"}, {"notice": hello("perhaps sent")})
    marked = False

    @event.listens_for(room.database.engine, "before_cursor_execute")
    def mark(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        nonlocal marked
        if statement.startswith("UPDATE outbox SET status") and not marked:
            marked = True
            with room.database.transaction() as session:
                session.execute(update(Outbox).values(status=Sending.SENT, notice=null(), done_at=1.0))

    await office.drain()
    assert wire.sent == []
    assert office.statuses() == [Sending.SENT] * 2


async def test_an_edit_under_way_at_the_end_of_a_lane_is_not_forgotten(room: Room, office: Office, wire: Wire) -> None:
    """Nothing else waits in the lane: the table would show an old bid until somebody acts."""
    table, _, _ = await views(room)
    room.send(table, slot="deal:1", mode=Mode.EDIT)
    await office.drain()
    await left_in_sending(room, {"notice": later(table), "slot": "deal:1", "mode": Mode.EDIT})
    async with running(office.delivery):
        await until(lambda: [target for _, target in wire.sent] == [None, Target(1001)])


async def test_trouble_while_marking_a_message_as_sent_does_not_send_it_again(
    room: Room, office: Office, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    room.send(hello("once"), slot="lobby")
    room.send(hello("next"))

    async def hide() -> None:
        with room.database.transaction() as session:
            session.connection().exec_driver_sql("ALTER TABLE sent_message RENAME TO hidden")

    wire.trouble[GROUP] = [hide]
    draining = asyncio.create_task(office.drain())
    await until(lambda: "marking a message as sent failed" in caplog.text)
    with room.database.transaction() as session:
        session.connection().exec_driver_sql("ALTER TABLE hidden RENAME TO sent_message")
    await draining
    assert wire.texts() == ["once", "next"]
    assert room.all(SentMessage)[0].message == 1001
    assert office.statuses() == [Sending.SENT] * 2


@ONLY_POSTGRESQL
async def test_a_database_that_is_away_is_told_in_a_line_a_second_and_work_goes_on_afterwards(
    room: Room, office: Office, wire: Wire, postgresql: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    began = time.monotonic()
    async with running(office.delivery):
        postgresql.stop_hard()
        try:
            await asyncio.sleep(2.5)
        finally:
            postgresql.start()
        await until(lambda: "looking for lanes failed: OperationalError" in caplog.text)
        assert caplog.text.count("looking for lanes failed") <= time.monotonic() - began + 1
        assert "Traceback" not in caplog.text
        room.send(hello("once"))
        await until(lambda: wire.texts() == ["once"], 10)


async def test_stopping_finishes_the_send_under_way_and_leaves_the_rest(room: Room, office: Office, wire: Wire) -> None:
    release = asyncio.Event()

    async def slow() -> None:
        await release.wait()

    wire.trouble[GROUP] = [slow]
    room.send(hello("under way"))
    room.send(hello("later"))
    office.delivery.wake(["telegram:-1001"])
    await until(lambda: wire.under_way == 1)
    stopping = asyncio.create_task(office.delivery.stop())
    await asyncio.sleep(0)
    release.set()
    await stopping
    assert wire.texts() == ["under way"]
    assert office.statuses() == [Sending.SENT, Sending.PENDING]
    office.delivery.wake(["telegram:-1001"])
    assert office.delivery._lanes == {}, "nothing begins any more"
    reborn = Office(room, wire)
    await reborn.drain()
    assert wire.texts() == ["under way", "later"]


async def test_a_send_that_hangs_does_not_keep_the_process_from_ending(room: Room, office: Office, wire: Wire) -> None:
    async def hang() -> None:
        await asyncio.sleep(3600)

    wire.trouble[GROUP] = [hang]
    room.send(hello("perhaps"))
    office.delivery.wake(["telegram:-1001"])
    await until(lambda: wire.under_way == 1)
    await office.delivery.stop(grace=0.05)
    assert office.statuses() == [Sending.SENDING]
    assert [lane.holder for lane in room.all(Lane)] == [None], "another may settle it"


async def test_a_whole_game_is_told_in_order(room: Room, office: Office, wire: Wire) -> None:
    await room.game("2", "33")
    await room.call("2x2")
    await room.call("dudo")
    await room.tap("Ana", i.PlayAgain())
    await office.drain(GROUP, ANA, BO)
    assert [text for text in wire.texts(GROUP) if text != "strip"] == ["started", "reveal", "game_over", "lobby"]
    assert wire.texts(ANA)[0] == "hand"


async def test_a_message_is_not_edited_to_show_the_same(room: Room, office: Office, wire: Wire) -> None:
    table, _, _ = await views(room)
    for notice in (table, table, later(table)):
        room.send(notice, slot="deal:1", mode=Mode.EDIT)
        await office.drain()
    assert [target for _, target in wire.sent] == [None, Target(1001)]
    room.send(StripNotice(message=1001), mode=Mode.TARGET)
    room.send(later(table), slot="deal:1", mode=Mode.EDIT)
    await office.drain()
    assert wire.sent[-1][1] == Target(1001), "its buttons had gone, so it is shown again"
