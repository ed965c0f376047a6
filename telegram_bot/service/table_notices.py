"""Notices about a table as it is now."""

from __future__ import annotations

from telegram_bot.service.config import ServiceConfig
from telegram_bot.service.game_notices import Mention
from telegram_bot.service.notices import LobbyNotice, TableNotice
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Table
from telegram_bot.tables.views import hand_view, lobby_view, table_view


def lobby_notice(config: ServiceConfig, row: GameTable, table: Table, mentions: tuple[Mention, ...]) -> LobbyNotice:
    """The lobby as it is now, on the page that its message shows."""
    return LobbyNotice(
        view=lobby_view(table),
        page=row.page,
        numbers=config.numbers,
        house_rules=config.house_rules,
        usual_clock=config.clock,
        mentions=mentions,
    )


def table_for_one(table: Table, seat: int | None) -> TableNotice:
    """The state of a game, for one person."""
    playing = seat is not None and table.in_play(seat)
    may_calza = playing and hand_view(table, seat or 0).may_calza
    return TableNotice(view=table_view(table), shared=False, unreachable=False, seat=seat, may_calza=may_calza)
