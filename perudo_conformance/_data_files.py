"""The published data files of the kit."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from perudo_core._errors import abbreviated, expect_type

__all__ = ["cases", "data", "folder"]

FOLDER: Final = "data"


def folder() -> Traversable:
    """Return the folder of the data files."""
    return files("perudo_conformance").joinpath(FOLDER)


def data(name: str) -> Any:
    """Return the JSON value of a data file, by its path in the folder; raises `ValueError` for an unknown name.

    >>> data("perft.json")["cases"][0]["ways"]
    [20, 160, 1225, 7205]
    """
    expect_type(name, str, "name")
    known = dict(_all_files())
    if name not in known:
        raise ValueError(f"no data file {abbreviated(name)}: python -m perudo_conformance prints their folder")
    return json.loads(known[name].read_text(encoding="utf-8"))


def cases(name: str, presets: Collection[str]) -> list[dict[str, Any]]:
    """Return the cases of a data file whose rules begin with one of these presets."""
    return [case for case in data(name)["cases"] if case["rules"]["preset"] in presets]


def _all_files() -> Iterable[tuple[str, Traversable]]:
    for file in folder().iterdir():
        if file.is_dir():
            yield from ((f"{file.name}/{inner.name}", inner) for inner in file.iterdir())
        else:
            yield file.name, file
