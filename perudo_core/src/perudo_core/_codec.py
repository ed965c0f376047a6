"""States, actions and events as JSON values for a program's own storage, and back.

Do not use these functions for a client's data: states contain all players' dice, and any client could send a roll.
`perudo_core._client_codec` is for clients.

Every later version loads the data that any version stored, as the value that the same actions lead to. The frozen games
in `tests/perudo_core/stored_games` test each version for that. A new version follows three rules:

- A new field of a state comes with the next `perudo-state/` number and an entry in `_UPGRADES` that gives the field its
  default in older data.
- A new option of the rules has, in every preset and in `Rules()`, the value that plays as before; older data get this
  value from the preset that they name.
- Actions and events have no schema number. Their readers give a new field its default.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from perudo_core._actions import Action
from perudo_core._consistency import proved_state
from perudo_core._errors import StateError, expect_type
from perudo_core._events import Event
from perudo_core._fields import ACTION, EVENT, STATE_FIELDS, read_document, write_fields
from perudo_core._state import State

Upgrade = Callable[[dict[str, Any]], dict[str, Any]]

__all__ = ["dump_action", "dump_event", "dump_state", "load_action", "load_event", "load_state"]


STATE_SCHEMA: Final = "perudo-state/2"


def dump_state(state: State) -> dict[str, Any]:
    """Return the whole state, hidden dice and all options included, as a JSON value that every later version can load.

    Store it, and send a client `dump_observation` instead.

    >>> from perudo_core import Rules, new_game
    >>> dump_state(new_game(Rules(), ["Ana", "Bo"]))["schema"]
    'perudo-state/2'
    """
    expect_type(state, State, "state")
    return {"schema": STATE_SCHEMA} | write_fields(state, STATE_FIELDS)


def dump_action(action: Action) -> dict[str, Any]:
    """Return an action, by its `type` and fields.

    Raises `TypeError` for a value that is not an action.

    >>> from perudo_core import Bid
    >>> dump_action(Bid(seat=0, quantity=5, face=3))
    {'type': 'bid', 'seat': 0, 'quantity': 5, 'face': 3}
    """
    return ACTION.write(action)


def dump_event(event: Event) -> dict[str, Any]:
    """Return an event, by its `type` and fields, without its audience.

    Raises `TypeError` for a value that is not an event. Send a client only the events of `visible_events`.

    >>> from perudo_core import SeatOut
    >>> dump_event(SeatOut(seat=2, place=3))
    {'type': 'seat_out', 'seat': 2, 'place': 3}
    """
    return EVENT.write(event)


def load_action(data: Any) -> Action:
    """Return the action that `dump_action` wrote, in this version or an earlier one.

    Only for storage that the program itself writes. The function reads every action of every seat, rolls included, so a
    client whose data it reads could choose all dice; `load_call` is for clients. Raises `StateError` for data that no
    version wrote. The action may be illegal: `apply` checks it.

    >>> load_action({"type": "roll", "dice": [[1, 6], [2, 2]]})
    Roll(dice=((1, 6), (2, 2)))
    """
    action: Action = ACTION.read(data)
    return action


def load_event(data: Any) -> Event:
    """Return the event that `dump_event` wrote, in this version or an earlier one.

    Raises `StateError` for data that no version wrote.

    >>> load_event({"type": "seat_left", "seat": 1, "place": 2})
    SeatLeft(seat=1, place=2)
    """
    event: Event = EVENT.read(data)
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
    return proved_state(**read_document(_upgraded(data), "state", STATE_SCHEMA, STATE_FIELDS))


def _upgraded(data: Any) -> Any:
    """Return the data of a state from any version, as this version would write them."""
    if isinstance(data, dict) and "schema" not in data:
        raise StateError(f"state lacks 'schema', which dump_state writes ({STATE_SCHEMA})")
    while isinstance(data, dict) and isinstance(data["schema"], str) and data["schema"] in _UPGRADES:
        data = _UPGRADES[data["schema"]](data)
    return data


_UPGRADES: Final[dict[str, Upgrade]] = {"perudo-state/1": lambda data: data | {"schema": "perudo-state/2", "shown": []}}
"""For each earlier schema, the function that turns its data into the next schema's and sets `schema`."""
