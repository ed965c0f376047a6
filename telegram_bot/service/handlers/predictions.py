"""Handle predictions of the next call by whoever watches: only they are told, and nothing is sent to the group."""

from __future__ import annotations

from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import PredictCall
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, Toast
from telegram_bot.service.predictions import store_prediction
from telegram_bot.service.replies import answer
from telegram_bot.tables.predictions import check_prediction


def predict_call(context: TableContext, what: PredictCall) -> Toast | None:
    """Store a prediction of the next call; a later one for the same call replaces it."""
    table, uow = context.table, context.uow
    check_prediction(table, context.player_id, what.call, step=context.intent.step)
    store_prediction(uow.session, table.id, context.player_id, table.step, what.call)
    done = ConfirmationNotice(done=Confirmation.PREDICTED, predicted=what.call)
    return answer(uow, context.intent, context.player, done)
