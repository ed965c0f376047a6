"""The model of all settings, with their defaults, and a check of the database's URL.

The URL is parsed without SQLAlchemy, which takes long to import, but in the same way as SQLAlchemy parses it.
"""

import hmac
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Annotated, Final, Literal, TypeAlias
from urllib.parse import unquote

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr

from telegram_bot.settings import sections
from telegram_bot.settings.sms import SmsSettings

_SERVER: Final = re.compile(
    r"postgresql://"
    r"(?:[^:/@]*(?::(?P<password>[^@]*))?@)?"
    r"(?:\[[^]\[@]*\]|[^:/?@]*)(?::\d*)?(?:[/?].*)?"
)
_IN_THE_QUERY: Final = re.compile(r"[?&](?:ssl)?password=([^&]*)")


def read_database_url(value: str) -> str:
    """Return the URL in SQLAlchemy's form. Hosting companies write postgres://, and other programs name their driver.

    Raises:
        ValueError: the URL names neither SQLite nor PostgreSQL.
        sections.InvalidSettingError: the URL is ambiguous: a part of its password could be read as the host, or its
            file as one.
    """
    url = re.sub(r"^postgres(ql)?(\+\w+)?://", "postgresql://", value.strip())
    url = re.sub(r"^sqlite\+\w+://", "sqlite://", url)
    if url.startswith("sqlite://"):
        if re.match(r"sqlite://[^/?]", url):
            raise sections.InvalidSettingError(
                "a file has three slashes before its name, and four before a path from the root: "
                "sqlite:///perudo.db or sqlite:////var/lib/perudo/perudo.db"
            )
        return url
    if not url.startswith("postgresql://"):
        raise ValueError("unknown database")
    if not _SERVER.fullmatch(url):
        raise sections.InvalidSettingError(
            "in a password @ must be written as %40, : as %3A, / as %2F; a port is a number; "
            "of several servers: ?host=one,two&port=5432,5433"
        )
    return url


def passwords(url: str) -> Iterator[str]:
    """Yield every password in a URL, both as written and percent-decoded."""
    server = _SERVER.fullmatch(url)
    found = [] if server is None else [server["password"], *_IN_THE_QUERY.findall(url)]
    for password in filter(None, found):
        yield from (password, unquote(password))


WEB_PORT: Final = 8443
TOKEN: Final = re.compile(r"\d{3,}:[A-Za-z0-9_-]{20,}")


def _token(value: SecretStr) -> SecretStr:
    """Remove the blanks around a pasted token. An empty token means that there is none yet."""
    bare = value.get_secret_value().strip()
    if bare and not TOKEN.fullmatch(bare):
        raise sections.InvalidSettingError("this is no token")
    return SecretStr(bare)


_ApiUrl: TypeAlias = Annotated[
    str,
    Field(pattern=r"^https?://[^/\s]+(/[^\s]*)?/bot$|^https?://[^\s]*\{token\}[^\s]*$"),
    sections.Allowed("an http(s) address that ends in /bot, such as https://api.telegram.org/bot"),
]


class Settings(sections.Section):
    """All settings. The constructor reads neither file nor environment; `load_settings` reads both."""

    token: Annotated[
        SecretStr,
        AfterValidator(_token),
        sections.Allowed(
            "the line of @BotFather's answer with digits, a colon and 35 more characters, and nothing else"
        ),
    ] = SecretStr("")
    api_base_url: _ApiUrl = "https://api.telegram.org/bot"
    database_url: Annotated[
        str,
        AfterValidator(read_database_url),
        sections.Allowed("sqlite:///perudo.db or postgresql://user:password@host/database"),
    ] = Field("sqlite:///perudo.db", repr=False)  # the URL may contain a password
    log_level: Annotated[
        Literal["DEBUG", "INFO", "WARNING", "ERROR"],
        BeforeValidator(lambda level: level.upper() if isinstance(level, str) else level),
        sections.Allowed("one of DEBUG, INFO, WARNING, ERROR"),
    ] = "INFO"
    table: sections.TableSettings = sections.TableSettings()
    computer_players: sections.ComputerPlayerSettings = sections.ComputerPlayerSettings()
    engines: sections.EngineSettings = sections.EngineSettings()
    limits: sections.LimitSettings = sections.LimitSettings()
    polling: sections.PollingSettings = sections.PollingSettings()
    logging: sections.LoggingSettings = sections.LoggingSettings()
    metrics: sections.MetricsSettings = sections.MetricsSettings()
    webhook: sections.WebhookSettings = sections.WebhookSettings()
    web: sections.WebSettings = sections.WebSettings()
    web_seat: sections.WebSeatSettings = sections.WebSeatSettings()
    quotas: sections.QuotaSettings = sections.QuotaSettings()
    storage: sections.StorageSettings = sections.StorageSettings()
    languages: sections.LanguageSettings = sections.LanguageSettings()
    pictures: sections.PictureSettings = sections.PictureSettings()
    voice: sections.VoiceSettings = sections.VoiceSettings()
    sms: SmsSettings = SmsSettings()
    features: sections.FeatureSettings = sections.ALL_ON

    def api_file_url(self) -> str:
        """Return the address of the Bot API's files."""
        return re.sub(r"/bot(?=$|\{token\})", "/file/bot", self.api_base_url)

    def webhook_secret(self) -> str:
        """Return the secret that proves that an update is from Telegram. All workers with the same token derive it."""
        return hmac.new(self.token.get_secret_value().encode(), b"webhook secret", sha256).hexdigest()

    def web_port(self) -> int | None:
        """Return the port to listen on, or None if no web server is needed."""
        needed = self.webhook.url or self.sms.gateways or self.web_seat.url
        return self.web.port or (WEB_PORT if needed else None)

    def require_token(self) -> SecretStr:
        """Return the token.

        Raises:
            sections.SettingsError: no token is set.
        """
        if not self.token.get_secret_value():
            raise sections.SettingsError(
                [
                    (
                        "token is not set: send /newbot to @BotFather in Telegram and put what you get into "
                        "PERUDO_TOKEN, such as by a line PERUDO_TOKEN=… in the file .env"
                    )
                ]
            )
        return self.token

    def secrets(self) -> tuple[str, ...]:
        """Return all values that must not be shown: the settings declared as secret, and the database's password."""
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
