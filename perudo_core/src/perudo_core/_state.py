"""The state of a game as one immutable value, and the state that a game begins with."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from perudo_core._actions import Bid, Dice, Seat
from perudo_core._bid_lists import NO_BIDS
from perudo_core._bid_numbers import bid_number
from perudo_core._errors import RulesError, abbreviated, expect_tuple_of, expect_type, is_encodable, whole_number
from perudo_core._events import Event
from perudo_core._notebook import table_html
from perudo_core._outcome import Outcome
from perudo_core._phase import OPENING, OVER, ROLLING, Phase
from perudo_core._round_setup import RoundSetup, StateFields, bid_lists_of, left_of, outcome_of
from perudo_core._rules import MAX_SEATS, OpenerMethod, Rules

__all__ = [
    "Phase",
    "State",
    "Transition",
    "complete_state",
    "new_game",
]


class State(StateFields):
    """The whole state of a game, hidden dice included; show a player `observe(state, seat)` instead.

    `new_game` makes the first state and `apply` each next one; a state never changes.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Without hidden dice, so that a log may contain it."""
        bids = "".join(f" {bid}" for bid in self.bids)
        return f"<State: round {self.round}, {self.phase.value}, turn {self.turn},{bids or ' no bids'}>"

    def _repr_html_(self) -> str:
        """In a notebook: a table with all dice, those that are hidden from the players too."""
        dice = [hand or (None,) * count for hand, count in zip(self.dice, self.dice_counts, strict=True)]
        return table_html(f"Round {self.round}, {self.phase}", self.seats, dice, self.bids, self.turn)

    def __dir__(self) -> list[str]:
        """Return the public names."""
        return [name for name in object.__dir__(self) if name not in {"setup", "next_bids"}]

    def __reduce__(self) -> tuple[Any, ...]:
        return complete_state, (self.setup, self.turn, self.bids)

    @property
    def rules(self) -> Rules:
        """The options of the game."""
        return self.setup.rules

    @property
    def seats(self) -> tuple[str, ...]:
        """Display names in turn order."""
        return self.setup.seats

    @property
    def phase(self) -> Phase:
        """The phase of the game."""
        return self.setup.phase

    @property
    def round(self) -> int:
        """The number of rounds rolled so far, 0 before the first; a round that is rolled again has the next number."""
        return self.setup.round

    @property
    def dice_counts(self) -> tuple[int, ...]:
        """The number of dice of each seat."""
        return self.setup.dice_counts

    @property
    def dice(self) -> Dice:
        """Each seat's roll while bidding; `()` for every seat otherwise."""
        return self.setup.dice

    @property
    def opener(self) -> Seat | None:
        """The seat that opens the current or next round, or None in the phases OPENING and OVER."""
        return self.setup.opener

    @property
    def palifico(self) -> Seat | None:
        """The seat whose palifico round is now or next, or None if there is none."""
        return self.setup.palifico

    @property
    def contenders(self) -> tuple[Seat, ...]:
        """The seats that may still open the game, while rolls decide it."""
        return self.setup.contenders

    @property
    def had_palifico(self) -> frozenset[Seat]:
        """The seats that have had a palifico round."""
        return self.setup.had_palifico

    @property
    def eliminated(self) -> tuple[Seat, ...]:
        """The seats that are out, in the order in which they left the game."""
        return self.setup.eliminated

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
    def is_chance(self) -> bool:
        """Whether the game waits for a roll or a draw, which `sample_roll` and `chance_outcomes` provide."""
        phase = self.setup.phase
        return phase is ROLLING or phase is OPENING

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.setup.phase is OVER

    @property
    def ones_are_wild(self) -> bool:
        """Whether ones count for any face in this round; never in a palifico round, by all books."""
        return self.rules.wild_ones and self.palifico is None

    @property
    def max_quantity(self) -> int:
        """The highest quantity that may be bid.

        With visible lost dice it is the number of dice in play. With hidden lost dice it is the number of dice at the
        start of the game, because a lower limit would reveal how many are left.
        """
        return self.setup.max_quantity

    @property
    def outcome(self) -> Outcome | None:
        """The winner and the final places, or None before the game is over."""
        return outcome_of(self.setup) if self.setup.phase is OVER else None

    def left_of(self, seat: Seat) -> Seat:
        """Return the nearest seat to the left that still has dice; the seat itself if no other has dice.

        Raises `ValueError` for a seat out of range.
        """
        counts = self.setup.dice_counts
        seat = whole_number(seat, "seat", 0, len(counts) - 1)
        return left_of(counts, seat)


class Transition(NamedTuple):
    """The next state and the events on the way, in order: `state, events = apply(state, action)`."""

    state: State
    events: tuple[Event, ...]


def complete_state(setup: RoundSetup, turn: Seat | None = None, bids: tuple[Bid, ...] = ()) -> State:
    """Return the state of these fields, with `next_bids` worked out."""
    if turn is None:
        return State(setup, None, (), NO_BIDS)
    last = bid_number(bids[-1].quantity, bids[-1].face) if bids else None
    return State(setup, turn, bids, bid_lists_of(setup, turn)[last])


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
        RoundSetup(
            rules=rules,
            seats=names,
            phase=OPENING if opener is None else ROLLING,
            round=0,
            dice_counts=(rules.starting_dice,) * size,
            dice=((),) * size,
            opener=opener,
            contenders=tuple(range(size)) if by_rolls else (),
        )
    )
