"""Read games as the database keeps them, and replay their actions: each must be legal, and lead to the stored state."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import perudo_core as core
from perudo_core import Leave
from perudo_core.fair import SCHEMA_2, FairDice
from perudo_core.fair_record import FairRecord
from test_support.screen_recorder import Json


class HasRows(Protocol):
    """A database, or a bot's world, that answers queries in SQL; JSON columns are text."""

    def rows(self, query: str, /) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One game as the database keeps it."""

    table: int
    state: Json
    actions: tuple[tuple[int, str, Json], ...]
    """Number, cause, action."""

    def is_computer(self, seat: int) -> bool:
        return bool(self.state["seats"][seat]["computer"])


def stored_games(database: HasRows) -> tuple[Stored, ...]:
    actions: dict[int, list[tuple[int, str, Json]]] = {}
    for table, number, cause, action in database.rows(
        "SELECT table_id, number, cause, action FROM game_action ORDER BY table_id, number"
    ):
        actions.setdefault(table, []).append((number, cause, json.loads(action)))
    tables = database.rows("SELECT id, state FROM game_table ORDER BY id")
    return tuple(Stored(table, json.loads(state), tuple(actions.get(table, ()))) for table, state in tables)


class BrokenGameError(Exception):
    """The stored actions are not a legal game."""


def replay_game(stored: Stored) -> tuple[str, ...] | None:
    """Replay the stored actions: each must be legal, and the final state must be the stored one.

    Return the players in order of their places, or None if the game has no end yet.

    Raises:
        BrokenGameError: an action is illegal, the states differ, or the dice are not those that were sealed.
    """
    names = [seat["name"] for seat in stored.state["seats"]]
    recorder = core.Recorder(core.new_game(core.Rules.from_dict(stored.state["rules"]), names))
    for number, _, raw in stored.actions:
        action = core.load_action(raw)
        _check_that_people_play(stored, recorder.state.active_seats, action)
        try:
            recorder.apply(action)
        except core.IllegalActionError as error:
            raise BrokenGameError(f"action {number} is not legal: {error.reason}") from error
    state = recorder.state
    if stored.state["game"] is None or state != core.load_state(stored.state["game"]):
        raise BrokenGameError("the stored state is not where the actions lead")
    if state.round:
        _check_seal(stored, recorder)
    if state.outcome is None:
        return None
    places = zip(state.outcome.placements, names, strict=True)
    return tuple(name for _, name in sorted(places))


def _check_that_people_play(stored: Stored, active: Sequence[int], action: core.Action) -> None:
    """Check that computer players leave when only they are left, and then do nothing else.

    In a practice game they may play on: its person, who is out, may watch the end.
    """
    alone = all(map(stored.is_computer, active))
    if alone and stored.state.get("practice"):
        return
    if alone and not isinstance(action, Leave):
        raise BrokenGameError(f"computer players play alone: {action}")
    if isinstance(action, Leave) and stored.is_computer(action.seat) and not alone and not stored.state.get("going_on"):
        raise BrokenGameError("a computer player has left a game that people play")


def _check_seal(stored: Stored, recorder: core.Recorder) -> None:
    actions = [core.load_action(raw) for _, _, raw in stored.actions]
    secret = stored.state["secret"]
    try:
        if core.replay(recorder.record()).final != recorder.state:
            raise BrokenGameError("the record leads elsewhere")
        if secret is None:
            return
        salt = "\n".join(["perudo-stirs/3", *(stir["what"] for stir in stored.state["stirs"])])
        code, schema = stored.state["code"], stored.state.get("dice_schema", SCHEMA_2)  # 1.0 wrote none
        dice = FairDice(bytes.fromhex(secret), recorder.state.rules, code, salt, schema)
        FairRecord.of(dice, [seat["name"] for seat in stored.state["seats"]], actions).verify(dice.commitment)
    except core.RecordError as error:
        raise BrokenGameError(f"the record does not stand: {error}") from error
