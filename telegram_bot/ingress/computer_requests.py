"""Let side processes find computer players' calls and run computations of features; submit the results as intents."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from perudo_core import Call, PerudoError, parse_call
from perudo_core.agents.engines import Question
from telegram_bot.ingress.computer_calls import choose, load_rules
from telegram_bot.ingress.engine_process import EngineProcess
from telegram_bot.intents.intents import CallComputed, ComputationDone
from telegram_bot.observability import metrics
from telegram_bot.service.computer_requests import CallRequest, Computation
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.storage.database import log_failure
from telegram_bot.storage.models import LaneName

log = logging.getLogger(__name__)

THOUGHT_SECONDS: Final = 5.0
"""How long a computation may take, including its wait for others; less than a table's lease."""
FEATURE_SECONDS: Final = 20.0
"""The same for a computation of a feature."""
_IDLE_SECONDS: Final = 300.0


class ComputerRequestWorker:
    """Answers the service's requests for computations, each in a task of its own.

    Another worker takes over an abandoned request, or this one when it runs again.
    """

    def __init__(
        self,
        service: Service,
        wake: Callable[[Iterable[LaneName]], None],
        *,
        processes: int = 1,
        engines: Mapping[str, EngineProcess] = MappingProxyType({}),
    ) -> None:
        """Compute in as many `processes` at a time; ask the operator's `engines` for the calls of their seats."""
        self.service = service
        self.wake = wake
        self.thinking = [
            SideProcess(choose, seconds=THOUGHT_SECONDS, prepare=load_rules, idle_seconds=_IDLE_SECONDS)
            for _ in range(processes)
        ]
        self.engines = engines
        self._free = asyncio.Semaphore(processes)
        self._free_for_features = asyncio.Semaphore(1)
        self._running: dict[Hashable, asyncio.Task[None]] = {}

    def begin_call(self, request: CallRequest) -> None:
        """Find a computer player's call, unless this is running already."""
        self._begin((request.table, request.step, request.seat), lambda: self._think_and_play(request))

    def begin_computation(self, computation: Computation) -> None:
        """Run a computation of a feature, unless it is running already."""
        self._begin(computation.key, lambda: self._compute_and_hand_in(computation))

    def _begin(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if key not in self._running:
            self._running[key] = asyncio.create_task(work(), name=f"computer request {key}")
            self._running[key].add_done_callback(lambda _: self._running.pop(key))

    async def idle(self) -> None:
        """Wait until every request is answered."""
        await asyncio.gather(*self._running.values())

    async def close(self) -> None:
        """Abandon the running requests, and end the processes."""
        tasks = tuple(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(process.close() for process in (*self.thinking, *self.engines.values())))

    async def _think_and_play(self, request: CallRequest) -> None:
        call = await self._think(request)
        result = await self._hand_in(CallComputed(request.table, request.step, request.seat, call))
        missing = "failed" if request.on_turn else "passed"
        outcome = "dropped" if result is not None and result.skipped else missing if call is None else "played"
        metrics.THOUGHTS.labels("failed" if result is None else outcome).inc()

    async def _compute_and_hand_in(self, computation: Computation) -> None:
        found = await self._compute(computation)
        await self._hand_in(ComputationDone(lambda uow: computation.hand_in(uow, found)))

    async def _hand_in(self, request: CallComputed | ComputationDone) -> HandleResult | None:
        try:
            result = await self.service.handle(request)
        except Exception as error:  # noqa: BLE001 - it is asked for again when the lease ends
            log_failure(log, error, "what was found for a computer request could not be handed in")
            return None
        self.wake(result.lanes)
        return result

    async def _think(self, request: CallRequest) -> Call | None:
        """Return the call, or None if it was not found in time."""
        try:
            if request.engine:
                return await self._ask_engine(request)
            with metrics.THOUGHT_SECONDS.time():
                async with asyncio.timeout(THOUGHT_SECONDS), self._free:
                    process = self.thinking.pop()
                    try:
                        found = await process.ask(
                            request.level, request.character, request.observation, request.memory, request.seed
                        )
                    finally:
                        self.thinking.append(process)
            return parse_call(found.decode(), request.seat) if found or request.on_turn else None
        except (SideProcessError, TimeoutError, PerudoError) as error:
            found_no = str(error) or type(error).__name__
            who = f"the engine {request.engine}" if request.engine else "a computer player"
            log.warning("%s found no call: %s: the bot plays", who, found_no, extra={"table": request.table})
            return None

    async def _ask_engine(self, request: CallRequest) -> Call | None:
        engine = self.engines.get(request.engine)
        if engine is None:
            raise SideProcessError("the settings do not name it")
        question = Question(request.observation, request.memory, THOUGHT_SECONDS, request.seed % 2**32)
        return await engine.choose(question)

    async def _compute(self, computation: Computation) -> bytes | None:
        """Return the result, or None if it was not found in time."""
        process = SideProcess(computation.function, seconds=FEATURE_SECONDS, prepare=load_rules)
        try:
            async with asyncio.timeout(FEATURE_SECONDS), self._free_for_features:
                return await process.ask(*computation.arguments)
        except (TimeoutError, SideProcessError) as error:
            log.warning("%s found no result: %s", computation.function.__name__, type(error).__name__)
            return None
