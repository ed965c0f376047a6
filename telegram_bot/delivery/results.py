"""What a channel's answer means for the notice, its lane, and everybody whom it concerns."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from sqlmodel import Session

from telegram_bot.delivery import lanes, outbox
from telegram_bot.delivery.poison_detection import Suspects
from telegram_bot.delivery.sender import (
    Channel,
    ChatLostError,
    ChatMovedError,
    Concerns,
    InvalidError,
    NotSentError,
    RefusedError,
    Sent,
    SlowDownError,
    TargetGoneError,
    UnknownFateError,
)
from telegram_bot.observability import metrics
from telegram_bot.service.handlers import chats, clock, delivery_results
from telegram_bot.service.notices import Mode, ResumedNotice
from telegram_bot.service.unit_of_work import Work
from telegram_bot.storage.models import Sending

log = logging.getLogger(__name__)

MOST_BACKOFF_SECONDS = 30.0
MOST_EDIT_ATTEMPTS = 5
EDIT_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is written in one transaction: the mark on the notice, and what the service makes of the answer."""

    mark: Callable[[Session], None]
    learn: Callable[[Work], None] | None = None
    landed: outbox.Item | None = None
    """The notice that stands now."""


class Judge:
    """Reads a channel's answers; remembers who was reached, and which notices fail alone."""

    def __init__(self, channel: Channel, now: Callable[[], float]) -> None:
        self.channel = channel
        self.now = now
        self._suspects = Suspects()
        self._reached: set[int] = set()

    def sent(self, item: outbox.Item, sent: Sent) -> Outcome:
        """The notice stands."""
        now = self.now()
        self._suspects.sent(item.id)
        metrics.SENDS.labels(self.channel.name, "sent").inc()
        log.debug("%s sent", item.envelope.notice.kind)
        envelope = item.envelope
        is_direct = envelope.receiver is None and not self.channel.is_group(envelope.chat)
        is_news = is_direct and sent.message is not None and envelope.chat not in self._reached
        late = item.turn is not None and now - item.created_at > clock.LATE_SECONDS

        def learn(work: Work) -> None:
            if is_news:
                delivery_results.direct_works(work, envelope.channel, envelope.chat)
            if late and item.table_id is not None and item.turn is not None:
                clock.told_late(work, item.table_id, item.turn, now)
            if isinstance(envelope.notice, ResumedNotice):
                chats.can_write(work, envelope.channel, envelope.chat, envelope.topic)

        if is_news:
            self._reached.add(envelope.chat)
        matters = is_news or late or isinstance(envelope.notice, ResumedNotice)
        return Outcome(lambda session: outbox.done(session, item, sent, now), learn if matters else None, item)

    def failed(self, item: outbox.Item, error: Exception) -> Outcome:  # noqa: PLR0911 - one per kind of answer
        """The notice did not get through, or perhaps not."""
        now = self.now()
        envelope = item.envelope
        metrics.SENDS.labels(self.channel.name, metrics.result_of(error)).inc()
        match error:
            case TargetGoneError():
                return Outcome(lambda session: outbox.forget_target(session, item, now))
            case SlowDownError(seconds=seconds):
                return self._slow_down(item, now + seconds)
            case NotSentError():
                return self._not_sent(item, error)
            case UnknownFateError() if _is_edit(item) and item.attempts < MOST_EDIT_ATTEMPTS:
                return _later(item, now + EDIT_PAUSE_SECONDS, str(error))
            case UnknownFateError():
                return _perhaps(item, now, str(error))
            case ChatMovedError(address=address):
                return Outcome(
                    lambda session: outbox.again(session, item),
                    lambda work: chats.move_chat(work, envelope.channel, envelope.chat, address),
                )
            case ChatLostError(topic_alone=topic_alone):
                log.warning("a chat cannot be written to: %s", error)
                return Outcome(
                    lambda session: outbox.again(session, item, str(error)),
                    lambda work: chats.lose(
                        work, envelope.channel, envelope.chat, envelope.topic if topic_alone else None
                    ),
                )
            case RefusedError(concerns=concerns):
                log.info("a private message was refused; another way is taken")
                return Outcome(
                    _given_up(item, now, str(error)),
                    lambda work: delivery_results.private_way_failed(
                        work,
                        envelope,
                        item.table_id,
                        everybody=concerns is Concerns.CHAT,
                        once=concerns is Concerns.TAP,
                    ),
                )
            case InvalidError():
                log.error("notice %s was not accepted: %s", envelope.notice.kind, error)
                return Outcome(_given_up(item, now, str(error)))
            case _:
                log.error("sending %s failed: %s", envelope.notice.kind, type(error).__name__)
                return Outcome(_given_up(item, now, type(error).__name__))

    def _slow_down(self, item: outbox.Item, until: float) -> Outcome:
        metrics.SLOW_DOWNS.labels(self.channel.name).inc()
        lane = item.envelope.lane
        log.info("lane %s rests %.0f s", lane, until - self.now())

        def mark(session: Session) -> None:
            outbox.again(session, item)
            lanes.pause(session, lane, until)

        return Outcome(mark, lambda work: clock.lane_rests(work, lane, until))

    def _not_sent(self, item: outbox.Item, error: NotSentError) -> Outcome:
        now = self.now()
        if not self._suspects.failed(item.id):
            return _later(item, now + min(2.0 ** (item.attempts - 1), MOST_BACKOFF_SECONDS), str(error))
        self._suspects.forget(item.id)
        log.error(
            "notice %s (%s) is set aside: it failed %s times while others went out", item.id, item.envelope.notice.kind,
            item.attempts,
        )  # fmt: skip
        turn, table = item.turn, item.table_id
        if turn is None or table is None:
            return Outcome(_given_up(item, now, str(error)))
        return Outcome(_given_up(item, now, str(error)), lambda work: clock.told_late(work, table, turn, now))


def _is_edit(item: outbox.Item) -> bool:
    return item.target is not None or item.envelope.mode is Mode.TARGET


def _given_up(item: outbox.Item, now: float, error: str) -> Callable[[Session], None]:
    return lambda session: outbox.give_up(session, item, now, Sending.FAILED, error)


def _later(item: outbox.Item, at: float, error: str) -> Outcome:
    def mark(session: Session) -> None:
        outbox.again(session, item, error)
        lanes.pause(session, item.envelope.lane, at)

    return Outcome(mark)


def _perhaps(item: outbox.Item, now: float, error: str) -> Outcome:
    """Nobody knows whether it arrived, so it is not repeated; a turn that nobody acts on is told once more, later."""

    def learn(work: Work) -> None:
        if item.table_id is not None and item.turn is not None:
            clock.perhaps_told(work, item.table_id, item.turn)

    return Outcome(
        lambda session: outbox.give_up(session, item, now, Sending.UNKNOWN, error),
        learn if item.turn is not None else None,
    )
