"""Compare spectators' predictions with the calls of a game."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from perudo_core import Action, Bid, Calza, Dudo, OpenerDraw, OpeningRoll, Roll
from telegram_bot.features.predictions.calls import PredictedCall


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


def scores(predictions: Iterable[Prediction], actions: Sequence[Action]) -> list[Score]:
    """Compare everyone's predictions with the calls of the game; the best spectator comes first.

    Every action of a game except chance is a step.
    """
    calls = [_kind_of(action) for action in actions if not isinstance(action, Roll | OpeningRoll | OpenerDraw)]
    made: defaultdict[int, int] = defaultdict(int)
    right: defaultdict[int, int] = defaultdict(int)
    for each in predictions:
        if each.step < len(calls) and calls[each.step] is not None:
            made[each.player] += 1
            right[each.player] += calls[each.step] == each.call
    found = [Score(player, right[player], made[player]) for player in made]
    return sorted(found, key=lambda score: (-score.right, score.made, score.player))


def _kind_of(action: Action) -> PredictedCall | None:
    """Return the kind of a call, or None if a player left or missed a turn, so that predictions do not count."""
    match action:
        case Bid():
            return PredictedCall.RAISE
        case Dudo():
            return PredictedCall.DUDO
        case Calza():
            return PredictedCall.CALZA
        case _:
            return None
