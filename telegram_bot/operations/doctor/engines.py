"""Check the operator's engines: each starts, and calls in time."""

import os
import shlex
from collections.abc import Iterator
from tempfile import TemporaryFile
from time import perf_counter
from typing import IO, Final

from perudo_core import Bid, Rules, observe, set_up
from perudo_core.agents import new_memory
from perudo_core.agents.engines import Question
from telegram_bot.ingress.engine_process import EngineProcess, engine_processes
from telegram_bot.operations.doctor.check_result import CheckResult, failed, passed
from telegram_bot.settings import Settings
from telegram_bot.settings.engine_folders import engine_folders
from telegram_bot.side_process import SideProcessError, TooSlowError

_TURN: Final = observe(set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)]), 1)
_LAST_BYTES: Final = 300


async def examine(settings: Settings) -> list[CheckResult]:
    """Return the results of all engines, one after the other, as they would share the machine's processors."""
    commands = settings.engines.commands
    return [await _asked(name, each, commands[name]) for name, each in engine_processes(settings.engines).items()]


async def _asked(name: str, engine: EngineProcess, command: str) -> CheckResult:
    begun = perf_counter()
    with TemporaryFile() as written:
        engine.stderr = written.fileno()  # the dice of this question are no secret
        try:
            await engine.choose(Question(_TURN, new_memory(_TURN.rules, 2), engine.seconds))
        except (SideProcessError, OSError) as error:
            says = f"{name} gives no call, so the bot would play its turns: {error}"
            if isinstance(error, TooSlowError):
                says += f" (it was told {engine.told:.1f} of {engine.seconds:g} s; its start took the others)"
            return failed("engine", says, "\n".join(_advice(command, written)))
        finally:
            await engine.close()
    return passed("engine", f"{name} starts and calls in {perf_counter() - begun:.1f} s")


def _advice(command: str, written: IO[bytes]) -> Iterator[str]:
    written.seek(max(0, written.seek(0, os.SEEK_END) - _LAST_BYTES))
    if said := written.read().decode(errors="replace").strip():
        last = "".join(filter(str.isprintable, said.splitlines()[-1]))
        yield f"The last line of its standard error: {last}"
    yield f"It may read these folders alone: {', '.join(map(str, engine_folders(command)))}"
    by_hand = f"python -m perudo_core.agents arena {shlex.quote(f'engine:{command}')} regular --games 20"
    yield f"Try it by hand, where it may read every file: {by_hand}"
