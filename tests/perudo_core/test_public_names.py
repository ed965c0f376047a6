"""Users see the module that exports a name, in tracebacks and pickles too, and the version."""

import pickle
import re
import subprocess
import sys
import traceback
import typing
from dataclasses import is_dataclass
from importlib import import_module
from importlib.metadata import version
from pydoc import render_doc

import pytest

import perudo_core
from perudo_core import Bid, Phase, Rules, RulesError, StateError, load_state

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


def test_a_traceback_reads_as_a_program_imports_and_a_pickle_names_no_private_module() -> None:
    with pytest.raises(StateError) as caught:
        load_state({})
    assert "\nperudo_core.StateError: " in "".join(traceback.format_exception(caught.value))
    assert b"perudo_core._" not in pickle.dumps([Bid(0, 5, 3), StateError("a"), Rules()], protocol=2)


def test_the_version_is_that_of_the_distribution() -> None:
    assert perudo_core.__version__ == version("perudo-core")
    with pytest.raises(AttributeError, match="module 'perudo_core' has no attribute 'shake'"):
        _ = perudo_core.shake  # type: ignore[attr-defined]


def test_an_import_loads_no_computer_player_and_reads_no_file_of_a_rulebook() -> None:
    unwanted = ("perudo_core.agents", "numpy", "tomllib", "importlib.resources", "importlib.metadata", "lzma")
    loaded = "set(sys.modules) - old"
    program = f"import sys; old = set(sys.modules); import perudo_core; print({{*{unwanted}}} & ({loaded}))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout  # noqa: S603 - ours
    assert said == "set()\n"
