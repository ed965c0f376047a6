"""The distribution: standard library only, no draw but one, no rule by a preset's name."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import perudo_core

PROJECT = Path(__file__).parents[2] / "perudo_core"
PACKAGE = Path(perudo_core.__file__).parent  # as installed: of a wheel too
SOURCES = sorted(PACKAGE.rglob("*.py"))
EXTRAS = {"batch": {"numpy"}, "openspiel": {"numpy", "pyspiel"}, "training": {"numpy"}}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names.add(node.module or "")
    return names


def imported_at_start(path: Path) -> set[str]:
    """What is imported with the module: a command may import what only it needs when it runs."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {
        name
        for node in body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }


def test_nothing_but_the_standard_library() -> None:
    """But for `batch` and `openspiel`, which are asked for by their extras and which nothing else imports."""
    strangers = []
    for path in SOURCES:
        parts = path.relative_to(PACKAGE).parts
        extras = next((wanted for name, wanted in EXTRAS.items() if name in parts), set())
        known = sys.stdlib_module_names | {"perudo_core"} | extras
        strangers += [f"{path} imports {name}" for name in imported(path) if name.partition(".")[0] not in known]
        hidden = tuple(f".{name}" for name in EXTRAS.keys() - set(parts))
        strangers += [
            f"{path} imports {name}" for name in imported_at_start(path) if any(extra in name for extra in hidden)
        ]
    assert strangers == []


def test_the_distribution_asks_for_nothing() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == []
    assert list(project["optional-dependencies"]) == ["numpy", "openspiel"]
    assert (PACKAGE / "py.typed").exists()


def test_one_place_draws() -> None:
    """Beside `chance`: games in arrays, imagined states, agents, given a chance; analyses and proofs, by a seed."""
    drawing = [path for path in SOURCES if re.search(r"\brng\.", path.read_text(encoding="utf-8"))]
    assert {path.relative_to(PACKAGE).parts[0] for path in drawing} == {
        *("agents", "analysis", "batch"),
        *("chance.py", "sampling.py"),
    }
    others = [path for path in SOURCES if path.relative_to(PACKAGE).parts[0] not in {"agents", "analysis"}]
    drawn = [path.stem for path in others if imported(path) & {"random", "secrets"}]
    assert drawn == ["chance", "fair", "fair_record", "sampling"]


def test_no_rule_asks_for_a_presets_name() -> None:
    presets = set(perudo_core.PRESETS)
    for path in SOURCES:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        named = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)} & presets
        assert not named or path.stem == "rules"
        asked = [n for n in nodes if isinstance(n, ast.Attribute) and n.attr in {"preset", "based_on"}]
        assert not asked or path.stem in {"rules", "__main__"}
