"""Load the settings from `config/bot.toml`, `.env` and the environment; the later ones win."""

from __future__ import annotations

import os
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as SourceError

from telegram_bot.settings.base import SettingsError
from telegram_bot.settings.errors import CONFIG_VARIABLE, PREFIX, Source, Tree, misspelt, refusal
from telegram_bot.settings.model import Settings
from telegram_bot.settings.sms import fill_in

USUAL_CONFIG: Final = Path("config/bot.toml")
DOTENV: Final = Path(".env")


def load_settings(config: Path | None = None) -> Settings:
    """The settings: each key from the environment, else from `.env`, else from the file, else its default.

    The file is `config`, or the one that PERUDO_CONFIG names, or `config/bot.toml` if it exists.

    Raises:
        SettingsError: with a line for each error.
    """
    sources, strays = _sources(config)
    values: Tree = {}
    for source in reversed(sources):
        values = _over(values, source.values)
    lines = [*strays, *fill_in(values, _variable)]
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        lines += [refusal(detail, sources, values) for detail in error.errors(include_url=False)]
    if lines:
        raise SettingsError(lines)
    return settings


def default_config() -> str:
    """The text of `config/bot.toml`: the defaults with comments, also in an installed package."""
    packaged = files("telegram_bot") / "bot.toml"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[2] / USUAL_CONFIG).read_text(encoding="utf-8")


class _Keys(BaseSettings, Settings):
    """Tells pydantic-settings which variables exist."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=True, dotenv_filtering="only_existing"
    )


def _sources(config: Path | None) -> tuple[list[Source], list[str]]:
    """The sources, the one that wins first, and an error line for each variable that looks misspelt."""
    environment = EnvSettingsSource(_Keys)
    dotenv = DotEnvSettingsSource(_Keys, env_file=DOTENV, env_file_encoding="utf-8")
    found: list[Source] = []
    strays: list[str] = []
    for source in (environment, dotenv):
        try:
            values = source()
        except SourceError as error:
            raise SettingsError([f"{error}: write one variable for each setting of a section"]) from None
        aliases = {}
        if (database_url := source.env_vars.get("database_url")) and "database_url" not in values:
            values["database_url"] = database_url
            aliases["database_url"] = "DATABASE_URL"
        found.append(Source(values, aliases=aliases))
        strays += misspelt(source.env_vars)
    if config is None:
        named = environment.env_vars.get(CONFIG_VARIABLE.lower()) or dotenv.env_vars.get(CONFIG_VARIABLE.lower())
        config = Path(named) if named else USUAL_CONFIG if USUAL_CONFIG.is_file() else None
    if config is not None:
        found.append(Source(_read(config), file=config))
    return found, strays


def _variable(name: str) -> str | None:
    """The variable's value in the environment, or else in `.env`."""
    dotenv = DotEnvSettingsSource(_Keys, env_file=DOTENV, env_file_encoding="utf-8").env_vars
    return os.environ.get(name) or dotenv.get(name.lower())


def _read(config: Path) -> Tree:
    try:
        return tomllib.loads(config.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError([f"{config} cannot be read: {error.strerror or error}"]) from None
    except ValueError as error:
        raise SettingsError([f"{config} is not TOML: {error}"]) from None


def _over(below: Tree, above: Tree) -> Tree:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _over(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged
