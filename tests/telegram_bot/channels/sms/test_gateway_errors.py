"""The effect of each error of a gateway: the text is sent later, may have been sent, or never is."""

from collections.abc import Callable

import httpx
import pytest

from telegram_bot.channels.sms.gateways import base
from telegram_bot.channels.sms.gateways.base import Gateway, map_status
from telegram_bot.channels.sms.gateways.kannel import Kannel
from telegram_bot.channels.sms.gateways.smsgate import SmsGate
from telegram_bot.channels.sms.gateways.twilio import Twilio
from telegram_bot.delivery.sender import InvalidError, NotSentError, SlowDownError, UnknownOutcomeError
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings.sms import KannelSettings, SmsGateSettings, TwilioSettings
from tests.telegram_bot.channels.sms.conftest import ScriptedServer, cut_connection

OURS, THEIRS = "+393400000001", "+393471234567"
Make = Callable[[str, httpx.AsyncBaseTransport | None], Gateway]


def twilio(url: str, transport: httpx.AsyncBaseTransport | None = None) -> Gateway:
    section = {"kind": "twilio", "name": "main", "number": OURS, "account": f"AC{0:032}", "auth_token": "t"}
    return Twilio(TwilioSettings.model_validate(section | {"api_url": url}), "https://bot", transport=transport)


def smsgate(url: str, transport: httpx.AsyncBaseTransport | None = None) -> Gateway:
    section = {"kind": "smsgate", "name": "phone", "number": OURS, "login": "l", "password": "p", "signing_key": "k"}
    return SmsGate(SmsGateSettings.model_validate(section | {"api_url": url}), transport=transport)


def kannel(url: str, transport: httpx.AsyncBaseTransport | None = None) -> Gateway:
    section = {"kind": "kannel", "name": "modem", "number": OURS, "username": "u", "password": "p", "secret": "s"}
    return Kannel(KannelSettings.model_validate(section | {"api_url": url}), "http://bot", transport=transport)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidError), (401, NotSentError), (403, NotSentError), (404, NotSentError), (407, NotSentError),
        (413, InvalidError), (422, InvalidError), (429, SlowDownError), (500, NotSentError), (503, NotSentError),
        (504, UnknownOutcomeError),
    ],
)  # fmt: skip
def test_a_status_means_later_or_never(status: int, kind: type[Exception]) -> None:
    assert type(map_status(httpx.Response(status, text="Empty text not allowed, rejected"))) is kind


def test_the_page_of_a_proxy_judges_no_text() -> None:
    page = "\n<html><center><h1>400 Bad Request</h1></center><hr><center>nginx</center></html>"
    assert type(map_status(httpx.Response(400, html=page))) is NotSentError


@pytest.mark.parametrize(("asked", "waits"), [("7", 7), (None, 1), ("0", 1), ("soon", 1), ("99999", 300), ("nan", 300)])
def test_a_gateway_says_how_long_to_wait_within_bounds(asked: str | None, waits: float) -> None:
    trouble = map_status(httpx.Response(429, headers={} if asked is None else {"Retry-After": asked}))
    assert isinstance(trouble, SlowDownError)
    assert trouble.seconds == waits


@pytest.mark.parametrize("make", [twilio, smsgate, kannel])
async def test_each_gateway_tells_what_became_of_a_text(make: Make, answers: ScriptedServer) -> None:
    answers.status = 503
    troubles = [
        (make(answers.url, None), NotSentError),
        (make(f"http://127.0.0.1:{free_port()}", None), NotSentError),
        (make("http://gateway", cut_connection()), UnknownOutcomeError),
    ]
    for gateway, kind in troubles:
        assert gateway.http.timeout == httpx.Timeout(base.SECONDS_TO_ANSWER)
        with pytest.raises(kind) as refused:
            await gateway.send(THEIRS, "hi", seconds=60)
        assert THEIRS[3:] not in repr(refused.value)
        await gateway.close()
