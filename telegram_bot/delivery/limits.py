"""The generic cell rate algorithm: a chat's own limits stand with its lane, the bot's in a row that all share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from sqlmodel import Session, select

from telegram_bot.storage.models import Rate
from telegram_bot.storage.rate_limit import take_one

MINUTE = 61.0
"""A minute and a little: calls do not all take equally long to arrive."""
MARGIN = 1.1
"""The same for a second between two messages to a chat."""
GROUP_BURST = 5
"""Messages a quiet group may get at once; the rest of its minute is spread evenly."""
BOT_BURST_SECONDS = 0.2
"""The part of a second's messages that the bot may send at once."""


class Priority(IntEnum):
    """Who gets the bot's budget when it is scarce; nothing ever overtakes within a chat."""

    TURN = 0
    """What somebody needs to play on, and answers to taps."""
    REST = 1


class LaneArrivalTimes(Protocol):
    """The theoretical arrival times of a chat's own limits."""

    chat_arrival: float
    group_arrival: float


@dataclass(frozen=True, slots=True)
class Limit:
    """One send per `interval` seconds on average, up to `burst` at once."""

    interval: float
    burst: int = 1

    def wait(self, arrival: float, now: float, *, spared: int = 0) -> float:
        """Seconds until a send is allowed that leaves `spared` sends of the burst to others; 0: now."""
        return max(0.0, arrival - self.slack(spared) - now)

    def slack(self, spared: int = 0) -> float:
        """How far ahead of time a send may be."""
        return max(0, self.burst - 1 - spared) * self.interval

    def spent(self, arrival: float, now: float) -> float:
        """The theoretical arrival time after a send."""
        return max(arrival, now) + self.interval


@dataclass(frozen=True, slots=True)
class Limits:
    """A channel's limits: for the whole bot, for a chat, for a group; 0 is none."""

    per_bot_per_second: float = 25
    per_chat_seconds: float = 1
    per_group_per_minute: float = 20

    @property
    def bot(self) -> Limit | None:
        """What all chats share."""
        rate = self.per_bot_per_second
        return Limit(1 / rate, burst=max(2, int(rate * BOT_BURST_SECONDS))) if rate else None

    @property
    def chat(self) -> Limit | None:
        """What each chat may take."""
        return Limit(self.per_chat_seconds * MARGIN) if self.per_chat_seconds else None

    @property
    def group(self) -> Limit | None:
        """What each group may take."""
        if not self.per_group_per_minute:
            return None
        # No minute, wherever it begins, may hold more than the limit: burst plus what refills within it.
        burst = min(GROUP_BURST, int(self.per_group_per_minute))
        return Limit(MINUTE / max(1, self.per_group_per_minute - burst), burst=burst)

    def lane_wait(self, lane: LaneArrivalTimes, now: float, *, group: bool) -> float:
        """Seconds until the chat's own limits allow a send; only the lane's holder sends, so nobody comes between."""
        chat = self.chat.wait(lane.chat_arrival, now) if self.chat else 0
        return max(chat, self.group.wait(lane.group_arrival, now) if group and self.group else 0)

    def spend_lane(self, lane: LaneArrivalTimes, now: float, *, group: bool) -> None:
        """Count a send against the chat's own limits."""
        if self.chat:
            lane.chat_arrival = self.chat.spent(lane.chat_arrival, now)
        if group and self.group:
            lane.group_arrival = self.group.spent(lane.group_arrival, now)

    def delay_from_arrival(self, lane: LaneArrivalTimes, now: float) -> bool:
        """Let the pause between two sends begin when the last one has arrived: some are longer on their way."""
        if not self.chat or lane.chat_arrival >= now + self.chat.interval:
            return False
        lane.chat_arrival = now + self.chat.interval
        return True


def reserve(session: Session, channel: str, limit: Limit | None, priority: Priority, now: float) -> float:
    """Take one send from the budget that all lanes of a channel share: returns 0, or the seconds to wait.

    The rest may not take the whole burst, so that a turn always finds room.
    """
    if limit is None:
        return 0
    key = f"{channel}:bot"
    spared = limit.burst * 2 // 5 if priority is Priority.REST else 0
    if take_one(session, key, interval=limit.interval, slack=limit.slack(spared), now=now):
        return 0
    taken = session.exec(select(Rate.arrival).where(Rate.key == key)).one()
    # Never 0: that would mean that it was granted.
    return max(limit.wait(taken, now, spared=spared), limit.interval / 10)
