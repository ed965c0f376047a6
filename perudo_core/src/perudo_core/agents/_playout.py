"""Plays rounds to their end with imagined dice, by simple players whose answers are looked up.

This is a second engine, for speed: hands and bids are numbers, and a simple player's answer to a bid depends on so few
values that it is computed once. A property test compares it with the core's engine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp
from operator import add
from threading import Lock
from typing import Final, NamedTuple

from perudo_core._actions import FACES
from perudo_core._bid_lists import BidLists
from perudo_core._bid_numbers import FACE_COUNT
from perudo_core._round_setup import next_seats
from perudo_core.agents._chances import Tail, at_least, mixed_tail, tail
from perudo_core.agents._reckoning import chance_of_doubt, worth_of_bid
from perudo_core.agents._situation import face_chances

__all__ = [
    "CLIMBER", "DOUBT", "HIGH", "LISTENER", "NAIVE", "NOTHING", "PATIENT", "REGULAR", "SIMPLE_PLAYERS", "TRUTHFUL",
    "PlayerMemo", "Playouts", "World", "coded", "count_of", "memo_of",
]  # fmt: skip

BITS: Final = 10
MASK: Final = (1 << BITS) - 1
FACE_CODES: Final = tuple(1 << BITS * (face - 1) if face else 0 for face in range(FACE_COUNT + 1))
"""The number that one die of a face adds to the number of a hand."""

DOUBT: Final = -1
NOTHING: Final = -1
"""In place of the last bid, before the first."""
NAIVE, LISTENER, CLIMBER, PATIENT, CREEPER, OWN_FACE, HIGH, REGULAR = SIMPLE_PLAYERS = range(8)
"""The simple players: the most probable call by dice alone; by the last bid too; the least raise until the bid is
improbable; the least raise that is probable; the least raise for longer; the face of which they hold most;
the highest bid that is more probable than not, and a doubt beyond; the call of the level regular."""
TRUTHFUL: Final = len(SIMPLE_PLAYERS)
"""In place of a simple player: a player who makes a call twice as often if it is twice as probably right."""
ERRING: Final = (HIGH, REGULAR)
"""The simple players who choose a call at random; the others always make the same one."""
NEXT_BIDS: Final = 16
DOUBT_BELOW: Final = {CLIMBER: 0.5, PATIENT: 0.3, CREEPER: 0.3, OWN_FACE: 0.4}
RAISE_ABOVE: Final = {CLIMBER: 0.0, PATIENT: 0.4, CREEPER: 0.0}
AS_EXPECTED: Final = 0.8
"""The probability of a call by a simple player who would make it."""
UNEXPECTED: Final = 0.05
SHARPNESS: Final = 7.0
"""How much more often the upper levels make a call that `REGULAR` rates higher: e times as often for 1/7 of a die."""
PROBABLE: Final = 0.5
CLIMB: Final = 0.5
"""How much more often `HIGH` makes the next higher probable bid: e times as often for two steps."""
LEAST_LIKELY: Final = 0.03
HONESTY: Final = 2.6
"""The last bidder's lam that a listener assumes."""
MOST_ANSWERS = 150_000
"""The number of answers in all memos together, about 20 MB."""


def coded(hand: Sequence[int]) -> int:
    """Return the number of a hand; the sum of such numbers is that of all their dice.

    >>> count_of(coded((2, 2, 5)) + coded((1, 5)), 5, ones_are_wild=True)
    3
    """
    return sum(FACE_CODES[die] for die in hand)


def count_of(code: int, face: int, ones_are_wild: bool) -> int:
    """Return the number of dice of a coded hand that count for a face."""
    count = code >> BITS * (face - 1) & MASK
    return count + (code & MASK) if ones_are_wild and face != 1 else count


@lru_cache(maxsize=4096)
def _counts(code: int, ones_are_wild: bool) -> tuple[int, ...]:
    """Return the numbers of dice of a coded hand that count for each face, ones first."""
    return tuple(count_of(code, face, ones_are_wild) for face in FACES)


class Weights(NamedTuple):
    """The weights of a player's calls."""

    calls: list[tuple[int, int, tuple[float, ...]]]
    """The call, the index of its face, its weight for each count of that face in hand."""
    by_face: list[list[float]]
    """The sum of the weights of all calls of a face, for each count of that face in hand."""


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
        self._weights: dict[tuple[int, int, int], Weights] = {}
        self._likelihoods: dict[tuple[int, tuple[int, ...], tuple[int, int, int]], list[float]] = {}

    def answer(self, player: int, code: int, held: int, bid: int, bidder_dice: int) -> int:
        """Return a simple player's answer to a bid or to `NOTHING`, with this hand of `held` dice; it is remembered."""
        known, key = self.answers[player].setdefault(code, {}), bid << 4 | bidder_dice
        if key in known:
            return known[key]
        own = _counts(code, self._wild)
        unknown = self._total - held
        last_face = bid % FACE_COUNT + 1 if bid >= 0 else 0
        heard = min(bidder_dice, unknown) if player == LISTENER and bid >= 0 else 0
        tails = self._tails(unknown, heard, last_face)

        def chance(number: int) -> float:
            face = number % FACE_COUNT
            return at_least(tails[face], number // FACE_COUNT + 1 - own[face])

        if player in ERRING:
            calls = self._weighted(player, held, bid, bidder_dice).calls
            chosen = max(calls, key=lambda call: call[2][own[call[1]]])[0]
        else:
            chosen = _chosen(player, chance(bid) if bid >= 0 else 1.0, self._next_bids(bid), chance, own)
        known[key] = chosen
        self.size += 1
        return chosen

    def likelihoods(self, player: int, codes: tuple[int, ...], held: int, say: tuple[int, int, int]) -> Sequence[float]:
        """Return the probability of a simple player's answer, for each of these hands.

        `say` is bid, bidder's dice, answer.
        """
        key = (player, codes, say)
        if key not in self._likelihoods:
            self._likelihoods[key] = self._likely(player, codes, held, say)
            self.size += 1 + len(codes) // 8  # a probability takes less memory than an answer
        return self._likelihoods[key]

    def _likely(self, player: int, codes: tuple[int, ...], held: int, say: tuple[int, int, int]) -> list[float]:
        bid, bidder_dice, said = say
        number = bid if said == DOUBT else said
        quantity, said_face = number // FACE_COUNT + 1, number % FACE_COUNT
        truths = [1.0] * (held + 1)
        if bid < 0 or player == TRUTHFUL:  # an opening bid is never forced by a bid before it
            by_dice = tail(self._total - held, self._plain if said_face else 1 / 6)
            told = self._told(held, bid, bidder_dice)[said_face]
            twice = [at_least(by_dice, quantity - own) + at_least(told, quantity - own) for own in range(held + 1)]
            truths = [2 - each for each in twice] if said == DOUBT else twice
        if player == TRUTHFUL:
            return [truths[_counts(code, self._wild)[said_face]] for code in codes]
        if player not in ERRING:
            answers = [self.answer(player, code, held, bid, bidder_dice) for code in codes]
            return [
                AS_EXPECTED if answer == said else UNEXPECTED * truths[_counts(code, self._wild)[said_face]]
                for answer, code in zip(answers, codes, strict=True)
            ]
        weights = self._weighted(player, held, bid, bidder_dice)
        call = next((each for each in weights.calls if each[0] == said), None)
        found = []
        ones, twos, threes, fours, fives, sixes = weights.by_face
        for code in codes:
            own = _counts(code, self._wild)
            total = ones[own[0]] + twos[own[1]] + threes[own[2]] + fours[own[3]] + fives[own[4]] + sixes[own[5]]
            likely = call[2][own[said_face]] / total if call else 0.0
            found.append(max(likely, LEAST_LIKELY * truths[own[said_face]]))
        return found

    def _weighted(self, player: int, held: int, bid: int, bidder_dice: int) -> Weights:
        """Return the weights of the calls of a player who errs; the level regular believes half of the last bid."""
        key = (player, held, bid << 4 | bidder_dice)
        if key not in self._weights:
            unknown = self._total - held
            others = max(1, round(unknown / held))
            tails = self._told(held, bid, bidder_dice)
            calls = []
            by_face = [[0.0] * (held + 1) for _ in range(FACE_COUNT)]
            following = self._openings() if player == HIGH and bid < 0 else self._next_bids(bid)
            for rank, number in enumerate([bid, *following] if bid >= 0 else following, int(bid < 0)):
                quantity, face = number // FACE_COUNT + 1, number % FACE_COUNT
                base = self._plain if face else 1 / 6
                by_dice, needs = tail(unknown, base), range(quantity, quantity - held - 1, -1)
                if player == HIGH:
                    often = exp(CLIMB * rank)
                    by_own = [often if at_least(by_dice, need) >= PROBABLE else UNEXPECTED for need in needs]
                    by_own = [1.0] * len(by_own) if number == bid else by_own
                else:
                    doubted = chance_of_doubt(held, unknown, quantity, base)
                    by_own = []
                    for need in needs:
                        right = (at_least(tails[face], need) + at_least(by_dice, need)) / 2
                        doubt = (1 - right) / others - right
                        worth = doubt if number == bid else worth_of_bid(right / others - (1 - right), doubted)
                        by_own.append(exp(SHARPNESS * worth))
                calls.append((DOUBT if number == bid else number, face, tuple(by_own)))
                by_face[face] = list(map(add, by_face[face], by_own))
            self._weights[key] = Weights(calls, by_face)
        return self._weights[key]

    def _openings(self) -> Sequence[int]:
        """Return the bids that open a round, without those of more than half the dice."""
        most = FACE_COUNT * max(1, self._total // 2)
        return [number for number in self._bid_lists[None].numbers if number < most]

    def _next_bids(self, bid: int) -> Sequence[int]:
        bids = self._bid_lists[bid if bid >= 0 else None]
        return bids.numbers[: min(NEXT_BIDS, bids.counts[self._max_quantity])]

    def _told(self, held: int, bid: int, bidder_dice: int) -> list[Tail]:
        """Return the chance of at least k of each face among the unseen dice, if the last bid is believed."""
        unknown = self._total - held
        heard = min(bidder_dice, unknown) if bid >= 0 else 0
        return self._tails(unknown, heard, bid % FACE_COUNT + 1 if bid >= 0 else 0)

    def _tails(self, unknown: int, heard: int, last_face: int) -> list[Tail]:
        """Return the chance of at least k of each face among the unseen dice, some of which are the last bidder's."""
        key = (unknown, heard, last_face)
        if key not in self._all_tails:
            said = face_chances(last_face, self._wild, HONESTY)
            ones = said[1] if self._wild else 0.0
            tails = [mixed_tail(((heard, said[1]), (unknown - heard, 1 / 6)))]
            tails += [mixed_tail(((heard, said[face] + ones), (unknown - heard, self._plain))) for face in FACES[1:]]
            self._all_tails[key] = tails  # whole, because another thread may read it at once
        return self._all_tails[key]


def _chosen(
    player: int, holds: float, numbers: Sequence[int], chance: Callable[[int], float], own: Sequence[int]
) -> int:
    """Return the call of a simple player, given their chance that the last bid holds."""
    if not numbers or holds < DOUBT_BELOW.get(player, 0.0):
        return DOUBT
    if player == OWN_FACE:
        return max(numbers, key=lambda number: own[number % FACE_COUNT])
    if player in RAISE_ABOVE:
        return next((number for number in numbers if chance(number) >= RAISE_ABOVE[player]), numbers[0])
    best = max(numbers, key=chance)
    return best if chance(best) > 1 - holds else DOUBT


_MEMOS: Final[OrderedDict[tuple[object, ...], PlayerMemo]] = OrderedDict()
_MEMOS_LOCK: Final = Lock()
"""Agents may decide in several threads. In a memo, two threads compute the same answer at worst, and it is the same."""


def memo_of(bid_lists: BidLists, total: int, max_quantity: int, ones_are_wild: bool) -> PlayerMemo:
    """Return the answers of one kind of round; kinds that have not been used lately are dropped."""
    key = (bid_lists.rules, total, max_quantity, ones_are_wild)
    with _MEMOS_LOCK:
        memo = _MEMOS.get(key)
        if memo is None or memo.size > MOST_ANSWERS:
            while len(_MEMOS) > 1 and sum(each.size for each in _MEMOS.values()) > MOST_ANSWERS:
                _MEMOS.popitem(last=False)
            memo = _MEMOS[key] = PlayerMemo(bid_lists, total, max_quantity, ones_are_wild)
        _MEMOS.move_to_end(key)
    return memo


class Playouts:
    """One round, to be played out from a bid with any dice."""

    def __init__(
        self,
        counts: Sequence[int],
        memos: Sequence[PlayerMemo],
        ones_are_wild: bool,
        direction: int = 1,
        open_dice: Sequence[Sequence[int]] = (),
    ) -> None:
        opened = tuple(map(len, open_dice)) or (0,) * len(counts)
        self._hidden = tuple(min(count - seen, 15) for count, seen in zip(counts, opened, strict=True))
        self._held = tuple(count + sum(opened) - seen for count, seen in zip(counts, opened, strict=True))
        """The dice that each seat sees: its own, and those that the others have shown."""
        codes = tuple(map(coded, open_dice)) or (0,) * len(counts)
        self._seen = tuple(sum(codes) - code for code in codes) if open_dice else ()
        self._memos = memos
        self._wild = ones_are_wild
        self.next_of = next_seats(tuple(counts), direction)

    def world(self, codes: Sequence[int], players: Sequence[int]) -> World:
        """Hands for all seats, each with its simple player."""
        seen = tuple(map(add, codes, self._seen)) if self._seen else tuple(codes)
        answers = [
            memo.answers[player].setdefault(code, {})
            for memo, player, code in zip(self._memos, players, seen, strict=True)
        ]
        return World(seen, tuple(players), answers, sum(codes))

    def last_bid(self, world: World, seat: int, bid: int) -> tuple[int, int, int]:
        """Return the last bidder, the doubter and the last bid, once this seat has made this bid."""
        next_of, hidden, answers = self.next_of, self._hidden, world.answers
        while True:
            following = next_of[seat]
            said = answers[following].get(bid << 4 | hidden[seat])
            if said is None:
                said = self._memos[following].answer(
                    world.players[following], world.codes[following], self._held[following], bid, hidden[seat]
                )
            if said == DOUBT:
                return seat, following, bid
            seat, bid = following, said

    def count(self, world: World, bid: int) -> int:
        """Return the number of dice that count for the face of a bid."""
        return count_of(world.total, bid % FACE_COUNT + 1, self._wild)


class World:
    """Hands for all seats, each with its simple player; `codes` are the dice that each seat sees."""

    __slots__ = ("answers", "codes", "players", "total")

    def __init__(
        self, codes: tuple[int, ...], players: tuple[int, ...], answers: list[dict[int, int]], total: int
    ) -> None:
        self.codes = codes
        self.players = players
        self.answers = answers
        self.total = total
