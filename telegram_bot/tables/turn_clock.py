"""The turn clock: a table's deadlines, and the automatic play when one passes.

A missed turn costs its player what the host chose, once. Then they are away: the bot plays their seat, at the pace of a
computer player and at no further cost, until they are back or another player takes it. Only where players are out after
several missed turns, each turn has its whole clock, and the bot plays it.
"""

from fractions import Fraction
from typing import Any, Final

from perudo_core import Action, Call, Concede, Dudo, Leave, State, observe, smallest_raise
from perudo_core.odds import probability_holds
from telegram_bot.tables.events import ClockRanOut, PlainEvent, TableChange, TurnReminder
from telegram_bot.tables.lobby_rules import close, hand_over_host
from telegram_bot.tables.model import (
    DAY,
    Clock,
    CloseReason,
    FrozenModel,
    Moment,
    OnTimeout,
    Status,
    Suspension,
    Table,
    Timings,
)
from telegram_bot.tables.play import INTERRUPTIONS, advance, apply_claims, start_clock

DOUBT_BELOW = Fraction(1, 2)
"""The bot doubts a bid with a smaller chance."""


def next_due(table: Table) -> float | None:
    """Return the table's next deadline, in seconds since the epoch: a time at which a worker acts without a request."""
    clock, probe_at = table.running, None if table.suspension is None else table.suspension.probe_at
    of_turn = (clock.ends, clock.reminder_at, clock.retell_at, clock.think_at, table.this_step.claims_close)
    times = (table.idle_at, table.show_at, probe_at, *of_turn, *table.timers.values())
    return min((time for time in times if time is not None), default=None)


def apply_due(table: Table, *, moment: Moment) -> TableChange:
    """Do everything that is due by `now`; no change if the deadline has moved on."""
    if table.idle_at is not None and table.idle_at <= moment.now:
        if table.practice and table.without_people:
            return close(table, CloseReason.EMPTY)
        return close(table, CloseReason.IDLE if table.suspension is None else CloseReason.LOST_CHAT)
    if table.show_at is not None and table.show_at <= moment.now:
        return TableChange(table.replace(show_at=None), (PlainEvent.ROUND_SHOWN,))
    if table.suspension is not None and table.suspension.probe_at <= moment.now:
        return probe(table, now=moment.now)
    clock, claims_close = table.running, table.this_step.claims_close
    ended = clock.ends is not None and clock.ends <= moment.now
    if claims_close is not None and (claims_close <= moment.now or ended):
        return apply_claims(table, moment=moment)
    if ended:
        return time_out(table, moment=moment)
    if clock.retell_at is not None and clock.retell_at <= moment.now:
        return TableChange(table.with_clock(retell_at=None), (PlainEvent.TURN_UNDELIVERED,))
    if clock.reminder_at is not None and clock.reminder_at <= moment.now:
        assert table.begun_game.turn is not None  # noqa: S101 - a reminder is set only for a turn
        return TableChange(table.with_clock(reminder_at=None), (TurnReminder(table.begun_game.turn),))
    return TableChange(table)


def is_to_be_thought_about(table: Table, now: float) -> bool:
    """Return True if a computer or absent player's call must be computed now, and no other deadline is due."""
    think_at = table.running.think_at
    if think_at is None or think_at > now:
        return False
    other = next_due(table.with_clock(think_at=None))
    return other is None or other > now


def time_out(table: Table, *, moment: Moment, computed: Call | None = None) -> TableChange:
    """Call for a computer player or an away one, or let a player who did not act in time bear the consequence.

    `computed`: the call that was computed for them, or None for the careful one.
    """
    state, choice = table.begun_game, table.clock.on_timeout
    assert state.turn is not None  # noqa: S101
    seat = state.turn
    call: Action = computed or automatic_call(state, seat)
    if table.is_computer(seat):
        return advance(table, call, moment=moment)
    happened = TableChange(table)
    if not table.seats[seat].away:
        missed = table.with_seat(seat, misses=table.seats[seat].misses + 1)
        if choice is OnTimeout.LOSE_DIE:
            call = Concede(seat)
        elif choice is OnTimeout.DROP_OUT and missed.seats[seat].misses >= table.clock.misses_allowed:
            call = Leave(seat)
        if choice is not OnTimeout.DROP_OUT:
            missed = missed.with_seat(seat, away=True, dice_before=state.dice_counts[seat])
        happened = TableChange(missed, (ClockRanOut(seat),))
    step = advance(happened.table, call, moment=moment)
    if isinstance(call, Leave):
        step = step.then(hand_over_host(step.table, table.seats[seat].player))
    return happened.then(TableChange(step.table.noting(timed_out=seat), step.events, step.actions))


def automatic_call(state: State, seat: int) -> Call:
    """Return the call for an absent player: dudo if the bid is unlikely, else the smallest raise.

    It judges by the absent player's own dice and the public history, as the player could.
    """
    bid = state.current_bid
    raised = smallest_raise(state)
    if bid is None or raised is None:
        return Dudo(seat) if raised is None else raised
    own = observe(state, seat)
    chance = probability_holds(own.known_dice, own.unknown_dice, bid.quantity, bid.face, state.ones_are_wild)
    return Dudo(seat) if chance < DOUBT_BELOW else raised


LATE_SECONDS: Final = 2
"""A turn that is shown within this time is not late."""
LATEST_SECONDS: Final = DAY
"""After this time a turn counts as shown: a message that is never sent cannot stop a table for ever."""


def _waits_until_shown(table: Table) -> bool:
    """Return True if the clock of the turn does not run before the turn was shown.

    For an absent player it runs, except at the beginning of a round.
    """
    game = table.game
    if game is None or game.turn is None or table.running.ends is None:
        return False
    return not (game.bids and table.seats[game.turn].away)


def begin_when_shown(table: Table, shown_at: float, *, timings: Timings) -> Table:
    """Return the table with its clock if the turn was first shown at that time; the turn never ends earlier by it."""
    clock = table.running
    if not _waits_until_shown(table) or shown_at <= clock.since + LATE_SECONDS:
        return table
    fresh = start_clock(table, now=min(shown_at, clock.since + LATEST_SECONDS), timings=timings).table.running
    if fresh.ends is None or clock.ends is None or fresh.ends <= clock.ends:
        return table
    return table.with_clock(ends=fresh.ends, reminder_at=fresh.reminder_at, think_at=fresh.think_at)


NOTE_SECONDS = 10
"""How long a turn's clock waits for a voice note."""


def wait_for_note(table: Table, step: int, seat: int, *, now: float) -> Table:
    """Return the table during the recognition of the player's voice note: the clock waits, once a turn."""
    game, ends, clock = table.game, now + NOTE_SECONDS, table.running
    if game is None or table.step != step or game.turn != seat or table.this_step.waited_for_note:
        return table
    if clock.ends is None or clock.ends >= ends:
        return table
    return table.with_clock(ends=ends).noting(waited_for_note=True)


RESEND_SECONDS = 30


def schedule_resend(table: Table, *, now: float) -> Table:
    """Schedule a second announcement of the turn: it is unknown whether its message arrived."""
    if table.status is not Status.PLAYING or table.suspension is not None or table.paused:
        return table
    return table.with_clock(retell_at=now + RESEND_SECONDS)


def _set_back(part: Any, now: float, seconds: float) -> Any:
    """Return a table, or a part of it, after the clock was set back: times that lie ahead move together with the clock.

    All floats of a table are times.
    """
    match part:
        case float() if part > now:
            return part - seconds
        case FrozenModel():
            return part.model_copy(update={name: _set_back(each, now, seconds) for name, each in part})
        case tuple():
            return tuple(_set_back(each, now, seconds) for each in part)
        case dict():
            return {name: _set_back(each, now, seconds) for name, each in part.items()}
        case _:
            return part


def restart_after_outage(table: Table, *, moment: Moment, back: float = 0.0) -> TableChange:
    """Give the player whose turn it is a new clock after an outage of the bot, so no player is late.

    `back`: the seconds by which the clock was set back.
    """
    table = _set_back(table, moment.now, back) if back else table
    if table.status not in (Status.LOBBY, Status.PLAYING):
        return TableChange(table)
    shown = None if table.show_at is None else min(table.show_at, moment.now)
    table = table.replace(show_at=shown, turn_since=min(table.turn_since, moment.now))
    if table.suspension is not None or table.paused:
        return TableChange(table.replace(idle_at=moment.now + moment.timings.paused_idle_seconds))
    if table.status is Status.LOBBY:
        return TableChange(table.replace(idle_at=moment.now + moment.timings.lobby_idle(table.clock)))
    fresh = start_clock(table, now=moment.now, timings=moment.timings)
    restarted = () if table.running.ends is None else (PlainEvent.CLOCK_RESTARTED,)
    return TableChange(fresh.table, (*restarted, *fresh.events))


# The bot cannot write: clocks stop, players may play elsewhere, the game is kept

FIRST_PROBE_SECONDS = 60
LONGEST_PROBE_SECONDS = 3600


def suspend(table: Table, *, moment: Moment) -> TableChange:
    """Stop every clock until the bot can write again; a table that is not resumed closes after a long time."""
    if table.suspension is not None or table.status not in (Status.LOBBY, Status.PLAYING):
        return TableChange(table)
    now, stopped = moment.now, table.noting(claims_close=None).with_timer(INTERRUPTIONS, None)
    waits = Suspension(since=now, probe_at=now + FIRST_PROBE_SECONDS)
    closes_at = now + moment.timings.paused_idle_seconds
    return TableChange(stopped.replace(running=Clock(), suspension=waits, idle_at=closes_at, show_at=None))


def probe(table: Table, *, now: float) -> TableChange:
    """Schedule a test whether the bot can write again, less and less often."""
    if table.suspension is None:
        return TableChange(table)
    pause = min(max(now - table.suspension.since, FIRST_PROBE_SECONDS), LONGEST_PROBE_SECONDS)
    waits = table.suspension.model_copy(update={"probe_at": now + pause})
    return TableChange(table.replace(suspension=waits), (PlainEvent.PROBE_DUE,))


def resume(table: Table, *, moment: Moment) -> TableChange:
    """Resume the table with a new clock for the player whose turn it is."""
    if table.suspension is None:
        return TableChange(table)
    back = table.replace(suspension=None, idle_at=None)
    if back.status is Status.LOBBY:
        return TableChange(
            back.replace(idle_at=moment.now + moment.timings.lobby_idle(back.clock)), (PlainEvent.TABLE_RESUMED,)
        )
    if back.this_step.claims:
        back = back.noting(claims_close=moment.now + moment.timings.claim_window_seconds)
    fresh = start_clock(back, now=moment.now, timings=moment.timings)
    return TableChange(fresh.table, (PlainEvent.TABLE_RESUMED, *fresh.events))
