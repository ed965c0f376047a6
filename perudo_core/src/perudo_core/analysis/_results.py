"""What an analysis found: decisions, rounds, players, the whole game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from perudo_core._actions import Bid, Calza, Concede, Dudo, Seat
from perudo_core._outcome import Outcome
from perudo_core._rules import Rules
from perudo_core.analysis._equities import Shares
from perudo_core.analysis._weighing import WeighedCall, Weighing

__all__ = ["Decided", "Decision", "GameAnalysis", "PlayerAnalysis", "RoundAnalysis"]

EVEN: Final = 0.5
Decided: TypeAlias = Bid | Dudo | Calza | Concede
"""What a player may decide: a call, or to give the round up."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One call of one player, judged by what the player could know."""

    round: int
    """Which round of the record, from 1."""
    number: int
    """Which call of the round, from 1."""
    seat: Seat
    call: Decided
    answered: Bid | None
    """The bid that stood; None for an opening."""
    dice: tuple[int, ...]
    """What the player held."""
    weighing: Weighing
    """What the player might have called, the best first."""
    lost: float
    """The equity that the call gave away, in dice: 0 for the best call, and for the only one."""
    is_right: bool | None
    """Whether the bid held, the dudo or the calza was right, by the dice that lay there; None without a reveal."""
    was_counted: bool
    """Whether the dice were counted for it: for the last bid, and for what was said to it."""
    got_through: bool
    """Whether the call cost its player nothing: a bid that was raised or held, a right dudo or calza."""

    @property
    def chosen(self) -> WeighedCall | None:
        """The call with its odds and its worth; None for a round given up."""
        return None if isinstance(self.call, Concede) else self.weighing.of(self.call)

    @property
    def milli_dice_lost(self) -> int:
        """The equity that the call gave away, in thousandths of a die."""
        return round(1000 * self.lost)

    @property
    def is_bluff(self) -> bool:
        """Whether it was a bid of which the player held less than an even share."""
        return self.chosen is not None and self.chosen.is_bluff

    @property
    def is_lucky(self) -> bool:
        """Whether the round turned on this call, and it was right although it was probably wrong."""
        return self.was_counted and self.is_right is True and self._chance < EVEN

    @property
    def is_unlucky(self) -> bool:
        """Whether the round turned on this call, and it was wrong although it was probably right."""
        return self.was_counted and self.is_right is False and self._chance > EVEN

    @property
    def _chance(self) -> float:
        return EVEN if self.chosen is None else self.chosen.after_calls


@dataclass(frozen=True, slots=True)
class RoundAnalysis:
    """One round: what it was worth to each seat, and why it brought what it brought.

    For each seat `result` is `expected` plus `skill` plus `luck`, and over all seats each of them adds up to 0.
    """

    number: int
    dice_counts: tuple[int, ...]
    """Before the round."""
    decisions: tuple[Decision, ...]
    result: Shares
    """The dice that each seat won: its own count as 1 each, those of the n others as 1/n."""
    expected: Shares
    """What the round was worth before the dice were rolled: by the counts of dice, and who opened."""
    skill: Shares
    """What the seat's own errors cost, and what it won by the others' errors."""
    luck: Shares
    """The rest: the dice, and how guesses turned out."""
    deal: tuple[float, ...]
    """How much of the luck was the seat's own roll."""


@dataclass(frozen=True, slots=True)
class PlayerAnalysis:
    """One player's game; sums over all rounds that were played to an end."""

    seat: Seat
    name: str
    place: int
    decisions: int
    lost: float
    """The equity that the player's own calls gave away, in dice."""
    bluffs: int
    bluffs_through: int
    """Those that were not called, or that held."""
    doubts: int
    right_doubts: int
    result: float
    expected: float
    skill: float
    luck: float
    deal: float

    @property
    def milli_dice_per_decision(self) -> int:
        """The equity lost by a decision on average, in thousandths of a die: the smaller, the better."""
        return round(1000 * self.lost / self.decisions) if self.decisions else 0


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """A finished game."""

    rules: Rules
    seats: tuple[str, ...]
    outcome: Outcome
    rounds: tuple[RoundAnalysis, ...]
    """Without those that were void."""
    players: tuple[PlayerAnalysis, ...]
    """By seat."""
    course: tuple[tuple[int, ...], ...]
    """How many dice each seat held at the start, and after each round."""

    @property
    def decisions(self) -> Iterator[Decision]:
        """All decisions, in order."""
        return (decision for each in self.rounds for decision in each.decisions)
