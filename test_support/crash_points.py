"""Kill this bot process at a chosen point. Only `scripted_bot` uses it, inside the process that dies."""

import os
import signal
from collections.abc import Callable
from itertools import count
from typing import Any, Final

from sqlalchemy import event
from sqlmodel import Session

from telegram_bot.channels.telegram.webhook import WebhookReceiver
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.model import Table

IN_TRANSACTION: Final = "in the middle of a transaction"
COMMITTED: Final = "after the commit, before the answer"
SENT: Final = "with a message sent and not marked"
ACTED_ON: Final = "with an update acted on and not confirmed"
THOUGHT_FOUND: Final = "with a computer player's call found and not played"
POINTS: Final = (IN_TRANSACTION, COMMITTED, SENT, ACTED_ON)

_MOVED: Final = "a move was written"


def crash_at(point: str, times: int) -> None:
    """Make this process kill itself the `times`th time that it reaches the point."""
    passes = count(1)

    def pass_by() -> None:
        if next(passes) == times:
            os.kill(os.getpid(), signal.SIGKILL)

    if point == SENT:
        _after(DeliveryWorker, "_send", pass_by)
    elif point == THOUGHT_FOUND:
        _after(ComputerRequestWorker, "_think", pass_by)
    elif point == ACTED_ON:
        _after(WebhookReceiver, "_acted_on", pass_by)
    else:
        _around_commit(pass_by, committed=point == COMMITTED)


def _after(kind: type[Any], name: str, pass_by: Callable[[], None]) -> None:
    original = getattr(kind, name)

    async def then_pass_by(*arguments: Any) -> Any:
        result = await original(*arguments)
        pass_by()
        return result

    setattr(kind, name, then_pass_by)


def _around_commit(pass_by: Callable[[], None], *, committed: bool) -> None:
    """Call `pass_by` in transactions that hold a move: before the commit, or after it if `committed`."""
    commit_step = UnitOfWork.commit_step

    def commit_and_pass_by(uow: UnitOfWork, row: GameTable, before: Table | None, step: TableChange) -> None:
        commit_step(uow, row, before, step)
        if step.actions:
            uow.session.info[_MOVED] = True
            if not committed:
                pass_by()

    setattr(UnitOfWork, "commit_step", commit_and_pass_by)  # noqa: B010 - not for mypy

    @event.listens_for(Session, "after_commit")
    def on_commit(session: Session) -> None:
        if session.info.pop(_MOVED, False) and committed:
            pass_by()
