"""The effect of each error of a gateway: the text is sent later, may have been sent, or never is."""

import httpx
import pytest

from telegram_bot.channels.sms.gateways import base
from telegram_bot.channels.sms.gateways.base import map_status
from telegram_bot.delivery.sender import InvalidError, NotSentError, SlowDownError, UnknownOutcomeError
from telegram_bot.sandbox_launcher import free_port
from tests.telegram_bot.channels.sms.conftest import GATEWAYS, THEIRS, Make, ScriptedServer, cut_connection


@pytest.mark.parametrize(("asked", "waits"), [("7", 7), (None, 1), ("0", 1), ("soon", 1), ("99999", 300), ("nan", 300)])
def test_a_gateway_says_how_long_to_wait_within_bounds(asked: str | None, waits: float) -> None:
    trouble = map_status(httpx.Response(429, headers={} if asked is None else {"Retry-After": asked}))
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
