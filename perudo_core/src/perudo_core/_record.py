"""The game record: one JSON document with only the inputs of a game; replaying it proves everything else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from perudo_core import _json_reading as read
from perudo_core._actions import Concede, Dice, Leave, PlayerAction, Reroll, Seat
from perudo_core._call_text import exact_call
from perudo_core._errors import (
    RecordError,
    RulesError,
    StateError,
    abbreviated,
    expect_tuple_of,
    expect_type,
    is_encodable,
    whole_number,
)
from perudo_core._fields import DEFINITIONS, DICE, SEAT, TEXT, Kind, many, schema_of
from perudo_core._public_names import Listed
from perudo_core._rules import MAX_SEATS, Rules

__all__ = ["RECORD_SCHEMA", "SCHEMA_1", "SCHEMA_2", "SCHEMA_3", "Record", "RecordRound"]

SCHEMA_1: Final = "perudo-record/1"
SCHEMA_2: Final = "perudo-record/2"
"""Adds `forfeit` (a player concedes the round) and `leave`, two actions of no rulebook."""
SCHEMA_3: Final = "perudo-record/3"
"""Adds `shows 22 rolls 145`, by `Rules.reroll_after_bid`: a player shows two twos and rolls three dice again."""
SCHEMAS: Final = (SCHEMA_1, SCHEMA_2, SCHEMA_3)

_SCHEMA_2_ACTIONS: Final[dict[str, Callable[[Seat], PlayerAction]]] = {"forfeit": Concede, "leave": Leave}
_SCHEMA_2_WORDS: Final[dict[type, str]] = {Concede: "forfeit", Leave: "leave"}
_SHOWS: Final = re.compile("shows ([1-6]+) rolls ([1-6]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class RecordRound(metaclass=Listed):
    """A round of a record; only `replay` checks that it can be played."""

    dice: Dice
    """A hand for each seat; `()` for a round in which players left before anything was rolled."""
    actions: tuple[PlayerAction, ...]
    """The players' actions in order: calls, conceding, leaving. Written under the key `calls`."""

    def __post_init__(self) -> None:
        """Refuse values that are not dice or actions."""
        expect_tuple_of(self.dice, tuple, "dice")
        for hand in self.dice:
            expect_tuple_of(hand, int, "dice")
        expect_tuple_of(self.actions, PlayerAction, "actions")


@dataclass(frozen=True, slots=True)
class Record(metaclass=Listed):
    """The inputs of a game; only `replay` checks that they can be played.

    Raises `RecordError` for values that the schema cannot express.

    >>> head = '"schema": "perudo-record/1", "rules": {"starting_dice": 2}, "seats": ["Ana", "Bo"], "opener": 0'
    >>> record = Record.from_json(f'{{{head}, "rounds": [{{"dice": [[1, 2], [3, 6]], "calls": [[0, "4x2"]]}}]}}')
    >>> record.rounds[0].actions
    (Bid(seat=0, quantity=4, face=2),)
    """

    schema: str
    """`perudo-record/1`, or `/2` if a player conceded a round or left, or `/3` if one rolled again."""
    rules: Rules
    seats: tuple[str, ...]
    """Display names in turn order."""
    opener: Seat
    """The seat that opens the first round."""
    rounds: tuple[RecordRound, ...] = field(repr=False)
    """Only the last round may be unfinished."""

    def __post_init__(self) -> None:
        """Refuse values that the schema cannot express."""
        expect_type(self.schema, str, "schema")
        expect_type(self.rules, Rules, "rules")
        expect_tuple_of(self.seats, str, "seats")
        for name in self.seats:
            if not is_encodable(name):
                raise RecordError(f"a seat's name is not a whole text: {abbreviated(name)}")
        object.__setattr__(self, "opener", whole_number(self.opener, "opener", 0, MAX_SEATS))
        expect_tuple_of(self.rounds, RecordRound, "rounds")
        if self.schema not in SCHEMAS:
            raise RecordError(f"unknown schema {abbreviated(self.schema)}")
        for number, entry in enumerate(self.rounds, 1):
            for at, action in enumerate(entry.actions, 1):
                if _schema_of(action) > self.schema:
                    word = _SCHEMA_2_WORDS.get(type(action), "shows")
                    raise RecordError(f"{self.schema} has no {word!r}", number, at)

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Read a record of any schema; raises `RecordError`, with round and call if the error is in a round."""
        expect_type(text, str, "text")
        try:
            return cls.from_dict(read.parse_json(text))
        except StateError as error:
            raise RecordError(str(error)) from None

    @classmethod
    def from_dict(cls, data: Any) -> Record:
        """Read a record from its JSON value, as `from_json` does from a text."""
        try:
            return _record(data)
        except (StateError, RulesError) as error:
            raise RecordError(str(error)) from None

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a JSON value, with every option of the rules in full."""
        return {
            "schema": self.schema,
            "rules": self.rules.to_dict(),
            "seats": list(self.seats),
            "opener": self.opener,
            "rounds": [{"dice": DICE.write(entry.dice), "calls": _CALLS.write(entry.actions)} for entry in self.rounds],
        }

    def to_json(self) -> str:
        """Return the record as a JSON document, a line for each round."""
        data = self.to_dict()
        rounds = ",\n".join(f"    {dump_json(entry)}" for entry in data.pop("rounds"))
        head = "".join(f'  "{key}": {dump_json(value)},\n' for key, value in data.items())
        return f'{{\n{head}  "rounds": [\n{rounds}\n  ]\n}}\n' if rounds else f'{{\n{head}  "rounds": []\n}}\n'


def schema_for(rounds: Iterable[RecordRound]) -> str:
    """Return the earliest schema that can express these rounds."""
    return max((_schema_of(action) for entry in rounds for action in entry.actions), default=SCHEMA_1)


def _schema_of(action: PlayerAction) -> str:
    """Return the earliest schema that has this action."""
    return SCHEMA_3 if isinstance(action, Reroll) else SCHEMA_2 if isinstance(action, Concede | Leave) else SCHEMA_1


def dump_json(value: Any) -> str:
    """Return a JSON value on one line."""
    return json.dumps(value, ensure_ascii=False)


def _written(action: PlayerAction) -> list[Any]:
    if isinstance(action, Reroll):
        return [action.seat, f"{action} rolls {''.join(map(str, action.rolled))}"]
    return [action.seat, _SCHEMA_2_WORDS.get(type(action)) or str(action)]


def _record(data: Any) -> Record:
    schema = data.get("schema") if isinstance(data, dict) else None
    if isinstance(data, dict) and (not isinstance(schema, str) or schema not in SCHEMAS):
        if "schema" not in data:
            raise StateError(f"no game record: it has no schema, such as {SCHEMA_1}")
        raise StateError(f"unknown schema {abbreviated(schema)}")
    data = read.mapping(data, "the record", ("schema", "rules", "seats", "opener", "rounds"))
    rules = data["rules"]
    if not isinstance(rules, dict):
        raise StateError(f"rules must be an object, not {abbreviated(rules)}")
    seats = read.sequence(data["seats"], "seats")
    return Record(
        schema=data["schema"],
        rules=Rules.from_dict(rules),
        seats=tuple(read.string(name, "a seat's name") for name in seats),
        opener=read.integer(data["opener"], "opener", 0, max(len(seats) - 1, 0)),
        rounds=tuple(_round(entry, number) for number, entry in enumerate(read.sequence(data["rounds"], "rounds"), 1)),
    )


def _round(data: Any, number: int) -> RecordRound:
    calls: list[PlayerAction] = []
    try:
        entry = read.mapping(data, "the round", _ROUND_FIELDS)
        dice = DICE.read(entry["dice"], "dice")
        written = read.sequence(entry["calls"], "calls")
    except StateError as error:
        raise RecordError(str(error), number) from None
    for at, call in enumerate(written, 1):
        try:
            calls.append(_call(call, "a call"))
        except StateError as error:
            raise RecordError(str(error), number, at) from None
    return RecordRound(dice, tuple(calls))


def _call(data: Any, where: str) -> PlayerAction:
    seat, word = read.sequence(data, where, 2)
    seat = read.integer(seat, f"{where}'s seat")
    if not isinstance(word, str):
        raise StateError(f"{where} must be a text, not {abbreviated(word)}")
    if word in _SCHEMA_2_ACTIONS:
        return _SCHEMA_2_ACTIONS[word](seat)
    if shows := _SHOWS.fullmatch(word):
        return Reroll(seat, *(tuple(map(int, faces)) for faces in shows.groups()))
    call = exact_call(word, seat)
    if call is None:
        raise StateError(f"unknown call {abbreviated(word)}")
    return call


_WORD: Final = {"type": "string", "pattern": "^([1-9][0-9]*x[1-6]|dudo|calza|forfeit|leave|shows [1-6]+ rolls [1-6]+)$"}
_CALLS: Final = many(
    Kind(_call, {"type": "array", "prefixItems": [SEAT.schema, _WORD], "items": False, "minItems": 2}, _written)
)
_ROUND_FIELDS: Final = {"dice": DICE, "calls": _CALLS}
RECORD_SCHEMA: Final = schema_of(
    {"seats": many(TEXT), "opener": SEAT},
    schema={"enum": [*SCHEMAS]},
    rules={name: value for name, value in DEFINITIONS["Rules"].items() if name != "required"}
    | {"description": "A preset, and the options that differ from it; this version writes every option."},
    rounds={"type": "array", "items": schema_of(_ROUND_FIELDS)},
)
