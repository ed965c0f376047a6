"""Check the operator's engines: each starts, and calls in time."""

import shlex
from time import perf_counter
from typing import Final

from perudo_core import Bid, Rules, observe, set_up
from perudo_core.agents import new_memory
from perudo_core.agents.engines import Question
from telegram_bot.ingress.engine_process import EngineProcess, engine_processes
from telegram_bot.operations.doctor.check_result import CheckResult, failed, passed
from telegram_bot.settings import Settings
from telegram_bot.side_process import SideProcessError

_TURN: Final = observe(set_up(Rules(), ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), [Bid(0, 5, 2)]), 1)


async def examine(settings: Settings) -> list[CheckResult]:
    """Return the results of all engines, one after the other, as they would share the machine's processors."""
    commands = settings.engines.commands
    return [await _asked(name, each, commands[name]) for name, each in engine_processes(settings.engines).items()]


async def _asked(name: str, engine: EngineProcess, command: str) -> CheckResult:
    begun = perf_counter()
    try:
        await engine.choose(Question(_TURN, new_memory(_TURN.rules, 2), engine.seconds))
    except (SideProcessError, OSError) as error:
        mend = (
            f"Try it by hand: python -m perudo_core.agents arena {shlex.quote(f'engine:{command}')} regular --games 20"
        )
        return failed("engine", f"{name} gives no call, so the bot would play its turns: {error}", mend)
    finally:
        await engine.close()
    return passed("engine", f"{name} starts and calls in {perf_counter() - begun:.1f} s")
