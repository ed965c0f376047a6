"""A message of a chat on its way: what differs and what was said are one type before anything is chosen."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.screens.differences import Difference, digest_of
from telegram_bot.screens.posting import Urgency, awaited_by, ref_of, urgency_of
from telegram_bot.service.dirty_tables import Missing
from telegram_bot.storage.models import LaneName, OutboxEntry, SentMessage


@dataclass(frozen=True, slots=True)
class Surface:
    """The surface that a message shows."""

    difference: Difference
    reader: int
    """The player, or `TABLES_CHAT`."""
    of: Missing | None
    """The record of the messages that its chat misses, if the reader misses no other message."""

    def note_shown(self, row: SentMessage, now: float) -> None:
        """Store with the message which state it shows now, and for which turn it asks."""
        asked = self.difference.asked
        row.asked = None if asked is None else list(asked if asked[2:] else [*asked, now])
        row.key, row.frozen = list(self.difference.key), self.difference.want.frozen


@dataclass(eq=False)
class Message:
    """A surface that a reader misses, or a notice that was said once: the row of the outbox that it has."""

    lane: LaneName
    table_id: int | None = None
    slot: str | None = None
    turn: int | None = None
    """The table's step whose clock waits for it."""
    urgency: Urgency = Urgency.TOLD
    awaited: str | None = None
    """The notices that wait for it, an `Awaited`."""
    created_at: float = 0
    not_before: float = 0
    expires_at: float | None = None
    row: OutboxEntry | None = None
    surface: Surface | None = None
    edited: SentMessage | None = None
    """The message in its slot that it edits."""
    replaces: SentMessage | None = None
    """The message in its slot that it replaces as a new message."""
    is_counted: bool = True
    """Whether it counts in the limits of its chat."""
    is_open: bool = True
    """Whether it may still be chosen."""

    @classmethod
    def said(cls, row: OutboxEntry, in_slot: SentMessage | None) -> Self:
        """Return what was said once, with the message in its slot."""
        shared = (row.lane, row.table_id, row.slot, row.turn, Urgency(row.urgency), row.awaited)
        message = cls(*shared, row.created_at, row.not_before, row.expires_at, row)
        message.edited = message.replaces = in_slot  # which of both, its envelope says
        return message

    @classmethod
    def missing(cls, difference: Difference, reader: int, of: Missing | None, since: float) -> Self:
        """Return a surface that a reader has missed since a time."""
        post, notice = difference.notification, difference.notification.envelope.notice
        message = cls(
            post.envelope.lane,
            post.table,
            post.slot,
            post.turn,
            urgency_of(post),
            awaited_by(notice, post.slot),
            since,
            surface=Surface(difference, reader, of),
            edited=difference.edited,
            replaces=difference.replaced,
        )
        message.envelope, message.digest = post.envelope, difference.digest
        return message

    @cached_property
    def envelope(self) -> Envelope:
        """The notice and its address: what was said is read when it is chosen."""
        return Envelope.model_validate(None if self.row is None else self.row.notice)

    @cached_property
    def digest(self) -> str:
        """The hash of its content."""
        return digest_of(self.envelope)

    @property
    def target(self) -> MessageRef | None:
        """The message that is edited, if it is not a new one."""
        return self.envelope.target if self.edited is None else ref_of(self.edited)

    @property
    def is_edit(self) -> bool:
        """True if it edits an existing message: repeating an edit does no harm."""
        return self.target is not None

    @property
    def is_shared_surface(self) -> bool:
        """True if it is a surface of a table's chat."""
        return self.surface is not None and self.surface.reader == TABLES_CHAT

    @property
    def name(self) -> Hashable:
        """Its identity in the log, and among the tries that failed."""
        return (self.table_id, self.slot) if self.row is None else self.row.id
