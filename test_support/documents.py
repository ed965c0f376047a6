"""Read the project's documents: their headings, the commands they show, and the files and settings they name."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any, Final

import yaml

from telegram_bot.cli import _parser
from telegram_bot.settings import Settings

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = sorted(
    page
    for pattern in ("*.md", "benchmarks/*.md", "docs/**/*.md", "perudo_core/*.md", "telegram_sandbox/*.md")
    for page in ROOT.glob(pattern)
)
FOLDERS: Final = {
    ".ci",
    "benchmarks",
    "config",
    "docs",
    "perudo_core",
    "telegram_bot",
    "telegram_sandbox",
    "test_support",
    "tests",
}
ASSIGNMENT: Final = re.compile(r"[A-Z_]+=\S+")
FENCED: Final = re.compile(r"(?ms)^ *```(\w*)\n(.*?)^ *```$")
COMMAND: Final = re.compile(r"(?:sudo |make |docker |perudo-bot |python -m |\.venv/bin/)")
MADE_BY_THE_READER: Final = {
    "config/deploy/.env",
    "telegram_bot/channels/line/__init__.py",
    "telegram_bot/channels/line/channel.py",
    "telegram_bot/channels/telegram/owner_crown.py",
    "telegram_bot/service/handlers/shuffle.py",
    "telegram_bot/service/subscribers/longest_game.py",
    "telegram_bot/words/locale/de/LC_MESSAGES/perudo.po",
    "telegram_bot/words/parsing/grammars/de.toml",
    "tests/telegram_bot/words/phrases/de.toml",
}
NOT_SETTINGS: Final = {"PERUDO_CONFIG", "PERUDO_BATCH_GAMES"}
"""`PERUDO_CONFIG` names the file of settings; `PERUDO_BATCH_GAMES` is read by a test."""


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def code_spans(page: Path) -> list[str]:
    """What stands in single backticks."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]


def shown_commands(page: Path) -> list[str]:
    """The commands that a reader is told to type, in blocks without a language and within sentences."""
    blocks = [block for language, block in FENCED.findall(page.read_text(encoding="utf-8")) if not language]
    lines = [line.strip() for block in blocks for line in block.splitlines() if not line.startswith((" ", "{"))]
    spans = [span for span in code_spans(page) if COMMAND.match(span) and "…" not in span]
    # Two spaces separate a command from its explanation.
    return [re.split(r" {2,}", line)[0] for line in [*lines, *spans] if line]


def understands(*arguments: str) -> bool:
    """Whether `perudo-bot` accepts these arguments."""
    try:
        _parser().parse_args(arguments)
    except SystemExit:
        return False
    return True


def names_a_setting(name: str) -> bool:
    """Whether an environment variable sets one of the bot's settings."""
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


def assert_command_works(line: str) -> None:
    """Fail if the command names a target, a module, an option, a file, a unit or a service that does not exist."""
    words = shlex.split(line.replace("…", ""))
    while words and (words[0] == "sudo" or ASSIGNMENT.fullmatch(words[0])):
        name = words[0].partition("=")[0]
        assert words[0] == "sudo" or name in NOT_SETTINGS or names_a_setting(name) or not words[1:], line
        words = words[1:]
    if words and words[0].startswith(".venv/bin/"):
        words[0] = words[0].removeprefix(".venv/bin/")
    match words:
        case ["make", target, *variables]:
            outcome = subprocess.run(  # noqa: S603 - the project's own documents
                ["make", "--dry-run", target, *variables],  # noqa: S607
                cwd=ROOT,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert outcome.returncode == 0, outcome.stderr
        case ["python" | "python3", "-m", module, *arguments]:
            assert importlib.util.find_spec(module) is not None, line
            assert_files_exist(arguments, line)
        case ["perudo-bot" | "perudo", *arguments]:
            assert understands(*arguments), line
        case ["install" | "cp" | ".ci/run" | ".ci/pythons", *arguments]:
            assert_files_exist(words if words[0].startswith(".ci/") else arguments, line)
        case ["systemctl", *arguments]:
            units = [re.sub(r"@\d+", "@", word).removesuffix("*") for word in arguments if "perudo" in word]
            assert units
            names = [unit if unit.endswith(".timer") else f"{unit}.service" for unit in units]
            assert all((ROOT / "config/deploy" / name).is_file() for name in names), line
        case ["docker", "compose", *arguments]:
            _assert_compose_works(arguments, line)
        case _:
            pass


def _assert_compose_works(arguments: list[str], line: str) -> None:
    services = yaml.safe_load((ROOT / "config/deploy/compose.yaml").read_text(encoding="utf-8"))["services"]
    named = [word for word in arguments if re.fullmatch(r"worker-\d|migrate|proxy|database", word)]
    assert set(named) <= services.keys()
    if {"exec", "run"} & set(arguments) and named != ["migrate"]:
        program, *given = arguments[arguments.index(named[0]) + ("exec" in arguments) :]
        assert program == named[0] or program in {"perudo-bot", "pg_dump", "pg_restore"}, line
        assert program.startswith("pg_") or understands(*given), line


def assert_files_exist(words: list[str], where: str, *folders: Path) -> None:
    """Fail if a word that begins with a folder of the project is no path there."""
    for word in words:
        if names_a_path(word) and word not in MADE_BY_THE_READER:
            pattern = re.sub(r"<\w+>", "*", word).rstrip("/")
            assert any(list(folder.glob(pattern)) for folder in (ROOT, *folders)), f"{where}: {word}"


def names_a_path(word: str) -> bool:
    """Whether a word is a path of the project: it has a slash, and begins with a folder of the project."""
    first, slash, _ = word.partition("/")
    return bool(slash) and re.fullmatch(r"[\w./*<>@-]+", word) is not None and first in FOLDERS
