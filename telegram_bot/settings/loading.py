"""Load the settings from `config/bot.toml`, `.env` and the environment; later sources win.

PERUDO_ENV_FILE names another file of variables instead of `.env`, such as the one that systemd reads. PERUDO_DATA names
the folder of a SQLite file without a folder; the default is the working folder.

An error message contains the key, its source, and the allowed values.
"""

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from functools import reduce
from pathlib import Path
from typing import Any, Final, TypeAlias, get_origin

from pydantic import SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, SettingsConfigDict

from telegram_bot.settings.engine_folders import exposed_files
from telegram_bot.settings.house_rule_settings import packaged
from telegram_bot.settings.model import TOKEN, Settings
from telegram_bot.settings.sections import INTERNAL, Allowed, InvalidSettingError, Section, SettingsError
from telegram_bot.settings.sms import fill_in, gateway_line
from telegram_bot.settings.text_files import read_text

USUAL_CONFIG: Final = Path("config/bot.toml")
DOTENV: Final = Path(".env")
ENV_FILE_VARIABLE: Final = "PERUDO_ENV_FILE"
DATA_VARIABLE: Final = "PERUDO_DATA"
RELATIVE_SQLITE: Final = re.compile(r"sqlite(\+\w+)?:///(?![/:?])")
PREFIX: Final = "PERUDO_"
CONFIG_VARIABLE: Final = "PERUDO_CONFIG"
LIKE_ENOUGH: Final = 0.7
RENAMED: Final = {"pictures.story_theme": "features.story.theme"}
"""Keys of earlier versions, which are still read, and their present names."""
REMOVED: Final = (
    "api_file_url",
    "polling.timeout_seconds",
    "sms.currency",
    "sms.texts_heard_per_hour",
    "sms.texts_per_second",
    "sms.texts_per_table_per_day",
    "table.away_seconds",
    "table.claim_window_seconds",
    "table.lobby_idle_minutes",
    "table.max_seats_unlimited",
    "table.reminder_seconds",
    "voice.idle_minutes",
    "voice.queue",
    "webhook.max_body_bytes",
    "webhook.max_connections",
    "webhook.secret",
)
"""Keys of earlier versions that mean nothing now: `doctor` names them, and the bot starts."""

Tree: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SettingsSource:
    """A file or a set of variables, and the values that it sets."""

    values: Tree
    file: Path | None = None
    """The file's name, or None for variables, which are named one by one."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The variables whose name does not follow from their key."""

    def origin(self, location: Sequence[str]) -> str | None:
        """Where this source sets the key, or None if it does not."""
        here: Any = self.values
        for part in location:
            if not isinstance(here, Mapping) or part not in here:
                return None
            here = here[part]
        key = "__".join(location)
        return str(self.file) if self.file else self.aliases.get(key, PREFIX + key.upper())


def load_settings(config: Path | None = None) -> Settings:
    """Return the settings: each key from the environment, else from `.env`, else from the file, else its default.

    The file is `config`, or the one that PERUDO_CONFIG names, or `config/bot.toml` if it exists.

    Raises:
        SettingsError: with a line for each error.
    """
    sources, strays = _sources(config)
    values: Tree = {}
    for source in reversed(sources):
        values = _over(values, _without_removed(_renamed(source.values)))
    if data := os.environ.get(DATA_VARIABLE):
        url = str(values.get("database_url") or Settings.model_fields["database_url"].default)
        values["database_url"] = RELATIVE_SQLITE.sub(lambda found: f"{found[0]}{Path(data).resolve()}/", url)
    lines = [*strays, *fill_in(values, _variable)]
    try:
        settings = Settings.model_validate(values)
    except ValidationError as error:
        lines += [refusal(detail, sources, values) for detail in error.errors(include_url=False)]
    else:
        lines += exposed_files(settings, [_env_file(), *(source.file for source in sources if source.file)])
    if lines:
        raise SettingsError(lines)
    return settings


def removed_settings(config: Path | None = None) -> list[str]:
    """Return each setting of an earlier version that is still set and means nothing, with its place."""
    sources, _ = _sources(config)
    found = ((key, source.origin(key.split("."))) for key in REMOVED for source in sources)
    return [f"{key} (in {origin})" for key, origin in found if origin]


def default_config() -> str:
    """Return the text of `config/bot.toml`: the defaults with comments, also in an installed package."""
    return packaged("bot.toml").read_text(encoding="utf-8")


class _Keys(BaseSettings, Settings):
    """Describes to pydantic-settings which variables exist."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=True, dotenv_filtering="only_existing"
    )


class _Decoded:
    """Decodes a variable of several values: JSON, or for a list also the values with commas between them."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:  # noqa: ARG002 - pydantic-settings calls it
        """Return what the variable says; the settings refuse what is neither."""
        try:
            return json.loads(value)
        except ValueError:
            of_texts = get_origin(field.annotation) is tuple and value[:1] not in "[{"
            return [part.strip() for part in value.split(",")] if of_texts else value


class _Environment(_Decoded, EnvSettingsSource):
    """The variables of the environment."""


class _DotEnv(_Decoded, DotEnvSettingsSource):
    """The variables of a file."""


def _sources(config: Path | None) -> tuple[list[SettingsSource], list[str]]:
    """Return the sources, the one that wins first, and an error line for each variable that looks misspelt."""
    environment = _Environment(_Keys)
    dotenv = _dotenv()
    found: list[SettingsSource] = []
    strays: list[str] = []
    for source in (environment, dotenv):
        values = source()
        aliases = {}
        if (database_url := source.env_vars.get("database_url")) and "database_url" not in values:
            values["database_url"] = database_url
            aliases["database_url"] = "DATABASE_URL"
        found.append(SettingsSource(values, aliases=aliases))
        strays += misspelt(source.env_vars)
    if config is None:
        named = environment.env_vars.get(CONFIG_VARIABLE.lower()) or dotenv.env_vars.get(CONFIG_VARIABLE.lower())
        config = Path(named) if named else USUAL_CONFIG if os.path.lexists(USUAL_CONFIG) else None
    if config is not None:
        found.append(SettingsSource(_read(config), file=config))
    return found, strays


def _dotenv() -> _DotEnv:
    """Return the file of variables: the named one, or else `.env`, if it exists.

    Raises:
        SettingsError: it cannot be read. Without it the bot would open another database.
    """
    named, file = os.environ.get(ENV_FILE_VARIABLE), _env_file()
    if named or os.path.lexists(DOTENV):
        _text_of(file, f"{named} (in {ENV_FILE_VARIABLE})" if named else str(DOTENV))
    return _DotEnv(_Keys, env_file=file, env_file_encoding="utf-8-sig")


def _env_file() -> Path:
    return Path(os.environ.get(ENV_FILE_VARIABLE) or DOTENV)


def advice_on_open_file() -> str | None:
    """Return what to do if every user of this machine can read the file of variables, or None."""
    file = _env_file()
    if os.name != "posix" or not file.exists() or not file.stat().st_mode & stat.S_IROTH:
        return None
    return f"every user of this machine can read {file}, which has the token and passwords: chmod 600 {file}"


def _text_of(file: Path, shown: str) -> str:
    try:
        return read_text(file)
    except OSError as error:
        raise SettingsError([f"{shown} cannot be read: {error.strerror or error}"]) from None
    except ValueError as error:
        raise SettingsError([f"{shown} cannot be read: {error}"]) from None


def _variable(name: str) -> str | None:
    """Return the variable's value in the environment, or else in `.env`."""
    return os.environ.get(name) or _dotenv().env_vars.get(name.lower())


def _read(config: Path) -> Tree:
    try:
        return tomllib.loads(_text_of(config, str(config)))
    except ValueError as error:
        raise SettingsError([f"{config} is not TOML: {error}"]) from None


def _renamed(values: Tree) -> Tree:
    """Return the values with the keys of earlier versions under their present names."""
    for former, present in RENAMED.items():
        section, _, key = former.partition(".")
        if isinstance(old := values.get(section), dict) and key in old:
            moved = reduce(lambda value, name: {name: value}, reversed(present.split(".")), old[key])
            values = _over(moved, values | {section: {name: old[name] for name in old if name != key}})
    return values


def _without_removed(values: Tree) -> Tree:
    return {
        name: {key: each for key, each in value.items() if f"{name}.{key}" not in REMOVED}
        if isinstance(value, dict)
        else value
        for name, value in values.items()
        if name not in REMOVED
    }


def _over(below: Tree, above: Tree) -> Tree:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        merged[key] = _over(under, value) if isinstance(under, dict) and isinstance(value, dict) else value
    return merged


# Errors


def _keys() -> dict[str, Any]:
    """Return every key, such as `table.clock_seconds`, with its field."""
    keys: dict[str, Any] = {}
    for name, setting in Settings.model_fields.items():
        section = setting.annotation
        if isinstance(section, type) and issubclass(section, Section):
            keys |= {f"{name}.{key}": described for key, described in section.model_fields.items()}
        else:
            keys[name] = setting
    return keys


def _documented() -> list[str]:
    """Return the keys that an operator may want."""
    return [key for key, setting in _keys().items() if INTERNAL not in setting.metadata]


def refusal(detail: ErrorDetails, sources: Sequence[SettingsSource], values: Tree) -> str:
    """Return the error message for one key."""
    if detail["loc"][:2] == ("sms", "gateways") and len(detail["loc"]) > 2 and isinstance(detail["loc"][2], int):  # noqa: PLR2004
        return gateway_line(detail, values)
    parts = [str(part) for part in detail["loc"]]
    key = ".".join(parts)
    source, origin = next(((source, origin) for source in sources if (origin := source.origin(parts))), (None, "?"))
    if detail["type"] == "extra_forbidden":  # the value is not shown: it may be a token under a misspelt name
        return f"{key} (in {origin}) is no setting{_did_you_mean(key)}"
    setting = _keys().get(key) or _keys().get(".".join(parts[:2]))  # a line of a table, such as engines.commands.odds
    if setting is None:
        if source is None or source.file:
            return f"{key} (in {origin}) is a section: write [{key}] on a line of its own, and its settings below"
        first = next(full for full in _documented() if full.startswith(f"{key}.")).replace(".", "__").upper()
        return f"{key} (in {origin}) is a section: write a variable for each of its settings, such as {PREFIX}{first}"
    allowed = next(mark.words for mark in setting.metadata if isinstance(mark, Allowed))
    secret = setting.annotation is SecretStr or parts[:2] == ["sms", "gateways"]
    shown = "" if secret or source is None else f" = {_harmless(_at(source.values, parts))}"
    reason = detail.get("ctx", {}).get("error")
    because = f" ({reason})" if isinstance(reason, InvalidSettingError) else ""
    return f"{key}{shown} (in {origin}) is not allowed{because}; it may be {allowed}"


def _did_you_mean(key: str) -> str:
    """Return the setting with the most similar name; those of the same section first."""
    keys = _documented()
    section, _, ending = key.rpartition(".")
    siblings = [full for full in keys if section and full.startswith(f"{section}.")]
    sections = [] if section else sorted({full.partition(".")[0] for full in keys if "." in full})
    for candidates in (siblings, [*sections, *keys]):
        nearest = max(candidates, key=lambda full: _likeness(ending, full), default="")
        if _likeness(ending, nearest) >= LIKE_ENOUGH:
            return f"; did you mean {nearest}?"
    return f"; there are {', '.join(siblings or keys)}"


def _likeness(ending: str, full: str) -> float:
    """Return how similar a name is to a key or to a word of the key, from 0 to 1."""
    name = full.rpartition(".")[2]
    return max(SequenceMatcher(None, ending, part).ratio() for part in (name, *name.split("_")))


def _at(values: Tree, parts: Sequence[str]) -> Any:
    here: Any = values
    for part in parts:
        here = here[part]
    return here


def _harmless(value: Any) -> str:
    """Return a value in a form that may be shown, without a token or a password; only a text is never shortened."""
    shown = str(value) if isinstance(value, str) else repr(value)
    shown = re.sub(r"(://[^/\s:@]*):\S*@", r"\1:…@", TOKEN.sub("…", shown))
    shown = re.sub(r"^(?!https?:)([\w+]+://).+", r"\1…", shown)  # in a broken URL the password's end is unknown
    return repr(shown) if isinstance(value, str) else shown[:200]


def misspelt(variables: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the variables that look like misspelt settings. Others may exist: container platforms add PERUDO_PORT."""
    known = {PREFIX + key.replace(".", "__").upper() for key in (*_keys(), *REMOVED)} | {
        CONFIG_VARIABLE,
        ENV_FILE_VARIABLE,
        DATA_VARIABLE,
    }
    endings = {name.removeprefix(PREFIX): name for name in known}
    sections = tuple(f"{PREFIX}{key.partition('.')[0].upper()}__" for key in _keys() if "." in key)
    for variable in map(str.upper, variables):
        if variable in known or not variable.startswith(PREFIX) or variable.startswith(sections):
            continue  # a variable that names a section is checked with the section
        for ending in get_close_matches(variable.removeprefix(PREFIX), endings, n=1, cutoff=0.75):
            yield f"{variable} is no setting; did you mean {endings[ending]}?"
