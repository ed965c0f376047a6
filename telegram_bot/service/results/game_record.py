"""The record of a finished game, with the proof of its dice."""

import json
from dataclasses import replace

from perudo_core import (
    Action,
    Call,
    Calza,
    FairDice,
    IllegalActionError,
    RecordError,
    dump_action,
    record_of,
)
from perudo_core.fair_record import FairRecord
from telegram_bot.intents.intents import COMPUTER
from telegram_bot.repositories.repositories import actions_of
from telegram_bot.service.computer_requests import agent_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.tables.model import FrozenModel, Table
from telegram_bot.tables.sealed_dice import StirView, dice_of, stirred


class GameRecord(FrozenModel):
    """The record of a finished game, with the proof of its dice."""

    document: str
    name: str
    rolls: int | None = None
    """The number of rolls that were computed again and follow from the secret, or None if they were not computed."""
    failed: bool = False
    """Whether the dice do not follow from the secret."""
    stirs: tuple[StirView, ...] | None = None
    """The stirs with their players, in order, or None if the dice were not sealed."""


def _of_engine(table: Table, seat: int) -> bool:
    """Return True for an operator's program, whose calls do not follow from the seal."""
    computer = table.seats[seat].computer
    return computer is not None and bool(computer.engine)


def game_record(uow: UnitOfWork, table: Table) -> GameRecord:
    """Return the record of a finished game, from its stored actions, with the secret revealed.

    Every roll is computed again from secret and stirs. `python -m perudo_core verify` also computes the calls of
    computer players again, which takes too long for a transaction.
    """
    rows = actions_of(uow.session, table.id)
    actions = [action for action, _, _ in rows]
    computers = {
        index: "/".join(agent_of(table, action.seat))
        for index, (action, cause, _) in enumerate(rows)
        if isinstance(action, Call)
        and not _of_engine(table, action.seat)
        # The clock applies a claimed calza, for people and for computer players.
        and (cause == COMPUTER or (isinstance(action, Calza) and table.is_computer(action.seat)))
    }
    name, dice = f"perudo-{table.code}.json", dice_of(table)
    if dice is None:
        document = record_of(table.rules, [seat.name for seat in table.seats], actions).to_json()
        return GameRecord(document=document, name=name)
    told = stirred(table)
    try:
        record = FairRecord.of(dice, [seat.name for seat in table.seats], actions, computers=computers)
        record = replace(record, version=", ".join(table.core_versions))
    except (IllegalActionError, RecordError):  # after a changed roll the later actions may be impossible
        return GameRecord(document=_raw_document(table, dice, actions), name=name, failed=True, stirs=told)
    try:
        rolls = record.verify(dice.commitment, computers=False).rolls
    except RecordError:
        return GameRecord(document=record.to_json(), name=name, failed=True, stirs=told)
    return GameRecord(document=record.to_json(), name=name, rolls=rolls, stirs=told)


def _raw_document(table: Table, dice: FairDice, actions: list[Action]) -> str:
    """Return the stored data of a game that cannot be replayed, for people to read."""
    return json.dumps(
        {
            "commitment": dice.commitment,
            "secret": dice.secret.hex(),
            "salt": dice.salt,
            "rules": table.rules.to_dict(),
            "seats": [seat.name for seat in table.seats],
            "actions": [dump_action(action) for action in actions],
        },
        ensure_ascii=False,
        indent=2,
    )
