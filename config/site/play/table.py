"""You and three computer players at a table. All rules are perudo_core's; `cards` shows the table on the bot's page."""

import json
from random import SystemRandom
from typing import Any

from cards import NAMES, YOU, end_cards, table_cards

import perudo_core as core
from perudo_core.agents import create_agent, new_memory, remember_all

RULES = core.Rules().with_options(calza=True)
AGENTS = [create_agent("regular", character) for character in ("plain", "honest", "bold", "trickster")]
"""The computer players; the one in your seat only suggests bids."""
RANDOM = SystemRandom()


class Table:
    """One game after another."""

    def __init__(self) -> None:
        """Deal the first game."""
        self.game = self.step = 0
        self.cards: list[dict[str, Any]] = []
        self.begin()

    def begin(self) -> None:
        """Deal a game."""
        self.game += 1
        self.state, self.memory = core.new_game(RULES, NAMES, opener=1), new_memory(RULES, len(NAMES))
        self._roll_and_show()

    def call(self, words: str, step: int) -> str:
        """Make your call, such as `5x3` or `dudo`; return the reason for a refusal, or nothing."""
        if step != self.step:
            return "Too late: another player has called. Look again."
        call = core.parse_call(words, seat=YOU)
        if reason := core.why_illegal(self.state, call):
            return core.explain(reason, self.state)
        self._play(call)
        return ""

    def go_on(self) -> None:
        """Let the computer player whose turn it is call."""
        if self.state.turn:
            self._play(self._chosen(self.state.turn))

    def take_cards(self) -> str:
        """Return the cards since the last time, as JSON."""
        cards, self.cards = self.cards, []
        return json.dumps([{"table": self.game, **card} for card in cards])

    def _chosen(self, seat: int) -> core.Call:
        return AGENTS[seat].choose(core.observe(self.state, seat), self.memory, RANDOM)

    def _play(self, call: core.Call) -> None:
        before, self.step = self.state, self.step + 1
        events = self._apply(call)
        self.cards += end_cards(before, call, events, self.state)
        self._roll_and_show()

    def _roll_and_show(self) -> None:
        while self.state.is_chance:
            self._apply(core.sample_roll(self.state, RANDOM))
        suggested = self._chosen(YOU) if self.state.turn == YOU else None
        self.cards += table_cards(self.state, self.step, suggested)

    def _apply(self, action: core.Action) -> tuple[core.Event, ...]:
        self.state, events = core.apply(self.state, action)
        self.memory = remember_all(self.memory, events)
        return events
