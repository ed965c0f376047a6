"""Views of a table for its readers: allow-list values without a reference to the game's state.

A public view is built from the bystander's observation, a private one from the seat's own. Messages are built from
these views only.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from pydantic import Field

from perudo_core import (
    Bid,
    Call,
    Calza,
    Dudo,
    LostDice,
    Observation,
    Rules,
    legal_calls,
    observe,
)
from telegram_bot.tables.faces import Face, colours_of
from telegram_bot.tables.model import ComputerPlayer, FrozenModel, Table, TableRules, TurnClock
from telegram_bot.tables.sealed_dice import StirView, commitment_of, stirred


class BidView(FrozenModel):
    """One bid: the seat, the number, the face."""

    seat: int
    quantity: int
    face: int


class CalzaStakes(TypedDict):
    """The options that decide what a calza wins and costs, as notices store them."""

    costs_others: bool
    first_out_wins: bool
    sudden_death: bool


def calza_stakes(rules: Rules) -> CalzaStakes:
    """Return the options of these rules that decide what a calza wins and costs."""
    return {
        "costs_others": rules.calza_costs_others,
        "first_out_wins": rules.first_out_wins,
        "sudden_death": rules.sudden_death,
    }


class ShownView(FrozenModel):
    """The dice of one seat that are open until the round ends: their player has shown them after a bid."""

    seat: int
    faces: tuple[int, ...]


class SeatView(FrozenModel):
    """One seat in public form; `dice` is None where the rules hide it."""

    player: int
    name: str
    dice: int | None = None
    out: bool = False
    place: int | None = None
    away: bool = False
    left_to_bot: bool = False
    taken_by: int = 0
    """The player who takes the seat at the next deal, also its own on another device; 0 means none."""
    owner: int = 0
    """The player whose seat it is while another has it; 0 means none."""
    by_text: bool = False
    guest: bool = False
    computer: ComputerPlayer | None = None
    face: Face | None = None
    colour: int = 0
    """The seat's colour on pages and in pictures, see `colours_of`."""


class LobbyView(FrozenModel):
    """A lobby in public form."""

    table: int
    code: str
    host: int
    seats: tuple[SeatView, ...]
    max_seats: int
    min_seats: int
    rules: TableRules
    clock: TurnClock
    options: Mapping[str, str] = Field(default_factory=dict)
    """As in `Table`."""
    stirs: tuple[StirView, ...] = ()
    """The stirs, in order."""
    commitment: str | None = None
    """The commitment from before the first stir, or None if it was not published."""
    ready: tuple[int, ...] = ()
    """The players who have tapped *Play again*."""
    awaits_host: bool = False
    """Whether the lobby was opened for the last game's host, who has not acted yet."""
    may_seal: bool = False
    """Whether the dice are drawn beforehand, so that players can stir them."""


class TableView(FrozenModel):
    """A running game in public form."""

    table: int
    code: str = ""
    """Empty in a practice game, which has no other viewers."""
    step: int
    round: int
    seats: tuple[SeatView, ...]
    turn: int | None
    opener: int | None
    bids: tuple[BidView, ...]
    palifico: int | None
    ones_wild: bool
    total_dice: int | None
    clock_since: float = 0
    """As in `Table`."""
    clock_ends: float | None
    """When the turn of a person ends, or None if no clock runs, or if a computer player calls in a moment."""
    paused: bool
    calza_seats: tuple[int, ...]
    """The seats that may say calza to the last bid: public, it follows from the rules and the bids."""
    dudo_seats: tuple[int, ...]
    """The seats that may doubt the last bid: public as well."""
    raises: tuple[tuple[int, int], ...]
    """Legal bids of the player to call as (quantity, face), weakest first: public, they follow from the bids."""
    rules: TableRules
    shown: tuple[ShownView, ...] = ()
    """The open dice, by `Rules.reroll_after_bid`: they count, and all see them."""
    rerolls: int = 0
    """How often a player has rolled again in this round."""
    spoken: bool = False
    """Whether the bid to beat was made by voice note."""
    practice: bool = False
    """As in `Table`."""
    spectated: bool = False
    """As in `Table`."""
    options: Mapping[str, str] = Field(default_factory=dict)
    """As in `Table`."""

    @property
    def calza(self) -> bool:
        """Whether a player may say calza."""
        return bool(self.calza_seats)

    @property
    def dudo(self) -> bool:
        """Whether the player whose turn it is may doubt."""
        return self.turn in self.dudo_seats

    @property
    def wild_by(self) -> str | None:
        """The rulebook by which ones are wild in this round, or None if they are not."""
        return self.rules.book if self.ones_wild else None

    @property
    def standing(self) -> BidView | None:
        """The bid to beat, or None before the first."""
        return self.bids[-1] if self.bids else None


class HandView(FrozenModel):
    """One player's own view: the public table and their own dice."""

    table: TableView
    seat: int
    dice: tuple[int, ...]
    on_turn: bool
    may_calza: bool
    may_dudo: bool
    by_bot: bool = False
    """Whether the bot plays for them, or has played the turn that they missed."""
    may_show: tuple[int, ...] = ()
    """The dice that the player may show now, to roll the others again."""

    @property
    def is_theirs(self) -> bool:
        """Whether this step is the player's: they are on turn, or have made the last bid where they may roll again.

        It does not depend on their dice, so that other readers learn nothing from the number of messages.
        """
        bid = self.table.standing
        rolls_again = self.table.rules.reroll_after_bid and bid is not None and bid.seat == self.seat
        return self.on_turn or rolls_again


def lobby_view(table: Table) -> LobbyView:
    """Return a lobby in public form."""
    return LobbyView(
        table=table.id,
        code=table.join_code,
        host=table.host,
        seats=tuple(
            SeatView(
                player=seat.player,
                name=seat.name,
                by_text=seat.by_text,
                guest=seat.guest,
                computer=seat.computer,
                face=seat.face,
                colour=colour,
            )
            for seat, colour in zip(table.seats, seat_colours(table), strict=True)
        ),
        max_seats=table.max_seats,
        min_seats=table.rules.min_seats,
        rules=table.rules,
        clock=table.clock,
        options=table.options,
        stirs=stirred(table),
        commitment=commitment_of(table),
        may_seal=table.secret is not None,
        ready=table.ready,
        awaits_host=table.host_awaited_since is not None,
    )


def table_view(table: Table) -> TableView:
    """Return a running game in public form."""
    game = table.begun_game
    public = observe(game, None)
    calls = tuple(legal_calls(game))
    dudo_seats = tuple(call.seat for call in calls if isinstance(call, Dudo))
    calza_seats = tuple(call.seat for call in calls if isinstance(call, Calza))
    raises = _public_raises(table, public, calls)
    return TableView(
        table=table.id,
        code="" if table.practice else table.join_code,
        step=table.step,
        round=public.round,
        seats=seat_views(table, public),
        turn=public.turn,
        opener=public.opener,
        bids=tuple(bid_view(bid) for bid in public.bids),
        palifico=public.palifico,
        ones_wild=public.ones_are_wild,
        total_dice=None if public.rules.hides_lost_dice else public.total_dice,
        clock_since=table.running.since,
        clock_ends=None if table.running.think_at is not None else table.running.ends,
        paused=table.paused,
        calza_seats=calza_seats,
        dudo_seats=dudo_seats,
        raises=raises,
        rules=table.rules,
        shown=tuple(ShownView(seat=seat, faces=dice) for seat, dice in enumerate(public.open_dice) if dice),
        rerolls=len(public.shown),
        spoken=table.this_step.spoken and bool(public.bids),
        practice=table.practice,
        spectated=table.spectated,
        options=table.options,
    )


def _public_raises(table: Table, public: Observation, calls: Iterable[Call]) -> tuple[tuple[int, int], ...]:
    """Return the raises that all may see: a raise to another face in a palifico round would reveal a hidden count."""
    raises = tuple((call.quantity, call.face) for call in calls if isinstance(call, Bid))
    if table.rules.lost_dice is LostDice.VISIBLE or public.palifico is None or public.current_bid is None:
        return raises
    return tuple(bid for bid in raises if bid[1] == public.current_bid.face)


def hand_view(table: Table, seat: int, public: TableView | None = None) -> HandView:
    """Return one player's own view of a running game. `public`: the table's view, if it exists already."""
    own = observe(table.begun_game, seat)
    calls = own.legal_calls
    view = table_view(table) if public is None else public
    if own.turn == seat:  # in a palifico round some of their raises may be hidden from the others
        raises = tuple((call.quantity, call.face) for call in calls if isinstance(call, Bid))
        view = view.model_copy(update={"raises": raises})
    return HandView(
        table=view,
        seat=seat,
        dice=own.dice,
        on_turn=own.turn == seat,
        may_calza=Calza(seat) in calls,
        may_dudo=Dudo(seat) in calls,
        by_bot=table.seats[seat].away or table.seats[seat].misses > 0,
        may_show=() if table.this_step.claims else own.supporting_dice[: len(own.dice) - len(own.open_dice[seat]) - 1],
    )


def seat_views(table: Table, public: Observation, counts: Sequence[int] | None = None) -> tuple[SeatView, ...]:
    """Return all seats of a game in public form. `counts`: their numbers of dice, if these are not those of now."""
    return tuple(
        SeatView(
            player=seat.player,
            name=seat.name,
            dice=None if public.rules.hides_lost_dice and count else count,
            out=not count and (public.outcome is None or public.outcome.winner != index),
            place=None if public.outcome is None else public.outcome.placements[index],
            away=seat.away,
            left_to_bot=seat.left_to_bot,
            taken_by=0 if seat.next is None else seat.next.player,
            owner=0 if seat.owner is None else seat.owner.player,
            by_text=seat.by_text,
            guest=seat.guest,
            computer=seat.computer,
            face=seat.face,
            colour=colour,
        )
        for index, (seat, colour, count) in enumerate(
            zip(table.seats, seat_colours(table), public.dice_counts if counts is None else counts, strict=True)
        )
    )


def seat_colours(table: Table) -> tuple[int, ...]:
    """Return the colour of each seat."""
    return colours_of([seat.face for seat in table.seats])


def bid_view(bid: Bid) -> BidView:
    """Return a bid in public form."""
    return BidView(seat=bid.seat, quantity=bid.quantity, face=bid.face)
