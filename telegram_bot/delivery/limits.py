"""A shared rate limit: one row per key, the generic cell rate algorithm, one transaction per reservation."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from telegram_bot.storage.rows import Rate

MINUTE = 61.0
"""A minute and a little: calls do not all take equally long to arrive."""
MARGIN = 1.1
"""The same for a second between two messages to a chat."""
GROUP_BURST = 5
"""Messages a quiet group may get at once; the rest of its minute is spread evenly."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One send per `interval` seconds on average, up to `burst` at once."""

    key: str
    interval: float
    burst: int = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """The channel's limits: for the whole bot, for a chat, for a group."""

    per_bot_per_second: float = 25
    per_chat_seconds: float = 1
    per_group_per_minute: float = 20

    def of(self, lane: str, *, group: bool) -> list[Limit]:
        """The limits that a send to this lane must respect."""
        channel = lane.split(":", 1)[0]
        limits = []
        if self.per_bot_per_second:
            limits.append(
                Limit(f"{channel}:bot", 1 / self.per_bot_per_second, burst=max(1, int(self.per_bot_per_second / 5)))
            )
        if self.per_chat_seconds:
            limits.append(Limit(f"{lane}:chat", self.per_chat_seconds * MARGIN))
        if group and self.per_group_per_minute:
            # No minute, wherever it begins, may hold more than the limit: burst plus what refills within it.
            burst = min(GROUP_BURST, int(self.per_group_per_minute))
            limits.append(Limit(f"{lane}:group", MINUTE / max(1, self.per_group_per_minute - burst), burst=burst))
        return limits


def reserve(session: Session, limits: list[Limit], now: float) -> float:
    """Take one send from every limit, or none: returns 0, or the seconds to wait before asking again."""
    if not limits:
        return 0
    keys = [limit.key for limit in limits]
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    session.execute(
        insert(Rate).values([{"key": key, "arrival": 0.0} for key in sorted(keys)]).on_conflict_do_nothing()
    )
    rows = {
        row.key: row.arrival
        for row in session.exec(select(Rate).where(col(Rate.key).in_(keys)).order_by(Rate.key).with_for_update())
    }
    wait = max(rows[limit.key] - (limit.burst - 1) * limit.interval - now for limit in limits)
    if wait > 0:
        return wait
    for limit in limits:
        session.execute(
            update(Rate).where(col(Rate.key) == limit.key).values(arrival=max(rows[limit.key], now) + limit.interval)
        )
    return 0


def landed(session: Session, limits: list[Limit], now: float) -> None:
    """Let the pause between two sends begin when the last one has arrived: some are longer on their way."""
    for limit in limits:
        if limit.burst == 1:
            session.execute(
                update(Rate)
                .where(col(Rate.key) == limit.key, col(Rate.arrival) < now + limit.interval)
                .values(arrival=now + limit.interval)
            )


def penalise(session: Session, lane: str, until: float) -> None:
    """Hold a lane's own limit until a time that the channel asked for."""
    session.merge(Rate(key=f"{lane}:chat", arrival=until))
