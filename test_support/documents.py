"""The project's documents, and whether the bot knows a command or a setting that one names."""

import re
from pathlib import Path
from textwrap import dedent
from typing import Final

from telegram_bot.cli import parser_for
from telegram_bot.settings import loading

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = sorted(
    page
    for pattern in ("*.md", "benchmarks/*.md", "docs/**/*.md", "perudo_core/*.md", "telegram_*/**/*.md", "tests/*.md")
    for page in ROOT.glob(pattern)
)
FENCED: Final = re.compile(r"(?ms)^ *```(\w*)\n(.*?)^ *```$")
COMMAND: Final = re.compile(
    r"(?:(?:sudo|make|docker|perudo-bot|perudo|systemctl|journalctl|apt|apt-get|sqlite3|pip|pipx|uv|npm|curl|node|nginx|caddy"
    r"|certbot|openssl|editor|git \w+|python3?) |(?:\.venv/bin|\.tools|\.ci)/\w)"
)
NOT_SETTINGS: Final = {"PERUDO_CONFIG", "PERUDO_ENV_FILE", "PERUDO_DATA"}
"""They name files and a folder of the bot."""


def spans(page: Path) -> list[str]:
    """Return the texts in single backticks of a page, or of the comments of another file."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    if page.suffix != ".md":
        prose = "\n".join(re.findall(r"(?m)^ *(?:#|//) ?(.*)", prose))
    return [" ".join(span.replace(r"\|", "|").split()) for span in re.findall(r"`([^`]+)`", prose)]


def command_lines(page: Path) -> list[str]:
    """Return the lines to type in a page's blocks, or the indented commands in the comments of another file."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".md":
        blocks = [dedent(block) for language, block in FENCED.findall(text) if language in {"", "sh"}]
        lines = [line for block in blocks for line in re.sub(r" *\\?\n(?: +|(?=done))", " ", block).splitlines()]
    else:
        lines = re.findall(rf"(?m)^(?: *(?:#|//) {{2,}}| {{4}})({COMMAND.pattern}.*)", text)
    # Two spaces or a sign separate a command from its explanation.
    return [re.split(r" {2,}| # ", line)[0] for line in lines if line and not line.startswith("#")]


def commands(page: Path) -> list[str]:
    """Return the commands of a page: those of its blocks, then those within its sentences."""
    return command_lines(page) + [span for span in spans(page) if COMMAND.match(span) and "…" not in span]


def understands(*arguments: str) -> bool:
    try:
        parser_for(arguments).parse_args(arguments)
    except SystemExit:
        return False
    return True


def names_a_setting(name: str) -> bool:
    """Return whether an environment variable sets one of the bot's settings."""
    return name == "DATABASE_URL" or name in {f"PERUDO_{key}".upper().replace(".", "__") for key in loading._keys()}
