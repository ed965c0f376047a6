"""The examples in the docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import perudo_core

NAMES = sorted(
    module.name
    for module in pkgutil.walk_packages(perudo_core.__path__, "perudo_core.")
    if not module.name.endswith("__main__") and ".examples" not in module.name
)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_module_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed == 0
