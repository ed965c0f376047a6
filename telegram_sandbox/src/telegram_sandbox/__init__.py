"""A Telegram Bot API server for one machine, with the people of a group chat and a page to play them.

A bot under test talks to it as to Telegram: `running_sandbox()` gives the addresses and the token.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from telegram_sandbox.public import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Import the package when one of its names is first used: pytest imports its plugin in every run."""
        if find_spec(f"{__name__}.{name}"):
            raise AttributeError(name)  # a module, which the import statement looks for next
        return getattr(import_module("telegram_sandbox.public"), name)
