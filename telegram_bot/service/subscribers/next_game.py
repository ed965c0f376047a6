"""Tell the people who asked for it that a lobby has opened."""

from __future__ import annotations

from telegram_bot.service.game_notices import NextGameNotice
from telegram_bot.service.next_game import end_mentions, take_wishes
from telegram_bot.service.notices import Envelope
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.tables.events import GameStarted, TableClosed
from telegram_bot.tables.model import Status


class NextGame:
    """Tells people in private; the lobby's message mentions the others, so this comes before the announcer.

    A practice table calls nobody: there is no seat for them.
    """

    def step_committed(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        """Look at lobbies that open, begin or close."""
        table = committed.step.table
        if committed.before is None and table.status is Status.LOBBY and not table.practice:
            chat = uow.chat_of(committed.row)
            for player in take_wishes(uow, chat, table):
                envelope = Envelope(
                    channel=player.channel,
                    chat=player.address,
                    language=uow.language_for(player),
                    dice_style=uow.dice_style_for(player),
                    notice=NextGameNotice(title=chat.title, code=table.code),
                )
                uow.enqueue(envelope)
        elif any(isinstance(event, GameStarted | TableClosed) for event in committed.step.events):
            end_mentions(uow, table.id)
