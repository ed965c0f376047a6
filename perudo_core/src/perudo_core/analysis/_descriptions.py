"""An analysis in words, as `python -m perudo_core analyse` prints it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from perudo_core._actions import Bid, Concede
from perudo_core._errors import expect_type
from perudo_core.analysis._highlighting import highlights
from perudo_core.analysis._results import Decision, GameAnalysis, PlayerAnalysis
from perudo_core.english import describe

__all__ = ["analysis_lines"]

SHOWN_CALLS: Final = 3


def analysis_lines(game: GameAnalysis) -> Iterator[str]:
    """Yield the analysis, round by round, then player by player; one line each, in English."""
    expect_type(game, GameAnalysis, "game")
    names = [name or f"Seat {number}" for number, name in enumerate(game.seats, 1)]
    yield describe(game.rules)
    yield "Odds: by dice alone / after what was said. In dice: an own one counts 1, those of n others 1/n each."
    for each in game.rounds:
        yield f"Round {each.number}: {', '.join(map('{} {}'.format, names, each.dice_counts))}"
        for decision in each.decisions:
            yield f"  {_decision(decision, names)}"
        yield f"  luck: {_signed_by(names, each.luck)}; skill: {_signed_by(names, each.skill)}"
    yield from ("Players", *(f"  {_player(player, names)}" for player in game.players))
    found = highlights(game)
    if found.boldest_bluff is not None:
        yield f"Boldest bluff that held: {_said(found.boldest_bluff, names)}"
    if found.best_call is not None:
        yield f"Best call: {_said(found.best_call, names)}"
    if found.steady is not None:
        yield f"Nerves of steel: {names[found.steady]}, {found.steady_rounds} rounds with one die"


def _decision(decision: Decision, names: Sequence[str]) -> str:
    hand = " ".join(map(str, decision.dice))
    calls = ", ".join(f"{each.call or 'silence'} {each.worth:+.2f}" for each in decision.weighing.calls[:SHOWN_CALLS])
    notes = [
        "a bluff" if decision.is_bluff else "",
        "lucky" if decision.is_lucky else "",
        "unlucky" if decision.is_unlucky else "",
        f"lost {decision.lost:.3f}" if decision.lost else "",
        f"best: {calls}",
    ]
    odds = ""
    if decision.chosen is not None:
        odds = f" {decision.chosen.by_dice:.0%} / {decision.chosen.after_calls:.0%}"
    call = "concedes" if isinstance(decision.call, Concede) else str(decision.call)
    return f"{names[decision.seat]} ({hand}) {call}{odds}; {'; '.join(filter(None, notes))}"


def _signed_by(names: Sequence[str], amounts: Sequence[float]) -> str:
    return ", ".join(f"{name} {amount:+.2f}" for name, amount in zip(names, amounts, strict=True))


def _player(player: PlayerAnalysis, names: Sequence[str]) -> str:
    return (
        f"{player.place}. {names[player.seat]}: {player.milli_dice_per_decision} milli-dice lost a decision "
        f"({player.decisions}); {player.bluffs} bluffs, {player.bluffs_through} got through; "
        f"{player.doubts} doubts, {player.right_doubts} right; result {player.result:+.2f} = "
        f"expected {player.expected:+.2f}, skill {player.skill:+.2f}, "
        f"luck {player.luck:+.2f} (own rolls {player.deal:+.2f})"
    )


def _said(decision: Decision, names: Sequence[str]) -> str:
    verb = "bids" if isinstance(decision.call, Bid) else "says"
    return f"{names[decision.seat]} {verb} {decision.call} in round {decision.round}"
