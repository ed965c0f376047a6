"""The public interface stays as it is, with its signatures."""

import ast
import inspect
import pickle
import re
import subprocess
import sys
import tomllib
import traceback
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pydoc import render_doc
from types import ModuleType

import pytest

import perudo_core
from perudo_core import Bid, Phase, Rules, RulesError, StateError, load_state
from tests.perudo_core.builds import PROJECT, SOURCES_FIRST

KEPT = Path(__file__).with_name("api.txt")
MODULES = ["perudo_core", "perudo_core.agents", "perudo_core.analysis", "perudo_core.english", "perudo_conformance"]


def lines(module: ModuleType) -> Iterator[str]:
    """A line for each name, option and method that a program may rely on."""
    for name in module.__all__:
        value = getattr(module, name)
        where = f"{module.__name__}.{name}"
        if not inspect.isclass(value):
            yield where + (signature(value) if inspect.isfunction(value) else "")
            continue
        yield where
        if issubclass(value, Enum):
            yield from (f"{where}.{each.name} = {each.value}" for each in value)
        stored = [each.name for each in fields(value)] if is_dataclass(value) else getattr(value, "_fields", ())
        yield from (f"{where}.{name}" for name in stored)
        for method, put in vars(value).items():
            made = put.__func__ if isinstance(put, classmethod | staticmethod) else put
            public = not method.startswith("_") and method not in stored
            if public and (inspect.isfunction(made) or isinstance(made, property)):
                yield f"{where}.{method}" + (signature(made) if inspect.isfunction(made) else "")


def signature(function: Callable[..., object]) -> str:
    """Names and kinds, and whether there is a default: type checkers look at the annotations."""
    known, no = inspect.signature(function).parameters.values(), inspect.Parameter.empty
    bare = [each.replace(annotation=no, default=no if each.default is no else 0) for each in known]
    return str(inspect.Signature(bare)).replace("=0", "=...")


def test_what_programs_rely_on_is_as_it_was() -> None:
    """A new line needs a new version; a missing line is a broken promise. Both belong in CHANGELOG.md."""
    program = SOURCES_FIRST.format(module="tests.perudo_core.test_api")
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)  # noqa: S603 - ours
    again = "`python -m tests.perudo_core.test_api >tests/perudo_core/api.txt` writes the file again"
    assert said.stdout.splitlines() == KEPT.read_text(encoding="utf-8").splitlines(), again


@pytest.mark.parametrize("name", MODULES)
def test_the_public_names_are_in_order_and_each_is_there_once(name: str) -> None:
    names = import_module(name).__all__
    assert names == sorted(set(names), key=lambda each: (not each.isupper(), not each[0].isupper(), each))


INSIDE = [
    *("agents", "agents.arena", "agents.engines", "analysis", "english", "fair", "fair_record"),
    *("notation", "odds", "solving", "stirs"),
]
EXTRAS = ["batch", "gymnasium", "openspiel", "pettingzoo"]


def test_dir_shows_the_public_names_alone_and_their_classes_name_a_public_module() -> None:
    for name in ("perudo_core", *(f"perudo_core.{each}" for each in (*INSIDE, *EXTRAS))):
        module = import_module(name)
        shown = {each for each in dir(module) if not each.startswith("__")}
        inside = {each for each in shown if f"{name}.{each}" in sys.modules}
        assert shown - inside == set(module.__all__), name
        assert not any(each.startswith("_") for each in inside)
        assert {"__doc__", "__name__"} <= set(dir(module))
        for value in (getattr(module, each) for each in module.__all__):
            if isinstance(value, type) and name.removeprefix("perudo_core.") not in EXTRAS:
                assert "._" not in value.__module__
                assert getattr(import_module(value.__module__), value.__qualname__) is value
                if is_dataclass(value):
                    assert typing.get_type_hints(value), "libraries that read types find those of its fields"


def test_help_begins_with_all_names_by_subject_and_has_nothing_that_each_value_text_or_error_of_python_has() -> None:
    listed = re.findall(r"`(\w+)`", perudo_core.__doc__ or "")
    assert sorted(listed) == sorted(perudo_core.__all__)
    assert dir(Bid) == ["face", "quantity", "seat"]
    assert dir(Phase) == sorted(Phase.__members__)
    assert dir(RulesError) == []
    assert render_doc(perudo_core).count("\n") <= 3_000


def test_tracebacks_and_pickles_name_public_modules_and_the_version_is_that_of_the_distribution() -> None:
    with pytest.raises(StateError) as caught:
        load_state({})
    assert "\nperudo_core.StateError: " in "".join(traceback.format_exception(caught.value))
    assert b"perudo_core._" not in pickle.dumps([Bid(0, 5, 3), StateError("a"), Rules()], protocol=2)
    assert perudo_core.__version__ == version("perudo-core")
    with pytest.raises(AttributeError, match="module 'perudo_core' has no attribute 'shake'"):
        _ = perudo_core.shake  # type: ignore[attr-defined]


def test_an_import_loads_no_computer_player_and_reads_no_file_of_a_rulebook() -> None:
    unwanted = ("perudo_core.agents", "numpy", "tomllib", "importlib.resources", "importlib.metadata", "lzma")
    loaded = "set(sys.modules) - old"
    program = f"import sys; old = set(sys.modules); import perudo_core; print({{*{unwanted}}} & ({loaded}))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout  # noqa: S603 - ours
    assert said == "set()\n"


PACKAGE = Path(perudo_core.__file__).parent  # as installed: of a wheel too
SOURCES = sorted(PACKAGE.rglob("*.py"))
BUILDS_ON = {"gymnasium": {"batch", "_learning.py"}, "pettingzoo": {"_learning.py"}}
NEEDED = {
    "batch": {"numpy"},
    "gymnasium": {"numpy", "gymnasium"},
    "openspiel": {"numpy", "pyspiel"},
    "pettingzoo": {"numpy", "gymnasium", "pettingzoo"},
    "_learning.py": {"numpy", "gymnasium"},
    "solving.py": {"numpy"},
}


def imported(nodes: Iterable[ast.AST]) -> set[str]:
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
        extras = next((needed for name, needed in NEEDED.items() if name in parts), set())
        known = sys.stdlib_module_names | {"perudo_core"} | extras
        if path.name == "_mypyc.py":
            known |= {"mypy_extensions"}  # for type checkers alone
        tree = ast.parse(path.read_text(encoding="utf-8"))
        wanted = {name for name in imported(ast.walk(tree)) if name.partition(".")[0] not in known}
        shown = {*parts, *(name for part in parts for name in BUILDS_ON.get(part, ()))}
        hidden = tuple(f".{name.removesuffix('.py')}" for name in NEEDED.keys() - shown)
        # a command may import its own modules when it runs
        wanted |= {name for name in imported(tree.body) if any(extra in name for extra in hidden)}
        strangers += [f"{path} imports {name}" for name in wanted]
    assert strangers == []


def test_the_distribution_asks_for_nothing_and_stays_small() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == []
    assert list(project["optional-dependencies"]) == ["numpy", "gymnasium", "pettingzoo", "openspiel"]
    assert (PACKAGE / "py.typed").exists()
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES) <= 14_000


if __name__ == "__main__":
    print(*(line for name in MODULES for line in lines(import_module(name))), sep="\n")  # noqa: T201 - its output
