"""Notices around a reveal: the call before the dice are shown, what stays of the round's old message, a celebration."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from telegram_bot.tables.model import FrozenModel
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import BidView, SeatView


class CalledRound(FrozenModel):
    """A round that somebody has ended with dudo or calza: what was said, and nothing of the dice."""

    round: int
    seats: tuple[SeatView, ...]
    bids: tuple[BidView, ...]
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round; None: they are not."""


class CallNotice(FrozenModel):
    """Somebody has said dudo or calza. The dice follow in the same message."""

    kind: Literal["call"] = "call"
    round: CalledRound
    call: Literal["dudo", "calza"]
    caller: int
    bid: BidView


class RoundOverNotice(FrozenModel):
    """The round's old message, once the reveal stands in a new one: the bids stay, nothing can be chosen."""

    kind: Literal["round_over"] = "round_over"
    round: CalledRound


class Celebration(StrEnum):
    """What is celebrated, the greatest first."""

    WIN = "win"
    EXACT_CALZA = "exact_calza"
    ELIMINATION = "elimination"


class ReactionNotice(FrozenModel):
    """The bot reacts to the reveal, where that costs no turn anything."""

    kind: Literal["reaction"] = "reaction"
    celebration: Celebration


def called_round(view: RevealView) -> CalledRound:
    """What was said in the round that ended, without the number of dice, which the reveal tells."""
    seats = tuple(SeatView(player=seat.player, name=seat.name, by_text=seat.by_text) for seat in view.seats)
    return CalledRound(round=view.round, seats=seats, bids=view.bids, wild_by=view.wild_by)


def call_notice(view: RevealView) -> CallNotice | None:
    """The call that ended the round; None if it ended without one."""
    if view.bid is None or view.caller is None or view.call not in ("dudo", "calza"):
        return None
    call: Literal["dudo", "calza"] = "calza" if view.call == "calza" else "dudo"
    return CallNotice(round=called_round(view), call=call, caller=view.caller, bid=view.bid)


def celebration_of(view: RevealView, *, won: bool) -> Celebration | None:
    """What the end of a round gives reason to celebrate."""
    if won:
        return Celebration.WIN
    if view.call == "calza" and view.bid is not None and view.count == view.bid.quantity:
        return Celebration.EXACT_CALZA
    return Celebration.ELIMINATION if view.out and view.bid is not None else None
