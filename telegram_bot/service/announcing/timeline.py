"""The notices that wait until a table's chat has seen the end of a round."""

from dataclasses import dataclass, replace

from sqlalchemy import or_, update
from sqlmodel import Session, col, select

from telegram_bot.screens.posting import Notification
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import OPEN_NOTICES, GameTable, LaneName, NoticeStatus, OutboxEntry, RoundEnd
from telegram_bot.tables.result_views import ANIMATION_SECONDS


@dataclass(frozen=True, slots=True)
class RevealDelay:
    """How a notice waits for the call or for the dice in the table's chat."""

    at: float
    """The time at which these are shown."""
    lane: LaneName
    """The lane of the table's chat, which keeps the order by itself."""
    deal: int | None = None
    """The round whose dice are shown there, or None for a call, or if the chat has seen them."""

    def hold(self, notification: Notification) -> Notification:
        """Return the notification with this delay."""
        after_deal = None if notification.envelope.lane == self.lane else self.deal
        return replace(notification, not_before=max(notification.not_before, self.at), held=True, after_deal=after_deal)


def reveal_delay_of(uow: UnitOfWork, row: GameTable, lane: LaneName) -> RevealDelay | None:
    """Return the delay of private notices about a table whose chat has not seen the dice of the last round."""
    unrevealed = uow.unrevealed(row)
    return None if unrevealed is None else RevealDelay(max(unrevealed[1], uow.now), lane, unrevealed[0])


def wait_for_animation(session: Session, table: int, deal: int, lane: LaneName, now: float) -> None:
    """Count the time of an animation from its arrival, because its upload takes time: the notices after it wait longer.

    After a reveal without an animation, these notices are due already. `lane`: that of the table's chat.
    """
    ends = now + ANIMATION_SECONDS
    shown = update(RoundEnd).where(col(RoundEnd.table_id) == table, col(RoundEnd.deal) == deal)
    session.execute(shown.where(col(RoundEnd.dice_at) > now, col(RoundEnd.dice_at) < ends).values(dice_at=ends))
    session.execute(
        update(OutboxEntry)
        .where(OPEN_NOTICES, col(OutboxEntry.status) == NoticeStatus.PENDING, col(OutboxEntry.table_id) == table)
        .where(or_(col(OutboxEntry.lane) == lane, col(OutboxEntry.after_deal).is_not(None)))
        .where(col(OutboxEntry.not_before) > now, col(OutboxEntry.not_before) < ends)
        .values(not_before=ends)
    )


def lanes_waiting_for(session: Session, table: int) -> set[LaneName]:
    """Return the lanes of notices that wait for a table's dice."""
    waits = col(OutboxEntry.after_deal).is_not(None), col(OutboxEntry.status) == NoticeStatus.PENDING
    said = select(col(OutboxEntry.lane)).where(OutboxEntry.table_id == table, *waits)
    return set(session.exec(said))
