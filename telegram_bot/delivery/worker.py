"""Drains the lanes: each chat in order, all chats side by side, at the pace the channel allows."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial

from sqlmodel import Session
from structlog.contextvars import bind_contextvars, clear_contextvars

from telegram_bot import metrics
from telegram_bot.delivery import outbox
from telegram_bot.delivery.channel import (
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
from telegram_bot.delivery.limits import Limit, landed
from telegram_bot.service.feedback import Feedback
from telegram_bot.service.notices import Mode
from telegram_bot.service.service import Service
from telegram_bot.storage.rows import Sending

log = logging.getLogger(__name__)

POLL_SECONDS = 0.2
MOST_BACKOFF_SECONDS = 30.0
MOST_EDIT_ATTEMPTS = 5


class Delivery:
    """Sends what the outbox holds for these channels, by name."""

    def __init__(
        self, service: Service, channels: Mapping[str, Channel], *, now: Callable[[], float] = time.time
    ) -> None:
        self.feedback = Feedback(service)
        self.database = service.database
        self.channels = channels
        self.now = now
        self.holder = uuid.uuid4().hex
        self._lanes: dict[str, asyncio.Task[None]] = {}
        self._stopping = asyncio.Event()

    def wake(self, lanes: Iterable[str]) -> None:
        """Drain these lanes now rather than at the next look."""
        for lane in lanes:
            if lane.partition(":")[0] not in self.channels:
                continue
            running = self._lanes.get(lane)
            if running is None and not self._stopping.is_set():
                task = asyncio.create_task(self._drain(lane), name=f"lane {lane}")
                self._lanes[lane] = task
                task.add_done_callback(partial(self._finished, lane))

    def _finished(self, lane: str, task: asyncio.Task[None]) -> None:
        self._lanes.pop(lane, None)
        if not task.cancelled() and task.exception() is not None:
            log.error("a lane stopped", exc_info=task.exception())

    async def run(self) -> None:
        """Look for lanes with work until `stop`."""
        while not self._stopping.is_set():
            try:
                self.wake(await self.database.run(lambda session: outbox.lanes_with_work(session, self.now())))
            except Exception:
                log.exception("looking for lanes failed")
            try:
                await asyncio.wait_for(self._stopping.wait(), POLL_SECONDS)
            except TimeoutError:
                continue

    async def take_over(self) -> None:
        """Drain at once what an earlier life of this process had leased."""
        if self.database.is_sqlite:
            await self.database.run(outbox.release_all)

    async def stop(self, grace: float = 3.0) -> None:
        """Finish the sends under way and leave the rest in the outbox."""
        self._stopping.set()
        tasks = list(self._lanes.values())
        if tasks:
            _done, late = await asyncio.wait(tasks, timeout=grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _drain(self, lane: str) -> None:
        clear_contextvars()  # whoever woke the lane is not what all of it is about
        bind_contextvars(lane=lane)
        if not await self.database.run(lambda session: outbox.lease(session, lane, self.holder, self.now())):
            return
        try:
            await self.database.run(lambda session: outbox.settle_unknown(session, lane, self.now()))
            await self._send_all(lane)
        finally:
            await self.database.run(lambda session: outbox.release(session, lane, self.holder))

    async def _send_all(self, lane: str) -> None:
        name, _, address = lane.partition(":")
        channel = self.channels[name]
        limits = channel.limits.of(lane, group=channel.is_group(int(address)))
        while not self._stopping.is_set():
            found = await self.database.run(
                lambda session: (
                    outbox.lease(session, lane, self.holder, self.now())
                    and outbox.take_next(session, lane, limits, self.now())
                )
            )
            if found is None or isinstance(found, bool):
                return
            if isinstance(found, outbox.Wait):
                # Short steps: what waits may be superseded meanwhile, and a stop should not wait.
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), min(found.seconds, 1.0))
                continue
            await self._send(channel, found, limits)

    async def _send(self, channel: Channel, item: outbox.Item, limits: list[Limit]) -> None:
        bind_contextvars(notice=item.id, table=item.table_id)
        try:
            with metrics.timed(metrics.SEND_SECONDS.labels(channel.name)):
                sent = await channel.send(item.envelope, item.target)
        except Exception as error:  # noqa: BLE001 - every kind is told apart below
            metrics.SENDS.labels(channel.name, metrics.result_of(error)).inc()
            await self._failed(item, error)
            return
        metrics.SENDS.labels(channel.name, "sent").inc()
        log.debug("%s sent", item.envelope.notice.kind)

        def mark(session: Session) -> None:
            outbox.done(session, item, sent, self.now())
            landed(session, limits, self.now())

        # The message is out: whatever hinders the mark must not make it go out again.
        for attempt in range(10):
            try:
                await self.database.run(mark)
                break
            except Exception:
                log.exception("marking a message as sent failed")
                await asyncio.sleep(min(2.0**attempt * 0.05, 2))
        await self._learn(channel, item, sent)

    async def _learn(self, channel: Channel, item: outbox.Item, sent: Sent) -> None:
        address = item.envelope.chat
        if item.envelope.receiver is None and not channel.is_group(address) and sent.message is not None:
            await self.feedback.direct_works(channel.name, address)

    async def _failed(self, item: outbox.Item, error: Exception) -> None:
        run = self.database.run
        now = self.now()
        match error:
            case TargetGoneError():
                await run(lambda session: outbox.forget_target(session, item, now))
            case SlowDownError(seconds=seconds):
                metrics.SLOW_DOWNS.labels(item.envelope.channel).inc()
                log.info("lane %s rests %.0f s", item.envelope.lane, seconds)
                await run(lambda session: outbox.pause(session, item, seconds, now))
            case NotSentError():
                after = min(2.0 ** (item.attempts - 1), MOST_BACKOFF_SECONDS)
                await run(lambda session: outbox.again(session, item, now, after=after, error=str(error)))
            case UnknownFateError() if self._is_edit(item) and item.attempts < MOST_EDIT_ATTEMPTS:
                await run(lambda session: outbox.again(session, item, now, after=1, error=str(error)))
            case UnknownFateError():
                await run(lambda session: outbox.give_up(session, item, now, Sending.UNKNOWN, str(error)))
            case ChatMovedError(address=address):
                await run(lambda session: outbox.again(session, item, now))
                await self.feedback.chat_moved(item.envelope.channel, item.envelope.chat, address)
            case ChatLostError():
                await run(lambda session: outbox.give_up(session, item, now, Sending.FAILED, str(error)))
                await self.feedback.chat_lost(item.envelope.channel, item.envelope.chat)
            case RefusedError(concerns=concerns):
                log.info("a private message was refused; another way is taken")
                await run(lambda session: outbox.give_up(session, item, now, Sending.FAILED, str(error)))
                self.wake(
                    await self.feedback.private_way_failed(
                        item.envelope,
                        item.table_id,
                        everybody=concerns is Concerns.CHAT,
                        once=concerns is Concerns.TAP,
                    )
                )
            case InvalidError():
                log.error("notice %s was not accepted: %s", item.envelope.notice.kind, error)
                await run(lambda session: outbox.give_up(session, item, now, Sending.FAILED, str(error)))
            case _:
                log.error("sending %s failed: %s", item.envelope.notice.kind, type(error).__name__)
                await run(lambda session: outbox.give_up(session, item, now, Sending.FAILED, type(error).__name__))

    @staticmethod
    def _is_edit(item: outbox.Item) -> bool:
        return item.target is not None or item.envelope.mode is Mode.TARGET
