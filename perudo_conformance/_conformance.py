"""The whole check of an engine."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from perudo_conformance._checked_engine import CheckedEngine
from perudo_conformance._core_engine import CoreEngine
from perudo_conformance._data_files import cases
from perudo_conformance._games import check_games, check_refusals
from perudo_conformance._optional_parts import check_fair_dice, check_notation, check_odds
from perudo_conformance._perft import check_perft
from perudo_conformance._protocols import Engine
from perudo_core._errors import abbreviated, expect_type
from perudo_core._rules import PRESETS

__all__ = ["Report", "check_engine"]


class Report(NamedTuple):
    """The numbers of answers that were compared, or None for a part that the engine does not offer."""

    perft: int
    steps: int
    refusals: int
    odds: int | None = None
    fair_dice: int | None = None
    notation: int | None = None

    def __str__(self) -> str:
        counts = {name.replace("_", " "): count for name, count in self._asdict().items()}
        return ", ".join(f"{name}: {'not offered' if count is None else count}" for name, count in counts.items())


def check_engine(engine: Engine[Any] | None = None, *, presets: Collection[str] = PRESETS) -> Report:
    """Check an engine (by default this library's own) against the published data files.

    The optional parts `OddsEngine`, `FairDiceEngine` and `NotationEngine` are checked if the engine offers them. Raises
    a `ConformanceError` at the first difference, whatever the engine does, and `ValueError` for an unknown preset. The
    draw of an opener, events and observations are not checked. An engine in this process has no time limit; a command
    has one, see `CommandEngine`.

    >>> check_engine(presets=["aces"]).perft
    21
    """
    expect_type(presets, Collection, "presets")
    unknown = [preset for preset in presets if preset not in PRESETS]
    if unknown:
        raise ValueError(f"presets must be of {', '.join(PRESETS)}, not {abbreviated(unknown[0])}")
    checked = CheckedEngine(CoreEngine() if engine is None else engine)
    steps = check_games(checked, presets)
    refusals = check_refusals(checked, presets)
    odds, fair_dice, notation = check_odds(checked), check_fair_dice(checked), check_notation(checked, presets)
    perft = sum(check_perft(checked, case) for case in cases("perft.json", presets))
    return Report(perft, steps, refusals, odds, fair_dice, notation)
