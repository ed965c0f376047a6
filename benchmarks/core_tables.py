"""Rates measured in turn, and tables of them in Markdown."""

import statistics
from collections.abc import Sequence

__all__ = ["head", "median", "ratio", "row", "three_digits"]


def median(numbers: Sequence[float]) -> float:
    """Return the median of what each turn measured."""
    return statistics.median(numbers)


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return how many times theirs ours is: the median of the ratios within a turn."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def three_digits(number: float) -> str:
    """Return a number with three significant digits."""
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"  # noqa: PLR2004 - three digits before the point


def row(*cells: object) -> None:
    """Print a row of a table."""
    print("|", " | ".join(map(str, cells)), "|", flush=True)


def head(*cells: str) -> None:
    """Print the head of a table."""
    print()
    row(*cells)
    row(*("---" for _ in cells))
