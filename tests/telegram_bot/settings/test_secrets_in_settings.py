"""Tokens and passwords in the settings: checked, and never shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from telegram_bot.settings import Settings, SettingsError, load_settings
from telegram_bot.storage import database

if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG = Path(__file__).parents[3] / "config"
TOKEN = "123456789:AAF0-of_thirty-five-characters-here"


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variables of whoever runs the tests, and a folder of their own."""

    for name in list(os.environ):
        if name.upper().startswith("PERUDO_") or name.upper() == "DATABASE_URL":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def refusal(tmp_path: Path) -> Callable[[str], tuple[str, ...]]:
    """The lines with which a file is refused."""

    def lines(text: str) -> tuple[str, ...]:
        file = tmp_path / "bot.toml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(SettingsError) as caught:
            load_settings(file)
        return tuple(line.replace(str(file), "bot.toml") for line in caught.value.lines)

    return lines


def test_a_pasted_token_loses_the_blanks_round_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERUDO_TOKEN", f" {TOKEN}\n")
    assert load_settings().require_token().get_secret_value() == TOKEN


def test_without_a_token_one_is_told_where_to_get_it() -> None:
    with pytest.raises(SettingsError, match="token is not set: send /newbot to @BotFather"):
        load_settings().require_token()


@pytest.mark.parametrize("wrong", ["nonsense-secret", "12:short-secret", f"{TOKEN} secret", f"bot{TOKEN}"])
def test_a_bad_token_is_refused_and_never_shown(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("PERUDO_TOKEN", wrong)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    (line,) = caught.value.lines
    assert line.startswith("token (in PERUDO_TOKEN) is not allowed; it may be the token that @BotFather gave you")
    assert wrong not in line


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:p@ss@host/perudo",
        "postgresql://me:p@ss:word@host/perudo",
        "postgresql+psycopg://me@host:port/perudo",
        "postgresql+psycopg://me:password/perudo",
    ],
)
def test_a_password_that_could_be_taken_for_a_host_is_refused(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    (line,) = caught.value.lines
    assert "in a password @ must be written as %40" in line


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:pa:ss[/?#w0rd@host/perudo",
        "postgresql://me:pa:ss[/?#w0rd@[::1]:5432/perudo",
        "postgresql://me@host/perudo?password=pa:ss[/?#w0rd&sslmode=require",
        "postgresql+psycopg://me:pa%3Ass%5B%2F%3F%23w0rd@/perudo?host=one,two",
    ],
)
def test_the_password_is_known_wherever_it_stands_in_the_address(url: str) -> None:
    settings = Settings(database_url=url)
    assert "pa:ss[/?#w0rd" in settings.secrets()
    assert database.connect(settings.database_url).dialect.name == "postgresql"
    assert "w0rd" not in database.redacted_url(settings.database_url)


def test_secrets_do_not_show_when_settings_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERUDO_TOKEN", TOKEN)
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:hidden@host/perudo")
    shown = repr(load_settings())
    assert TOKEN not in shown
    assert "hidden" not in shown


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ('database_url = "mysql://me:hidden@host/x"', "hidden"),
        ('database_url = "mysql://host/x?password=hidden"', "hidden"),
        ('database_url = "postgresql://me:p@hidden@host/x"', "hidden"),
        ('database_url = "postgresql://me:hidden/x"', "hidden"),
        ('[webhook]\nurl = "https://me:hidden@host/telegram"', "hidden"),
        (f'api_base_url = "https://api.telegram.org/bot{TOKEN}"', TOKEN),
        (f'tokn = "{TOKEN}"', TOKEN),
        ('token = ["hidden"]', "hidden"),
    ],
)
def test_a_refusal_gives_no_secret_away(refusal: Callable[[str], tuple[str, ...]], text: str, secret: str) -> None:
    (line,) = refusal(text)
    assert secret not in line
