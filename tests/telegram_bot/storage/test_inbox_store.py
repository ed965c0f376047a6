"""What arrives is written down first, is one worker's at a time, and is acted on once."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from telegram_bot.service import intents as i
from telegram_bot.storage.inbox_store import CLAIM_SECONDS, LONGEST_EXCUSE_SECONDS, MOST_ATTEMPTS
from telegram_bot.storage.models import Inbox
from tests.telegram_bot.conftest import Room

AWAY = OperationalError("SELECT 1", {}, Exception("the server closed the connection"))


async def test_what_was_written_down_is_known_once_and_kept_until_it_is_done(room: Room) -> None:
    arrivals: list[tuple[str, dict[str, Any]]] = [("7", {"text": "a"}), ("8", {"text": "b"})]
    first = await room.service.arrivals.write_down("telegram", arrivals)
    assert [received.cause for received in first] == ["7", "8"]
    again = await room.service.arrivals.write_down("telegram", [*arrivals, ("9", {})])
    assert [received.cause for received in again] == ["9"]
    assert room.unfinished() == ["7", "8", "9"]
    assert room.all(Inbox)[0].payload == {"text": "a"}
    await room.service.handle(room.intent("Ana", i.OpenLobby(), cause="7"))
    await room.service.arrivals.ignored(first[1])
    assert room.unfinished() == ["9"]


async def test_a_crash_between_writing_down_and_acting_loses_nothing_and_repeats_nothing(room: Room) -> None:
    await room.service.arrivals.write_down("telegram", [("a", {}), ("b", {})])
    await room.service.handle(room.intent("Ana", i.OpenLobby(), cause="a"))
    reborn = Room(room.database)
    left = await reborn.service.arrivals.take_over(["telegram"], all_of_them=True)
    assert [received.cause for received in left] == ["b"]
    repeated = await reborn.service.handle(reborn.intent("Ana", i.OpenLobby(), cause="a"))
    assert repeated.repeated
    await reborn.service.handle(reborn.intent("Bo", i.Join(), cause="b"))
    assert reborn.unfinished() == []
    assert [seat.name for seat in reborn.table().seats] == ["Ana", "Bo"]


async def test_another_worker_takes_over_what_is_claimed_by_nobody_any_more(room: Room) -> None:
    await room.service.arrivals.write_down("telegram", [("a", {}), ("b", {})])
    other = Room(room.database).service.arrivals
    other.now = lambda: room.now
    assert await other.take_over(["telegram"]) == [], "its worker may be at it"
    room.now += CLAIM_SECONDS
    assert await other.take_over(["sms"]) == [], "another channel's"
    taken = await other.take_over(["telegram"])
    assert [received.cause for received in taken] == ["a", "b"]
    assert await room.service.arrivals.take_over(["telegram"]) == [], "now they are the other's"
    room.now += CLAIM_SECONDS - 1
    await other.hold([taken[0].id])
    room.now += 1
    assert [received.cause for received in await room.service.arrivals.take_over(["telegram"])] == ["b"]
    await other.hold([taken[0].id], 0)
    assert [received.cause for received in await room.service.arrivals.take_over(["telegram"])] == ["a"]


async def test_what_is_brought_again_is_taken_over_at_once_unless_it_is_done(room: Room) -> None:
    arrivals = room.service.arrivals
    first = await arrivals.accept("telegram", "7", {"text": "a"})
    assert first is not None
    assert await arrivals.accept("telegram", "7", {"text": "a"}) == first, "whoever brings it again had no answer"
    await arrivals.ignored(first)
    assert await arrivals.accept("telegram", "7", {"text": "a"}) is None


async def test_what_fails_three_times_is_set_aside_for_the_operator(room: Room) -> None:
    (received,) = await room.service.arrivals.write_down("telegram", [("x", {"text": "poison"})])
    verdicts = [await room.service.arrivals.failed(received, KeyError("dice")) for _ in range(MOST_ATTEMPTS)]
    assert [(verdict.set_aside, verdict.again_after) for verdict in verdicts] == [(False, 1), (False, 2), (True, 0)]
    assert room.unfinished() == []
    (row,) = room.all(Inbox)
    assert (row.error, row.attempts, row.payload) == ("KeyError", 3, {"text": "poison"})
    assert await room.service.arrivals.accept("telegram", "x", {"text": "poison"}) is None, "it stands in nobody's way"


async def test_the_databases_troubles_are_not_the_updates_fault(room: Room) -> None:
    (received,) = await room.service.arrivals.write_down("telegram", [("x", {})])
    for _ in range(3 * MOST_ATTEMPTS):
        assert not (await room.service.arrivals.failed(received, AWAY)).set_aside
    assert room.all(Inbox)[0].attempts == 0
    room.now += LONGEST_EXCUSE_SECONDS
    verdicts = [await room.service.arrivals.failed(received, AWAY) for _ in range(MOST_ATTEMPTS)]
    assert verdicts[-1].set_aside, "but not for ever"


async def test_a_failure_that_somebody_else_made_good_does_not_count(room: Room) -> None:
    (received,) = await room.service.arrivals.write_down("telegram", [("x", {})])
    await room.service.arrivals.ignored(received)
    assert not (await room.service.arrivals.failed(received, KeyError())).set_aside
    assert room.all(Inbox)[0].attempts == 0


@pytest.mark.parametrize("seconds", [0.0, 30.0])
async def test_a_note_can_be_claimed_by_one_at_a_time(room: Room, seconds: float) -> None:
    assert await room.service.notes.claim("chores", 30)
    room.now += seconds
    assert await room.service.notes.claim("chores", 30) == (seconds == 30.0)
