"""Spectators' predictions of the next kind of call. They do not change the table."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from perudo_core import Action, Bid, Calza, Dudo, OpenerDraw, OpeningRoll, Roll
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.views import PredictedCall, predictable_calls


@dataclass(frozen=True, slots=True)
class Prediction:
    """A spectator's prediction for one step of a game."""

    player: int
    step: int
    call: PredictedCall


@dataclass(frozen=True, slots=True)
class Score:
    """A spectator's right predictions, and all predictions of the spectator that count."""

    player: int
    right: int
    made: int


class _Void(StrEnum):
    """A step that ended without a call: a player left, or missed a turn. Its predictions do not count."""

    NO_CALL = "no_call"


def check_prediction(table: Table, player: int, call: PredictedCall, *, step: int | None) -> None:
    """Check that a person may predict the next call; `step`: the step of the game that they saw.

    It does not reveal a claimed calza: only its caller knows of a claim.

    Raises:
        RejectedError: they play, the step is over, or this table has no predictions now.
    """
    if table.status is not Status.PLAYING or table.game is None:
        raise RejectedError(RejectionReason.PREDICTED_LATE)
    seat = table.seat_of(player)
    if seat is not None and table.in_play(seat):
        raise RejectedError(RejectionReason.PLAYERS_PREDICT_NOTHING)
    if step != table.step:
        raise RejectedError(RejectionReason.PREDICTED_LATE)
    if call not in predictable_calls(table):
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)


def scores(predictions: Iterable[Prediction], actions: Sequence[Action]) -> list[Score]:
    """Compare everybody's predictions with the calls of the game; the best spectator comes first.

    Every action of a game except chance is a step.
    """
    calls = [_kind_of(action) for action in actions if not isinstance(action, Roll | OpeningRoll | OpenerDraw)]
    made: defaultdict[int, int] = defaultdict(int)
    right: defaultdict[int, int] = defaultdict(int)
    for each in predictions:
        if each.step < len(calls) and calls[each.step] is not _Void.NO_CALL:
            made[each.player] += 1
            right[each.player] += calls[each.step] == each.call
    found = [Score(player, right[player], made[player]) for player in made]
    return sorted(found, key=lambda score: (-score.right, score.made, score.player))


def _kind_of(action: Action) -> PredictedCall | _Void:
    match action:
        case Bid():
            return PredictedCall.RAISE
        case Dudo():
            return PredictedCall.DUDO
        case Calza():
            return PredictedCall.CALZA
        case _:
            return _Void.NO_CALL
