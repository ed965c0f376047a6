"""Serve a person's request: one without a table, or one at a table."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import Request
from telegram_bot.notices import Toast
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player


class PersonRequest(Request, ABC):
    """A request without a table, or whose handler finds the table."""

    __slots__ = ()
    bound_to_step = False

    @abstractmethod
    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Serve the request of a player; the toast answers a tap."""


class TableRequest(Request, ABC):
    """A request at one table, which is found before it is served."""

    __slots__ = ()
    at_one_table = True

    @abstractmethod
    def handle(self, context: TableContext) -> Toast | None:
        """Serve the request at its table; the toast answers a tap."""


@dataclass(frozen=True, slots=True)
class AboutPerson(PersonRequest):
    """A request about a person: to whose message the asker replied (this address), or the asker if that is None."""

    of: int | None = None
