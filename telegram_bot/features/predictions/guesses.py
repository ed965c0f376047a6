"""The guesses of people without dice: whether there are fewer, exactly as many or more dice than the bid says."""

from enum import StrEnum

from telegram_bot.features.predictions.lobby_option import OFF, SINCE
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import TableView


class Guess(StrEnum):
    """A guess about the bid that is called at the end of a round."""

    BLUFF = "bluff"
    EXACT = "exact"
    MORE = "more"


def has_ghosts(view: TableView) -> bool:
    """Return True if people without dice may guess in this game; a practice game has no spectators."""
    is_practice = not view.code
    return not is_practice and SINCE.value_in(view.options) != OFF


def truth(view: RevealView) -> Guess | None:
    """Return the right guess, or None if no call ended the round."""
    if view.bid is None or view.count is None or view.call not in ("dudo", "calza"):
        return None
    off = view.count - view.bid.quantity
    return Guess.EXACT if off == 0 else Guess.MORE if off > 0 else Guess.BLUFF
