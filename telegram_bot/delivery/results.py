"""Handle the result of a send: update the notice, its lane, and the people, chats and tables that it concerns."""

import logging
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

from telegram_bot.delivery import outbox
from telegram_bot.delivery.message import Message
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
    UnknownOutcomeError,
)
from telegram_bot.intents.intents import (
    ChatAddressChanged,
    ChatLost,
    ChatWritable,
    PrivateRouteFailed,
    RevealSettled,
    SystemIntent,
    TurnDeliveryUnknown,
)
from telegram_bot.intents.slots import deal_of
from telegram_bot.observability import metrics
from telegram_bot.screens.posting import Awaited
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import NoticeStatus

log = logging.getLogger(__name__)

MAX_FAILURES_ALONE = 10
MAX_BACKOFF_SECONDS = 30.0
MOST_REVEAL_ATTEMPTS = 40
"""After so many tries (about 18 minutes), a group that its reveal does not reach counts as lost, because private
messages wait for the reveal."""
LONGEST_GROUP_PAUSE = 600.0
"""A group that has to rest for longer, in seconds, counts as lost: its players would wait for dice without a word."""
MAX_EDIT_ATTEMPTS = 5
EDIT_PAUSE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """The writes of one transaction: the change of the notice and its lane, and the intents that follow."""

    item: Message
    sent: SendResult | None = None
    """The channel's answer, or None if the notice was not sent, or its outcome is unknown."""
    store: Callable[[UnitOfWork], None] | None = None
    """The change of a notice that was not sent, at the time of the transaction: until then the clock may be set."""
    intents: tuple[SystemIntent, ...] = ()
    pause: float = 0
    """The seconds for which the lane rests."""
    gave_up: bool = False
    """Whether the notice is not tried again."""
    is_private: bool = False
    """Whether it has reached a private chat."""

    @property
    def may_share(self) -> bool:
        """True if it may be stored together with others: it was sent, and no step of a table follows."""
        return self.sent is not None and not self.intents


@dataclass(slots=True)
class _Failures:
    """The failed tries of a notice."""

    tries: int = 0
    alone: int = 0
    """How many of them failed while other notices were sent."""
    successes: int = 0
    """The number of notices that had been sent at the last of these."""


class FailureCounter:
    """Counts how often a notice failed, and how often while other notices were sent.

    During an outage no notice is sent, so no failure counts as its own, however long the outage lasts.
    """

    def __init__(self) -> None:
        self._successes = 0
        self._failures: dict[Hashable, _Failures] = {}

    def settled(self, notice: Hashable, *, sent: bool) -> None:
        """Record that a notice is not tried again."""
        self._successes += sent
        self._failures.pop(notice, None)

    def failed(self, notice: Hashable) -> int:
        """Record a failed try of a notice; return how many there were."""
        found = self._failures.setdefault(notice, _Failures(successes=self._successes))
        found.tries += 1
        return found.tries

    def is_poison(self, notice: Hashable) -> bool:
        """Record that a notice was not sent; True if that happened too often while others were sent.

        The notices after it in its lane wait, so those sent since its last failure were for other chats.
        """
        found = self._failures[notice]
        found.alone += found.successes != self._successes
        found.successes = self._successes
        return found.alone >= MAX_FAILURES_ALONE


class ResultHandler:
    """Turns a channel's answers into results, and counts the notices that fail while others are sent."""

    def __init__(self, channel: Sender, given_up: dict[tuple[int, str], str]) -> None:
        self.channel = channel
        self._surfaces_given_up = given_up
        self._failures = FailureCounter()

    def sent(self, item: Message, sent: SendResult) -> DeliveryResult:
        """Return the result of a notice that was sent."""
        self._failures.settled(item.name, sent=True)
        metrics.SENDS.labels(self.channel.name, "sent").inc()
        log.debug("%s sent", item.envelope.notice.kind)
        envelope = item.envelope
        is_direct = envelope.receiver is None and not self.channel.is_group(envelope.chat)

        intents: list[SystemIntent] = []
        if item.awaited == Awaited.PROBE:
            intents.append(ChatWritable(envelope.channel, envelope.chat, envelope.topic))
        if _is_awaited(item) and item.table_id is not None:
            deal = deal_of(item.slot) if item.awaited == Awaited.REVEAL else None
            intents.append(RevealSettled(item.table_id, item.lane, deal))
        return DeliveryResult(item, sent, intents=tuple(intents), is_private=is_direct and sent.message is not None)

    def failed(self, item: Message, error: Exception) -> DeliveryResult:
        """Return the result of a notice that was not sent, or whose outcome is unknown."""
        result = self._failed(item, error, self._failures.failed(item.name))
        if result.gave_up or isinstance(error, RefusedError):
            self._failures.settled(item.name, sent=False)
        if not result.gave_up or not _is_awaited(item) or item.table_id is None:
            return result
        return replace(result, intents=(*result.intents, RevealSettled(item.table_id, item.lane)))

    def _failed(self, item: Message, error: Exception, tries: int) -> DeliveryResult:
        envelope = item.envelope
        metrics.SENDS.labels(self.channel.name, metrics.result_of(error)).inc()

        def retry(uow: UnitOfWork) -> None:
            outbox.retry(uow, item, str(error))

        match error:
            case TargetGoneError():
                return DeliveryResult(item, store=lambda uow: outbox.forget_target(uow, item))
            case SlowDownError(seconds=seconds):
                metrics.SLOW_DOWNS.labels(self.channel.name).inc()
                log.info("lane %s rests %.0f s", item.lane, seconds)
                is_lost = seconds > LONGEST_GROUP_PAUSE and self.channel.is_group(envelope.chat)
                intents = (ChatLost(envelope.channel, envelope.chat),) if is_lost else ()
                return DeliveryResult(item, store=retry, pause=seconds, intents=intents)
            case NotSentError() if not self._failures.is_poison(item.name) and (
                not _is_awaited(item) or tries < MOST_REVEAL_ATTEMPTS
            ):
                pause = min(2.0 ** (tries - 1), MAX_BACKOFF_SECONDS)
                return DeliveryResult(item, store=retry, pause=pause)
            case UnknownOutcomeError() if item.is_edit and tries < MAX_EDIT_ATTEMPTS:
                return DeliveryResult(item, store=retry, pause=EDIT_PAUSE_SECONDS)
            case ChatMovedError(address=address):
                moved = ChatAddressChanged(envelope.channel, envelope.chat, address)
                return DeliveryResult(item, store=retry, intents=(moved,))
            case ChatLostError(topic_alone=topic_alone):
                log.warning("a chat cannot be written to: %s", error)
                lost = ChatLost(envelope.channel, envelope.chat, envelope.topic if topic_alone else None)
                return DeliveryResult(item, store=retry, intents=(lost,))
            case NotSentError() if _is_awaited(item):
                log.warning("a chat could not be reached for too long: %s", error)
                return DeliveryResult(item, store=retry, intents=(ChatLost(envelope.channel, envelope.chat),))
            case RefusedError(scope=scope):
                log.info("a private message was refused; another route is taken")
                refused = PrivateRouteFailed(
                    envelope, item.table_id, everybody=scope is RefusalScope.CHAT, once=scope is RefusalScope.TAP
                )
                return replace(self._given_up(item, str(error)), intents=(refused,), gave_up=False)
            case _:
                return self._not_repeated(item, error, tries)

    def _not_repeated(self, item: Message, error: Exception, tries: int) -> DeliveryResult:
        """Return the result of a notice that can never be sent, or that may have arrived."""
        kind, why = item.envelope.notice.kind, str(error)
        match error:
            case NotSentError():
                log.error(
                    "notice %s (%s) is set aside: it failed %s times while others went out", item.name, kind, tries
                )
                return self._given_up(item, why)
            case UnknownOutcomeError():  # if the player does not act, the turn is announced once more later
                log.info("%s %s may have arrived: %s", kind, item.name, why)
                unknown = self._given_up(item, why, NoticeStatus.UNKNOWN)
                if item.table_id is None or item.turn is None:
                    return unknown
                return replace(unknown, intents=(TurnDeliveryUnknown(item.table_id, item.turn),))
            case InvalidError():
                log.error("notice %s was not accepted: %s", kind, error)
                return self._given_up(item, why)
            case _:
                log.error("sending %s failed: %s", kind, type(error).__name__)
                return self._given_up(item, type(error).__name__)

    def _given_up(self, item: Message, why: str, status: NoticeStatus = NoticeStatus.FAILED) -> DeliveryResult:
        def give_up(uow: UnitOfWork) -> None:
            outbox.settle(uow, [item], status, why)
            if item.surface is not None and item.table_id is not None and item.slot is not None:
                self._surfaces_given_up[item.table_id, item.slot] = item.surface.difference.content

        return DeliveryResult(item, store=give_up, gave_up=True)


def _is_awaited(item: Message) -> bool:
    """Return True if private notices wait for it."""
    return item.awaited in (Awaited.CALL, Awaited.REVEAL)
