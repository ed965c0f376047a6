"""What people are called whose messenger tells no name: they say it themselves, and nobody else does by accident."""

from __future__ import annotations

from telegram_bot.service.intents import Intent, Place
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Player
from telegram_bot.tables.events import RejectedError, RejectionReason


def require_same_person(uow: UnitOfWork, player: Player, name: str | None) -> None:
    """Make sure that nobody else takes a seat with the phone of a person who plays.

    Raises:
        RejectedError: the name is another than that of the person, who sits at a table.
    """
    if name is None or player.nameless or name.casefold() == player.name.casefold():
        return
    if uow.live_tables_of(player):
        raise RejectedError(RejectionReason.SHARED_PHONE, shared=(player.name, name))


def take_name(uow: UnitOfWork, player: Player, name: str | None) -> None:
    """Store the person's name; None: they said none. A table of their own is called after them."""
    if name is None:
        return
    player.name, player.nameless = name, False
    own_chat = uow.find_chat(Place(player.channel, -player.address))
    if own_chat is not None:
        own_chat.title = name
    uow.session.flush()


def has_own_name(intent: Intent, player: Player) -> bool:
    """Whether the person can choose a name: a phone that plays for somebody of another channel cannot."""
    return player.channel == intent.who.channel
