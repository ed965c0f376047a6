"""States, actions and events as JSON values, and back: `StateError` for what the library did not write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from perudo_core import _json_reading as read
from perudo_core import actions, events
from perudo_core._consistency import proved_state
from perudo_core.actions import Bid
from perudo_core.errors import RulesError, StateError, abbreviated, expect_type
from perudo_core.outcome import Outcome
from perudo_core.rules import Rules
from perudo_core.state import Phase, State, complete_setup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Readers = Mapping[str, Callable[[Any, str], Any]]

__all__ = ["dump_action", "dump_event", "dump_state", "load_action", "load_event", "load_state"]


STATE_SCHEMA: Final = "perudo-state/1"


def dump_state(state: State) -> dict[str, Any]:
    """The whole state, hidden dice and all options included, as a JSON value that every later version can load.

    >>> from perudo_core import Rules, new_game
    >>> dump_state(new_game(Rules(), ["Ana", "Bo"]))["schema"]
    'perudo-state/1'
    """
    expect_type(state, State, "state")
    return {"schema": STATE_SCHEMA} | {name: _plain(getattr(state, name)) for name in _STATE_FIELDS}


def dump_action(action: actions.Action) -> dict[str, Any]:
    """An action, by its `type` and fields."""
    return _dump_typed(action, "action", _TYPE_OF_ACTION)


def dump_event(event: events.Event) -> dict[str, Any]:
    """An event, by its `type` and fields. Who may know it follows from these and is not written."""
    return _dump_typed(event, "event", _TYPE_OF_EVENT)


def load_action(data: Any) -> actions.Action:
    """The action that `dump_action` wrote: well formed, but whether it is legal is for `check` to say."""
    action: actions.Action = _load_typed(data, "action", _ACTIONS)
    return action


def load_event(data: Any) -> events.Event:
    """The event that `dump_event` wrote."""
    event: events.Event = _load_typed(data, "event", _EVENTS)
    return event


def load_state(data: Any) -> State:
    """The state that `dump_state` wrote, in this version or an earlier one.

    Raises `StateError` for data that no version wrote, and for a state that does not fit its rules or whose bids do not
    follow one another. How a game came to a state cannot be proved from the state: for that keep the record.

    >>> from perudo_core import Rules, new_game
    >>> state = new_game(Rules(), ["Ana", "Bo"])
    >>> load_state(dump_state(state)) == state
    True
    """
    data = _newest_state(data)
    setup = complete_setup(
        rules=_rules(data["rules"]),
        seats=tuple(read.string(name, "seats") for name in read.sequence(data["seats"], "seats")),
        phase=_phase(data["phase"]),
        round=read.integer(data["round"], "round"),
        dice_counts=read.integers(data["dice_counts"], "dice_counts", 0, read.MAX_INTEGER),
        dice=read.dice(data["dice"], "dice"),
        opener=_seat_or_none(data["opener"], "opener"),
        palifico=_seat_or_none(data["palifico"], "palifico"),
        contenders=_seats(data["contenders"], "contenders"),
        had_palifico=frozenset(_seats(data["had_palifico"], "had_palifico")),
        eliminated=_seats(data["eliminated"], "eliminated"),
    )
    turn = _seat_or_none(data["turn"], "turn")
    bids = tuple(_bid(bid, "bids") for bid in read.sequence(data["bids"], "bids"))
    return proved_state(setup, turn, bids)


def _newest_state(data: Any) -> dict[str, Any]:
    """The data of a state of any version, by the names of the newest one."""
    if isinstance(data, dict) and "schema" not in data:  # before 0.2
        data = {"schema": STATE_SCHEMA} | {"eliminated" if key == "gone" else key: data[key] for key in data}
    newest = read.mapping(data, "state", ("schema", *_STATE_FIELDS))
    if newest["schema"] != STATE_SCHEMA:
        raise StateError(f"unknown schema {abbreviated(newest['schema'])}, not {STATE_SCHEMA}")
    return newest


def _dump_typed(value: Any, name: str, kinds: Mapping[type, str]) -> dict[str, Any]:
    if type(value) not in kinds:
        raise TypeError(f"{name} must be an {name}, not {type(value).__name__}")
    return {"type": kinds[type(value)]} | _fields(value)


def _fields(value: Any) -> dict[str, Any]:
    return {name: _plain(getattr(value, name)) for name in value._fields}


def _plain(value: Any) -> Any:
    if value is None or type(value) in {int, str, bool}:
        return value
    if type(value) is tuple:
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Phase):
        return value.value
    if isinstance(value, Rules):
        return value.to_dict()
    if not isinstance(value, Bid | Outcome):
        raise TypeError(f"a field must be a value of this library, not {type(value).__name__}")
    return _fields(value)


def _load_typed(data: Any, where: str, kinds: Mapping[str, tuple[type, Readers]]) -> Any:
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or _TYPES_BEFORE_0_2.get(kind, kind) not in kinds:
        raise StateError(f"{where} must be an object with a known type, not {abbreviated(data)}")
    kind = _TYPES_BEFORE_0_2.get(kind, kind)
    made, readers = kinds[kind]
    if kind in _FIELDS_BEFORE_0_2:
        data = {_FIELDS_BEFORE_0_2[kind].get(name, name): data[name] for name in data}
    read.mapping(data, kind, ("type", *readers))
    return made(**{name: reader(data[name], f"{kind}.{name}") for name, reader in readers.items()})


def _rules(value: Any) -> Rules:
    if not isinstance(value, dict):
        raise StateError(f"rules must be an object, not {abbreviated(value)}")
    try:
        return Rules.from_dict(value)
    except RulesError as error:
        raise StateError(f"rules: {error}") from None


def _phase(value: Any) -> Phase:
    if not isinstance(value, str) or value not in list(Phase):
        raise StateError(f"phase must be one of {', '.join(Phase)}, not {abbreviated(value)}")
    return Phase(value)


def _seat_or_none(value: Any, where: str) -> int | None:
    return read.optional(read.integer, value, where)


def _seats(value: Any, where: str) -> tuple[int, ...]:
    return read.integers(value, where, 0, read.MAX_INTEGER)


def _bid(value: Any, where: str) -> actions.Bid:
    data = read.mapping(value, where, _BID)
    return actions.Bid(**{name: reader(data[name], f"{where}.{name}") for name, reader in _BID.items()})


def _outcome(value: Any, where: str) -> Outcome:
    data = read.mapping(value, where, ("winner", "placements"))
    return Outcome(read.integer(data["winner"], where), read.integers(data["placements"], where, 1, read.MAX_INTEGER))


def _hand(value: Any, where: str) -> tuple[int, ...]:
    return read.integers(value, where, 1, 6)


def _count_or_none(value: Any, where: str) -> int | None:
    return read.optional(read.integer, value, where)


_SEAT: Final[Readers] = {"seat": read.integer}
_BID: Final[Readers] = {
    "seat": read.integer,
    "quantity": read.integer,
    "face": read.integer,
}
_DICE: Final[Readers] = {"dice": read.dice}
_PLACE: Final[Readers] = {"seat": read.integer, "place": read.integer}
_DOUBT: Final[Readers] = {"seat": read.integer, "bid": _bid}

_ACTIONS: Final[Mapping[str, tuple[type, Readers]]] = {
    "bid": (actions.Bid, _BID),
    "dudo": (actions.Dudo, _SEAT),
    "calza": (actions.Calza, _SEAT),
    "concede": (actions.Concede, _SEAT),
    "leave": (actions.Leave, _SEAT),
    "roll": (actions.Roll, _DICE),
    "opening_roll": (actions.OpeningRoll, _DICE),
    "opener_draw": (actions.OpenerDraw, _SEAT),
}
_EVENTS: Final[Mapping[str, tuple[type, Readers]]] = {
    "opener_rolled": (events.OpenerRolled, {"dice": read.dice, "tied": _seats}),
    "opener_chosen": (events.OpenerChosen, _SEAT),
    "round_started": (
        events.RoundStarted,
        {"round": read.integer, "opener": read.integer, "palifico": _seat_or_none},
    ),
    "dice_rolled": (events.DiceRolled, {"seat": read.integer, "dice": _hand}),
    "bid_made": (events.BidMade, {"bid": _bid}),
    "dudo_called": (events.DudoCalled, _DOUBT),
    "calza_called": (events.CalzaCalled, _DOUBT),
    "revealed": (
        events.Revealed,
        {
            "dice": read.dice,
            "bid": _bid,
            "matching": read.integer,
            "ones_are_wild": read.boolean,
            "holds": read.boolean,
            "exact": read.boolean,
        },
    ),
    "dice_lost": (events.DiceLost, {"seat": read.integer, "amount": read.integer, "remaining": _count_or_none}),
    "die_regained": (events.DieRegained, {"seat": read.integer, "amount": read.integer}),
    "seat_out": (events.SeatOut, _PLACE),
    "seat_left": (events.SeatLeft, _PLACE),
    "round_voided": (events.RoundVoided, {"round": read.integer}),
    "round_conceded": (events.RoundConceded, _SEAT),
    "game_over": (events.GameOver, {"outcome": _outcome}),
}
_STATE_FIELDS: Final = (
    "rules",
    "seats",
    "phase",
    "round",
    "dice_counts",
    "dice",
    "opener",
    "turn",
    "bids",
    "palifico",
    "contenders",
    "had_palifico",
    "eliminated",
)
_TYPES_BEFORE_0_2: Final = {
    "forfeit": "concede",
    "resign": "leave",
    "round_forfeited": "round_conceded",
    "seat_resigned": "seat_left",
}
_FIELDS_BEFORE_0_2: Final = {
    "revealed": {"count": "matching", "ones_wild": "ones_are_wild"},
    "dice_lost": {"left": "remaining"},
}
_TYPE_OF_ACTION: Final = {made: kind for kind, (made, _) in _ACTIONS.items()}
_TYPE_OF_EVENT: Final = {made: kind for kind, (made, _) in _EVENTS.items()}
