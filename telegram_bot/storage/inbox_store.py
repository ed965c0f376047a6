"""The rows of the inbox: store an update before acting on it, mark it done once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from pydantic import JsonValue
from sqlalchemy import Text, cast
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from telegram_bot.errors import UnreadableError
from telegram_bot.observability import metrics
from telegram_bot.storage.database import Database, in_transaction, insert_into, is_transient, read_json, write_json
from telegram_bot.storage.models import InboxEntry

MAX_ATTEMPTS = 3
"""How often an update is tried before it is set aside."""

LARGEST_SET_ASIDE = 100_000
"""The size in characters up to which an update that cannot be read is kept for the operator."""

FIRST_PAUSE_SECONDS = 1.0
MAX_PAUSE_SECONDS = 30.0

TRANSIENT_RETRY_SECONDS = 600.0
"""Failures caused by the database do not count as tries during this time after the update's arrival."""


@dataclass(frozen=True, slots=True)
class StoredUpdate:
    """A stored update that has not been acted on."""

    id: int
    source: str
    cause: str
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """The consequence of a failure: set the update aside, or try again after some seconds."""

    set_aside: bool
    again_after: float = 0.0


_UNREAD: Final = (defer(InboxEntry.payload), defer(InboxEntry.facts))  # type: ignore[arg-type]
"""A row is read without its contents: one with damaged contents delays no other row."""


def _content(stored: str | None) -> dict[str, Any]:
    """Return an update from its JSON; if this is damaged an empty one, which no channel can read."""
    try:
        return dict(read_json(stored or "{}"))
    except (ValueError, TypeError, RecursionError):
        return {}


def name_of(error: Exception) -> str:
    """Return the type of an error, which may quote a person's words; of an unreadable input also the part."""
    return f"{type(error).__name__}: {error}" if isinstance(error, UnreadableError) else type(error).__name__


class InboxStore:
    """The rows of the inbox; each method is one transaction."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self.database = database
        self.now = now

    @in_transaction
    def store_all(
        self, session: Session, source: str, arrivals: list[tuple[str, dict[str, Any]]]
    ) -> list[StoredUpdate]:
        """Store new updates; drop those whose cause is stored already."""
        kept = []
        for cause, payload in arrivals:
            number = self._insert(session, source, cause, payload=payload)
            if number is not None:
                kept.append(StoredUpdate(number, source, cause, payload))
        return kept

    @in_transaction
    def store(self, session: Session, source: str, cause: str, payload: dict[str, Any]) -> StoredUpdate | None:
        """Store one update, or find the open one, which its sender repeats; return None if it has been acted on."""
        number = self._insert(session, source, cause, payload=payload)
        if number is None:
            query = select(InboxEntry.id).where(InboxEntry.source == source, InboxEntry.cause == cause)
            number = session.exec(query.where(col(InboxEntry.done_at).is_(None))).one_or_none()
        return None if number is None else StoredUpdate(number, source, cause, payload)

    def _insert(self, session: Session, source: str, cause: str, *, closes: bool = False, **values: Any) -> int | None:
        """Return the id of the row that was written, or None if the cause is stored already.

        `closes`: an open row of the cause gets these values, and only a cause that is done returns None.
        """
        row = {"source": source, "cause": cause, "received_at": self.now(), "attempts": 0, "done_at": None, **values}
        insert = insert_into(session, InboxEntry).values(row)
        key = ["source", "cause"]
        if closes:
            insert = insert.on_conflict_do_update(
                index_elements=key, set_=values, where=col(InboxEntry.done_at).is_(None)
            )
        else:
            insert = insert.on_conflict_do_nothing(index_elements=key)
        number: int | None = session.execute(insert.returning(col(InboxEntry.id))).scalar_one_or_none()
        return number

    @in_transaction
    def set_aside(
        self, session: Session, source: str, cause: str, payload: dict[str, Any] | None, error: Exception
    ) -> StoredUpdate:
        """Store an update that cannot be read, for the operator; without its content if that is large."""
        if payload is not None and len(write_json(payload)) > LARGEST_SET_ASIDE:
            payload = None
        self._insert(session, source, cause, payload=payload, done_at=self.now(), error=name_of(error))
        return StoredUpdate(0, source, cause, payload or {})

    @in_transaction
    def left_open(
        self, session: Session, sources: Iterable[str], without: Iterable[int] = (), *, limit: int = 100
    ) -> list[StoredUpdate]:
        """Return open updates, oldest first, `without` those that are being handled."""
        query = (
            select(InboxEntry, cast(col(InboxEntry.payload), Text))
            .options(*_UNREAD)
            .where(col(InboxEntry.done_at).is_(None), col(InboxEntry.source).in_(sources))
            .where(col(InboxEntry.id).not_in(without))
            .order_by(col(InboxEntry.id))
            .limit(limit)
        )
        return [StoredUpdate(row.id, row.source, row.cause, _content(text)) for row, text in session.exec(query)]

    async def facts_of(self, received: StoredUpdate) -> dict[str, JsonValue]:
        """Return the facts that enrichers have stored for the update."""
        query = select(InboxEntry.facts).where(InboxEntry.id == received.id)
        stored = await self.database.run(lambda session: session.exec(query).first())
        return dict(stored or {})

    @in_transaction
    def add_facts(self, session: Session, received: StoredUpdate, found: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Store facts and return all. A fact that is stored already counts."""
        row = session.get(InboxEntry, received.id)
        if row is None or row.done_at is not None:  # the update was handled meanwhile
            return found
        row.facts = found | (row.facts or {})
        return row.facts

    @in_transaction
    def latest(self, session: Session, source: str) -> float | None:
        """Return the time at which the last update of a source was received."""
        query = (
            select(InboxEntry.received_at)
            .where(InboxEntry.source == source)
            .order_by(col(InboxEntry.id).desc())
            .limit(1)
        )
        return session.exec(query).first()

    @in_transaction
    def record_failure(
        self, session: Session, received: StoredUpdate, error: Exception, *, again: bool = True
    ) -> RetryDecision:
        """Count a failed try and delay the next one; after the last try, set the update aside.

        `again`: another try may succeed.
        """
        now = self.now()
        row = session.get_one(InboxEntry, received.id, options=_UNREAD)
        if row.done_at is not None:
            return RetryDecision(set_aside=False)
        if is_transient(error) and now - row.received_at < TRANSIENT_RETRY_SECONDS:
            return RetryDecision(set_aside=False, again_after=FIRST_PAUSE_SECONDS)
        row.attempts += 1
        row.error = name_of(error)
        if row.attempts >= MAX_ATTEMPTS or not again:
            row.done_at = now
            return RetryDecision(set_aside=True)
        pause = min(FIRST_PAUSE_SECONDS * 2 ** (row.attempts - 1), MAX_PAUSE_SECONDS)
        return RetryDecision(set_aside=False, again_after=pause)

    async def close_ignored(self, received: StoredUpdate) -> None:
        """Mark an update without a request as done."""
        metrics.UPDATES.labels(received.source, "ignored").inc()
        await self.database.run(lambda session: self.mark_done(session, received.source, received.cause) and None)

    def mark_done(self, session: Session, source: str, cause: str) -> bool:
        """Mark the cause as handled, in the transaction of the step; return True if it was marked before."""
        empty = {"payload": None, "facts": None, "error": None}
        return self._insert(session, source, cause, closes=True, done_at=self.now(), **empty) is None
