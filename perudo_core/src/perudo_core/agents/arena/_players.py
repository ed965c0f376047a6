"""The players of a table: names as on the command line, or a program's own agents."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Final, TypeAlias

from perudo_core._programs import CommandError
from perudo_core.agents._registry import Agent, create_agent
from perudo_core.agents.engines import SECONDS, ProgramAgent

__all__ = ["ENGINE", "Player", "agent_of", "name_of"]

Player: TypeAlias = str | Agent | Callable[[], Agent]
"""A name, an agent, or a class or function that makes one."""

ENGINE: Final = "engine:"


def agent_of(player: Player, running: ExitStack, seconds: float = SECONDS) -> Agent:
    """Return an agent: `expert`, `regular:bold`, `engine:` and a command, or your own.

    `running` ends the command, whose answers may take so many `seconds`. Raises `ValueError` for an unknown name, and
    `TypeError` for a value that is not a player.
    """
    if not isinstance(player, str):
        made = player() if isinstance(player, type) or (not isinstance(player, Agent) and callable(player)) else player
        if not isinstance(made, Agent):
            raise TypeError(f"a player must be a name or have choose and interrupt, not {type(made).__name__}")
        return made
    if player.startswith(ENGINE):
        program = running.enter_context(ProgramAgent(player.removeprefix(ENGINE), seconds=seconds))
        try:
            program.start()
        except CommandError as error:  # such a command is no player
            raise CommandError(f"{player}: {error}") from None
        return program
    level, _, character = player.partition(":")
    return create_agent(level, character or "plain")


def name_of(player: Player) -> str:
    """Return a player's name in a table of results: the agent's `name`, else its class or its maker's name."""
    if isinstance(player, str):
        return player
    name = None if isinstance(player, type) else getattr(player, "name", None)
    return name if isinstance(name, str) else getattr(player, "__name__", type(player).__name__)
