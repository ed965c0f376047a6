"""The arrows of docs/architecture.md. The contracts themselves are in pyproject.toml, under importlinter."""

import ast
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
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
    neighbours = (
        "anyascii",
        "wcwidth",
        "perudo_core",
        "telegram_bot.registry",
        "telegram_bot.tables",
        "pydantic",
        "pydantic_core",
    )
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
