"""Functions for side processes that do what a test wants to see: answer, fail, hang, die."""

import json
import os
import time
from pathlib import Path

from telegram_bot.confinement import Needed
from telegram_bot.side_process import FunctionFailedError


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
