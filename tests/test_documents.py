"""Facts in the documents: links lead somewhere, examples run, commands, files, settings and tables exist."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from telegram_bot.settings import load_settings
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


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    broken = []
    for page in PAGES:
        for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text_of(page)):
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists() or (anchor and anchor not in anchors(target)):
                broken.append(f"{name_of(page)}: {link}")
    assert broken == []


def test_the_pages_that_the_bot_names_exist_with_their_headings() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "telegram_bot").rglob("*.py"))
    named = re.findall(r"See (docs/[\w/]+\.md)(?:, ([^.]+))?\.", sources)
    assert named
    for page, heading in named:
        assert (ROOT / page).is_file()
        assert not heading or heading.lower().replace(" ", "-") in anchors(ROOT / page), heading


# Commands


def test_every_command_works() -> None:
    for line in sorted({line for page in CURRENT for line in shown_commands(page)}):
        assert_command_works(line)


# Files, settings, tables, addresses


def test_every_file_that_a_page_names_exists() -> None:
    for page in CURRENT:
        words = list(chain.from_iterable(span.split() for span in code_spans(page)))
        assert_files_exist(words, name_of(page), page.parent)


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
