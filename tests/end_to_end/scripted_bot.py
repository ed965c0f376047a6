"""The real bot with a hurried clock, or with dice that a test chose. Only tests start this file.

BOT_PLAN holds JSON: `clock`, `pace`, `preset` and `rules` change the house's values; `dice` are faces in the order in
which they are drawn, and a draw for who opens is `[seat, of how many]`. `dies` is a point of `doom` and how often the
process comes by it.
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
from telegram_bot.tables.model import Clock, Pace
from tests.end_to_end.crash_points import await_doom

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


class PlannedRuntime(app.Runtime):
    def __init__(self, settings: Settings, database: Database) -> None:
        super().__init__(settings, database)
        house = self.service.house
        self.service.house = replace(
            house,
            clock=Clock.model_validate(house.clock.model_dump() | PLAN.get("clock", {})),
            pace=Pace.model_validate(house.pace.model_dump() | PLAN.get("pace", {})),
            fair_dice="dice" not in PLAN,
            rules=Rules.preset(PLAN.get("preset", house.rules.preset)).with_options(**PLAN.get("rules", {})),
        )


if __name__ == "__main__":
    app.Runtime = PlannedRuntime  # type: ignore[misc]
    if "dice" in PLAN:
        loaded = LoadedDice(PLAN["dice"])
        setattr(play, "next_roll", lambda _table, state, _rng: sample_roll(state, loaded))  # noqa: B010 - not for mypy
    if "dies" in PLAN:
        await_doom(*PLAN["dies"])
    sys.exit(cli.main())
