"""Change the private notices to a person, or add to them, when they are put into the outbox."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from telegram_bot.registry import Registry
from telegram_bot.service.hooks import call_hook
from telegram_bot.service.posting import Notification
from telegram_bot.service.repositories import quiet_hours_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player


def _after_quiet_hours(uow: UnitOfWork, player: Player, post: Notification) -> Sequence[Notification]:
    """Return the post, which waits for the end of the person's quiet hours if the channel keeps them."""
    if player.quiet is None or player.awake_until > uow.now or not uow.traits(post.envelope.channel).quiet_hours:
        return [post]
    quiet = quiet_hours_of(player)
    return [post if quiet is None else replace(post, not_before=max(post.not_before, quiet.ends_at(uow.now)))]


PRIVATE_NOTIFICATIONS: Final = Registry[str, Callable[[UnitOfWork, Player, Notification], Sequence[Notification]]](
    "the changes of private notices", {"quiet hours": _after_quiet_hours}
)
"""Functions that return what is posted in place of a private notice, with the notice first."""


def private_notifications(uow: UnitOfWork, player: Player, post: Notification) -> Sequence[Notification]:
    """Return a private notice as it is posted, and what features post after it."""
    posts: Sequence[Notification] = [post]
    for name, change in PRIVATE_NOTIFICATIONS.items():
        posts = [
            new
            for each in posts
            for new in call_hook(uow, name, each.table, partial(change, uow, player, each), [each])
        ]
    return posts
