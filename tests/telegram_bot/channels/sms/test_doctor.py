"""The checks of `perudo-bot doctor` for phones, with gateways that answer over HTTP."""

from typing import Any

import pytest

from telegram_bot.operations.doctor import as_text
from telegram_bot.operations.doctor.check_result import CheckResult
from telegram_bot.operations.doctor.text_messages import examine
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import Settings
from test_support.sms_world import OURS
from tests.telegram_bot.channels.sms.conftest import GATEWAYS, PASSWORD, SECRET, TOKEN, ScriptedServer

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


NOWHERE = PHONE | {"number": "+8835100012345"}
REACHED = (
    (RENTED, "", False),
    (RENTED, "http://bot.example.org", False),
    (RENTED, HTTPS, None),
    (PHONE, "", None),
    (PHONE, "http://bot.example.org", False),
    (MODEM, "", None),
)
"""Others reach us by https."""


@pytest.mark.parametrize(
    ("gateways", "sms", "check", "ok", "told"),
    [
        ([PHONE], {"key": ""}, "sms key", False, "PERUDO_SMS__KEY"),
        ([PHONE], {"key": f"{'n' * 44},{KEY}"}, "sms key", True, "take the old one away"),
        ([NOWHERE], {}, "countries", False, ""),
        ([NOWHERE], {"countries": ["FR"]}, "countries", True, ""),
        ([PHONE, PHONE | {"name": "other"}], {}, "numbers", False, "the gateways phone, other have the same number"),
        ([PHONE], {"texts_per_day": 0, "spend_per_day": 0}, "spending", False, ""),
        ([PHONE], {"texts_per_day": 0, "spend_per_day": 5}, "spending", False, ""),
        ([PHONE | {"cost_per_text": 0.01}], {"texts_per_day": 0, "spend_per_day": 5}, "spending", None, ""),
        *(([gateway], {"public_url": url}, "address", ok, "") for gateway, url, ok in REACHED),
    ],
)
async def test_a_setting_is_well_or_a_fault(
    answers: ScriptedServer,
    *,
    gateways: list[dict[str, Any]],
    sms: dict[str, Any],
    check: str,
    ok: bool | None,
    told: str,
) -> None:
    finding = (await found(*(each | {"api_url": answers.url} for each in gateways), **sms)).get(check)
    assert (None if finding is None else finding.ok) is ok
    assert finding is None or told in f"{finding.says} {finding.mend}"


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


@pytest.mark.parametrize("gateway", [PHONE, RENTED, MODEM], ids=lambda gateway: gateway["kind"])
async def test_a_gateway_that_is_away_or_does_not_know_us(answers: ScriptedServer, gateway: dict[str, Any]) -> None:
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
