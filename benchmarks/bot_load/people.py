"""People who tap the buttons of the messages that they get, and how long they wait for an answer."""

import asyncio
import json
import random
import re
import time
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any, Final

from benchmarks.bot_load.seed import group, name_of, person
from benchmarks.bot_load.server import BotApiServer
from telegram_bot.channels.telegram import callback_data
from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.service.handlers.game_requests import MakeBid

_GAME: Final = re.compile(r"g:(\d+):(\d+):(bid=|dudo)")
DOUBTS: Final = 0.05
"""The share of turns on which a player doubts instead of bidding."""


@dataclass(slots=True)
class Waits:
    """In milliseconds."""

    answers: list[float] = field(default_factory=list)
    sends: list[float] = field(default_factory=list)
    notes: list[float] = field(default_factory=list)
    """From a voice note to the bot's question about what it heard."""


def percentiles(values: list[float]) -> tuple[float, float]:
    """Return the median and the 99th percentile."""
    if len(values) < 2:  # noqa: PLR2004 - as `quantiles` wants it
        return (values or [0.0])[0], (values or [0.0])[0]
    cuts = quantiles(values, n=100)
    return cuts[49], cuts[98]


class People:
    """The players on turn, by table."""

    def __init__(self, tables: int, openers: dict[int, int]) -> None:
        install(FEATURES)  # which writes the buttons
        self.waits = Waits()
        self.server: BotApiServer | None = None
        self.taps = 0
        self.finished = 0
        self._rng = random.Random(7)
        self._tapped: dict[str, float] = {}
        self._waiting: dict[int, float] = {}
        self._arrived = asyncio.Event()
        self._spoken = 0
        self._notes: dict[int, float] = {}
        # Everyone's keyboard at the start is known: the first bid of the game.
        self._ready = {
            table: (person(table, openers[table]), [callback_data.data_of(MakeBid(1, 2), table, 0)])
            for table in range(1, tables + 1)
        }

    def on_call(self, method: str, params: dict[str, Any], now: float) -> None:
        """Record one call of the bot."""
        if method == "answerCallbackQuery":
            began = self._tapped.pop(params["callback_query_id"], None)
            if began is not None:
                self.waits.answers.append((now - began) * 1000)
        elif method == "sendMessage" and ":said=" in params.get("reply_markup", ""):
            began = self._notes.pop(int(params["chat_id"]), None)
            if began is not None:
                self.waits.notes.append((now - began) * 1000)
        elif method in ("sendMessage", "editMessageText") and "reply_markup" in params:
            self._keyboard(int(params["chat_id"]), params["reply_markup"], now)

    def _keyboard(self, chat: int, markup: str, now: float) -> None:
        data = [
            button["callback_data"]
            for row in json.loads(markup).get("inline_keyboard", [])
            for button in row
            if _GAME.match(button.get("callback_data", ""))
        ]
        bids = [one for one in data if ":bid=" in one]
        doubts = [one for one in data if one.endswith(":dudo")]
        if chat < 0 or not (bids or doubts):
            return
        table = int(data[0].split(":")[1])
        began = self._waiting.pop(table, None)
        if began is not None:
            self.waits.sends.append((now - began) * 1000)
        doubt = bool(doubts) and (not bids or self._rng.random() < DOUBTS)
        self._ready[table] = (chat, doubts if doubt else bids[:1])
        self._arrived.set()

    def tap(self) -> bool:
        """Let a person who is on turn tap; False while no one is on turn."""
        if not self._ready or self.server is None:
            return False
        table = next(iter(self._ready))
        who, (data, *_) = self._ready.pop(table)
        self.taps += 1
        query = f"q{self.taps}"
        now = time.perf_counter()
        self._tapped[query] = self._waiting[table] = now
        user = {"id": who, "is_bot": False, "first_name": name_of(who), "language_code": "en"}
        message = {
            "message_id": 1,
            "date": int(time.time()),
            "chat": {"id": who, "type": "private", "first_name": "Player"},
            "text": "…",
        }
        body = {"id": query, "from": user, "message": message, "chat_instance": "1", "data": data}
        self.server.push("callback_query", body, chat=group(table))
        return True

    def speak(self, note: str, seconds: int, *, at_once: int = 1) -> None:
        """Let some people on turn send a voice note each, one of the server's files, in private; they can still tap."""
        for table in list(reversed(self._ready))[:at_once]:
            self._speak(table, self._ready[table][0], note, seconds)

    def _speak(self, table: int, who: int, note: str, seconds: int) -> None:
        if self.server is None:
            return
        self._spoken += 1
        chat = {"id": who, "type": "private", "first_name": "Player"}
        voice = {
            "file_id": note,
            "file_unique_id": note,
            "duration": seconds,
            "file_size": len(self.server.files[note]),
        }
        user = {"id": who, "is_bot": False, "first_name": name_of(who), "language_code": "en"}
        body = {"message_id": self._spoken, "date": int(time.time()), "chat": chat, "from": user, "voice": voice}
        self._notes[who] = time.perf_counter()
        self.server.push("message", body, chat=group(table))

    async def steadily(self, per_second: float, seconds: float) -> None:
        """Tap at a steady pace, whether the bot keeps up or not."""
        begin = time.perf_counter()
        for number in range(int(per_second * seconds)):
            await asyncio.sleep(max(0.0, begin + number / per_second - time.perf_counter()))
            self.tap()
        await asyncio.sleep(max(0.0, begin + seconds - time.perf_counter()))

    async def as_fast_as_possible(self, at_once: int, seconds: float) -> float:
        """Tap whenever fewer than `at_once` taps wait for their answer; returns the taps answered in a second."""
        begin = time.perf_counter()
        before = len(self.waits.answers)
        while time.perf_counter() - begin < seconds:
            while len(self._tapped) < at_once and self.tap():
                pass
            await asyncio.sleep(0.002)
        return (len(self.waits.answers) - before) / (time.perf_counter() - begin)

    async def settle(self, patience_seconds: float = 20) -> None:
        """Wait until every tap is answered."""
        end = time.perf_counter() + patience_seconds
        while (self._tapped or self._waiting) and time.perf_counter() < end:  # noqa: ASYNC110 - it is no hot loop
            await asyncio.sleep(0.05)

    def forget(self) -> None:
        """Discard the measurements so far."""
        self.waits = Waits()

    @property
    def unanswered(self) -> int:
        """The number of taps without an answer."""
        return len(self._tapped)
