"""Each arrival is stored first and is handled once."""

from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby
from telegram_bot.storage.inbox_store import MAX_ATTEMPTS, TRANSIENT_RETRY_SECONDS
from telegram_bot.storage.models import InboxEntry
from tests.telegram_bot.conftest import GroupHarness

AWAY = OperationalError("SELECT 1", {}, Exception("the server closed the connection"))


async def test_what_was_written_down_is_known_once_and_kept_until_it_is_done(harness: GroupHarness) -> None:
    arrivals: list[tuple[str, dict[str, Any]]] = [("7", {"text": "a"}), ("8", {"text": "b"})]
    first = await harness.service.inbox_store.store_all("telegram", arrivals)
    assert [received.cause for received in first] == ["7", "8"]
    again = await harness.service.inbox_store.store_all("telegram", [*arrivals, ("9", {})])
    assert [received.cause for received in again] == ["9"]
    assert harness.unfinished() == ["7", "8", "9"]
    assert harness.rows(InboxEntry)[0].payload == {"text": "a"}
    await harness.service.handle(harness.intent("Ana", OpenLobby(), cause="7"))
    await harness.service.inbox_store.close_ignored(first[1])
    assert harness.unfinished() == ["9"]


async def test_a_crash_between_writing_down_and_acting_loses_nothing_and_repeats_nothing(harness: GroupHarness) -> None:
    await harness.service.inbox_store.store_all("telegram", [("a", {}), ("b", {})])
    await harness.service.handle(harness.intent("Ana", OpenLobby(), cause="a"))
    reborn = GroupHarness(harness.database)
    left = await reborn.service.inbox_store.left_open(["telegram"])
    assert [received.cause for received in left] == ["b"]
    repeated = await reborn.service.handle(reborn.intent("Ana", OpenLobby(), cause="a"))
    assert repeated.repeated
    await reborn.service.handle(reborn.intent("Bo", Join(), cause="b"))
    assert reborn.unfinished() == []
    assert [seat.name for seat in reborn.table().seats] == ["Ana", "Bo"]


async def test_what_is_brought_again_is_taken_over_at_once_unless_it_is_done(harness: GroupHarness) -> None:
    arrivals = harness.service.inbox_store
    first = await arrivals.store("telegram", "7", {"text": "a"})
    assert first is not None
    assert await arrivals.store("telegram", "7", {"text": "a"}) == first, "whoever brings it again had no answer"
    await arrivals.close_ignored(first)
    assert await arrivals.store("telegram", "7", {"text": "a"}) is None


async def test_what_fails_three_times_is_set_aside_for_the_operator(harness: GroupHarness) -> None:
    (received,) = await harness.service.inbox_store.store_all("telegram", [("x", {"text": "poison"})])
    verdicts = [
        await harness.service.inbox_store.record_failure(received, KeyError("dice")) for _ in range(MAX_ATTEMPTS)
    ]
    assert [(verdict.set_aside, verdict.again_after) for verdict in verdicts] == [(False, 1), (False, 2), (True, 0)]
    assert harness.unfinished() == []
    (row,) = harness.rows(InboxEntry)
    assert (row.error, row.attempts, row.payload) == ("KeyError", 3, {"text": "poison"})
    assert await harness.service.inbox_store.store("telegram", "x", {"text": "poison"}) is None, (
        "it stands in no one's way"
    )


async def test_the_databases_troubles_are_not_the_updates_fault(harness: GroupHarness) -> None:
    (received,) = await harness.service.inbox_store.store_all("telegram", [("x", {})])
    for _ in range(3 * MAX_ATTEMPTS):
        assert not (await harness.service.inbox_store.record_failure(received, AWAY)).set_aside
    assert harness.rows(InboxEntry)[0].attempts == 0
    harness.now += TRANSIENT_RETRY_SECONDS
    verdicts = [await harness.service.inbox_store.record_failure(received, AWAY) for _ in range(MAX_ATTEMPTS)]
    assert verdicts[-1].set_aside, "but not for ever"


async def test_a_failure_that_somebody_else_made_good_does_not_count(harness: GroupHarness) -> None:
    (received,) = await harness.service.inbox_store.store_all("telegram", [("x", {})])
    await harness.service.inbox_store.close_ignored(received)
    assert not (await harness.service.inbox_store.record_failure(received, KeyError())).set_aside
    assert harness.rows(InboxEntry)[0].attempts == 0


@pytest.mark.parametrize("seconds", [0.0, 30.0])
async def test_a_note_can_be_claimed_by_one_at_a_time(harness: GroupHarness, seconds: float) -> None:
    assert await harness.service.key_values.claim("chores", 30)
    harness.now += seconds
    assert await harness.service.key_values.claim("chores", 30) == (seconds == 30.0)
