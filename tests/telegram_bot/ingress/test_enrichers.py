"""Facts for a step are looked up before its transaction: within a time limit, and once for each update."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from pydantic import JsonValue
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from telegram_bot.channels.telegram.enrichers import ChatAdmin
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.ingress.enrichers import Enricher, Enrichment
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents import intents as i
from telegram_bot.observability import metrics
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.lobby_requests import Join
from telegram_bot.storage.models import GameTable, InboxEntry
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from telegram_sandbox.faults import Fault
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.ingress.conftest import PEOPLE, an_inbox, arrive, names, poison, until, written

FAMILY = {"id": -2002, "type": "supergroup", "title": "Family"}


def questions(sandbox: RunningSandbox, person: str) -> int:
    calls = sandbox.world.calls.named("getChatMember")
    return sum(str(call.params["user_id"]) == str(PEOPLE[person]) for call in calls)


def answers_to_look_ups(name: str, result: str) -> float:
    return metrics.REGISTRY.get_sample_value("perudo_look_ups_total", {"enricher": name, "result": result}) or 0


@dataclass
class LateName:
    """An example enricher: waits for a surname, under which the person then plays."""

    name: str = "surname"
    intent_type: Any = Join | Stop
    seconds: float = 60
    found: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[str] = field(default_factory=list)
    cancelled: int = 0

    async def look_up(self, intent: i.Intent) -> JsonValue:
        self.asked.append(intent.who.name)
        try:
            await self.found.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return "the Great"

    def add_fact(self, intent: i.Intent, fact: JsonValue) -> i.Intent:
        surname = fact if isinstance(fact, str) else "the Unknown"
        return replace(intent, who=replace(intent.who, name=f"{intent.who.name} {surname}"))


def register(inbox: InboxWorker, enricher: Enricher) -> None:
    source = inbox.sources["telegram"]
    assert isinstance(source, TelegramSource)
    source.enrichment = Enrichment(source.service.inbox_store, (*source.enrichment.enrichers, enricher))


async def lobby(harness: GroupHarness, inbox: InboxWorker) -> None:
    await arrive(inbox, written(1, "Ana", "/perudo"))
    await inbox.idle()
    assert names(harness) == ["Ana"]


async def test_a_slow_look_up_holds_up_only_its_own_chat(harness: GroupHarness, inbox: InboxWorker) -> None:
    slow = LateName(intent_type=Stop)
    register(inbox, slow)
    await lobby(harness, inbox)
    await arrive(inbox, written(2, "Bo", "/stop"), written(3, "Cy", "/join"))
    await arrive(inbox, written(4, "Ana", "/perudo", FAMILY), written(5, "Bo", "/join", FAMILY))
    await until(lambda: len(harness.rows(GameTable)) == 2 and len(harness.table(2).seats) == 2)
    assert names(harness) == ["Ana"], "the group's next update waits"
    slow.found.set()
    await inbox.idle()
    assert names(harness) == ["Ana", "Cy"]


async def test_a_look_up_that_takes_too_long_is_told_as_unknown(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChatAdmin, "seconds", 0.2)
    before = answers_to_look_ups("chat_admin", "timeout")
    async with running_sandbox(SandboxSettings(port=0)) as sandbox, an_inbox(harness, sandbox) as inbox:
        await lobby(harness, inbox)
        sandbox.world.faults.add(Fault("stall_before", "getChatMember", seconds=60), times=None)
        await arrive(inbox, written(2, "Bo", "/stop"))
        await inbox.idle()
        assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.CANNOT_TELL]
        assert harness.table().status is Status.LOBBY
        await arrive(inbox, written(3, "Ana", "/stop"))
        await inbox.idle()
        assert harness.table().status is Status.CLOSED, "the host needs no admin's rights"
        assert answers_to_look_ups("chat_admin", "timeout") == before + 2


async def test_a_failed_step_is_tried_again_without_asking_again_by_another_worker_too(harness: GroupHarness) -> None:
    async with running_sandbox(SandboxSettings(port=0)) as sandbox:
        async with an_inbox(harness, sandbox) as inbox:
            await lobby(harness, inbox)
            poison(harness)
            await arrive(inbox, written(2, "Bo", "/stop"))
            await until(lambda: harness.rows(InboxEntry)[-1].attempts == 2)
            assert harness.rows(InboxEntry)[-1].facts == {"chat_admin": False}
            await inbox.stop(0)
        assert questions(sandbox, "Bo") == 1
        with harness.database.transaction() as session:
            session.execute(text("DROP INDEX poison"))
        async with an_inbox(harness, sandbox) as other:
            await other.take_over()
        assert questions(sandbox, "Bo") == 1
        assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.NOT_ALLOWED]
        assert harness.rows(InboxEntry)[-1].facts is None, "nothing is kept of an update that was acted on"


async def test_a_worker_that_stops_cancels_a_look_up_and_the_next_asks(
    harness: GroupHarness, inbox: InboxWorker
) -> None:
    slow = LateName()
    register(inbox, slow)
    await lobby(harness, inbox)
    await arrive(inbox, written(2, "Bo", "/join"))
    await until(lambda: slow.asked == ["Bo"])
    await inbox.stop(0.1)
    assert (slow.cancelled, names(harness)) == (1, ["Ana"])
    (row,) = [row for row in harness.rows(InboxEntry) if row.done_at is None]
    assert (row.facts, row.attempts) == (None, 0)
    slow.found.set()
    await inbox.take_over()
    await inbox.idle()
    assert slow.asked == ["Bo", "Bo"]
    assert names(harness) == ["Ana", "Bo the Great"]


async def test_an_enricher_that_breaks_leaves_its_fact_unknown_and_stops_nobody(
    harness: GroupHarness, inbox: InboxWorker, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(LateName):
        async def look_up(self, intent: i.Intent) -> JsonValue:
            raise TimeoutError(intent.cause)

    register(inbox, Broken())
    await lobby(harness, inbox)
    await arrive(inbox, written(2, "Bo", "/join"))
    await inbox.idle()
    assert names(harness) == ["Ana", "Bo the Unknown"]
    assert "the look-up surname failed" in caplog.text
    assert answers_to_look_ups("surname", "failed") >= 1


async def test_a_look_up_that_finds_the_database_busy_is_repeated_with_its_update(
    harness: GroupHarness, inbox: InboxWorker, caplog: pytest.LogCaptureFixture
) -> None:
    busy = [OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))]

    class Waiting(LateName):
        async def look_up(self, intent: i.Intent) -> JsonValue:
            if busy:
                raise busy.pop()
            self.found.set()
            return await super().look_up(intent)

    register(inbox, Waiting())
    await lobby(harness, inbox)
    await arrive(inbox, written(2, "Bo", "/join"))
    await inbox.idle()
    assert names(harness) == ["Ana", "Bo the Great"]
    assert [record.levelname for record in caplog.records if "locked" in record.getMessage()] == ["WARNING"]


async def test_of_two_workers_with_one_update_the_first_outcome_counts(harness: GroupHarness) -> None:
    store = harness.service.inbox_store
    received = await store.store("telegram", "1", written(1, "Bo", "/stop"))
    assert received is not None
    assert await store.add_facts(received, {"chat_admin": True}) == {"chat_admin": True}
    assert await store.add_facts(received, {"chat_admin": None, "x": 2}) == {"chat_admin": True, "x": 2}
    assert await store.facts_of(received) == {"chat_admin": True, "x": 2}
    await store.close_ignored(received)
    assert await store.add_facts(received, {"chat_admin": False}) == {"chat_admin": False}
    assert harness.rows(InboxEntry)[0].facts is None, "an update that is done keeps nothing"


async def test_a_worker_that_another_one_overtook_still_has_all_facts(harness: GroupHarness) -> None:
    """The step then finds that the update was handled already, and changes nothing."""
    store = harness.service.inbox_store
    (received,) = await store.store_all("telegram", [("1", written(1, "Bo", "/join"))])

    class Overtaken(LateName):
        async def look_up(self, intent: i.Intent) -> JsonValue:
            await store.close_ignored(received)
            return intent.who.name

    await store.add_facts(received, {"surname": "the Great"})
    overtaken = Enrichment(store, (LateName(), Overtaken(name="again")))
    intent = await overtaken.enrich(received, harness.intent("Bo", Join()))
    assert intent.who.name == "Bo the Great Bo"


def test_two_enrichers_of_one_name_are_refused(harness: GroupHarness) -> None:
    with pytest.raises(ValueError, match="same name"):
        Enrichment(harness.service.inbox_store, (LateName(), LateName()))
