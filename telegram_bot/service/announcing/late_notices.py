"""Update a notice that is sent late."""

from typing import Final

from sqlmodel import Session, select

from telegram_bot.service.envelope import Envelope
from telegram_bot.service.notices import DiceNotice, HandNotice, TableNotice
from telegram_bot.storage.models import GameTable
from telegram_bot.tables import turn_clock
from telegram_bot.tables.model import Table

LATE_SECONDS: Final = 2
"""After a longer delay a message moves the turn clock."""


def with_current_clock(session: Session, envelope: Envelope, turn: int | None, late: float, now: float) -> Envelope:
    """Return a late notice with its reader's present turn clock.

    `turn`: the step whose turn it announces: the clock begins when its player gets the message. `late`: the delay in
    seconds.
    """
    notice = envelope.notice
    match notice:
        case TableNotice():
            view = notice.view
        case HandNotice() | DiceNotice():
            view = notice.view.table
        case _:
            return envelope
    if late <= LATE_SECONDS or view.clock_ends is None:
        return envelope
    state = session.exec(select(GameTable.state).where(GameTable.id == view.table)).first()
    table = None if state is None else Table.model_validate(state)
    if table is None or table.step != view.step or table.clock_ends is None:
        return envelope
    ends = table.clock_ends if turn is None else turn_clock.end_if_heard(table, now)
    shown = view.model_copy(update={"clock_ends": ends})
    if not isinstance(notice, TableNotice):
        return envelope.model_copy(
            update={"notice": notice.model_copy(update={"view": notice.view.model_copy(update={"table": shown})})}
        )
    return envelope.model_copy(update={"notice": notice.model_copy(update={"view": shown})})
