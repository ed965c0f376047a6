"""Finds the highlights of a game."""

from dataclasses import dataclass
from typing import Final

from perudo_core._actions import Bid, Seat
from perudo_core._errors import expect_type
from perudo_core.analysis._results import Decision, GameAnalysis

__all__ = ["Highlights", "highlights"]

LEAST_ROUNDS: Final = 2
"""The number of rounds with a single die that counts as nerves of steel."""
BOLD: Final = 0.5
"""A bluff that is more probable than this is not bold."""
PLAIN: Final = 0.9
"""A call with a higher chance than this is not remarkable."""


@dataclass(frozen=True, slots=True)
class Highlights:
    """The remarkable decisions and players of a game, or None for each that the game lacks."""

    boldest_bluff: Decision | None
    """The successful bluff (raised, or held) with the lowest chance from its bidder's view."""
    best_call: Decision | None
    """The best call that the dice proved right and that was not obvious, with the greatest lead over the next best
    call. Bluffs do not count."""
    steady: Seat | None
    """Nerves of steel: the seat that survived most rounds with a single die."""
    steady_rounds: int
    """The number of these rounds; 0 if there is no such seat."""


def highlights(game: GameAnalysis) -> Highlights:
    """Return the highlights of a game; the first one among equals.

    >>> from perudo_core import Bid, Dudo, Roll, Rules, record_of
    >>> from perudo_core.analysis import analyse
    >>> actions = [Roll(((2,), (3,))), Bid(0, 2, 2), Dudo(1)]
    >>> found = highlights(analyse(record_of(Rules(starting_dice=1), ["Ana", "Bo"], actions, opener=0)))
    >>> found.best_call, found.boldest_bluff, found.steady
    (None, None, None)
    """
    expect_type(game, GameAnalysis, "game")
    decisions = list(game.decisions)
    bluffs = [each for each in decisions if each.is_bluff and each.got_through and _chance(each) < BOLD]
    proved = [
        each
        for each in decisions
        if each.was_counted and each.is_right and each.lost == 0 and _chance(each) < PLAIN and _margin(each) > 0
    ]
    boldest = min(bluffs, key=_chance, default=None)
    survived = [0] * len(game.seats)
    for each in game.rounds:
        for seat, (count, won) in enumerate(zip(each.dice_counts, each.result, strict=True)):
            survived[seat] += count == 1 and won >= 0
    most = max(survived)
    return Highlights(
        boldest_bluff=boldest,
        best_call=max((each for each in proved if each is not boldest), key=_margin, default=None),
        steady=survived.index(most) if most >= LEAST_ROUNDS else None,
        steady_rounds=most if most >= LEAST_ROUNDS else 0,
    )


def _chance(decision: Decision) -> float:
    return 0.0 if decision.chosen is None else decision.chosen.after_calls


def _margin(decision: Decision) -> float:
    """Return the lead of the call over the best call of another kind or face.

    Another quantity of the same face is hardly another decision.
    """
    others = [each.worth for each in decision.weighing.calls if _idea(each.call) != _idea(decision.call)]
    worth = 0.0 if decision.chosen is None else decision.chosen.worth
    return worth - max(others) if others else 0.0


def _idea(call: object) -> object:
    return call.face if isinstance(call, Bid) else type(call)
