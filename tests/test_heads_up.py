"""The program that makes the heads-up tables: trained to known values, and hard to win against."""

import lzma
from pathlib import Path

import numpy as np
import pytest

from perudo_core.agents import _headup as headup
from perudo_core.agents._headup_tree import Round, RoundKind, situations
from perudo_core.solving import solve
from test_support import heads_up

ONE_DIE = Round(RoundKind.ONE_THING, 1, 1)


@pytest.mark.parametrize("kind", [RoundKind.ONE_THING, RoundKind.NO_DECREASE, RoundKind.ONES_LOWEST])
def test_one_die_each_has_its_known_value(kind: RoundKind) -> None:
    """Perudo's order: -1/18 for the opener (see test_solving)."""
    game = Round(kind, 1, 1)
    value = solve(kind.rules, (1, 1), iterations=200).value if kind is RoundKind.ONES_LOWEST else -1 / 18
    won = heads_up.best_results(game, heads_up.shipped_strategy(game))
    assert won == pytest.approx((value, -value), abs=0.003)


def test_training_comes_nearer_to_it() -> None:
    wins = []
    for iterations in (2, 25):
        solver = heads_up.Solver(ONE_DIE)
        solver.run(iterations)
        wins.append(sum(heads_up.best_results(ONE_DIE, solver.average)))
    assert 0 < 2 * wins[1] < wins[0]


def test_the_shipped_tables_are_hard_to_win_against(capsys: pytest.CaptureFixture[str]) -> None:
    heads_up.main(["exploitability", "--most-dice", "2"])
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    shares = {kind: float(share) for kind, _, _, share in rows}
    assert shares.keys() == {"one_thing", "no_decrease", "ones_lowest"}
    assert max(shares.values()) < 0.002
    for kind in (RoundKind.ONE_THING, RoundKind.NO_DECREASE):
        assert max(heads_up.exploitabilities(kind, 3, print).values()) < 0.01


def test_training_is_repeatable_and_writes_what_agents_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heads_up.main(["train", "--folder", str(tmp_path), "--most-dice", "2", "--iterations", "3"])
    assert len(capsys.readouterr().err.splitlines()) == 4
    kinds = ("no_decrease", "one_thing", "ones_lowest", "palifico")
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{kind}-1-1.xz" for kind in kinds]
    assert lzma.decompress((tmp_path / "one_thing-1-1.xz").read_bytes()) == heads_up.trained(ONE_DIE, 3)
    table = headup._table(Round(RoundKind.PALIFICO, 1, 1))
    assert table is not None
    assert len(heads_up.trained(Round(RoundKind.PALIFICO, 1, 1))) == len(table)


def test_rounds_of_different_counts_are_trained_for_both() -> None:
    game = Round(RoundKind.ONE_THING, 3, 2)
    solver = heads_up.Solver(game)
    solver.run(2)
    assert len(heads_up.trained(game, 2)) == sum(solver.average(*key).size for key in situations(game))


def test_quantized_strategies_lose_what_is_rare() -> None:
    assert heads_up.quantized(np.array([[0.01, 0.33, 0.66]], dtype=np.float32), 15) == bytes([0, 8, 15])
