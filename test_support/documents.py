"""The project's documents, and whether the bot knows a command or a setting that one names."""

import re
from pathlib import Path
from typing import Any, Final

from telegram_bot.cli import parser_for
from telegram_bot.settings import Settings

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = sorted(
    page
    for pattern in ("*.md", "benchmarks/*.md", "docs/**/*.md", "perudo_core/*.md", "telegram_*/**/*.md", "tests/*.md")
    for page in ROOT.glob(pattern)
)
FENCED: Final = re.compile(r"(?ms)^ *```(\w*)\n(.*?)^ *```$")
NOT_SETTINGS: Final = {"PERUDO_CONFIG", "PERUDO_ENV_FILE", "PERUDO_DATA"}
"""They name files and a folder of the bot."""


def understands(*arguments: str) -> bool:
    """Return whether `perudo-bot` accepts these arguments."""
    try:
        parser_for(arguments).parse_args(arguments)
    except SystemExit:
        return False
    return True


def names_a_setting(name: str) -> bool:
    """Return whether an environment variable sets one of the bot's settings."""
    if name == "DATABASE_URL":
        return True
    keys = name.removeprefix("PERUDO_").lower().split("__")
    here: Any = Settings
    for key in keys:
        field = getattr(here, "model_fields", {}).get(key)
        if not name.startswith("PERUDO_") or field is None:
            return False
        here = field.annotation
    return not hasattr(here, "model_fields")
