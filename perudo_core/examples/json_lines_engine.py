"""An engine that answers the conformance kit in lines of JSON, as a port to another language would.

    python -m perudo_conformance --engine "python perudo_core/examples/json_lines_engine.py"

`python -m perudo_conformance --protocol` explains each request. This engine keeps every state of a game and names it
by its index. It offers odds and notation, and no fair dice.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import perudo_core
from perudo_core import GameText, IllegalActionError, Record, Rules, State, probability_exact, probability_holds

states: list[State] = []


def new_game(rules: dict[str, Any], seats: int, opener: int) -> int:
    """Return the index of a new game's state; the states of the game before are forgotten."""
    states[:] = [perudo_core.new_game(Rules.from_dict(rules), seats, opener=opener)]
    return 0


def apply(state: int, action: dict[str, Any]) -> int:
    """Return the index of the next state."""
    states.append(perudo_core.apply(states[state], perudo_core.load_action(action)).state)
    return len(states) - 1


def legal_calls(state: int) -> list[dict[str, Any]]:
    """Return the legal calls of all seats."""
    return [perudo_core.dump_action(call) for call in perudo_core.legal_calls(states[state])]


def facts(state: int) -> dict[str, Any]:
    """Return the facts that the kit compares."""
    now = states[state]
    names = ("phase", "round", "turn", "opener", "palifico", "dice_counts", "max_quantity")
    placements = now.outcome.placements if now.outcome else None
    return {name: getattr(now, name) for name in names} | {"ones_wild": now.ones_are_wild, "placements": placements}


def odds(dice: list[int], unknown_dice: int, quantity: int, face: int, ones_are_wild: bool) -> dict[str, Any]:
    """Return the chances of a bid, as pairs of a numerator and a denominator."""
    question = (dice, unknown_dice, quantity, face, ones_are_wild)
    chances = {"holds": probability_holds(*question), "exact": probability_exact(*question)}
    return {name: chance.as_integer_ratio() for name, chance in chances.items()}


def write_game(record: dict[str, Any], dice: bool) -> str:
    """Return the line of a record."""
    return str(GameText.of(Record.from_dict(record), dice=dice))


def read_game(text: str) -> dict[str, Any]:
    """Return the record of a line."""
    return GameText.parse(text).record().to_dict()


ENGINE = (new_game, apply, legal_calls, facts, odds, write_game, read_game)
METHODS: dict[str, Callable[..., Any]] = {method.__name__: method for method in ENGINE}

for line in sys.stdin:
    request = json.loads(line)
    method = METHODS.get(request["method"])
    try:
        answer = {"unsupported": True} if method is None else {"result": method(**request["params"])}
    except IllegalActionError as error:
        answer = {"refused": error.reason}
    print(json.dumps({"id": request["id"]} | answer), flush=True)
