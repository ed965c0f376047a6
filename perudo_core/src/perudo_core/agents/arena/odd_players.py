"""Players to measure agents against: the kinds that are known from the literature, and some odd ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random

from perudo_core.actions import Bid, Call, Dudo
from perudo_core.agents.memory import Memory
from perudo_core.agents.reckoning import by_bids, by_dice
from perudo_core.agents.situation import situation_of
from perudo_core.observation import Observation

__all__ = ["Bayesian", "Binomial", "Maniac", "MinimumRaise", "Parrot", "Rock", "Threshold"]


class _ByDice(ABC):
    """Knows the chance of each call by dice alone, and says nothing out of turn."""

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """The call of this player."""
        worths = by_dice(situation_of(observation, memory))
        bids = [(call, chance) for call, chance in worths if type(call) is Bid]
        doubts = [(call, chance) for call, chance in worths if type(call) is Dudo]
        if not bids:
            return worths[0][0]
        return self.call(bids, doubts[0] if doubts else None, rng)

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Nothing."""
        del observation, memory, rng
        return None

    @abstractmethod
    def call(self, bids: Sequence[tuple[Call, float]], doubt: tuple[Call, float] | None, rng: Random) -> Call:
        """One of the bids, or the doubt, each with the chance that it is right."""


class Bayesian:
    """The most probable of the next bids and dudo, after what was said: BAYES."""

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """The most probable call."""
        del rng
        return max(by_bids(situation_of(observation, memory)), key=lambda each: each[1])[0]

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Nothing."""
        del observation, memory, rng
        return None


class Binomial(_ByDice):
    """The most probable of the next bids and dudo: BINOM."""

    def call(self, bids: Sequence[tuple[Call, float]], doubt: tuple[Call, float] | None, rng: Random) -> Call:
        """The most probable call."""
        del rng
        return max([*bids, *([doubt] if doubt else [])], key=lambda each: each[1])[0]


class MinimumRaise(_ByDice):
    """The least raise, until the bid is more probably wrong than right."""

    def call(self, bids: Sequence[tuple[Call, float]], doubt: tuple[Call, float] | None, rng: Random) -> Call:
        """The least bid or dudo."""
        del rng
        return doubt[0] if doubt and doubt[1] > 0.5 else bids[0][0]  # noqa: PLR2004 - more probable than not


class Threshold(_ByDice):
    """Doubts below a probability, else makes the smallest raise above another."""

    def call(self, bids: Sequence[tuple[Call, float]], doubt: tuple[Call, float] | None, rng: Random) -> Call:
        """Dudo, or the least probable bid."""
        del rng
        if doubt and doubt[1] > 0.7:  # noqa: PLR2004 - the threshold
            return doubt[0]
        return next((call for call, chance in bids if chance > 0.4), bids[0][0])  # noqa: PLR2004 - the threshold


class Parrot:
    """Repeats the face that was bid, one die higher, up to what the table bears on average; opens at random."""

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """One more of the same."""
        situation = situation_of(observation, memory)
        last = situation.last
        if last is None:
            return situation.bid(rng.choice(situation.bid_numbers[:5]))
        more = Bid(situation.seat, last.quantity + 1, last.face)
        expected = situation.base_chance(last.face) * situation.total
        if last.quantity > expected + 1 or more not in observation.legal_actions:
            return Dudo(situation.seat)
        return more

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Nothing."""
        del observation, memory, rng
        return None


class Maniac(_ByDice):
    """Raises at random and by much; doubts only what can hardly be."""

    def call(self, bids: Sequence[tuple[Call, float]], doubt: tuple[Call, float] | None, rng: Random) -> Call:
        """A random bid, or dudo."""
        if doubt and doubt[1] > 0.9:  # noqa: PLR2004 - hardly
            return doubt[0]
        return rng.choice(bids)[0]


class Rock(_ByDice):
    """Bids only what is nearly sure, and doubts whatever else."""

    def call(self, bids: Sequence[tuple[Call, float]], doubt: tuple[Call, float] | None, rng: Random) -> Call:
        """The highest bid that is nearly sure, or dudo."""
        del rng
        sure = [call for call, chance in bids if chance > 0.65]  # noqa: PLR2004 - nearly
        if sure:
            return sure[-1]
        return doubt[0] if doubt else bids[0][0]
