"""`python -m test_support.feature_table` prints each feature with its lines and files, and the hooks that it uses."""

import sys
from dataclasses import fields
from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features import FEATURES
from telegram_bot.words.catalogue import FEATURES_DIR

_HOOKS: Final = [field.name for field in fields(Feature) if field.name not in ("name", "place")]


def lines_in(folder: Path) -> tuple[int, int]:
    """Return the lines of Python below a folder, and the number of its files of Python."""
    files = list(folder.rglob("*.py"))
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files), len(files)


def table() -> str:
    """Return one row for each feature, then the base game."""
    rows = ["| feature | lines | files | hooks used |", "|---|--:|--:|---|"]
    inside = 0
    for feature in FEATURES:
        lines, files = lines_in(FEATURES_DIR / feature.name)
        inside += lines
        used = ", ".join(hook.replace("_", " ") for hook in _HOOKS if getattr(feature, hook))
        rows.append(f"| {feature.name} | {lines:,} | {files} | {used} |")
    lines, files = lines_in(FEATURES_DIR.parent)
    features = lines_in(FEATURES_DIR)[1]
    return "\n".join([*rows, f"| the base game | {lines - inside:,} | {files - features} | |"])


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
