"""What the coach is asked: what the player on turn may see, and what everybody has seen of the game."""

from __future__ import annotations

from typing import Final, NamedTuple

from perudo_core import Observation, observe
from perudo_core.agents import Memory
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.tables.model import Status, Table

_SPREAD: Final = 1_000_003
"""A prime, so that no two decisions of a machine's life have the same seed."""


class Question(NamedTuple):
    """A decision to advise on. It holds no `State`: nobody else's dice leave the transaction."""

    observation: Observation
    memory: Memory
    seed: int
    """What chance decides in the advice follows from this, and this from what everybody knows."""


def question_of(uow: UnitOfWork, table: Table, player: int, step: int | None) -> Question | None:
    """The decision that a player has to make now; None if the table has no coach, or they have none to make."""
    seat = table.seat_of(player)
    game = table.game
    if seat is None or game is None or table.status is not Status.PLAYING or not table.coached:
        return None
    if game.turn != seat or step not in (None, table.step):
        return None
    memory = uow.memories.memory_of(uow.session, table)
    return Question(observe(game, seat), memory, table.id * _SPREAD + table.step)
