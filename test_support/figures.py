"""The measured figures of the documents, from `benchmarks/figures.toml`."""

import datetime as dt
import os.path
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from test_support.documents import ROOT
from test_support.page_weight import page_weight

FILE: Final = ROOT / "benchmarks/figures.toml"
USUAL_MACHINE: Final = "two cores of a shared machine"
TABLES: Final = ROOT / "perudo_core/src/perudo_core/agents/tables"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of one measurement, or a table of figures."""

    name: str
    page: str
    """The page that prints it."""
    value: str
    """A summary. The gaps of a figure of today are filled from the files, or from the first row of its table."""
    goal: str | None = None
    missed: bool = False
    command: str
    date: dt.date | None = None
    """None for a figure of today, which a test measures."""
    commit: str | None = None
    """The commit that brought it into the documents, or None for a figure of today."""
    machine: str = USUAL_MACHINE
    table: str | None = None
    printed: dict[str, str] = field(default_factory=dict[str, str])
    """By the names of files: the words with which each prints it outside of a table."""

    def in_words(self, words: str) -> str:
        """Return words with the figures of today in their gaps."""
        if self.date is not None:
            return words
        if self.table is not None:
            return words.format(*re.findall(r"\d+", self.table.splitlines()[2]))
        return words.format(*TODAY[self.name]())


def figures() -> dict[str, Figure]:
    return {each["name"]: Figure(**each) for each in _written()["measured"]}


def limits() -> dict[str, list[str]]:
    """Return the sizes and times in pages that someone chose, and that no one measured, by the names of the pages."""
    return {page: list(words) for page, words in _written()["chosen"].items()}


def _written() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


TODAY: Final[dict[str, Callable[[], tuple[object, ...]]]] = {
    "weight of the web seat": lambda: tuple(f"{round(lines, -2):,}" for lines in page_weight()),
    "sample of faults": lambda: (len((ROOT / "benchmarks/mutants.tsv").read_text("utf-8").splitlines()) - 1,),
    "an engine in lines of JSON": lambda: (
        len((ROOT / "perudo_core/examples/json_lines_engine.py").read_text("utf-8").splitlines()),
    ),
    "tables of the agents": lambda: (f"{sum(file.stat().st_size for file in TABLES.iterdir()) / 1e6:.2f}",),
}
"""How to measure the figures of today that have no table."""


def with_date(figure: Figure) -> str:
    when = (
        "A test compares it with the code of today."
        if figure.date is None
        else f"Measured on {figure.date} (commit `{figure.commit}`): {figure.machine}."
    )
    return f"{figure.table}\n*{when}*\n"


def all_figures() -> str:
    lines = (
        f"| [{figure.name}]({os.path.relpath(figure.page, 'benchmarks')}) "
        f"| {with_goal(figure)} | {_measured(figure)} |\n"
        for figure in figures().values()
    )
    return "".join(("| figure | value (goal) | date, commit |\n|---|---|---|\n", *lines))


def with_goal(figure: Figure) -> str:
    goal = "" if figure.goal is None else f" ({figure.goal}: {'**missed**' if figure.missed else 'met'})"
    return figure.in_words(figure.value) + goal


def _measured(figure: Figure) -> str:
    if figure.date is None:
        return "today, by a test"
    machine = figure.machine.removeprefix(USUAL_MACHINE).lstrip(", ")
    return f"{figure.date} `{figure.commit}`{machine and f', {machine}'}"
