"""The commands of all pages: which test runs each, and which ones docs/operating/untried.md says that none runs."""

import re
from typing import Final

from test_support.documents import PAGES, ROOT, command_lines, commands
from test_support.figures import figures
from tests.operating.release import READMES

UNTRIED: Final = ROOT / "docs/operating/untried.md"


def _plain(command: str) -> str:
    """The command without its place on this machine or the right to run it."""
    command = re.sub(r"^(?:sudo perudo|(?:\.venv/bin/)?perudo-bot) ", "perudo-bot ", command)
    return re.sub(r"^(?:sudo |\.venv/bin/(?=python ))", "", command)


_UNTRIED: Final = {_plain(line) for line in command_lines(UNTRIED)}
_LEFT_OUT: Final = {
    "README.md": "git clone https://github.com/OWNER/perudo && cd perudo",
    "docs/operating/several-machines.md": "sudo systemctl disable --now perudo",
}
TYPED: Final = {
    page: [line for line in command_lines(ROOT / page) if _plain(line) not in _UNTRIED and line != _LEFT_OUT.get(page)]
    for page in (
        *("README.md", "docs/operating.md", "docs/operating/to-a-service.md", "docs/web-seat-setup.md"),
        *(f"docs/operating/{name}.md" for name in ["webhook", "several-machines", "upgrading", "backups", "moving"]),
    )
}
"""The commands in the blocks of each page, in their order, as far as they can be typed here."""

IN_A_COPY: Final = (
    ".tools/bin/uv tool run pre-commit install",
    ".venv/bin/pytest -n 0 --trace tests/perudo_core/test_raising.py",
    ".venv/bin/python -m telegram_bot.cli.read --language it --dice 30",
    ".venv/bin/python -m telegram_bot.words.extract",
    ".venv/bin/python -m test_support.generated_docs",
    ".venv/bin/python -m test_support.json_schemas",
    ".venv/bin/python -m test_support.migration coin",
    "git grep -n \"That doesn't beat\" -- '*.py'",
    "git grep -n BID_TOO_LOW -- perudo_core/src tests",
    "git grep AwayNotice",
    "git grep -w coin",
    "git grep -niE \"PyPI yet|is on PyPI|once the packages|not released yet\" -- '*.md'",
    'git log --stat -1 --grep="Double dudo"',
    "make format",
    "openssl rand -base64 32",
    "openssl rand -hex 24",
    "python -m perudo_conformance",
    "python -m perudo_conformance --protocol",
    "python -m tests.fixtures.releases.make",
    "uv run --no-project --with ./perudo_core python my_game.py",
    "uv run --no-project --with ./telegram_sandbox python -m telegram_sandbox",
)
"""Typed by `.ci/run test-release` in a copy of the repository: see in_a_copy.py."""

RUN_BY: Final = {
    ".venv/bin/pytest": "Makefile",
    "apt-get install": ".ci/system-packages",
    'curl -H "Authorization': "tests/telegram_bot/operations/test_web_server.py",
    "make install": "tests/test_make.py",
    "make party": "tests/telegram_bot/test_party.py",
    "perudo-bot --version": "tests/telegram_bot/test_cli.py",
    "perudo-bot forget": "tests/telegram_bot/operations/test_forget.py",
    "perudo-bot party": "tests/telegram_bot/test_party.py",
    "perudo-bot run": "tests/test_operating.py",
    "perudo-bot try": "tests/end_to_end/test_in_the_browser.py",
    "pip install": "tests/operating/release.py",
    "pipx": "tests/operating/release.py",
    "python -m benchmarks.trace": "tests/end_to_end/test_trace.py",
    "python -m perudo_conformance": "tests/perudo_core/test_command_engines.py",
    "python -m perudo_core": "tests/perudo_core/test_cli.py",
    "python -m perudo_core.agents": "tests/perudo_core/test_agent_arena.py",
    "python -m test_support.heads_up": "tests/test_heads_up.py",
    "python -m test_support.migration": "tests/operating/commands.py",
    "python -m test_support.plain_english": "tests/test_plain_english.py",
    "python cfr_2x2.py": "tests/perudo_core/test_example_games.py",
    "python console_game.py": "tests/perudo_core/test_example_games.py",
    "python web_game.py": "tests/perudo_core/test_example_games.py",
}
"""The file of a test or of CI that runs commands which begin like this; the file has the last word of each."""
_OTHERS: Final = "config/*.toml config/*.yml config/deploy/* perudo_core/examples/* .github/**/*.md tests/**/README.md"
PAGES_AND_FILES: Final = dict.fromkeys(
    [
        *(page for page in PAGES if page.name != "CHANGELOG.md" and page != UNTRIED),
        *(file for pattern in _OTHERS.split() for file in ROOT.glob(pattern) if file.is_file()),
    ]
)


def unclassified() -> list[str]:
    """Errors in the lists above and on the page: commands in none, or on no page."""
    ci = "".join(file.read_text("utf-8") for file in (ROOT / ".ci/run", *ROOT.glob(".github/workflows/*.yml")))
    targets = set(re.findall(r"(?:make|\.ci/run) ([\w-]+)", ci))
    lists = re.findall(r"targets?(?:=\(|: \[)(.*)[)\]]", ci)
    targets |= set(re.findall(r"[\w-]+", " ".join(lists)))
    readmes = (command_lines(ROOT / readme) for readme in READMES)
    typed = {_plain(line) for lines in (*TYPED.values(), IN_A_COPY, *readmes) for line in lines}
    measured = [_plain(figure.command) for figure in figures().values()]

    def is_run(command: str) -> bool:
        target = re.match(r"(?:make|\.ci/run) (\S+)", command)
        return (
            command in typed
            or any(each.startswith(command) or command.startswith(each) for each in measured)
            or any(command.startswith(each) for each in RUN_BY)
            or (target is not None and target[1] in targets)
        )

    words = {begin: re.split(r"[ ./\"]", begin)[-1] for begin in RUN_BY}
    wrong = [f"{file} does not run {it!r}" for it, file in RUN_BY.items() if words[it] not in (ROOT / file).read_text()]
    said = set[str]()
    for page in PAGES_AND_FILES:
        name = str(page.relative_to(ROOT))
        for line in commands(page):
            said.add(command := _plain(line))
            if not is_run(command) and command not in _UNTRIED:
                wrong.append(f"{name} tells to type {line!r}: which test runs it? Else {UNTRIED.name} lists it")
    wrong += [f"no page tells to type {line!r}" for line in sorted(_UNTRIED - said)]
    return wrong
