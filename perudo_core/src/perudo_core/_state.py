"""The state of a game as one immutable value, and the state that a game begins with."""

from collections.abc import Sequence
from dataclasses import FrozenInstanceError, dataclass, fields
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

from perudo_core._actions import Bid, Dice, Seat
from perudo_core._bid_lists import NO_BIDS
from perudo_core._bid_numbers import bid_number
from perudo_core._errors import RulesError, abbreviated, expect_tuple_of, expect_type, is_encodable, whole_number
from perudo_core._events import DiceShown, Event
from perudo_core._notebook import Table, table_html, table_text
from perudo_core._outcome import Outcome
from perudo_core._phase import Phase
from perudo_core._public_names import Listed
from perudo_core._round_setup import (
    OPENING,
    OVER,
    ROLLING,
    RoundSetup,
    StateFields,
    filled,
    game_over,
    open_dice,
    setup_of,
)
from perudo_core._rules import MAX_SEATS, OpenerMethod, Rules

__all__ = ["Phase", "State", "Transition", "complete_state", "new_game"]


def _refuse(name: str, *_: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _kept(name: str, doc: str, path: str = "_setup.{}") -> Any:
    """Return a property that reads a slot in C, and is faster than a method."""
    refuse = partial(_refuse, name)
    return property(attrgetter(path.format(name)), refuse, refuse, doc)


@dataclass(init=False, repr=False, eq=False, frozen=True)
class State(StateFields, metaclass=Listed):
    """The whole state of a game, hidden dice included; show a player `observe(state, seat)` instead.

    `new_game` makes the first state and `apply` each next one; a state never changes. `set_up` makes any position, and
    `load_state` a stored one. No state is made from fields, nor by `dataclasses.replace`.

    >>> from perudo_core import Bid, Rules, set_up
    >>> state = set_up(Rules(), ((2, 2, 5), (1, 6)), [Bid(0, 1, 2)])
    >>> state.turn, state.current_bid
    (1, Bid(seat=0, quantity=1, face=2))
    """

    __slots__ = ()

    rules: Rules = _kept("rules", "The options of the game.")
    seats: tuple[str, ...] = _kept("seats", "Display names in turn order.")
    phase: Phase = _kept("phase", "The phase of the game.")
    round: int = _kept(
        "round",
        "The number of rounds rolled so far, 0 before the first; a round that is rolled again has the next number.",
    )
    dice_counts: tuple[int, ...] = _kept("dice_counts", "The number of dice of each seat.")
    dice: Dice = _kept("dice", "Each seat's roll while bidding; `()` for every seat otherwise.")
    opener: Seat | None = _kept(
        "opener", "The seat that opens the current or next round, or None in the phases OPENING and OVER."
    )
    turn: Seat | None = _kept("turn", "The seat on turn, or None in every phase except BIDDING.", "_{}")
    bids: tuple[Bid, ...] = _kept("bids", "The bids of this round, oldest first.", "_{}")
    palifico: Seat | None = _kept("palifico", "The seat whose palifico round is now or next, or None if there is none.")
    contenders: tuple[Seat, ...] = _kept("contenders", "The seats that may still open the game, while rolls decide it.")
    had_palifico: frozenset[Seat] = _kept("had_palifico", "The seats that have had a palifico round.")
    eliminated: tuple[Seat, ...] = _kept(
        "eliminated", "The seats that are out, in the order in which they left the game."
    )
    shown: tuple[DiceShown, ...] = _kept(
        "shown", "What players have shown in this round, by `Rules.reroll_after_bid`, oldest first."
    )

    def __init__(self, *_: object, **__: object) -> None:
        """Refuse: fields of which one was changed are no state that a game can have."""
        raise TypeError("a state is made by new_game, set_up, apply or load_state, not from fields")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (self.turn, self.bids, self._setup) == (other.turn, other.bids, other._setup)

    def __hash__(self) -> int:
        return hash((self.turn, self.bids, self._setup))

    def __repr__(self) -> str:
        """Without hidden dice, so that a log may contain it."""
        bids = "".join(f" {bid}" for bid in self.bids)
        return f"<State: round {self.round}, {self.phase.value}, turn {self.turn},{bids or ' no bids'}>"

    def __str__(self) -> str:
        """In a terminal: a table with all dice, those that are hidden from the players too."""
        return table_text(*self._table())

    def _repr_html_(self) -> str:
        """In a notebook: the same table."""
        return table_html(*self._table())

    def _table(self) -> Table:
        dice = [hand or (None,) * count for hand, count in zip(self.dice, self.dice_counts, strict=True)]
        return f"Round {self.round}, {self.phase}", self.seats, dice, self.bids, self.turn

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(_unpickled, **{each.name: getattr(self, each.name) for each in fields(self)}), ()

    @property
    def current_bid(self) -> Bid | None:
        """The last bid of this round, or None before the first."""
        return self.bids[-1] if self.bids else None

    @property
    def total_dice(self) -> int:
        """The number of dice in play."""
        return sum(self.dice_counts)

    @property
    def active_seats(self) -> tuple[Seat, ...]:
        """The seats that still have dice."""
        return tuple(seat for seat, count in enumerate(self.dice_counts) if count)

    @property
    def open_dice(self) -> Dice:
        """The dice of each seat that all players see; they are the first of its hand."""
        return tuple(open_dice(self.shown, seat) for seat in range(len(self.seats)))

    @property
    def is_chance(self) -> bool:
        """Whether the game waits for a roll or a draw, which `sample_roll` and `chance_outcomes` provide."""
        phase = self._setup.phase
        return phase is ROLLING or phase is OPENING

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._setup.phase is OVER

    @property
    def ones_are_wild(self) -> bool:
        """Whether ones count for any face in this round; never in a palifico round, by all books."""
        return self._setup.ones_are_wild

    @property
    def max_quantity(self) -> int:
        """The highest quantity that may be bid.

        With visible lost dice it is the number of dice in play. With hidden lost dice it is the number of dice at the
        start of the game, because a lower limit would reveal how many are left.
        """
        return self._setup.standing.max_quantity

    @property
    def outcome(self) -> Outcome | None:
        """The winner and the final places, or None before the game is over."""
        setup = self._setup
        return game_over(setup.standing, setup.eliminated, setup.number).outcome if setup.phase is OVER else None

    def left_of(self, seat: Seat) -> Seat:
        """Return the next player's seat: the nearest to the left, or in the direction of play, that still has dice.

        The seat itself if no other has dice.

        Raises `ValueError` for a seat out of range.
        """
        return self._setup.standing.next_seats[self._setup.number % 2][
            whole_number(seat, "seat", 0, len(self.seats) - 1)
        ]


del State.__setattr__, State.__delattr__  # the properties refuse: the code of a frozen dataclass would slow `filled`


class Transition(NamedTuple):
    """The next state and the events on the way, in order: `state, events = apply(state, action)`."""

    state: State
    events: tuple[Event, ...]


def complete_state(setup: RoundSetup, turn: Seat | None = None, bids: tuple[Bid, ...] = ()) -> State:
    """Return the state of these parts; `proved_state` also proves that a game can have them."""
    last = bid_number(bids[-1].quantity, bids[-1].face) if bids else None
    next_bids = NO_BIDS if turn is None else setup.standing.bid_lists_of(turn, setup.palifico).of_seat[turn][last]
    made: State = filled(State.__new__(State), setup, turn, bids, next_bids)
    return made


def _unpickled(turn: Seat | None, bids: tuple[Bid, ...], **setup: Any) -> State:
    return complete_state(setup_of(**setup), turn, bids)


def new_game(rules: Rules, seats: int | Sequence[str], *, opener: Seat | None = None) -> State:
    """Return the state of a game before its first roll.

    `seats` are 2 to 50 display names in turn order, or the number of seats. With an `opener` the first roll is that of
    the first round; without one, chance finds the opener. Raises `RulesError` for a number of seats that the rules do
    not allow and for an opener that is not a seat.

    >>> new_game(Rules.preset("aces"), ["Ana", "Bo"]).phase.value
    'opening'
    """
    expect_type(rules, Rules, "rules")
    if isinstance(seats, str | bytes | bool) or not isinstance(seats, int | Sequence):
        raise TypeError(f"seats must be a number or a sequence of names, not {type(seats).__name__}")
    size = seats if isinstance(seats, int) else len(seats)
    most = MAX_SEATS if rules.max_seats is None else rules.max_seats
    if not rules.min_seats <= size <= most:
        raise RulesError(f"{abbreviated(size)} seats, where these rules seat {rules.min_seats} to {most}")
    names = tuple(f"Seat {n}" for n in range(1, seats + 1)) if isinstance(seats, int) else tuple(seats)
    expect_tuple_of(names, str, "seats")
    for name in names:
        if not is_encodable(name):
            raise RulesError(f"seats must be names that can be written, not {abbreviated(name)}")
    if opener is not None and type(opener) is not int:
        raise TypeError(f"opener must be a seat or None, not {type(opener).__name__}")
    if opener is not None and not 0 <= opener < size:
        raise RulesError("the opener must be one of the seats")
    by_rolls = opener is None and rules.opener is not OpenerMethod.RANDOM
    return complete_state(
        setup_of(
            rules=rules,
            seats=names,
            phase=OPENING if opener is None else ROLLING,
            round=0,
            dice_counts=rules.dice_at_start(size),
            dice=((),) * size,
            opener=opener,
            palifico=opener if rules.round_options.palifico_every_round else None,
            contenders=tuple(range(size)) if by_rolls else (),
        )
    )
