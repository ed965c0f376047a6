"""Programs written for version 1.0 import its modules by their former names, and get a warning."""

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

import perudo_core
from perudo_core import Bid
from perudo_core._former_modules import FORMER_MODULES, find_former_modules


@pytest.mark.parametrize("name", sorted(FORMER_MODULES))
def test_a_module_that_became_private_is_still_imported_with_a_warning(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.warns(DeprecationWarning, match="is private since perudo-core 1.1"):
        former = import_module(name)
    package, _, last = name.rpartition(".")
    private = import_module(f"{package}._{last}")
    assert all(getattr(former, each) is getattr(private, each) for each in private.__all__)


def test_a_program_for_1_0_runs() -> None:
    program = "from perudo_core.actions import Bid; from perudo_core.agents.memory import Memory; print(Bid(0, 5, 3))"
    done = subprocess.run([sys.executable, "-W", "default", "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout == f"{Bid(0, 5, 3)}\n"
    assert done.stderr.count("DeprecationWarning") == 2
    assert "<string>:1: " in done.stderr, "the warning names the program's own line"


def test_the_module_replay_leaves_the_function_of_its_name() -> None:
    assert import_module("perudo_core.replay").Recorder is perudo_core.Recorder
    assert not isinstance(perudo_core.replay, ModuleType)


def test_the_names_are_found_once() -> None:
    before = len(sys.meta_path)
    find_former_modules()
    assert len(sys.meta_path) == before
