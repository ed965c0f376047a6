"""Store the results of a game when it is over."""

from __future__ import annotations

from perudo_core import GameOver
from telegram_bot.service.game_results import record_game
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork


class Statistics:
    """Stores results before the announcer tells of new achievements; a step that ends no game costs nothing."""

    def step_committed(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        """Look at games that somebody has won."""
        if any(isinstance(event, GameOver) for event in committed.step.game_events):
            record_game(uow.session, committed.step.table, committed.row.chat_id)
