"""Lanes of messages: in order, side by side, through every kind of trouble."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from sqlmodel import select

from telegram_bot.delivery.sender import (
    ChatMovedError,
    InvalidError,
    NotSentError,
    RefusedError,
    SlowDownError,
    Target,
    TargetGoneError,
    UnknownFateError,
)
from telegram_bot.service.notices import Mode, StripNotice, TableNotice
from telegram_bot.storage.models import Chat, Lane, Outbox, Sending, SentMessage
from tests.telegram_bot.conftest import Room
from tests.telegram_bot.delivery.conftest import ANA, BO, GROUP, Office, Wire, hello, later, running, until, views, word

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
