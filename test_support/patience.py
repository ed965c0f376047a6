"""Time for all that a bot waits for, so that a busy machine changes no test."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from telegram_bot.ingress import computer_requests
from telegram_bot.ingress.enrichers import Enrichment
from telegram_bot.side_process import ChildProcess
from telegram_bot.storage.inbox_store import InboxStore
from telegram_bot.voice import decode

PATIENCE_SECONDS: Final = 600.0


def give_processes_time(change: Callable[[object, str, object], None]) -> None:
    """Let calls, hints, stories and voice notes be late on a busy machine; only limits below a second stay."""
    begin, compose = ChildProcess.__init__, Enrichment.__init__

    def patient(seconds: float) -> float:
        return seconds if seconds < 1 else PATIENCE_SECONDS

    def begin_patiently(process: ChildProcess, *program: Any, seconds: float, **more: Any) -> None:
        begin(process, *program, seconds=patient(seconds), **more)

    def compose_patiently(enrichment: Enrichment, store: InboxStore, enrichers: Sequence[Any]) -> None:
        for each in enrichers:
            each.seconds = patient(each.seconds)
        compose(enrichment, store, enrichers)

    change(ChildProcess, "__init__", begin_patiently)
    change(Enrichment, "__init__", compose_patiently)
    for limit in ("THOUGHT_SECONDS", "FEATURE_SECONDS"):
        change(computer_requests, limit, PATIENCE_SECONDS)
    change(decode, "SECONDS", PATIENCE_SECONDS)
