"""Follow a recipe of docs/recipes.md literally, in a copy of the bot.

A recipe is a section with numbered steps. A step's line names a file, and its code block is inserted into this file in
front of the line that the block's first comment quotes: `# before "case _:"`, or replaces it: `# instead of "X ="`.
A block without such a comment is a new file. Fragments that are not complete Python are `text`, which no formatter
changes.

`python -m test_support.recipes` lets ruff and mypy check what the recipes write, and the examples of the core's pages.
"""

import os
import re
import shutil
import sys
import textwrap
from dataclasses import dataclass
from filecmp import cmpfiles
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from test_support.child_processes import run
from test_support.documents import ROOT

MAX_FILES: Final = 4
_STEP: Final = re.compile(r"(?m)^\d\. `([\w/.<>]+)`((?:.*\n)+?)(?=^\d\. |^\S|\Z)")
_BLOCK: Final = re.compile(r"(?m)^   ```(?:python|text)\n((?:   .*\n|\n)+?)   ```$")
_ANCHOR: Final = re.compile(r'# (before|instead of) "(.*)"\n')

_RUN: Final = """
import gc, runpy, sys

gc.disable()
for command in sys.argv[1:]:
    _, module, *sys.argv[1:] = command.split()
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise
"""
"""Runs commands one after another, as `python -m` does."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A section of docs/recipes.md: for the file of each step its code, and the commands that it names."""

    steps: dict[str, list[str]]
    commands: list[str]


def read_recipe(heading: str) -> Recipe:
    text = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0] + "\n"
    steps = {file: [*map(textwrap.dedent, _BLOCK.findall(rest))] for file, rest in _STEP.findall(section)}
    assert 0 < len(steps) <= MAX_FILES
    commands = re.findall(r"`\.venv/bin/python (-m (?:telegram_bot|test_support)\.[\w.]+(?: \w+)*)`", section)
    return Recipe(steps, commands)


def copy_bot(folder: Path) -> Path:
    """Return a copy of the bot's package, of the house rules, and of what the commands of recipes read."""
    writing = shutil.ignore_patterns("*.pyc.*")  # another process compiles them at this moment
    shutil.copytree(ROOT / "telegram_bot", folder / "telegram_bot", ignore=writing)
    shutil.copytree(ROOT / "config" / "house_rules", folder / "config" / "house_rules")
    for file in ("babel.cfg", "docs/sms/README.md"):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, folder / file)
    return folder


def follow(copy: Path, *recipes: Recipe) -> None:
    """Insert the recipes' code into the copy, then run their commands there."""
    for recipe in recipes:
        for file, blocks in recipe.steps.items():
            for block in blocks:
                insert(copy / file, block)
    # One process imports the bot for all commands.
    run_in(copy, "-c", _RUN, *dict.fromkeys(command for recipe in recipes for command in recipe.commands))


def insert(file: Path, block: str) -> None:
    anchor = _ANCHOR.match(block)
    if anchor is None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block, encoding="utf-8")
        return
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    (place,) = [number for number, line in enumerate(lines) if line.strip().startswith(anchor[2])]
    indentation = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    end = place + 1 if anchor[1] == "instead of" else place
    lines[place:end] = [textwrap.indent(block.removeprefix(anchor[0]), indentation)]
    file.write_text("".join(lines), encoding="utf-8")


def run_in(copy: Path, *arguments: str) -> str:
    """Run Python with the copy's `telegram_bot` instead of this one; return what it prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(copy), str(ROOT)))}
    outcome = run(sys.executable, *arguments, cwd=copy, env=environment)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return outcome.stdout


def check_code() -> None:
    """Write all that the recipes and the core's pages show into one folder, for one run of ruff and of mypy."""
    with TemporaryDirectory() as folder:
        copy = copy_bot(Path(folder))
        follow(copy, *map(read_recipe, ("A command", "A feature", "Rows of a feature")))
        config = ("--config-file", str(ROOT / "pyproject.toml"))
        files = [file.relative_to(copy) for file in (copy / "telegram_bot").rglob("*.py")]
        _, changed, new = cmpfiles(copy, ROOT, files, shallow=False)
        changed = [str(file) for file in (*changed, *new)]
        assert len(changed) >= MAX_FILES, changed
        for command in ("format", "check"):  # as `make format` and `make lint`
            run_in(copy, "-m", "ruff", command, "--no-cache", "--config", config[1], *changed)
        for name in ("README.md", "perudo_core/README.md"):
            example = copy / f"example_{len(name)}.py"
            blocks = re.findall(r"(?s)```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"))
            example.write_text("\n".join(blocks), encoding="utf-8")
            changed.append(example.name)
        cache = ROOT / ".mypy_cache"
        if cache.exists():  # what the copy has unchanged is not looked at again
            shutil.copytree(cache, copy / cache.name)
        run_in(copy, "-m", "mypy", *config, *changed)


if __name__ == "__main__":
    check_code()
