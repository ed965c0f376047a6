"""SMSGate: a description of its interface judges our requests; signed events come in."""

import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from telegram_bot.channels.sms.gateways.base import DeliveryReceipt, IncomingText, WebRefusedError, WebRequest
from telegram_bot.delivery.sender import UnknownOutcomeError
from telegram_bot.storage.phone_models import TextStatus
from test_support.in_process_world import NOON
from tests.telegram_bot.channels.sms.conftest import KEY, THEIRS, Make, ScriptedServer, cut_connection

pytestmark = pytest.mark.xdist_group("prism")

NOW = int(NOON)
RECEIVED = "2023-11-15T13:00:00.000+01:00"
TAKEN = {"id": "x", "state": "Pending", "recipients": [], "isHashed": False, "isEncrypted": False}


# Sent texts


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


async def test_a_known_name_was_taken_and_words_of_tomorrow_do_no_harm(answers: ScriptedServer, make: Make) -> None:
    answers.status, answers.body = 409, {"message": "exists"}
    name = await make("smsgate", answers.url).send(THEIRS, "hi", seconds=60)
    assert json.loads(answers.asked[0])["id"] == name
    answers.status, answers.body = 202, TAKEN | {"state": "Contemplating"}
    assert await make("smsgate", answers.url).send(THEIRS, "hi", seconds=60)


async def test_a_lost_answer_is_asked_for_again_under_the_same_name(make: Make) -> None:
    asked: list[bytes] = []
    with pytest.raises(UnknownOutcomeError):
        await make("smsgate", transport=cut_connection(asked)).send(THEIRS, "hi", seconds=60)
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
            "receivedAt": RECEIVED,
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
    once, again = (make("smsgate").receive(request(received() | {"id": event})) for event in ("one", "two"))
    assert once == again == [IncomingText(f"{NOW}.0", THEIRS, "5x4", float(NOW))]
    [later] = make("smsgate").receive(request(received(receivedAt="2023-11-15T13:00:01.000+01:00")))
    assert later.message != once[0].message


def test_a_text_without_a_time_is_taken_by_its_events_id_and_other_events_are_none_of_our_business(make: Make) -> None:
    newer = received(sender=THEIRS, phoneNumber=None, receivedAt="yesterday")
    for clock in (NOW - 300, NOW, NOW + 300):
        told = make("smsgate").receive(request(newer, at=str(clock)))
        assert told == [IncomingText("Ey6ECgOkVVFjz3CL48B8C", THEIRS, "5x4")]
    for event in ("system:ping", "mms:received", "a word of tomorrow"):
        assert make("smsgate").receive(request(received() | {"event": event})) == []


@pytest.mark.parametrize(
    ("chosen", "came", "is_ours"),
    [(2, 1, False), (1, 2, False), (1, 0, False), (2, 2, True), (2, None, True), (0, 1, True)],
)
def test_a_text_to_the_owners_sim_is_not_ours(make: Make, chosen: int, came: int | None, *, is_ours: bool) -> None:
    """A text to the chosen card, or to an unknown one, is."""
    phone = make("smsgate", sim=chosen)
    assert bool(phone.receive(request(received(simNumber=came)))) is is_ours
    assert is_ours or phone.receive(request(received(simNumber=came) | {"event": "sms:sent"})) == []


MALFORMED = (
    *(b"", b"nonsense", b"[]", b"[" * 100_000, b"\xff", {}),
    *(received() | more for more in ({"id": ""}, {"id": "x" * 101}, {"payload": None})),
    *(received(message=3), received(phoneNumber=3)),
)


@pytest.mark.parametrize(
    ("bad", "status"),
    [
        (request(received(), key="another"), 403),
        (request(received(), signature=""), 403),
        (request(received(), signature="é" * 64), 403),
        (request(received(), at=str(NOW - 301)), 403),
        (request(received(), at=str(NOW + 301)), 403),
        (request(received(), at="soon"), 403),
        (request(received(), at=""), 403),
        (request(received(), at="9" * 400), 403),
        (replace(request(received()), body=json.dumps(received(message="6x6")).encode()), 403),
        *((request(event), 400) for event in MALFORMED),
    ],
)
def test_what_is_not_signed_now_by_our_phone_or_malformed_is_refused(make: Make, bad: WebRequest, status: int) -> None:
    with pytest.raises(WebRefusedError) as refused:
        make("smsgate").receive(bad)
    assert refused.value.status == status


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
    assert make("smsgate").receive(request(told)) == [DeliveryReceipt("ours", status)]
    assert make("smsgate").receipt(request(told)) == [DeliveryReceipt("ours", status)]
