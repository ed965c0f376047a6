"""Infers a player's style of play, and the player's dice, from their calls.

A few simple players, and one unknown player, stand for all kinds of players. Past rounds with a reveal show which kind
calls as the player did. The calls of this round then give each possible hand a weight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import prod
from random import Random
from typing import Final, NamedTuple

from perudo_core._actions import Seat
from perudo_core._bid_numbers import bid_number
from perudo_core._chance_outcomes import hand_outcomes
from perudo_core._rules import Rules
from perudo_core.agents._chances import binomial, convolved
from perudo_core.agents._memory import Memory, PastRound
from perudo_core.agents._playout import DOUBT, NOTHING, SIMPLE_PLAYERS, TRUTHFUL, PlayerMemo, coded, count_of, memo_of
from perudo_core.agents._situation import Situation, face_chances

__all__ = ["Hands", "chance_after_calls", "counts_after_calls", "hands_of", "inferred_hands", "kinds_of", "memos_of"]

HONEST, BLUFFER = TRUTHFUL, TRUTHFUL + 1
"""In place of a simple player: a player who bids their own faces, and a player whose bids reveal nothing."""
PRIOR: Final[tuple[float, ...]] = (0.05, 0.05, 0.03, 0.04, 0.03, 0.03, 0.05, 0.51, 0.08, 0.13)
USUAL_HONESTY: Final = 2.5
ANYBODYS: Final = 0.12
"""The probability of any call by the unknown player."""
FORGIVING: Final = 0.002
"""The least weight of each kind of player, whatever the evidence."""
NEGLIGIBLE: Final = 0.01
"""Kinds of players with a lower weight are left out when hands are weighed."""
BY_LAST_BID: Final = 0.1
"""The share of a forecast that follows from the last bid only; without this share forecasts were too low."""
MOST_DICE: Final = 6
"""There are too many hands of more dice to weigh them."""


class Say(NamedTuple):
    """A call of one player: the bid before it, the number of its bidder's dice, and the player's answer."""

    bid: int
    bidder_dice: int
    said: int


class Hands(NamedTuple):
    """A player's possible hands, each with a kind of player; drawn by weight."""

    codes: tuple[int, ...]
    kinds: tuple[int, ...]
    cumulative: tuple[float, ...]

    def drawn(self, rng: Random, count: int) -> list[int]:
        """So many hands, by their index."""
        return rng.choices(range(len(self.codes)), cum_weights=self.cumulative, k=count)


def calls_of(
    seat: Seat, bids: tuple[int, ...], bidders: tuple[Seat, ...], counts: tuple[int, ...], silent_until: int = 0
) -> list[Say]:
    """Return the bids of a seat in a round, since it last rolled."""
    says = []
    for index, (bid, bidder) in enumerate(zip(bids, bidders, strict=True)):
        if bidder == seat and index >= silent_until:
            before = index and bidders[index - 1]
            says.append(Say(bids[index - 1] if index else NOTHING, min(counts[before], 15) if index else 0, bid))
    return says


def kinds_of(memory: Memory, seat: Seat) -> tuple[float, ...]:
    """Return the probability of each kind of player."""
    weights = list(PRIOR)
    for past in (past for past in memory.rounds if seat < len(past.dice)):
        fits = _fits(past, memory.rules, seat)
        weights = [weight * fit for weight, fit in zip(weights, fits, strict=True)]
        total = sum(weights)
        weights = [max(weight / total, FORGIVING) for weight in weights]
    return tuple(weights)


@lru_cache(maxsize=4096)
def _fits(past: PastRound, rules: Rules, seat: Seat) -> tuple[float, ...]:
    """Return the probability of a player's calls in a past round, for each kind of player."""
    counts = tuple(map(len, past.dice))
    held, code = counts[seat], coded(past.dice[seat])
    bids = tuple(bid_number(bid.quantity, bid.face) for bid in past.bids)
    bidders = tuple(bid.seat for bid in past.bids)
    says = calls_of(seat, bids, bidders, counts)
    if past.doubter == seat:
        says.append(Say(bids[-1], min(counts[bidders[-1]], 15), DOUBT))
    most = rules.max_quantity(counts)
    options = rules.round_options
    lists = (options.normal_bid_lists if past.palifico is None else options.palifico_bid_lists)[most]
    memo = memo_of(lists, sum(counts), most, past.ones_are_wild)
    simple = [_fits_of(memo, player, (code,), held, says)[0] for player in SIMPLE_PLAYERS]
    anybodys = ANYBODYS ** len(says)
    faces = [bid.face for bid in past.bids if bid.seat == seat]
    honest = anybodys * _fits_of(memo, TRUTHFUL, (code,), held, says)[0]
    if not faces:
        return (*simple, honest, anybodys)
    weights = face_chances(faces[-1], past.ones_are_wild, USUAL_HONESTY)
    return (*simple, honest * prod(6 * weights[die] for die in past.dice[seat]), anybodys)


def _fits_of(memo: PlayerMemo, player: int, codes: tuple[int, ...], held: int, says: list[Say]) -> list[float]:
    """Return the probability of these calls by a simple player, for each of these hands."""
    fits = [1.0] * len(codes)
    for say in says:
        likelihoods = memo.likelihoods(player, codes, held, say)
        fits = [fit * likely for fit, likely in zip(fits, likelihoods, strict=True)]
    return fits


def hands_of(situation: Situation, seat: Seat, memo: PlayerMemo, kinds: tuple[float, ...]) -> Hands | None:
    """Return the hands that a player may have after their bids in this round, or None for too many dice."""
    held, hidden = situation.counts[seat], situation.hidden(seat)
    if hidden > MOST_DICE:
        return None
    says = calls_of(seat, situation.bids, situation.bidders, situation.counts, situation.silent_until[seat])
    opened = coded(situation.opened(seat))
    unseen, chances = _all_hands(hidden)
    codes = tuple(opened + code for code in unseen) if opened else unseen
    weights: list[float] = []
    for player in SIMPLE_PLAYERS:
        if says and kinds[player] <= NEGLIGIBLE:
            weights += [0.0] * len(codes)
        else:
            fits = _fits_of(memo, player, codes, held, says)
            weights += [kinds[player] * chance * fit for chance, fit in zip(chances, fits, strict=True)]
    faces = dict(situation.last_faces)
    anybodys = ANYBODYS ** len(says)
    by_bid = chances
    if seat in faces:
        by_bid = _hands_by_bid(hidden, faces[seat], situation.ones_are_wild, situation.honesty[seat])
    fits = _fits_of(memo, TRUTHFUL, codes, held, says)
    weights += [kinds[HONEST] * anybodys * chance * fit for chance, fit in zip(by_bid, fits, strict=True)]
    weights += [kinds[BLUFFER] * anybodys * chance for chance in chances]
    kind_of = tuple(kind for kind in range(len(PRIOR)) for _ in codes)
    return Hands(codes * len(PRIOR), kind_of, tuple(accumulate(weights)))


@lru_cache(maxsize=16)
def _all_hands(held: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    outcomes = hand_outcomes(held)
    return tuple(coded(hand) for hand, _ in outcomes), tuple(float(chance) for _, chance in outcomes)


@lru_cache(maxsize=2048)
def _hands_by_bid(held: int, face: int, ones_are_wild: bool, honesty: float) -> tuple[float, ...]:
    """Return the chance of each hand by the bid model."""
    weights = [6 * chance for chance in face_chances(face, ones_are_wild, honesty)]
    return tuple(float(chance) * prod(weights[die] for die in hand) for hand, chance in hand_outcomes(held))


def memos_of(situation: Situation) -> list[PlayerMemo]:
    """Return the memo of each seat's kind of round."""
    return [
        memo_of(situation.bid_lists(seat), situation.total, situation.max_quantity, situation.ones_are_wild)
        for seat in range(len(situation.counts))
    ]


def inferred_hands(situation: Situation, memory: Memory, memos: list[PlayerMemo]) -> dict[int, Hands]:
    """Return the possible hands of each other seat, inferred from its calls."""
    found = {}
    for seat, held in enumerate(situation.counts):
        if held and seat != situation.seat:
            hands = hands_of(situation, seat, memos[seat], kinds_of(memory, seat))
            if hands is not None:
                found[seat] = hands
    return found


def chance_after_calls(situation: Situation, memory: Memory, quantity: int, face: int) -> float:
    """Return the chance that a bid holds for the seat, given the others' style of play and their calls in this round.

    It is nine tenths of the bid's chance in the worlds that the upper levels imagine, plus a tenth of its chance from
    the last bids only.

    >>> from perudo_core import Bid, Rules, observe, set_up
    >>> from perudo_core.agents import new_memory
    >>> from perudo_core.agents._situation import situation_of
    >>> view = observe(set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)]), 1)
    >>> situation = situation_of(view, new_memory(Rules(), 2))
    >>> 0.2 < chance_after_calls(situation, new_memory(Rules(), 2), 5, 2) < 0.6
    True
    """
    hands = inferred_hands(situation, memory, memos_of(situation))
    need = quantity - situation.own(face)
    return min(1.0, sum(counts_after_calls(situation, hands, face)[max(need, 0) :]))


def counts_after_calls(situation: Situation, hands: Mapping[Seat, Hands], face: int) -> Sequence[float]:
    """Return the chance of each count of a face among the other seats' dice.

    `hands` are the inferred ones.
    """
    counts: Sequence[float] = (1.0,)
    for seat, held in enumerate(situation.counts):
        if held and seat != situation.seat:
            counts = convolved(counts, _counts(situation, seat, face, hands.get(seat)))
    return counts


def _counts(situation: Situation, seat: Seat, face: int, hands: Hands | None) -> Sequence[float]:
    """Return the chance of each count of a face in a player's hand."""
    held, faces = situation.counts[seat], dict(situation.last_faces)
    opened = situation.opened(seat)
    matching = situation.counted(opened, face)
    spoken = seat in faces
    chance = situation.bidder_chance(seat, faces[seat], face) if spoken else situation.base_chance(face)
    unseen = binomial(situation.hidden(seat), chance)
    by_last_bid = (0.0,) * matching + unseen + (0.0,) * (len(opened) - matching)
    if hands is None:
        return by_last_bid
    weights = [0.0] * (held + 1)
    before = 0.0
    for code, until in zip(hands.codes, hands.cumulative, strict=True):
        weights[count_of(code, face, situation.ones_are_wild)] += until - before
        before = until
    by_calls = (1 - BY_LAST_BID) / before
    return [by_calls * weight + BY_LAST_BID * likely for weight, likely in zip(weights, by_last_bid, strict=True)]
