"""One worker's metrics for Prometheus. The metrics that workers share are in `telegram_bot.storage.status_queries`.

The code that receives, handles and sends counts its own events in these metrics.
"""

import hmac
import platform
import re
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

REGISTRY: Final = CollectorRegistry()
"""A registry of our own, without the metrics of libraries."""

LATENCY_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


def _counter(name: str, words: str, *labels: str) -> Counter:
    return Counter(f"perudo_{name}", words, labels, registry=REGISTRY)


def _seconds(name: str, words: str, *labels: str) -> Histogram:
    return Histogram(f"perudo_{name}", words, labels, buckets=LATENCY_BUCKETS, registry=REGISTRY)


UPDATES_RECEIVED: Final = _counter("updates_received", "Updates from channels, repetitions included", "source")
UPDATES: Final = _counter(
    "updates",
    "Results of updates: acted, ignored, duplicate, failed (one try of several), dead (set aside)",
    "source",
    "result",
)
STEP_SECONDS: Final = _seconds(
    "step_seconds",
    "One transaction of a game; cause: intent, deadline, outage, voice (a clock waits for a note), computer",
    "cause",
)
LOOK_UPS: Final = _counter(
    "look_ups",
    "Look-ups before a step, such as whether a person is an admin: found, unknown, timeout, failed",
    "enricher",
    "result",
)
LOOK_UP_SECONDS: Final = _seconds("look_up_seconds", "One look-up before a step", "enricher")
VOICE_NOTES: Final = _counter(
    "voice_notes", "Voice notes: sure or ask (heard), unheard, or the reason why the bot did not listen", "outcome"
)
VOICE_SECONDS: Final = _seconds(
    "voice_seconds", "One stage of listening to a voice note: download, decode, hear", "stage"
)
VOICE_CONFIRMED: Final = _counter(
    "voice_confirmed", "Rank of the confirmed call among the guesses: 1, 2, 3, none", "rank"
)
VOICE_QUEUE: Final = Gauge(
    "perudo_voice_queue", "Voice notes that wait for the recogniser or are being recognised", registry=REGISTRY
)
for _rank in ("1", "2", "3", "none"):  # every series exists from the start
    VOICE_CONFIRMED.labels(_rank)
for _stage in ("download", "decode", "hear"):
    VOICE_SECONDS.labels(_stage)
TAP_SECONDS: Final = _seconds("tap_to_answer_seconds", "From a tap's arrival until Telegram took the answer")
DEADLINES: Final = _counter("deadlines", "Deadlines: acted, failed", "result")
THOUGHTS: Final = _counter(
    "thoughts",
    "Turns of computer players: played, dropped (the table had moved on), failed (the bot played for them), "
    "passed (asked out of turn, and called nothing)",
    "result",
)
THOUGHT_SECONDS: Final = _seconds("thought_seconds", "From a computer player's turn until its call was found")
SPOKEN: Final = _counter(
    "spoken", "Messages to be read aloud: sent, late, failed (no voice), refused (by the chat), not_sent", "result"
)
SENDS: Final = _counter("sends", "Notices: sent, or the error", "channel", "result")
SEND_SECONDS: Final = _seconds("send_seconds", "One call to the channel", "channel")
FAILED_HOOKS: Final = _counter("failed_hooks", "Failures of features' functions, which are then left out", "hook")
LANES_PAUSED: Final = Gauge(
    "perudo_lanes_paused", "Chats that pause because the channel asked for it", registry=REGISTRY
)
READERS_OLDEST: Final = Gauge(
    "perudo_readers_oldest_seconds", "How long the messages of a reader have been outdated", registry=REGISTRY
)
SLOW_DOWNS: Final = _counter("slow_downs", "Requests of the channel for a pause (Telegram's 429)", "channel")
TEXTS: Final = _counter("texts", "Texts handed to a gateway: sent, or the error", "gateway", "result")
TEXT_RECEIPTS: Final = _counter(
    "text_receipts", "Receipts of gateways for texts: sent, delivered, failed", "gateway", "status"
)
TEXTS_CAPPED: Final = _counter(
    "texts_capped", "Texts that a daily limit stopped: phone, talk, table, strangers, day_talk, day", "cap"
)
TEXTS_HEARD: Final = _counter(
    "texts_heard",
    "Texts from gateways: taken, refused (forged or malformed), not_allowed (country or number), automatic",
    "gateway",
    "result",
)
DATABASE_ERRORS: Final = _counter("database_errors", "Transactions that failed, by the kind of error", "kind")
Info("perudo_build", "The running version", registry=REGISTRY).info(
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


def result_of(error: Exception) -> str:
    """Return the label of a failed send: `slow_down` for `SlowDownError`, and `error` for errors that are not ours."""
    if not type(error).__module__.startswith("telegram_bot."):
        return "error"
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower()


def route(token: str, shared: Collector, refresh: Callable[[], Awaitable[None]]) -> Route:
    """Return the route of `/metrics`: this worker's metrics, and the shared ones, refreshed before each answer.

    Without the token every request is refused, even from this machine: a proxy on it may forward strangers' requests
    without a header.
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
