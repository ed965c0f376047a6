"""What a computer player says to the end of a round: it follows from what everybody sees, and costs no message."""

from __future__ import annotations

from typing import Final
from zlib import crc32

from telegram_bot.tables.result_views import Reaction, ReactionTo, RevealView

ONE_IN: Final = 2
"""In one of so many rounds that give reason to, somebody reacts."""
_BLUFF: Final = 2
"""A bid was bold if its bidder held less than one in so many of its dice."""


def reaction_to(view: RevealView) -> Reaction | None:
    """The reaction of one computer player to a reveal; None: none has reason to, or all keep quiet this time.

    Which one, and whether, follows from the table's number, the round and the seats: it is the same each time.
    """
    if view.bid is None or view.count is None:
        return None
    reasons = [reaction for seat in range(len(view.seats)) if (reaction := _reason(view, seat)) is not None]
    draw = crc32(f"{view.table} {view.round}".encode())
    if not reasons or draw % ONE_IN:
        return None
    first = max(reasons, key=lambda each: (_WEIGHT[each.to], -each.seat))
    return first.model_copy(update={"variant": draw // ONE_IN})


_WEIGHT: Final = {ReactionTo.OUT: 3, ReactionTo.WON: 2, ReactionTo.BLUFF_HELD: 1, ReactionTo.LOST_DIE: 0}


def _reason(view: RevealView, seat: int) -> Reaction | None:
    sitting = view.seats[seat]
    if sitting.computer is None or view.bid is None or view.count is None:
        return None
    if sitting.place == 1:
        return Reaction(seat=seat, to=ReactionTo.WON)
    if seat in view.out:
        return Reaction(seat=seat, to=ReactionTo.OUT)
    own = sum(view.counts(face) for face in view.dice[seat]) if seat < len(view.dice) else 0
    held = view.count >= view.bid.quantity
    if seat == view.bid.seat and held and view.call == "dudo" and own * _BLUFF < view.bid.quantity:
        return Reaction(seat=seat, to=ReactionTo.BLUFF_HELD)
    if any(change.seat == seat and change.dice < 0 for change in view.changes):
        return Reaction(seat=seat, to=ReactionTo.LOST_DIE)
    return None
