"""Additions to a sandbox by the program that runs it: further acts, addresses, state, and a script of the page."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from starlette.routing import BaseRoute

from telegram_sandbox.model import Json
from telegram_sandbox.world import World


class Extension:
    """One addition; its acts are methods that are declared with `change`.

    The page imports `page.js` of the folder, calls its default function with the page's parts, and awaits its result.
    """

    name: ClassVar[str]
    folder: ClassVar[Path]

    def __init__(self, world: World) -> None:
        self.world = world

    def routes(self) -> Sequence[BaseRoute]:
        """Return further addresses."""
        return ()

    def state(self) -> Json:
        """Return the state that the page needs to begin; it has the extension's name there."""
        return {}

    def clear(self) -> None:
        """Start over, as the sandbox does."""

    def close(self) -> None:
        """End every wait: the server stops."""
