"""The examples in the docstrings run, and public objects have them."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import perudo_core

NAMES = sorted(
    module.name
    for module in pkgutil.walk_packages(perudo_core.__path__, "perudo_core.")
    if not module.name.endswith("__main__") and ".examples" not in module.name
)
LEAST_EXAMPLES = 30


def example_count(module: ModuleType) -> int:
    return sum(len(test.examples) for test in doctest.DocTestFinder().find(module))


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_module_run(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert results.failed == 0
    assert results.attempted == example_count(importlib.import_module(name))


def test_there_are_about_thirty_documented_examples() -> None:
    documented = {
        test.name
        for name in NAMES
        for test in doctest.DocTestFinder().find(importlib.import_module(name))
        if test.examples
    }
    assert len(documented) >= LEAST_EXAMPLES, sorted(documented)
