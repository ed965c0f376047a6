"""Confidence intervals of 95 %, quantiles and the calibration error."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log10, sqrt
from typing import Final

__all__ = ["calibration_error", "percentile", "rating_difference", "wilson"]

Z: Final = 1.959964
BINS: Final = 10


def wilson(successes: float, trials: int) -> tuple[float, float]:
    """Wilson's interval of a share.

    >>> [round(end, 3) for end in wilson(25, 100)]
    [0.175, 0.343]
    """
    if not trials:
        return 0.0, 1.0
    share = successes / trials
    spread = 1 + Z * Z / trials
    middle = share + Z * Z / (2 * trials)
    half = Z * sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    return (middle - half) / spread, (middle + half) / spread


def rating_difference(share: float, players: int) -> float:
    """Return by how many points of Elo's scale a player who wins this share of the games is above the others' mean.

    >>> rating_difference(0.25, 4), round(rating_difference(0.64, 2))
    (0.0, 100)
    """
    if not 0 < share < 1:
        return inf if share else -inf
    return 400 * log10(share * (players - 1) / (1 - share))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which this share of all values lies; 0 for no values."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def calibration_error(forecasts: Sequence[tuple[float, bool]]) -> float:
    """Return the expected calibration error: the mean difference between forecasts and frequencies over ten bins.

    >>> calibration_error([(0.8, True), (0.8, True), (0.8, False), (0.8, True)])
    0.050000000000000044
    """
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for chance, happened in forecasts:
        bins[min(int(chance * BINS), BINS - 1)].append((chance, happened))
    missed = 0.0
    for each in filter(None, bins):
        missed += abs(sum(chance for chance, _ in each) - sum(happened for _, happened in each))
    return missed / len(forecasts) if forecasts else 0.0
