"""The arena, in which agents play each other, your own included: `python -m perudo_core.agents arena`."""

from perudo_core._public_names import publish
from perudo_core.agents.arena._players import Player
from perudo_core.agents.arena._runner import ArenaResult, PlayerResult, play

__all__ = ["ArenaResult", "Player", "PlayerResult", "play"]

publish(globals())
