"""The worth of a round to each seat before the first call, with and without a look at its own dice."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, TypeAlias

from perudo_core._actions import Dice
from perudo_core._bid_numbers import FACE_COUNT
from perudo_core.agents._inference import memos_of
from perudo_core.agents._playout import DOUBT, FACE_CODES, NOTHING, Playouts, coded
from perudo_core.agents._rollouts import MIXTURE
from perudo_core.agents._situation import Situation

__all__ = ["DEALS", "Shares", "deal_equities", "shares"]

DEALS: Final = 300
"""The number of deals over which the worth of a round is averaged."""

Shares: TypeAlias = tuple[float, ...]
"""An amount for each seat, in dice; the sum is 0."""


def shares(seat: int, amount: float, in_play: Sequence[bool]) -> Shares:
    """Return the worth to each seat of one seat's gain (below 0: loss): the other seats share the opposite.

    >>> shares(0, -1, (True, True, True, False))
    (-1, 0.5, 0.5, 0)
    """
    others = sum(in_play) - 1
    return tuple(
        amount if each == seat else -amount / others if plays and amount else 0 for each, plays in enumerate(in_play)
    )


def deal_equities(opening: Situation, dice: Dice, rng: Random) -> tuple[Shares, tuple[float, ...]]:
    """Return the worth of the round to each seat before the deal, and to each seat that sees its own dice.

    `opening` is the opener's situation. Simple players play all deals out; a seat's own dice are put into the same
    deals.
    """
    counts, wild = opening.counts, opening.ones_are_wild
    memos = memos_of(opening)
    playouts = Playouts(counts, memos, wild, opening.direction)
    in_play = tuple(count > 0 for count in counts)
    mirrored = opening.rules.first_out_wins
    by_seat = [shares(seat, 1 if mirrored else -1, in_play) if count else () for seat, count in enumerate(counts)]
    codes, players = _deals(counts, rng)

    def worth(seat: int | None, of: Sequence[int]) -> list[float]:
        """Return the average result of these seats, given one seat's dice."""
        sums = [0.0] * len(counts)
        known = 0 if seat is None else coded(dice[seat])
        for hands, kinds in zip(codes, players, strict=True):
            world = playouts.world(hands if seat is None else (*hands[:seat], known, *hands[seat + 1 :]), kinds)
            opener = opening.seat
            said = memos[opener].answer(kinds[opener], world.codes[opener], counts[opener], NOTHING, 0)
            assert said != DOUBT, "somebody can always open"  # noqa: S101 - says what `last_bid` begins with
            bidder, doubter, bid = playouts.last_bid(world, opener, said)
            off = playouts.count(world, bid) - (bid // FACE_COUNT + 1)
            amount = opening.rules.dudo_cost(off)
            lost = by_seat[doubter if (off >= 0) is not mirrored else bidder]
            for each in of:
                sums[each] += amount * lost[each]
        return [total / len(codes) for total in sums]

    seats = range(len(counts))
    playing = [seat for seat in seats if in_play[seat]]
    before = tuple(worth(None, playing))
    after = tuple(worth(seat, [seat])[seat] if in_play[seat] else 0.0 for seat in seats)
    return before, after


def _deals(counts: Sequence[int], rng: Random) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Hands for all seats, by number, and the simple players who hold them."""
    hands = []
    for count in counts:
        dice = rng.choices(FACE_CODES[1:], k=count * DEALS)
        hands.append([sum(dice[count * deal : count * (deal + 1)]) for deal in range(DEALS)])
    players = [rng.choices(MIXTURE, k=DEALS) for _ in counts]
    return list(zip(*hands, strict=True)), list(zip(*players, strict=True))
