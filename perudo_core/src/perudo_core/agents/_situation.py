"""The position that an agent decides on: an observation and a memory in a form for quick computation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from perudo_core._actions import Bid, Dice, Seat
from perudo_core._bid_lists import BidLists
from perudo_core._bid_numbers import bid_number, quantity_and_face
from perudo_core._bidding import ONE
from perudo_core._errors import expect_type
from perudo_core._observation import Observation
from perudo_core._rules import Rules
from perudo_core.agents._chances import Tail, mixed_tail
from perudo_core.agents._memory import Memory

__all__ = ["Situation", "face_chances", "situation_of"]

ONES_WEIGHT = 1.1
"""mu of the bid model: the frequency of ones among a bidder's dice after a bid on a plain face; another face has 1."""
ACES_WEIGHT = 0.5
"""The chance that a die of a bidder on wild ones is a one."""
FACE_COUNT = 6

LastBids: TypeAlias = tuple[tuple[Seat, int], ...]
"""The face of the last bid of each other seat that has bid since it last rolled."""


@dataclass(frozen=True, slots=True)
class Situation:
    """One decision."""

    seat: Seat
    rules: Rules
    counts: tuple[int, ...]
    hand: tuple[int, ...]
    """The seat's number of dice of each face; index 0 is unused."""
    open_dice: Dice
    """The dice of each seat that all players see; empty while there are none."""
    silent_until: tuple[int, ...]
    """For each seat the number of bids before its last roll: they say nothing about its hidden dice."""
    last: Bid | None
    bids: tuple[int, ...]
    """The bids of the round, by number."""
    bidders: tuple[Seat, ...]
    """The seats that made these bids."""
    last_faces: LastBids
    ones_are_wild: bool
    palifico: Seat | None
    max_quantity: int
    direction: int
    """The direction of play: see `Rules.direction`."""
    bid_numbers: tuple[int, ...]
    """The bids that the seat may make now, by number."""
    may_dudo: bool
    may_calza: bool
    honesty: tuple[float, ...]
    """lam of the bid model for each seat."""

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: a frozen compiled class is made again from the arguments of its `__init__`."""
        return Situation, tuple(getattr(self, each.name) for each in fields(self))

    @property
    def total(self) -> int:
        """All dice on the table."""
        return sum(self.counts)

    @property
    def unknown(self) -> int:
        """The dice that the seat does not see."""
        own = self.counts[self.seat]
        return sum(self.counts) - own - (len(self.seen_of_others(self.seat)) if self.open_dice else 0)

    def hidden(self, seat: Seat) -> int:
        """Return the number of a seat's hidden dice."""
        return self.counts[seat] - len(self.open_dice[seat]) if self.open_dice else self.counts[seat]

    def opened(self, seat: Seat) -> tuple[int, ...]:
        """Return the dice of a seat that all players see."""
        return self.open_dice[seat] if self.open_dice else ()

    def seen_of_others(self, seat: Seat) -> tuple[int, ...]:
        """Return the open dice of all seats but this one."""
        return tuple(die for other, dice in enumerate(self.open_dice) if other != seat for die in dice)

    def open_count(self, face: int) -> int:
        """Return the number of the other seats' open dice that count for a face."""
        return self.counted(self.seen_of_others(self.seat), face) if self.open_dice else 0

    def counted(self, dice: Sequence[int], face: int) -> int:
        """Return the number of these dice that count for a face."""
        wild = self.ones_are_wild
        return sum(die == face or (wild and die == ONE) for die in dice)

    def own(self, face: int) -> int:
        """Return the number of the seat's own dice that count for a face."""
        hand = self.hand
        return hand[face] + hand[ONE] if self.ones_are_wild and face != ONE else hand[face]

    def base_chance(self, face: int) -> float:
        """Return the chance that a die counts for a face, without regard to bids."""
        return 2 / 6 if self.ones_are_wild and face != ONE else 1 / 6

    def tail_by_dice(self, face: int) -> Tail:
        """Return the chance of at least k of a face among the others' dice, by dice alone."""
        return (1.0,) * self.open_count(face) + mixed_tail(((self.unknown, self.base_chance(face)),))

    def tail_by_bids(self, face: int) -> Tail:
        """Return the same given the bids: each player's last bid is evidence about their dice."""
        bidders = dict(self.last_faces)
        silent, groups = 0, []
        for seat in range(len(self.counts)):
            count = self.hidden(seat)
            if seat == self.seat or not count:
                continue
            if seat in bidders:
                groups.append((count, self.bidder_chance(seat, bidders[seat], face)))
            else:
                silent += count
        return (1.0,) * self.open_count(face) + mixed_tail((*sorted(groups), (silent, self.base_chance(face))))

    def bidder_chance(self, seat: Seat, bid_face: int, face: int) -> float:
        """Return the chance that a die of a player whose last bid was on `bid_face` counts for a face."""
        chances = face_chances(bid_face, self.ones_are_wild, self.honesty[seat])
        return round(chances[face] + chances[ONE] if self.ones_are_wild and face != ONE else chances[face], 3)

    def is_bluff(self, quantity: int, face: int) -> bool:
        """Return whether the seat has less than an even share of this bid."""
        return self.own(face) * self.total < quantity * self.counts[self.seat]

    def bid_lists(self, seat: Seat) -> BidLists:
        """Return the bids of a seat that may follow each bid in this round."""
        rules, most = self.rules, self.max_quantity
        if self.palifico is None:
            return rules.round_options.normal_bid_lists[most]
        if rules.palifico_face_change and seat != self.palifico and self.counts[seat] == 1:
            return rules.round_options.face_change_bid_lists[most]
        return rules.round_options.palifico_bid_lists[most]

    def bid(self, number: int) -> Bid:
        """Return the seat's bid with this number."""
        return Bid(self.seat, *quantity_and_face(number))


def face_chances(bid_face: int, ones_are_wild: bool, honesty: float) -> tuple[float, ...]:
    """Return the chance of each face for a die of a player whose last bid was on this face; index 0 is unused.

    >>> [round(chance, 2) for chance in face_chances(3, True, 2.9)[1:]]
    [0.14, 0.12, 0.36, 0.12, 0.12, 0.12]
    """
    if ones_are_wild and bid_face == ONE:
        return (0.0, ACES_WEIGHT, *((1 - ACES_WEIGHT) / 5,) * 5)
    weights = [0.0, ONES_WEIGHT if ones_are_wild else 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    weights[bid_face] = honesty
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def situation_of(observation: Observation, memory: Memory) -> Situation:
    """Return the position of the observation's seat.

    Raises `ValueError` for a bystander and for a seat that may not call.

    The habits in a memory of another number of seats do not count.
    """
    expect_type(observation, Observation, "observation")
    expect_type(memory, Memory, "memory")
    legal, seat = observation.legal_calls, observation.seat
    if seat is None or not legal:
        raise ValueError("this seat has no legal call")
    rules, seats = observation.rules, len(observation.seats)
    fits = len(memory.habits) == seats
    silent_until = (0,) * seats
    if observation.shown:
        since = {each.seat: 1 + observation.bids.index(each.bid) for each in observation.shown}
        silent_until = tuple(since.get(other, 0) for other in range(seats))
    last_faces = {
        bid.seat: bid.face
        for at, bid in enumerate(observation.bids)
        if bid.seat != seat and at >= silent_until[bid.seat]
    }
    numbers = tuple(legal.bid_numbers)
    calls = [type(call).__name__ for call in legal[len(numbers) :]]
    return Situation(
        seat=seat,
        rules=rules,
        counts=observation.dice_counts,
        hand=tuple(observation.dice.count(face) for face in range(FACE_COUNT + 1)),
        open_dice=observation.open_dice if observation.shown else (),
        silent_until=silent_until,
        last=observation.current_bid,
        bids=tuple(bid_number(bid.quantity, bid.face) for bid in observation.bids),
        bidders=tuple(bid.seat for bid in observation.bids),
        last_faces=tuple(sorted(last_faces.items())),
        ones_are_wild=observation.ones_are_wild,
        palifico=observation.palifico,
        max_quantity=observation.max_quantity,
        direction=rules.direction(observation.round),
        bid_numbers=numbers,
        may_dudo="Dudo" in calls,
        may_calza="Calza" in calls,
        honesty=tuple(round(habit.honesty, 1) for habit in memory.habits) if fits else (2.0,) * seats,
    )
