"""The arrows of docs/architecture.md. The contracts themselves stand in pyproject.toml, under importlinter."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
CORE = "perudo_core/src/perudo_core"
EXTRAS = {
    f"{CORE}/agents/training/": {"numpy"},
    f"{CORE}/batch/": {"numpy"},
    f"{CORE}/openspiel/": {"numpy", "pyspiel", "open_spiel"},
}
"""The core's extras for researchers: the only packages of it that need libraries, and which."""


def imports(package: Path) -> Iterator[tuple[str, str]]:
    """Every absolute import below a folder, as (where, what)."""
    for file in sorted(package.rglob("*.py")):
        place = file.relative_to(ROOT)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((f"{place}:{node.lineno}", alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                yield f"{place}:{node.lineno}", str(node.module)


@pytest.mark.parametrize(
    ("package", "neighbours"),
    [
        (CORE, {"perudo_core"}),
        ("telegram_bot/tables", {"anyascii", "perudo_core", "telegram_bot.tables", "pydantic", "pydantic_core"}),
    ],
)
def test_pure_packages_lean_on_little_but_the_standard_library(package: str, neighbours: set[str]) -> None:
    found = list(imports(ROOT / package))
    assert found
    strangers = [
        f"{where} imports {name}"
        for where, name in found
        if not where.startswith(tuple(EXTRAS))
        and name.partition(".")[0] not in sys.stdlib_module_names
        and not any(name == near or name.startswith(f"{near}.") for near in neighbours)
    ]
    assert not strangers


def test_the_core_is_installed_with_no_dependencies() -> None:
    project = tomllib.loads((ROOT / "perudo_core/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == []
    assert set(project["optional-dependencies"]) == {"numpy", "openspiel"}


def test_only_the_extras_lean_on_libraries_and_nothing_else_imports_them() -> None:
    found = list(imports(ROOT / CORE))
    libraries = {library for each in EXTRAS.values() for library in each}
    leaning = [(where, name.partition(".")[0]) for where, name in found if name.partition(".")[0] in libraries]
    assert leaning
    assert not [
        (where, name)
        for where, name in leaning
        if not any(where.startswith(extra) and name in allowed for extra, allowed in EXTRAS.items())
    ]
    for extra in ("batch", "openspiel"):
        users = [where for where, name in found if name.startswith(f"perudo_core.{extra}")]
        assert not [where for where in users if not where.startswith(f"{CORE}/{extra}/")]


SUPPORT = "test_support"


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
