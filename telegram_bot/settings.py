"""What can be set about the bot: `config/bot.toml`, environment variables over it, and friendly refusals.

The defaults stand here. `config/bot.toml` says the same in a newcomer's words, and a test holds the two together.
"""

from __future__ import annotations

import hmac
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher, get_close_matches
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import SettingsError as SourceError

from perudo_core import DEFAULT_PRESET, PRESETS, Rules
from telegram_bot.settings_database import passwords, read_database_url
from telegram_bot.settings_parts import Allowed, BecauseError, Section
from telegram_bot.settings_sms import Sms, fill_in, gateway_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic_core import ErrorDetails

__all__ = [
    "Languages",
    "Limits",
    "Logging",
    "Metrics",
    "Polling",
    "Settings",
    "SettingsError",
    "Sms",
    "TableDefaults",
    "Web",
    "Webhook",
    "default_config",
]

PREFIX: Final = "PERUDO_"
CONFIG_VARIABLE: Final = "PERUDO_CONFIG"
USUAL_CONFIG: Final = Path("config/bot.toml")
DOTENV: Final = Path(".env")
LEAST_CLOCK: Final = 30
WEB_PORT: Final = 8443
LIKE_ENOUGH: Final = 0.7
TOKEN: Final = re.compile(r"\d{3,}:[A-Za-z0-9_-]{20,}")

Tree: TypeAlias = dict[str, Any]


class SettingsError(Exception):
    """The settings cannot be used. Each line names a key, its value and what is allowed."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


def _off_or_long_enough(seconds: int) -> int:
    if 0 < seconds < LEAST_CLOCK:
        raise ValueError("too short")
    return seconds


def _rulebook(value: str) -> str:
    """A published book, or a house's own file, which must be playable now rather than when a table opens."""
    if value not in PRESETS:
        if not value.endswith(".toml"):
            raise ValueError("no such book")
        try:
            Rules.from_toml(Path(value).read_text(encoding="utf-8"))
        except OSError as error:
            raise BecauseError(error.strerror or str(error)) from None
        except ValueError as error:
            raise BecauseError(str(error)) from None
    return value


def _token(value: SecretStr) -> SecretStr:
    """Pasted tokens come with blanks round them. Empty means: none yet."""
    bare = value.get_secret_value().strip()
    if bare and not TOKEN.fullmatch(bare):
        raise ValueError("not a token")
    return SecretStr(bare)


def _webhook_secret(value: SecretStr) -> SecretStr:
    """What Telegram takes as a secret token."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{0,256}", value.get_secret_value()):
        raise ValueError("not a secret token")
    return value


_Seconds: TypeAlias = Annotated[int, Field(ge=0, le=86400)]
_ApiUrl: TypeAlias = Annotated[
    str,
    Field(pattern=r"^https?://[^/\s]+(/[^\s]*)?/bot$|^https?://[^\s]*\{token\}[^\s]*$"),
    Allowed("an http(s) address that ends in /bot, such as https://api.telegram.org/bot"),
]


class TableDefaults(Section):
    """How a new table plays until its host chooses otherwise."""

    rulebook: Annotated[
        str, AfterValidator(_rulebook), Allowed(f"one of {', '.join(PRESETS)}, or a file with your own, my-rules.toml")
    ] = DEFAULT_PRESET
    clock_seconds: Annotated[
        _Seconds,
        AfterValidator(_off_or_long_enough),
        Allowed(f"0 (no clock) or {LEAST_CLOCK} to 86400 seconds (a day)"),
    ] = 120
    on_timeout: Annotated[Literal["auto", "lose_die", "drop_out"], Allowed("one of auto, lose_die, drop_out")] = "auto"
    misses_allowed: Annotated[int, Field(ge=1, le=100), Allowed("1 to 100 turns")] = 3
    reminder_seconds: Annotated[_Seconds, Allowed("0 (no reminder) to 86400 seconds")] = 30
    away_seconds: Annotated[int, Field(ge=0, le=3600), Allowed("0 to 3600 seconds")] = 8
    claim_window_seconds: Annotated[float, Field(ge=0, le=30, allow_inf_nan=False), Allowed("0 to 30 seconds")] = 2.0
    lobby_idle_minutes: Annotated[int, Field(ge=1, le=10080), Allowed("1 to 10080 minutes (a week)")] = 30
    max_seats_unlimited: Annotated[int, Field(ge=2, le=20), Allowed("2 to 20 players")] = 10

    def rules(self) -> Rules:
        """What `rulebook` names."""
        if self.rulebook in PRESETS:
            return Rules.preset(self.rulebook)
        return Rules.from_toml(Path(self.rulebook).read_text(encoding="utf-8"))


class Limits(Section):
    """How much the bot sends. Telegram's own limits lie a little higher."""

    per_bot_per_second: Annotated[int, Field(ge=1, le=1000), Allowed("1 to 1000 messages")] = 25
    per_chat_seconds: Annotated[float, Field(ge=0, le=60, allow_inf_nan=False), Allowed("0 to 60 seconds")] = 1.0
    per_group_per_minute: Annotated[int, Field(ge=1, le=1000), Allowed("1 to 1000 messages")] = 20


class Polling(Section):
    """How the bot asks for what is new."""

    timeout_seconds: Annotated[int, Field(ge=0, le=50), Allowed("0 to 50 seconds")] = 25


class Logging(Section):
    """How the bot tells about its work."""

    format: Annotated[Literal["console", "json"], Allowed("one of console, json")] = "console"


class Metrics(Section):
    """Who may read `/metrics`."""

    token: Annotated[SecretStr, Allowed("a long random word, or nothing: then only this machine is answered")] = (
        SecretStr("")
    )


class Webhook(Section):
    """Where Telegram brings what is new, instead of being asked for it."""

    url: Annotated[
        str,
        Field(pattern=r"^$|^https?://[^/\s?#@]+(/[^\s?#]*)?$"),
        Allowed("empty (the bot asks Telegram), or the public address that leads to this bot, https://…/telegram"),
    ] = ""
    secret: Annotated[
        SecretStr, AfterValidator(_webhook_secret), Allowed("1 to 256 letters, digits, _ and -, or empty")
    ] = SecretStr("")
    max_connections: Annotated[int, Field(ge=1, le=100), Allowed("1 to 100 updates at once")] = 40
    max_body_bytes: Annotated[int, Field(ge=65536, le=16777216), Allowed("65536 to 16777216 bytes")] = 1048576


class Web(Section):
    """Where the bot's own web server listens."""

    host: Annotated[str, Field(min_length=1), Allowed("an address of this machine, such as 127.0.0.1 or 0.0.0.0")] = (
        "127.0.0.1"
    )
    port: Annotated[int, Field(ge=0, le=65535), Allowed("0 (8443 with a webhook, else no server) to 65535")] = 0


_PerMinute: TypeAlias = Annotated[int, Field(ge=0, le=60000), Allowed("0 (no limit) to 60000 a minute")]


class Quotas(Section):
    """How much one person and one chat may ask for."""

    person_taps_per_minute: _PerMinute = 120
    person_commands_per_minute: _PerMinute = 30
    chat_taps_per_minute: _PerMinute = 600
    chat_commands_per_minute: _PerMinute = 120
    tables_per_host: Annotated[int, Field(ge=0, le=1000), Allowed("0 (any number) to 1000 tables")] = 5
    live_tables: Annotated[int, Field(ge=0, le=10000000), Allowed("0 (any number) to 10000000 tables")] = 0


class Storage(Section):
    """How long things are kept."""

    keep_games_days: Annotated[int, Field(ge=0, le=36500), Allowed("0 (for ever) to 36500 days")] = 365


class Languages(Section):
    """What the bot speaks."""

    default: Annotated[
        str, Field(pattern=r"^[a-z]{2,3}([-_][A-Za-z]{2,8})*$"), Allowed("a language code such as en, es or pt-BR")
    ] = "en"


class Settings(Section):
    """Everything that can be set. Building one reads nothing; `load` reads the file and the environment."""

    token: Annotated[
        SecretStr,
        AfterValidator(_token),
        Allowed("the token that @BotFather gave you: digits, a colon, 35 letters and digits"),
    ] = SecretStr("")
    api_base_url: _ApiUrl = "https://api.telegram.org/bot"
    api_file_url: _ApiUrl = "https://api.telegram.org/file/bot"
    database_url: Annotated[
        str,
        AfterValidator(read_database_url),
        Allowed("sqlite:///perudo.db or postgresql://user:password@host/database"),
    ] = Field("sqlite:///perudo.db", repr=False)  # it may hold a password
    log_level: Annotated[
        Literal["DEBUG", "INFO", "WARNING", "ERROR"],
        BeforeValidator(lambda level: level.upper() if isinstance(level, str) else level),
        Allowed("one of DEBUG, INFO, WARNING, ERROR"),
    ] = "INFO"
    table: TableDefaults = TableDefaults()
    limits: Limits = Limits()
    polling: Polling = Polling()
    logging: Logging = Logging()
    metrics: Metrics = Metrics()
    webhook: Webhook = Webhook()
    web: Web = Web()
    quotas: Quotas = Quotas()
    storage: Storage = Storage()
    languages: Languages = Languages()
    sms: Sms = Sms()

    @classmethod
    def load(cls, config: Path | None = None) -> Self:
        """The environment over `.env` over the file; where a key stands in none of them, its default.

        The file is `config`, or the one that PERUDO_CONFIG names, or `config/bot.toml` where there is one.

        Raises:
            SettingsError: With a line for each thing that is wrong.
        """
        sources, strays = _sources(config)
        values: Tree = {}
        for source in reversed(sources):
            values = _over(values, source.values)
        lines = [*strays, *fill_in(values, _variable)]
        try:
            settings = cls.model_validate(values)
        except ValidationError as error:
            lines += [_line(detail, sources, values) for detail in error.errors(include_url=False)]
        if lines:
            raise SettingsError(lines)
        return settings

    def webhook_secret(self) -> str:
        """What proves that Telegram brings an update: the chosen secret, or one that follows from the token.

        Any worker with the same token comes to the same one.
        """
        chosen = self.webhook.secret.get_secret_value()
        return chosen or hmac.new(self.token.get_secret_value().encode(), b"webhook secret", sha256).hexdigest()

    def web_port(self) -> int | None:
        """The port to listen on; None: no web server."""
        return self.web.port or (WEB_PORT if self.webhook.url or self.sms.gateways else None)

    def require_token(self) -> SecretStr:
        """The token, for what cannot be done without.

        Raises:
            SettingsError: There is none.
        """
        if not self.token.get_secret_value():
            raise SettingsError(
                ["token is not set: send /newbot to @BotFather in Telegram and put what you get into PERUDO_TOKEN"]
            )
        return self.token

    def secrets(self) -> tuple[str, ...]:
        """Everything that must not be shown: what is declared as a secret, and the database's password."""
        found = [*_secret_values(self), self.webhook_secret()]
        found += passwords(self.database_url)
        return tuple(secret for secret in found if secret)


def _secret_values(section: BaseModel) -> Iterator[str]:
    for name in type(section).model_fields:
        value = getattr(section, name)
        if isinstance(value, SecretStr):
            yield value.get_secret_value()
        elif isinstance(value, BaseModel):
            yield from _secret_values(value)
        elif isinstance(value, tuple):
            for item in value:
                yield from _secret_values(item) if isinstance(item, BaseModel) else ()


def default_config() -> str:
    """The commented defaults, `config/bot.toml`, wherever the bot is installed."""
    packaged = files("telegram_bot") / "bot.toml"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parent.parent / USUAL_CONFIG).read_text(encoding="utf-8")


# Reading


class _Keys(BaseSettings, Settings):
    """Tells pydantic-settings which variables there are."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", env_ignore_empty=True, dotenv_filtering="only_existing"
    )


@dataclass(frozen=True, slots=True)
class _Source:
    values: Tree
    file: Path | None = None
    """None: variables, which are named one by one."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """The variables that go by another name than their key's."""

    def origin(self, location: Sequence[str]) -> str | None:
        """Where this source sets the key, if it does."""
        here: Any = self.values
        for part in location:
            if not isinstance(here, Mapping) or part not in here:
                return None
            here = here[part]
        key = "__".join(location)
        return str(self.file) if self.file else self.aliases.get(key, PREFIX + key.upper())


def _sources(config: Path | None) -> tuple[list[_Source], list[str]]:
    """The strongest first; and a line for each variable that looks misspelt."""
    environment = EnvSettingsSource(_Keys)
    dotenv = DotEnvSettingsSource(_Keys, env_file=DOTENV, env_file_encoding="utf-8")
    found: list[_Source] = []
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
        found.append(_Source(values, aliases=aliases))
        strays += _misspelt(source.env_vars)
    if config is None:
        named = environment.env_vars.get(CONFIG_VARIABLE.lower()) or dotenv.env_vars.get(CONFIG_VARIABLE.lower())
        config = Path(named) if named else USUAL_CONFIG if USUAL_CONFIG.is_file() else None
    if config is not None:
        found.append(_Source(_read(config), file=config))
    return found, strays


def _variable(name: str) -> str | None:
    """What the environment, or else `.env`, calls by this name."""
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


def _misspelt(variables: Mapping[str, str | None]) -> Iterator[str]:
    """Only what is nearly a setting: container platforms add PERUDO_PORT and the like of their own."""
    known = {PREFIX + key.replace(".", "__").upper() for key in _keys()} | {CONFIG_VARIABLE}
    endings = {name.removeprefix(PREFIX): name for name in known}
    sections = tuple(f"{PREFIX}{key.partition('.')[0].upper()}__" for key in _keys() if "." in key)
    for variable in map(str.upper, variables):
        if variable in known or not variable.startswith(PREFIX) or variable.startswith(sections):
            continue  # one that names a section is judged with it
        for ending in get_close_matches(variable.removeprefix(PREFIX), endings, n=1, cutoff=0.75):
            yield f"{variable} is no setting; did you mean {endings[ending]}?"


# Refusing


def _keys() -> dict[str, Any]:
    """Every key, as in `table.clock_seconds`, with the description of its field."""
    keys: dict[str, Any] = {}
    for name, setting in Settings.model_fields.items():
        section = setting.annotation
        if isinstance(section, type) and issubclass(section, Section):
            keys |= {f"{name}.{key}": described for key, described in section.model_fields.items()}
        else:
            keys[name] = setting
    return keys


def _line(detail: ErrorDetails, sources: Sequence[_Source], values: Tree) -> str:
    if detail["loc"][:2] == ("sms", "gateways") and len(detail["loc"]) > 2 and isinstance(detail["loc"][2], int):  # noqa: PLR2004
        return gateway_line(detail, values)
    parts = [str(part) for part in detail["loc"]]
    key = ".".join(parts)
    source, origin = next(((source, origin) for source in sources if (origin := source.origin(parts))), (None, "?"))
    if detail["type"] == "extra_forbidden":  # its value is not shown: it may be a token under a misspelt name
        return f"{key} (in {origin}) is no setting{_did_you_mean(key)}"
    setting = _keys().get(key)
    if setting is None:
        return f"{key} (in {origin}) is a section: write [{key}] on a line of its own, and its settings below"
    allowed = next(mark.words for mark in setting.metadata if isinstance(mark, Allowed))
    shown = "" if setting.annotation is SecretStr or source is None else f" = {_harmless(_at(source.values, parts))}"
    reason = detail.get("ctx", {}).get("error")
    because = f" ({reason})" if isinstance(reason, BecauseError) else ""
    return f"{key}{shown} (in {origin}) is not allowed{because}; it may be {allowed}"


def _did_you_mean(key: str) -> str:
    """The nearest setting, those of the same section first."""
    keys = list(_keys())
    section, _, ending = key.rpartition(".")
    siblings = [full for full in keys if section and full.startswith(f"{section}.")]
    sections = [] if section else sorted({full.partition(".")[0] for full in keys if "." in full})
    for candidates in (siblings, [*sections, *keys]):
        nearest = max(candidates, key=lambda full: _likeness(ending, full), default="")
        if _likeness(ending, nearest) >= LIKE_ENOUGH:
            return f"; did you mean {nearest}?"
    return f"; there are {', '.join(siblings or keys)}"


def _likeness(ending: str, full: str) -> float:
    """From 0 to 1: how much like a key, or like a word of it, this is."""
    name = full.rpartition(".")[2]
    return max(SequenceMatcher(None, ending, part).ratio() for part in (name, *name.split("_")))


def _at(values: Tree, parts: Sequence[str]) -> Any:
    here: Any = values
    for part in parts:
        here = here[part]
    return here


def _harmless(value: Any) -> str:
    """A value as it may be shown: no token, no password, no end of it out of sight."""
    shown = str(value) if isinstance(value, str) else repr(value)
    shown = re.sub(r"(://[^/\s:@]*):\S*@", r"\1:…@", TOKEN.sub("…", shown))
    shown = re.sub(r"^(?!https?:)([\w+]+://).+", r"\1…", shown)  # a database's: where does its password end?
    return repr(shown) if isinstance(value, str) else shown[:200]
