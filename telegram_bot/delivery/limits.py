"""Compute when the next notice may be sent.

The sends are counted in memory, by a clock that nobody sets. A group's limit is a window of its last sends; the others
follow the generic cell rate algorithm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from telegram_bot.screens.posting import Urgency

MARGIN = 1.1
"""The factor on the pause between two messages to a chat, because some calls take longer to arrive than others."""
BOT_BURST_SECONDS = 0.2
"""The share of a second's messages that the bot may send at once."""
MINUTE: Final = 61.0
"""A minute and a margin, because some calls take longer to arrive than others."""
ROUND_SENDS: Final = 4
"""The call, the dice, the next round's message, and one more for the player whose turn it is."""
UNHURRIED_SHARE: Final = 0.4
"""The share of a group's window. With fewer urgent sends than that, there is time for two messages where one would do.
"""
MOST_TIMES: Final = 60
"""The maximum number of stored times. Larger limits are counted in parts of a minute."""
Sends = list[tuple[float, int]]
"""The times of a group's last sends, newest first, each with its `Urgency`."""


class Queue(IntEnum):
    """The queues for the bot's budget when it is scarce, the first one first. The order within a chat never changes."""

    GAME = 0
    """Chats in which a surface, or a notice more urgent than `Urgency.TOLD`, is due."""
    REST = 1


@dataclass(slots=True)
class LaneUsage:
    """A chat's own limits: the theoretical arrival time of the next send, the times of the last sends, a pause."""

    chat_arrival: float = 0
    recent_sends: Sends = field(default_factory=list)
    paused_until: float = 0

    def rests(self, now: float) -> bool:
        """Return True if the chat was left alone for so long that no limit counts its sends."""
        return max(self.chat_arrival, self.paused_until) < now - MINUTE


@dataclass(frozen=True, slots=True)
class SendWindow:
    """A group's limit: at most `sends` in any period of `seconds`.

    The last of them are reserved for the most urgent notices. Other notices are free at first; as the window fills,
    they are spread over the time until the oldest send leaves the window.
    """

    sends: int
    seconds: float = MINUTE

    @classmethod
    def per_minute(cls, sends: float) -> SendWindow:
        """Return the window for a limit per minute."""
        whole = max(1, int(sends))
        parts = -(-whole // MOST_TIMES)
        return cls(whole // parts, MINUTE / parts)

    def wait(self, recent: Sends, now: float, urgency: Urgency) -> float:
        """Seconds until the next send is allowed; 0 for now."""
        counted = [(time, kind) for time, kind in recent if time > now - self.seconds]
        inside = [time for time, _ in counted]
        budget = self.sends - self.sends // 10  # sends of the less urgent kinds
        if urgency < Urgency.SOON:
            most = self.sends
        else:
            # Besides that share, as many sends are reserved as were urgent lately, up to a third or two thirds of the
            # window.
            urgent = sum(kind < Urgency.SOON for _, kind in counted)
            most = max(1, budget - min(urgent, self.sends * (1 if urgency is Urgency.SOON else 2) // 3))
        if len(inside) >= most:
            return inside[most - 1] + self.seconds - now
        if urgency <= Urgency.SOON or len(inside) < max(1, min(budget // 2, most)):
            return 0.0
        pause = (inside[-1] + self.seconds - inside[0]) / (most - len(inside) + 1)
        return max(0.0, inside[0] + pause - now)


@dataclass(frozen=True, slots=True)
class Limits:
    """A channel's limits for the whole bot, for a chat and for a group; 0 means no limit."""

    per_bot_per_second: float = 25
    per_chat_seconds: float = 1
    per_group_per_minute: float = 20

    @property
    def bot_burst(self) -> int:
        """The number of messages that the bot may send at once."""
        return max(2, int(self.per_bot_per_second * BOT_BURST_SECONDS))

    def throttle(self, lane: LaneUsage, now: float, *, group: bool, urgency: Urgency = Urgency.ASKS) -> float:
        """Seconds until the chat's own limits allow a send."""
        chat = lane.chat_arrival - now if self.per_chat_seconds else 0.0
        if not group or not self.per_group_per_minute:
            return max(0.0, chat)
        return max(0.0, chat, SendWindow.per_minute(self.per_group_per_minute).wait(lane.recent_sends, now, urgency))

    def is_scarce(self, lane: LaneUsage, now: float, *, group: bool) -> bool:
        """Return True if a group's window has room only for notices that cannot wait."""
        if not group or not self.per_group_per_minute:
            return False
        return SendWindow.per_minute(self.per_group_per_minute).wait(lane.recent_sends, now, Urgency.TOLD) > 0

    def is_tight(self, lane: LaneUsage, now: float, *, group: bool) -> bool:
        """Return True if rounds follow each other so quickly that a group's window has only two messages for each."""
        if not group or not self.per_group_per_minute:
            return False
        window = SendWindow.per_minute(self.per_group_per_minute)
        used = [urgency for time, urgency in lane.recent_sends if time > now - window.seconds]
        urgent = sum(urgency < Urgency.SOON for urgency in used)
        return len(used) > window.sends - ROUND_SENDS or urgent >= window.sends * UNHURRIED_SHARE

    def spend(self, lane: LaneUsage, now: float, *, group: bool, urgency: Urgency = Urgency.ASKS) -> None:
        """Count a send against the chat's own limits."""
        lane.chat_arrival = max(lane.chat_arrival, now) + self.per_chat_seconds * MARGIN
        if group and self.per_group_per_minute:
            kept = SendWindow.per_minute(self.per_group_per_minute).sends
            lane.recent_sends = [(now, urgency.value), *lane.recent_sends[: kept - 1]]

    def arrived(self, lane: LaneUsage, now: float) -> None:
        """Count the time from the arrival of the last send, because some sends take longer than others."""
        lane.chat_arrival = max(lane.chat_arrival, now + self.per_chat_seconds * MARGIN)
        if lane.recent_sends:
            (_, urgency), *others = lane.recent_sends
            lane.recent_sends = [(now, urgency), *others]


@dataclass(slots=True)
class Budget:
    """The sends that all chats of a channel share: the theoretical arrival time of the next one."""

    arrival: float = 0

    def take(self, limits: Limits, queue: Queue, now: float) -> float:
        """Take one send; return 0, or the seconds to wait.

        The rest leaves a part of the burst to games.
        """
        if not limits.per_bot_per_second:
            return 0
        interval, burst = 1 / limits.per_bot_per_second, limits.bot_burst
        if queue is Queue.REST:
            burst -= max(1, burst * 2 // 5)
        wait = self.arrival - (burst - 1) * interval - now
        if wait > 0:
            return wait
        self.arrival = max(self.arrival, now) + interval
        return 0


@dataclass(slots=True)
class SendPace:
    """Counts sends as they are made.

    After a pause of the process, many granted sends may be due at once.
    """

    arrival: float = 0

    def wait(self, limits: Limits, now: float) -> float:
        """Count a send, and return the seconds to wait before it."""
        if not limits.per_bot_per_second:
            return 0
        interval, arrival = 1 / limits.per_bot_per_second, max(self.arrival, now)
        self.arrival = arrival + interval
        return max(0.0, arrival - (limits.bot_burst - 1) * interval - now)
