"""Gateways in the settings: the pages' examples work, and messages about mistakes contain no secret."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from telegram_bot.app import service_config
from telegram_bot.channels.sms.channel import SmsChannel
from telegram_bot.channels.sms.gateways.kannel import Kannel
from telegram_bot.channels.sms.gateways.smsgate import SmsGate
from telegram_bot.channels.sms.gateways.twilio import Twilio
from telegram_bot.errors import OperatorError
from telegram_bot.service.service import Service
from telegram_bot.settings import Settings, SettingsError, load_settings
from telegram_bot.storage.database import Database

PAGES = Path(__file__).parents[3] / "docs/sms"
KEY = "k" * 44
VARIABLES = (
    "TWILIO_AUTH_TOKEN", "TWILIO_API_SECRET", "SMSGATE_PASSWORD", "SMSGATE_SIGNING_KEY", "KANNEL_PASSWORD",
    "KANNEL_SECRET",
)  # fmt: skip
TWILIO = """
[sms]
public_url = "https://bot.example.org"
[[sms.gateways]]
kind = "twilio"
name = "main"
number = "+12025550100"
account = "AC00000000000000000000000000000000"
auth_token = "$TWILIO_AUTH_TOKEN"
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in VARIABLES:
        monkeypatch.setenv(name, f"secret-{name}")
    monkeypatch.setenv("PERUDO_SMS__KEY", KEY)


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], Settings]:
    def load(text: str) -> Settings:
        (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
        return load_settings(tmp_path / "mine.toml")

    return load


def shown_on(page: str) -> str:
    """The TOML of a page."""
    [block] = re.findall(r"```toml\n(.*?)```", (PAGES / page).read_text(encoding="utf-8"), re.DOTALL)
    return re.sub(r"(?m)^ +", "", block)


@pytest.mark.parametrize(("page", "kind"), [("twilio.md", Twilio), ("smsgate.md", SmsGate), ("kannel.md", Kannel)])
async def test_what_a_page_shows_makes_a_gateway(
    load: Callable[[str], Settings], page: str, kind: type[object], tmp_path: Path
) -> None:
    settings = load(shown_on(page))
    database = Database(f"sqlite:///{tmp_path}/perudo.db")
    channel = SmsChannel(settings, Service(database, service_config(settings)))
    [gateway] = channel.gateways.values()
    assert isinstance(gateway, kind)
    assert gateway.home is not None
    assert service_config(settings).numbers == (gateway.number,)
    await channel.close()
    database.close()


def test_several_gateways_at_once_or_none(load: Callable[[str], Settings]) -> None:
    pages = "\n".join(shown_on(page).replace("[sms]", "") for page in ("smsgate.md", "kannel.md"))
    pages = "[sms]\n" + pages.replace('public_url = "https://bot.example.org"', "")
    assert [gateway.name for gateway in load(pages).sms.gateways] == ["phone", "modem"]
    assert load(pages).web_port() == 8443
    assert load("").sms.gateways == ()
    assert load("").web_port() is None


def test_secrets_come_from_the_environment_or_dotenv_and_are_known_as_such(
    load: Callable[[str], Settings], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TWILIO_AUTH_TOKEN")
    (tmp_path / ".env").write_text("TWILIO_AUTH_TOKEN=from-dotenv\n", encoding="utf-8")
    settings = load(TWILIO)
    assert {"from-dotenv", KEY} <= set(settings.secrets())
    assert "from-dotenv" not in repr(settings)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("$TWILIO_AUTH_TOKEN", "$NOT_SET"), "auth_token names $NOT_SET, which is not set"),
        (
            ("+12025550100", "12025550100"),
            "number is not allowed; it may be the number people text, with its country: +393401234567",
        ),
        (('"twilio"', '"pigeon"'), "kind may be one of twilio, smsgate, kannel"),
        (('kind = "twilio"', ""), "kind may be one of twilio, smsgate, kannel"),
        (
            ('account = "AC00000000000000000000000000000000"', ""),
            "account is missing; it may be the Account SID: AC and 32 digits",
        ),
        (
            ("auth_token", "auth_tokne"),
            (
                "auth_tokne is no setting; there are name, number, cost_per_text, sender_proof, kind, account, "
                "auth_token, api_key, api_secret, api_url"
            ),
        ),
    ],
)
def test_what_is_wrong_with_a_gateway_is_told_in_a_line(
    load: Callable[[str], Settings], change: tuple[str, str], told: str
) -> None:
    with pytest.raises(SettingsError) as refused:
        load(TWILIO.replace(*change))
    assert f"sms.gateways[1] (main): {told}" in refused.value.lines
    assert not any("secret-" in each or "12025550100" in each for each in refused.value.lines)


def test_two_gateways_have_two_names(load: Callable[[str], Settings]) -> None:
    with pytest.raises(SettingsError, match="two gateways have the same name"):
        load(TWILIO + TWILIO.partition("\n[[")[1] + TWILIO.partition("\n[[")[2])


def test_without_an_address_or_a_key_the_bot_does_not_start(
    load: Callable[[str], Settings], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    database = Database(f"sqlite:///{tmp_path}/perudo.db")
    settings = load(TWILIO.replace('public_url = "https://bot.example.org"', ""))
    with pytest.raises(OperatorError, match=r"sms\.public_url is not set"):
        SmsChannel(settings, Service(database, service_config(settings)))
    monkeypatch.delenv("PERUDO_SMS__KEY")
    with pytest.raises(OperatorError, match=r"sms\.key is not set"):
        SmsChannel(load(TWILIO), Service(database, service_config(settings)))
    database.close()


def test_a_short_key_is_refused_unshown(load: Callable[[str], Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERUDO_SMS__KEY", f"{KEY},too-short-a-key")
    with pytest.raises(SettingsError) as refused:
        load(TWILIO)
    assert "openssl rand -base64 32" in str(refused.value)
    assert "too-short-a-key" not in str(refused.value)
