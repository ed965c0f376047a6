"""Both chances of a bid: by dice alone, and given all calls."""

from __future__ import annotations

from typing import NamedTuple

from perudo_core._actions import FACES, Bid
from perudo_core._bidding import MAX_TABLE_DICE
from perudo_core._errors import expect_int, expect_type
from perudo_core._observation import Observation
from perudo_core.agents._chances import at_least
from perudo_core.agents._inference import chance_after_calls
from perudo_core.agents._memory import Memory
from perudo_core.agents._situation import situation_of

__all__ = ["BidChances", "bid_chances"]


class BidChances(NamedTuple):
    """The chances that a bid holds, from one player's view."""

    by_dice: float
    """From the player's own dice and the number of the others' dice only."""
    after_calls: float
    """From the others' calls as well, in this round and in earlier ones."""


def bid_chances(observation: Observation, memory: Memory, bid: Bid) -> BidChances:
    """Return the chances that a bid holds, for a player who may call now.

    Raises `ValueError` if the observation's seat has no legal call, and for a bid that no table allows.

    >>> from perudo_core import Bid, Rules, observe, set_up
    >>> from perudo_core.agents import new_memory
    >>> view = observe(set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)]), 1)
    >>> by_dice, after_calls = bid_chances(view, new_memory(Rules(), 2), Bid(0, 5, 2))
    >>> round(by_dice, 2), by_dice < after_calls
    (0.21, True)
    """
    expect_type(bid, Bid, "bid")
    expect_int(bid.quantity, "the bid's quantity", 1, MAX_TABLE_DICE)
    expect_int(bid.face, "the bid's face", FACES[0], FACES[-1])
    situation = situation_of(observation, memory)
    by_dice = at_least(situation.tail_by_dice(bid.face), bid.quantity - situation.own(bid.face))
    return BidChances(by_dice, chance_after_calls(situation, memory, bid.quantity, bid.face))
