"""States, actions and events as JSON values, and back: `StateError` for what the library did not write."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from perudo_core import _reading as read
from perudo_core import actions, events
from perudo_core.engine import apply
from perudo_core.errors import IllegalActionError, RulesError, StateError, expect, shown
from perudo_core.outcome import Outcome
from perudo_core.rules import Opener, Rules
from perudo_core.state import Phase, State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Readers = Mapping[str, Callable[[Any, str], Any]]

__all__ = ["dump_action", "dump_event", "dump_state", "load_action", "load_event", "load_state"]


MOST_BIDS: Final = 10_000  # of a round; each takes the longer to prove the more there are before it


def dump_state(state: State) -> dict[str, Any]:
    """The whole state, hidden dice and all options included."""
    expect(state, State, "state")
    return _fields(state)


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
    """The state that `dump_state` wrote, after proving that it fits its rules and that its bids follow one another.

    How a game came to be in it is not to be seen in a state: for that keep the record.
    """
    data = read.mapping(data, "state", [field.name for field in fields(State)])
    state = State(
        rules=_rules(data["rules"]),
        seats=tuple(read.string(name, "seats") for name in read.sequence(data["seats"], "seats")),
        phase=_phase(data["phase"]),
        round=read.integer(data["round"], "round"),
        dice_counts=read.integers(data["dice_counts"], "dice_counts", 0, read.BIGGEST),
        dice=read.dice(data["dice"], "dice"),
        opener=_seat_or_none(data["opener"], "opener"),
        turn=_seat_or_none(data["turn"], "turn"),
        bids=tuple(_bid(bid, "bids") for bid in read.sequence(data["bids"], "bids")),
        palifico=_seat_or_none(data["palifico"], "palifico"),
        contenders=_seats(data["contenders"], "contenders"),
        had_palifico=frozenset(_seats(data["had_palifico"], "had_palifico")),
        gone=_seats(data["gone"], "gone"),
    )
    _prove_table(state)
    _prove_phase(state)
    _prove_losses(state)
    return state


def _dump_typed(value: Any, name: str, kinds: Mapping[type, str]) -> dict[str, Any]:
    if type(value) not in kinds:
        raise TypeError(f"{name} must be an {name}, not {type(value).__name__}")
    return {"type": kinds[type(value)]} | _fields(value)


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _plain(value: Any) -> Any:
    if value is None or type(value) in {int, str, bool}:
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Phase):
        return value.value
    if isinstance(value, Rules):
        return value.to_dict()
    if not is_dataclass(value):
        raise TypeError(f"a field must be a value of this library, not {type(value).__name__}")
    return _fields(value)


def _load_typed(data: Any, where: str, kinds: Mapping[str, tuple[type, Readers]]) -> Any:
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise StateError(f"{where} must be an object with a known type, not {shown(data)}")
    made, readers = kinds[kind]
    read.mapping(data, kind, ("type", *readers))
    return made(**{name: reader(data[name], f"{kind}.{name}") for name, reader in readers.items()})


def _prove_table(state: State) -> None:
    rules, size = state.rules, len(state.seats)
    _prove(rules.min_seats <= size <= (rules.max_seats or size), "seats do not fit the rules")
    _prove(len(state.dice_counts) == size, "dice_counts must have one for each seat")
    _prove(max(state.dice_counts) <= rules.starting_dice, "dice_counts above the start")
    out = [seat for seat, count in enumerate(state.dice_counts) if count == 0]
    _prove(sorted(state.gone) == out, "gone must be the seats without dice")
    _prove((size - len(out) == 1) == state.is_terminal and len(out) < size, "phase does not fit the dice")
    _prove(all(seat < size for seat in state.had_palifico), "had_palifico names no seat")
    _prove(len(state.dice) == size, "dice must have one hand for each seat")


def _prove_phase(state: State) -> None:
    phase, seats_in = state.phase, state.seats_in
    if phase is Phase.OPENING and state.rules.opener is not Opener.RANDOM:
        contenders = state.contenders
        _prove(len(contenders) > 1 and set(contenders) <= set(seats_in), "contenders must be players still in")
        _prove(list(contenders) == sorted(set(contenders)), "contenders must be in order")
    else:
        _prove(not state.contenders, "contenders without a contest")
    if phase in {Phase.OPENING, Phase.OVER}:
        _prove(state.opener is None and state.palifico is None, f"no opener and no palifico while {phase}")
    else:
        _prove(state.opener in seats_in, "opener must be a player still in")
    if state.palifico is not None:
        fits = state.rules.palifico and state.palifico == state.opener and state.dice_counts[state.palifico] == 1
        _prove(fits, "palifico must be the opener with one die")
    _prove(phase is not Phase.OPENING or state.round == 0, "no round while opening")
    if phase is Phase.BIDDING:
        _prove_bidding(state)
    else:
        _prove(not any(state.dice) and not state.bids and state.turn is None, f"no dice, bids or turn while {phase}")


def _prove_bidding(state: State) -> None:
    _prove(state.round > 0, "bidding needs a round")
    _prove(len(state.bids) <= MOST_BIDS, "too many bids")
    _prove(tuple(map(len, state.dice)) == state.dice_counts, "dice do not fit dice_counts")
    again = replace(state, bids=(), turn=state.opener)
    try:
        for bid in state.bids:
            again = apply(again, bid).state
    except IllegalActionError as error:
        raise StateError(f"state: an illegal bid: {error}") from None
    _prove(again.turn == state.turn, "turn does not follow the bids")


def _prove_losses(state: State) -> None:
    rules, players = state.rules, state.seats_in
    if state.round == 0 or rules.sudden_death:
        held = {state.dice_counts[seat] for seat in players}
        _prove(held == {rules.starting_dice}, "nobody can have lost some of his dice and kept some")
    drops = rules.palifico and rules.starting_dice > 1 and not rules.sudden_death
    _prove(drops or not state.had_palifico, "had_palifico where nobody can drop to one die")
    if state.palifico is not None:
        _prove(drops and state.round > 0, "palifico is for who dropped to one die")
        _prove(rules.palifico_with_two_players or len(players) > 2, "no palifico with two players")  # noqa: PLR2004 - the option's own words
        _prove(state.phase is Phase.ROLLING or state.palifico in state.had_palifico, "had_palifico lacks the player")


def _prove(holds: bool, fault: str) -> None:
    if not holds:
        raise StateError(f"state: {fault}")


def _rules(value: Any) -> Rules:
    if not isinstance(value, dict):
        raise StateError(f"rules must be an object, not {shown(value)}")
    try:
        return Rules.from_dict(value)
    except RulesError as error:
        raise StateError(f"rules: {error}") from None


def _phase(value: Any) -> Phase:
    if not isinstance(value, str) or value not in list(Phase):
        raise StateError(f"phase must be one of {', '.join(Phase)}, not {shown(value)}")
    return Phase(value)


def _seat_or_none(value: Any, where: str) -> int | None:
    return read.optional(read.integer, value, where)


def _seats(value: Any, where: str) -> tuple[int, ...]:
    return read.integers(value, where, 0, read.BIGGEST)


def _bid(value: Any, where: str) -> actions.Bid:
    data = read.mapping(value, where, _BID)
    return actions.Bid(**{name: reader(data[name], f"{where}.{name}") for name, reader in _BID.items()})


def _outcome(value: Any, where: str) -> Outcome:
    data = read.mapping(value, where, ("winner", "placements"))
    return Outcome(read.integer(data["winner"], where), read.integers(data["placements"], where, 1, read.BIGGEST))


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
    "forfeit": (actions.Forfeit, _SEAT),
    "resign": (actions.Resign, _SEAT),
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
            "count": read.integer,
            "ones_wild": read.boolean,
            "holds": read.boolean,
            "exact": read.boolean,
        },
    ),
    "dice_lost": (events.DiceLost, {"seat": read.integer, "amount": read.integer, "left": _count_or_none}),
    "die_regained": (events.DieRegained, {"seat": read.integer, "amount": read.integer}),
    "seat_out": (events.SeatOut, _PLACE),
    "seat_resigned": (events.SeatResigned, _PLACE),
    "round_voided": (events.RoundVoided, {"round": read.integer}),
    "round_forfeited": (events.RoundForfeited, _SEAT),
    "game_over": (events.GameOver, {"outcome": _outcome}),
}
_TYPE_OF_ACTION: Final = {made: kind for kind, (made, _) in _ACTIONS.items()}
_TYPE_OF_EVENT: Final = {made: kind for kind, (made, _) in _EVENTS.items()}
