"""Send limits: a chat's limits are in its lane's row, the bot's in a row that all lanes share.

A group's limit is a window of its last sends; the others follow the generic cell rate algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from sqlmodel import Session, select

from telegram_bot.delivery.send_window import SendWindow, Urgency
from telegram_bot.storage.models import Rate
from telegram_bot.storage.rate_limit import take
from telegram_bot.storage.recent_sends import arrived

MARGIN = 1.1
"""A second between two messages to a chat, and a margin, because some calls take longer to arrive than others."""
BOT_BURST_SECONDS = 0.2
"""The share of a second's messages that the bot may send at once."""


class Priority(IntEnum):
    """Which notices get the bot's budget first when it is scarce. The order within a chat never changes."""

    TURN = 0
    """Notices that somebody needs to continue the game, and answers to taps."""
    REST = 1


class LaneUsage(Protocol):
    """What a chat's own limits know: the theoretical arrival time of the next send, and the times of the last sends."""

    chat_arrival: float
    recent_sends: str


@dataclass(frozen=True, slots=True)
class Limit:
    """One send per `interval` seconds on average, and up to `burst` at once."""

    interval: float
    burst: int = 1

    def wait(self, arrival: float, now: float, *, spared: int = 0) -> float:
        """Seconds until a send is allowed that leaves `spared` sends of the burst to others; 0 for now."""
        return max(0.0, arrival - self.slack(spared) - now)

    def slack(self, spared: int = 0) -> float:
        """How many seconds early a send may be."""
        return max(0, self.burst - 1 - spared) * self.interval

    def spent(self, arrival: float, now: float) -> float:
        """The theoretical arrival time after a send."""
        return max(arrival, now) + self.interval


@dataclass(frozen=True, slots=True)
class Limits:
    """A channel's limits for the whole bot, for a chat and for a group; 0 means no limit."""

    per_bot_per_second: float = 25
    per_chat_seconds: float = 1
    per_group_per_minute: float = 20

    @property
    def bot(self) -> Limit | None:
        """The limit that all chats share."""
        rate = self.per_bot_per_second
        return Limit(1 / rate, burst=max(2, int(rate * BOT_BURST_SECONDS))) if rate else None

    @property
    def chat(self) -> Limit | None:
        """The limit of each chat."""
        return Limit(self.per_chat_seconds * MARGIN) if self.per_chat_seconds else None

    @property
    def group(self) -> SendWindow | None:
        """The limit of each group."""
        return SendWindow.per_minute(self.per_group_per_minute) if self.per_group_per_minute else None

    def lane_wait(self, lane: LaneUsage, now: float, *, group: bool, urgency: Urgency = Urgency.NOW) -> float:
        """Seconds until the chat's own limits allow a send. Only the worker that holds the lane sends to the chat."""
        chat = self.chat.wait(lane.chat_arrival, now) if self.chat else 0
        return max(chat, self.group.wait(lane.recent_sends, now, urgency) if group and self.group else 0)

    def is_scarce(self, lane: LaneUsage, now: float, *, group: bool) -> bool:
        """Whether a group's window has room only for what is more urgent than a message that can wait."""
        return group and self.group is not None and self.group.wait(lane.recent_sends, now, Urgency.LATER) > 0

    def spend_lane(self, lane: LaneUsage, now: float, *, group: bool, urgency: Urgency = Urgency.NOW) -> None:
        """Count a send against the chat's own limits."""
        if self.chat:
            lane.chat_arrival = self.chat.spent(lane.chat_arrival, now)
        if group and self.group:
            lane.recent_sends = self.group.counted(lane.recent_sends, now, urgency)

    def delay_from_arrival(self, lane: LaneUsage, now: float) -> bool:
        """Count the time from when the last send has arrived: some sends take longer than others."""
        before = lane.chat_arrival, lane.recent_sends
        if self.chat:
            lane.chat_arrival = max(lane.chat_arrival, now + self.chat.interval)
        if self.group:
            lane.recent_sends = arrived(lane.recent_sends, now)
        return (lane.chat_arrival, lane.recent_sends) != before


def reserve_at_once(session: Session, channel: str, limit: Limit | None, sends: int, now: float) -> bool:
    """Take some sends of high priority from the budget that all lanes of a channel share, if all are allowed now."""
    if limit is None:
        return True
    return take(session, _budget_key(channel), interval=limit.interval, slack=limit.slack(), now=now, events=sends)


def reserve(session: Session, channel: str, limit: Limit | None, priority: Priority, now: float) -> float:
    """Take one send from the budget that all lanes of a channel share; return 0, or the seconds to wait.

    Sends of low priority leave a part of the burst to those of high priority.
    """
    if limit is None:
        return 0
    key = _budget_key(channel)
    spared = limit.burst * 2 // 5 if priority is Priority.REST else 0
    if take(session, key, interval=limit.interval, slack=limit.slack(spared), now=now):
        return 0
    taken = session.exec(select(Rate.arrival).where(Rate.key == key)).one()
    # Never 0, which would mean that the send is granted.
    return max(limit.wait(taken, now, spared=spared), limit.interval / 10)


def _budget_key(channel: str) -> str:
    return f"{channel}:bot"
