"""Files of house rules: a rulebook with other options, a title, and a line that describes the difference."""

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from perudo_core import Rules
from telegram_bot.settings.text_files import read_text

USUAL_FOLDER: Final = "config/house_rules"
CLASSIC: Final = "classic"
"""The key of the bot's own house rules, the rules of a new table."""
LONGEST_KEY: Final = 32
LONGEST_TITLE: Final = 60
LONGEST_LINE: Final = 200
MOST_LETTERS: Final = 1800
"""The most letters of all house rules together, as Telegram counts: a menu has 4096, and its other words need 1900.

House rules without a line show their differences, which may be as long as a line.
"""


@dataclass(frozen=True, slots=True)
class HouseRulesFile:
    """One file of house rules. The key is the file's name in the letters that a button may carry."""

    key: str
    title: str
    line: str
    rules: Rules


def read_house_rules(file: Path | Traversable) -> HouseRulesFile:
    """Read a file: the options as in a rulebook, and in its table `about` a `title` and a `line`.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no TOML, or its options do not make a game.
    """
    text = read_text(file)
    rules = Rules.from_toml(text)
    about: dict[str, Any] = tomllib.loads(text).get("about", {})
    stem = file.name.removesuffix(".toml")
    key = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")[:LONGEST_KEY] or "house"
    title = " ".join(str(about.get("title") or stem.replace("_", " ").capitalize()).split())
    line = " ".join(str(about.get("line", "")).split())
    return HouseRulesFile(key, title[:LONGEST_TITLE], line[:LONGEST_LINE], rules)


def packaged(name: str) -> Traversable:
    """Return a file or folder of `config/`; an installed package has it next to its modules."""
    installed = files("telegram_bot") / name
    return installed if installed.is_file() or installed.is_dir() else Path(__file__).parents[2] / "config" / name


def all_house_rules(folder: str) -> tuple[HouseRulesFile, ...]:
    """Return the bot's house rules, then the operator's by file name; a file may replace the bot's.

    Raises:
        ValueError: a file is unreadable or makes no game, and the message names the file; or a lobby's menu has no room
            for all of them.
    """
    found = {CLASSIC: read_house_rules(packaged("house_rules") / f"{CLASSIC}.toml")}
    for path in sorted(Path(folder).glob("*.toml")):
        try:
            read = read_house_rules(path)
        except OSError as error:
            raise ValueError(f"{path.name}: {error.strerror or error}") from None
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None
        found[read.key] = read
    letters = sum(
        len(f"• {house.title}: {house.line or ' ' * LONGEST_LINE}".encode("utf-16-le")) // 2 for house in found.values()
    )
    if letters > MOST_LETTERS:
        raise ValueError(
            f"the titles and lines of all house rules have {letters} letters, and a menu has room for {MOST_LETTERS}: "
            "shorten the lines"
        )
    return tuple(found.values())
