"""The chances of calls, as readers see them. The module imports little, because side processes start with it."""

from typing import Any

from perudo_core import FACES, Bid, Observation, count_matching
from perudo_core.agents import Memory, bid_chances


def standing_bid(observation: Observation, memory: Memory) -> dict[str, Any] | None:
    """Return the bid to beat, and the chance by the dice alone that it is true."""
    bid = observation.current_bid
    if bid is None:
        return None
    return {
        "call": str(bid),
        **shown_chance(bid_chances(observation, memory, bid)[0], is_proven_true(observation, bid)),
    }


def held_for(observation: Observation, bid: Bid) -> int:
    """Count the player's own dice that count for a bid."""
    return count_matching(observation.dice, bid.face, observation.ones_are_wild)


def expected_for(observation: Observation, bid: Bid) -> tuple[int, int]:
    """Return the number of the others' dice, and how many of them count for a bid on average.

    Zeros if it is unknown.
    """
    if observation.rules.hides_lost_dice:
        return 0, 0
    hidden = observation.unknown_dice
    return hidden, round(hidden * (1 if bid.face == 1 or not observation.ones_are_wild else 2) / len(FACES))


def is_proven_true(observation: Observation, bid: Bid) -> bool | None:
    """Return whether a bid is true, if the player's own dice and the number of the others' prove it."""
    held = held_for(observation, bid)
    if held >= bid.quantity:
        return True
    return False if not observation.rules.hides_lost_dice and held + observation.unknown_dice < bid.quantity else None


def shown_chance(chance: float, proof: bool | None) -> dict[str, Any]:
    """Return a chance for readers, as a percentage: 0 and 100 only if proven, else 5 to 95."""
    if proof is not None:
        return {"right": 100 if proof else 0, "proven": True}
    return {"right": min(max(percent(chance), 5), 95), "proven": False}


def percent(chance: float) -> int:
    """Return a chance in percent, rounded to the accuracy of an estimate."""
    return 5 * round(20 * chance)
