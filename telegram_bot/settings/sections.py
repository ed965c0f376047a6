"""The sections of the settings except text messages, and their common base."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationInfo

from perudo_core import PRESETS, Rules
from telegram_bot.errors import MisconfiguredError
from telegram_bot.settings.house_rule_settings import (
    CLASSIC,
    USUAL_FOLDER,
    HouseRulesFile,
    all_house_rules,
    read_house_rules,
)


class SettingsError(MisconfiguredError):
    """The settings are invalid. Each line names a key, its value and the allowed values."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


@dataclass(frozen=True, slots=True)
class Allowed:
    """The allowed values of a key, in words."""

    words: str


INTERNAL: Final = "internal"
"""Marks a value for the sandbox, tests and benchmarks: no operator needs it, and `config/bot.toml` does not name it."""


class InvalidSettingError(ValueError):
    """An invalid value whose reason is shown to the operator."""


class Section(BaseModel):
    """A section of the settings. Its errors do not quote values, which may be secrets."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, use_attribute_docstrings=True)


S = TypeVar("S", bound=Section)
MIN_CLOCK_SECONDS: Final = 30


def _off_or_long_enough(seconds: int) -> int:
    if 0 < seconds < MIN_CLOCK_SECONDS:
        raise ValueError("too short")
    return seconds


def _house_rules_folder(value: str) -> str:
    """Check at the start of the bot that every file of house rules makes a game, not when a host chooses it."""
    if value != USUAL_FOLDER and not Path(value).is_dir():
        raise InvalidSettingError("there is no such folder")
    try:
        all_house_rules(value)
    except ValueError as error:
        raise InvalidSettingError(str(error)) from None
    return value


def _rulebook(value: str, info: ValidationInfo) -> str:
    """Check that the rulebook (a preset, house rules or a file) makes a game, before a table opens."""
    folder = info.data.get("house_rules")
    known = () if folder is None else all_house_rules(folder)
    if value not in PRESETS and value not in {house.key for house in known}:
        if not value.endswith(".toml"):
            raise InvalidSettingError(f"{folder or 'the folder of house rules'} has no {value}.toml")
        try:
            read_house_rules(Path(value))
        except OSError as error:
            raise InvalidSettingError(error.strerror or str(error)) from None
        except ValueError as error:
            raise InvalidSettingError(str(error)) from None
    return value


def _time_zone(value: str) -> str:
    """Check that this machine knows the time zone."""
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, OSError) as error:  # OSError: a folder of zones, or another file
        raise ValueError("no such time zone") from error
    return value


def _as_browsers_write(url: str) -> str:
    """Return an address with the host as browsers send it: in ASCII and small letters, without the usual port."""
    if not url:
        return url
    from httpx import URL, InvalidURL  # noqa: PLC0415 - slow to import

    try:
        found = URL(url)
    except InvalidURL as error:
        raise ValueError("not an address") from error
    return f"{found.scheme}://{found.netloc.decode()}{found.path.rstrip('/')}"


_Seconds: TypeAlias = Annotated[int, Field(ge=0, le=86400)]


class TableSettings(Section):
    """The rules and the clock of a new table, which its host can change."""

    house_rules: Annotated[str, AfterValidator(_house_rules_folder), Allowed("a folder with files of house rules")] = (
        Field(USUAL_FOLDER, validate_default=True)
    )
    rulebook: Annotated[
        str,
        AfterValidator(_rulebook),
        Allowed(f"{CLASSIC}, one of {', '.join(PRESETS)}, or a file with your own, my-rules.toml"),
    ] = CLASSIC
    clock_seconds: Annotated[
        _Seconds,
        AfterValidator(_off_or_long_enough),
        Allowed(f"0 (no clock) or {MIN_CLOCK_SECONDS} to 86400 seconds (a day)"),
    ] = 120
    on_timeout: Annotated[Literal["auto", "lose_die", "drop_out"], Allowed("one of auto, lose_die, drop_out")] = "auto"
    misses_allowed: Annotated[int, Field(ge=1, le=100), Allowed("1 to 100 turns")] = 3
    reveal_seconds: Annotated[
        float, Field(ge=0, le=30, allow_inf_nan=False), Allowed("0 (immediately) to 30 seconds")
    ] = 2.0
    celebrate: Annotated[bool, Allowed("true or false"), INTERNAL] = True
    time_zone: Annotated[str, AfterValidator(_time_zone), Allowed("a time zone, such as Europe/Rome")] = "UTC"

    def rules(self) -> Rules:
        """Return the rules that `rulebook` names."""
        if self.rulebook in PRESETS:
            return Rules.preset(self.rulebook)
        houses = {house.key: house.rules for house in all_house_rules(self.house_rules)}
        return houses[self.rulebook] if self.rulebook in houses else read_house_rules(Path(self.rulebook)).rules

    def all_house_rules(self) -> tuple[HouseRulesFile, ...]:
        """Return all house rules that a lobby offers; also those of a file elsewhere that `rulebook` names."""
        houses = all_house_rules(self.house_rules)
        if not self.rulebook.endswith(".toml"):
            return houses
        named = read_house_rules(Path(self.rulebook))
        return (*(house for house in houses if house.key != named.key), named)


_Thinking: TypeAlias = Annotated[float, Field(ge=0, le=30, allow_inf_nan=False), Allowed("0 to 30 seconds"), INTERNAL]


class ComputerPlayerSettings(Section):
    """How computer players play."""

    think_least_seconds: _Thinking = 1.0
    think_most_seconds: _Thinking = 4.0
    processes: Annotated[int, Field(ge=1, le=16), Allowed("1 to 16 processes")] = 1
    reactions: Annotated[bool, Allowed("true or false")] = True


def _engine_names(commands: dict[str, str]) -> dict[str, str]:
    if not all(re.fullmatch("[A-Za-z0-9][A-Za-z0-9-]{0,19}", name) for name in commands):
        raise InvalidSettingError("a name has up to 20 letters, digits and hyphens")
    if not all(map(_words, commands.values())):
        raise InvalidSettingError("a command is empty or has a quotation mark without its partner")
    return commands


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


class EngineSettings(Section):
    """Programs that play as computer players."""

    seconds: Annotated[float, Field(ge=1, le=5, allow_inf_nan=False), Allowed("1 to 5 seconds")] = 3.0
    memory_megabytes: Annotated[int, Field(ge=16, le=65536), Allowed("16 to 65536 megabytes")] = 512
    commands: Annotated[
        dict[str, str],
        AfterValidator(_engine_names),
        Allowed('a name and a command on each line: odds = "node odds.js"'),
    ] = {}
    options: Annotated[
        dict[str, dict[str, bool | int | Annotated[float, Field(allow_inf_nan=False)] | str]],
        Allowed("a table for each name: odds = { doubt_below = 0.4 }"),
    ] = {}


class LimitSettings(Section):
    """How many messages the bot sends. Telegram's own limits are a little higher."""

    per_bot_per_second: Annotated[int, Field(ge=1, le=1000), Allowed("1 to 1000 messages"), INTERNAL] = 25
    per_chat_seconds: Annotated[
        float, Field(ge=0, le=60, allow_inf_nan=False), Allowed("0 to 60 seconds"), INTERNAL
    ] = 1.0
    per_group_per_minute: Annotated[int, Field(ge=1, le=1000), Allowed("1 to 1000 messages"), INTERNAL] = 20


class PollingSettings(Section):
    """How the bot polls for updates."""

    probe_seconds: Annotated[int, Field(ge=0, le=50), Allowed("0 to 50 seconds"), INTERNAL] = 1


class LoggingSettings(Section):
    """The log's format."""

    format: Annotated[Literal["console", "json"], Allowed("one of console, json")] = "console"


class MetricsSettings(Section):
    """Access to `/metrics`."""

    token: Annotated[SecretStr, Allowed("a long random word, or nothing: then no one is answered")] = SecretStr("")


class WebhookSettings(Section):
    """The address to which Telegram delivers updates, instead of being polled for them."""

    url: Annotated[
        str,
        Field(pattern=r"^$|^https?://[^/\s?#@]+(/[^\s?#]*)?$"),
        Allowed("empty (the bot asks Telegram), or the public address that leads to this bot, https://…/telegram"),
    ] = ""


class WebSettings(Section):
    """Where the bot's own web server listens."""

    host: Annotated[str, Field(min_length=1), Allowed("an address of this machine, such as 127.0.0.1 or 0.0.0.0")] = (
        "127.0.0.1"
    )
    port: Annotated[int, Field(ge=0, le=65535), Allowed("0 (8443 with a webhook, else no server) to 65535")] = 0


class WebSeatSettings(Section):
    """The web seat of guests, Mini Apps and televisions."""

    url: Annotated[
        str,
        Field(pattern=r"^$|^https?://[^/\s?#@]+/?$"),
        AfterValidator(_as_browsers_write),
        Allowed("empty (no pages), or the public address that leads to this bot, https://perudo.example"),
    ] = ""
    tables: Annotated[bool, Allowed("true or false")] = False
    app: Annotated[
        str,
        Field(pattern=r"^$|^[A-Za-z0-9_]{3,64}$"),
        Allowed("empty, or the short name that @BotFather knows the Mini App by"),
    ] = ""
    behind_proxy: Annotated[bool, Allowed("true or false")] = True
    proxies: Annotated[
        tuple[IPv4Network | IPv6Network, ...], Allowed('addresses and networks, ["203.0.113.7", "2001:db8::/32"]')
    ] = ()
    frame_ancestors: Annotated[
        tuple[Annotated[str, Field(pattern=r"^https?://[^/\s;,'\"]+$"), AfterValidator(_as_browsers_write)], ...],
        Allowed('addresses that may frame the Mini App, ["https://web.telegram.org"]'),
        INTERNAL,
    ] = ("https://web.telegram.org",)

    @property
    def sandboxes(self) -> tuple[str, ...]:
        """Return the addresses that may frame every page: only those by http, which a sandbox on this machine has."""
        return tuple(address for address in self.frame_ancestors if address.startswith("http:"))

    @property
    def opens_in_telegram(self) -> bool:
        """True if Telegram opens the Mini App: by https, or by http in a sandbox."""
        return self.url.startswith("https:") or bool(self.url and self.sandboxes)


_PerMinute: TypeAlias = Annotated[int, Field(ge=0, le=60000), Allowed("0 (no limit) to 60000 a minute"), INTERNAL]


class QuotaSettings(Section):
    """How many requests one person and one chat may make."""

    person_taps_per_minute: _PerMinute = 120
    person_commands_per_minute: _PerMinute = 30
    chat_taps_per_minute: _PerMinute = 600
    chat_commands_per_minute: _PerMinute = 120
    tables_per_host: Annotated[int, Field(ge=0, le=1000), Allowed("0 (any number) to 1000 tables")] = 5
    live_tables: Annotated[int, Field(ge=0, le=10000000), Allowed("0 (any number) to 10000000 tables")] = 5000


class PictureSettings(Section):
    """Pictures for people and groups who have not chosen text."""

    hands: Annotated[bool, INTERNAL] = True
    reveals: Annotated[bool, INTERNAL] = True
    animations: Annotated[bool, INTERNAL] = True


class StorageSettings(Section):
    """How long data is kept."""

    keep_games_days: Annotated[int, Field(ge=0, le=36500), Allowed("0 (for ever) to 36500 days")] = 365


class LanguageSettings(Section):
    """The languages of the bot."""

    default: Annotated[
        str, Field(pattern=r"^[a-z]{2,3}([-_][A-Za-z]{2,8})*$"), Allowed("a language code such as en, es or pt-BR")
    ] = "en"


class FeatureSettings(Section):
    """The features that the operator does not want, and the sections of others: `[features.<name>]`."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, dict[str, Any]]
    off: Annotated[tuple[str, ...], Allowed("names of folders in telegram_bot/features")] = ()

    def of(self, feature: str, section: type[S]) -> S:
        """Return the section of a feature; `install` has validated it."""
        return section.model_validate(self.__pydantic_extra__.get(feature, {}))


ALL_ON: Final = FeatureSettings()


def _voice_model(value: str) -> str:
    """Check that a model of the operator's own is there; the named ones are set up later."""
    if value not in ("small", "base") and not Path(value).expanduser().is_dir():
        raise InvalidSettingError("there is no such folder")
    return value


class VoiceSettings(Section):
    """Voice notes and reading aloud: engines and limits."""

    enabled: Annotated[bool, Allowed("true or false")] = True
    model: Annotated[
        str, Field(min_length=1), AfterValidator(_voice_model), Allowed("small, base, or the folder of a model")
    ] = "small"
    seconds: Annotated[int, Field(ge=1, le=60), Allowed("1 to 60 seconds"), INTERNAL] = 10
    notes_per_minute: Annotated[int, Field(ge=0, le=1000), Allowed("0 (no limit) to 1000 notes"), INTERNAL] = 6
    voices: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[a-z]{2}=.+$")], ...],
        Allowed('languages with a folder or a file .onnx, such as ["it=/srv/kokoro", "nl=/srv/nl.onnx"]'),
    ] = ()
    speak: Annotated[bool, Allowed("true or false")] = True
