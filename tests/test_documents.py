"""Facts in the documents: links lead somewhere, examples run, commands, files, settings and tables exist."""

import importlib.util
import re
import shlex
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
import yaml

from telegram_bot.settings import load_settings
from test_support import generated_docs
from test_support.child_processes import run
from test_support.documents import NOT_SETTINGS, PAGES, ROOT, commands, names_a_setting, spans, understands
from test_support.film.stories import FILMS

README = ROOT / "README.md"
OPERATING = (ROOT / "docs/operating.md", *(ROOT / "docs/operating").glob("*.md"))
CURRENT = [page for page in PAGES if page.name != "CHANGELOG.md"]
"""The pages that name no feature which a later version removed."""


FOLDERS: Final = {
    *(".ci", "benchmarks", "config", "docs", "perudo_core"),
    *("telegram_bot", "telegram_sandbox", "test_support", "tests"),
}
MADE_BY_THE_READER: Final = {
    "config/deploy/.env",
    "telegram_bot/channels/line/__init__.py",
    "telegram_bot/channels/line/channel.py",
    "telegram_bot/features/coin/__init__.py",
    "telegram_bot/features/coin/coin.py",
    "telegram_bot/service/handlers/shuffle.py",
    "telegram_bot/words/locale/pt/LC_MESSAGES/perudo.po",
    "telegram_bot/words/grammars/pt.toml",
    "tests/telegram_bot/features/coin/",
    "tests/telegram_bot/words/phrases/pt.toml",
}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", text_of(README), re.DOTALL))
def test_the_readmes_example_plays_a_game(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - the project's own text
    assert capsys.readouterr().out.endswith(" wins\n")


@pytest.mark.parametrize("page", [page for page in PAGES if "<!-- generated: " in text_of(page)], ids=name_of)
def test_the_generated_parts_of_a_page_are_of_today(page: Path) -> None:
    again = "`python -m test_support.generated_docs` writes the pages again"
    assert generated_docs.page(text_of(page)) == text_of(page), again


def test_each_picture_of_the_film_is_described_as_its_story_describes_it() -> None:
    described = {frame.file: frame.contents for film in FILMS for frame in film.frames}
    images = ROOT / "docs/images"
    assert {f"film/{file.name}" for file in (images / "film").iterdir()} == {
        file for file in described if file.startswith("film/")
    }
    shown = [
        (name_of(page), file, contents)
        for page in CURRENT
        for contents, file in re.findall(r"!\[([^\]]*)\]\((?:docs/)?images/([^)]+)\)", text_of(page))
        if file.startswith("film/") or file in described
    ]
    assert {file for _, file, _ in shown} == {*described}
    again = "`.ci/run film` makes the pictures again, `python -m test_support.generated_docs` the pages"
    assert [each for each in shown if each[2] != described[each[1]]] == [], again


# The contents of a page


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to a page's headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def assert_command_works(line: str) -> None:
    """Fail if the command names a module, an option, a file, a unit or a service that does not exist."""
    words = shlex.split(line.replace("…", ""))
    while words and (words[0] == "sudo" or re.fullmatch(r"[A-Z_]+=\S+", words[0])):
        name = words[0].partition("=")[0]
        assert words[0] == "sudo" or name in NOT_SETTINGS or names_a_setting(name) or not words[1:], line
        words = words[1:]
    if words and words[0].startswith(".venv/bin/"):
        words[0] = words[0].removeprefix(".venv/bin/")
    match words:
        case ["python" | "python3", "-m", module, *arguments]:
            assert importlib.util.find_spec(module) is not None, line
            assert_files_exist(arguments, line)
        case ["perudo-bot" | "perudo", *arguments]:
            assert understands(*arguments), line
        case ["install" | "cp" | ".ci/run" | ".ci/pythons", *arguments]:
            assert_files_exist(words if words[0].startswith(".ci/") else arguments, line)
        case ["systemctl", *arguments]:
            units = [re.sub(r"@\d+", "@", word).removesuffix("*") for word in arguments if "perudo" in word]
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


# Links


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for page in PAGES:
        for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text_of(page)):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{name_of(page)}: {link}")
    assert broken == []


def test_the_index_from_which_the_site_makes_its_menu_has_every_page() -> None:
    index = ROOT / "docs/README.md"
    listed = [(index.parent / link).resolve() for link in re.findall(r"(?m)^- \[.*\]\((.*)\)$", text_of(index))]
    assert sorted(listed) == sorted({(ROOT / "config/bot.toml"), *PAGES} - {README, index})


def test_the_pages_that_the_bot_names_exist_with_their_headings() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "telegram_bot").rglob("*.py"))
    named = re.findall(r"See (docs/[\w/]+\.md)(?:, ([^.]+))?\.", sources)
    assert named
    for page, heading in named:
        assert (ROOT / page).is_file()
        assert not heading or heading.lower().replace(" ", "-") in anchors(ROOT / page), heading


# Commands


def test_every_command_works() -> None:
    for line in {line for page in CURRENT for line in commands(page)}:
        assert_command_works(line)


@pytest.mark.parametrize("variables", [False, True], ids=["without variables", "with variables"])
def test_every_target_exists(variables: bool) -> None:
    """One run of make is asked for all targets: it takes a quarter of a second to begin."""
    shown = {re.sub(r"^(sudo |[A-Z_]+=\S+ )+", "", line) for page in CURRENT for line in commands(page)}
    words = {
        tuple(shlex.split(line)[1:])
        for line in shown
        if line.startswith(("make ", ".ci/run ")) and ("=" in line) is variables
    }
    assert len(words) > 5
    outcome = run("make", "--file=.ci/maintainers.mk", "--dry-run", *chain.from_iterable(sorted(words)), cwd=ROOT)
    assert outcome.returncode == 0, outcome.stderr


# Files, settings, tables, addresses


def test_every_file_that_a_page_names_exists() -> None:
    for page in CURRENT:
        assert_files_exist(list(chain.from_iterable(span.split() for span in spans(page))), name_of(page), page.parent)


def test_every_setting_that_a_page_names_exists() -> None:
    text = "".join(map(text_of, CURRENT))
    variables = set(re.findall(r"\bPERUDO_\w+", text)) - NOT_SETTINGS
    variables |= {f"PERUDO_{section}__{key}".upper() for section, key in re.findall(r"`\[(\w+)\] (\w+)`", text)}
    assert {"PERUDO_TOKEN", "PERUDO_STORAGE__KEEP_GAMES_DAYS"} <= variables
    assert [name for name in sorted(variables) if not names_a_setting(name)] == []


def test_the_settings_of_the_operators_page_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    page = "".join(map(text_of, OPERATING))
    lines = set(re.findall(r"(?m)^((?:PERUDO_\w+|DATABASE_URL)=\S+)$", page))
    lines |= set(re.findall(r"`((?:PERUDO_\w+|DATABASE_URL)=[^`]+)`", page))
    lines |= {f"{name}=anything-that-is-long" for name in re.findall(r"`(PERUDO_\w+)`", page) if "SECRET" in name}
    assert lines
    (tmp_path / "bot.toml").touch()
    for line in lines:
        name, _, value = line.partition("=")
        monkeypatch.setenv(name, value.replace("/etc/perudo/bot.toml", "bot.toml"))
    assert load_settings().webhook.url == "https://bot.example.org/telegram"
