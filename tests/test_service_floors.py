"""How deep the service is: a change of the lowest module is felt at most eight floors up."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
MAX_FLOORS: Final = 8
MAX_LINES: Final = 350
FILES: Final = sorted(file for file in (ROOT / "telegram_bot/service").rglob("*.py") if file.name != "__init__.py")
MODULES: Final = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in FILES}


def imported(module: str) -> set[str]:
    """The modules of the service that a module imports."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {str(node.module) for node in nodes} | {
        f"{node.module}.{name.name}" for node in nodes for name in node.names
    }
    return names & MODULES.keys()


@cache
def floor(module: str) -> int:
    """1 for what imports nothing of the service; else one above the highest that it imports."""
    return 1 + max(map(floor, imported(module)), default=0)


def test_the_service_is_at_most_eight_floors_deep() -> None:
    assert len(MODULES) > 30
    assert max(map(floor, MODULES)) == floor("telegram_bot.service.service") <= MAX_FLOORS


def test_each_file_of_the_service_can_be_read_in_one_sitting() -> None:
    lines = {module: len(file.read_text(encoding="utf-8").splitlines()) for module, file in MODULES.items()}
    assert {module: count for module, count in lines.items() if count > MAX_LINES} == {}
