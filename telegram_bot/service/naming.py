"""Notices of features that name people who do not sit at their table: another name is written there at once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from sqlmodel import Session

from telegram_bot.registry import Registry
from telegram_bot.service.hooks import call_hook
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player


@dataclass(frozen=True, slots=True)
class NamingNotices:
    """A feature's notices that name people who do not sit at their table, such as lists of people."""

    about: Callable[[Session, int], Iterable[int]]
    """Returns the numbers of the tables, and of the lists, whose stored notices name a player."""
    chats: Callable[[Session, int], Iterable[int]] | None = None
    """Returns the numbers of the chats whose pages show such a list."""
    show: Callable[[UnitOfWork, Iterable[int]], None] | None = None
    """Shows those of them again that still change, after the player was renamed or deleted."""


NAMING_NOTICES: Final = Registry[str, NamingNotices]("the notices of features that name people")


def show_new_name(uow: UnitOfWork, player: Player) -> None:
    """Show a person's new name in the features' lists."""
    for name, naming in NAMING_NOTICES.items():
        if naming.show is not None:
            call_hook(uow, name, None, partial(naming.show, uow, naming.about(uow.session, player.id)), None)
