"""The parts that features add to notices of the base game. The step computes them once and stores them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from telegram_bot.notices import FeatureNotice, StartedNotice
from telegram_bot.registry import Registry
from telegram_bot.service.hooks import call_hook
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.events import PlainEvent
from telegram_bot.tables.model import Table

ADDED_PARTS: Final = Registry[type, Sequence[Callable[[UnitOfWork, GameTable, Table], FeatureNotice | None]]](
    "the parts that features add"
)
"""By the type of a notice of the base game."""


def parts_of(notice: type, uow: UnitOfWork, row: GameTable, table: Table) -> list[dict[str, Any]]:
    """Return the parts that features add to a notice to a shared chat, as they are stored; each fact in one of them."""
    finders = ADDED_PARTS.get(notice, ())
    found = [call_hook(uow, find.__module__, table.id, partial(find, uow, row, table), None) for find in finders]
    parts = [part for part in found if part is not None]
    told = frozenset[tuple[str, str]]().union(*(part.tells for part in parts))
    return [part.without(told).model_dump(mode="json") for part in parts]


def record_start(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Store the parts of the message of a game's start: a subscriber before all that announce it."""
    row, table = committed.row, committed.step.table
    if PlainEvent.GAME_STARTED in committed.step.events:
        row.started_parts = parts_of(StartedNotice, uow, row, table) or None
