"""States, actions and events as JSON values for a program's own storage, and back.

Do not use these functions for a client's data: states contain all players' dice, and any client could send a roll.
`perudo_core._client_codec` is for clients.

Every later version loads the data that any version stored, as the value that the same actions lead to. The frozen games
in `tests/perudo_core/stored_games` test each version for that. A new version follows three rules:

- A new field of a state comes with the next `perudo-state/` number and an entry in `_UPGRADES` that gives the field its
  default in older data.
- A new option of the rules has, in every preset and in `Rules()`, the value that plays as before; older data get this
  value from the preset that they name.
- Actions and events have no schema number. `_load_typed` gives a new field its default and reads a renamed field under
  its old name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from perudo_core import _actions as actions
from perudo_core import _events as events
from perudo_core import _json_reading as read
from perudo_core._actions import Dice
from perudo_core._consistency import proved_state
from perudo_core._errors import StateError, abbreviated, expect_type
from perudo_core._json_writing import plain, plain_fields
from perudo_core._round_setup import RoundSetup, complete_setup
from perudo_core._state import State

Readers = Mapping[str, Callable[[Any, str], Any]]
Upgrade = Callable[[dict[str, Any]], dict[str, Any]]

__all__ = ["dump_action", "dump_event", "dump_state", "load_action", "load_event", "load_state"]


STATE_SCHEMA: Final = "perudo-state/1"


def dump_state(state: State) -> dict[str, Any]:
    """Return the whole state, hidden dice and all options included, as a JSON value that every later version can load.

    Store it, and send a client `dump_observation` instead.

    >>> from perudo_core import Rules, new_game
    >>> dump_state(new_game(Rules(), ["Ana", "Bo"]))["schema"]
    'perudo-state/1'
    """
    expect_type(state, State, "state")
    return {"schema": STATE_SCHEMA} | {name: plain(getattr(state, name)) for name in _STATE_FIELDS}


def dump_action(action: actions.Action) -> dict[str, Any]:
    """Return an action, by its `type` and fields.

    Raises `TypeError` for a value that is not an action.

    >>> from perudo_core import Bid
    >>> dump_action(Bid(seat=0, quantity=5, face=3))
    {'type': 'bid', 'seat': 0, 'quantity': 5, 'face': 3}
    """
    return _dump_typed(action, "action", _TYPE_OF_ACTION)


def dump_event(event: events.Event) -> dict[str, Any]:
    """Return an event, by its `type` and fields, without its audience.

    Raises `TypeError` for a value that is not an event. Send a client only the events of `visible_events`.

    >>> from perudo_core import SeatOut
    >>> dump_event(SeatOut(seat=2, place=3))
    {'type': 'seat_out', 'seat': 2, 'place': 3}
    """
    return _dump_typed(event, "event", TYPE_OF_EVENT)


def load_action(data: Any) -> actions.Action:
    """Return the action that `dump_action` wrote, in this version or an earlier one.

    Only for storage that the program itself writes. The function reads every action of every seat, rolls included, so a
    client whose data it reads could choose all dice; `load_call` is for clients. Raises `StateError` for data that no
    version wrote. The action may be illegal: `apply` checks it.

    >>> load_action({"type": "roll", "dice": [[1, 6], [2, 2]]})
    Roll(dice=((1, 6), (2, 2)))
    """
    action: actions.Action = _load_typed(data, "action", _ACTIONS)
    return action


def load_event(data: Any) -> events.Event:
    """Return the event that `dump_event` wrote, in this version or an earlier one.

    Raises `StateError` for data that no version wrote.

    >>> load_event({"type": "seat_resigned", "seat": 1, "place": 2})  # as 0.1 wrote it
    SeatLeft(seat=1, place=2)
    """
    event: events.Event = _load_typed(data, "event", _EVENTS)
    return event


def load_state(data: Any) -> State:
    """Return the state that `dump_state` wrote, in this version or an earlier one.

    Raises `StateError` for data that no version wrote, and for a state that does not fit its rules or whose bids may
    not follow one another. A state does not prove its own history: keep the record for that.

    >>> from perudo_core import Rules, new_game
    >>> state = new_game(Rules(), ["Ana", "Bo"])
    >>> load_state(dump_state(state)) == state
    True
    """
    data = _upgraded(data)
    setup = read_setup(data, read.dice(data["dice"], "dice"))
    return proved_state(setup, read.integer_or_none(data["turn"], "turn"), read.bids(data["bids"], "bids"))


def read_setup(data: dict[str, Any], dice: Dice) -> RoundSetup:
    """Return the part of a state, or of an observation, that stays the same while the players call, with these dice."""
    return complete_setup(
        rules=read.rules(data["rules"], "rules"),
        seats=tuple(read.string(name, "seats") for name in read.sequence(data["seats"], "seats")),
        phase=read.phase(data["phase"], "phase"),
        round=read.integer(data["round"], "round"),
        dice_counts=read.integers(data["dice_counts"], "dice_counts"),
        dice=dice,
        opener=read.integer_or_none(data["opener"], "opener"),
        palifico=read.integer_or_none(data["palifico"], "palifico"),
        contenders=read.integers(data["contenders"], "contenders"),
        had_palifico=frozenset(read.integers(data["had_palifico"], "had_palifico")),
        eliminated=read.integers(data["eliminated"], "eliminated"),
    )


def _upgraded(data: Any) -> dict[str, Any]:
    """Return the data of a state from any version, as this version would write them."""
    if not isinstance(data, dict):
        raise StateError(f"state must be an object, not {abbreviated(data)}")
    if "schema" not in data:
        if "rules" not in data:
            raise StateError(f"state lacks 'schema', which dump_state writes ({STATE_SCHEMA})")
        data = _upgraded_from_0_1(data)
    while isinstance(data["schema"], str) and data["schema"] in _UPGRADES:
        data = _UPGRADES[data["schema"]](data)
    if data["schema"] != STATE_SCHEMA:
        raise StateError(f"state has the unknown schema {abbreviated(data['schema'])}, not {STATE_SCHEMA}")
    return read.mapping(data, "state", ("schema", *_STATE_FIELDS))


def _upgraded_from_0_1(data: dict[str, Any]) -> dict[str, Any]:
    """Upgrade data of 0.1, which wrote no schema, and `gone` for `eliminated`."""
    names = {"gone": "eliminated"} if "eliminated" not in data else {}
    return {"schema": "perudo-state/1"} | {names.get(name, name): value for name, value in data.items()}


_UPGRADES: Final[dict[str, Upgrade]] = {}
"""For each earlier schema, the function that turns its data into the next schema's and sets `schema`."""


def _dump_typed(value: Any, name: str, kinds: Mapping[type, str]) -> dict[str, Any]:
    if type(value) not in kinds:
        raise TypeError(f"{name} must be an {name}, not {type(value).__name__}")
    return {"type": kinds[type(value)]} | plain_fields(value)


def _load_typed(data: Any, where: str, kinds: Mapping[str, tuple[type, Readers]]) -> Any:
    kind = data.get("type") if isinstance(data, dict) else None
    if isinstance(kind, str):
        kind = _TYPES_BEFORE_0_2.get(kind, kind)
    if not isinstance(kind, str) or kind not in kinds:
        raise StateError(f"{where} must be an object with a known type, not {abbreviated(data)}")
    made, readers = kinds[kind]
    for old, new in _FIELDS_BEFORE_0_2.get(kind, {}).items():
        if new not in data:
            data = {new if name == old else name: data[name] for name in data}
    read.mapping(data, kind, ("type", *readers))
    return made(**{name: reader(data[name], f"{kind}.{name}") for name, reader in readers.items()})


_SEAT: Final[Readers] = {"seat": read.integer}
_BID: Final[Readers] = {"seat": read.integer, "quantity": read.integer, "face": read.integer}
_DICE: Final[Readers] = {"dice": read.dice}
_PLACE: Final[Readers] = {"seat": read.integer, "place": read.integer}
_DOUBT: Final[Readers] = {"seat": read.integer, "bid": read.bid}

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
    "opener_rolled": (events.OpenerRolled, {"dice": read.dice, "tied": read.integers}),
    "opener_chosen": (events.OpenerChosen, _SEAT),
    "round_started": (
        events.RoundStarted,
        {"round": read.integer, "opener": read.integer, "palifico": read.integer_or_none},
    ),
    "dice_rolled": (events.DiceRolled, {"seat": read.integer, "dice": read.hand}),
    "bid_made": (events.BidMade, {"bid": read.bid}),
    "dudo_called": (events.DudoCalled, _DOUBT),
    "calza_called": (events.CalzaCalled, _DOUBT),
    "revealed": (
        events.Revealed,
        {
            "dice": read.dice,
            "bid": read.bid,
            "matching": read.integer,
            "ones_are_wild": read.boolean,
            "holds": read.boolean,
            "exact": read.boolean,
        },
    ),
    "dice_lost": (events.DiceLost, {"seat": read.integer, "amount": read.integer, "remaining": read.integer_or_none}),
    "die_regained": (events.DieRegained, {"seat": read.integer, "amount": read.integer}),
    "seat_out": (events.SeatOut, _PLACE),
    "seat_left": (events.SeatLeft, _PLACE),
    "round_voided": (events.RoundVoided, {"round": read.integer}),
    "round_conceded": (events.RoundConceded, _SEAT),
    "game_over": (events.GameOver, {"outcome": read.outcome}),
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
_TYPES_BEFORE_0_2: Final[dict[str, str]] = {
    "forfeit": "concede",
    "resign": "leave",
    "round_forfeited": "round_conceded",
    "seat_resigned": "seat_left",
}
_FIELDS_BEFORE_0_2: Final[dict[str, dict[str, str]]] = {
    "revealed": {"count": "matching", "ones_wild": "ones_are_wild"},
    "dice_lost": {"left": "remaining"},
}
_TYPE_OF_ACTION: Final = {made: kind for kind, (made, _) in _ACTIONS.items()}
TYPE_OF_EVENT: Final = {made: kind for kind, (made, _) in _EVENTS.items()}
