"""The players of a table by their names on the command line."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random
from typing import TYPE_CHECKING, Any, Final

from perudo_core.actions import Call
from perudo_core.agents.arena.odd_players import Bayesian, Binomial, Maniac, MinimumRaise, Parrot, Rock, Threshold
from perudo_core.agents.memory import Memory
from perudo_core.agents.registry import Agent, create_agent
from perudo_core.client_codec import dump_observation, load_call
from perudo_core.observation import Observation
from perudo_core.testing.json_lines import CommandEngine

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ENGINE", "ODD_PLAYERS", "EnginePlayer", "player"]

ENGINE: Final = "engine:"

ODD_PLAYERS: Final[dict[str, Callable[[], Agent]]] = {
    "bayes": Bayesian,
    "binomial": Binomial,
    "minimum": MinimumRaise,
    "threshold": Threshold,
    "parrot": Parrot,
    "maniac": Maniac,
    "rock": Rock,
}


class EnginePlayer:
    """A program in any language that answers the request `choose` of the conformance kit's JSON lines."""

    def __init__(self, engine: CommandEngine) -> None:
        self._engine = engine

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """What the engine says; raises `CommandError` or `StateError` where it is no call."""
        del rng
        said: Any = self._engine.choose(dump_observation(observation), list(memory.dice_counts))
        return load_call(said, observation.seat or 0)

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Nothing: an engine is asked on its turn alone."""
        del observation, memory, rng
        return None


def player(name: str, running: ExitStack) -> Agent:
    """The player of a name: `expert`, `regular:bold`, one of `ODD_PLAYERS`, or `engine:` and a command.

    `running` ends the command. Raises `ValueError` for a name that is none.
    """
    if name.startswith(ENGINE):
        return EnginePlayer(running.enter_context(CommandEngine(name.removeprefix(ENGINE))))
    if name in ODD_PLAYERS:
        return ODD_PLAYERS[name]()
    level, _, character = name.partition(":")
    return create_agent(level, character or "plain")
