"""The part of a state that stays the same while the players call, and values that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final, TypeVar

from perudo_core._actions import Bid, Dice, Seat
from perudo_core._bid_lists import BidList, BidLists
from perudo_core._mypyc import mypyc_attr
from perudo_core._outcome import Outcome
from perudo_core._phase import Phase
from perudo_core._rules import Rules

__all__ = ["RoundSetup", "StateFields", "bid_lists_of", "build", "left_of", "outcome_of"]

T = TypeVar("T")

_new: Final = object.__new__


def build(kind: type[T], *values: object) -> T:
    """Return a value of a frozen class from all its fields, in the order of the class.

    Compiled, it takes less than half the time of the class's own `__init__`, which is Python code. For the values that
    every round makes; type checkers do not see the types of the fields.
    """
    made = _new(kind)
    names: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
    for place, name in enumerate(names):
        object.__setattr__(made, name, values[place])
    return made


@dataclass(slots=True, unsafe_hash=True)
class RoundSetup:
    """The part of a state that stays the same while the players call; the states of a round share one.

    No code changes one. It is not frozen only because its `__init__` sets the fields in a third of the time then.
    """

    rules: Rules
    seats: tuple[str, ...]
    phase: Phase
    round: int
    dice_counts: tuple[int, ...]
    dice: Dice
    opener: Seat | None
    palifico: Seat | None
    contenders: tuple[Seat, ...]
    had_palifico: frozenset[Seat]
    eliminated: tuple[Seat, ...]
    max_quantity: int = field(init=False, compare=False)
    """This field and the next follow from the fields above; they are kept because every bid needs them."""
    bid_lists: BidLists = field(init=False, compare=False)
    """The bids that may follow each bid, except for a player who may change the face in a palifico round."""

    def __init__(  # noqa: PLR0917 - the fields in their order; compiled, this takes a tenth of the time of a dataclass's own
        self,
        rules: Rules,
        seats: tuple[str, ...],
        phase: Phase,
        round: int,  # noqa: A002 - the field's name
        dice_counts: tuple[int, ...],
        dice: Dice,
        opener: Seat | None = None,
        palifico: Seat | None = None,
        contenders: tuple[Seat, ...] = (),
        had_palifico: frozenset[Seat] = frozenset(),
        eliminated: tuple[Seat, ...] = (),
    ) -> None:
        self.rules = rules
        self.seats = seats
        self.phase = phase
        self.round = round
        self.dice_counts = dice_counts
        self.dice = dice
        self.opener = opener
        self.palifico = palifico
        self.contenders = contenders
        self.had_palifico = had_palifico
        self.eliminated = eliminated
        max_quantity = rules.max_quantity(dice_counts)
        bid_lists = rules.normal_bid_lists if palifico is None else rules.palifico_bid_lists
        self.max_quantity = max_quantity
        self.bid_lists = bid_lists[max_quantity]

    def __reduce__(self) -> tuple[Any, ...]:
        return RoundSetup, tuple(getattr(self, each.name) for each in fields(self) if each.init)


@mypyc_attr(allow_interpreted_subclasses=True)
@dataclass(frozen=True, slots=True)
class StateFields:
    """The stored fields of a state: what `State` inherits in compiled code."""

    setup: RoundSetup
    """Not public: the part that stays the same while the players call."""
    turn: Seat | None
    """The seat on turn, or None in every phase except BIDDING."""
    bids: tuple[Bid, ...]
    """The bids of this round, oldest first."""
    next_bids: BidList = field(compare=False)
    """Not public: the bids that the player on turn may make, whatever the maximum quantity."""

    def __init__(self, setup: RoundSetup, turn: Seat | None, bids: tuple[Bid, ...], next_bids: BidList) -> None:
        object.__setattr__(self, "setup", setup)
        object.__setattr__(self, "turn", turn)
        object.__setattr__(self, "bids", bids)
        object.__setattr__(self, "next_bids", next_bids)


def outcome_of(setup: RoundSetup) -> Outcome:
    """Return the winner and the final places of a game that is over."""
    place = len(setup.seats)
    placements = [1] * place
    for seat in setup.eliminated:
        placements[seat] = place
        place -= 1
    return build(Outcome, placements.index(1), tuple(placements))


def left_of(counts: tuple[int, ...], seat: Seat) -> Seat:
    """Return the nearest seat to the left that has dice; the seat itself if no other has dice."""
    following = (seat + 1) % len(counts)
    while not counts[following] and following != seat:
        following = (following + 1) % len(counts)
    return following


def bid_lists_of(setup: RoundSetup, turn: Seat | None) -> BidLists:
    """Return the bids of this player that may follow each bid.

    azteca: palifico, another player who also holds exactly one die may change the face.
    """
    if setup.palifico is None or turn is None or not setup.rules.palifico_face_change:
        return setup.bid_lists
    may_change_face = turn != setup.palifico and setup.dice_counts[turn] == 1
    return setup.rules.face_change_bid_lists[setup.max_quantity] if may_change_face else setup.bid_lists
