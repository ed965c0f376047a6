"""The real bot with another clock or chosen dice. Only tests start it, in a process of its own or in theirs.

A plan is JSON, in BOT_PLAN for a process. `clock` and `rules` change the bot's configuration. `secrets` is a seed for
codes and secrets, from which all dice follow. `dice` are faces in the order in which they are drawn; a draw for the
opener is `[seat, of how many]`. With `watches_cpu` the log names long computations. With `reads_words_late` the
vocabularies are not read before the bot plays.
"""

import ctypes
import json
import os
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partialmethod
from typing import Any, ClassVar

import pytest

from perudo_core import ChanceAction, OpenerDraw, State, sample_roll
from telegram_bot import app, cli
from telegram_bot.service.dirty_tables import DirtyTables
from telegram_bot.settings import Settings
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.database import Database
from telegram_bot.tables import play
from telegram_bot.tables.model import Table, TurnClock
from test_support.cpu_watch import watch_cpu
from test_support.patience import give_processes_time


def planned_rolls(planned: list[Any]) -> Callable[..., ChanceAction]:
    """Return a function that rolls the planned faces first, then dice from a seed."""
    left, rng = deque(planned), random.Random(1)

    def next_roll(_table: Table, state: State, _rng: random.Random) -> ChanceAction:
        action = sample_roll(state, rng)
        if isinstance(action, OpenerDraw):
            return OpenerDraw(state.active_seats[left.popleft()[0]]) if left else action
        dice = tuple(tuple(left.popleft() if left else face for face in hand) for hand in action.dice)
        return replace(action, dice=dice)

    return next_roll


class CountedReaders(DirtyTables):
    """The tables that the bot still compares, which only its memory knows; their number is told at once."""

    told: ClassVar[ctypes.c_int] = ctypes.c_int(0)

    def mark(self, table: int, now: float) -> None:
        super().mark(table, now)
        self._tell()

    def mark_later(self, table: int, at: float) -> None:
        super().mark_later(table, at)
        self._tell()

    def note(self, *args: Any) -> None:
        super().note(*args)
        self._tell()

    def sent(self, *args: Any) -> None:
        super().sent(*args)
        self._tell()

    def _tell(self) -> None:
        self.told.value = len(self.since) + len(self.changes) + len(self.missing)


class ScriptedApp(app.App):
    """The bot with the configuration of the plan."""

    plan: ClassVar[dict[str, Any]] = {}

    def __init__(self, settings: Settings, database: Database, *, is_party: bool = False) -> None:
        super().__init__(settings, database, is_party=is_party)
        config, plan = self.service.config, self.plan
        self.service.config = replace(
            config,
            clock=TurnClock.model_validate(config.clock.model_dump() | plan.get("clock", {})),
            sealed_dice="dice" not in plan,
            rules=config.rules.with_options(**plan.get("rules", {})),
        )
        self.service.tables, CountedReaders.told.value = CountedReaders(), 0
        if "secrets" in plan:
            self.service.rng = random.Random(plan["secrets"])


@contextmanager
def planned(plan: dict[str, Any]) -> Iterator[None]:
    """Let the bots of this process play by a plan, for the length of a `with`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ScriptedApp, "plan", plan)
        give_processes_time(patch.setattr)
        # Else others come first on a busy machine.
        patch.setattr(SideProcess, "__init__", partialmethod(SideProcess.__init__, niceness=0))
        if "dice" in plan:
            patch.setattr(play, "next_roll", planned_rolls(plan["dice"]))
        if plan.get("watches_cpu"):
            watch_cpu()
        if plan.get("reads_words_late"):
            patch.setattr(app, "load_vocabularies", bool)
        yield


def main(readers: ctypes.c_int) -> None:
    app.App = ScriptedApp  # type: ignore[misc]
    CountedReaders.told = readers
    with planned(json.loads(os.environ.get("BOT_PLAN", "{}"))):
        sys.argv = ["perudo-bot", "run"]
        sys.exit(cli.main())
