"""The part of a state that stays the same while the players call, and values that follow from it."""

from typing import Any, Final, NamedTuple

from perudo_core._actions import Dice, Seat
from perudo_core._bid_lists import BidLists
from perudo_core._outcome import Outcome
from perudo_core._phase import Phase
from perudo_core._rules import Rules

__all__ = ["RoundSetup", "bid_lists_of", "complete_setup", "make", "outcome_of"]

make: Final = tuple.__new__
"""Makes a named tuple from a tuple of all its fields, in half the time of the class's own `__new__`, which is Python
code. Used for the values that every call makes; type checkers do not see the types of the fields."""


class RoundSetup(NamedTuple):
    """The part of a state that stays the same while the players call; the states of a round share one."""

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
    max_quantity: int
    """This field and the next follow from the fields above; they are kept because every bid needs them."""
    bid_lists: BidLists
    """The bids that may follow each bid, except for a player who may change the face in a palifico round."""

    def __reduce__(self) -> tuple[Any, ...]:
        return complete_setup, self[:-2]


def outcome_of(setup: RoundSetup) -> Outcome:
    """Return the winner and the final places of a game that is over."""
    place = len(setup.seats)
    placements = [1] * place
    for seat in setup.eliminated:
        placements[seat] = place
        place -= 1
    return make(Outcome, (placements.index(1), tuple(placements)))


def bid_lists_of(setup: RoundSetup, turn: Seat | None) -> BidLists:
    """Return the bids of this player that may follow each bid.

    azteca: palifico, another player who also holds exactly one die may change the face.
    """
    if setup.palifico is None or turn is None or not setup.rules.palifico_face_change:
        return setup.bid_lists
    may_change_face = turn != setup.palifico and setup.dice_counts[turn] == 1
    return setup.rules.face_change_bid_lists[setup.max_quantity] if may_change_face else setup.bid_lists


def complete_setup(  # noqa: PLR0917 - the fields in their order, as a pickle gives them
    rules: Rules,
    seats: tuple[str, ...],
    phase: Phase,
    round: int,  # noqa: A002 - the field's name
    dice_counts: tuple[int, ...],
    dice: Dice,
    opener: Seat | None,
    palifico: Seat | None,
    contenders: tuple[Seat, ...],
    had_palifico: frozenset[Seat],
    eliminated: tuple[Seat, ...],
) -> RoundSetup:
    """Return a setup with the fields that follow from these."""
    max_quantity = rules.max_quantity(dice_counts)
    bid_lists = rules.normal_bid_lists if palifico is None else rules.palifico_bid_lists
    return RoundSetup(
        rules,
        seats,
        phase,
        round,
        dice_counts,
        dice,
        opener,
        palifico,
        contenders,
        had_palifico,
        eliminated,
        max_quantity,
        bid_lists[max_quantity],
    )
