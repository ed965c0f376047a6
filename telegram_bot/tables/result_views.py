"""The public results of a round and of a game."""

from enum import StrEnum
from typing import Final
from zlib import crc32

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
from telegram_bot.tables.model import FrozenModel, Table
from telegram_bot.tables.views import BidView, SeatView, bid_view, seat_views

ANIMATION_SECONDS: Final = 2.5
"""How long the animation of a round's end plays until it shows the loser."""


class DiceChange(FrozenModel):
    """Dice a seat lost (negative) or regained (positive) at the end of a round."""

    seat: int
    dice: int


class ReactionTo(StrEnum):
    """The cause of a computer player's reaction."""

    BLUFF_HELD = "bluff_held"
    LOST_DIE = "lost_die"
    OUT = "out"
    WON = "won"


class Reaction(FrozenModel):
    """A computer player's remark on the end of a round."""

    seat: int
    to: ReactionTo
    variant: int = 0
    """The number of the sentence, modulo the number of sentences for this cause."""


class RevealView(FrozenModel):
    """The end of a round: everyone's dice, the count, and the consequences. All of it is public."""

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
    """The rulebook by which ones were wild, or None if they were not."""
    first_out_wins: bool = False
    """Whether a lost die is good, by `Rules.first_out_wins`."""
    spoken: tuple[tuple[int, int], ...] = ()
    """The bids by voice notes in the table's chat: the number of the bid from 0 on, and that of the note in the chat.

    A player can forbid it.
    """
    reaction: Reaction | None = None
    """A computer player's remark, in the table's chat."""

    @property
    def place_when_out(self) -> int:
        """The place of the players whom the round has knocked out."""
        return sum(not seat.out for seat in self.seats) + 1

    @property
    def answered_note(self) -> int | None:
        """The voice note of the bid to which the round's last call refers, or None if it has none."""
        return None if self.bid is None else dict(self.spoken).get(len(self.bids) - 1)

    @property
    def spoken_lie(self) -> bool:
        """True if that bid was made by voice note, and its player had no die that counted."""
        is_bluff = self.bid is not None and not any(map(self.counts, self.dice[self.bid.seat]))
        return is_bluff and self.answered_note is not None

    def counts(self, face: int) -> bool:
        """Return whether a die with this face counted for the bid."""
        return self.bid is not None and (face == self.bid.face or (self.ones_wild and face == 1))


class GameOverView(FrozenModel):
    """The end of a game: seats in order of their places."""

    table: int
    seats: tuple[SeatView, ...]
    winner: int
    rounds: int
    secret: str | None = None
    """The secret of the dice, public after the game."""
    by_dice: bool = False
    """Whether only computer players were left, so that their dice decided."""
    going_on: int = 0
    """How many people go on to another table, so that no one plays again here."""
    again: bool = True
    """Whether its people are asked to play again; true of the tables of stages that ended before this was stored."""

    @property
    def asks_again(self) -> bool:
        """Whether its people are asked to play again."""
        return self.again and not self.going_on


class CalledRound(FrozenModel):
    """A round that ended with dudo or calza: its bids and call, without the dice."""

    round: int
    seats: tuple[SeatView, ...]
    bids: tuple[BidView, ...]
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round, or None if they are not."""
    note: int | None = None
    """The number of the voice note with the last bid in the table's chat, or None if it has none."""


def called_round(view: RevealView) -> CalledRound:
    """Return the bids and the call of the round that ended, without the number of dice, which the reveal shows."""
    seats = tuple(
        seat.model_copy(update={"dice": None, "out": False, "place": None, "away": False, "computer": None})
        for seat in view.seats
    )
    return CalledRound(round=view.round, seats=seats, bids=view.bids, wild_by=view.wild_by, note=view.answered_note)


def reveal_view(before: Table, after: Table, events: tuple[Event, ...]) -> RevealView | None:
    """Return the end of the round that `before` was in, or None if these events did not end it."""
    if not any(isinstance(event, Revealed | RoundVoided | RoundConceded | SeatLeft) for event in events):
        return None
    public = observe(before.begun_game, None)
    then = observe(after.begun_game, None)
    revealed = next((event for event in events if isinstance(event, Revealed)), None)
    started = next((event for event in events if isinstance(event, RoundStarted)), None)
    call, caller = _ending(events)
    changes = tuple(_changes(events))
    # Computer players who leave because no person is left still have dice.
    out = tuple(
        event.seat
        for event in events
        if isinstance(event, SeatOut) or (isinstance(event, SeatLeft) and (call, event.seat) == ("leave", caller))
    )
    counts = [
        0 if seat in out else count + sum(change.dice for change in changes if change.seat == seat)
        for seat, count in enumerate(public.dice_counts)
    ]
    return RevealView(
        table=before.id,
        round=public.round,
        seats=seat_views(_with_players_of(before, after), then, counts),
        bids=tuple(bid_view(bid) for bid in public.bids),
        call=call,
        caller=caller,
        dice=revealed.dice if revealed else (),
        bid=bid_view(revealed.bid) if revealed else None,
        count=revealed.matching if revealed else None,
        ones_wild=public.ones_are_wild,
        changes=changes,
        out=out,
        next_opener=started.opener if started else None,
        next_palifico=started is not None and started.palifico is not None and not before.rules.palifico_every_round,
        timed_out=after.this_step.timed_out is not None,
        wild_by=before.wild_by,
        first_out_wins=before.rules.first_out_wins,
        spoken=tuple((each.bid, each.message) for each in before.spoken_bids if each.deal == before.deals),
    )


def _with_players_of(before: Table, after: Table) -> Table:
    """Return the table after a round, with the players of the round in seats that others have now."""
    pairs = zip(before.seats, after.seats, strict=True)
    return after.replace(seats=tuple(now if now.player == then.player else then for then, now in pairs))


def game_over_view(table: Table, events: tuple[Event, ...]) -> GameOverView | None:
    """Return the end of the game, or None if these events did not end it."""
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
        by_dice=not table.going_on
        and any(isinstance(event, SeatLeft) and table.is_computer(event.seat) for event in events),
        going_on=table.going_on,
        again=table.again,
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


# Remarks of computer players on the end of a round: they follow from public facts and need no message of their own

ONE_IN: Final = 2
"""Computer players react in one of this many rounds that give a reason."""
_BLUFF: Final = 2
"""A bid was bold if its bidder held less than one in so many of its dice."""


def reaction_to(view: RevealView) -> Reaction | None:
    """Return the reaction of one computer player to a reveal, or None without a reason, or if it is silent this time.

    The choice follows from the table's number, the round and the seats: it is the same each time.
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
    if not view.first_out_wins and any(change.seat == seat and change.dice < 0 for change in view.changes):
        return Reaction(seat=seat, to=ReactionTo.LOST_DIE)
    return None
