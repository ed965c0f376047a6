"""The seat that a person takes, and the lobby they open."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, text
from sqlmodel import select

from telegram_bot.service.config import lobby_defaults
from telegram_bot.service.records import load_table, quiet_hours_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, Player
from telegram_bot.tables import lobby
from telegram_bot.tables.events import RejectedError, RejectionReason, Step
from telegram_bot.tables.model import Seat, Table


def seat_quiet_fields(player: Player) -> dict[str, Any]:
    """The fields of a seat that depend on the player's quiet hours."""
    return {"quiet": quiet_hours_of(player), "awake_until": player.awake_until}


def seat_for(uow: UnitOfWork, player: Player, name: str | None = None) -> Seat:
    """A seat for the player; `name`: what they want to be called from now on."""
    assert player.id is not None  # noqa: S101 - flushed
    by_text = uow.traits(player.channel).slow
    return Seat(player=player.id, name=name or player.name, by_text=by_text, **seat_quiet_fields(player))


def require_may_host(uow: UnitOfWork, player: Player) -> None:
    """Make sure that there is room for one more table, and that the player has not opened too many.

    Raises:
        RejectedError: nothing was written.
    """
    quotas = uow.config.quotas
    if quotas.tables_per_host:
        hosted = sum(_is_opened_by(load_table(row), player) for row in uow.live_tables_once_of(player))
        if hosted >= quotas.tables_per_host:
            raise RejectedError(RejectionReason.HOSTS_ENOUGH, number=hosted)
    if quotas.live_tables:
        live = uow.session.exec(select(func.count()).select_from(GameTable).where(text("live"))).one()
        if live >= quotas.live_tables:
            raise RejectedError(RejectionReason.HOUSE_FULL)


def _is_opened_by(table: Table, player: Player) -> bool:
    """Whether the table counts as the player's: handing it over, or leaving it to others, does not change that."""
    return player.id == (table.host if table.opened_by is None else table.opened_by)


def new_lobby(uow: UnitOfWork, chat: Chat, player: Player) -> tuple[GameTable, Step]:
    """A lobby in a place, hosted by the player, with the rules and the turn clock of the last table there."""
    require_may_host(uow, player)
    chat.language = uow.language_for(player)
    rules, clock = lobby_defaults(chat, uow.config)
    row, secret = uow.new_table(chat)
    step = lobby.open_lobby(
        row.id or 0,
        row.code,
        seat_for(uow, player),
        rules,
        clock,
        now=uow.now,
        timings=uow.timings,
        secret=secret,
    )
    return row, step
