"""Handle what a sender answered: update the notice, its lane, and the people, chats and tables it concerns."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlmodel import Session

from telegram_bot.delivery import lanes, outbox
from telegram_bot.delivery.poison_detection import PoisonDetector
from telegram_bot.delivery.sender import (
    ChatLostError,
    ChatMovedError,
    InvalidError,
    NotSentError,
    RefusalScope,
    RefusedError,
    Sender,
    SendResult,
    SlowDownError,
    TargetGoneError,
    UnknownFateError,
)
from telegram_bot.observability import metrics
from telegram_bot.service.handlers.clock import LATE_SECONDS
from telegram_bot.service.intents import (
    ChatAddressChanged,
    ChatLost,
    ChatWritable,
    LanePaused,
    PrivateRouteFailed,
    PrivateRouteWorks,
    RevealSettled,
    SystemIntent,
    TurnDeliveredLate,
    TurnDeliveryUnknown,
)
from telegram_bot.service.notices import ResumedNotice, RevealNotice
from telegram_bot.storage.models import NoticeStatus

log = logging.getLogger(__name__)

MAX_BACKOFF_SECONDS = 30.0
MAX_EDIT_ATTEMPTS = 5
EDIT_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """What one transaction writes: the change of the notice, and the intents that follow for the service."""

    update_outbox: Callable[[Session], None]
    intents: tuple[SystemIntent, ...] = ()
    sent_item: outbox.OutboxItem | None = None
    """The notice that was sent, if it was."""
    sent: SendResult | None = None
    """What came of it, if it was."""
    gave_up: bool = False
    """Whether the notice is not tried again."""

    @property
    def ends_lane(self) -> tuple[outbox.OutboxItem, SendResult] | None:
        """The notice and its result, if it was sent, nothing waited behind it, and no step follows from it."""
        if self.sent_item is None or self.sent is None or not self.sent_item.last or self.sent.extra_sends:
            return None
        if not all(isinstance(intent, PrivateRouteWorks) for intent in self.intents):
            return None
        return self.sent_item, self.sent


class ResultHandler:
    """Turns a channel's answers into results; remembers who was reached, and which notices fail alone."""

    def __init__(self, channel: Sender, now: Callable[[], float]) -> None:
        self.channel = channel
        self.now = now
        self._poison = PoisonDetector()
        self._reached: set[int] = set()

    def sent(self, item: outbox.OutboxItem, sent: SendResult) -> DeliveryResult:
        """The result of a notice that was sent."""
        now = self.now()
        self._poison.sent(item.id)
        metrics.SENDS.labels(self.channel.name, "sent").inc()
        log.debug("%s sent", item.envelope.notice.kind)
        envelope = item.envelope
        is_direct = envelope.receiver is None and not self.channel.is_group(envelope.chat)
        is_news = is_direct and sent.message is not None and envelope.chat not in self._reached
        late = item.turn is not None and now - item.created_at > LATE_SECONDS

        intents: list[SystemIntent] = []
        if is_news:
            self._reached.add(envelope.chat)
            intents.append(PrivateRouteWorks(envelope.channel, envelope.chat))
        if late and item.table_id is not None and item.turn is not None:
            intents.append(TurnDeliveredLate(item.table_id, item.turn, now))
        if isinstance(envelope.notice, ResumedNotice):
            intents.append(ChatWritable(envelope.channel, envelope.chat, envelope.topic))
        intents += _reveal_settled(item)
        for _ in range(sent.extra_sends):
            self.channel.limits.spend_lane(item.lane, now, group=self.channel.is_group(envelope.chat))

        def mark(session: Session) -> None:
            outbox.mark_sent(session, item, sent, now)
            if sent.extra_sends:
                lanes.save_limits(session, item.lane)

        return DeliveryResult(mark, tuple(intents), item, sent)

    def failed(self, item: outbox.OutboxItem, error: Exception) -> DeliveryResult:
        """The result of a notice that was not sent, or may not have been."""
        result = self._failed(item, error)
        return replace(result, intents=(*result.intents, *_reveal_settled(item))) if result.gave_up else result

    def _failed(self, item: outbox.OutboxItem, error: Exception) -> DeliveryResult:  # noqa: PLR0911 - one per kind of answer
        now = self.now()
        envelope = item.envelope
        metrics.SENDS.labels(self.channel.name, metrics.result_of(error)).inc()
        match error:
            case TargetGoneError():
                return DeliveryResult(lambda session: outbox.forget_target(session, item, now))
            case SlowDownError(seconds=seconds):
                return self._slow_down(item, now + seconds)
            case NotSentError():
                return self._not_sent(item, error)
            case UnknownFateError() if item.is_edit and item.attempts < MAX_EDIT_ATTEMPTS:
                return _later(item, now + EDIT_PAUSE_SECONDS, str(error))
            case UnknownFateError():
                return _unknown(item, now, str(error))
            case ChatMovedError(address=address):
                return DeliveryResult(
                    lambda session: outbox.retry(session, item),
                    (ChatAddressChanged(envelope.channel, envelope.chat, address),),
                )
            case ChatLostError(topic_alone=topic_alone):
                log.warning("a chat cannot be written to: %s", error)
                return DeliveryResult(
                    lambda session: outbox.retry(session, item, str(error)),
                    (ChatLost(envelope.channel, envelope.chat, envelope.topic if topic_alone else None),),
                )
            case RefusedError(scope=concerns):
                log.info("a private message was refused; another way is taken")
                return DeliveryResult(
                    _given_up(item, now, str(error)),
                    (
                        PrivateRouteFailed(
                            envelope,
                            item.table_id,
                            everybody=concerns is RefusalScope.CHAT,
                            once=concerns is RefusalScope.TAP,
                        ),
                    ),
                )
            case InvalidError():
                log.error("notice %s was not accepted: %s", envelope.notice.kind, error)
                return DeliveryResult(_given_up(item, now, str(error)), gave_up=True)
            case _:
                log.error("sending %s failed: %s", envelope.notice.kind, type(error).__name__)
                return DeliveryResult(_given_up(item, now, type(error).__name__), gave_up=True)

    def _slow_down(self, item: outbox.OutboxItem, until: float) -> DeliveryResult:
        metrics.SLOW_DOWNS.labels(self.channel.name).inc()
        lane = item.envelope.lane
        log.info("lane %s rests %.0f s", lane, until - self.now())

        def mark(session: Session) -> None:
            outbox.retry(session, item)
            lanes.pause(session, lane, until)

        return DeliveryResult(mark, (LanePaused(lane, until),))

    def _not_sent(self, item: outbox.OutboxItem, error: NotSentError) -> DeliveryResult:
        now = self.now()
        if not self._poison.failed(item.id):
            return _later(item, now + min(2.0 ** (item.attempts - 1), MAX_BACKOFF_SECONDS), str(error))
        self._poison.forget(item.id)
        log.error(
            "notice %s (%s) is set aside: it failed %s times while others went out", item.id, item.envelope.notice.kind,
            item.attempts,
        )  # fmt: skip
        turn, table = item.turn, item.table_id
        if turn is None or table is None:
            return DeliveryResult(_given_up(item, now, str(error)), gave_up=True)
        return DeliveryResult(_given_up(item, now, str(error)), (TurnDeliveredLate(table, turn, now),), gave_up=True)


def _reveal_settled(item: outbox.OutboxItem) -> tuple[SystemIntent, ...]:
    """Private notices wait for a reveal in a table's chat, whose message has a slot."""
    is_reveal = item.slot is not None and isinstance(item.envelope.notice, RevealNotice)
    return (RevealSettled(item.id),) if is_reveal else ()


def _given_up(item: outbox.OutboxItem, now: float, error: str) -> Callable[[Session], None]:
    return lambda session: outbox.give_up(session, item, now, NoticeStatus.FAILED, error)


def _later(item: outbox.OutboxItem, at: float, error: str) -> DeliveryResult:
    def mark(session: Session) -> None:
        outbox.retry(session, item, error)
        lanes.pause(session, item.envelope.lane, at)

    return DeliveryResult(mark)


def _unknown(item: outbox.OutboxItem, now: float, error: str) -> DeliveryResult:
    """Do not repeat a notice that may have arrived. If nobody acts, its turn is announced once more later."""
    intents: tuple[SystemIntent, ...] = ()
    if item.table_id is not None and item.turn is not None:
        intents = (TurnDeliveryUnknown(item.table_id, item.turn),)
    return DeliveryResult(
        lambda session: outbox.give_up(session, item, now, NoticeStatus.UNKNOWN, error), intents, gave_up=True
    )
