"""Specify a request once, next to its handler: its buttons, acts and commands, and the handler.

A specification is a constant with a name: mypy checks the handler against the type there, but not inside a tuple.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, fields
from typing import Generic, TypeVar

from telegram_bot.service import intents as i
from telegram_bot.service.command import Command
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.notices import Toast
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player

R = TypeVar("R", bound=i.PersonRequest)


@dataclass(frozen=True)
class Request(Generic[R]):
    """The specification of a person's request.

    Raises:
        TypeError: a form names a field that the type does not have.
    """

    type: type[R]
    handler: Callable[..., Toast | None]
    _: KW_ONLY
    buttons: tuple[Button, ...] = ()
    """The first that fits writes the data of a button."""
    links: tuple[Button, ...] = ()
    """Its forms as start parameters of links to the bot, `word_{field}`. A button that is one word is also a link."""
    acts: tuple[Act, ...] = ()
    commands: tuple[Command, ...] = ()

    def __post_init__(self) -> None:
        """Check the fields of each form."""
        names = {field.name for field in fields(self.type)}  # type: ignore[arg-type]
        forms: tuple[Act | Button, ...] = self.buttons + self.links + self.acts
        for form in forms:
            if unknown := {*form.carries, *form.fixed} - names:
                raise TypeError(f"{self.type.__name__} has no {', '.join(sorted(unknown))}")


@dataclass(frozen=True)
class PersonRequest(Request[R]):
    """A request without a table, or whose handler finds the table."""

    handler: Callable[[UnitOfWork, i.Intent, Player, R], Toast | None]


@dataclass(frozen=True)
class TableRequest(Request[R]):
    """A request at one table, which is found and locked before the handler is called."""

    handler: Callable[[TableContext, R], Toast | None]
