"""Handle the prediction of a spectator."""

from dataclasses import dataclass

from telegram_bot.features.predictions.calls import PredictedCall, predictable_calls
from telegram_bot.features.predictions.notices import PredictionAnswer, PredictionAnswerNotice
from telegram_bot.features.predictions.stored import store_prediction
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.forms import Button
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.notices import Toast
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import table_view


@dataclass(frozen=True, slots=True)
class PredictCall(TableRequest):
    """Predict the kind of the next call, as a spectator."""

    buttons = (Button("predict={call}"),)

    call: PredictedCall

    def handle(self, context: TableContext) -> Toast | None:
        """Store a prediction of the next call; a later one for the same call replaces it.

        The answer does not reveal a claimed calza: only its caller knows of a claim.

        Raises:
            RejectedError: this table has no predictions now.
        """
        table, seat = context.table, context.table.seat_of(context.player_id)
        if seat is not None and table.in_play(seat):
            answered = PredictionAnswer.PLAYING
        elif table.status is not Status.PLAYING or context.intent.step != table.step:
            answered = PredictionAnswer.LATE
        elif self.call not in predictable_calls(table_view(table)):
            raise RejectedError(RejectionReason.UNKNOWN_OPTION)
        else:
            answered = PredictionAnswer.STORED
            store_prediction(context.uow.session, table.id, context.player_id, table.step, self.call)
        notice = PredictionAnswerNotice(answer=answered, call=self.call)
        return answer(context.uow, context.intent, context.player, notice)
