"""The real bot with shorter times or chosen dice. Only tests start it, in a process of its own or in theirs.

A plan is JSON, in BOT_PLAN for a process. `clock`, `timings`, `preset` and `rules` change the bot's configuration.
`secrets` is a seed for codes and secrets, from which all dice follow. `dice` are faces in the order in which they are
drawn; a draw for the opener is `[seat, of how many]`. With `watches_cpu` the log names long computations. With
`reads_words_late` the vocabularies are not read before the bot plays.
"""

import json
import os
import random
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, ClassVar, TypeVar
from unittest import mock

from perudo_core import ChanceAction, OpenerDraw, Rules, State, sample_roll
from telegram_bot import app, cli
from telegram_bot.channels.telegram.heard_notes import HeardNotes
from telegram_bot.ingress import computer_requests
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.tables import play
from telegram_bot.tables.model import Table, Timings, TurnClock
from test_support.cpu_watch import watch_cpu

T = TypeVar("T")
PATIENCE_SECONDS = 120.0
"""For a computer player's call and for the words of a voice note: a busy machine changes no game."""


class PlannedChance:
    """Supplies the planned faces first, then dice from the seed."""

    def __init__(self, planned: list[int | list[int]], seed: int) -> None:
        self._planned = deque(planned)
        self._rng = random.Random(seed)

    def next_roll(self, _table: Table, state: State, _rng: random.Random) -> ChanceAction:
        action = sample_roll(state, self._rng)
        if isinstance(action, OpenerDraw):
            return OpenerDraw(state.active_seats[self._next(list)[0]]) if self._planned else action
        dice = tuple(tuple(self._next(int) if self._planned else face for face in hand) for hand in action.dice)
        return replace(action, dice=dice)

    def _next(self, kind: type[T]) -> T:
        planned = self._planned.popleft()
        assert isinstance(planned, kind), "the game rolls a die here, or draws an opener"
        return planned


class ScriptedApp(app.App):
    """The bot with the configuration of the plan."""

    plan: ClassVar[dict[str, Any]] = {}

    def __init__(self, settings: Settings, database: Database, *, is_party: bool = False) -> None:
        super().__init__(settings, database, is_party=is_party)
        config, plan = self.service.config, self.plan
        rules = Rules.preset(plan["preset"]) if "preset" in plan else config.rules
        self.service.config = replace(
            config,
            clock=TurnClock.model_validate(config.clock.model_dump() | plan.get("clock", {})),
            timings=Timings.model_validate(config.timings.model_dump() | plan.get("timings", {})),
            sealed_dice="dice" not in plan,
            rules=rules.with_options(**plan.get("rules", {})),
        )
        if "secrets" in plan:
            self.service.rng = random.Random(plan["secrets"])


@contextmanager
def planned(plan: dict[str, Any]) -> Iterator[None]:
    """Let the bots of this process play by a plan, for the length of a `with`."""
    with ExitStack() as stack:

        def change(where: object, name: str, value: object) -> None:
            stack.enter_context(mock.patch.object(where, name, value))

        change(ScriptedApp, "plan", plan)
        change(HeardNotes, "seconds", PATIENCE_SECONDS)
        change(computer_requests, "THOUGHT_SECONDS", PATIENCE_SECONDS)
        if "dice" in plan:
            change(play, "next_roll", PlannedChance(plan["dice"], plan.get("seed", 1)).next_roll)
        if plan.get("watches_cpu"):
            watch_cpu()
        if plan.get("reads_words_late"):
            change(app, "load_vocabularies", bool)
        yield


if __name__ == "__main__":
    app.App = ScriptedApp  # type: ignore[misc]
    with planned(json.loads(os.environ["BOT_PLAN"])):
        sys.exit(cli.main())
