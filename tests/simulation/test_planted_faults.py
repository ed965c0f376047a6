"""Each check of an evening finds a fault of its kind that is planted in the bot."""

import logging
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, select

from perudo_core import Bid
from telegram_bot.delivery import outbox
from telegram_bot.delivery.limits import SendPace
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.service import readers
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.readers import TABLES_CHAT
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, Reader
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.model import Table
from test_support.simulation.evening import played
from test_support.simulation.world import Plan

QUIET = Plan(
    5, {"table": {"clock_seconds": 30, "lobby_idle_minutes": 3}}, people=("Ana", "Bo"), acts=40, pause=(0.5, 3.0)
)
"""An evening in which nothing goes wrong by itself."""
Patch = Callable[[pytest.MonkeyPatch], None]


def a_step_does_not_mark_the_chat(patch: pytest.MonkeyPatch) -> None:

    def forgetful(session: Session, marks: Any, now: float) -> None:
        readers.mark_due(session, {key: mark for key, mark in marks.items() if key[1] != TABLES_CHAT}, now)

    patch.setattr("telegram_bot.service.unit_of_work.mark_due", forgetful)


def a_bid_is_stored_as_another(patch: pytest.MonkeyPatch) -> None:
    commit_step = UnitOfWork.commit_step

    def other(uow: UnitOfWork, row: GameTable, before: Table | None, step: TableChange) -> None:
        actions = [
            replace(each, quantity=each.quantity + 1) if isinstance(each, Bid) else each for each in step.actions
        ]
        commit_step(uow, row, before, replace(step, actions=tuple(actions)))

    patch.setattr(UnitOfWork, "commit_step", other)


def a_bid_raises(patch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("planted")

    patch.setattr(MakeBid, "handle", broken)


def notices_are_not_sent(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(outbox, "take_next", lambda *_, **__: {})


def each_send_waits_two_seconds(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SendPace, "wait", lambda *_: 2.0)


def the_dice_count_as_unseen(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(outbox, "reveal_settled", lambda *_, **__: None)


def a_restart_asks_everyone_again(patch: pytest.MonkeyPatch) -> None:
    take_over = DeliveryWorker.take_over

    async def again(worker: DeliveryWorker) -> None:
        await take_over(worker)

        def mark(session: Session) -> None:
            for reader in session.exec(select(Reader)).all():
                reader.asked_again, reader.due_at = reader.asked_again + 1, 0.0

        await worker.database.run(mark)

    patch.setattr(DeliveryWorker, "take_over", again)


def the_log_has_dice(patch: pytest.MonkeyPatch) -> None:
    commit_step = UnitOfWork.commit_step

    def told(uow: UnitOfWork, row: GameTable, before: Table | None, step: TableChange) -> None:
        commit_step(uow, row, before, step)
        logging.getLogger("telegram_bot.planted").info("somebody holds 5️⃣ 5️⃣")

    patch.setattr(UnitOfWork, "commit_step", told)


@pytest.mark.parametrize(
    ("plant", "found"),
    [
        (a_step_does_not_mark_the_chat, "without a mark|should show|never shown"),
        (a_bid_is_stored_as_another, "is not legal|not where the actions lead"),
        (a_bid_raises, "ERROR: update .* failed"),
        (notices_are_not_sent, "waits|is due for|never shown"),
        (each_send_waits_two_seconds, "the player on turn was asked after"),
        (the_dice_count_as_unseen, "were never shown|waits"),
        (a_restart_asks_everyone_again, "a restart adds"),
        (the_log_has_dice, "a secret in the log"),
    ],
    ids=lambda each: each.__name__.replace("_", " ") if callable(each) else "",
)
def test_an_evening_finds(plant: Patch, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    house = played(QUIET, tmp_path)
    assert any(re.search(found, failure) for failure in house.failures), house.retold()


def test_an_evening_without_a_planted_fault_finds_none(tmp_path: Path) -> None:
    house = played(QUIET, tmp_path)
    assert house.failures == [], house.retold()
