"""The size of the web seat: its lines of code, and the compressed files that a page can load, those of features too."""

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from test_support.documents import ROOT

CHANNEL: Final = ROOT / "telegram_bot/channels/web"
BESIDE: Final = tuple(ROOT / f"telegram_bot/{name}.py" for name in ("party", "storage/web_models", "words/page"))
"""Files of the channel outside its folder."""
MOST_PYTHON: Final = 3000
MOST_JAVASCRIPT: Final = 2500
MOST_KB: Final = 60.0


@dataclass(frozen=True, slots=True)
class PageWeight:
    """The size of the channel."""

    python: int
    """Lines."""
    javascript: int
    """Lines."""
    kilobytes: float

    @property
    def meets_goals(self) -> bool:
        return self.python <= MOST_PYTHON and self.javascript <= MOST_JAVASCRIPT and self.kilobytes <= MOST_KB

    def __str__(self) -> str:
        """Return the size and the goals, rounded, so that a changed line does not change the words."""
        rows = (
            (f"{round(self.python, -2):,} lines of Python", f"{MOST_PYTHON:,}", self.python <= MOST_PYTHON),
            (
                f"{round(self.javascript, -2):,} of JavaScript",
                f"{MOST_JAVASCRIPT:,}",
                self.javascript <= MOST_JAVASCRIPT,
            ),
            (f"{self.kilobytes:.0f} kB compressed", f"{MOST_KB:.0f}", self.kilobytes <= MOST_KB),
        )
        return ", ".join(f"{size} (goal {goal}: {'met' if met else '**missed**'})" for size, goal, met in rows)


def page_weight() -> PageWeight:
    """Weigh the files of today."""
    folders = (CHANNEL / "static", *(ROOT / "telegram_bot/features").glob("*/static"))
    served = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return PageWeight(
        _lines((*CHANNEL.glob("*.py"), *BESIDE)),
        _lines(file for folder in folders for file in folder.glob("*.js")),
        sum(len(gzip.compress(file.read_bytes(), 9)) for file in served) / 1000,
    )


def _lines(files: Iterable[Path]) -> int:
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
