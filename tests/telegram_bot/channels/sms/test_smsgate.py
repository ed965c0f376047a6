"""SMSGate: a description of its interface judges our requests; signed events come in."""

import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from telegram_bot.channels.sms.gateways.base import DeliveryReceipt, IncomingText, WebRefusedError, WebRequest
from telegram_bot.channels.sms.gateways.smsgate import SmsGate
from telegram_bot.delivery.sender import InvalidError, UnknownOutcomeError
from telegram_bot.settings.sms import SmsGateSettings
from telegram_bot.storage.phone_models import TextStatus
from tests.telegram_bot.channels.sms.conftest import ScriptedServer, cut_connection

pytestmark = pytest.mark.xdist_group("prism")

KEY = "a signing key of the phone"
OURS, THEIRS = "+393400000001", "+393471234567"
NOW = 1_700_000_000
TAKEN = {"id": "x", "state": "Pending", "recipients": [], "isHashed": False, "isEncrypted": False}

Make = Callable[..., SmsGate]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    made: list[SmsGate] = []

    def build(
        url: str = "http://127.0.0.1:1", transport: httpx.AsyncBaseTransport | None = None, **options: Any
    ) -> SmsGate:
        section = {"kind": "smsgate", "name": "phone", "number": OURS, "login": "me", "password": "secret"}
        section |= {"signing_key": KEY, "api_url": f"{url}/3rdparty/v1", **options}
        made.append(SmsGate(SmsGateSettings.model_validate(section), transport=transport, now=lambda: NOW))
        return made[-1]

    yield build
    for gateway in made:
        await gateway.close()


# Sent texts


@pytest.mark.parametrize("options", [{}, {"device": "PyDmBQZZXYmyxMwED8Fzy", "sim": 2}])
async def test_a_text_is_what_the_interface_allows(smsgate_api: str, make: Make, options: dict[str, Any]) -> None:
    assert await make(smsgate_api, **options).send(THEIRS, "R4 Ana: 5x4 è £", seconds=1)


async def test_the_description_judges(smsgate_api: str) -> None:
    async with httpx.AsyncClient(base_url=smsgate_api, timeout=60) as client:
        url, login = "/3rdparty/v1/messages", ("me", "secret")
        good = {"phoneNumbers": [THEIRS], "textMessage": {"text": "hi"}}
        assert (await client.post(url, json=good, auth=login)).status_code == 202
        assert (await client.post(url, json=good)).status_code == 401
        for bad in ({"phoneNumbers": [THEIRS]}, good | {"phoneNumbers": ["347"]}, good | {"ttl": 1}, good | {"tll": 9}):
            assert (await client.post(url, json=bad, auth=login)).status_code == 400


async def test_a_refusal_quotes_no_number(answers: ScriptedServer, make: Make) -> None:
    answers.status, answers.body = 400, {"message": f"{THEIRS} is not valid"}
    with pytest.raises(InvalidError) as refused:
        await make(answers.url).send(THEIRS, "hi", seconds=60)
    assert THEIRS[3:] not in repr(refused.value) + str(refused.value)


async def test_a_name_that_is_known_already_was_taken(answers: ScriptedServer, make: Make) -> None:
    answers.status, answers.body = 409, {"message": "exists"}
    name = await make(answers.url).send(THEIRS, "hi", seconds=60)
    assert json.loads(answers.asked[0])["id"] == name


async def test_words_of_tomorrow_in_the_answer_do_no_harm(answers: ScriptedServer, make: Make) -> None:
    answers.status, answers.body = 202, TAKEN | {"state": "Contemplating"}
    assert await make(answers.url).send(THEIRS, "hi", seconds=60)


async def test_a_lost_answer_is_asked_for_again_under_the_same_name(make: Make) -> None:
    asked: list[bytes] = []
    with pytest.raises(UnknownOutcomeError):
        await make(transport=cut_connection(asked)).send(THEIRS, "hi", seconds=60)
    first, second = (json.loads(request)["id"] for request in asked)
    assert first == second


# Received texts


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
            "receivedAt": "2023-11-14T23:13:20.000+01:00",
            "somethingNew": [1],
            **payload,
        },
        "webhookId": "w1",
    }


def request(event: Any, *, key: str = KEY, at: str = str(NOW), signature: str | None = None) -> WebRequest:
    body = event if isinstance(event, bytes) else json.dumps(event).encode()
    signed = hmac.new(key.encode(), body + at.encode(), hashlib.sha256).hexdigest()
    headers = {"x-signature": signed if signature is None else signature, "x-timestamp": at}
    return WebRequest("POST", "", headers, body)


def test_a_signed_text_is_taken_once_by_its_time_whatever_its_events_are_called(make: Make) -> None:
    """An app with two webhooks for one address sends two events. The message's id is made from its words."""
    once, again = (make().receive(request(received() | {"id": event})) for event in ("one", "two"))
    assert once == again == [IncomingText(f"{NOW}.0", THEIRS, "5x4", float(NOW))]
    [later] = make().receive(request(received(receivedAt="2023-11-14T23:13:21.000+01:00")))
    assert later.message != once[0].message


def test_a_text_without_a_time_is_taken_by_its_events_id(make: Make) -> None:
    newer = received(sender=THEIRS, phoneNumber=None, receivedAt="yesterday")
    assert make().receive(request(newer)) == [IncomingText("Ey6ECgOkVVFjz3CL48B8C", THEIRS, "5x4")]


@pytest.mark.parametrize(("chosen", "came"), [(2, 1), (1, 2), (1, 0)])
def test_a_text_to_the_owners_own_sim_card_is_not_for_the_bot(make: Make, chosen: int, came: int) -> None:
    assert make(sim=chosen).receive(request(received(simNumber=came))) == []
    assert make(sim=chosen).receive(request(received(simNumber=came) | {"event": "sms:sent"})) == []


@pytest.mark.parametrize(("chosen", "came"), [(2, 2), (2, None), (0, 1)])
def test_a_text_to_the_chosen_or_an_unknown_sim_card_is_taken(make: Make, chosen: int, came: int | None) -> None:
    assert make(sim=chosen).receive(request(received(simNumber=came))) != []


@pytest.mark.parametrize("late", [-300, 300])
def test_clocks_may_differ_by_five_minutes(make: Make, late: int) -> None:
    assert make().receive(request(received(), at=str(NOW + late)))


@pytest.mark.parametrize(
    "bad",
    [
        request(received(), key="another"),
        request(received(), signature=""),
        request(received(), signature="é" * 64),
        request(received(), at=str(NOW - 301)),
        request(received(), at=str(NOW + 301)),
        request(received(), at="soon"),
        request(received(), at=""),
        request(received(), at="9" * 400),
    ],
)
def test_what_is_not_signed_now_by_our_phone_is_refused(make: Make, bad: WebRequest) -> None:
    with pytest.raises(WebRefusedError) as refused:
        make().receive(bad)
    assert refused.value.status == 403


def test_the_body_is_signed_as_it_came(make: Make) -> None:
    signed = request(received())
    changed = WebRequest("POST", "", signed.headers, json.dumps(received(message="6x6")).encode())
    with pytest.raises(WebRefusedError):
        make().receive(changed)


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"nonsense",
        b"[]",
        b"[" * 100_000,
        b"\xff",
        {},
        received() | {"id": ""},
        received() | {"id": "x" * 101},
        received() | {"payload": None},
        received(message=3),
        received(phoneNumber=3),
    ],
)
def test_what_is_malformed_is_refused(make: Make, bad: Any) -> None:
    with pytest.raises(WebRefusedError) as refused:
        make().receive(request(bad))
    assert refused.value.status == 400


@pytest.mark.parametrize(
    ("event", "status"),
    [
        ("sms:sent", TextStatus.SENT),
        ("sms:delivered", TextStatus.DELIVERED),
        ("sms:failed", TextStatus.FAILED),
        ("sms:cancelled", TextStatus.FAILED),
    ],
)
def test_receipts_come_to_the_same_address(make: Make, event: str, status: TextStatus) -> None:
    told = received(messageId="ours", reason=f"no such number {THEIRS}") | {"event": event}
    assert make().receive(request(told)) == [DeliveryReceipt("ours", status)]
    assert make().receipt(request(told)) == [DeliveryReceipt("ours", status)]


@pytest.mark.parametrize("event", ["system:ping", "mms:received", "a word of tomorrow"])
def test_other_events_are_none_of_our_business(make: Make, event: str) -> None:
    assert make().receive(request(received() | {"event": event})) == []
