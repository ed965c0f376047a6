"""Limit the spending of a day: texts to a phone, texts for a table, all texts, and money."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlalchemy import and_, true, update
from sqlmodel import Session, col

from telegram_bot.delivery.sender import InvalidError
from telegram_bot.intents.config import TextCaps
from telegram_bot.storage.database import Database, in_transaction, insert_into
from telegram_bot.storage.phone_models import EVERYBODY, STRANGERS, TALK, TextTally


class Cap(StrEnum):
    """The limits of a day."""

    PHONE = "phone"
    TALK = "talk"
    """The part of a phone's texts that is not reserved for its dice and turns."""
    TABLE = "table"
    TABLE_TALK = "table_talk"
    """The part of a table's texts that is not reserved for dice and turns."""
    STRANGERS = "strangers"
    """The part of the day's texts for all phones that never asked for a text."""
    DAY_TALK = "day_talk"
    """The part of the day's texts, for all phones, that is not reserved for dice and turns."""
    DAY = "day"
    """The limit of texts or of money for the whole installation."""


@dataclass(frozen=True, slots=True)
class Charge:
    """One text: its day, its phone and table, its cost."""

    day: str
    phone: int
    table: int | None
    segments: int
    cost: int
    talk: bool = False
    """Whether the text contains neither dice nor a turn."""
    stranger: bool = False
    """Whether the phone never asked for a text."""


STRANGERS_PART: Final = 20
"""All phones that never asked for a text get together a twentieth of the day's texts and money."""


def part_of(limit: int, parts: int, least: int = 1) -> int:
    """Return a limit divided by `parts`, but at least `least`; 0: no limit."""
    return max(limit // parts, least) if limit else 0


class SpentError(InvalidError):
    """A limit of the day forbids the text. The text is not sent later either."""


class _ReachedError(Exception):
    """Rolls back the transaction in which the text was counted so far."""

    def __init__(self, cap: Cap) -> None:
        super().__init__(cap)
        self.cap = cap


class TextBudget:
    """The day's tallies. Each text is counted before it is sent, so that workers together do not exceed a limit."""

    def __init__(self, database: Database, caps: TextCaps) -> None:
        self.database = database
        self.caps = caps

    async def take(self, charge: Charge) -> Cap | None:
        """Count a text and return None if it may be sent; otherwise count nothing and return the exceeded limit."""

        def count(session: Session) -> None:
            for cap, scope, texts, spend in self._limits(charge):
                if not self._add(session, charge, scope, texts, spend):
                    raise _ReachedError(cap)

        try:
            await self.database.run(count)
        except _ReachedError as reached:
            return reached.cap
        return None

    @in_transaction
    def refund(self, session: Session, charge: Charge) -> None:
        """Undo the count of a text that was not sent."""
        for _, scope, _, _ in self._limits(charge):
            session.execute(
                update(TextTally)
                .where(col(TextTally.day) == charge.day, col(TextTally.scope) == scope)
                .values(
                    texts=col(TextTally.texts) - charge.segments,
                    cost=col(TextTally.cost) - charge.cost * charge.segments,
                )
            )

    @in_transaction
    def once(self, session: Session, day: str, scope: str) -> bool:
        """Return True at the first call of the day with this scope."""
        return self._add(session, Charge(day, 0, None, 1, 0), scope, 1, 0)

    def _limits(self, charge: Charge) -> list[tuple[Cap, str, int, int]]:
        """Return the tallies that count a text, each with its limit, its scope, and the texts and money allowed."""
        cost = charge.cost * charge.segments
        limits = [
            (Cap.DAY, EVERYBODY, self.caps.per_day, self.caps.spend),
            (Cap.PHONE, f"phone:{charge.phone}", self.caps.per_phone, 0),
        ]
        if charge.talk:
            limits.append((Cap.TALK, f"talk:{charge.phone}", self.caps.talk, 0))
            limits.append((Cap.DAY_TALK, TALK, part_of(self.caps.per_day, 2), part_of(self.caps.spend, 2, cost)))
        if charge.stranger:
            texts, spend = (part_of(self.caps.per_day, STRANGERS_PART), part_of(self.caps.spend, STRANGERS_PART, cost))
            limits.append((Cap.STRANGERS, STRANGERS, texts, spend))
        if charge.table is not None:
            limits.append((Cap.TABLE, f"table:{charge.table}", self.caps.per_table, 0))
            if charge.talk:
                limits.append((Cap.TABLE_TALK, f"table_talk:{charge.table}", part_of(self.caps.per_table, 2), 0))
        return limits

    def _add(self, session: Session, charge: Charge, scope: str, most_texts: int, most_cost: int) -> bool:
        cost = charge.cost * charge.segments
        if (most_texts and charge.segments > most_texts) or (most_cost and cost > most_cost):
            return False
        texts, spent = col(TextTally.texts) + charge.segments, col(TextTally.cost) + cost
        limits = ([texts <= most_texts] if most_texts else []) + ([spent <= most_cost] if most_cost else [])
        adding = (
            insert_into(session, TextTally)
            .values(day=charge.day, scope=scope, texts=charge.segments, cost=cost)
            .on_conflict_do_update(
                index_elements=["day", "scope"],
                set_={"texts": texts, "cost": spent},
                where=and_(true(), *limits),
            )
            .returning(col(TextTally.texts))
        )
        return session.execute(adding).first() is not None
