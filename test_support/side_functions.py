"""Functions for side processes that do what a test wants to see: answer, fail, hang, die."""

from __future__ import annotations

import json
import os
import time

from telegram_bot.side_process import NoAnswerError


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
            return json.dumps([dict(os.environ), os.nice(0)]).encode()
    return str(os.getpid()).encode()


def refuse(*_question: object) -> bytes:
    raise NoAnswerError("a reason")


def no_json(*_question: object) -> bytes:
    return b"no JSON"
