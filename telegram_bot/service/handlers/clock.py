"""Fair clocks: a turn's time begins when its player hears of it, whatever kept the message."""

from __future__ import annotations

from sqlmodel import col, select

from telegram_bot.service.notices import Envelope, HandNotice, TableNotice
from telegram_bot.service.unit_of_work import Work, read
from telegram_bot.storage.models import OPEN_NOTICES, GameTable, Outbox
from telegram_bot.tables import turn_clock
from telegram_bot.tables.events import Step
from telegram_bot.tables.model import Status, Table

LATE_SECONDS = 2
"""What a message may take to be sent without the clock waiting for it."""


def due(work: Work, table: Table) -> Step:
    """What is due at a table; nobody's time runs out, and nobody is reminded, before they were told of their turn."""
    settles = table.claims_close is not None and table.claims_close <= work.now
    closes = table.idle_at is not None and table.idle_at <= work.now
    if not settles and not closes and turn_clock.waits_for_a_player(table) and _is_untold(work, table):
        return Step(turn_clock.count_from(table, work.now, pace=work.pace))
    return turn_clock.on_due(table, now=work.now, rng=work.rng, pace=work.pace)


def _is_untold(work: Work, table: Table) -> bool:
    query = select(Outbox.id).where(OPEN_NOTICES, col(Outbox.table_id) == table.id, col(Outbox.turn) == table.step)
    return work.session.exec(query.limit(1)).first() is not None


def told_late(work: Work, table: int, turn: int, at: float) -> None:
    """A message about a turn goes out, or will, only now: the turn's clock begins then, if it is still that turn."""
    row = _at_turn(work, table, turn)
    if row is None:
        return
    before = read(row)
    after = turn_clock.count_from(before, at, pace=work.pace)
    if after != before:
        work.save(row, Step(after))


def lane_rests(work: Work, lane: str, until: float) -> None:
    """Nothing is sent in a lane before some time: the clocks of the turns that wait in it begin then."""
    query = (
        select(Outbox.table_id, Outbox.turn)
        .where(OPEN_NOTICES, col(Outbox.lane) == lane, col(Outbox.turn).is_not(None))
        .order_by(col(Outbox.table_id))
        .distinct()
    )
    for table, turn in work.session.exec(query).all():
        if table is not None and turn is not None:
            told_late(work, table, turn, until)


def perhaps_told(work: Work, table: int, turn: int) -> None:
    """Whether the message about a turn arrived is not known: it is told once more if nobody acts on it."""
    row = _at_turn(work, table, turn)
    if row is not None:
        heard = turn_clock.count_from(read(row), work.now, pace=work.pace)
        work.save(row, Step(turn_clock.tell_again(heard, now=work.now)))


def _at_turn(work: Work, table: int, turn: int) -> GameTable | None:
    row = work.table_row(table)
    if row is None or not row.live or row.status != Status.PLAYING or read(row).step != turn:
        return None
    return row


def retimed(envelope: Envelope, late: float) -> Envelope:
    """What tells of a turn's clock, told so much later: the clock that it shows ends later too."""
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
