"""Rounds played to their end with imagined dice, by simple players whose every answer is looked up.

An engine of its own, for speed: hands are numbers, bids are numbers, and a simple player's answer to a bid depends on
so little that it is worked out once. A property test holds it against the core's engine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from perudo_core._bid_numbers import FACE_COUNT
from perudo_core.actions import FACES
from perudo_core.agents.chances import at_least, mixed_tail, tail
from perudo_core.agents.situation import ACES_WEIGHT, ONES_WEIGHT

if TYPE_CHECKING:
    from perudo_core._bid_lists import BidLists
    from perudo_core.agents.chances import Tail

__all__ = [
    "CLIMBER",
    "DOUBT",
    "LISTENER",
    "NAIVE",
    "NOTHING",
    "PATIENT",
    "SIMPLE_PLAYERS",
    "PlayerMemo",
    "Playouts",
    "World",
    "coded",
    "count_of",
    "memo_of",
]

BITS: Final = 10
MASK: Final = (1 << BITS) - 1
FACE_CODES: Final = tuple(1 << BITS * (face - 1) if face else 0 for face in range(FACE_COUNT + 1))
"""What one die of a face adds to the number of a hand."""

DOUBT: Final = -1
NOTHING: Final = -1
"""In the place of the last bid, before the first."""
NAIVE, LISTENER, CLIMBER, PATIENT = SIMPLE_PLAYERS = range(4)
"""The simple players: the most probable call by dice alone; by the last bid too; the least raise until the bid is
improbable; the least raise that is probable."""
NEXT_BIDS: Final = 16
CLIMBERS_DOUBT_BELOW: Final = 0.5
PATIENT_DOUBT_BELOW: Final = 0.3
PATIENT_RAISE_ABOVE: Final = 0.5
HONESTY: Final = 2.6
"""What a listener takes the last bidder's lam for."""
MOST_ANSWERS = 150_000
"""How many answers all memos together keep, some 20 MB."""


def coded(hand: Sequence[int]) -> int:
    """The number of a hand; the sum of such numbers is that of all their dice.

    >>> count_of(coded((2, 2, 5)) + coded((1, 5)), 5, ones_are_wild=True)
    3
    """
    return sum(FACE_CODES[die] for die in hand)


def count_of(code: int, face: int, ones_are_wild: bool) -> int:
    """How many dice of a coded hand count for a face."""
    count = code >> BITS * (face - 1) & MASK
    return count + (code & MASK) if ones_are_wild and face != 1 else count


class PlayerMemo:
    """The simple players' answers in one kind of round: equal bid rules, dice in play and maximum quantity."""

    def __init__(self, bid_lists: BidLists, total: int, max_quantity: int, ones_are_wild: bool) -> None:
        self._bid_lists = bid_lists
        self._total = total
        self._max_quantity = max_quantity
        self._wild = ones_are_wild
        self._plain = 2 / 6 if ones_are_wild else 1 / 6
        self.answers: tuple[dict[int, dict[int, int]], ...] = tuple({} for _ in SIMPLE_PLAYERS)
        """For each simple player, by hand, then by `bid << 4 | bidder_dice`: the next bid, or DOUBT."""
        self.size = 0
        self._all_tails: dict[tuple[int, int, int], list[Tail]] = {}

    def answer(self, player: int, code: int, held: int, bid: int, bidder_dice: int) -> int:
        """What a simple player with this hand of `held` dice says to a bid, or to `NOTHING`; and remember it."""
        own = [count_of(code, face, self._wild) for face in FACES]
        unknown = self._total - held
        last_face = bid % FACE_COUNT + 1 if bid >= 0 else 0
        heard = min(bidder_dice, unknown) if player == LISTENER and bid >= 0 else 0
        tails = self._tails(unknown, heard, last_face)
        bids = self._bid_lists[bid if bid >= 0 else None]
        chances = [
            (number, at_least(tails[number % FACE_COUNT], number // FACE_COUNT + 1 - own[number % FACE_COUNT]))
            for number in bids.numbers[: min(NEXT_BIDS, bids.counts[self._max_quantity])]
        ]
        holds = 1.0
        if bid >= 0:
            holds = at_least(tails[last_face - 1], bid // FACE_COUNT + 1 - own[last_face - 1])
        chosen = _chosen(player, holds, chances)
        self.answers[player].setdefault(code, {})[bid << 4 | bidder_dice] = chosen
        self.size += 1
        return chosen

    def _tails(self, unknown: int, heard: int, last_face: int) -> list[Tail]:
        key = (unknown, heard, last_face)
        if key not in self._all_tails:
            self._all_tails[key] = [self._tail(unknown, heard, face, last_face) for face in FACES]
        return self._all_tails[key]

    def _tail(self, unknown: int, heard: int, face: int, last_face: int) -> Tail:
        base = self._plain if face != 1 else 1 / 6
        if not heard:
            return tail(unknown, base)
        return mixed_tail(((heard, self._bidder_chance(face, last_face)), (unknown - heard, base)))

    def _bidder_chance(self, face: int, last_face: int) -> float:
        """The chance that a die of the last bidder counts for a face."""
        if self._wild and last_face == 1:
            return ACES_WEIGHT if face == 1 else ACES_WEIGHT + (1 - ACES_WEIGHT) / 5
        ones = ONES_WEIGHT if self._wild else 1.0
        all_weights = 4 + ones + HONESTY
        if self._wild and face != 1:
            return (ones + (HONESTY if face == last_face else 1)) / all_weights
        return (HONESTY if face == last_face else ones if face == 1 else 1) / all_weights


def _chosen(player: int, holds: float, chances: list[tuple[int, float]]) -> int:
    """The call of a simple player, who thinks that the last bid holds so probably, and each of the next bids."""
    if not chances:
        return DOUBT
    if player == CLIMBER:
        return DOUBT if holds < CLIMBERS_DOUBT_BELOW else chances[0][0]
    if player == PATIENT:
        if holds < PATIENT_DOUBT_BELOW:
            return DOUBT
        probable = next((number for number, chance in chances if chance > PATIENT_RAISE_ABOVE), None)
        if probable is not None:
            return probable
    best, chosen = 1 - holds, DOUBT
    for number, chance in chances:
        if chance > best:
            best, chosen = chance, number
    return chosen


_MEMOS: Final[OrderedDict[tuple[object, ...], PlayerMemo]] = OrderedDict()


def memo_of(bid_lists: BidLists, total: int, max_quantity: int, ones_are_wild: bool) -> PlayerMemo:
    """The answers of one kind of round; the kinds that nobody has asked for lately are forgotten."""
    key = (bid_lists.rules, total, max_quantity, ones_are_wild)
    memo = _MEMOS.get(key)
    if memo is None:
        while len(_MEMOS) > 1 and sum(each.size for each in _MEMOS.values()) > MOST_ANSWERS:
            _MEMOS.popitem(last=False)
        memo = _MEMOS[key] = PlayerMemo(bid_lists, total, max_quantity, ones_are_wild)
    _MEMOS.move_to_end(key)
    if memo.size > MOST_ANSWERS:
        for answers in memo.answers:
            answers.clear()
        memo.size = 0
    return memo


class Playouts:
    """One round, to be played out from a bid with any dice."""

    def __init__(self, counts: Sequence[int], memos: Sequence[PlayerMemo], ones_are_wild: bool) -> None:
        self.counts = tuple(min(count, 15) for count in counts)
        self._held = tuple(counts)
        self._memos = memos
        self._wild = ones_are_wild
        seats = [seat for seat, count in enumerate(counts) if count]
        self.left_of = {seat: seats[(index + 1) % len(seats)] for index, seat in enumerate(seats)}

    def world(self, codes: Sequence[int], players: Sequence[int]) -> World:
        """Hands for all seats, each with its simple player."""
        answers = [
            memo.answers[player].setdefault(code, {})
            for memo, player, code in zip(self._memos, players, codes, strict=True)
        ]
        return World(tuple(codes), tuple(players), answers, sum(codes))

    def last_bid(self, world: World, seat: int, bid: int) -> tuple[int, int, int]:
        """The last bidder, the doubter and the last bid, once this seat has made this bid."""
        left_of, counts, answers = self.left_of, self.counts, world.answers
        while True:
            following = left_of[seat]
            said = answers[following].get(bid << 4 | counts[seat])
            if said is None:
                said = self._memos[following].answer(
                    world.players[following], world.codes[following], self._held[following], bid, counts[seat]
                )
            if said == DOUBT:
                return seat, following, bid
            seat, bid = following, said

    def count(self, world: World, bid: int) -> int:
        """How many dice count for the face of a bid."""
        return count_of(world.total, bid % FACE_COUNT + 1, self._wild)


class World:
    """Hands for all seats, each with its simple player."""

    __slots__ = ("answers", "codes", "players", "total")

    def __init__(
        self, codes: tuple[int, ...], players: tuple[int, ...], answers: list[dict[int, int]], total: int
    ) -> None:
        self.codes = codes
        self.players = players
        self.answers = answers
        self.total = total
