"""A feature that fails holds up no game: the step is made without it, and it is tried again after a minute."""

from typing import Any

import pytest

from telegram_bot.intents.intents import Place
from telegram_bot.observability.metrics import REGISTRY
from telegram_bot.registry import Registry
from telegram_bot.service import parts
from telegram_bot.service.announcing import announcer, private_notices
from telegram_bot.service.handlers import clock, lobby_requests
from telegram_bot.service.handlers.lobby_requests import OpenLobby, Start
from telegram_bot.service.hooks import REST_SECONDS
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import GroupHarness

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
async def test_a_game_begins_and_ends_although_a_function_of_a_feature_fails(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    registered(module, name, monkeypatch)
    await harness.lobby("Ana", "Bo")
    await harness.say("Ana", Start())
    assert harness.table().status is Status.PLAYING


async def test_a_part_that_fails_is_absent_from_the_message(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kind, *_), finders = parts.ADDED_PARTS, [fails]
    usual: dict[Any, Any] = dict(parts.ADDED_PARTS)
    broken: Registry[Any, Any] = Registry("parts", usual | {kind: finders})
    broken.fill([])
    monkeypatch.setattr(parts, "ADDED_PARTS", broken)
    await harness.game("2", "33", calls="4x2 dudo")
    assert harness.table().status is Status.FINISHED


async def test_a_timer_that_fails_keeps_no_turn_from_its_end(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered(clock, "TIMERS", monkeypatch)
    await harness.game("22", "33")
    began = harness.table().step
    harness.store(harness.table().with_timer("broken", harness.now))
    await harness.run_deadlines(600)
    assert CALLS
    assert harness.table().step > began
