"""Find the data about one person: their tables, notices, messages and updates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, func, or_
from sqlmodel import Session, col, select

from telegram_bot.channels.sms.traits import TRAITS as SMS
from telegram_bot.storage.models import GameTable, InboxEntry, Player, SentMessage, TableSeat


def tables_of(session: Session, player: int) -> tuple[list[int], list[int]]:
    """The tables where they ever sat: those they can be removed from, and running games that need their seat."""
    query = (
        select(TableSeat.table_id, GameTable.live, GameTable.state)
        .join(GameTable, col(GameTable.id) == col(TableSeat.table_id))
        .where(TableSeat.player_id == player)
        .order_by(col(TableSeat.table_id))
    )
    over: list[int] = []
    running: list[int] = []
    for table, live, state in session.exec(query):
        (running if live and seats_of(state, player) else over).append(table)
    return over, running


def seats_of(state: Mapping[str, Any], player: int) -> list[int]:
    """The numbers of a player's seats in a table's stored state."""
    return [index for index, seat in enumerate(state.get("seats", ())) if seat.get("player") == player]


def seated_at(session: Session, player: int) -> list[GameTable]:
    """The live tables where they sit now."""
    query = (
        select(GameTable)
        .join(TableSeat, col(TableSeat.table_id) == col(GameTable.id))
        .where(TableSeat.player_id == player, col(TableSeat.live), col(GameTable.live))
        .order_by(col(GameTable.id))
    )
    return list(session.exec(query))


def count(session: Session, model: Any, condition: ColumnElement[bool]) -> int:
    """The number of rows of a model that meet the condition."""
    return session.exec(select(func.count()).select_from(model).where(condition)).one()


def lanes_of(person: Player) -> list[str]:
    """The lanes of notices to them alone."""
    lanes = [f"{person.channel}:{person.address}"]
    return lanes if person.phone is None else [*lanes, f"{SMS.name}:{person.phone}"]


def phone_of(person: Player) -> int | None:
    """The address of their phone on the channel for text messages; None if they have none."""
    return person.address if person.channel == SMS.name else person.phone


def seen_by(person: Player) -> ColumnElement[bool]:
    """Messages in their private chat, and messages in a group that only they see. Groups have negative addresses."""
    return or_(col(SentMessage.chat) == person.address, col(SentMessage.receiver) == person.address)


def updates_of(session: Session, person: Player) -> list[InboxEntry]:
    """Stored updates from them or about them that wait or were set aside."""
    found = [row for row in _with(session, person.channel, person.address) if person.address in _ids(row.payload)]
    phone = phone_of(person)
    if phone is not None:
        found += [row for row in _with(session, SMS.name, phone) if (row.payload or {}).get("phone") == phone]
    return found


def _with(session: Session, source: str, number: int) -> Sequence[InboxEntry]:
    """A channel's updates whose JSON contains the number."""
    holds = cast(col(InboxEntry.payload), Text).contains(str(number))
    return session.exec(
        select(InboxEntry).where(InboxEntry.source == source, holds_json(InboxEntry.payload), holds)
    ).all()


def holds_json(column: Any) -> ColumnElement[bool]:
    """Whether a column holds JSON. An empty one may hold SQL's NULL or JSON's null."""
    return cast(col(column), Text) != "null"


def _ids(value: Any) -> Iterator[Any]:
    """The ids in an update."""
    if isinstance(value, dict):
        yield value.get("id")
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _ids(inner)
