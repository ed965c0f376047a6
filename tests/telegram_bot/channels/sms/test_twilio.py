"""Twilio: its own description of its API judges our requests; its documents' signatures are ours."""

from dataclasses import replace
from itertools import product
from urllib.parse import urlencode, urlsplit

import httpx
import pytest

from telegram_bot.channels.sms.gateways.base import (
    DeliveryReceipt,
    IncomingText,
    OptedOutError,
    WebRefusedError,
    WebRequest,
)
from telegram_bot.channels.sms.gateways.twilio import signature as sign
from telegram_bot.delivery.sender import InvalidError, NotSentError, SlowDownError, UnknownOutcomeError
from telegram_bot.storage.phone_models import TextStatus
from test_support.sms_world import OURS
from tests.telegram_bot.channels.sms.conftest import GATEWAYS, PUBLIC, THEIRS, TOKEN, Make, ScriptedServer

pytestmark = pytest.mark.xdist_group("prism")

ACCOUNT = GATEWAYS["twilio"]["account"]
OURS_HERE = f"{PUBLIC}/sms/main"
MESSAGES = f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json"
SID = "SM" + "a" * 32


# Sent texts


async def test_a_text_is_what_twilios_description_allows(twilio_api: str, make: Make) -> None:
    assert await make("twilio", twilio_api).send(THEIRS, "R4 Ana: 5x4 è £", seconds=120)


async def test_a_time_to_live_is_brought_into_twilios_bounds(answers: ScriptedServer, make: Make) -> None:
    answers.status, answers.body = 201, {"sid": SID}
    for seconds, lives in ((0, 6), (1, 6), (60, 60), (10**6, 36000)):
        await make("twilio", answers.url).send(THEIRS, "hi", seconds=seconds)
        form = httpx.QueryParams(answers.asked[-1].decode())
        assert (form["ValidityPeriod"], form["StatusCallback"]) == (str(lives), f"{OURS_HERE}/receipt")


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, 21610, OptedOutError),
        (400, 14107, SlowDownError),
        (429, None, SlowDownError),
        (503, None, NotSentError),
        (400, 21211, InvalidError),
        (400, "nonsense", InvalidError),
    ],
)
async def test_refusals(answers: ScriptedServer, make: Make, status: int, code: object, kind: type[Exception]) -> None:
    answers.status, answers.body, answers.headers = status, {"code": code}, {"Retry-After": "7"}
    with pytest.raises(kind) as refused:
        await make("twilio", answers.url).send(THEIRS, "hi", seconds=60)
    assert status != 429 or getattr(refused.value, "seconds", None) == 7


async def test_a_success_without_a_name_may_have_been_sent(answers: ScriptedServer, make: Make) -> None:
    answers.status = 201
    for answers.body in (b"<html>", {}, [], {"sid": 3}):
        with pytest.raises(UnknownOutcomeError):
            await make("twilio", answers.url).send(THEIRS, "hi", seconds=60)


# Received texts


def form(**fields: str) -> dict[str, str]:
    """A text as Twilio posts it, with fields that the bot does not read."""
    known = {"MessageSid": SID, "AccountSid": ACCOUNT, "From": THEIRS, "To": OURS, "Body": "5x4"}
    return known | {"SmsSid": SID, "NumMedia": "0", "FromCountry": "IT", "ANewFieldOfTomorrow": "whatever"} | fields


def request(
    fields: dict[str, str] | list[tuple[str, str]],
    *,
    url: str = OURS_HERE,
    token: str = TOKEN,
    signature: str | None = None,
    body: bytes | None = None,
    kind: str = "application/x-www-form-urlencoded; charset=UTF-8",
    query: str = "",
) -> WebRequest:
    signed = sign(token, f"{url}?{query}" if query else url, dict(fields).items())
    headers = {"content-type": kind, "x-twilio-signature": signed if signature is None else signature}
    return WebRequest("POST", query, headers, urlencode(fields).encode() if body is None else body)


def test_a_signed_text_is_taken_with_fields_nobody_knows_yet(make: Make) -> None:
    assert make("twilio").receive(request(form())) == [IncomingText(SID, THEIRS, "5x4")]
    assert make("twilio").receive(request(form(Body="così è 🎲"))) == [IncomingText(SID, THEIRS, "così è 🎲")]
    assert make("twilio").receive(request(form(Body=""))) == [IncomingText(SID, THEIRS, "")]
    assert make("twilio").receive(request(form(To="+12025550199"))) == [], "another number of the account"
    asked = request(form(), query="a=b")
    assert THEIRS not in repr(make("twilio").receive(asked)) + repr(asked)


@pytest.mark.parametrize(
    ("caller", "expected"),
    [
        ("+14158675309", "RSOYDt4T1cUTdK1PDd93/VVr8B8="),
        ("+14158675310", "GvWf1cFY/Q7PnoempGyD5oXAezc="),
        ("+12349013030", "0/KCTR6DLpKmkAf8muzZqo1nDgQ="),
    ],
)
def test_a_signature_is_that_of_twilios_documents(caller: str, expected: str) -> None:
    """The examples of Twilio's page on security, today's and the one before it, and of the page of its PHP library."""
    fields = {"Digits": "1234", "To": "+18005551212", "From": caller, "Caller": caller, "CallSid": "CA1234567890ABCDE"}
    assert sign("12345", "https://mycompany.com/myapp.php?foo=1&bar=2", fields.items()) == expected


def test_a_signature_covers_the_values_of_a_repeated_field_in_their_order() -> None:
    """Twilio's libraries sign each value once."""
    pairs = [("b", "2"), ("a", "3"), ("a", "1"), ("a", "3")]
    assert sign("t", OURS_HERE, pairs) == sign("t", f"{OURS_HERE}a1a3b2", [])


def test_twilio_may_sign_our_address_as_it_is_written_elsewhere(make: Make) -> None:
    """The settings and Twilio's console may write it differently, and with its port."""
    for ours, called in product(
        (OURS_HERE, "https://Bot.Example.ORG/sms/main", "HTTPS://bot.example.org:443/sms/main"),
        (OURS_HERE, f"{OURS_HERE}/", "https://BOT.example.org/sms/main", "https://bot.example.org:443/sms/main/"),
    ):
        asked = request(form(), url=called)
        asked = replace(asked, headers={**asked.headers, "host": urlsplit(called).netloc})
        assert make("twilio", our_own=ours).receive(asked), (ours, called)
    assert make("twilio").receive(request(form(), url="https://bot.example.org:443/sms/main"))


@pytest.mark.parametrize(
    ("bad", "status"),
    [
        (request(form(), url="http://10.0.0.7:8443/sms/main"), 403),
        (request(form(), url=f"{OURS_HERE}/receipt"), 403),
        (request(form(), token="0" * 32), 403),
        (request(form(), signature=""), 403),
        (request(form(), signature="é"), 403),
        (request(form(), body=urlencode(form(Body="6x6")).encode()), 403),
        (request(form(), body=b""), 403),
        (request(form(AccountSid="AC" + "9" * 32)), 403),
        (request(form(), kind="application/json"), 415),
        (request(form(), kind=""), 415),
        (request({name: value for name, value in form().items() if name != "From"}), 400),
        (request({name: value for name, value in form().items() if name != "MessageSid"}), 400),
        (request(form(), body=b"\xff\xfe%ff=%ff"), 400),
        (request(form(), body="&".join(f"a{n}=1" for n in range(500)).encode()), 400),
    ],
)
def test_what_is_forged_or_malformed_is_refused(make: Make, bad: WebRequest, status: int) -> None:
    with pytest.raises(WebRefusedError) as refused:
        make("twilio").receive(bad)
    assert refused.value.status == status
    assert THEIRS[3:] not in str(refused.value)


@pytest.mark.parametrize(
    ("status", "code", "receipt"),
    [
        ("queued", None, DeliveryReceipt(SID, TextStatus.TAKEN)),
        ("sent", None, DeliveryReceipt(SID, TextStatus.SENT)),
        ("delivered", None, DeliveryReceipt(SID, TextStatus.DELIVERED)),
        ("undelivered", "30003", DeliveryReceipt(SID, TextStatus.FAILED, "30003")),
        ("failed", "21610", DeliveryReceipt(SID, TextStatus.FAILED, "21610", opted_out=True)),
        ("failed", f"to {THEIRS}", DeliveryReceipt(SID, TextStatus.FAILED, "?")),
        ("a word of tomorrow", None, None),
    ],
)
def test_receipts(make: Make, status: str, code: str | None, receipt: DeliveryReceipt | None) -> None:
    fields = {"MessageSid": SID, "MessageStatus": status, "AccountSid": ACCOUNT, "To": THEIRS}
    fields |= {"ErrorCode": code} if code is not None else {}
    expected = [] if receipt is None else [receipt]
    assert make("twilio").receipt(request(fields, url=f"{OURS_HERE}/receipt")) == expected
    with pytest.raises(WebRefusedError):
        make("twilio").receipt(request(fields))  # signed for the address of texts
