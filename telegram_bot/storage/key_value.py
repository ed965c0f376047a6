"""A key-value store that all workers share."""

from collections.abc import Callable
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError
from sqlalchemy import Float, String, cast, literal, or_
from sqlmodel import Session, col, delete, select

from telegram_bot.storage.database import Database, in_transaction, insert_into
from telegram_bot.storage.models import FORGOTTEN_SPAN, Chat, KeyValue

ModelT = TypeVar("ModelT", bound=BaseModel)
LATEST_TIME: Final = 253_402_300_800.0
"""The end of the year 9999: no calendar has a later time."""


def as_time(value: str | None) -> float | None:
    """Return the time in a value, or None if it is missing, or no time: an operator may have edited the database."""
    try:
        time = float(value or "nan")
    except ValueError:
        return None
    return time if 0 <= time < LATEST_TIME else None


def as_model(value: str | None, model: type[ModelT]) -> ModelT | None:
    """Return a value as this model, or None if it is missing, or another version of the bot or an operator wrote it."""
    try:
        return None if value is None else model.model_validate_json(value)
    except ValidationError:
        return None


def kept(session: Session, key: str, model: type[ModelT]) -> ModelT | None:
    """Return the value of a key as this model, or None as `as_model` does."""
    row = session.get(KeyValue, key)
    return as_model(None if row is None else row.value, model)


def forgotten_span(session: Session) -> tuple[float, float] | None:
    """Return the time of the last restored backup and of its restore, or None without one."""
    stored = session.get(KeyValue, FORGOTTEN_SPAN)
    saved, _, restored = (stored.value if stored else "").partition(" ")
    span = as_time(saved), as_time(restored)
    return None if span[0] is None or span[1] is None else (span[0], span[1])


def delete_of_deleted_chats(session: Session, prefix: str) -> None:
    """Delete the values of chats that exist no more; their keys are the prefix and the chat's number."""
    is_kept = select(Chat.id).where(literal(prefix) + cast(col(Chat.id), String) == col(KeyValue.key)).exists()
    session.exec(delete(KeyValue).where(col(KeyValue.key).startswith(prefix, autoescape=True), ~is_kept))


class KeyValueStore:
    """The table `note`; each method is one transaction."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self.database = database
        self.now = now

    @in_transaction
    def get(self, session: Session, key: str) -> str | None:
        """Return the value of a key, or None if there is none."""
        row = session.get(KeyValue, key)
        return None if row is None else row.value

    @in_transaction
    def with_prefix(self, session: Session, prefix: str) -> dict[str, str]:
        """Return all keys that begin with the prefix, and their values."""
        query = select(KeyValue).where(col(KeyValue.key).startswith(prefix, autoescape=True))
        return {row.key: row.value for row in session.exec(query)}

    @in_transaction
    def put(self, session: Session, key: str, value: str) -> None:
        """Set the value of a key."""
        session.merge(KeyValue(key=key, value=value))

    @in_transaction
    def put_first(self, session: Session, key: str, value: str) -> str:
        """Set the value of a key without one; return the key's value."""
        statement = insert_into(session, KeyValue).values(key=key, value=value)
        session.execute(statement.on_conflict_do_nothing(index_elements=["key"]))
        return session.get_one(KeyValue, key).value

    @in_transaction
    def claim(self, session: Session, key: str, seconds: float) -> bool:
        """Return True, and store the time, if that has not been done for so many seconds."""
        now = self.now()
        insert = insert_into(session, KeyValue)
        statement = insert.values(key=key, value=repr(now + seconds)).on_conflict_do_update(
            index_elements=["key"],
            set_={"value": insert.excluded.value},
            # A time further ahead was written before the clock was set back.
            where=or_(cast(col(KeyValue.value), Float) <= now, cast(col(KeyValue.value), Float) > now + seconds),
        )
        return session.execute(statement.returning(col(KeyValue.key))).scalar_one_or_none() is not None
