"""The webhook: pushes updates to the bot as Telegram's server does.

Each queue delivers one update at a time, and the next one only after a 2xx. After any other answer it repeats the
update: first immediately, then after 2, 4, 8 … seconds. Queues run concurrently, up to `max_connections`. While the bot
cannot be reached, only one queue retries. A 2xx with a `method` is a call of the bot, which does not learn its result.
"""

import asyncio
import contextlib
import logging
import random
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache
from json import dumps
from urllib.parse import urlsplit

import httpx

from telegram_sandbox.clock import Clock
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json
from telegram_sandbox.outage import Outage
from telegram_sandbox.request_guard import is_loopback
from telegram_sandbox.update_queue import TERMINATED_BY_WEBHOOK, Pending, UpdateQueue

LOG = logging.getLogger(__name__)
PORTS = (443, 80, 88, 8443)
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
ANSWER_SECONDS = 60.0
CONNECT_PAUSE_SECONDS = 1.0
FIRST_PAUSE_SECONDS = 2.0
LONGEST_PAUSE_SECONDS = 60.0
MOST_RETRY_AFTER_SECONDS = 3600.0
DEFAULT_CONNECTIONS = 40
MOST_CONNECTIONS = 100


@dataclass(frozen=True, slots=True)
class Address:
    """The address that gets the updates, and its options."""

    url: str
    secret: str | None = None
    max_connections: int = DEFAULT_CONNECTIONS
    certificate: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An update that was not confirmed."""

    reason: str
    reached: bool = True
    retry_after: float = 0.0


@dataclass(slots=True)
class WebhookClient:
    """The connections and deliveries of one address."""

    address: Address
    http: httpx.AsyncClient
    free: asyncio.Semaphore
    probe_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    unreachable: bool = False
    busy: dict[str, asyncio.Task[None]] = field(default_factory=dict)


class Webhook:
    """The address that updates go to, if there is one.

    Like a self-hosted Bot API server, it accepts http:// and any port on this machine. It delivers to other machines
    only with `deliver_anywhere`.
    """

    def __init__(self, updates: UpdateQueue, clock: Clock, outage: Outage, *, deliver_anywhere: bool = False) -> None:
        self._deliver_anywhere = deliver_anywhere
        self._updates = updates
        self._clock = clock
        self._outage = outage
        self._client: WebhookClient | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._last_error: Json = {}
        self.perform: Callable[[str, bytes], Awaitable[None]] | None = None
        """Performs the call in an answer, given its content type and body."""
        self._performing: set[asyncio.Future[None]] = set()

    @property
    def active(self) -> bool:
        """Whether updates are pushed."""
        return self._client is not None

    @property
    def address(self) -> Address | None:
        """The address that updates are pushed to."""
        return self._client.address if self._client else None

    @property
    def info(self) -> Json:
        """The webhook's part of the result of getWebhookInfo."""
        if self._client is None:
            return {"url": "", "has_custom_certificate": False}
        address = self._client.address
        host = urlsplit(address.url).hostname or ""
        return {
            "url": address.url,
            "has_custom_certificate": address.certificate is not None,
            "max_connections": address.max_connections,
            "ip_address": "127.0.0.1" if host == "localhost" else host,
            **self._last_error,
        }

    def set(self, address: Address) -> None:
        """Send updates there from now on, and interrupt a bot that polls.

        Raises:
            ApiError: 400 for an address that Telegram, or this sandbox, would not deliver to.
        """
        check(address.url, anywhere=self._deliver_anywhere)
        if self._client is not None and self._client.address == address:
            return
        context = _context(address.certificate)
        self.remove()
        self._updates.interrupt(TERMINATED_BY_WEBHOOK)
        headers = {"Content-Type": "application/json"} | ({SECRET_HEADER: address.secret} if address.secret else {})
        http = httpx.AsyncClient(
            verify=context, headers=headers, timeout=ANSWER_SECONDS, limits=httpx.Limits(), trust_env=False
        )
        self._client = WebhookClient(address, http, asyncio.Semaphore(address.max_connections))
        self._updates.listener = self._start_delivery
        self._updates.is_read.set()
        for queue in self._updates.queues():
            self._start_delivery(queue)

    def remove(self) -> None:
        """Return to getUpdates."""
        self._updates.listener = None
        self._last_error = {}
        if self._client is not None:
            ending = asyncio.create_task(_end(self._client))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            self._client = None

    async def close(self) -> None:
        """Stop for good: the server stops."""
        self.remove()
        for call in self._performing:
            call.cancel()
        await asyncio.gather(*self._ending, *self._performing, return_exceptions=True)

    def _start_delivery(self, queue: str) -> None:
        client = self._client
        if client is not None and queue not in client.busy:
            task = asyncio.create_task(self._deliver_queue(client, queue))
            client.busy[queue] = task
            task.add_done_callback(lambda _: self._delivery_ended(client, queue))

    def _delivery_ended(self, client: WebhookClient, queue: str) -> None:
        del client.busy[queue]
        if client is self._client and self._updates.head(queue) is not None:
            self._start_delivery(queue)

    async def _deliver_queue(self, client: WebhookClient, queue: str) -> None:
        """Deliver the waiting updates of one queue, one after another."""
        failures = 0
        while (pending := self._updates.head(queue)) is not None:
            failure = await self._deliver(client, pending)
            if failure is None:
                failures = 0
                if not self._updates.delivery_faults.loses_confirmation():
                    self._updates.forget(pending)
                continue
            self._last_error = {"last_error_date": self._clock.unix(), "last_error_message": failure.reason}
            LOG.info("webhook: %s", failure.reason)
            if failure.reached:
                await self._clock.sleep(self._pause(failure, failures))
                failures += 1

    def _pause(self, failure: Failure, failures: int) -> float:
        if failure.retry_after:
            return min(failure.retry_after, MOST_RETRY_AFTER_SECONDS)
        if failures == 0:
            return 0.0
        longest = random.uniform(LONGEST_PAUSE_SECONDS, 2 * LONGEST_PAUSE_SECONDS)  # noqa: S311 - a pause is no secret
        return min(FIRST_PAUSE_SECONDS * 2.0 ** (failures - 1), longest)

    async def _deliver(self, client: WebhookClient, pending: Pending) -> Failure | None:
        """Make one attempt, as soon as a connection is free and the bot's server is known to listen."""
        while client.unreachable:
            async with client.probe_lock:
                if not client.unreachable:
                    break
                await self._clock.sleep(CONNECT_PAUSE_SECONDS)
                return await self._post(client, pending)
        async with client.free:
            return await self._post(client, pending)

    async def _post(self, client: WebhookClient, pending: Pending) -> Failure | None:
        await self._outage.wait_if_updates_held()
        failure = await self._attempt(client, pending)
        client.unreachable = failure is not None and not failure.reached
        return failure

    async def _attempt(self, client: WebhookClient, pending: Pending) -> Failure | None:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await client.http.post(client.address.url, content=dumps(pending.update).encode())
        except httpx.ConnectError as error:
            cause = error.__context__ and error.__context__.__context__  # between them is httpcore's error
            reason = f"SSL error {{{cause}}}" if isinstance(cause, ssl.SSLError) else "Connection refused"
            return Failure(reason, reached=False)
        except (TimeoutError, httpx.TimeoutException):
            return Failure("Read timeout expired")
        except (httpx.RequestError, httpx.InvalidURL):
            return Failure("Connection reset by peer")
        if answer.is_success:
            if answer.content and self.perform is not None:
                call = asyncio.ensure_future(self.perform(answer.headers.get("Content-Type", ""), answer.content))
                self._performing.add(call)
                call.add_done_callback(self._performing.discard)
            return None
        wait = answer.headers.get("Retry-After", "")
        reason = f"Wrong response from the webhook: {answer.status_code} {answer.reason_phrase}".rstrip()
        return Failure(reason, retry_after=float(wait) if wait.isdecimal() else 0.0)


async def _end(client: WebhookClient) -> None:
    tasks = list(client.busy.values())
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await client.http.aclose()


def check(url: str, *, anywhere: bool = False) -> None:
    """Refuse an address that cannot be delivered to.

    Raises:
        ApiError: 400.
    """
    host, port, scheme = "", None, ""
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        host, port, scheme = parts.hostname or "", parts.port, parts.scheme
    if not host or scheme not in ("http", "https"):
        raise bad_request("invalid webhook URL specified")
    if is_loopback(host):
        return
    if scheme != "https":
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if (port or 443) not in PORTS:
        raise bad_request("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
    if not anywhere:
        raise bad_request("bad webhook: this sandbox delivers to this machine only (--deliver-anywhere)")


@cache
def _context(certificate: str | None) -> ssl.SSLContext:
    """Return the trust for the webhook's address: the usual authorities, or the certificate that the bot has given."""
    try:
        return ssl.create_default_context(cadata=certificate)
    except (ssl.SSLError, ValueError):
        raise bad_request("bad webhook: can't set certificate for webhook") from None
