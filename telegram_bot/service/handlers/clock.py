"""Handle the deadlines of a table."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from sqlmodel import col, select

from perudo_core import Call, is_legal
from telegram_bot.registry import Registry
from telegram_bot.repositories.repositories import load_table, postpone_deadline
from telegram_bot.screens.pictures_of_dice import timings_in
from telegram_bot.service.computer_requests import call_request_for
from telegram_bot.service.hooks import REST_SECONDS, call_hook
from telegram_bot.service.round_ends import bring_forward, show_result
from telegram_bot.service.shown_turns import as_shown
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import is_transient
from telegram_bot.storage.key_value import as_model, as_time
from telegram_bot.storage.models import RESTORED, GameTable, KeyValue
from telegram_bot.tables import play, turn_clock
from telegram_bot.tables.events import PlainEvent, RejectedError, TableChange, TableRestored
from telegram_bot.tables.model import FrozenModel, Moment, Status, Table
from telegram_bot.tables.sealed_dice import choice_seed
from telegram_bot.tables.turn_clock import restart_after_outage

log = logging.getLogger(__name__)

RESTART = "restart"
"""The key of the stored progress."""
BATCH = 4
"""The number of tables in one transaction: few, so that updates are handled and notices sent in between."""


class ClockRestart(FrozenModel):
    """The turn clocks to restart: all, or those that ended between `since` and `began`; after table `after`."""

    began: float
    since: float
    whole: bool
    after: int | None
    """None if it is done."""
    last: int
    back: float = 0.0
    """The seconds by which the clock was set back."""


def restart_batch(uow: UnitOfWork) -> bool:
    """Restart the turn clocks of the next few tables; False if all are done."""
    stored = uow.session.get(KeyValue, RESTART)
    restart = None if stored is None else as_model(stored.value, ClockRestart)
    if stored is None or restart is None or restart.after is None:
        return False
    query = (
        select(GameTable.id)
        .where(col(GameTable.due_at).is_not(None))
        .where(col(GameTable.id) > restart.after)
        .where(col(GameTable.id) <= restart.last)
        .order_by(col(GameTable.id))
        .limit(BATCH)
    )
    if not restart.whole:
        query = query.where(col(GameTable.due_at) >= restart.since, col(GameTable.due_at) <= restart.began)
    tables = [table for table in uow.session.exec(query) if table is not None]
    restored = uow.session.get(KeyValue, RESTORED)
    for table in tables:
        try:
            with uow.session.begin_nested():
                _restart_clocks(uow, table, None if restored is None else as_time(restored.value), restart)
        except Exception as error:
            if is_transient(error):
                raise
            # A table that cannot be read keeps no other one waiting.
            log.error("the clock of table %s was not begun anew: %s", table, type(error).__name__)  # noqa: TRY400
    done = len(tables) < BATCH
    if done and restored is not None:
        uow.session.delete(restored)
    stored.value = restart.model_copy(update={"after": None if done else tables[-1]}).model_dump_json()
    return True


def _restart_clocks(uow: UnitOfWork, table: int, restored: float | None, restart: ClockRestart) -> None:
    """Give the player whose turn it is a whole new clock. `restored`: the time of the table, if it is from a backup.

    A table whose game is over has only timers, which move if the clock was set back.
    """
    row = uow.table_by_id(table)
    if row is None or not (row.live or restart.back):
        return
    before = load_table(row)
    bring_forward(uow.session, table, uow.now)
    change = restart_after_outage(before, moment=uow.moment, back=restart.back)
    if row.live and restored is not None and before.suspension is None:
        change = change.then(TableChange(change.table, (TableRestored(restored), PlainEvent.TABLE_RESUMED)))
    uow.commit_step(row, before, change)


LEASE_SECONDS = 8
"""After so long a call for a table is computed again: the process may have died meanwhile."""


def request_call(uow: UnitOfWork, row: GameTable, table: Table) -> None:
    """Have the call of the turn computed, once in a while; other deadlines still count."""
    turn = table.begun_game.turn
    assert turn is not None  # noqa: S101
    uow.call_requests.append(call_request_for(uow.session, table, turn, choice_seed(table, turn, uow.rng)))
    other = turn_clock.next_due(table.with_clock(think_at=None))
    until = uow.now + LEASE_SECONDS
    postpone_deadline(uow.session, row.id, until if other is None else min(until, other))


def request_interruptions(uow: UnitOfWork, table: Table) -> None:
    """Have the computer players asked whose turn it is not, once: if the process dies, they do not call."""
    uow.call_requests += [
        call_request_for(uow.session, table, seat, choice_seed(table, seat, uow.rng))
        for seat in play.may_interrupt(table)
    ]


TIMERS: Final = Registry[str, Callable[[UnitOfWork, Table], float | None]](
    "the timers of tables", {play.INTERRUPTIONS: request_interruptions, play.RESULT: show_result}
)
"""By name: the function that is called when the timer of a table is due. It returns the next time, or None if there is
none."""


def play_computed_call(uow: UnitOfWork, table: int, step: int, seat: int, call: Call | None) -> bool:
    """Play a computed call; False if the table has moved on meanwhile, or None if no call was found, so the bot plays.

    A player who has returned meanwhile plays for themselves.
    """
    row = uow.table_by_id(table)
    if row is None or not row.live or row.status != Status.PLAYING:
        return False
    before = load_table(row)
    if before.step != step or before.game is None:
        return False
    moment = replace(uow.moment, timings=timings_in(uow.chat_of(row), uow.config))
    if before.game.turn != seat:
        return _interrupt(uow, row, before, call, moment)
    if before.running.think_at is None:
        return False
    if call is not None and (call.seat != seat or not is_legal(before.game, call)):
        log.warning("a call was thought of that is not legal: the bot plays")
        call = None
    moved = turn_clock.time_out(before, moment=moment, computed=call)
    uow.commit_step(row, before, moved)
    return True


def _interrupt(uow: UnitOfWork, row: GameTable, table: Table, call: Call | None, moment: Moment) -> bool:
    """Play a call out of turn; False if there is none, or the table does not accept it any more."""
    if call is None:
        return False
    try:
        moved = play.make_call(table, call, step=table.step, moment=moment)
    except RejectedError:
        return False
    uow.commit_step(row, table, moved)
    return True


def reach_deadline(uow: UnitOfWork, table: int) -> bool:
    """Handle the deadline of a table; False if it has none any more."""
    row = uow.table_by_id(table)
    if row is None or row.due_at is None or row.due_at > uow.now:
        return False
    before = load_table(row)
    due = [name for name, at in before.timers.items() if at <= uow.now]
    for name in due:
        reach = TIMERS.get(name)  # None if the feature is off
        again = uow.now + REST_SECONDS
        uow.set_timer(
            row, name, None if reach is None else call_hook(uow, name, table, partial(reach, uow, before), again)
        )
    if due:
        before = load_table(row)
        if not row.live or row.due_at is None or row.due_at > uow.now:
            return True
    moment = replace(uow.moment, timings=timings_in(uow.chat_of(row), uow.config))
    before = as_shown(uow, before, moment.timings)
    due_at = turn_clock.next_due(before)
    if due_at is not None and due_at > uow.now:
        postpone_deadline(uow.session, row.id, due_at)
        return True
    if turn_clock.is_to_be_thought_about(before, uow.now):
        request_call(uow, row, before)
        return True
    clock = before.running
    if clock.think_at is not None and clock.ends is not None and clock.ends <= uow.now:
        log.warning("a call was thought about for too long: the bot plays")
    uow.commit_step(row, before, turn_clock.apply_due(before, moment=moment))
    return True


def reveal_settled(uow: UnitOfWork, table: int) -> None:
    """Let the result of the game count at once if a reveal was its last one."""
    row = uow.table_by_id(table)
    if row is not None and (due_at := show_result(uow, load_table(row))) is not None:
        uow.set_timer(row, play.RESULT, due_at)


def note_being_heard(uow: UnitOfWork, table: int, step: int, seat: int) -> None:
    """Let the clock wait for a voice note of the player whose turn it is."""
    row = _at_turn(uow, table, step)
    if row is None:
        return
    before = as_shown(uow, load_table(row), uow.timings)
    after = turn_clock.wait_for_note(before, step, seat, now=uow.now)
    if after != before:
        uow.commit_step(row, before, TableChange(after))


def turn_delivery_unknown(uow: UnitOfWork, table: int, turn: int) -> None:
    """Announce a turn once more later, unless the player acts: it is unknown whether the message arrived."""
    row = _at_turn(uow, table, turn)
    if row is not None:
        before = load_table(row)
        perhaps_shown = turn_clock.begin_when_shown(before, uow.now, timings=uow.timings)
        uow.commit_step(row, before, TableChange(turn_clock.schedule_resend(perhaps_shown, now=uow.now)))


def _at_turn(uow: UnitOfWork, table: int, turn: int) -> GameTable | None:
    row = uow.table_by_id(table)
    if row is None or not row.live or row.status != Status.PLAYING or load_table(row).step != turn:
        return None
    return row
