"""The distribution: the standard library only."""

import ast
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import perudo_core
from tests.perudo_core.builds import PROJECT

PACKAGE = Path(perudo_core.__file__).parent  # as installed: of a wheel too
SOURCES = sorted(PACKAGE.rglob("*.py"))
BUILDS_ON = {"gymnasium": {"batch", "_learning.py"}, "pettingzoo": {"_learning.py"}}
EXTRAS = {
    "batch": {"numpy"},
    "gymnasium": {"numpy", "gymnasium"},
    "openspiel": {"numpy", "pyspiel"},
    "pettingzoo": {"numpy", "gymnasium", "pettingzoo"},
    "_learning.py": {"numpy", "gymnasium"},
    "solving.py": {"numpy"},
}


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The modules that these statements load."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module or "")
    return names


def test_nothing_but_the_standard_library() -> None:
    """`batch` and `openspiel` are exceptions: only their extras need them, and no other module imports them."""
    strangers = []
    for path in SOURCES:
        parts = path.relative_to(PACKAGE).parts
        extras = next((needed for name, needed in EXTRAS.items() if name in parts), set())
        known = sys.stdlib_module_names | {"perudo_core"} | extras
        if path.name == "_mypyc.py":
            known |= {"mypy_extensions"}  # for type checkers alone
        tree = ast.parse(path.read_text(encoding="utf-8"))
        wanted = {name for name in imported(ast.walk(tree)) if name.partition(".")[0] not in known}
        shown = {*parts, *(name for part in parts for name in BUILDS_ON.get(part, ()))}
        hidden = tuple(f".{name.removesuffix('.py')}" for name in EXTRAS.keys() - shown)
        # a command may import its own modules when it runs
        wanted |= {name for name in imported(tree.body) if any(extra in name for extra in hidden)}
        strangers += [f"{path} imports {name}" for name in wanted]
    assert strangers == []


def test_the_distribution_asks_for_nothing() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == []
    assert list(project["optional-dependencies"]) == ["numpy", "gymnasium", "pettingzoo", "openspiel"]
    assert (PACKAGE / "py.typed").exists()


def test_the_package_stays_small() -> None:
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES) <= 14_000
