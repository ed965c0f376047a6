"""The players of a table: names as on the command line, or a program's own agents."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from random import Random
from typing import Any, Final, TypeAlias

from perudo_core._actions import Call
from perudo_core._client_codec import dump_observation, load_call
from perudo_core._observation import Observation
from perudo_core.agents._memory import Memory
from perudo_core.agents._registry import Agent, create_agent
from perudo_core.agents.arena._odd_players import HELD_OUT, LITERATURE, WITH_A_HABIT, OddPlayer
from perudo_core.testing._json_lines import CommandEngine

__all__ = ["ENGINE", "ODD_PLAYERS", "EnginePlayer", "Player", "agent_of", "name_of"]

Player: TypeAlias = str | Agent | Callable[[], Agent]
"""A name, an agent, or a class or function that makes one."""

ENGINE: Final = "engine:"

ODD_PLAYERS: Final = {name: OddPlayer(habit) for name, habit in (LITERATURE | WITH_A_HABIT | HELD_OUT).items()}


class EnginePlayer:
    """A program in any language that answers the request `choose` of the conformance kit's JSON lines."""

    def __init__(self, engine: CommandEngine) -> None:
        self._engine = engine

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """Return the engine's call; raises `CommandError` or `StateError` for another answer."""
        del memory, rng
        said: Any = self._engine.choose(dump_observation(observation))
        return load_call(said, observation.seat or 0)

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Return None, because an engine is asked only on its turn."""
        del observation, memory, rng
        return None


def agent_of(player: Player, running: ExitStack) -> Agent:
    """Return an agent: `expert`, `regular:bold`, one of `ODD_PLAYERS`, `engine:` and a command, or your own.

    `running` ends the command. Raises `ValueError` for an unknown name, `TypeError` for a value that is not a player.
    """
    if not isinstance(player, str):
        made = player() if isinstance(player, type) or (not isinstance(player, Agent) and callable(player)) else player
        if not isinstance(made, Agent):
            raise TypeError(f"a player must be a name or have choose and interrupt, not {type(made).__name__}")
        return made
    if player.startswith(ENGINE):
        return EnginePlayer(running.enter_context(CommandEngine(player.removeprefix(ENGINE))))
    if player in ODD_PLAYERS:
        return ODD_PLAYERS[player]
    level, _, character = player.partition(":")
    return create_agent(level, character or "plain")


def name_of(player: Player) -> str:
    """Return a player's name in a table of results: the agent's `name`, else its class or its maker's name."""
    if isinstance(player, str):
        return player
    name = None if isinstance(player, type) else getattr(player, "name", None)
    return name if isinstance(name, str) else getattr(player, "__name__", type(player).__name__)
