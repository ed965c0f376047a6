"""An agent's memory of a game: only public facts, updated event by event."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from perudo_core import _json_reading as read
from perudo_core._actions import FACES, Bid, Dice, Seat
from perudo_core._bidding import ONE
from perudo_core._errors import StateError, abbreviated, expect_type, whole_number
from perudo_core._events import (
    EVERYONE,
    BidMade,
    CalzaCalled,
    DiceShown,
    DudoCalled,
    Event,
    Revealed,
    RoundStarted,
    audience,
    expect_seats,
)
from perudo_core._fields import (
    BID,
    BOOLEAN,
    COUNT,
    DICE,
    MAYBE_SEAT,
    RULES,
    SEAT,
    Kind,
    many,
    read_document,
    struct,
    write_fields,
)
from perudo_core._rules import MAX_SEATS, Rules

__all__ = ["Habits", "Memory", "PastRound", "dump_memory", "load_memory", "new_memory", "remember", "remember_all"]

SCHEMA: Final = "perudo-memory/2"
PRIOR_MATCHES = 4.0
PRIOR_OTHERS = 2.0


@dataclass(frozen=True, slots=True)
class Habits:
    """The habits that one player has shown in this game."""

    matches: int = 0
    """The number of dice that showed the plain face of the player's last bid, over all reveals."""
    others: float = 0.0
    """The mean count of the four other plain faces, over the same reveals."""
    shown_bids: int = 0
    """The number of last bids of a round that a reveal showed."""
    shown_bluffs: int = 0
    """The number of these bids whose bidder had less than an even share of the bid."""
    doubts: int = 0
    """The number of dudos and calzas."""
    answers: int = 0
    """The number of bids and doubts after another player's bid."""
    raises: int = 0
    """The number of bids after another player's bid on the same face."""
    steps: int = 0
    """The sum of the dice by which these bids exceeded the least raise."""

    @property
    def honesty(self) -> float:
        """How much more often the player's dice show the bid face than another plain face: lam of the bid model.

        >>> Habits().honesty, Habits(matches=8, others=1.0).honesty
        (2.0, 4.0)
        """
        return (self.matches + PRIOR_MATCHES) / (self.others + PRIOR_OTHERS)

    @property
    def bluff_rate(self) -> float:
        """The share of bluffs among the bids that reveals showed; near the usual share after few reveals."""
        return (self.shown_bluffs + 1.5) / (self.shown_bids + 4)

    @property
    def doubt_rate(self) -> float:
        """The share of dudos and calzas among the answers to a bid; near the usual share after few answers."""
        return (self.doubts + 1.0) / (self.answers + 5)

    @property
    def jump(self) -> float:
        """The dice by which a raise on the same face exceeds the least one, on average."""
        return self.steps / (self.raises + 3)


@dataclass(frozen=True, slots=True)
class PastRound:
    """A round that ended with a reveal, as all players saw it."""

    dice: Dice
    bids: tuple[Bid, ...]
    doubter: Seat
    ones_are_wild: bool
    palifico: Seat | None


@dataclass(frozen=True, slots=True)
class Memory:
    """The habits and the past rounds that a game has shown so far, which no observation has; the same for every seat.

    `remember` makes the next memory; a memory never changes.
    """

    rules: Rules
    habits: tuple[Habits, ...]
    """One for each seat."""
    bids: tuple[Bid, ...] = ()
    """The bids of this round."""
    palifico: Seat | None = None
    """The seat whose palifico round it is."""
    doubter: Seat | None = None
    """The seat that has said dudo or calza in this round."""
    rounds: tuple[PastRound, ...] = field(default=(), repr=False)
    """The rounds that ended with a reveal, oldest first, without those in which dice were rolled again."""
    rerolled: tuple[Seat, ...] = ()
    """The seats that have rolled again in this round: their bids before that say nothing about what a reveal shows."""


def new_memory(rules: Rules, seats: int) -> Memory:
    """Return the memory at the start of a game of so many seats.

    >>> from perudo_core import Rules
    >>> [habit.honesty for habit in new_memory(Rules(), 2).habits]
    [2.0, 2.0]
    """
    expect_type(rules, Rules, "rules")
    seats = whole_number(seats, "seats", 2, MAX_SEATS)
    return Memory(rules, (Habits(),) * seats)


def remember(memory: Memory, event: Event) -> Memory:
    """Return the memory after one more event; an event that is not public changes nothing.

    Raises `ValueError` for an event of a seat that does not exist.

    >>> from perudo_core import Bid, BidMade, DiceRolled, Rules
    >>> memory = remember(new_memory(Rules(), 2), BidMade(Bid(0, 2, 3)))
    >>> memory.bids
    (Bid(seat=0, quantity=2, face=3),)
    >>> remember(memory, DiceRolled(seat=0, dice=(1, 2, 2, 3, 6))) == memory
    True
    """
    if type(memory) is not Memory:
        expect_type(memory, Memory, "memory")
    if audience(event) is not EVERYONE:
        expect_type(event, Event, "event")
        return memory
    seats = len(memory.habits)
    expect_seats(event, seats, f"the memory is of {seats} seats")
    match event:
        case RoundStarted():
            return replace(memory, bids=(), palifico=event.palifico, doubter=None, rerolled=())
        case DiceShown(seat):
            return replace(memory, rerolled=(*memory.rerolled, seat))
        case BidMade(bid):
            return replace(memory, bids=(*memory.bids, bid), habits=_after_bid(memory, bid))
        case DudoCalled(seat) | CalzaCalled(seat):
            habit = memory.habits[seat]
            habit = replace(habit, doubts=habit.doubts + 1, answers=habit.answers + 1)
            return replace(memory, habits=_with(memory.habits, seat, habit), doubter=seat)
        case Revealed(dice):
            if len(dice) < seats:
                raise ValueError(f"a reveal must have a hand for each of {seats} seats: {abbreviated(event)}")
            return replace(memory, habits=_after_reveal(memory, event), rounds=(*memory.rounds, *_ended(memory, event)))
        case _:
            return memory


def remember_all(memory: Memory, events: Iterable[Event]) -> Memory:
    """Return the memory after these events, in order.

    >>> from perudo_core import Bid, BidMade, Rules
    >>> [str(bid) for bid in remember_all(new_memory(Rules(), 2), [BidMade(Bid(0, 1, 2)), BidMade(Bid(1, 1, 3))]).bids]
    ['1x2', '1x3']
    """
    expect_type(memory, Memory, "memory")
    expect_type(events, Iterable, "events")
    for event in events:
        memory = remember(memory, event)
    return memory


def dump_memory(memory: Memory) -> dict[str, Any]:
    """Return the memory as a JSON value that every later version can load.

    >>> from perudo_core import Rules
    >>> load_memory(dump_memory(new_memory(Rules(), 2))) == new_memory(Rules(), 2)
    True
    """
    expect_type(memory, Memory, "memory")
    return {"schema": SCHEMA} | write_fields(memory, _FIELDS)


def load_memory(data: Any) -> Memory:
    """Return the memory that `dump_memory` wrote, in this version or an earlier one.

    Raises `StateError` for other data.
    """
    memory = Memory(**read_document(data, "memory", SCHEMA, _FIELDS))
    seats = len(memory.habits)
    if not 2 <= seats <= MAX_SEATS:  # noqa: PLR2004 - the fewest who can play
        raise StateError(f"habits must be of 2 to {MAX_SEATS} seats, not {seats}")
    for past in memory.rounds:
        _check_round(past, memory.rules.dice_at_start(seats))
    _check_bids(memory.bids, sum(memory.rules.dice_at_start(seats)))
    _check_seats((*(bid.seat for bid in memory.bids), memory.palifico, memory.doubter, *memory.rerolled), seats)
    return memory


def _number(data: Any, where: str) -> float:
    if type(data) not in {int, float} or not 0 <= data <= read.MAX_INTEGER:
        raise StateError(f"{where} must be a number from 0, not {abbreviated(data)}")
    return float(data)


_FIELDS: Final = {
    "rules": RULES,
    "bids": many(BID),
    "palifico": MAYBE_SEAT,
    "doubter": MAYBE_SEAT,
    "habits": many(
        struct(
            Habits,
            dict.fromkeys(Habits.__match_args__, COUNT) | {"others": Kind(_number, {"type": "number", "minimum": 0})},
        )
    ),
    "rounds": many(
        struct(
            PastRound,
            {"dice": DICE, "bids": many(BID), "doubter": SEAT, "ones_are_wild": BOOLEAN, "palifico": MAYBE_SEAT},
        )
    ),
    "rerolled": many(SEAT),
}


def _check_round(past: PastRound, start: tuple[int, ...]) -> None:
    seats = len(start)
    fits = len(past.dice) == seats and all(len(hand) <= most for hand, most in zip(past.dice, start, strict=True))
    if not fits or not past.bids:
        raise StateError(f"each of rounds must have {seats} hands of at most {max(start)} dice, and a bid")
    _check_bids(past.bids, sum(start))
    callers = {*(bid.seat for bid in past.bids), past.doubter}
    _check_seats((*callers, past.palifico), seats)
    if not all(past.dice[seat] for seat in callers):
        raise StateError("each player who calls in one of rounds must have dice")


def _check_bids(bids: tuple[Bid, ...], most: int) -> None:
    for bid in bids:
        if not 1 <= bid.quantity <= most or bid.face not in FACES:
            raise StateError(f"no bid of a game: {abbreviated(bid)}")


def _check_seats(named: Iterable[Seat | None], seats: int) -> None:
    for seat in named:
        if seat is not None and seat >= seats:
            raise StateError(f"memory is of {seats} seats, and names the seat {seat}")


def _ended(memory: Memory, reveal: Revealed) -> tuple[PastRound, ...]:
    """Return the round that ends with this reveal, as a tuple of one.

    Empty if the memory lacks a part of the round, and if dice were rolled again.
    """
    if memory.doubter is None or memory.rerolled or reveal.bid not in memory.bids[-1:]:
        return ()
    return (PastRound(reveal.dice, memory.bids, memory.doubter, reveal.ones_are_wild, memory.palifico),)


def _with(habits: tuple[Habits, ...], seat: Seat, habit: Habits) -> tuple[Habits, ...]:
    return (*habits[:seat], habit, *habits[seat + 1 :])


def _after_bid(memory: Memory, bid: Bid) -> tuple[Habits, ...]:
    if not memory.bids:
        return memory.habits
    habit, last = memory.habits[bid.seat], memory.bids[-1]
    habit = replace(habit, answers=habit.answers + 1)
    if bid.face == last.face:
        habit = replace(habit, raises=habit.raises + 1, steps=habit.steps + bid.quantity - last.quantity - 1)
    return _with(memory.habits, bid.seat, habit)


def _after_reveal(memory: Memory, reveal: Revealed) -> tuple[Habits, ...]:
    """Return the habits after comparing each bidder's dice with their last bid of the round."""
    habits = memory.habits
    total = sum(map(len, reveal.dice))
    for seat, bid in {bid.seat: bid for bid in memory.bids}.items():
        hand, habit = reveal.dice[seat], habits[seat]
        if not hand or seat in memory.rerolled:
            continue
        held = hand.count(bid.face)
        if bid.face != ONE:
            others = len(hand) - held - hand.count(ONE)
            habit = replace(habit, matches=habit.matches + held, others=habit.others + others / 4)
            held += hand.count(ONE) if reveal.ones_are_wild else 0
        habit = replace(
            habit,
            shown_bids=habit.shown_bids + 1,
            shown_bluffs=habit.shown_bluffs + (held * total < bid.quantity * len(hand)),
        )
        habits = _with(habits, seat, habit)
    return habits
