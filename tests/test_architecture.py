"""The arrows of docs/architecture.md. The contracts themselves are in pyproject.toml, under importlinter."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from test_support.documents import ROOT

SUPPORT = "test_support"


def imports(package: Path) -> Iterator[tuple[str, str]]:
    """Every absolute import below a folder, as (where, what)."""
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(ROOT)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((f"{place}:{node.lineno}", alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield f"{place}:{node.lineno}", str(node.module)


def test_the_pure_package_leans_on_little_but_the_standard_library() -> None:
    """The core's own tests check the same for the core."""
    libraries = ("anyascii", "wcwidth", "perudo_core", "pydantic", "pydantic_core")
    neighbours = (*libraries, "telegram_bot.registry", "telegram_bot.tables")
    found = list(imports(ROOT / "telegram_bot/tables"))
    assert found
    assert [
        f"{where} imports {name}"
        for where, name in found
        if name.partition(".")[0] not in sys.stdlib_module_names
        and not any(name == near or name.startswith(f"{near}.") for near in neighbours)
    ] == []


@pytest.mark.parametrize(
    ("folder", "must_not_import"),
    [
        ("tests", {"benchmarks"}),
        ("benchmarks", {"tests"}),
        (SUPPORT, {"benchmarks", "tests"}),
        ("telegram_bot", {"benchmarks", "tests", SUPPORT}),
        ("perudo_core", {"benchmarks", "tests", SUPPORT}),
        ("telegram_sandbox", {"benchmarks", "tests", SUPPORT}),
    ],
)
def test_tests_and_benchmarks_share_test_support_and_nothing_else(folder: str, must_not_import: set[str]) -> None:
    found = list(imports(ROOT / folder))
    assert found
    assert [f"{where} imports {name}" for where, name in found if name.partition(".")[0] in must_not_import] == []


def test_each_function_on_the_way_of_a_bid_is_where_the_page_says() -> None:
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    _, _, way = page.partition("## From a bid to six phones\n")
    named = re.findall(r"^\d+\. `([\w.]+)`, `(telegram_bot/[\w/]+)\.py`", way.partition("\n## ")[0], re.MULTILINE)
    assert len(named) == 8
    for function, file in named:
        found = attrgetter(function)(import_module(file.replace("/", ".")))
        assert found.__module__ == file.replace("/", "."), function


def test_only_its_own_predicate_looks_at_the_sign_of_a_number_of_a_player_a_place_or_a_table() -> None:
    numbers = {"address", "chat", "chat_id", "owner", "person", "player", "player_id", "subject", "table_id"}
    found = set[tuple[str, str]]()
    package = ROOT / "telegram_bot"
    for file in set(package.rglob("*.py")) - set((package / "storage/migrations").rglob("*.py")):
        for part in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = part.name if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) else None
            if isinstance(part, ast.Assign | ast.AnnAssign):
                named = ast.unparse(part.targets[0] if isinstance(part, ast.Assign) else part.target)
            if named is not None:
                place = str(file.relative_to(package))
                found |= {(place, named) for node in ast.walk(part) if _looks_at_sign(node, numbers)}
    assert found == {
        ("channels/sms/sender.py", "is_group"),
        ("channels/telegram/__init__.py", "is_group"),
        ("features/tournament/tables.py", "tournament_about"),
        ("screens/routes.py", "is_room"),
        ("intents/slots.py", "OF_A_TABLE"),
        ("tables/model.py", "is_person"),
    }


def _looks_at_sign(node: ast.AST, numbers: set[str]) -> bool:
    """Return True for a comparison of one of these numbers with zero."""
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return False
    sides = [ast.unparse(side) for side in (node.left, *node.comparators)]
    return "0" in sides and any(set(re.findall(r"\w+", side)[-1:]) & numbers for side in sides)
