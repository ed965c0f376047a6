"""Both odds of a bid: by dice alone, and after what was said."""

from __future__ import annotations

from typing import NamedTuple

from perudo_core._actions import Bid
from perudo_core._errors import expect_type
from perudo_core._observation import Observation
from perudo_core.agents._chances import at_least
from perudo_core.agents._inference import chance_after_calls
from perudo_core.agents._memory import Memory
from perudo_core.agents._situation import situation_of

__all__ = ["BidChances", "bid_chances"]


class BidChances(NamedTuple):
    """How probably a bid holds, as one player sees it."""

    by_dice: float
    """By the player's own dice and the number of the others' alone."""
    after_calls: float
    """By what the others have said too, in this round and in those before."""


def bid_chances(observation: Observation, memory: Memory, bid: Bid) -> BidChances:
    """How probably a bid holds, for a player who may call now.

    Raises `ValueError` where the observation's seat has no legal call.

    >>> from perudo_core import Rules, observe, set_up
    >>> from perudo_core.agents import new_memory
    >>> view = observe(set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)]), 1)
    >>> by_dice, after_calls = bid_chances(view, new_memory(Rules(), 2), Bid(0, 5, 2))
    >>> round(by_dice, 2), by_dice < after_calls
    (0.21, True)
    """
    expect_type(memory, Memory, "memory")
    expect_type(bid, Bid, "bid")
    situation = situation_of(observation, memory)
    by_dice = at_least(situation.tail_by_dice(bid.face), bid.quantity - situation.own(bid.face))
    return BidChances(by_dice, chance_after_calls(situation, memory, bid.quantity, bid.face))
