"""Handle the deadlines of a table. A turn clock begins when its player was told; a late message moves it."""

from __future__ import annotations

import logging
from typing import Final

from sqlalchemy import bindparam
from sqlalchemy import select as sql_select
from sqlmodel import SQLModel, col, select

from telegram_bot.service.config import timings_in
from telegram_bot.service.handlers.computer_turns import have_interruptions_thought, have_thought
from telegram_bot.service.handlers.round_reviews import have_reviewed
from telegram_bot.service.notices import Envelope, HandNotice, TableNotice
from telegram_bot.service.records import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import OPEN_NOTICES, GameTable, OutboxEntry
from telegram_bot.storage.statements import Statement
from telegram_bot.tables import turn_clock
from telegram_bot.tables.events import Step
from telegram_bot.tables.model import Status, Table, Timings

log = logging.getLogger(__name__)

LATE_SECONDS = 2
"""How long a message may take to be sent before it moves the turn clock. In seconds."""

# Built once: building a statement takes longer than executing it.
_OUTBOX: Final = SQLModel.metadata.tables["outbox"]
_UNDELIVERED: Final = Statement(
    sql_select(_OUTBOX.c.id)
    .where(OPEN_NOTICES, _OUTBOX.c.table_id == bindparam("the_table"), _OUTBOX.c.turn == bindparam("the_turn"))
    .limit(1)
)


def reach_deadline(uow: UnitOfWork, table: int) -> bool:
    """Act on the deadline of a table; False if another worker has done it, or is doing it."""
    row = uow.lock_table(table, skip_locked=True)
    if row is None or not row.live or row.due_at is None or row.due_at > uow.now:
        return False
    before = load_table(row)
    if before.review_at is not None and before.review_at <= uow.now:
        before = have_reviewed(uow, row, before)
        if row.due_at is None or row.due_at > uow.now:
            return True
    if before.interrupt_at is not None and before.interrupt_at <= uow.now:
        before = have_interruptions_thought(uow, row, before)
        if row.due_at is None or row.due_at > uow.now:
            return True
    waits = turn_clock.waits_for_a_player(before) or turn_clock.opens_for_somebody_away(before)
    untold = waits and _turn_is_undelivered(uow, before)
    if turn_clock.is_to_be_thought_about(before, uow.now) and not untold:
        have_thought(uow, row, before)
        return True
    if before.think_at is not None and before.clock_ends is not None and before.clock_ends <= uow.now:
        log.warning("a call was thought about for too long: the bot plays")
    uow.commit_step(row, before, _step_due(uow, before, timings_in(uow.chat_of(row), uow.config)))
    return True


def _step_due(uow: UnitOfWork, table: Table, timings: Timings) -> Step:
    """The step that is due at a table.

    No turn ends, and nobody is reminded, before the player was told. Nor does the bot play for somebody who is away
    before the chat has seen how the last round ended.
    """
    settles = table.claims_close is not None and table.claims_close <= uow.now
    closes = table.idle_at is not None and table.idle_at <= uow.now
    waits = turn_clock.waits_for_a_player(table) or turn_clock.opens_for_somebody_away(table)
    if not settles and not closes and waits and _turn_is_undelivered(uow, table):
        return Step(turn_clock.restart_from_delivery(table, uow.now, timings=timings))
    return turn_clock.apply_due(table, now=uow.now, rng=uow.rng, timings=timings)


def _turn_is_undelivered(uow: UnitOfWork, table: Table) -> bool:
    return bool(_UNDELIVERED.all(uow.session, {"the_table": table.id, "the_turn": table.step}))


def turn_delivered_late(uow: UnitOfWork, table: int, turn: int, at: float) -> None:
    """Restart the turn clock at the time at which the late message about the turn is sent, if it is still that turn."""
    row = _at_turn(uow, table, turn)
    if row is None:
        return
    before = load_table(row)
    after = turn_clock.restart_from_delivery(before, at, timings=uow.timings)
    if after != before:
        uow.commit_step(row, before, Step(after))


def note_being_heard(uow: UnitOfWork, table: int, step: int, seat: int) -> None:
    """Let the clock wait for a voice note of the player on turn."""
    row = _at_turn(uow, table, step)
    if row is None:
        return
    before = load_table(row)
    after = turn_clock.wait_for_note(before, step, seat, now=uow.now)
    if after != before:
        uow.commit_step(row, before, Step(after))


def lane_paused(uow: UnitOfWork, lane: str, until: float) -> None:
    """Restart the clocks of the turns whose messages wait in a blocked lane, at the time at which it goes on."""
    query = (
        select(OutboxEntry.table_id, OutboxEntry.turn)
        .where(OPEN_NOTICES, col(OutboxEntry.lane) == lane, col(OutboxEntry.turn).is_not(None))
        .order_by(col(OutboxEntry.table_id))
        .distinct()
    )
    for table, turn in uow.session.exec(query).all():
        if table is not None and turn is not None:
            turn_delivered_late(uow, table, turn, until)


def turn_delivery_unknown(uow: UnitOfWork, table: int, turn: int) -> None:
    """Tell a turn once more later if nobody acts: it is not known whether the message about the turn arrived."""
    row = _at_turn(uow, table, turn)
    if row is not None:
        before = load_table(row)
        heard = turn_clock.restart_from_delivery(before, uow.now, timings=uow.timings)
        uow.commit_step(row, before, Step(turn_clock.schedule_resend(heard, now=uow.now)))


def _at_turn(uow: UnitOfWork, table: int, turn: int) -> GameTable | None:
    row = uow.lock_table(table)
    if row is None or not row.live or row.status != Status.PLAYING or load_table(row).step != turn:
        return None
    return row


def with_later_clock(envelope: Envelope, late: float) -> Envelope:
    """A notice that shows a turn clock, moved by the same time as the clock."""
    notice = envelope.notice
    if late <= LATE_SECONDS:
        return envelope
    if isinstance(notice, TableNotice) and notice.view.clock_ends is not None:
        view = notice.view.model_copy(update={"clock_ends": notice.view.clock_ends + late})
        return envelope.model_copy(update={"notice": notice.model_copy(update={"view": view})})
    if isinstance(notice, HandNotice) and notice.view.table.clock_ends is not None:
        table = notice.view.table.model_copy(update={"clock_ends": notice.view.table.clock_ends + late})
        hand = notice.view.model_copy(update={"table": table})
        return envelope.model_copy(update={"notice": notice.model_copy(update={"view": hand})})
    return envelope
