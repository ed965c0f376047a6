"""The seat that a person takes, and the lobby they open."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, text
from sqlmodel import select

from telegram_bot.service.unit_of_work import Work, read, remembered
from telegram_bot.storage.models import TEXTING, Chat, GameTable, Player
from telegram_bot.tables import lobby
from telegram_bot.tables.events import Denial, DeniedError, Step
from telegram_bot.tables.model import Seat
from telegram_bot.tables.quiet_hours import Quiet


def quiet_of(player: Player) -> Quiet | None:
    """The hours in which the player is not to be texted, and their clock waits."""
    return None if player.quiet is None else Quiet(**player.quiet)


def nights_of(player: Player) -> dict[str, Any]:
    """What the player's seat knows of when they sleep."""
    return {"quiet": quiet_of(player), "awake_until": player.awake_until}


def seat_for(player: Player) -> Seat:
    """A seat for the player."""
    assert player.id is not None  # noqa: S101 - flushed
    return Seat(player=player.id, name=player.name, by_text=player.channel == TEXTING, **nights_of(player))


def may_host(work: Work, player: Player) -> None:
    """Make sure that there is room for one more table, and that the player does not host too many.

    Raises:
        DeniedError: nothing was written.
    """
    quotas = work.house.quotas
    if quotas.tables_per_host:
        hosted = sum(read(row).host == player.id for row in work.live_rows_of(player))
        if hosted >= quotas.tables_per_host:
            raise DeniedError(Denial.HOSTS_ENOUGH, number=hosted)
    if quotas.live_tables:
        live = work.session.exec(select(func.count()).select_from(GameTable).where(text("live"))).one()
        if live >= quotas.live_tables:
            raise DeniedError(Denial.HOUSE_FULL)


def new_lobby(work: Work, chat: Chat, player: Player) -> tuple[GameTable, Step]:
    """A lobby in a place, hosted by the player, with what the place remembers of rules and clock."""
    may_host(work, player)
    chat.language = work.language_for(player)
    rules, clock = remembered(chat, work.house)
    row = work.new_row(chat)
    step = lobby.open_lobby(
        row.id or 0,
        row.code,
        seat_for(player),
        rules,
        clock,
        now=work.now,
        pace=work.pace,
        secret=work.new_secret(),
    )
    return row, step
