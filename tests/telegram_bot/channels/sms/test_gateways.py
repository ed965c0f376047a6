"""Gateways: descriptions of their APIs judge our requests, signed texts come in, errors say what became of ours."""

import hashlib
import hmac
import json
from dataclasses import replace
from itertools import product
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest

from telegram_bot.channels.sms.gateways import base
from telegram_bot.channels.sms.gateways.base import (
    DeliveryReceipt,
    IncomingText,
    OptedOutError,
    WebRefusedError,
    WebRequest,
)
from telegram_bot.channels.sms.gateways.twilio import signature as sign
from telegram_bot.delivery.sender import InvalidError, NotSentError, SlowDownError, UnknownOutcomeError
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.storage.phone_models import TextStatus
from test_support.in_process_world import NOON
from test_support.sms_world import OURS
from tests.telegram_bot.channels.sms.conftest import (
    GATEWAYS,
    KEY,
    PUBLIC,
    SECRET,
    THEIRS,
    TOKEN,
    Make,
    ScriptedServer,
    cut_connection,
)
from tests.telegram_bot.channels.sms.test_kannel import request

pytestmark = pytest.mark.xdist_group("prism")

# Twilio

ACCOUNT = GATEWAYS["twilio"]["account"]
OURS_HERE = f"{PUBLIC}/sms/main"
MESSAGES = f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json"
SID = "SM" + "a" * 32


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


def form(**fields: str) -> dict[str, str]:
    """A text as Twilio posts it, with fields that the bot does not read."""
    known = {"MessageSid": SID, "AccountSid": ACCOUNT, "From": THEIRS, "To": OURS, "Body": "5x4"}
    return known | {"SmsSid": SID, "NumMedia": "0", "FromCountry": "IT", "ANewFieldOfTomorrow": "whatever"} | fields


def posted(
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
    assert make("twilio").receive(posted(form())) == [IncomingText(SID, THEIRS, "5x4")]
    assert make("twilio").receive(posted(form(Body="così è 🎲"))) == [IncomingText(SID, THEIRS, "così è 🎲")]
    assert make("twilio").receive(posted(form(Body=""))) == [IncomingText(SID, THEIRS, "")]
    assert make("twilio").receive(posted(form(To="+12025550199"))) == [], "another number of the account"
    asked = posted(form(), query="a=b")
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
        asked = posted(form(), url=called)
        asked = replace(asked, headers={**asked.headers, "host": urlsplit(called).netloc})
        assert make("twilio", our_own=ours).receive(asked), (ours, called)
    assert make("twilio").receive(posted(form(), url="https://bot.example.org:443/sms/main"))


NOW = int(NOON)
RECEIVED = "2023-11-15T13:00:00.000+01:00"
TAKEN = {"id": "x", "state": "Pending", "recipients": [], "isHashed": False, "isEncrypted": False}


# SMSGate


@pytest.mark.parametrize("options", [{}, {"device": "PyDmBQZZXYmyxMwED8Fzy", "sim": 2}])
async def test_a_text_is_what_the_interface_allows(smsgate_api: str, make: Make, options: dict[str, Any]) -> None:
    assert await make("smsgate", f"{smsgate_api}/3rdparty/v1", **options).send(THEIRS, "R4 Ana: 5x4 è £", seconds=1)


async def test_the_description_judges(smsgate_api: str) -> None:
    async with httpx.AsyncClient(base_url=smsgate_api, timeout=60) as client:
        url, login = "/3rdparty/v1/messages", ("me", "secret")
        good = {"phoneNumbers": [THEIRS], "textMessage": {"text": "hi"}}
        assert (await client.post(url, json=good, auth=login)).status_code == 202
        assert (await client.post(url, json=good)).status_code == 401
        for bad in ({"phoneNumbers": [THEIRS]}, good | {"phoneNumbers": ["347"]}, good | {"ttl": 1}, good | {"tll": 9}):
            assert (await client.post(url, json=bad, auth=login)).status_code == 400


async def test_a_text_has_one_name_and_words_of_tomorrow_do_no_harm(answers: ScriptedServer, make: Make) -> None:
    answers.status, answers.body = 409, {"message": "exists"}
    name = await make("smsgate", answers.url).send(THEIRS, "hi", seconds=60)
    assert json.loads(answers.asked[0])["id"] == name
    answers.status, answers.body = 202, TAKEN | {"state": "Contemplating"}
    assert await make("smsgate", answers.url).send(THEIRS, "hi", seconds=60)
    asked: list[bytes] = []
    with pytest.raises(UnknownOutcomeError):
        await make("smsgate", transport=cut_connection(asked)).send(THEIRS, "hi", seconds=60)
    first, second = (json.loads(each)["id"] for each in asked)
    assert first == second


def received(**payload: Any) -> dict[str, Any]:
    return {
        "deviceId": "ffffffffceb0b1db0000018e937c815b",
        "event": "sms:received",
        "id": "Ey6ECgOkVVFjz3CL48B8C",
        "payload": {
            "messageId": "abc123",
            "message": "5x4",
            "phoneNumber": THEIRS,
            "simNumber": 1,
            "receivedAt": RECEIVED,
            "somethingNew": [1],
            **payload,
        },
        "webhookId": "w1",
    }


def event_of(event: Any, *, key: str = KEY, at: str = str(NOW), signature: str | None = None) -> WebRequest:
    body = event if isinstance(event, bytes) else json.dumps(event).encode()
    signed = hmac.new(key.encode(), body + at.encode(), hashlib.sha256).hexdigest()
    headers = {"x-signature": signed if signature is None else signature, "x-timestamp": at}
    return WebRequest("POST", "", headers, body)


def test_a_signed_text_is_taken_once_by_its_time_whatever_its_events_are_called(make: Make) -> None:
    """An app with two webhooks for one address sends two events. The message's id is made from its words."""
    once, again = (make("smsgate").receive(event_of(received() | {"id": event})) for event in ("one", "two"))
    assert once == again == [IncomingText(f"{NOW}.0", THEIRS, "5x4", float(NOW))]
    [later] = make("smsgate").receive(event_of(received(receivedAt="2023-11-15T13:00:01.000+01:00")))
    assert later.message != once[0].message


def test_a_text_without_a_time_is_taken_by_its_events_id_and_other_events_are_none_of_our_business(make: Make) -> None:
    newer = received(sender=THEIRS, phoneNumber=None, receivedAt="yesterday")
    for clock in (NOW - 300, NOW, NOW + 300):
        told = make("smsgate").receive(event_of(newer, at=str(clock)))
        assert told == [IncomingText("Ey6ECgOkVVFjz3CL48B8C", THEIRS, "5x4")]
    for event in ("system:ping", "mms:received", "a word of tomorrow"):
        assert make("smsgate").receive(event_of(received() | {"event": event})) == []


@pytest.mark.parametrize(
    ("chosen", "came", "is_ours"),
    [(2, 1, False), (1, 2, False), (1, 0, False), (2, 2, True), (2, None, True), (0, 1, True)],
)
def test_a_text_to_the_owners_sim_is_not_ours(make: Make, chosen: int, came: int | None, *, is_ours: bool) -> None:
    """A text to the chosen card, or to an unknown one, is."""
    phone = make("smsgate", sim=chosen)
    assert bool(phone.receive(event_of(received(simNumber=came)))) is is_ours
    assert is_ours or phone.receive(event_of(received(simNumber=came) | {"event": "sms:sent"})) == []


MALFORMED = (
    *(b"", b"nonsense", b"[]", b"[" * 100_000, b"\xff", {}),
    *(received() | more for more in ({"id": ""}, {"id": "x" * 101}, {"payload": None})),
    *(received(message=3), received(phoneNumber=3)),
)


@pytest.mark.parametrize(
    ("kind", "bad", "status"),
    [
        ("twilio", posted(form(), url="http://10.0.0.7:8443/sms/main"), 403),
        ("twilio", posted(form(), url=f"{OURS_HERE}/receipt"), 403),
        ("twilio", posted(form(), token="0" * 32), 403),
        ("twilio", posted(form(), signature=""), 403),
        ("twilio", posted(form(), signature="é"), 403),
        ("twilio", posted(form(), body=urlencode(form(Body="6x6")).encode()), 403),
        ("twilio", posted(form(), body=b""), 403),
        ("twilio", posted(form(AccountSid="AC" + "9" * 32)), 403),
        ("twilio", posted(form(), kind="application/json"), 415),
        ("twilio", posted(form(), kind=""), 415),
        ("twilio", posted({name: value for name, value in form().items() if name != "From"}), 400),
        ("twilio", posted({name: value for name, value in form().items() if name != "MessageSid"}), 400),
        ("twilio", posted(form(), body=b"\xff\xfe%ff=%ff"), 400),
        ("twilio", posted(form(), body="&".join(f"a{n}=1" for n in range(500)).encode()), 400),
        ("smsgate", event_of(received(), key="another"), 403),
        ("smsgate", event_of(received(), signature=""), 403),
        ("smsgate", event_of(received(), signature="é" * 64), 403),
        ("smsgate", event_of(received(), at=str(NOW - 301)), 403),
        ("smsgate", event_of(received(), at=str(NOW + 301)), 403),
        ("smsgate", event_of(received(), at="soon"), 403),
        ("smsgate", event_of(received(), at=""), 403),
        ("smsgate", event_of(received(), at="9" * 400), 403),
        ("smsgate", replace(event_of(received()), body=json.dumps(received(message="6x6")).encode()), 403),
        *(("smsgate", event_of(event), 400) for event in MALFORMED),
        ("kannel", request(client="203.0.113.9"), 403),
        ("kannel", request(client=""), 403),
        ("kannel", request(headers={"x-kannel-from": THEIRS, "x-forwarded-for": "203.0.113.9"}), 403),
        ("kannel", request("id=1"), 403),
        ("kannel", request("secret=wrong&id=1"), 403),
        ("kannel", request("secret=%C3%A9&id=1"), 403),
        ("kannel", request(f"secret={SECRET}"), 400),
        ("kannel", request(headers={}), 400),
        ("kannel", request("&".join(f"a{n}=1" for n in range(99))), 400),
    ],
)
def test_what_is_forged_late_or_malformed_is_refused(make: Make, kind: str, bad: WebRequest, status: int) -> None:
    with pytest.raises(WebRefusedError) as refused:
        make(kind).receive(bad)
    assert refused.value.status == status
    assert not any(secret in str(refused.value) for secret in (THEIRS[3:], SECRET))


def twilios(status: str, code: str = "", url: str = f"{OURS_HERE}/receipt") -> WebRequest:
    fields = {"MessageSid": SID, "MessageStatus": status, "AccountSid": ACCOUNT, "To": THEIRS, "ErrorCode": code}
    return posted({name: value for name, value in fields.items() if value}, url=url)


def smsgates(event: str) -> WebRequest:
    return event_of(received(messageId=SID, reason=f"no such number {THEIRS}") | {"event": event})


def kannels(kind: str) -> WebRequest:
    return request(f"secret={SECRET}&id={SID}&type={kind}", method="GET")


@pytest.mark.parametrize(
    ("kind", "told", "became"),
    [
        ("twilio", twilios("queued"), (TextStatus.TAKEN,)),
        ("twilio", twilios("sent"), (TextStatus.SENT,)),
        ("twilio", twilios("delivered"), (TextStatus.DELIVERED,)),
        ("twilio", twilios("undelivered", "30003"), (TextStatus.FAILED, "30003")),
        ("twilio", twilios("failed", "21610"), (TextStatus.FAILED, "21610", True)),
        ("twilio", twilios("failed", f"to {THEIRS}"), (TextStatus.FAILED, "?")),
        ("twilio", twilios("a word of tomorrow"), None),
        ("smsgate", smsgates("sms:sent"), (TextStatus.SENT,)),
        ("smsgate", smsgates("sms:delivered"), (TextStatus.DELIVERED,)),
        ("smsgate", smsgates("sms:failed"), (TextStatus.FAILED,)),
        ("smsgate", smsgates("sms:cancelled"), (TextStatus.FAILED,)),
        ("kannel", kannels("1"), (TextStatus.DELIVERED,)),
        ("kannel", kannels("2"), (TextStatus.FAILED,)),
        ("kannel", kannels("8"), (TextStatus.SENT,)),
        ("kannel", kannels("16"), (TextStatus.FAILED,)),
        ("kannel", kannels("4"), None),
        ("kannel", kannels("x"), None),
    ],
)
def test_receipts(make: Make, kind: str, told: WebRequest, became: tuple[Any, ...] | None) -> None:
    expected = [] if became is None else [DeliveryReceipt(SID, *became)]
    assert make(kind).receipt(told) == expected
    if kind == "smsgate":
        assert make(kind).receive(told) == expected, "they come to the address of texts"


def test_a_receipt_that_was_signed_for_the_address_of_texts_is_refused(make: Make) -> None:
    with pytest.raises(WebRefusedError):
        make("twilio").receipt(twilios("sent", url=OURS_HERE))


# Errors


@pytest.mark.parametrize(("asked", "waits"), [("7", 7), (None, 1), ("0", 1), ("soon", 1), ("99999", 300), ("nan", 300)])
def test_a_gateway_says_how_long_to_wait_within_bounds(asked: str | None, waits: float) -> None:
    trouble = base.map_status(httpx.Response(429, headers={} if asked is None else {"Retry-After": asked}))
    assert isinstance(trouble, SlowDownError)
    assert trouble.seconds == waits


@pytest.mark.parametrize("kind", GATEWAYS)
async def test_each_gateway_tells_what_became_of_a_text(make: Make, answers: ScriptedServer, kind: str) -> None:
    answers.status = 503
    troubles = [
        (make(kind, answers.url), NotSentError),
        (make(kind, f"http://127.0.0.1:{free_port()}"), NotSentError),
        (make(kind, transport=cut_connection()), UnknownOutcomeError),
    ]
    for gateway, error in troubles:
        assert gateway.http.timeout == httpx.Timeout(base.SECONDS_TO_ANSWER)
        with pytest.raises(error) as refused:
            await gateway.send(THEIRS, "hi", seconds=60)
        assert THEIRS[3:] not in repr(refused.value)


@pytest.mark.parametrize("kind", ["twilio", "smsgate"])
async def test_a_refusal_quotes_no_number(make: Make, answers: ScriptedServer, kind: str) -> None:
    answers.status, answers.body = 400, {"message": f"The 'To' number {THEIRS} is not valid"}
    with pytest.raises(InvalidError) as refused:
        await make(kind, answers.url).send(THEIRS, "hi", seconds=60)
    assert THEIRS[3:] not in repr(refused.value) + str(refused.value)
    assert refused.value.__cause__ is None
