"""Requests of strangers, and malformed ones of our gateways: they change no game and get no answer."""

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

import httpx
import pytest

from telegram_bot.channels.sms.gateways.twilio import signature
from telegram_bot.intents.config import TextCaps
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import InboxEntry, Player
from telegram_bot.storage.phone_models import Phone
from test_support.in_process_world import NOON
from test_support.kannel_gateway import SECRET
from test_support.sms_world import ANA, BO, OURS, RecordingGateway, SmsWorld, code_in
from tests.telegram_bot.channels.sms.conftest import GATEWAYS, KEY, PUBLIC, TOKEN, Make, ScriptedServer
from tests.telegram_bot.conftest import ONLY_SQLITE, game_of

ACCOUNT = GATEWAYS["twilio"]["account"]
HOOK = f"{PUBLIC}/sms/main"
FORM = "application/x-www-form-urlencoded"
FORBIDDEN, TOO_LARGE, MALFORMED, NOT_SO, NO_FORM = 403, 413, 400, 405, 415

pytestmark = ONLY_SQLITE


class Asked(NamedTuple):
    """A request from outside."""

    path: str
    body: bytes
    headers: dict[str, str]


def twilio(url: str = HOOK, *, path: str = "/sms/main", token: str = TOKEN, kind: str = FORM, **fields: str) -> Asked:
    form = {"MessageSid": "SM1", "AccountSid": ACCOUNT, "From": ANA, "To": OURS, "Body": "JOIN", "New": "x"} | fields
    signed = signature(token, url, form.items())
    return Asked(path, urlencode(form).encode(), {"content-type": kind, "x-twilio-signature": signed})


def smsgate(
    *, key: str = KEY, at: float = NOON, event: Any = "sms:received", name: str = "e1", **payload: Any
) -> Asked:
    told = {"message": "JOIN", "phoneNumber": ANA, "new": [1], **payload}
    body = json.dumps({"event": event, "id": name, "payload": told, "new": {}}).encode()
    signature = hmac.new(key.encode(), body + str(int(at)).encode(), hashlib.sha256).hexdigest()
    return Asked("/sms/phone", body, {"x-signature": signature, "x-timestamp": str(int(at))})


def kannel(*, secret: str = SECRET, sender: str = ANA, **headers: str) -> Asked:
    query = urlencode({"secret": secret, "id": "u1", "time": int(NOON), "new": "x"})
    return Asked(f"/sms/modem?{query}", b"JOIN", {"x-kannel-from": sender, "content-type": "text/plain"} | headers)


@pytest.fixture
def world(database: Database, answers: ScriptedServer, make: Make) -> SmsWorld:
    """A bot with a gateway of each kind."""
    return SmsWorld(database, *(make(kind, answers.url) for kind in GATEWAYS))


FORGED = {
    "another token": (twilio(token="f" * 32), FORBIDDEN),
    "a text's signature for a receipt": (twilio(path="/sms/main/receipt"), FORBIDDEN),
    "a query that no one signed": (twilio(path="/sms/main?a=1"), FORBIDDEN),
    "no form": (twilio(kind="application/json"), NO_FORM),
    "oversize for Twilio": (twilio(Body="x" * 70_000), TOO_LARGE),
    "another key": (smsgate(key="another"), FORBIDDEN),
    "Twilio's words for SMSGate": (Asked("/sms/phone", twilio().body, twilio().headers), FORBIDDEN),
    "oversize for SMSGate": (smsgate(message="x" * 70_000), TOO_LARGE),
    "no sender": (smsgate(phoneNumber=None), MALFORMED),
    "a list for a word": (smsgate(event=[]), MALFORMED),
    "another secret": (kannel(secret="another"), FORBIDDEN),
    "through a proxy": (kannel(**{"x-forwarded-for": "127.0.0.1"}), FORBIDDEN),
}
"""Some of each kind; the tests of each gateway have more."""


async def test_what_is_forged_or_malformed_is_refused_and_nothing_is_kept(
    world: SmsWorld, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    for name, (asked, status) in FORGED.items():
        answer = await world.post(asked.path, asked.body, headers=asked.headers)
        assert answer.status_code == status, name
        assert world.rows(InboxEntry) == world.rows(Phone) == [], name
        for secret in (ANA[3:], TOKEN, KEY, SECRET):
            assert secret not in answer.text + str(answer.headers) + logged(caplog), name


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """The bot's log; this test's own client logs the address that it asks."""
    return " ".join(record.getMessage() for record in caplog.records if record.name.startswith("telegram_bot"))


GOOD: dict[str, Callable[..., Asked]] = {"Twilio": twilio, "SMSGate": smsgate, "Kannel": kannel}


@pytest.mark.parametrize("name", GOOD)
async def test_what_comes_again_is_taken_once_whatever_new_fields_it_has(
    world: SmsWorld, answers: ScriptedServer, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    answers.status = 202
    asked = GOOD[name]()
    for _ in range(4):
        assert (await world.post(asked.path, asked.body, headers=asked.headers)).status_code == 200
    await world.settle()
    assert len(world.rows(InboxEntry)) == len(world.rows(Phone)) == 1
    assert len(answers.asked) == 1, "one answer"
    assert ANA[3:] not in logged(caplog)


async def test_half_an_emoji_comes_once(world: SmsWorld, answers: ScriptedServer) -> None:
    answers.status = 202
    half = "\ud83d"
    for asked in (smsgate(message=f"dudo {half}"), smsgate(name=half), smsgate(event="sms:sent", messageId=half)):
        assert (await world.post(asked.path, asked.body, headers=asked.headers)).status_code == 200
        await world.settle()


async def test_other_ways_to_ask_are_none(world: SmsWorld) -> None:
    transport = httpx.ASGITransport(app=world.app, client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
        for method in ("PUT", "DELETE", "PATCH", "GET"):
            assert (await client.request(method, "/sms/main")).status_code == NOT_SO, method


async def test_whom_we_do_not_write_to_is_not_listened_to(world: SmsWorld, caplog: pytest.LogCaptureFixture) -> None:
    for sender in ("+79161234567", "+18765550123", "+883510001234567", "VODAFONE", "x", "12345", OURS):
        asked = smsgate(phoneNumber=sender)
        assert (await world.post(asked.path, asked.body, headers=asked.headers)).status_code == 200, sender
        assert world.rows(InboxEntry) == world.rows(Phone) == [], sender
        assert len(sender) < 8 or sender[4:] not in caplog.text


async def test_our_own_number_does_not_talk_to_itself(database: Database) -> None:
    world = SmsWorld(database, RecordingGateway(number=BO))
    assert await world.text(BO, "JOIN ABC234") == []
    assert world.rows(Phone) == []


async def test_a_phone_with_a_fast_clock_does_not_bid_for_the_turn_to_come(database: Database) -> None:
    world = SmsWorld(database)
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.text(ANA, "GO")
    game = world.table().begun_game
    number = (ANA, BO)[game.turn or 0]
    await world.text(number, "1x2", sent=world.now + 10**6)
    assert world.table().game != game
    world.now += 3 * 86400
    [answer] = await world.text(number, "DICE", sent=NOON - 3 * 86400)
    assert "took very long to arrive" in answer


async def test_stop_and_start_again_and_again_do_not_spend_beyond_the_limit(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_phone=4))
    await world.text(ANA, "NEW Ana")
    for _ in range(20):
        await world.text(ANA, "STOP")
        await world.text(ANA, "START")
    assert len(world.every_text(ANA)) <= 4 + 2, "and each last word once"


HOSTILE = {
    "control": "A\x00\x07\x1b\x7f\u200b\u202eB",
    "long": "W" * 1500,
    "emoji": "\U0001f600\U0001f44d\U0001f3fd\u200d\U0001f9d1",
    "extension": "€[]{}~^|\\€[]{}~^|\\",
    "gaps": "{name} {bid} %s %(n)d {0}",
    "markup": "<b>&lt;</b><script>",
    "link": "http://win.example/prize now",
    "number": "+39 340 123 45 67 50",
    "right to left": "\u05d0\u05d1\u05d2 3x4",
    "marks": "Z" + "\u0334\u0341" * 60,
    "command": "STOP",
    "round": "R9 5x6. Your turn",
    "ñ": "ñ" * 40,
    "nothing": "\u3164\u2800",
}


@pytest.mark.parametrize("first", range(0, len(HOSTILE), 5))
async def test_whatever_people_call_themselves_texts_stay_texts(database: Database, first: int) -> None:
    world = SmsWorld(database)
    names = [*HOSTILE.values()][first : first + 5]
    phones = [f"+44740012340{phone}" for phone in range(1 + len(names))]
    code = code_in(await world.text(phones[0], "NEW"))
    for phone, name in zip(phones[1:], names, strict=True):
        await world.text(phone, f"JOIN {code} {name}")
    for phone, name in zip(phones, names, strict=False):  # the last keeps the name with which they joined
        await world.text(phone, f"NAME {name}")
    await world.text(phones[0], "GO")
    for words in ("2x3", "3x3", "dudo", "?", "STATUS", "LEAVE", "99x6"):
        turn = game_of(world.table()).turn or 0
        for phone in (phones[turn - 1], phones[turn]):
            await world.text(phone, words)
    await world.pass_time(6 * 3600)
    every = [world.every_text(phone) for phone in phones]  # which looks at the alphabet and at the length
    assert sum(map(len, every)) > 20
    assert all(every)
    assert not any("http" in text and "//" in text for texts in every for text in texts)
    assert len(world.rows(Player)) == len(phones)
