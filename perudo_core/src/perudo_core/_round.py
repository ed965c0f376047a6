"""What the calls of a round are judged by."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from perudo_core.bidding import Terms
from perudo_core.errors import Reason
from perudo_core.events import BidMade
from perudo_core.rules import CalzaBy, LostDice, Rules

if TYPE_CHECKING:
    from perudo_core.actions import Bid, Seat

__all__ = ["Round"]


class Table(NamedTuple):
    """What a round has to know of the dice."""

    size: int
    seats_in: tuple[Seat, ...]
    most: int
    """That may be bid: the dice in play, or those at the start where a lower cap would tell the count."""
    face_free: frozenset[Seat]
    """Who may change the face in a palifico round."""


class Round:
    """All of the rules and the table that decides about calls and stays the same while a round lasts.

    Rounds that are alike share one (`Round.of`), so that what may be called in it is worked out once.
    """

    __slots__ = ("_free_terms", "_terms", "palifico", "rules", "table")

    def __init__(self, rules: Rules, table: Table, palifico: Seat | None) -> None:
        self.rules = rules
        self.table = table
        self.palifico = palifico
        ones_wild = rules.wild_ones and palifico is None
        self._terms = Terms(rules.plain_raise, ones_wild, rules.ones_may_open, palifico is not None, table.most)
        self._free_terms = self._terms._replace(locked=False)

    @staticmethod
    @lru_cache(maxsize=1024)
    def of(rules: Rules, dice_counts: tuple[int, ...], palifico: Seat | None) -> Round:
        """The round that so many dice and this palifico player make."""
        size = len(dice_counts)
        seats_in = tuple(seat for seat, count in enumerate(dice_counts) if count)
        most = size * rules.starting_dice if rules.lost_dice is LostDice.HIDDEN else sum(dice_counts)
        face_free: frozenset[Seat] = frozenset()
        if palifico is not None and rules.palifico_face_change:
            face_free = frozenset(seat for seat in seats_in if dice_counts[seat] == 1) - {palifico}
        return _shared(rules, Table(size, seats_in, most, face_free), palifico)

    def terms(self, seat: Seat) -> Terms:
        """The terms on which this seat bids. azteca: palifico, another player with one die may change the face."""
        return self._free_terms if seat in self.table.face_free else self._terms

    def dudo_fault(self, seat: Seat, turn: Seat | None) -> Reason | None:
        """Why this player, who is in and did not bid last, may not doubt."""
        return None if seat == turn or self.rules.out_of_turn_dudo else Reason.NOT_YOUR_TURN

    def calza_fault(self, seat: Seat, turn: Seat | None) -> Reason | None:
        """Why this player, who is in and did not bid last, may not say calza."""
        rules = self.rules
        if not rules.calza:
            return Reason.CALZA_NOT_PLAYED
        if rules.calza_by is CalzaBy.BYSTANDERS and seat == turn:
            return Reason.CALZA_ON_TURN
        if rules.calza_by is CalzaBy.ON_TURN and seat != turn:
            return Reason.NOT_YOUR_TURN
        if self.palifico is not None and not rules.calza_in_palifico:
            return Reason.CALZA_IN_PALIFICO
        if not rules.calza_with_two_players and len(self.table.seats_in) == 2:  # noqa: PLR2004 - the option's own words
            return Reason.CALZA_TWO_PLAYERS
        return None


class Standing:
    """Where a round stands: whose turn it is after which bid, and all that the next call is judged by.

    Those that are alike are one and the same (see `standing`), so that what may be called is worked out once.
    """

    __slots__ = ("events", "last", "last_bid", "round", "terms", "turn")

    def __init__(self, round_: Round, turn: Seat, last_bid: Bid | None) -> None:
        self.round = round_
        self.turn = turn
        self.last_bid = last_bid
        self.last = None if last_bid is None else (last_bid.quantity, last_bid.face)
        self.terms = round_.terms(turn)
        self.events = () if last_bid is None else (BidMade(last_bid),)
        """What is told when it comes to stand so."""


standing = lru_cache(maxsize=4096)(Standing)


@lru_cache(maxsize=4096)
def standing_after(round_: Round, bid: Bid) -> Standing:
    """Where the round stands once this bid has been made."""
    seats = round_.table.seats_in
    return standing(round_, next((seat for seat in seats if seat > bid.seat), seats[0]), bid)


_shared = lru_cache(maxsize=1024)(Round)
