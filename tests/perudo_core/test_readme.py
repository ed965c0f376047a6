"""The examples of the docstrings, of the README and of the site's pages run, each page by itself."""

import doctest
import importlib
import pkgutil
import re
import shlex
from contextlib import ExitStack

import pytest

import perudo_core
from perudo_core.agents.arena._players import ENGINE, agent_of
from tests.perudo_core.builds import PROJECT, ROOT

TEXTS = {
    page.stem: page.read_text(encoding="utf-8")
    for page in (PROJECT / "README.md", ROOT / "docs" / "engine-protocol.md", *sorted(ROOT.glob("docs/library/*.md")))
}
EXAMPLES = {
    name: found for name, text in TEXTS.items() if (found := re.findall(r"```python\n(.*?)```", text, re.DOTALL))
}


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("page", EXAMPLES)
def test_the_examples_run(page: str) -> None:
    names: dict[str, object] = {}
    for block in EXAMPLES[page]:
        exec(compile(block, page, "exec"), names)  # noqa: S102 - the project's own text


def test_the_arena_knows_the_players_of_the_pages() -> None:
    commands = re.findall(r"perudo_core\.agents arena (.+?)(?: --|`)", "".join(TEXTS.values()))
    assert commands
    with ExitStack() as running:
        for player in (player for command in commands for player in shlex.split(command)):
            assert player.startswith(ENGINE) or agent_of(player, running)


@pytest.mark.usefixtures("untraced")
def test_the_examples_of_all_modules_run() -> None:
    names = {module.name for module in pkgutil.walk_packages(perudo_core.__path__, "perudo_core.")}
    for name in sorted(name for name in names if not name.endswith("__main__") and ".examples" not in name):
        assert doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed == 0, name
