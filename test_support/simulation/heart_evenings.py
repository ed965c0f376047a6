"""The drawn evenings of the heart, of each kind: the same ones for the same source of chance."""

from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings

from test_support.simulation import heart_checks
from test_support.simulation.heart import Evening, Program
from test_support.simulation.heart_programs import programs, secret_programs

SECRET: Final = "secret"
SHARE: Final = {"calm": 3, "faults": 6, "deaths": 8, SECRET: 4}
"""How many evenings of each kind `make test` plays: programs find the planted faults."""


@dataclass
class Played:
    """The evenings that were played until one failed."""

    evenings: int = 0
    acts: int = 0
    kills: int = 0
    failed: Program | None = None
    number: int = 0
    """The number of the first evening that failed, of those that were drawn."""
    faults: list[str] = field(default_factory=list)
    """The faults of the evening that failed."""


def evenings(
    kind: str,
    source: int,
    empty: Path,
    *,
    first: int = 1,
    most: int = 10,
    end: float = inf,
    shrinks: float = 0,
) -> Played:
    """Play evenings of one kind until one fails.

    `first`: those before it are drawn, but not played. `end`: no evening begins later, by `perf_counter`. `shrinks`: so
    many seconds a shorter evening that fails is looked for.
    """
    played, drawn, known = Played(), 0, dict[Program, list[str]]()

    @seed(source)
    @settings(
        max_examples=most,
        database=None,
        deadline=None,
        phases=[Phase.generate, *([Phase.shrink] if shrinks else [])],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(secret_programs() if kind == SECRET else programs(kind))
    def each(program: Program) -> None:
        nonlocal drawn, end
        drawn += played.failed is None
        if program not in known:
            if drawn < first or perf_counter() > end:
                return
            variants: list[Evening] = []
            try:
                found, variants = heart_checks.played(program, empty)
            except Exception as error:  # noqa: BLE001 - an evening that ends early has failed, and a hunt goes on
                found = [f"ended early: {error!r}"]
            played.evenings += 1
            for evening in variants:
                played.acts += len(program.acts)
                played.kills += evening.counts["kills"]
            if not found:
                return
            if not known:
                played.number, end = drawn, perf_counter() + shrinks
            known[program] = found
        played.failed, played.faults = program, known[program]  # Hypothesis plays its shortest one last
        raise AssertionError(known[program][0])

    with suppress(AssertionError):
        each()
    return played
