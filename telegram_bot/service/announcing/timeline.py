"""When the end of a round is shown in a table's chat, and what waits for it."""

from dataclasses import dataclass, replace

from sqlmodel import Session, col, select

from telegram_bot.service.announcing.presentation import animations_offered
from telegram_bot.service.config import ServiceConfig
from telegram_bot.service.posting import Post
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, NoticeStatus, OutboxEntry
from telegram_bot.tables.model import Table


@dataclass(frozen=True, slots=True)
class Timeline:
    """When the table's chat is shown the end of a round."""

    call: float
    """When the call is told."""
    cups: float
    """When the message with the dice is sent. An animation hides them at first, and tells the call as well."""
    dice: float
    """When the chat has seen the dice: nothing that tells of them is sent before."""

    @property
    def is_animated(self) -> bool:
        """Whether an animation shows the dice."""
        return self.cups < self.dice


def timeline_of(table: Table, chat: Chat, config: ServiceConfig, now: float, *, called: bool) -> Timeline:
    """The times of the end of a round. `called`: somebody has called; an animation shows nothing else."""
    dice = max(table.reveal_at, now)
    animated = called and dice > now and chat.animations and animations_offered(chat, config)
    return Timeline(call=now, cups=now if animated else dice, dice=dice)


@dataclass(frozen=True, slots=True)
class RevealDelay:
    """How a notice waits for the call or for the dice in the table's chat."""

    at: float
    """When these are shown."""
    lane: str
    """The lane of the table's chat, which keeps the order by itself."""
    notice: int | None = None
    """The notice that shows them there; None: it will not be sent, or everything is said in the table's chat."""

    def hold(self, post: Post) -> Post:
        """The post so that it waits."""
        waits_for = None if post.envelope.lane == self.lane else self.notice
        return replace(post, not_before=max(post.not_before, self.at), planned_at=self.at, waits_for=waits_for)


def reveal_delay_of(uow: UnitOfWork, row: GameTable, lane: str) -> RevealDelay | None:
    """What holds private notices about a table: its chat has not been shown the dice of the last round."""
    at, reveal = float(row.state.get("reveal_at", 0)), uow.open_reveal(row)
    return None if reveal is None and at <= uow.now else RevealDelay(max(at, uow.now), lane, reveal)


def lanes_waiting_for(session: Session, reveal: int) -> set[str]:
    """The lanes in which notices wait for a reveal."""
    waiting = select(OutboxEntry.lane).where(
        OutboxEntry.waits_for == reveal, col(OutboxEntry.status) == NoticeStatus.PENDING
    )
    return set(session.exec(waiting))
