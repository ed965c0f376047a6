"""What may be shown of the end of a round and of a game: all of it is public."""

from __future__ import annotations

from enum import StrEnum

from perudo_core import (
    CalzaCalled,
    DiceLost,
    DieRegained,
    DudoCalled,
    Event,
    GameOver,
    Revealed,
    RoundConceded,
    RoundStarted,
    RoundVoided,
    SeatLeft,
    SeatOut,
    observe,
)
from telegram_bot.tables.fair_dice import StirView, salt_of, stirred
from telegram_bot.tables.model import FrozenModel, Table
from telegram_bot.tables.views import BidView, SeatView, bid_view, seat_views


class DiceChange(FrozenModel):
    """Dice a seat lost (negative) or regained (positive) at the end of a round."""

    seat: int
    dice: int


class ReactionTo(StrEnum):
    """What a computer player reacts to."""

    BLUFF_HELD = "bluff_held"
    LOST_DIE = "lost_die"
    OUT = "out"
    WON = "won"


class Reaction(FrozenModel):
    """What a computer player says to the end of a round."""

    seat: int
    to: ReactionTo
    variant: int = 0
    """Which of the sentences, counted around."""


class RevealView(FrozenModel):
    """The end of a round: everybody's dice, the count, and what followed. All of it is public."""

    table: int
    round: int
    seats: tuple[SeatView, ...]
    bids: tuple[BidView, ...]
    call: str | None
    """`dudo`, `calza`, `forfeit` or `leave`."""
    caller: int | None
    dice: tuple[tuple[int, ...], ...]
    bid: BidView | None
    count: int | None
    ones_wild: bool
    changes: tuple[DiceChange, ...]
    out: tuple[int, ...]
    next_opener: int | None
    next_palifico: bool
    timed_out: bool
    wild_by: str | None = None
    """The rulebook by which ones were wild; None: they were not."""

    reaction: Reaction | None = None
    """What a computer player says to it, in the table's chat."""

    def counts(self, face: int) -> bool:
        """Whether a die with this face counted for the bid."""
        return self.bid is not None and (face == self.bid.face or (self.ones_wild and face == 1))


class GameOverView(FrozenModel):
    """The end of a game: seats in order of their places."""

    table: int
    seats: tuple[SeatView, ...]
    winner: int
    rounds: int
    secret: str | None = None
    """What all dice followed from; told now that the game is over."""
    salt: str = ""
    stirs: tuple[StirView, ...]
    """Who stirred what into the dice, in order."""


def reveal_view(before: Table, after: Table, events: tuple[Event, ...]) -> RevealView | None:
    """The end of the round that `before` was in, or None when these events did not end it."""
    if not any(isinstance(event, Revealed | RoundVoided | RoundConceded | SeatLeft) for event in events):
        return None
    assert before.game is not None  # noqa: S101 - events come from a game
    assert after.game is not None  # noqa: S101
    public = observe(before.game, None)
    then = observe(after.game, None)
    revealed = next((event for event in events if isinstance(event, Revealed)), None)
    started = next((event for event in events if isinstance(event, RoundStarted)), None)
    call, caller = _ending(events)
    return RevealView(
        table=before.id,
        round=public.round,
        seats=seat_views(after, then),
        bids=tuple(bid_view(bid) for bid in public.bids),
        call=call,
        caller=caller,
        dice=revealed.dice if revealed else (),
        bid=bid_view(revealed.bid) if revealed else None,
        count=revealed.matching if revealed else None,
        ones_wild=public.ones_are_wild,
        changes=tuple(_changes(events)),
        out=tuple(event.seat for event in events if isinstance(event, SeatOut | SeatLeft)),
        next_opener=started.opener if started else None,
        next_palifico=started is not None and started.palifico is not None,
        timed_out=after.timed_out is not None,
        wild_by=before.wild_by,
    )


def game_over_view(table: Table, events: tuple[Event, ...]) -> GameOverView | None:
    """The end of the game, or None when these events did not end it."""
    over = next((event for event in events if isinstance(event, GameOver)), None)
    if over is None or table.game is None:
        return None
    public = observe(table.game, None)
    seats = sorted(seat_views(table, public), key=lambda seat: seat.place or 0)
    return GameOverView(
        table=table.id,
        seats=tuple(seats),
        winner=over.outcome.winner,
        rounds=public.round,
        secret=table.secret,
        salt=salt_of(table),
        stirs=stirred(table),
    )


def _ending(events: tuple[Event, ...]) -> tuple[str | None, int | None]:
    for event in events:
        match event:
            case DudoCalled(seat=seat):
                return "dudo", seat
            case CalzaCalled(seat=seat):
                return "calza", seat
            case RoundConceded(seat=seat):
                return "forfeit", seat
            case SeatLeft(seat=seat):
                return "leave", seat
            case _:
                continue
    return None, None


def _changes(events: tuple[Event, ...]) -> list[DiceChange]:
    changes = []
    for event in events:
        match event:
            case DiceLost(seat=seat, amount=amount):
                changes.append(DiceChange(seat=seat, dice=-amount))
            case DieRegained(seat=seat, amount=amount) if amount:
                changes.append(DiceChange(seat=seat, dice=amount))
            case _:
                continue
    return changes
