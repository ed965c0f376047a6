"""The kinds of call that spectators predict."""

from enum import StrEnum

from telegram_bot.features.predictions.lobby_option import are_allowed
from telegram_bot.tables.views import TableView


class PredictedCall(StrEnum):
    """A kind of call that spectators may predict."""

    RAISE = "raise"
    DUDO = "dudo"
    CALZA = "calza"


def predictable_calls(view: TableView) -> tuple[PredictedCall, ...]:
    """Return the possible kinds of the next call, if there is a choice; a practice game has no spectators."""
    all_in_play = not any(seat.out for seat in view.seats)
    is_practice = not view.code
    if is_practice or not are_allowed(view.options, all_in_play=all_in_play) or not (view.raises and view.dudo):
        return ()
    calza = (PredictedCall.CALZA,) if view.calza else ()
    return (PredictedCall.RAISE, PredictedCall.DUDO, *calza)
