"""Functions for side processes that do what a test wants to see, answer, fail, hang, die; and time for all of them."""

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from telegram_bot.confinement import Needed
from telegram_bot.ingress import computer_requests
from telegram_bot.ingress.enrichers import Enrichment
from telegram_bot.side_process import ChildProcess, FunctionFailedError
from telegram_bot.storage.inbox_store import InboxStore

PATIENCE_SECONDS: Final = 600.0


def give_processes_time(change: Callable[[object, str, object], None]) -> None:
    """Let calls, hints, stories and heard words be late on a busy machine; only limits below a second stay."""
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


def act(wish: str = "") -> bytes:
    match wish:
        case "hang":
            time.sleep(3600)
        case "die":
            os._exit(1)
        case "fail":
            raise ValueError("it quotes the dice 1 2 3")
        case "print":
            print("a library's words")  # noqa: T201 - as libraries do
        case "environment":
            return json.dumps([dict(os.environ), os.getpriority(os.PRIO_PROCESS, 0)]).encode()
    return str(os.getpid()).encode()


def run_code(code: str) -> bytes:
    exec(code, {})  # noqa: S102 - a test's own words
    return b"done"


def refuse(*_question: object) -> bytes:
    raise FunctionFailedError("a reason")


def no_json(*_question: object) -> bytes:
    return b"no JSON"


def load_nothing(_model: Path | None) -> Needed:
    return Needed()
