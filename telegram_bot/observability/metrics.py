"""One worker's metrics for Prometheus. The metrics that workers share are in `telegram_bot.storage.status_queries`.

The code that receives, handles and sends counts its own events in these metrics.
"""

import hmac
import platform
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

__all__ = [
    "DATABASE_ERRORS",
    "DEADLINES",
    "LOOK_UPS",
    "LOOK_UP_SECONDS",
    "REGISTRY",
    "SENDS",
    "SEND_SECONDS",
    "SLOW_DOWNS",
    "SPOKEN",
    "STEP_SECONDS",
    "TAP_SECONDS",
    "TEXTS",
    "TEXTS_CAPPED",
    "TEXTS_HEARD",
    "TEXT_RECEIPTS",
    "UPDATES",
    "UPDATES_RECEIVED",
    "VOICE_CONFIRMED",
    "VOICE_NOTES",
    "VOICE_QUEUE",
    "VOICE_SECONDS",
    "result_of",
    "route",
    "timed",
]

REGISTRY: Final = CollectorRegistry()
"""A registry of our own, without the metrics of libraries."""

LATENCY_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

UPDATES_RECEIVED: Final = Counter(
    "perudo_updates_received", "What channels brought, repetitions included", ["source"], registry=REGISTRY
)
UPDATES: Final = Counter(
    "perudo_updates",
    "What became of it: acted, ignored, duplicate, failed (one try of several), dead (set aside)",
    ["source", "result"],
    registry=REGISTRY,
)
STEP_SECONDS: Final = Histogram(
    "perudo_step_seconds",
    "One transaction of a game, from its start to its commit",
    ["cause"],
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)
LOOK_UPS: Final = Counter(
    "perudo_look_ups",
    "What was looked up before a step: found, unknown (nobody could tell), timeout, failed",
    ["enricher", "result"],
    registry=REGISTRY,
)
LOOK_UP_SECONDS: Final = Histogram(
    "perudo_look_up_seconds",
    "One look-up before a step, from the question until the answer",
    ["enricher"],
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)
VOICE_NOTES: Final = Counter(
    "perudo_voice_notes",
    "Voice notes by what was heard: sure, ask, unheard; or why nobody listened",
    ["outcome"],
    registry=REGISTRY,
)
VOICE_SECONDS: Final = Histogram(
    "perudo_voice_seconds",
    "One stage of listening to a voice note: download, decode, hear",
    ["stage"],
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)
VOICE_CONFIRMED: Final = Counter(
    "perudo_voice_confirmed",
    "Where the call that a player says they said stood among the guesses: 1, 2, 3, none",
    ["rank"],
    registry=REGISTRY,
)
VOICE_QUEUE: Final = Gauge(
    "perudo_voice_queue", "Voice notes that this worker waits for the recogniser to hear", registry=REGISTRY
)
for _rank in ("1", "2", "3", "none"):  # every series exists from the start
    VOICE_CONFIRMED.labels(_rank)
for _stage in ("download", "decode", "hear"):
    VOICE_SECONDS.labels(_stage)
TAP_SECONDS: Final = Histogram(
    "perudo_tap_to_answer_seconds",
    "From a tap's arrival until Telegram took its answer",
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)
DEADLINES: Final = Counter("perudo_deadlines", "Deadlines that were met: acted, failed", ["result"], registry=REGISTRY)
THOUGHTS: Final = Counter(
    "perudo_thoughts",
    "Turns of computer players: played, dropped (the table had moved on), failed (the bot played for them)",
    ["result"],
    registry=REGISTRY,
)
THOUGHT_SECONDS: Final = Histogram(
    "perudo_thought_seconds",
    "From the moment a computer player was to call until its call was found",
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)
SPOKEN: Final = Counter(
    "perudo_spoken",
    "Messages to be read aloud: sent, late, failed (no voice), refused (by the chat), not_sent",
    ["result"],
    registry=REGISTRY,
)
SENDS: Final = Counter(
    "perudo_sends",
    "Notices tried: sent, or the name of what went wrong",
    ["channel", "result"],
    registry=REGISTRY,
)
SEND_SECONDS: Final = Histogram(
    "perudo_send_seconds",
    "One notice, from the call until the channel's answer",
    ["channel"],
    buckets=LATENCY_BUCKETS,
    registry=REGISTRY,
)
SLOW_DOWNS: Final = Counter(
    "perudo_slow_downs", "How often a channel asked for a pause (Telegram's 429)", ["channel"], registry=REGISTRY
)
TEXTS: Final = Counter(
    "perudo_texts",
    "Text messages handed to a gateway: sent, or the name of what went wrong",
    ["gateway", "result"],
    registry=REGISTRY,
)
TEXT_RECEIPTS: Final = Counter(
    "perudo_text_receipts", "What gateways told of texts that they had taken", ["gateway", "fate"], registry=REGISTRY
)
TEXTS_CAPPED: Final = Counter(
    "perudo_texts_capped",
    "Texts that a limit of the day forbade: phone, talk, table, strangers, day",
    ["cap"],
    registry=REGISTRY,
)
TEXTS_HEARD: Final = Counter(
    "perudo_texts_heard",
    "What gateways brought: taken, refused (forged or malformed), not_allowed (a country or number that may not play), "
    "automatic (no person wrote it)",
    ["gateway", "result"],
    registry=REGISTRY,
)
DATABASE_ERRORS: Final = Counter(
    "perudo_database_errors", "Transactions that failed, by the kind of error", ["kind"], registry=REGISTRY
)
Info("perudo_build", "Which version runs", registry=REGISTRY).info(
    {"version": version("perudo-bot"), "python": platform.python_version()}
)
ProcessCollector(registry=REGISTRY)

# Every series exists from the start, so that an alert on a rate does not need a first event.
for _result in ("acted", "failed"):
    DEADLINES.labels(_result)
for _result in ("acted", "ignored", "duplicate", "failed", "dead"):
    UPDATES.labels("telegram", _result)
for _cause in ("intent", "deadline", "outage", "voice", "computer"):
    STEP_SECONDS.labels(_cause)
UPDATES_RECEIVED.labels("telegram")
SEND_SECONDS.labels("telegram")
SENDS.labels("telegram", "sent")
SLOW_DOWNS.labels("telegram")


@contextmanager
def timed(histogram: Histogram) -> Iterator[None]:
    """Observe how long the block takes, whether or not it fails."""
    began = time.perf_counter()
    try:
        yield
    finally:
        histogram.observe(time.perf_counter() - began)


def result_of(error: Exception) -> str:
    """The label of a failed send: `slow_down` for `SlowDownError`, and `error` for errors that are not ours."""
    if not type(error).__module__.startswith("telegram_bot."):
        return "error"
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower()


def route(token: str, shared: Collector, refresh: Callable[[], Awaitable[None]]) -> Route:
    """The route of `/metrics`: this worker's metrics, and the shared ones, which are refreshed before each answer.

    Nobody is answered without the token. That a request comes from this machine proves nothing: a proxy on it may
    forward the whole world's, with no header that says so.
    """
    together = CollectorRegistry()
    together.register(REGISTRY)
    together.register(shared)

    async def answer(request: Request) -> Response:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        known = scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())
        if not token or not known:
            return PlainTextResponse(
                "Only with the word that metrics.token sets. See config/bot.toml.\n",
                status_code=401 if token else 403,
                headers={"WWW-Authenticate": "Bearer"} if token else None,
            )
        await refresh()
        encode, kind = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(together), headers={"Content-Type": kind})

    return Route("/metrics", answer, methods=["GET"])
