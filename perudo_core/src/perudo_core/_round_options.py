"""The options that every round asks for: compiled code reads them here without a look-up, and in `Rules` with one."""

from __future__ import annotations

from dataclasses import dataclass

from perudo_core._actions import Seat
from perudo_core._bid_lists import BidListsByMaxQuantity

__all__ = ["RoundOptions"]


@dataclass(eq=False, repr=False)
class RoundOptions:
    """Some options of `Rules`, by their names, and what follows from them."""

    double_dudo: bool
    dudo_costs_one: bool
    """Whether a wrong dudo costs one die, whatever the dice."""
    extra_die: bool
    face_change_bid_lists: BidListsByMaxQuantity
    first_out_wins: bool
    hides_lost_dice: bool
    lose_by_difference: bool
    normal_bid_lists: BidListsByMaxQuantity
    only_turn_calls: bool
    """Whether no rule lets another player than the one on turn call, and this one only bid or say dudo."""
    palifico: bool
    """False where another option leaves no palifico rounds."""
    palifico_bid_lists: BidListsByMaxQuantity
    palifico_every_round: bool
    palifico_face_change: bool
    palifico_once: bool
    palifico_with_two_players: bool
    reverse_after_call: bool
    starting_dice: int
    sudden_death: bool
    wild_ones: bool

    def most_dice(self, seat: Seat) -> int:
        """Return the number of dice that a seat begins with, which is the most it can have."""
        return self.starting_dice + 1 if self.extra_die and seat == 0 else self.starting_dice

    def max_quantity(self, dice_counts: tuple[int, ...]) -> int:
        """Return the highest quantity that may be bid: see `State.max_quantity`."""
        if self.hides_lost_dice:
            return len(dice_counts) * self.starting_dice + self.extra_die
        total = 0
        for count in dice_counts:  # compiled, `sum` takes three times as long
            total += count
        return total

    def direction(self, number: int) -> int:
        """Return the direction of play in the round with this number: see `Rules.direction`."""
        return -1 if self.reverse_after_call and number % 2 == 0 else 1

    def dudo_cost(self, off: int) -> int:
        """Return how many dice a dudo costs: see `Rules.dudo_cost`."""
        if self.lose_by_difference:
            return max(1, abs(off))
        return 2 if self.double_dudo and off >= 0 else 1
