"""Players to measure agents against: players of the literature, and people's odd habits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from perudo_core._actions import Bid, Call, Calza, Dudo
from perudo_core._bidding import ONE
from perudo_core._observation import Observation
from perudo_core.agents._memory import Memory
from perudo_core.agents._reckoning import by_bids, by_dice
from perudo_core.agents._situation import Situation, situation_of

__all__ = ["HELD_OUT", "ODD_PLAYERS"]

Habit: TypeAlias = Callable[[Situation, Random], Call]
Chances: TypeAlias = Sequence[tuple[Call, float]]


@dataclass(frozen=True, slots=True)
class OddPlayer:
    """A player who follows a habit on their turn, and never calls out of turn."""

    name: str
    habit: Habit

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """Return the habit's call; dudo if no bid is left."""
        situation = situation_of(observation, memory)
        return self.habit(situation, rng) if situation.bid_numbers else by_dice(situation)[0][0]

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Return None, because it never calls out of turn."""
        del observation, memory, rng
        return None


def _bids(situation: Situation) -> Chances:
    """Return the next bids with their chances by dice alone, the least first."""
    return [(call, chance) for call, chance in by_dice(situation) if type(call) is Bid]


def _doubt(situation: Situation) -> Chances:
    """Dudo with its chance by dice alone; none before the first bid."""
    return [(call, chance) for call, chance in by_dice(situation) if type(call) is Dudo]


def _holds(situation: Situation) -> float:
    """Return the chance by dice alone that the last bid holds; 1 before the first."""
    return next((1 - chance for _, chance in _doubt(situation)), 1.0)


def _share(situation: Situation, more: float) -> float:
    """Return a third of the dice, or a sixth without wild ones, plus so many."""
    face = situation.last.face if situation.last is not None else 2
    return situation.base_chance(face) * situation.total + more


def creep(situation: Situation, rng: Random) -> Call:
    """Raise by the least, doubt late."""
    del rng
    return Dudo(situation.seat) if _holds(situation) < 0.3 else situation.bid(situation.bid_numbers[0])  # noqa: PLR2004 - the habit


def doubts_above_a_share(situation: Situation, rng: Random) -> Call:
    """Doubt more than a third of the dice plus one; else raise by the least."""
    del rng
    if situation.last is not None and situation.last.quantity > _share(situation, 1):
        return Dudo(situation.seat)
    return situation.bid(situation.bid_numbers[0])


def bluffs_now_and_then(situation: Situation, rng: Random) -> Call:
    """Return the most probable call; one time in ten a bid at random."""
    bids = _bids(situation)
    if rng.random() < 0.1:  # noqa: PLR2004 - the habit
        return rng.choice(bids)[0]
    return max([*bids, *_doubt(situation)], key=_chance)[0]


def own_commonest_face(situation: Situation, rng: Random) -> Call:
    """Bid the own most frequent face, as long as the last bid is probable."""
    del rng
    if _holds(situation) < 0.4:  # noqa: PLR2004 - the habit
        return Dudo(situation.seat)
    bids = [call for call, _ in _bids(situation)]
    return max(bids, key=lambda call: (situation.hand[call.face], -call.quantity) if type(call) is Bid else (0, 0))


def opens_high(situation: Situation, rng: Random) -> Call:
    """Open with the average count; answer with the most probable call."""
    del rng
    if situation.last is None:
        face = max(range(2, 7), key=lambda face: situation.hand[face])
        wanted = max(1, round(_share(situation, 0)))
        numbers = [n for n in situation.bid_numbers if n % 6 + 1 == face and n // 6 + 1 <= wanted]
        return situation.bid(numbers[-1] if numbers else situation.bid_numbers[0])
    return max([*_bids(situation), *_doubt(situation)], key=_chance)[0]


def bayes(situation: Situation, rng: Random) -> Call:
    """Return the most probable of the next bids and dudo, by how true each player's last bids were: BAYES."""
    del rng
    return max(by_bids(situation), key=_chance)[0]


def binomial(situation: Situation, rng: Random) -> Call:
    """Return the most probable of the next bids and dudo, by dice alone: BINOM."""
    del rng
    return max([*_bids(situation), *_doubt(situation)], key=_chance)[0]


def minimum(situation: Situation, rng: Random) -> Call:
    """Return the least raise, until the bid is more probably wrong than right."""
    del rng
    return Dudo(situation.seat) if _holds(situation) < 0.5 else situation.bid(situation.bid_numbers[0])  # noqa: PLR2004 - the threshold


def threshold(situation: Situation, rng: Random) -> Call:
    """Dudo below a probability, else the smallest raise above another."""
    del rng
    if _holds(situation) < 0.3:  # noqa: PLR2004 - the threshold
        return Dudo(situation.seat)
    bids = _bids(situation)
    return next((call for call, chance in bids if chance > 0.4), bids[0][0])  # noqa: PLR2004 - the threshold


def never_doubts(situation: Situation, rng: Random) -> Call:
    """Return the most probable bid, without regard to the last one."""
    del rng
    return max(_bids(situation), key=_chance)[0]


def bluffs_on_ones(situation: Situation, rng: Random) -> Call:
    """Bid ones, half of the time, unless it is hopeless; else the most probable call."""
    ones = [(call, chance) for call, chance in _bids(situation) if type(call) is Bid and call.face == ONE]
    if ones and ones[0][1] > 0.15 and rng.random() < 0.5:  # noqa: PLR2004 - the habit
        return ones[0][0]
    return max([*_bids(situation), *_doubt(situation)], key=_chance)[0]


def parrot(situation: Situation, rng: Random) -> Call:
    """Raise the last face by one, up to the average count plus one; open at random."""
    if situation.last is None:
        return situation.bid(rng.choice(situation.bid_numbers[:5]))
    number = situation.last.quantity * 6 + situation.last.face - 1
    if situation.last.quantity > _share(situation, 1) or number not in situation.bid_numbers:
        return Dudo(situation.seat)
    return situation.bid(number)


def calza_hunter(situation: Situation, rng: Random) -> Call:
    """Calza whenever it is allowed and not hopeless; else the most probable call."""
    del rng
    calls = by_dice(situation)
    exact = next((chance for call, chance in calls if type(call) is Calza), 0.0)
    if exact > 0.25:  # noqa: PLR2004 - the habit
        return Calza(situation.seat)
    return max(calls, key=_chance)[0]


def rock(situation: Situation, rng: Random) -> Call:
    """Return the highest bid that is nearly sure; doubt every other bid."""
    del rng
    sure = [call for call, chance in _bids(situation) if chance > 0.65]  # noqa: PLR2004 - the habit
    if sure:
        return sure[-1]
    return situation.bid(situation.bid_numbers[0]) if situation.last is None else Dudo(situation.seat)


def copycat(situation: Situation, rng: Random) -> Call:
    """Believe the last bidder: raise the same face by one while half of the unseen dice might show it."""
    del rng
    if situation.last is None:
        return max(_bids(situation), key=_chance)[0]
    if situation.last.quantity > situation.own(situation.last.face) + situation.unknown / 2:
        return Dudo(situation.seat)
    number = situation.last.quantity * 6 + situation.last.face - 1
    return situation.bid(number if number in situation.bid_numbers else situation.bid_numbers[0])


def maniac(situation: Situation, rng: Random) -> Call:
    """Return one of the next bids at random; doubt only a bid that is almost impossible."""
    if _holds(situation) < 0.1:  # noqa: PLR2004 - the habit
        return Dudo(situation.seat)
    return rng.choice(_bids(situation))[0]


def mimic(situation: Situation, rng: Random) -> Call:
    """Raise by as much as the last raise did; doubt an improbable bid."""
    del rng
    if _holds(situation) < 0.35:  # noqa: PLR2004 - the habit
        return Dudo(situation.seat)
    copied = 2 * situation.bids[-1] - situation.bids[-2] if len(situation.bids) > 1 else situation.bid_numbers[0]
    return situation.bid(copied if copied in situation.bid_numbers else situation.bid_numbers[0])


def timid(situation: Situation, rng: Random) -> Call:
    """Doubt every bid that is not very probable; else raise by the least."""
    del rng
    return Dudo(situation.seat) if _holds(situation) < 0.65 else situation.bid(situation.bid_numbers[0])  # noqa: PLR2004 - the habit


def _chance(call: tuple[Call, float]) -> float:
    return call[1]


LITERATURE: Final[dict[str, Habit]] = {
    "binomial": binomial,
    "minimum": minimum,
    "threshold": threshold,
}

WITH_A_HABIT: Final[dict[str, Habit]] = {
    "creep": creep,
    "share": doubts_above_a_share,
    "bluffer": bluffs_now_and_then,
    "own_face": own_commonest_face,
    "opens_high": opens_high,
    "bayes": bayes,
}
"""The numbers of the levels were chosen in games against these players."""

HELD_OUT: Final[dict[str, Habit]] = {
    "never_doubts": never_doubts,
    "ones": bluffs_on_ones,
    "parrot": parrot,
    "calza_hunter": calza_hunter,
    "rock": rock,
    "copycat": copycat,
    "maniac": maniac,
    "mimic": mimic,
    "timid": timid,
}
"""No number of a level was chosen in games against these players."""

ODD_PLAYERS: Final = {name: OddPlayer(name, habit) for name, habit in (LITERATURE | WITH_A_HABIT | HELD_OUT).items()}
