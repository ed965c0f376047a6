"""The turn clock: what is due when, and what the house does then."""

from __future__ import annotations

import random
from fractions import Fraction

from perudo_core import Call, Concede, Dudo, Leave, State, observe, smallest_raise
from perudo_core.odds import probability_holds
from telegram_bot.tables.happenings import ClockRanOut, Closing, Step, TurnReminder, TurnUntold
from telegram_bot.tables.lobby import close, hand_over_host
from telegram_bot.tables.model import OnTimeout, Pace, Status, Table
from telegram_bot.tables.play import advance, settle, start_clock
from telegram_bot.tables.suspension import probe

UNLIKELY = Fraction(1, 2)
"""A bid that holds with less than this chance is doubted by the house."""


def next_due(table: Table) -> float | None:
    """When the table next needs attention without anybody acting, in seconds since the epoch."""
    times = (
        table.idle_at,
        table.claims_close,
        table.reminder_at,
        table.retell_at,
        table.clock_ends,
        table.probe_at,
    )
    return min((time for time in times if time is not None), default=None)


def on_due(  # noqa: PLR0911 - one per deadline
    table: Table, *, now: float, rng: random.Random, pace: Pace
) -> Step:
    """Do what is due by `now`; nothing when the deadline has moved on."""
    if table.idle_at is not None and table.idle_at <= now:
        return close(table, Closing.IDLE if table.suspended_at is None else Closing.LOST_CHAT)
    if table.probe_at is not None and table.probe_at <= now:
        return probe(table, now=now)
    ended = table.clock_ends is not None and table.clock_ends <= now
    if table.claims_close is not None and (table.claims_close <= now or ended):
        return settle(table, now=now, rng=rng, pace=pace)
    if ended:
        return run_out(table, now=now, rng=rng, pace=pace)
    if table.retell_at is not None and table.retell_at <= now:
        return Step(table.but(retell_at=None), (TurnUntold(),))
    if table.reminder_at is not None and table.reminder_at <= now:
        assert table.game is not None  # noqa: S101 - a reminder is set only for a turn
        assert table.game.turn is not None  # noqa: S101
        return Step(table.but(reminder_at=None), (TurnReminder(table.game.turn),))
    return Step(table)


def run_out(table: Table, *, now: float, rng: random.Random, pace: Pace) -> Step:
    """The house's choice for a player who did not act in time."""
    state = table.game
    assert state is not None  # noqa: S101 - a clock runs only in a game
    assert state.turn is not None  # noqa: S101
    seat = state.turn
    misses = table.seats[seat].misses + 1
    choice = table.clock.on_timeout
    away = table.seats[seat].away or choice is OnTimeout.AUTO
    missed = table.with_seat(seat, misses=misses, away=away)
    happened = Step(missed, (ClockRanOut(seat),))
    if choice is OnTimeout.DROP_OUT and misses >= table.clock.misses_allowed:
        step = advance(missed, Leave(seat), now=now, rng=rng, pace=pace)
        step = step.then(hand_over_host(step.table, table.seats[seat].player))
    elif choice is OnTimeout.LOSE_DIE:
        step = advance(missed, Concede(seat), now=now, rng=rng, pace=pace)
    else:
        step = advance(missed, automatic_call(state, seat), now=now, rng=rng, pace=pace)
    return happened.then(Step(step.table.but(timed_out=seat), step.happenings, step.actions))


def automatic_call(state: State, seat: int) -> Call:
    """What the house plays for an absent player: dudo if the bid is unlikely to hold, else the smallest raise.

    It judges by the absent player's own dice and the public history, like the player could.
    """
    bid = state.current_bid
    raised = smallest_raise(state)
    if bid is None or raised is None:
        return Dudo(seat) if raised is None else raised
    own = observe(state, seat).dice
    chance = probability_holds(own, state.total_dice - len(own), bid.quantity, bid.face, state.ones_are_wild)
    return Dudo(seat) if chance < UNLIKELY else raised


def waits_for_a_player(table: Table) -> bool:
    """Whether the clock of somebody who is there runs."""
    on_turn = None if table.game is None else table.game.turn
    return table.clock_ends is not None and on_turn is not None and not table.seats[on_turn].away


def count_from(table: Table, heard_at: float, *, pace: Pace) -> Table:
    """Let the turn's clock begin when its player heard of the turn, if that was late; it never ends earlier for it."""
    if table.clock_ends is None or not waits_for_a_player(table):
        return table
    fresh = start_clock(table, now=heard_at, pace=pace).table
    if fresh.clock_ends is None or fresh.clock_ends <= table.clock_ends:
        return table
    return table.but(clock_ends=fresh.clock_ends, reminder_at=fresh.reminder_at)


RETELL_SECONDS = 30


def tell_again(table: Table, *, now: float) -> Table:
    """Have the turn told once more in a while: whether its message arrived is not known."""
    if table.status is not Status.PLAYING or table.suspended_at is not None or table.paused:
        return table
    return table.but(retell_at=now + RETELL_SECONDS)


def restart_after_outage(table: Table, *, now: float, pace: Pace) -> Step:
    """Give the player on turn a whole new clock: the house was away, so nobody is late."""
    if table.status not in (Status.LOBBY, Status.PLAYING):
        return Step(table)
    if table.suspended_at is not None:
        return Step(table.but(idle_at=now + pace.paused_idle_seconds))
    if table.status is Status.PLAYING and not table.paused:
        fresh = start_clock(table, now=now, pace=pace)
        return Step(fresh.table.but(claims=table.claims, claims_close=table.claims_close), fresh.happenings)
    if table.status is Status.LOBBY:
        return Step(table.but(idle_at=now + pace.lobby_idle(table.clock)))
    if table.paused:
        return Step(table.but(idle_at=now + pace.paused_idle_seconds))
    return Step(table)
