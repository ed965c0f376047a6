"""The real bot with shorter times, chosen dice or a chosen crash point. Only tests start this file.

BOT_PLAN holds JSON. `clock`, `timings`, `preset` and `rules` change the bot's configuration. `dice` are faces in the
order in which they are drawn; a draw for who opens is `[seat, of how many]`. `crash_at` is a point of `crash_points`
and how often the process reaches that point.
"""

from __future__ import annotations

import json
import os
import random
import sys
from dataclasses import replace
from typing import Any

from perudo_core import Rules, sample_roll
from telegram_bot import app, cli
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.tables import play
from telegram_bot.tables.model import Timings, TurnClock
from tests.end_to_end.crash_points import crash_at

PLAN: dict[str, Any] = json.loads(os.environ["BOT_PLAN"])


class LoadedDice(random.Random):
    """Shows the planned faces first, then whatever the seed says."""

    def __init__(self, faces: list[int | list[int]]) -> None:
        super().__init__(PLAN.get("seed", 1))
        self._planned = [
            (draw - 0.5) / 6 if isinstance(draw, int) else (draw[0] + 0.5) / draw[1] for draw in reversed(faces)
        ]

    def random(self) -> float:
        return self._planned.pop() if self._planned else super().random()


class ScriptedApp(app.App):
    def __init__(self, settings: Settings, database: Database) -> None:
        super().__init__(settings, database)
        config = self.service.config
        self.service.config = replace(
            config,
            clock=TurnClock.model_validate(config.clock.model_dump() | PLAN.get("clock", {})),
            timings=Timings.model_validate(config.timings.model_dump() | PLAN.get("timings", {})),
            fair_dice="dice" not in PLAN,
            rules=Rules.preset(PLAN.get("preset", config.rules.preset)).with_options(**PLAN.get("rules", {})),
        )


if __name__ == "__main__":
    app.App = ScriptedApp  # type: ignore[misc]
    if "dice" in PLAN:
        loaded = LoadedDice(PLAN["dice"])
        setattr(play, "next_roll", lambda _table, state, _rng: sample_roll(state, loaded))  # noqa: B010 - not for mypy
    if "crash_at" in PLAN:
        crash_at(*PLAN["crash_at"])
    sys.exit(cli.main())
