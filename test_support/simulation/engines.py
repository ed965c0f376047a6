"""Operators' engines in virtual time: the bot's side of the protocol and `serve`, with memory in place of pipes."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from perudo_core.agents.engines import agent_engine, serve
from telegram_bot.ingress.engine_process import EngineProcess

if TYPE_CHECKING:
    from test_support.simulation.world import House

ANSWER_SECONDS: Final = (0.001, 0.2)
LATE_SECONDS: Final = 6.0
"""Longer than an answer may take."""
MEGABYTE: Final = 2**20
OPTIONS: Final = {"doubt_below": 0.4}
NAME: Final = "odds"
SETTINGS: Final = {"commands": {NAME: "odds"}, "options": {NAME: OPTIONS}}
_CHOOSE: Final = agent_engine("regular")


def _result(request: dict[str, Any], result: object) -> bytes:
    return json.dumps({"id": request["id"], "result": result}).encode() + b"\n"


def _own_dice(request: dict[str, Any]) -> bytes:
    """Tell the log a secret, if the bot quotes an answer that is no call."""
    dice = request["params"]["observation"]["dice"] or ()
    return _result(request, "".join(f"{die}\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}" for die in dice))


MISBEHAVES: Final[dict[str, Callable[[dict[str, Any]], bytes | None]]] = {
    "dies": lambda _: None,
    "floods": lambda _: b"x" * MEGABYTE,
    "floods with lines": lambda _: b"0\n" * 10_000,
    "tells its dice": _own_dice,
    "calls what is not legal": lambda request: _result(request, "99x2"),
    "has no call": lambda request: _result(request, {"reason": "none"}),
    "answers late": lambda request: _result(request, "dudo"),
}
"""The ways in which an engine misbehaves, each with what it writes. None means that its output ends."""


class Program:
    """The process of an engine, whose pipes are these methods."""

    def __init__(self, house: "House") -> None:
        self.house = house
        self.answers = asyncio.StreamReader()

    def write(self, line: bytes) -> None:
        """Take a request, and answer it a moment later."""
        house, request = self.house, json.loads(line)
        chance = house.chance["engines"]
        seconds, said = chance.uniform(*ANSWER_SECONDS), list[str]()
        serve(_CHOOSE, name="Odds", options=OPTIONS, interrupts=True, lines=[line.decode()], write=said.append)
        answer: bytes | None = "".join(said).encode()
        house.counts["engine asked"] += request["method"] == "choose"
        if request["method"] in ("choose", "interrupt") and chance.random() < (house.plan.engine_fails or 0.0):
            how = chance.choice(tuple(MISBEHAVES))
            house.counts["engine fails"] += 1
            house.note(f"an engine {how}")
            seconds, answer = LATE_SECONDS if how == "answers late" else seconds, MISBEHAVES[how](request)
        say = self.answers.feed_eof if answer is None else partial(self.answers.feed_data, answer)
        asyncio.get_running_loop().call_later(seconds, say)

    async def drain(self) -> None:
        """Wait for nothing: the request is taken already."""


class EngineInMemory(EngineProcess):
    """An engine as the settings name it, of which only the process is simulated."""

    runs: Program | None = None

    def __init__(self, house: "House", *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._house = house

    async def _running(self) -> tuple[asyncio.StreamWriter, asyncio.StreamReader, bool]:
        begins, self.runs = self.runs is None, self.runs or Program(self._house)
        return cast("asyncio.StreamWriter", self.runs), self.runs.answers, begins

    async def _end(self) -> None:
        self.runs = None
