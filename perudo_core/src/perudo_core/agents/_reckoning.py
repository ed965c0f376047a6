"""The levels that rate a call by its chance: novice and regular."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Final, TypeAlias

from perudo_core._actions import FACES, Bid, Call, Calza, Dudo
from perudo_core._bid_numbers import FACE_COUNT
from perudo_core.agents._chances import Tail, at_least, binomial, tail
from perudo_core.agents._memory import Memory
from perudo_core.agents._situation import Situation

__all__ = ["Worths", "by_bids", "by_dice", "chance_of_doubt", "novice", "regular", "weighed", "worth_of_bid"]

Worths: TypeAlias = list[tuple[Call, float]]
"""Calls that an agent considers, each with its worth; never empty. Among equal calls the agent chooses the first."""

NEXT_BIDS: Final = 16
"""The number of least legal bids that these levels consider."""
OTHERS_DOUBT_BELOW: Final = 0.4
"""The chance by dice alone below which, regular assumes, the others doubt a bid."""
SURVIVED: Final = 0.1
"""The worth of a bid that is not doubted, in dice; more is added for a bid with a higher chance of a doubt."""
DARING_SURVIVED: Final = 0.4
NOVICE_DOUBTS_BELOW: Final = 0.4
NOVICE_RAISES_ABOVE: Final = 0.35
NOVICE_NOISE: Final = 0.25


def by_dice(situation: Situation) -> Worths:
    """Return each call by the chance that it is right, by dice alone: binomial play in the literature."""
    return weighed(situation, situation.tail_by_dice)


def by_bids(situation: Situation) -> Worths:
    """Return each call by the chance that it is right, given the calls so far."""
    return weighed(situation, situation.tail_by_bids)


def regular(situation: Situation, memory: Memory, rng: Random) -> Worths:
    """Return each call by the dice that it wins on average; the others' bids are half believed.

    A bid does not have to be true. It has to survive the next player's decision, and a higher surviving bid is better.
    """
    del memory, rng
    counts, seat = situation.counts, situation.seat
    holds, fails = situation.rules.dudo_cost(0), situation.rules.dudo_cost(-1)
    others = [other for other in (*range(seat + 1, len(counts)), *range(seat)) if counts[other]]
    held = situation.hidden(others[0])
    seen = [die for dice in situation.open_dice for die in dice]
    worths: Worths = []
    for (call, chance), (_, by_dice_alone) in zip(by_bids(situation), by_dice(situation), strict=True):
        right = (chance + by_dice_alone) / 2
        won, lost = (holds, fails) if type(call) is Bid else (fails, holds)
        worth = won * right / len(others) - lost * (1 - right)
        if type(call) is Bid:
            need = call.quantity - situation.counted(seen, call.face)
            hidden = situation.total - len(seen) - held
            doubted = chance_of_doubt(held, hidden, need, situation.base_chance(call.face))
            worth = worth_of_bid(worth, doubted)
        elif type(call) is Calza:
            worth = right - (1 - right)
        worths.append((call, worth))
    return worths


def worth_of_bid(worth: float, doubted: float) -> float:
    """Return the dice that a bid wins on average, with this chance of a doubt, after which it wins `worth`."""
    return doubted * worth + (1 - doubted) * (SURVIVED + DARING_SURVIVED * doubted)


@lru_cache(maxsize=8192)
def chance_of_doubt(held: int, unseen: int, quantity: int, chance: float) -> float:
    """Return the chance that a player with so many dice finds a bid improbable, if each die counts with this chance."""
    holds = tail(unseen, chance)
    return sum(
        likely
        for own, likely in enumerate(binomial(held, chance))
        if at_least(holds, quantity - own) < OTHERS_DOUBT_BELOW
    )


def novice(situation: Situation, memory: Memory, rng: Random) -> Worths:
    """By dice alone, with errors: doubts an improbable bid, otherwise makes the least bid that is probable."""
    del memory
    worths: Worths = []
    patient = True
    for call, chance in by_dice(situation):
        felt = chance + rng.gauss(0, NOVICE_NOISE)
        if type(call) is Dudo or type(call) is Calza:
            worths.append((call, 2.0 if 1 - felt < NOVICE_DOUBTS_BELOW else felt - 0.5))
        elif patient and felt > NOVICE_RAISES_ABOVE:
            patient = False
            worths.append((call, 1.0))
        else:
            worths.append((call, felt - 0.5))
    return worths


def weighed(situation: Situation, tail_of: Callable[[int], Tail], most: int = NEXT_BIDS) -> Worths:
    """Return the least legal bids, dudo and calza, by the chance that each is right."""
    tails = {face: tail_of(face) for face in FACES}
    own = {face: situation.own(face) for face in FACES}
    worths: Worths = []
    for number in situation.bid_numbers[:most]:
        quantity, face = number // FACE_COUNT + 1, number % FACE_COUNT + 1
        worths.append((situation.bid(number), at_least(tails[face], quantity - own[face])))
    last = situation.last
    if last is not None:
        need = last.quantity - own[last.face]
        holds = at_least(tails[last.face], need)
        if situation.may_dudo:
            worths.append((Dudo(situation.seat), 1 - holds))
        if situation.may_calza:
            exact = holds - at_least(tails[last.face], need + 1) if need >= 0 else 0.0
            worths.append((Calza(situation.seat), exact))
    return worths
