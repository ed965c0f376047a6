"""The results of an analysis: decisions, rounds, players, the whole game."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from perudo_core._actions import Bid, Calza, Concede, Dudo, Seat
from perudo_core._outcome import Outcome
from perudo_core._rules import Rules
from perudo_core.analysis._equities import Shares
from perudo_core.analysis._weighing import WeighedCall, Weighing

__all__ = ["Decided", "Decision", "GameAnalysis", "PlayerAnalysis", "RoundAnalysis"]

EVEN: Final = 0.5
Decided: TypeAlias = Bid | Dudo | Calza | Concede
"""A player's decision: a call, or conceding the round."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One call of one player, judged by the player's knowledge."""

    round: int
    """The round of the record, from 1."""
    number: int
    """The call of the round, from 1."""
    seat: Seat
    call: Decided
    answered: Bid | None
    """The last bid before the decision, or None for an opening."""
    dice: tuple[int, ...]
    """The player's hand."""
    weighing: Weighing = field(repr=False)
    """The player's possible calls, the best first."""
    lost: float
    """The equity that the call lost, in dice: 0 for the best call, and for the only one."""
    is_right: bool | None
    """Whether the bid held, or the dudo or calza was right, by the revealed dice, or None without a reveal."""
    was_counted: bool
    """Whether the reveal decided it: true for the last bid and for the answer to it."""
    got_through: bool
    """Whether the call cost its player nothing: a bid that was raised or held, a right dudo or calza."""

    @property
    def chosen(self) -> WeighedCall | None:
        """The call with its chances and its worth, or None for a conceded round."""
        return None if isinstance(self.call, Concede) else self.weighing.of(self.call)

    @property
    def milli_dice_lost(self) -> int:
        """The equity that the call lost, in thousandths of a die."""
        return round(1000 * self.lost)

    @property
    def is_bluff(self) -> bool:
        """Whether it was a bid of which the player had less than an even share."""
        return self.chosen is not None and self.chosen.is_bluff

    @property
    def is_lucky(self) -> bool:
        """Whether this call decided the round, and was right although it was probably wrong."""
        return self.was_counted and self.is_right is True and self._chance < EVEN

    @property
    def is_unlucky(self) -> bool:
        """Whether this call decided the round, and was wrong although it was probably right."""
        return self.was_counted and self.is_right is False and self._chance > EVEN

    @property
    def _chance(self) -> float:
        return EVEN if self.chosen is None else self.chosen.after_calls


@dataclass(frozen=True, slots=True)
class RoundAnalysis:
    """One round: its worth to each seat, and the parts of each seat's result.

    For each seat `result` is `expected` plus `skill` plus `luck`, and over all seats each of them adds up to 0.
    """

    number: int
    dice_counts: tuple[int, ...]
    """Before the round."""
    decisions: tuple[Decision, ...] = field(repr=False)
    result: Shares
    """The dice that each seat won: its own count as 1 each, those of the n others as 1/n."""
    expected: Shares
    """The worth of the round before the roll, from the counts of dice and the opener."""
    skill: Shares
    """The cost of the seat's own errors, plus its gain from the others' errors."""
    luck: Shares
    """The rest: the dice, and guesses that turned out right or wrong."""
    deal: tuple[float, ...]
    """The part of the luck in the seat's own roll."""


@dataclass(frozen=True, slots=True)
class PlayerAnalysis:
    """One player's game; sums over all rounds that were played to an end."""

    seat: Seat
    name: str
    place: int
    decisions: int
    lost: float
    """The equity that the player's own calls lost, in dice."""
    bluffs: int
    bluffs_through: int
    """The number of bluffs that were not doubted, or that held."""
    doubts: int
    right_doubts: int
    result: float
    expected: float
    skill: float
    luck: float
    deal: float

    @property
    def milli_dice_per_decision(self) -> int:
        """The average equity lost by a decision, in thousandths of a die: lower is better."""
        return round(1000 * self.lost / self.decisions) if self.decisions else 0


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """A finished game."""

    rules: Rules
    seats: tuple[str, ...]
    outcome: Outcome
    rounds: tuple[RoundAnalysis, ...] = field(repr=False)
    """The rounds, without void ones."""
    players: tuple[PlayerAnalysis, ...]
    """By seat."""
    course: tuple[tuple[int, ...], ...]
    """The number of dice of each seat at the start, and after each round."""

    @property
    def decisions(self) -> Iterator[Decision]:
        """All decisions, in order."""
        return (decision for each in self.rounds for decision in each.decisions)
