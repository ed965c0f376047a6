"""Change the private notices to a person, or add to them, when they are put into the outbox."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from telegram_bot.registry import Registry
from telegram_bot.repositories.repositories import in_quiet_hours, quiet_hours_of
from telegram_bot.screens.posting import Notification
from telegram_bot.service.hooks import call_hook
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player


def _after_quiet_hours(uow: UnitOfWork, player: Player, notification: Notification) -> Sequence[Notification]:
    """Return the notification, which waits for the end of the person's quiet hours if the channel keeps them."""
    quiet = quiet_hours_of(player)
    if quiet is None or not (uow.traits(notification.envelope.channel).quiet_hours and in_quiet_hours(player, uow.now)):
        return [notification]
    return [replace(notification, not_before=max(notification.not_before, quiet.ends_at(uow.now)))]


PRIVATE_NOTICES: Final = Registry[str, Callable[[UnitOfWork, Player, Notification], Sequence[Notification]]](
    "the changes of private notices", {"quiet hours": _after_quiet_hours}
)
"""Functions that return what is posted in place of a private notice, with the notice first."""


def private_notices(uow: UnitOfWork, player: Player, notification: Notification) -> Sequence[Notification]:
    """Return a private notice as it is stored, and what features add after it."""
    notifications: Sequence[Notification] = [notification]
    for name, change in PRIVATE_NOTICES.items():
        notifications = [
            new
            for each in notifications
            for new in call_hook(uow, name, each.table, partial(change, uow, player, each), [each])
        ]
    return notifications
