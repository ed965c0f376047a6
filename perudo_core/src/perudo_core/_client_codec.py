"""Observations and calls as JSON values, for a client: a web game, or another program on the network.

`dump_observation` gives a client everything that its seat may know. A client sends only calls, and `load_call` reads
them. To show a client the events since the last observation, send
`dump_event(event)` for each of `visible_events(events, seat)`.
"""

from __future__ import annotations

from typing import Any, Final

from perudo_core._actions import Call, Seat
from perudo_core._call_text import parse_call
from perudo_core._consistency import proved_state
from perudo_core._errors import NotationError, StateError, abbreviated, expect_type, whole_number
from perudo_core._fields import ACTION, OBSERVATION_FIELDS, STATE_FIELDS, read_document, write_fields
from perudo_core._json_reading import integer
from perudo_core._observation import Observation, observe
from perudo_core._phase import Phase
from perudo_core._round_setup import open_dice
from perudo_core._rules import MAX_SEATS
from perudo_core._state import State

__all__ = ["dump_observation", "load_call", "load_observation"]

OBSERVATION_SCHEMA: Final = "perudo-observation/3"
_CALLS: Final = ("bid", "dudo", "calza")
_EXAMPLES: Final = (
    '{"type": "bid", "quantity": 5, "face": 3}, {"type": "dudo"}, {"type": "calza"} or a text such as "5x3"'
)


def dump_observation(observation: Observation) -> dict[str, Any]:
    """Return everything that a seat or a bystander may know, as a JSON object.

    A client needs no other data to show the game.

    The keys are `schema` and the fields of `Observation`. `seat` is null for a bystander. `legal_calls` has the keys
    `bids`, a list of `[face, lowest quantity, highest quantity]`, and `dudo` and `calza`, which are true or false.
    `supporting_dice` are those that the client may show, by `Rules.reroll_after_bid`, which no call does.
    `load_call` reads the call that the client chooses. `perudo_core/schemas/observation.json` is the JSON Schema.
    Raises `TypeError` for a value that is not an observation.

    >>> from perudo_core import Bid, Rules, observe, set_up
    >>> state = set_up(Rules(starting_dice=2), ((2, 5), (3, 6)), [Bid(0, 4, 5)])
    >>> seen = dump_observation(observe(state, 1))
    >>> seen["dice"], seen["bids"]
    ([3, 6], [{'seat': 0, 'quantity': 4, 'face': 5}])
    >>> seen["legal_calls"]
    {'bids': [[1, 2, 4], [6, 4, 4]], 'dudo': True, 'calza': False}
    """
    expect_type(observation, Observation, "observation")
    return {"schema": OBSERVATION_SCHEMA} | write_fields(observation, OBSERVATION_FIELDS)


def load_observation(data: Any) -> Observation:
    """Return the observation that `dump_observation` wrote, for a client in Python.

    Raises `StateError` for other data, and for an observation of no possible state: bids that may not follow one
    another, or a limit or legal call that does not fit the rest.

    >>> from perudo_core import Rules, new_game, observe
    >>> seen = observe(new_game(Rules(), ["Ana", "Bo"]), 1)
    >>> load_observation(dump_observation(seen)) == seen
    True
    """
    fields = read_document(data, "observation", OBSERVATION_SCHEMA, OBSERVATION_FIELDS)
    seat = fields.pop("seat")
    try:
        if seat is not None:
            seat = integer(seat, "seat", 0, max(0, len(fields["seats"]) - 1))
        observation = observe(_fitting_state(seat, fields), seat)
    except StateError as error:
        raise StateError(f"observation: {str(error).removeprefix('state: ')}") from None
    follows = write_fields(observation, OBSERVATION_FIELDS)
    for key in follows.keys() - {"rules"}:
        if data[key] != follows[key]:
            raise StateError(f"observation: {key} does not follow from the rest: {abbreviated(data[key])}")
    return observation


def load_call(data: Any, seat: Seat) -> Call:
    """Return the call that a client of this seat sends: only a bid, a dudo or a calza of this seat.

    `data` is an object as `dump_action` writes it, with or without the `seat`, or a text that `parse_call` reads.
    `seat` is the client's seat, 0 to 49, from the program's own records. Raises `StateError` for any other data and
    for another player's seat; `TypeError` or `ValueError` for a bad `seat`. The call may still be illegal: `apply`
    checks it. A program that lets players concede, leave or roll again makes these actions itself.

    >>> load_call("5x3", seat=1), load_call({"type": "dudo"}, seat=1)
    (Bid(seat=1, quantity=5, face=3), Dudo(seat=1))
    >>> load_call({"type": "dudo", "seat": 0}, seat=1)
    Traceback (most recent call last):
        ...
    perudo_core.StateError: dudo.seat must be 1, the client's own, or left out, not 0
    """
    seat = whole_number(seat, "seat", 0, MAX_SEATS - 1)
    try:
        call = parse_call(data, seat) if isinstance(data, str) else _call_of_object(data, seat)
    except NotationError:
        call = None
    if call is None:
        raise StateError(f"a call is {_EXAMPLES}, not {abbreviated(data)}")
    return call


def _call_of_object(data: Any, seat: Seat) -> Call | None:
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in _CALLS:
        return None
    if "seat" in data and (type(data["seat"]) is not int or data["seat"] != seat):
        raise StateError(f"{kind}.seat must be {seat}, the client's own, or left out, not {abbreviated(data['seat'])}")
    call: Call = ACTION.read(data | {"seat": seat})
    return call


def _fitting_state(seat: Seat | None, fields: dict[str, Any]) -> State:
    """Return a state that gives this observation, if there is one: each hidden die is a one."""
    counts, own = fields["dice_counts"], fields["dice"]
    shown = (open_dice(fields["shown"], other) for other in range(len(counts)))
    hands = tuple(
        own if other == seat else seen + (1,) * (count - len(seen))
        for other, (seen, count) in enumerate(zip(shown, counts, strict=True))
    )
    rolled = fields["phase"] is Phase.BIDDING
    return proved_state(
        **{name: fields[name] for name in STATE_FIELDS} | {"dice": hands if rolled else ((),) * len(counts)}
    )
