"""The one door to say something: to a person, with their quiet hours and what features add, or to a group."""

from dataclasses import replace
from typing import Protocol

from telegram_bot import notices as n
from telegram_bot.intents.envelope import MessageRef, ReplyHandle
from telegram_bot.intents.intents import Intent, Person, Place
from telegram_bot.screens.envelopes import envelope_to
from telegram_bot.screens.posting import Notification, Urgency
from telegram_bot.screens.routes import Route, own_page
from telegram_bot.service.announcing.private_notices import private_notices
from telegram_bot.service.announcing.timeline import RevealDelay
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, Player

ANSWER_SECONDS = 60
"""How long an answer may wait to be sent in a group; a person who asks for many must not delay the game."""


class About(Protocol):
    """The outbox of a table."""

    table_id: int

    def enqueue(self, notification: Notification) -> None:
        """Put a notice about the table into the outbox."""


def say(
    uow: UnitOfWork,
    reader: Player | Chat,
    notice: n.Notice,
    *,
    about: About | int | None = None,
    at: Person | Place | Route | Intent | None = None,
    slot: str | None = None,
    until: float | None = None,
    target: MessageRef | None = None,
    silent: bool = False,
    key: tuple[int, ...] | None = None,
    edit_only: bool = False,
    reply_handle: ReplyHandle | None = None,
    after: RevealDelay | None = None,
    is_shown: bool = False,
    not_before: float = 0,
    turn: int | None = None,
    urgency: Urgency | None = None,
) -> None:
    """Say something once to a person in their own chat, or to a group.

    `about`: the table, whose unseen dice it waits for, and whose pages read what its chat does; by its number, or that
    of a feature's message, it waits for nothing. `at`: another place, such as a linked phone, a player's route, or a
    request: the answer stands where the person spoke, once if they ask again while it waits.
    `until`: when it is no news any more. `target`: the message that is edited in place of a new one. `silent`, `key`,
    `edit_only`, `reply_handle`: see `Envelope`. `after`: the call or the dice that it waits for, if not those of the
    table. `is_shown`: a surface shows it, and only what features add to it is said. The others: see `Notification`.
    """
    is_answer = isinstance(at, Intent)
    if isinstance(at, Intent):
        reader, at, until = _where_asked(uow, reader, at)
    form = {"silent": silent, "key": key, "edit_only": edit_only, "reply_handle": reply_handle}
    envelope = envelope_to(uow, reader, notice, at=at, target=target).model_copy(update=form)
    if is_answer and isinstance(reader, Chat) and uow.is_enqueued(envelope):
        return
    said = Notification(envelope, slot=slot, expires_at=until, not_before=not_before, turn=turn, urgency=urgency)
    if after is not None:
        said = after.hold(said)
    every = private_notices(uow, reader, said) if isinstance(reader, Player) else [said]
    for each in every[1:] if is_shown else every:
        post(uow, about, each)


def post(uow: UnitOfWork, about: About | int | None, said: Notification) -> None:
    """Put what is said into the outbox; `about` as in `say`."""
    if about is None or isinstance(about, int):
        uow.enqueue(replace(said, table=about))
    else:
        about.enqueue(said)


def _where_asked(
    uow: UnitOfWork, reader: Player | Chat, intent: Intent
) -> tuple[Player | Chat, Person | None, float | None]:
    """Return who reads the answer to a request, where, and until when it is news."""
    if intent.where is not None:
        return uow.ensure_chat(intent.where), None, uow.now + ANSWER_SECONDS
    if isinstance(reader, Player) and uow.traits(intent.source).reads_rooms:
        return reader, own_page(uow, reader), None
    return reader, intent.who, None
