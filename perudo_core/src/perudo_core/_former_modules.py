"""The modules that were public in version 1.0 and are private since 1.1: importing one raises a warning."""

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

__all__ = ["FORMER_MODULES", "find_former_modules"]

FORMER_MODULES: Final = frozenset(
    f"perudo_core.{name}"
    for name in (
        *("action_encoding", "actions", "bidding", "call_text", "calls", "chance", "chance_outcomes", "client_codec"),
        *("codec", "descriptions", "engine", "errors", "events", "explanations", "information", "legality"),
        *("observation", "outcome", "positions", "record", "rules", "sampling", "state"),
        *("agents.chances", "agents.forecasts", "agents.headup", "agents.headup_tree", "agents.inference"),
        *("agents.memory", "agents.playout", "agents.reckoning", "agents.registry", "agents.rollouts"),
        *("agents.situation", "agents.temperament"),
        *("agents.arena.games", "agents.arena.intervals", "agents.arena.odd_players", "agents.arena.players"),
        *("agents.arena.runner", "analysis.descriptions", "analysis.games", "analysis.highlighting"),
        *("analysis.results", "analysis.weighing", "testing.checked_engine", "testing.conformance"),
        *("testing.core_engine", "testing.data_files", "testing.differences", "testing.games", "testing.json_lines"),
        *("testing.json_lines_protocol", "testing.optional_parts", "testing.perft", "testing.protocols"),
    )
)


class _FormerModules(MetaPathFinder, Loader):
    """Finds a private module under the name that it had in 1.0."""

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in FORMER_MODULES else None

    def exec_module(self, module: ModuleType) -> None:
        package, _, name = module.__name__.rpartition(".")
        warnings.warn(
            f"{module.__name__} is private since perudo-core 1.1, and gone in 2.0: import from {package}",
            DeprecationWarning,
            stacklevel=2,
        )
        private = vars(import_module(f"{package}._{name}"))
        vars(module).update({name: value for name, value in private.items() if not name.startswith("__")})


def find_former_modules() -> None:
    """Let programs written for 1.0 import the modules of these names."""
    # A later import of this module would replace the function `perudo_core.replay`.
    sys.modules["perudo_core.replay"] = import_module("perudo_core._replay")
    if not any(isinstance(finder, _FormerModules) for finder in sys.meta_path):
        sys.meta_path.append(_FormerModules())
