"""The checks of `perudo-bot doctor` for phones, with gateways that answer over HTTP."""

from typing import Any

import pytest

from telegram_bot.operations.doctor import as_text
from telegram_bot.operations.doctor.check_result import CheckResult
from telegram_bot.operations.doctor.text_messages import examine
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import Settings
from test_support.kannel_gateway import PASSWORD, SECRET
from test_support.sms_world import OURS
from tests.telegram_bot.channels.sms.conftest import GATEWAYS, TOKEN, ScriptedServer

KEY = "k" * 44
PHONE, RENTED, MODEM = (GATEWAYS[kind] for kind in ("smsgate", "twilio", "kannel"))
HTTPS = "https://bot.example.org"


async def found(*gateways: dict[str, Any], **sms: Any) -> dict[str, CheckResult]:
    values = {"key": KEY, "public_url": HTTPS, "gateways": list(gateways)} | sms
    findings = await examine(Settings.model_validate({"sms": values}))
    text = as_text(findings)
    for secret in (KEY, TOKEN, PASSWORD, SECRET, OURS[1:]):
        assert secret not in text
    return {finding.check: finding for finding in findings}


async def test_without_a_gateway_nothing_is_said_of_phones_and_with_one_all_is_well(answers: ScriptedServer) -> None:
    assert await found() == {}
    checks = await found(PHONE | {"api_url": answers.url})
    assert [finding.ok for finding in checks.values()] == [True, True, True]
    assert checks["countries"].says == "phones of IT may play"


async def test_a_missing_key_is_a_fault_and_an_old_one_is_mentioned(
    answers: ScriptedServer,
) -> None:
    missing = (await found(PHONE | {"api_url": answers.url}, key=""))["sms key"]
    assert not missing.ok
    assert "PERUDO_SMS__KEY" in missing.mend
    old = (await found(PHONE | {"api_url": answers.url}, key=f"{'n' * 44},{KEY}"))["sms key"]
    assert old.ok
    assert "take the old one away" in old.says


async def test_no_country_is_allowed(answers: ScriptedServer) -> None:
    nowhere = {"number": "+8835100012345", "api_url": answers.url}
    assert (await found(PHONE | nowhere))["countries"].ok is False
    assert (await found(PHONE | nowhere, countries=["FR"]))["countries"].ok is True


async def test_two_gateways_with_one_number(answers: ScriptedServer) -> None:
    checks = await found(PHONE | {"api_url": answers.url}, PHONE | {"name": "other", "api_url": answers.url})
    assert checks["numbers"].says == (
        "the gateways phone, other have the same number: a text to it comes in more than once"
    )


@pytest.mark.parametrize(
    ("gateway", "url", "well"),
    [
        (RENTED, "", False),
        (RENTED, "http://bot.example.org", False),
        (RENTED, HTTPS, True),
        (PHONE, "", True),
        (PHONE, "http://bot.example.org", False),
        (MODEM, "", True),
    ],
)
async def test_others_reach_us_by_https(
    answers: ScriptedServer, gateway: dict[str, Any], url: str, *, well: bool
) -> None:
    checks = await found(gateway | {"api_url": answers.url}, public_url=url)
    assert ("address" not in checks) is well


def webhook(name: str, event: str = "sms:received", url: str = f"{HTTPS}/sms/phone") -> dict[str, str]:
    return {"id": name, "url": url, "event": event}


async def test_two_webhooks_of_the_app_for_one_event_are_named(answers: ScriptedServer) -> None:
    twice = [webhook("a"), webhook("b", url="https://Bot.example.org/sms/phone/"), webhook("c", "sms:sent")]
    answers.body = [*twice, webhook("d", "sms:sent", url="https://elsewhere.example/sms/phone")]
    finding = (await found(PHONE | {"api_url": answers.url}))["phone"]
    assert finding.ok is False
    assert "sms:received" in finding.says
    assert "sms:sent" not in finding.says
    bodies: tuple[Any, ...] = ([webhook("a"), webhook("c", "sms:sent")], {}, b"nonsense", ["", {"url": 3}])
    for body in bodies:
        answers.body = body
        assert (await found(PHONE | {"api_url": answers.url}))["phone"].ok


async def test_nothing_limits_what_is_spent(answers: ScriptedServer) -> None:
    phone = PHONE | {"api_url": answers.url}
    assert (await found(phone, texts_per_day=0, spend_per_day=0))["spending"].ok is False
    assert (await found(phone, texts_per_day=0, spend_per_day=5))["spending"].ok is False
    assert "spending" not in await found(phone | {"cost_per_text": 0.01}, texts_per_day=0, spend_per_day=5)


@pytest.mark.parametrize("gateway", [PHONE, RENTED, MODEM], ids=lambda gateway: gateway["kind"])
async def test_a_gateway_that_is_not_there_or_does_not_know_us(
    answers: ScriptedServer, gateway: dict[str, Any]
) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    name = gateway["name"]
    gone = (await found(gateway | {"api_url": nobody}))[name]
    assert (gone.ok, gone.says.endswith("cannot be reached (ConnectError)")) == (False, True)
    for status, says in ((401, "does not know this account (401)"), (503, "fails (503)")):
        answers.status = status
        finding = (await found(gateway | {"api_url": answers.url}))[name]
        assert not finding.ok
        assert finding.says.endswith(says)


@pytest.mark.xdist_group("prism")
async def test_twilio_as_it_describes_itself(twilio_api: str) -> None:
    checks = await found(RENTED | {"api_url": twilio_api})
    assert checks["main"].ok
