"""How many ways a game can go, for so many calls: if a count moves, somebody changed the rules."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from perudo_core import PRESETS, Phase, Roll, Rules, State, apply, legal_actions, new_game

COUNTS = tomllib.loads((Path(__file__).parent / "perft.toml").read_text(encoding="utf-8"))
HOUSE: dict[str, dict[str, object]] = {
    "as_printed": {},
    "with_calza": {"calza": True},
    "beyond": {"calza": True, "plain_raise": "any_higher", "out_of_turn_dudo": True, "ones_may_open": True},
}


def perft(state: State, calls: int) -> int:
    """The number of ways to make so many calls, each round rolled in a fixed pattern; a finished game is one way."""
    if state.phase is Phase.ROLLING:
        dice = tuple(
            tuple((seat + die + state.round) % 6 + 1 for die in range(count))
            for seat, count in enumerate(state.dice_counts)
        )
        state = apply(state, Roll(dice)).state
    legal = legal_actions(state)
    if state.is_terminal or calls == 1:
        return max(1, len(legal))
    return sum(perft(apply(state, call).state, calls - 1) for call in legal)


@pytest.mark.parametrize("house", HOUSE)
@pytest.mark.parametrize("preset", PRESETS)
def test_perft(preset: str, house: str) -> None:
    rules = Rules.preset(preset).with_options(starting_dice=2, **HOUSE[house])
    counts = {
        f"{seats}_seats": [perft(new_game(rules, seats, opener=0), calls) for calls in range(1, depth + 1)]
        for seats, depth in ((2, 4), (3, 3))
    }
    assert counts == COUNTS[preset][house]
