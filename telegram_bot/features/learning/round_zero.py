"""Round zero: one round of practice, at most a minute long, before a game that a television shows.

It is pure: the stages with their times, and the answers of the players. Its dice are no dice of the game.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from telegram_bot.features.learning.lesson import DICE
from telegram_bot.tables.model import FrozenModel, TableRules

FACE: Final = 2
"""The face that is counted, and bid."""


class Stage(StrEnum):
    """The stages, in their order."""

    LIFT = "lift"
    COUNT = "count"
    CALL = "call"
    REVEAL = "reveal"


STAGES: Final = tuple(Stage)
SECONDS: Final = {Stage.LIFT: 10, Stage.COUNT: 15, Stage.CALL: 18, Stage.REVEAL: 15}
"""The longest time of each stage."""
PAUSE_SECONDS: Final = 2
"""After the last answer: enough to read whether it was right."""
DUDO: Final = 1
"""The answer to a bid; 0 is a higher bid."""


class RoundZero(FrozenModel):
    """A running round zero."""

    stage: Stage = Stage.LIFT
    ends: float
    """When the stage ends at the latest."""
    host: int
    """The player who started the game."""
    rules: TableRules
    players: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    """The dice of each player, then those of the bot's friend, who bids."""
    answers: Mapping[int, int] = {}
    """The answers to the last question, by player."""
    knowing: tuple[int, ...] = ()
    """The players who know the game and would like to begin."""

    @property
    def quantity(self) -> int:
        """Return the number of the first bid: one more than can be expected, so that both answers are a risk."""
        return len(self.hands) * DICE // (3 if self.rules.wild_ones else 6) + 1

    def is_known(self, host: int, here: Collection[int]) -> bool:
        """Return True if the host would like to begin, or all its players who are still at the table."""
        return host in self.knowing or {each for each in self.players if each in here} <= {*self.knowing}

    def following(self, now: float) -> "RoundZero | None":
        """Return its next stage, or None after the last one."""
        if self.stage is STAGES[-1]:
            return None
        stage = STAGES[STAGES.index(self.stage) + 1]
        answers = self.answers if stage is Stage.REVEAL else {}
        return self.model_copy(update={"stage": stage, "ends": now + SECONDS[stage], "answers": answers})

    def answered(self, player: int, stage: Stage, answer: int, *, now: float) -> "RoundZero":
        """Return it with a player's first answer to its question; after the last one, the stage ends soon."""
        if stage != self.stage or stage is Stage.REVEAL or player not in self.players or player in self.answers:
            return self
        return self._with(now, answers={**self.answers, player: answer})

    def known(self, player: int, *, now: float) -> "RoundZero":
        """Return it with a player who knows the game; the others do not wait for this player's answers."""
        return self if player in self.knowing else self._with(now, knowing=(*self.knowing, player))

    def _with(self, now: float, **changes: Any) -> "RoundZero":
        after = self.model_copy(update=changes)
        if self.stage is Stage.REVEAL or not {*self.players} <= {*after.answers, *after.knowing}:
            return after
        return after.model_copy(update={"ends": min(self.ends, now + PAUSE_SECONDS)})


def deal(roll: Callable[[], int], players: Sequence[int], rules: TableRules, *, host: int, now: float) -> RoundZero:
    """Return a round zero at its first stage."""
    hands = tuple(tuple(roll() for _ in range(DICE)) for _ in (*players, None))
    return RoundZero(ends=now + SECONDS[Stage.LIFT], host=host, rules=rules, players=tuple(players), hands=hands)
