"""The options that every round asks for: compiled code reads them here without a look-up, and in `Rules` with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from perudo_core._actions import Seat
from perudo_core._bid_lists import bid_lists
from perudo_core._options import LostDice

if TYPE_CHECKING:
    from perudo_core._rules import Rules

__all__ = ["RoundOptions"]

_HIDDEN: Final = LostDice.HIDDEN


class RoundOptions:
    """A part of the options of some rules, which `Rules` documents, and what follows from them."""

    __slots__ = (
        "extra_die", "first_out_wins", "hides_lost_dice", "lose_by_difference", "normal_bid_lists", "only_turn_calls",
        "palifico", "palifico_bid_lists", "palifico_every_round", "palifico_once", "palifico_with_two_players",
        "reverse_after_call", "starting_dice", "sudden_death",
    )  # fmt: skip

    def __init__(self, rules: Rules) -> None:
        self.extra_die: bool = rules.extra_die
        self.first_out_wins: bool = rules.first_out_wins
        self.hides_lost_dice: bool = rules.lost_dice is _HIDDEN
        self.lose_by_difference: bool = rules.lose_by_difference
        self.normal_bid_lists = bid_lists(rules.normal_bid_rules)
        self.only_turn_calls: bool = not (rules.calza or rules.out_of_turn_dudo)
        """Whether no rule lets another player than the one on turn call, and this one only bid or say dudo."""
        self.palifico: bool = rules.palifico and not rules.first_out_wins
        self.palifico_bid_lists = bid_lists(rules.palifico_bid_rules)
        self.palifico_every_round: bool = rules.palifico_every_round and self.palifico
        self.palifico_once: bool = rules.palifico_once
        self.palifico_with_two_players: bool = rules.palifico_with_two_players
        self.reverse_after_call: bool = rules.reverse_after_call
        self.starting_dice: int = rules.starting_dice
        self.sudden_death: bool = rules.sudden_death

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
