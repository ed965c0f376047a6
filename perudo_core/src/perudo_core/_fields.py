"""The table of all fields that leave or enter the library as JSON: it reads them, writes them and describes them.

A `Kind` of values reads JSON data, writes a value as JSON data, and has the JSON Schema of what it writes. A reader may
take more than that: a client may send a call that is not legal, and an earlier version may have stored other numbers.
`python -m test_support.json_schemas` writes `perudo_core/schemas/` from this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from perudo_core import _actions as actions
from perudo_core import _events as events
from perudo_core import _json_reading as read
from perudo_core._actions import FACES, Bid
from perudo_core._errors import RulesError, StateError, abbreviated, expect_type
from perudo_core._legal_calls import LegalCalls
from perudo_core._options import Option
from perudo_core._outcome import Outcome
from perudo_core._phase import Phase
from perudo_core._rules import IN_THE_BOOKS, MAX_SEATS, MAX_STARTING_DICE, OPTIONS, Rules

__all__ = [
    "ACTION", "BID", "BOOLEAN", "CALL_SCHEMA", "COUNT", "DEFINITIONS", "DICE", "EVENT", "MAYBE_SEAT",
    "OBSERVATION_FIELDS", "RULES", "SEAT", "STATE_FIELDS", "TEXT", "Kind", "Schema", "many", "optional",
    "read_document", "schema_of", "struct", "write_fields",
]  # fmt: skip

Schema: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of values."""

    read: Callable[[Any, str], Any]
    """Return the value of JSON data, or raise a `StateError` that names the place."""
    schema: Schema
    write: Callable[[Any], Any] = lambda value: value

    def note(self, description: str) -> Kind:
        """Return the same kind with a description in the schema."""
        return replace(self, schema=self.schema | {"description": description})


Fields: TypeAlias = Mapping[str, Kind]

DEFINITIONS: Final[dict[str, Schema]] = {}
"""The schemas that others refer to, by their names."""


def _named(name: str, kind: Kind) -> Kind:
    DEFINITIONS[name] = kind.schema
    return replace(kind, schema={"$ref": f"#/$defs/{name}"})


def whole(minimum: int = 0, maximum: int | None = None, *, strict: bool = False) -> Kind:
    """Return the kind of whole numbers; a strict reader keeps to the limits of the schema."""
    low, high = (minimum, read.MAX_INTEGER if maximum is None else maximum) if strict else (0, read.MAX_INTEGER)
    limits = {"minimum": minimum} | ({} if maximum is None else {"maximum": maximum})
    return Kind(partial(read.integer, low=low, high=high), {"type": "integer"} | limits)


def optional(kind: Kind) -> Kind:
    """Return the kind of values that may be None."""
    return Kind(
        lambda data, where: None if data is None else kind.read(data, where),
        {"anyOf": [kind.schema, {"type": "null"}]},
        lambda value: None if value is None else kind.write(value),
    )


def many(kind: Kind, made: type[tuple[Any, ...] | frozenset[Any]] = tuple) -> Kind:
    """Return the kind of lists; a set is written in order."""

    def write(value: Any) -> list[Any]:
        expect_type(value, made, "a field")
        one = kind.write
        return [one(each) for each in (sorted(value) if made is frozenset else value)]

    def read_all(data: Any, where: str) -> Any:
        one = kind.read
        return made([one(each, f"{where}[{at}]") for at, each in enumerate(read.sequence(data, where))])

    return Kind(read_all, {"type": "array", "items": kind.schema}, write)


def struct(made: type[Any], table: Fields) -> Kind:
    """Return the kind of objects with these fields."""

    def write(value: Any) -> dict[str, Any]:
        expect_type(value, made, "a field")
        return write_fields(value, table)

    return Kind(
        lambda data, where: made(**read_fields(read.mapping(data, where, table), table, f"{where}.")),
        schema_of(table),
        write,
    )


def read_fields(data: Mapping[str, Any], table: Fields, prefix: str = "") -> dict[str, Any]:
    """Return the values of an object that has these keys."""
    return {name: kind.read(data[name], prefix + name) for name, kind in table.items()}


def write_fields(value: Any, table: Fields) -> dict[str, Any]:
    """Return the fields of a value as a JSON object."""
    return {name: kind.write(getattr(value, name)) for name, kind in table.items()}


def read_document(data: Any, what: str, schema: str, table: Fields) -> dict[str, Any]:
    """Return the values of an object with this schema and these fields."""
    if isinstance(data, dict) and data.get("schema", schema) != schema:
        raise StateError(f"{what} has the unknown schema {abbreviated(data['schema'])}, not {schema}")
    return read_fields(read.mapping(data, what, ("schema", *table)), table)


def schema_of(table: Fields, **more: Schema) -> Schema:
    """Return the schema of an object with all of these fields, and more of a schema of their own."""
    properties = more | {name: kind.schema for name, kind in table.items()}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


class Tagged(NamedTuple):
    """Values of several types, each an object with its `type`."""

    what: str
    kinds: Mapping[str, tuple[type, Fields]]

    def read(self, data: Any) -> Any:
        """Return the value of an object."""
        name = data.get("type") if isinstance(data, dict) else None
        if not isinstance(name, str) or name not in self.kinds:
            raise StateError(f"{self.what} must be an object with a known type, not {abbreviated(data)}")
        made, table = self.kinds[name]
        return made(**read_fields(read.mapping(data, name, ("type", *table)), table, f"{name}."))

    def write(self, value: Any) -> dict[str, Any]:
        """Return the value as an object; raises `TypeError` for a value of another type."""
        for name, (made, table) in self.kinds.items():
            if type(value) is made:
                return {"type": name} | write_fields(value, table)
        raise TypeError(f"{self.what} must be an {self.what}, not {type(value).__name__}")

    @property
    def schema(self) -> Schema:
        """The schema of all of these objects."""
        return {"oneOf": [schema_of(table, type={"const": name}) for name, (_, table) in self.kinds.items()]}


def _tuple_of(*kinds: Kind) -> Kind:
    """Return the kind of lists with these values."""
    return Kind(
        lambda data, where: tuple(
            kind.read(each, where) for kind, each in zip(kinds, read.sequence(data, where, len(kinds)), strict=True)
        ),
        {"type": "array", "prefixItems": [kind.schema for kind in kinds], "items": False, "minItems": len(kinds)},
        lambda value: [kind.write(each) for kind, each in zip(kinds, value, strict=True)],
    )


def _word(kind: Any) -> Kind:
    def read_word(data: Any, where: str) -> Any:
        if not isinstance(data, str) or data not in list(kind):
            raise StateError(f"{where} must be one of {', '.join(kind)}, not {abbreviated(data)}")
        return kind(data)

    return Kind(read_word, {"enum": [*map(str, kind)]}, str)


def _rules() -> Kind:
    """Return the kind of rules, which `Rules` itself reads and writes."""

    def read_rules(data: Any, where: str) -> Rules:
        try:
            return Rules.from_dict(read.mapping(data, where))
        except RulesError as error:
            raise StateError(f"{where}: {error}") from None

    def write_rules(rules: Rules) -> Any:
        expect_type(rules, Rules, "rules")
        return rules.to_dict()

    options = {name: _option(row) for name, row in OPTIONS.items()}
    required = ["preset", *(name for name in options if name in IN_THE_BOOKS)]
    return Kind(read_rules, schema_of({"preset": TEXT} | options) | {"required": required}, write_rules)


def _option(row: Option) -> Kind:
    """Return the kind of the values of an option."""
    if isinstance(row.default, bool):
        return BOOLEAN
    if isinstance(row.default, StrEnum):
        return _word(type(row.default))
    numbers = [value for value in row.values if value is not None]
    kind = whole(numbers[0], numbers[-1])
    return optional(kind) if None in row.values else kind


BOOLEAN: Final = Kind(read.boolean, {"type": "boolean"})
TEXT: Final = Kind(read.string, {"type": "string"})
COUNT: Final = whole()
SEAT: Final = _named("Seat", whole(0, MAX_SEATS - 1).note("From 0, to the left."))
MAYBE_SEAT: Final = optional(SEAT)
SEATS: Final = many(SEAT)
FACE: Final = _named("Face", whole(FACES[0], FACES[-1], strict=True))
HAND: Final = _named("Hand", many(FACE).note("Empty where the seat has no dice or shows none."))
DICE: Final = _named("Dice", many(HAND).note("A hand for each seat."))
RULES: Final = _named(
    "Rules", _rules().note("Every option in full; one that no preset has a line for only where it is played.")
)
BID_FIELDS: Final = {"seat": SEAT, "quantity": whole(1), "face": replace(FACE, read=read.integer)}
BID: Final = _named("Bid", struct(Bid, BID_FIELDS))
OUTCOME: Final = _named(
    "Outcome",
    struct(
        Outcome,
        {"winner": SEAT, "placements": many(whole(1, strict=True)).note("1 for the winner, then 2, for each seat.")},
    ),
)

_SEAT: Final = {"seat": SEAT}
_PLACE: Final = {"seat": SEAT, "place": whole(2)}
_DOUBT: Final = {"seat": SEAT, "bid": BID}
_SHOWN: Final = {"seat": SEAT, "dice": HAND, "bid": BID}
_ROUND: Final = whole(1)

ACTION: Final = Tagged(
    "action",
    {
        "bid": (actions.Bid, BID_FIELDS),
        "dudo": (actions.Dudo, _SEAT),
        "calza": (actions.Calza, _SEAT),
        "concede": (actions.Concede, _SEAT),
        "leave": (actions.Leave, _SEAT),
        "reroll": (actions.Reroll, {"seat": SEAT, "shown": HAND, "rolled": HAND}),
        "roll": (actions.Roll, {"dice": DICE}),
        "opening_roll": (actions.OpeningRoll, {"dice": DICE}),
        "opener_draw": (actions.OpenerDraw, _SEAT),
    },
)
CALL_SCHEMA: Final = {
    "oneOf": [
        schema | {"required": [name for name in schema["required"] if name != "seat"]}
        for schema in ACTION.schema["oneOf"][:3]
    ]
}
"""A bid, a dudo or a calza, as `load_call` reads it: the seat may be left out."""
EVENT: Final = Tagged(
    "event",
    {
        "opener_rolled": (events.OpenerRolled, {"dice": DICE, "tied": SEATS.note("The seats that roll again.")}),
        "opener_chosen": (events.OpenerChosen, _SEAT),
        "round_started": (events.RoundStarted, {"round": _ROUND, "opener": SEAT, "palifico": MAYBE_SEAT}),
        "dice_rolled": (events.DiceRolled, {"seat": SEAT, "dice": HAND}),
        "dice_shown": (events.DiceShown, _SHOWN),
        "bid_made": (events.BidMade, {"bid": BID}),
        "dudo_called": (events.DudoCalled, _DOUBT),
        "calza_called": (events.CalzaCalled, _DOUBT),
        "revealed": (
            events.Revealed,
            {
                "dice": DICE,
                "bid": BID,
                "matching": COUNT.note("How many dice counted for the bid."),
                "ones_are_wild": BOOLEAN,
                "holds": BOOLEAN,
                "exact": BOOLEAN,
            },
        ),
        "dice_lost": (events.DiceLost, {"seat": SEAT, "amount": whole(1), "remaining": COUNT}),
        "die_regained": (events.DieRegained, {"seat": SEAT, "amount": whole(0, 1)}),
        "seat_out": (events.SeatOut, _PLACE),
        "seat_left": (events.SeatLeft, _PLACE),
        "round_voided": (events.RoundVoided, {"round": _ROUND}),
        "round_conceded": (events.RoundConceded, _SEAT),
        "game_over": (events.GameOver, {"outcome": OUTCOME}),
    },
)

STATE_FIELDS: Final = {
    "rules": RULES,
    "seats": many(TEXT).note("The players' names."),
    "phase": _word(Phase),
    "round": COUNT.note("0 before the first round."),
    "dice_counts": many(COUNT).note("For each seat. Where rules.lost_dice is hidden, an interface does not show them."),
    "dice": DICE,
    "opener": MAYBE_SEAT.note("Who opens or opened the round."),
    "turn": MAYBE_SEAT.note("null while nobody is on turn."),
    "bids": many(BID).note("Of this round, the oldest first."),
    "palifico": MAYBE_SEAT.note("Whose palifico round it is."),
    "contenders": SEATS.note("Who may still open the game, while rolls decide it."),
    "had_palifico": many(SEAT, frozenset).note("Who has had a palifico round."),
    "eliminated": SEATS.note("Who is out, in the order in which they left the game."),
    "shown": many(_named("Shown", struct(events.DiceShown, _SHOWN))).note(
        "What players have shown in this round after their bids, the oldest first; it is the beginning of their hand."
    ),
}


class _Ranges(NamedTuple):
    """Legal calls as a client gets them."""

    bids: tuple[tuple[int, int, int], ...]
    dudo: bool
    calza: bool

    @classmethod
    def of(cls, calls: LegalCalls) -> _Ranges:
        others = {type(call) for call in calls[len(calls.bid_numbers) :]}
        return cls(calls.bid_ranges, actions.Dudo in others, actions.Calza in others)


_RANGES: Final = struct(
    _Ranges,
    {
        "bids": many(_tuple_of(FACE, whole(1), whole(1))).note(
            "For each face that may be bid: the face, its lowest and its highest quantity."
        ),
        "dudo": BOOLEAN,
        "calza": BOOLEAN,
    },
)
OBSERVATION_FIELDS: Final = {
    "seat": MAYBE_SEAT.note("Whose knowledge it is; null for a bystander."),
    **STATE_FIELDS,
    "dice_counts": replace(STATE_FIELDS["dice_counts"], read=many(whole(0, MAX_STARTING_DICE, strict=True)).read),
    "dice": HAND.note("The seat's own dice."),
    "ones_are_wild": BOOLEAN,
    "max_quantity": COUNT.note("The highest quantity that may be bid."),
    "outcome": optional(OUTCOME).note("null until the game is over."),
    "legal_calls": replace(
        _RANGES.note("The seat's legal calls."), write=lambda calls: _RANGES.write(_Ranges.of(calls))
    ),
    "supporting_dice": HAND.note("The seat's dice that it may show now, to roll the others again."),
}
"""Written out, so that a new field of a value does not change what is stored or sent unnoticed."""
