"""Call the functions of features: one that fails holds up no game, because the step is made without it."""

import logging
from collections.abc import Callable
from traceback import extract_tb
from typing import Final, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from telegram_bot.observability import metrics
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.tables.events import RejectedError

log = logging.getLogger(__name__)
T = TypeVar("T")
U = TypeVar("U")

REST_SECONDS: Final = 60.0
"""How long a process leaves a function out that has failed."""


class HookFailedError(Exception):
    """A function of a feature has failed: what the transaction wrote is undone, and it begins again without it."""


def call_hook(uow: UnitOfWork, name: str, table: int | None, hook: Callable[[], T], otherwise: U) -> T | U:
    """Return the result of a feature's function, or `otherwise` for a while after it has failed for the same table.

    Raises:
        HookFailedError: it fails now.
    """
    if uow.now < uow.failed_hooks.get((name, table), 0) <= uow.now + REST_SECONDS:
        return otherwise
    try:
        return hook()
    except (RejectedError, SQLAlchemyError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a feature, it may not hold up a game
        for other, until in list(uow.failed_hooks.items()):
            if until <= uow.now:
                del uow.failed_hooks[other]
        uow.failed_hooks[name, table] = uow.now + REST_SECONDS
        metrics.FAILED_HOOKS.labels(name).inc()
        # The place only, without a traceback: the error's words may quote dice.
        place = extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__} in {place.filename}:{place.lineno}"
        log.error("%s failed, and is left out at table %s for %s s: %s", name, table, REST_SECONDS, what)  # noqa: TRY400
        raise HookFailedError(name) from None
