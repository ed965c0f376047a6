"""Weighs one decision: both chances of each call, and its average result."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import sqrt
from random import Random
from typing import Final

from perudo_core._actions import Bid, Call, Calza, Dudo, Seat
from perudo_core._errors import expect_type
from perudo_core._observation import Observation
from perudo_core.agents._inference import Hands, counts_after_calls, inferred_hands, memos_of
from perudo_core.agents._memory import Memory
from perudo_core.agents._situation import Situation, situation_of
from perudo_core.analysis._imagining import Imagining, RollOuts, table_play

__all__ = ["WORLDS", "Method", "WeighedCall", "Weighing", "weigh"]

WORLDS: Final = 400
"""The number of worlds in which the best calls are tried."""
MOST_CALLS: Final = 24
FIRST_SHARE: Final = 4
"""One in so many of all worlds is enough to select the best calls."""
LAST_CALLS: Final = 6
"""The number of calls that are tried in all worlds."""


class Method(StrEnum):
    """The source of a call's worth."""

    ROLL_OUTS = "roll_outs"  # the round is played out by simple players
    TABLES = "tables"  # two players: by the heads-up tables


@dataclass(frozen=True, slots=True)
class WeighedCall:
    """A call with its chances and its worth."""

    call: Call | None
    """None is the silence of a seat that could speak out of turn."""
    by_dice: float
    """The chance that the call is right, from the player's own dice and the number of the others' dice only.

    A bid is right if it holds, a dudo if the last bid does not, a calza if it is exact, silence if no call out of turn
    is right."""
    after_calls: float
    """The same, given the others' calls in this round and in earlier ones."""
    worth: float
    """The dice that it wins on average: the seat's own dice count as 1 each, those of the n others as 1/n."""
    is_bluff: bool
    """Whether it is a bid of which the player has less than an even share."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """The calls that were weighed, the best first."""

    calls: tuple[WeighedCall, ...]
    method: Method
    results: tuple[tuple[float, ...], ...]
    """For each call its result in each imagined world: the same worlds for all calls."""

    def __repr__(self) -> str:
        return f"<Weighing: {len(self.calls)} calls, the best {self.best}>"

    @property
    def best(self) -> WeighedCall:
        """The call with the greatest worth."""
        return self.calls[0]

    def of(self, call: Call | None) -> WeighedCall:
        """Return the weighed form of a call; raises `ValueError` for a call that was not weighed."""
        return self.calls[self._index(call)]

    def lost(self, call: Call | None) -> float:
        """Return the equity that a call loses, in dice: the worth of the best call minus its own.

        A difference that is smaller than its own standard error may be chance, and counts as 0.
        """
        results = self.results[self._index(call)]
        differences = [best - other for best, other in zip(self.results[0], results, strict=True)]
        count = len(differences)
        mean = sum(differences) / count
        spread = sum((each - mean) ** 2 for each in differences) / count
        return mean if mean > sqrt(spread / count) else 0.0

    def _index(self, call: Call | None) -> int:
        for index, each in enumerate(self.calls):
            if each.call == call:
                return index
        raise ValueError(f"{call} was not weighed")


def weigh(
    observation: Observation, memory: Memory, rng: Random, *, chosen: Call | None = None, worlds: int = WORLDS
) -> Weighing:
    """Weigh the calls of the observation's seat by the seat's knowledge, for a coach or a critic.

    `chosen` is always weighed, however bad it is. Heads-up the worth comes from the shipped tables, if they contain the
    situation and the call; otherwise it comes from roll-outs with common random numbers. For a seat that is not on
    turn, under rules with calls out of turn, silence is one of the calls. Raises `ValueError` for a bystander and for a
    seat without legal calls.

    >>> from random import Random
    >>> from perudo_core import Bid, Rules, observe, set_up
    >>> from perudo_core.agents import new_memory
    >>> view = observe(set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)]), 1)
    >>> weighing = weigh(view, new_memory(Rules(), 2), Random(1), chosen=Bid(1, 9, 2))
    >>> weighing.lost(weighing.best.call), weighing.lost(Bid(1, 9, 2)) > 0.5
    (0.0, True)
    """
    expect_type(rng, Random, "rng")
    situation = situation_of(observation, memory)
    hands = inferred_hands(situation, memory, memos_of(situation))
    is_on_turn = observation.seat == observation.turn
    imagining: Imagining | None = table_play(situation, chosen) if is_on_turn else None
    method = Method.ROLL_OUTS if imagining is None else Method.TABLES
    imagining = imagining or RollOuts(situation, hands)
    considered: list[Call | None] = [*imagining.candidates(MOST_CALLS)]
    considered += [] if is_on_turn else [None]
    if chosen is not None and chosen not in considered:
        considered.append(chosen)
    first = imagining.imagined(rng, max(1, worlds // FIRST_SHARE))
    before = {call: sum(first(call)) for call in considered}
    kept = sorted(before, key=lambda call: (-before[call], considered.index(call)))[:LAST_CALLS]
    kept += [chosen] if chosen is not None and chosen not in kept else []
    again = imagining.imagined(rng, worlds)
    results = {call: tuple(again(call)) for call in kept}
    odds = _Odds(situation, hands)
    calls = [odds.weighed(call, sum(results[call]) / worlds) for call in kept]
    calls.sort(key=lambda each: -each.worth)
    return Weighing(tuple(calls), method, tuple(results[each.call] for each in calls))


class _Odds:
    """Both chances of any call in one situation."""

    def __init__(self, situation: Situation, hands: dict[Seat, Hands]) -> None:
        self._situation = situation
        self._hands = hands

    def weighed(self, call: Call | None, worth: float) -> WeighedCall:
        is_bluff = type(call) is Bid and self._situation.is_bluff(call.quantity, call.face)
        by_dice = self._chance(call, after_calls=False)
        return WeighedCall(call, by_dice, self._chance(call, after_calls=True), worth, is_bluff)

    def _chance(self, call: Call | None, *, after_calls: bool) -> float:
        if type(call) is Bid:
            return self._holds(call, after_calls=after_calls)[0]
        last = self._situation.last
        assert last is not None, "all other calls answer a bid"  # noqa: S101 - for the type checker
        holds, exact = self._holds(last, after_calls=after_calls)
        if type(call) is Dudo:
            return 1 - holds
        if type(call) is Calza:
            return exact
        spoken = (1 - holds if self._situation.may_dudo else 0.0, exact if self._situation.may_calza else 0.0)
        return 1 - max(spoken)

    def _holds(self, bid: Bid, *, after_calls: bool) -> tuple[float, float]:
        """Return the chance that a bid holds, and that it is exact."""
        counts: Sequence[float]
        if after_calls:
            counts = counts_after_calls(self._situation, self._hands, bid.face)
        else:
            at_least = self._situation.tail_by_dice(bid.face)
            counts = [more - less for more, less in pairwise(at_least)]
        need = bid.quantity - self._situation.own(bid.face)
        exact = counts[need] if 0 <= need < len(counts) else 0.0
        return min(1.0, sum(counts[max(need, 0) :])), exact
