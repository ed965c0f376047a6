"""The folders that an operator's engine may read, and the bot's own files, which must be in none of them."""

import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import perudo_core
from telegram_bot.settings.model import Settings

_PROGRAMS: Final = ("/usr", "/bin", "/lib", "/lib64", "/opt")
"""The folders in which systems keep programs and their libraries."""
_LIBRARY: Final = Path(perudo_core.__file__).parents[1]
"""For engines in Python: in a checkout the library is not where other packages are."""
_VARIABLES: Final = (".env", "perudo.env")
"""The usual names of files of variables, which a service may read without the bot's knowledge."""
_SQLITE: Final = re.compile(r"sqlite(?:\+\w+)?:///(?!:memory:)([^?]+)")


def engine_folders(command: str) -> tuple[Path, ...]:
    """Return the folders of the files in a command, those of the bot's Python, and those of the system's programs."""
    named = (path.resolve() for path in (*map(Path, shlex.split(command)), _LIBRARY) if path.exists())
    folders = (path if path.is_dir() else path.parent for path in named)
    usual = (path.resolve() for path in map(Path, (*_PROGRAMS, sys.prefix, sys.base_prefix)) if path.is_dir())
    return tuple(dict.fromkeys((*folders, *usual)))


def exposed_files(settings: Settings, files: Iterable[Path]) -> Iterator[str]:
    """Yield an error line for each folder in which an engine could read the database or one of these files."""
    kept = {file.resolve() for file in files if file.exists()}
    if database := _SQLITE.match(settings.database_url):
        kept.add(Path(database[1]).resolve())
    for name, command in settings.engines.commands.items():
        for folder in engine_folders(command):
            nearby = {folder / variables for variables in _VARIABLES if (folder / variables).exists()}
            if found := sorted(str(file) for file in kept | nearby if file.is_relative_to(folder)):
                yield (
                    f"engines.commands.{name} is not allowed: the engine may read all of {folder}, and so "
                    f"{', '.join(found)}; keep the two in different folders"
                )
