"""The part of a state that stays the same while the players call, and values that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Final, TypeAlias

from perudo_core._actions import Bid, Dice, Seat
from perudo_core._bid_lists import BidLists, SeatBids, SeatBidsByLast
from perudo_core._bid_numbers import count_bids
from perudo_core._events import DiceShown, GameOver
from perudo_core._mypyc import mypyc_attr
from perudo_core._outcome import Outcome
from perudo_core._phase import Phase
from perudo_core._round_options import RoundOptions
from perudo_core._rules import Rules

__all__ = [
    "BIDDING", "OPENING", "OVER", "ROLLING", "RoundSetup", "Standing", "StateFields", "filled", "game_over",
    "in_turn_order", "next_seats", "open_dice", "replaced", "setup_of", "standing_of",
]  # fmt: skip


OPENING: Final = Phase.OPENING
ROLLING: Final = Phase.ROLLING
BIDDING: Final = Phase.BIDDING
OVER: Final = Phase.OVER
"""Constants of a compiled module need no look-up there, and `Phase.OVER` is slow in Python 3.11."""
MOST_KEPT: Final = 16
"""Up to this maximum quantity the plain calls are kept for ever: half a megabyte for each, where eight play."""


Following: TypeAlias = tuple[tuple[Seat, SeatBidsByLast], ...]


class Standing:
    """Each seat's number of dice, and what follows from it by some options: rounds with the same numbers share one."""

    __slots__ = (
        "bid_count", "calls_key", "dice_counts", "following", "max_quantity", "next_seats", "no_dice", "of_seat",
        "options", "players",
    )  # fmt: skip

    def __init__(self, options: RoundOptions, dice_counts: tuple[int, ...]) -> None:
        self.options = options
        self.dice_counts = dice_counts
        self.players = len(dice_counts) - dice_counts.count(0)
        self.no_dice: Dice = ((),) * len(dice_counts)
        self.next_seats = tuple(next_seats(dice_counts, options.direction(number)) for number in (0, 1))
        """The next player of each seat, in the rounds of even numbers and in those of odd ones."""
        self.max_quantity = options.max_quantity(dice_counts)
        self.bid_count = count_bids(self.max_quantity)
        self.of_seat = options.normal_bid_lists[self.max_quantity].of_seat
        """Each seat's bids that may follow each bid, where no round is palifico."""
        keeps_calls = options.only_turn_calls and self.max_quantity <= MOST_KEPT
        self.calls_key = self.max_quantity if keeps_calls else 0
        """The key in `SeatBids.calls`, or 0 where they are not kept."""
        self.following = tuple(self.following_in(None, number) for number in (0, 1))
        """Each seat's next player and this player's bids, by the number of the round, where no round is palifico."""

    def bid_lists_of(self, turn: Seat, palifico: Seat | None) -> BidLists:
        """Return the bids of this player that may follow each bid.

        azteca: palifico, another player who also holds exactly one die may change the face.
        """
        options = self.options
        if palifico is None:
            return options.normal_bid_lists[self.max_quantity]
        if options.palifico_face_change and turn != palifico and self.dice_counts[turn] == 1:
            return options.face_change_bid_lists[self.max_quantity]
        return options.palifico_bid_lists[self.max_quantity]

    def following_in(self, palifico: Seat | None, number: int) -> Following:
        """Return each seat's next player and this player's bids, in a round whose number has this remainder."""
        return tuple((seat, self.bid_lists_of(seat, palifico).of_seat[seat]) for seat in self.next_seats[number])

    def with_count(self, seat: Seat, count: int) -> Standing:
        """Return the standing in which this seat holds so many dice."""
        changed = list(self.dice_counts)
        changed[seat] = count
        return standing_of(self.options, tuple(changed))


standing_of = lru_cache(4096)(Standing)
_palifico_following = lru_cache(4096)(Standing.following_in)


@dataclass(init=False, slots=True, unsafe_hash=True)
class RoundSetup:
    """The part of a state that stays the same while the players call; the states of a round share one until a reroll.

    `setup_of` makes it, and no code changes one. A function sets the fields in half the time of an `__init__`.
    """

    rules: Rules
    seats: tuple[str, ...]
    phase: Phase
    round: int
    dice_counts: tuple[int, ...]
    dice: Dice
    opener: Seat | None
    palifico: Seat | None
    contenders: tuple[Seat, ...]
    had_palifico: frozenset[Seat]
    eliminated: tuple[Seat, ...]
    shown: tuple[DiceShown, ...]
    standing: Standing = field(compare=False)
    """This field and those below follow from the fields above; they are kept because every bid needs them."""
    following: Following = field(compare=False)
    """Each seat's next player, and the bids of that player that may follow each bid; empty while nobody bids."""

    @property
    def ones_are_wild(self) -> bool:
        """Whether ones count for any face: see `State.ones_are_wild`."""
        return self.palifico is None and self.standing.options.wild_ones

    @property
    def number(self) -> int:
        """The number of the round that is bid, or else of the next one."""
        return self.round if self.phase is BIDDING else self.round + 1

    @property
    def direction(self) -> int:
        """The direction of that round: 1 to the left, -1 to the right."""
        return self.standing.options.direction(self.number)


def setup_of(  # noqa: PLR0917 - the fields in their order; keywords would cost more than the rest
    rules: Rules,
    seats: tuple[str, ...],
    phase: Phase,
    round: int,  # noqa: A002 - the field's name
    dice_counts: tuple[int, ...],
    dice: Dice,
    opener: Seat | None = None,
    palifico: Seat | None = None,
    contenders: tuple[Seat, ...] = (),
    had_palifico: frozenset[Seat] = frozenset(),
    eliminated: tuple[Seat, ...] = (),
    shown: tuple[DiceShown, ...] = (),
    standing: Standing | None = None,
) -> RoundSetup:
    """Return the setup with these fields; `standing` is that of the rules and the dice counts, where it is known."""
    setup = RoundSetup()
    setup.rules = rules
    setup.seats = seats
    setup.phase = phase
    setup.round = round
    setup.dice_counts = dice_counts
    setup.dice = dice
    setup.opener = opener
    setup.palifico = palifico
    setup.contenders = contenders
    setup.had_palifico = had_palifico
    setup.eliminated = eliminated
    setup.shown = shown
    if standing is None:
        standing = standing_of(rules.round_options, dice_counts)
    setup.standing = standing
    if phase is not BIDDING:
        setup.following = ()
    elif palifico is None:
        setup.following = standing.following[round % 2]
    else:
        setup.following = _palifico_following(standing, palifico, round % 2)
    return setup


def replaced(setup: RoundSetup, **changes: Any) -> RoundSetup:
    """Return the setup with other values of some fields."""
    kept = {each.name: getattr(setup, each.name) for each in fields(RoundSetup) if each.compare}
    return setup_of(**{**kept, **changes})


@mypyc_attr(allow_interpreted_subclasses=True)
class StateFields:
    """The slots of a state, which `State` inherits from compiled code. `filled` alone sets them, once."""

    __slots__ = ("_bids", "_next_bids", "_setup", "_turn")

    _setup: RoundSetup
    _turn: Seat | None
    _bids: tuple[Bid, ...]
    _next_bids: SeatBids
    """The bids that the player to call may make, whatever the maximum quantity: it follows from the other three."""


def filled(made: Any, setup: RoundSetup, turn: Seat | None, bids: tuple[Bid, ...], next_bids: SeatBids) -> Any:
    """Fill a new state, and return it."""
    state: StateFields = made
    state._setup = setup
    state._turn = turn
    state._bids = bids
    state._next_bids = next_bids
    return state


def game_over(standing: Standing, eliminated: tuple[Seat, ...], number: int) -> GameOver:
    """Return the winner and the final places of a game that is over before the round with this number."""
    if len(eliminated) == len(standing.dice_counts) - 1:
        return _last_one_wins(eliminated)
    return GameOver(_fewest_dice_win(standing.dice_counts, eliminated, standing.options.direction(number)))


@lru_cache(4096)
def _last_one_wins(eliminated: tuple[Seat, ...]) -> GameOver:
    size = len(eliminated) + 1
    placements = [1] * size
    for place, seat in enumerate(eliminated):
        placements[seat] = size - place
    return GameOver(Outcome(placements.index(1), tuple(placements)))


def _fewest_dice_win(counts: tuple[int, ...], eliminated: tuple[Seat, ...], direction: int) -> Outcome:
    """By `Rules.first_out_wins`, the winner has no dice, and the others have."""
    size = len(counts)
    players = [seat for seat in range(size) if seat not in eliminated]
    winner = min(players, key=counts.__getitem__)
    order = [seat for seat in in_turn_order(winner, size, direction) if seat in players]
    ranked = (*sorted(order, key=counts.__getitem__), *reversed(eliminated))
    return Outcome(winner, tuple(ranked.index(seat) + 1 for seat in range(size)))


def open_dice(shown: tuple[DiceShown, ...], seat: Seat | None) -> tuple[int, ...]:
    """Return the dice of a seat that all players see: the first of its hand, in the order in which it showed them."""
    return tuple(die for each in shown if each.seat == seat for die in each.dice)


@lru_cache(4096)
def in_turn_order(first: Seat, size: int, direction: int) -> tuple[Seat, ...]:
    """Return all seats of a table in the direction of play, from this one on."""
    return tuple((first + direction * step) % size for step in range(size))


@lru_cache(4096)
def next_seats(counts: tuple[int, ...], direction: int) -> tuple[Seat, ...]:
    """Return for each seat the nearest one in the direction of play that has dice: itself if no other has dice."""
    size = len(counts)
    return tuple(
        next((other for other in in_turn_order(seat, size, direction)[1:] if counts[other]), seat)
        for seat in range(size)
    )
