"""The turn clock: what is due when, and what the house does then."""

from __future__ import annotations

import random
from fractions import Fraction

from perudo_core import Call, Dudo, Forfeit, Resign, State, observe, smallest_raise
from perudo_core.odds import probability_holds
from telegram_bot.tables.happenings import ClockRanOut, Closing, Step, TurnReminder
from telegram_bot.tables.lobby import close, hand_over_host
from telegram_bot.tables.model import OnTimeout, Pace, Status, Table
from telegram_bot.tables.play import advance, settle, start_clock

UNLIKELY = Fraction(1, 2)
"""A bid that holds with less than this chance is doubted by the house."""


def next_due(table: Table) -> float | None:
    """When the table next needs attention without anybody acting, in seconds since the epoch."""
    times = (table.idle_at, table.claims_close, table.reminder_at, table.clock_ends)
    return min((time for time in times if time is not None), default=None)


def on_due(table: Table, *, now: float, rng: random.Random, pace: Pace) -> Step:
    """Do what is due by `now`; nothing when the deadline has moved on."""
    if table.idle_at is not None and table.idle_at <= now:
        return close(table, Closing.IDLE)
    ended = table.clock_ends is not None and table.clock_ends <= now
    if table.claims_close is not None and (table.claims_close <= now or ended):
        return settle(table, now=now, rng=rng, pace=pace)
    if ended:
        return run_out(table, now=now, rng=rng, pace=pace)
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
        step = advance(missed, Resign(seat), now=now, rng=rng, pace=pace)
        step = step.then(hand_over_host(step.table, table.seats[seat].player))
    elif choice is OnTimeout.LOSE_DIE:
        step = advance(missed, Forfeit(seat), now=now, rng=rng, pace=pace)
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
    chance = probability_holds(own, state.total_dice - len(own), bid.quantity, bid.face, state.ones_wild)
    return Dudo(seat) if chance < UNLIKELY else raised


def restart_after_outage(table: Table, *, now: float, pace: Pace) -> Step:
    """Give the player on turn a whole new clock: the house was away, so nobody is late."""
    if table.status is Status.PLAYING and not table.paused:
        fresh = start_clock(table, now=now, pace=pace)
        return Step(fresh.table.but(claims=table.claims, claims_close=table.claims_close), fresh.happenings)
    if table.status is Status.LOBBY:
        return Step(table.but(idle_at=now + pace.lobby_idle_seconds))
    if table.paused:
        return Step(table.but(idle_at=now + pace.paused_idle_seconds))
    return Step(table)
