"""Stored updates are handled once and in order; their facts are looked up before, within a time limit."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from pydantic import JsonValue
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from telegram_bot.app import service_config
from telegram_bot.channels.telegram import updates
from telegram_bot.channels.telegram.enrichers import ChatAdmin
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.ingress.deadlines import DeadlineWorker
from telegram_bot.ingress.enrichers import Enricher, Enrichment
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents import intents as i
from telegram_bot.notices import Toast
from telegram_bot.observability import metrics
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.quotas import QuotaGate
from telegram_bot.settings import Settings
from telegram_bot.storage import computing_limit, inbox_store
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, InboxEntry, LaneName
from telegram_bot.storage.models import InboxEntry as Arrivals
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from telegram_sandbox import RunningSandbox, SandboxSettings, running_sandbox
from telegram_sandbox.faults import Fault
from tests.telegram_bot.conftest import AUTO_CLOCK, BOTH_DATABASES, GroupHarness
from tests.telegram_bot.delivery.conftest import until
from tests.telegram_bot.ingress.conftest import PEOPLE, an_inbox, arrive, names, poison, written

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


async def test_a_look_up_that_takes_too_long_is_unknown(harness: GroupHarness, monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_a_worker_that_stops_cancels_a_look_up_another_asks(harness: GroupHarness, inbox: InboxWorker) -> None:
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


@pytest.mark.parametrize(
    ("error", "name", "told"),
    [
        (TimeoutError(), "Bo the Unknown", ("ERROR", "look-up surname failed")),
        (OperationalError("BEGIN", {}, Exception("database is locked")), "Bo the Great", ("WARNING", "locked")),
    ],
    ids=["breaks", "busy"],
)
async def test_a_look_up_that_breaks_leaves_its_fact_unknown_and_one_that_finds_the_database_busy_is_repeated(
    harness: GroupHarness,
    inbox: InboxWorker,
    caplog: pytest.LogCaptureFixture,
    *,
    error: Exception,
    name: str,
    told: tuple[str, str],
) -> None:
    errors = [error]

    class FailsOnce(LateName):
        async def look_up(self, intent: i.Intent) -> JsonValue:
            if errors:
                raise errors.pop()
            return await super().look_up(intent)

    late, failed = FailsOnce(), answers_to_look_ups("surname", "failed")
    late.found.set()
    register(inbox, late)
    await lobby(harness, inbox)
    await arrive(inbox, written(2, "Bo", "/join"))
    await inbox.idle()
    assert names(harness) == ["Ana", name]
    assert [each.levelname for each in caplog.records if told[1] in each.getMessage()] == [told[0]]
    assert answers_to_look_ups("surname", "failed") == failed + isinstance(error, TimeoutError)


async def test_of_two_workers_the_first_outcome_counts_and_both_have_all_facts(harness: GroupHarness) -> None:
    """The step then finds that the update was handled already, and changes nothing."""
    store = harness.service.inbox_store
    (received,) = await store.store_all("telegram", [("1", written(1, "Bo", "/join"))])

    class Overtaken(LateName):
        async def look_up(self, intent: i.Intent) -> JsonValue:
            await store.close_ignored(received)
            return intent.who.name

    assert await store.add_facts(received, {"surname": "the Great"}) == {"surname": "the Great"}
    both = {"surname": "the Great", "x": 2}
    assert await store.add_facts(received, {"surname": None, "x": 2}) == await store.facts_of(received) == both
    overtaken = Enrichment(store, (LateName(), Overtaken(name="again")))
    intent = await overtaken.enrich(received, harness.intent("Bo", Join()))
    assert intent.who.name == "Bo the Great Bo"
    assert await store.add_facts(received, {"surname": "the Late"}) == {"surname": "the Late"}
    assert harness.rows(InboxEntry)[0].facts is None, "an update that is done keeps nothing"


def test_two_enrichers_of_one_name_are_refused(harness: GroupHarness) -> None:
    with pytest.raises(ValueError, match="same name"):
        Enrichment(harness.service.inbox_store, (LateName(), LateName()))


@BOTH_DATABASES
async def test_updates_of_a_chat_are_acted_on_in_order_and_once(harness: GroupHarness, inbox: InboxWorker) -> None:
    batch = [written(1, "Ana", "/perudo"), written(2, "Bo", "/join"), written(3, "Cy", "/join")]
    await arrive(inbox, *batch)
    await inbox.idle()
    assert names(harness) == ["Ana", "Bo", "Cy"]
    await arrive(inbox, *batch, written(4, "Bo", "/leave"))
    await inbox.idle()
    assert names(harness) == ["Ana", "Cy"]
    assert [(row.cause, row.payload, row.done_at is not None) for row in harness.rows(Arrivals)] == [
        (str(number), None, True) for number in (1, 2, 3, 4)
    ]


async def test_an_update_that_asks_for_nothing_or_cannot_be_read_is_done_with_at_once(
    harness: GroupHarness, inbox: InboxWorker, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(update: Any, *others: Any) -> Any:
        if update.message is not None and update.message.text == "a secret word":
            raise KeyError("a secret word")
        return read(update, *others)

    read = updates.parse_update
    monkeypatch.setattr(updates, "parse_update", fails)
    unreadable: list[dict[str, Any]] = [
        written(8, "Ana", "a secret word"),
        {"message": {"message_id": "x"}},
        {"message": {"message_id": 1, "date": 1, "chat": "group"}},
        {"message": "hello"},
        {"callback_query": {"id": "1", "from": {"id": "Ana", "first_name": "Ana"}, "data": "x"}},
    ]
    numbered = [each | {"update_id": number} for number, each in enumerate(unreadable, 8)]
    await arrive(inbox, written(5, "Ana", "hello"), {"update_id": 7, "something_new": {}}, *numbered)
    await inbox.idle()
    assert [record.exc_info for record in caplog.records if "is set aside" in record.message] == [None] * 5
    assert "update 8 is set aside: KeyError" in caplog.text
    assert "failed" not in caplog.text
    assert "a secret word" not in caplog.text
    assert len([row for row in harness.rows(Arrivals) if row.error and row.payload]) == 5, "the operator may look"
    assert harness.unfinished() == []
    assert harness.rows(GameTable) == []


@BOTH_DATABASES
@pytest.mark.parametrize("in_threads", [True])
async def test_an_update_that_computes_for_ever_is_set_aside_and_the_next_ones_go_on(
    harness: GroupHarness, inbox: InboxWorker, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def join(join: Join, context: TableContext) -> Toast | None:
        while context.player.name == "Bo":
            pass
        return handle(join, context)

    handle = Join.handle
    monkeypatch.setattr(Join, "handle", join)
    monkeypatch.setattr(inbox_store, "FIRST_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(computing_limit, "LOOK_SECONDS", 0.01)
    # The first of their kind compute most.
    await arrive(inbox, written(1, "Ana", "/perudo"), written(2, "Cy", "/join"), written(3, "Cy", "/leave"))
    await inbox.idle()
    harness.database.computing_seconds = 0.3
    await arrive(inbox, written(4, "Bo", "/join"), written(5, "Cy", "/join"))
    async with asyncio.timeout(60):
        await inbox.idle()
    assert names(harness) == ["Ana", "Cy"]
    assert "update 4 is set aside: ComputesTooLongError" in caplog.text


@BOTH_DATABASES
async def test_a_spoilt_table_keeps_no_other_from_its_end(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333")
    other = i.Place("telegram", -2002, 0, "Family")
    for name in ("Ana", "Bo"):
        await harness.say(name, OpenLobby() if name == "Ana" else Join(), where=other)
    await harness.tap("Ana", Start(), table=2, where=other)
    harness.mark_all_sent()  # a clock waits until its player has been told
    harness.update_row(GameTable, 1, state={"spoilt": True}, due_at=1.0)
    harness.pass_time(60)
    woken = set[LaneName]()
    worker = DeadlineWorker(harness.service, woken.update, (), lambda _thought: None, lambda _review: None)
    sweep = asyncio.create_task(worker.run())
    try:
        await until(lambda: harness.table(2).step == 1 and LaneName("telegram", -2002) in woken)
        assert "a deadline of table 1 failed" in caplog.text
    finally:
        sweep.cancel()
        await asyncio.gather(sweep, return_exceptions=True)


async def test_a_flood_costs_no_more_rows_and_no_more_questions_once_it_was_answered(harness: GroupHarness) -> None:
    harness.service.quota_gate = QuotaGate(service_config(Settings()).quotas, lambda: harness.now)
    async with running_sandbox(SandboxSettings(port=0)) as sandbox, an_inbox(harness, sandbox) as inbox:
        await arrive(inbox, *(written(number, "Ana", "/perudo") for number in range(1, 50)))
        await inbox.idle()
        asked = len(sandbox.world.calls.named("getChatMember"))
        assert asked < 12, "who is not heard is not looked up"
        rows = len(harness.rows(Arrivals))
        await arrive(inbox, *(written(number, "Ana", "/perudo") for number in range(50, 100)))
        assert await inbox.take("telegram", "100", written(100, "Ana", "/perudo")) is None
        await inbox.idle()
        assert len(harness.rows(Arrivals)) == rows, "not even written down"
        assert len(sandbox.world.calls.named("getChatMember")) == asked
        await arrive(inbox, written(101, "Bo", "/join"))
        await inbox.idle()
        assert names(harness) == ["Ana", "Bo"]
        assert harness.unfinished() == []
    assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.TOO_FAST]
