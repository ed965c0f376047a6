"""Read games as the database keeps them, and replay their actions: each must be legal, and lead to the stored state."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection
from sqlmodel import col, select

import perudo_core as core
from perudo_core import Leave
from perudo_core.fair_record import FairRecord
from telegram_bot.storage.models import GameAction, GameTable
from telegram_bot.tables.model import Table
from telegram_bot.tables.sealed_dice import dice_of
from test_support.screen_recorder import Json


@dataclass(frozen=True, slots=True)
class Stored:
    """One game as the database keeps it."""

    table: int
    state: Json
    actions: tuple[tuple[int, str, Json], ...]
    """Number, cause, action."""


def stored_games(connection: Connection) -> tuple[Stored, ...]:
    actions = defaultdict[int, list[tuple[int, str, Json]]](list)
    of_games = select(GameAction.table_id, GameAction.number, GameAction.cause, GameAction.action)
    for table, *action in connection.execute(of_games.order_by(col(GameAction.table_id), col(GameAction.number))):
        actions[table].append(tuple(action))
    tables = connection.execute(select(GameTable.id, GameTable.state).order_by(col(GameTable.id)))
    return tuple(Stored(table, state, tuple(actions[table])) for table, state in tables)


class BrokenGameError(Exception):
    """The stored actions are not a legal game."""


def replay_game(stored: Stored) -> core.State:
    """Replay the stored actions: each must be legal, and the final state, which is returned, must be the stored one.

    Raises:
        BrokenGameError: an action is illegal, the states differ, or the dice are not those that were sealed.
    """
    table = Table.model_validate(stored.state)
    recorder = core.Recorder(core.new_game(table.rules, [seat.name for seat in table.seats]))
    actions = [core.load_action(raw) for _, _, raw in stored.actions]
    for action in actions:
        _check_that_people_play(table, recorder.state.active_seats, action)
        try:
            recorder.apply(action)
        except core.IllegalActionError as error:
            raise BrokenGameError(f"{action} is not legal: {error.reason}") from error
    if recorder.state != table.game:
        raise BrokenGameError("the stored state is not where the actions lead")
    if recorder.state.round:
        _check_seal(table, recorder, actions)
    return recorder.state


def _check_that_people_play(table: Table, active: Sequence[int], action: core.Action) -> None:
    """Check that computer players leave when only they are left, and then do nothing else.

    In a practice game they may play on: its person, who is out, may watch the end.
    """
    alone = all(map(table.is_computer, active))
    if alone and table.practice:
        return
    if alone and not isinstance(action, Leave):
        raise BrokenGameError(f"computer players play alone: {action}")
    if isinstance(action, Leave) and table.is_computer(action.seat) and not alone and not table.going_on:
        raise BrokenGameError("a computer player has left a game that people play")


def _check_seal(table: Table, recorder: core.Recorder, actions: Sequence[core.Action]) -> None:
    dice = dice_of(table)
    try:
        if core.replay(recorder.record()).final != recorder.state:
            raise BrokenGameError("the record leads elsewhere")
        if dice is not None:
            FairRecord.of(dice, [seat.name for seat in table.seats], actions).verify(dice.commitment)
    except core.RecordError as error:
        raise BrokenGameError(f"the record does not stand: {error}") from error
