"""One transaction: its subscribers, and features that fail in it, which hold up no game."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from telegram_bot.intents import intents as i
from telegram_bot.intents.intents import Place
from telegram_bot.observability.metrics import REGISTRY
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.registry import Registry
from telegram_bot.service import parts
from telegram_bot.service.announcing import announcer, private_notices
from telegram_bot.service.handlers import clock, lobby_requests
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.game_requests import CallDudo
from telegram_bot.service.handlers.lobby_requests import OpenLobby, Start
from telegram_bot.service.hooks import REST_SECONDS
from telegram_bot.service.subscribers import SHARDS, SUBSCRIBERS
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import GameAction, GameTable, GameTally, OutboxEntry
from telegram_bot.storage.status_queries import query_status
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import AUTO_CLOCK, GroupHarness


def counted(harness: GroupHarness) -> tuple[int, int, int]:
    with harness.database.transaction() as session:
        found = query_status(session, harness.now)
    return found.games_started, found.games_finished, found.rounds_played


@dataclass
class Recorder:
    steps: list[CommittedStep] = field(default_factory=list)
    fails: bool = False

    def __call__(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        assert uow.session.in_transaction()
        self.steps.append(committed)
        if self.fails:
            raise LookupError


async def test_games_and_rounds_stay_counted_when_their_tables_are_gone(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, clock=AUTO_CLOCK)
    await harness.lobby("Ana", "Bo", "Cy")
    assert counted(harness) == (0, 0, 0)
    await harness.tap("Ana", Start())
    await harness.set_dice("22222", "33333", "44444")
    await harness.call("9x2")
    assert counted(harness) == (1, 0, 0), "a bid is no round"
    await harness.run_deadlines(61)
    assert counted(harness) == (1, 0, 1), "the house doubts nine twos"
    await harness.tap("Cy", Leave(confirmed=True))
    assert counted(harness) == (1, 0, 1), "a round that is void does not count"
    await harness.set_dice("22", "3", "")
    await harness.call("1x2")
    await harness.call("dudo")
    assert harness.table().status is Status.FINISHED
    harness.mark_all_sent()
    for number in range(SHARDS + 1):
        harness.group = i.Place("telegram", -3000 - number, 0, "Group")
        await harness.lobby("Ana", "Bo")
        await harness.tap("Ana", Start(), table=number + 2)
    assert counted(harness) == (SHARDS + 2, 1, 2)
    assert sorted(row.games_started for row in harness.rows(GameTally)) == [1] * (SHARDS - 2) + [2, 2]
    harness.now += 40 * DAY_SECONDS
    await Pruning(harness.database, lambda: harness.now, keep_games_days=30).run()
    assert 1 not in [row.id for row in harness.rows(GameTable)]
    assert counted(harness) == (SHARDS + 2, 1, 2)


async def test_what_is_rolled_back_counts_nothing(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", calls="9x2")
    before = (harness.rows(GameTable), harness.rows(GameAction), len(harness.rows(OutboxEntry)))
    failing = Recorder(fails=True)
    harness.service.subscribers = (*SUBSCRIBERS, failing)
    with pytest.raises(LookupError):
        await harness.tap("Bo", CallDudo(), cause="once")
    assert [committed.step.table.step for committed in failing.steps] == [2], "it was told, and then all was undone"
    assert (harness.rows(GameTable), harness.rows(GameAction), len(harness.rows(OutboxEntry))) == before
    assert counted(harness) == (1, 0, 0)
    failing.fails = False
    assert not (await harness.tap("Bo", CallDudo(), cause="once")).repeated
    assert counted(harness) == (1, 0, 1)


CALLS: list[str] = []


def fails(*_: Any) -> Any:
    CALLS.append("called")
    raise ZeroDivisionError("6 6 6")


def registered(module: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a function that fails next to those of the installed features."""
    CALLS.clear()
    usual: Registry[Any, Any] = getattr(module, name)
    broken: Registry[Any, Any] = Registry(usual.name, {**usual, "broken": fails})
    broken.fill([])
    monkeypatch.setattr(module, name, broken)


async def test_a_step_is_made_without_the_announcement_that_fails_and_asks_for_it_again_after_a_minute(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await harness.game("22", "33")
    registered(announcer, "ANNOUNCED_BY_FEATURES", monkeypatch)
    before = REGISTRY.get_sample_value("perudo_failed_hooks_total", {"hook": "broken"}) or 0
    for bid in ("1x2", "1x3"):
        await harness.call(bid)
    assert len(harness.table().begun_game.bids) == 2
    assert len(CALLS) == 1
    assert REGISTRY.get_sample_value("perudo_failed_hooks_total", {"hook": "broken"}) == before + 1
    assert "broken failed" in caplog.text
    assert "6 6 6" not in caplog.text, "the error's words may quote dice"
    await harness.say("Cy", OpenLobby(), where=Place("telegram", -1002, 0, "Others"))
    assert len(CALLS) == 2, "it is asked at other tables"
    harness.pass_time(REST_SECONDS + 1)
    await harness.call("1x4")
    assert len(harness.table().begun_game.bids) == 3
    assert len(CALLS) == 3


@pytest.mark.parametrize(("module", "name"), [(private_notices, "PRIVATE_NOTICES"), (lobby_requests, "BEFORE_START")])
async def test_a_game_begins_though_a_feature_fails(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    registered(module, name, monkeypatch)
    await harness.lobby("Ana", "Bo")
    await harness.say("Ana", Start())
    assert harness.table().status is Status.PLAYING


async def test_a_part_that_fails_is_not_in_the_message(harness: GroupHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    (kind, *_), finders = parts.ADDED_PARTS, [fails]
    usual: dict[Any, Any] = dict(parts.ADDED_PARTS)
    broken: Registry[Any, Any] = Registry("parts", usual | {kind: finders})
    broken.fill([])
    monkeypatch.setattr(parts, "ADDED_PARTS", broken)
    await harness.game("2", "33", calls="4x2 dudo")
    assert harness.table().status is Status.FINISHED


async def test_a_timer_that_fails_keeps_no_turn_up(harness: GroupHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    registered(clock, "TIMERS", monkeypatch)
    await harness.game("22", "33")
    began = harness.table().step
    harness.store(harness.table().with_timer("broken", harness.now))
    await harness.run_deadlines(600)
    assert CALLS
    assert harness.table().step > began
