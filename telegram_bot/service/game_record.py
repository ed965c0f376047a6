"""A finished game as a document with which anybody can replay the game and verify its dice."""

from __future__ import annotations

from sqlmodel import col, select

from perudo_core import load_action, record_of
from perudo_core.fair_record import FairRecord
from telegram_bot.service.notices import RecordNotice
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameAction
from telegram_bot.tables.fair_dice import dice_of
from telegram_bot.tables.model import Table


def game_record(uow: UnitOfWork, table: Table) -> RecordNotice:
    """The record of a finished game, from the actions that were stored as it was played, with the secret revealed."""
    rows = uow.session.exec(
        select(GameAction.action).where(GameAction.table_id == table.id).order_by(col(GameAction.number))
    )
    names = [seat.name for seat in table.seats]
    actions = [load_action(action) for action in rows]
    dice = dice_of(table)
    document = (
        record_of(table.rules, names, actions).to_json()
        if dice is None
        else FairRecord.of(dice, table.rules, names, actions).to_json()
    )
    return RecordNotice(document=document, name=f"perudo-{table.code}.json")
