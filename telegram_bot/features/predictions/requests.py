"""The request of a ghost, a person without dice who guesses."""

from dataclasses import dataclass

from telegram_bot.features.predictions.guesses import Guess, has_ghosts
from telegram_bot.features.predictions.notices import GuessAnswer, GuessAnswerNotice
from telegram_bot.features.predictions.tables import Prediction
from telegram_bot.notices import Toast
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import TableView, table_view


@dataclass(frozen=True, slots=True)
class GuessCall(TableRequest):
    """Guess what the dice will say of the bid that is called at the end of this round."""

    buttons = (Button("guess={guess}"),)
    acts = (Act("guess", "guess"),)

    guess: Guess

    def handle(self, context: TableContext) -> Toast | None:
        """Store a guess for this round; a later one replaces it, until a call ends the round.

        The answer does not reveal a claimed calza: only its caller knows of a claim.

        Raises:
            RejectedError: the guess is for another round, or this table has no guesses now.
        """
        table, seat = context.table, context.table.seat_of(context.player_id)
        answered = GuessAnswer.PLAYING if seat is not None and table.in_play(seat) else GuessAnswer.STORED
        if answered is GuessAnswer.STORED:
            view = table_view(table) if table.status is Status.PLAYING else None
            if view is None or context.intent.step not in _steps_with_a_bid(view):
                raise RejectedError(RejectionReason.STALE)
            if not has_ghosts(view):
                raise RejectedError(RejectionReason.UNKNOWN_OPTION)
            stored = Prediction(table_id=table.id, player_id=context.player_id, deal=table.deals, guess=self.guess)
            context.uow.session.merge(stored)
            context.uow.session.flush()
        notice = GuessAnswerNotice(answer=answered, guess=self.guess)
        return answer(context.uow, context.intent, context.player, notice)


def _steps_with_a_bid(view: TableView) -> range:
    """Return the steps of this round at which there was a bid: a guess counts although a player has raised since."""
    return range(view.step - len(view.bids) + 1, view.step + 1)
