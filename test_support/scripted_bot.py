"""The real bot with shorter times or chosen dice. Only tests start this file.

BOT_PLAN holds JSON. `clock`, `timings`, `preset` and `rules` change the bot's configuration. `secrets` is a seed for
codes and secrets, from which all dice follow. `dice` are faces in the order in which they are drawn; a draw for the
opener is `[seat, of how many]`. With `reads_words_late` the vocabularies are not read before the bot plays.
"""

import json
import os
import random
import sys
from collections import deque
from dataclasses import replace
from typing import Any

from perudo_core import ChanceAction, OpenerDraw, Rules, State, sample_roll
from telegram_bot import app, cli
from telegram_bot.channels.telegram.heard_notes import HeardNotes
from telegram_bot.ingress import computer_requests
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.tables import play
from telegram_bot.tables.model import Table, Timings, TurnClock

PLAN: dict[str, Any] = json.loads(os.environ["BOT_PLAN"])


PATIENCE_SECONDS = 120.0
"""For a computer player's call and for the words of a voice note: a busy machine changes no game."""


class PlannedChance:
    """Supplies the planned faces first, then dice from the seed."""

    def __init__(self, planned: list[int | list[int]]) -> None:
        self._planned = deque(planned)
        self._rng = random.Random(PLAN.get("seed", 1))

    def next_roll(self, _table: Table, state: State, _rng: random.Random) -> ChanceAction:
        action = sample_roll(state, self._rng)
        if isinstance(action, OpenerDraw):
            return OpenerDraw(state.active_seats[self._next_draw()]) if self._planned else action
        return replace(action, dice=tuple(tuple(map(self._next_face, hand)) for hand in action.dice))

    def _next_draw(self) -> int:
        draw = self._planned.popleft()
        assert isinstance(draw, list), "the game draws an opener here"
        return draw[0]

    def _next_face(self, sampled: int) -> int:
        if not self._planned:
            return sampled
        face = self._planned.popleft()
        assert isinstance(face, int), "the game rolls a die here"
        return face


class ScriptedApp(app.App):
    """The bot's process with the configuration of the plan."""

    def __init__(self, settings: Settings, database: Database) -> None:
        super().__init__(settings, database)
        config = self.service.config
        self.service.config = replace(
            config,
            clock=TurnClock.model_validate(config.clock.model_dump() | PLAN.get("clock", {})),
            timings=Timings.model_validate(config.timings.model_dump() | PLAN.get("timings", {})),
            sealed_dice="dice" not in PLAN,
            rules=self._rules(config.rules).with_options(**PLAN.get("rules", {})),
        )
        if "secrets" in PLAN:
            self.service.rng = random.Random(PLAN["secrets"])

    @staticmethod
    def _rules(usual: Rules) -> Rules:
        return Rules.preset(PLAN["preset"]) if "preset" in PLAN else usual


if __name__ == "__main__":
    app.App = ScriptedApp  # type: ignore[misc]
    setattr(computer_requests, "THOUGHT_SECONDS", PATIENCE_SECONDS)  # noqa: B010 - not for mypy
    setattr(HeardNotes, "seconds", PATIENCE_SECONDS)  # noqa: B010
    if "dice" in PLAN:
        setattr(play, "next_roll", PlannedChance(PLAN["dice"]).next_roll)  # noqa: B010 - not for mypy
    if PLAN.get("reads_words_late"):
        setattr(app, "load_vocabularies", bool)  # noqa: B010 - not for mypy
    sys.exit(cli.main())
