"""A finished game as a document that anybody can replay, and check the dice of."""

from __future__ import annotations

import json

from sqlmodel import col, select

from perudo_core import load_action, record_of
from telegram_bot.service.notices import RecordNotice
from telegram_bot.service.work import Work
from telegram_bot.storage.rows import GameAction
from telegram_bot.tables.model import Table


def game_record(work: Work, table: Table) -> RecordNotice:
    """The record of a finished game, from the actions that were stored as it was played."""
    rows = work.session.exec(
        select(GameAction.action).where(GameAction.table_id == table.id).order_by(col(GameAction.number))
    )
    names = [seat.name for seat in table.seats]
    record = record_of(table.rules, names, [load_action(action) for action in rows])
    document = json.dumps(record.to_dict(), ensure_ascii=False, indent=1)
    return RecordNotice(document=document, name=f"perudo-{table.code}.json")
