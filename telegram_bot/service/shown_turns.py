"""When a turn was first shown, and the clock that follows from it."""

from pydantic import ValidationError
from sqlalchemy import and_, or_
from sqlmodel import col, select

from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.slots import deal_slot, hand_slot
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import OPEN_NOTICES, GameTable, NoticeStatus, OutboxEntry, SentMessage
from telegram_bot.tables.model import Table, Timings
from telegram_bot.tables.turn_clock import LATE_SECONDS, begin_when_shown
from telegram_bot.tables.views import HandView, TableView


def _shown_at(uow: UnitOfWork, table: Table) -> float | None:
    """Return when the running turn was first shown, by the last of its messages; 0 without any, None if one waits."""
    step, since, turn = table.step, table.running.since, None if table.game is None else table.game.turn
    is_asked = SentMessage.table_id == table.id, col(SentMessage.asked).is_not(None)
    asked_by = uow.session.exec(select(SentMessage.slot, SentMessage.asked).where(*is_asked))
    shown = {slot: asked[2] for slot, asked in asked_by if asked is not None and asked[:2] == [step, since]}
    slots = {deal_slot(table.deals)}
    if turn is not None:
        slots.add(hand_slot(table.seats[turn].player))
    waiting = {slot for slot in slots if uow.tables.waits(table.id, [slot])}
    sent = and_(col(OutboxEntry.status) == NoticeStatus.SENT, col(OutboxEntry.done_at) >= since)
    said = (
        select(OutboxEntry.slot, OutboxEntry.done_at)
        .where(OutboxEntry.table_id == table.id, OutboxEntry.turn == step, or_(OPEN_NOTICES, sent))
        .order_by(col(OutboxEntry.done_at).nulls_last())
    )
    for slot, done_at in uow.session.exec(said):
        if done_at is None:
            waiting.add(slot or "")
        else:
            shown.setdefault(slot or "", done_at)
    return max(shown.values(), default=0.0) if waiting <= shown.keys() else None


def as_shown(uow: UnitOfWork, table: Table, timings: Timings) -> Table:
    """Return the table with the clock as its player has it: it begins when the turn is shown, which may be late."""
    shown = _shown_at(uow, table)
    return begin_when_shown(table, uow.now if shown is None else shown, timings=timings)


def with_clock_as_shown(uow: UnitOfWork, envelope: Envelope) -> Envelope:
    """Return a notice that is sent now with its reader's turn clock."""
    notice = envelope.notice
    view = getattr(notice, "view", None)
    public = view.table if isinstance(view, HandView) else view
    if not isinstance(public, TableView) or public.clock_ends is None or uow.now <= public.clock_since + LATE_SECONDS:
        return envelope
    state = uow.session.exec(select(GameTable.state).where(GameTable.id == public.table)).first()
    try:
        table = None if state is None else Table.model_validate(state)
    except ValidationError:  # a table that this version cannot read may not hold up others
        table = None
    if table is None or table.step != public.step or table.running.ends is None:
        return envelope
    shown = public.model_copy(update={"clock_ends": as_shown(uow, table, Timings()).running.ends})
    shown_view = view.model_copy(update={"table": shown}) if isinstance(view, HandView) else shown
    return envelope.model_copy(update={"notice": notice.model_copy(update={"view": shown_view})})
