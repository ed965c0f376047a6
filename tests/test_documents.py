"""Facts in the documents: links lead somewhere, examples run, commands, files, settings and tables exist."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from telegram_bot.settings import load_settings
from telegram_bot.storage import models, phone_models, statistics_models
from telegram_sandbox.control_api.endpoints import Control
from telegram_sandbox.control_api.failures import FailuresControl
from telegram_sandbox.control_api.inline import InlineControl
from telegram_sandbox.control_api.phones import PhonesControl
from telegram_sandbox.settings import SandboxSettings
from telegram_sandbox.world import World
from test_support.documents import (
    NOT_SETTINGS,
    PAGES,
    ROOT,
    anchors,
    assert_command_works,
    assert_files_exist,
    code_spans,
    names_a_setting,
    shown_commands,
)

README = ROOT / "README.md"
OPERATING = ROOT / "docs/operating.md"
HISTORY = {page for page in PAGES if page.name == "CHANGELOG.md"}
"""Pages that may name what a later version removed."""
MOST_BYTES_OF_PICTURES = 2_000_000
CURRENT = [page for page in PAGES if page not in HISTORY]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", text_of(README), re.DOTALL))
def test_the_readmes_example_plays_a_game(block: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block, "README.md", "exec"), {})  # noqa: S102 - the project's own text
    assert capsys.readouterr().out.endswith(" wins\n")


# Links


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text_of(page)):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_every_page_in_docs_is_linked() -> None:
    linked = "".join(map(text_of, PAGES))
    assert [name_of(page) for page in (ROOT / "docs").rglob("*.md") if f"{page.name})" not in linked] == []


def test_every_picture_is_shown_and_described_and_all_are_small() -> None:
    pictures = list((ROOT / "docs/images").rglob("*.png"))
    shown = {
        (page.parent / path).resolve()
        for page in PAGES
        for path in re.findall(r"!\[[^\]]{10,}\]\(([^)]+)\)", text_of(page))
    }
    assert [name_of(picture) for picture in pictures if picture not in shown] == []
    assert sum(picture.stat().st_size for picture in pictures) < MOST_BYTES_OF_PICTURES


def test_the_pages_that_the_bot_names_exist_with_their_headings() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "telegram_bot").rglob("*.py"))
    named = re.findall(r"See (docs/[\w/]+\.md)(?:, ([^.]+))?\.", sources)
    assert named
    for page, heading in named:
        assert (ROOT / page).is_file()
        assert not heading or heading.lower().replace(" ", "-") in anchors(ROOT / page), heading


# Commands


COMMANDS = sorted({(name_of(page), line) for page in CURRENT for line in shown_commands(page)})


@pytest.mark.parametrize(("page", "line"), COMMANDS)
def test_every_command_works(page: str, line: str) -> None:
    del page
    assert_command_works(line)


@pytest.mark.parametrize(
    "line",
    [
        "make dance",
        "perudo-bot walk",
        "PERUDO_TOKN=1 perudo-bot run",
        "sudo perudo doctor --loudly",
        "sudo install -m 644 config/deploy/no.service /etc",
        "sudo systemctl start perudos",
        "docker compose stop worker-9",
        "docker compose exec worker-1 perudo-bot walk",
        "docker compose run --rm worker-1 walk",
        "docker compose exec -T database walk",
        ".venv/bin/python -m benchmarks.no_such",
        "python -m pytest tests/no_such.py",
    ],
)
def test_a_wrong_command_is_noticed(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError):
        assert_command_works(line)
    capsys.readouterr()


# Files, settings, tables, addresses


@pytest.mark.parametrize("page", CURRENT, ids=name_of)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    words = list(chain.from_iterable(span.split() for span in code_spans(page)))
    assert_files_exist(words, name_of(page), page.parent)


def test_a_file_that_does_not_exist_is_noticed() -> None:
    assert_files_exist(["telegram_bot/words/locale/*/LC_MESSAGES/perudo.po", "/etc/perudo", "docs"], "here")
    with pytest.raises(AssertionError, match="no_such"):
        assert_files_exist(["telegram_bot/no_such.py"], "here")


def test_every_setting_that_a_page_names_exists() -> None:
    text = "".join(map(text_of, CURRENT))
    variables = set(re.findall(r"\bPERUDO_\w+", text)) - NOT_SETTINGS
    variables |= {f"PERUDO_{section}__{key}".upper() for section, key in re.findall(r"`\[(\w+)\] (\w+)`", text)}
    assert {"PERUDO_TOKEN", "PERUDO_STORAGE__KEEP_GAMES_DAYS"} <= variables
    assert [name for name in sorted(variables) if not names_a_setting(name)] == []


def test_the_settings_of_the_operators_page_load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    page = text_of(OPERATING)
    lines = set(re.findall(r"(?m)^((?:PERUDO_\w+|DATABASE_URL)=\S+)$", page))
    lines |= set(re.findall(r"`((?:PERUDO_\w+|DATABASE_URL)=[^`]+)`", page))
    lines |= {f"{name}=anything-that-is-long" for name in re.findall(r"`(PERUDO_\w+)`", page) if "SECRET" in name}
    assert lines
    (tmp_path / "bot.toml").touch()
    for line in lines:
        name, _, value = line.partition("=")
        monkeypatch.setenv(name, value.replace("/etc/perudo/bot.toml", "bot.toml"))
    assert load_settings().webhook.url == "https://bot.example.org/telegram"


def test_the_page_on_the_database_lists_every_table() -> None:
    page = text_of(ROOT / "docs/database.md")
    listed = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"(?m)^\| (`[^|]*) \|", page))))
    assert listed == {
        str(table.name) for module in (models, phone_models, statistics_models) for table in tables_of(module)
    }


def tables_of(module: object) -> list[Any]:
    return [kind.__table__ for kind in vars(module).values() if hasattr(kind, "__table__")]


def test_the_page_on_the_sandbox_lists_every_address_of_its_control_api() -> None:
    def bare(address: str) -> str:
        return re.sub(r"-?\{[^}]*\}", "{}", address.partition("?")[0])

    page = text_of(ROOT / "docs/sandbox.md")
    listed = re.findall(r"`((?:GET|POST|PATCH|DELETE) /[^`]*)`", page)
    world = World(SandboxSettings())
    controls = (Control, InlineControl, PhonesControl, FailuresControl)
    routes = [route for control in controls for route in control(world).routes()]
    assert set(map(bare, listed)) == {bare(route.name) for route in routes}
