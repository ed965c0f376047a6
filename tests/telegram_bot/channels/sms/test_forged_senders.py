"""A sender's number is no proof, and strangers' requests change no game: no player loses a seat, a link or a turn."""

import re
from dataclasses import replace

import httpx
import pytest

from telegram_bot.channels.sms.gateways.base import WebRequest
from telegram_bot.channels.sms.questions import RESUMING_PER_DAY, WRONG_ANSWERS_PER_DAY
from telegram_bot.intents import intents as i
from telegram_bot.intents.config import TextCaps
from telegram_bot.service.handlers.lobby_requests import OpenLobby
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import InboxEntry, Player
from telegram_bot.storage.phone_models import Phone
from telegram_bot.tables.model import StepState
from test_support.in_process_world import NOON
from test_support.sms_world import ANA, BO, CY, DEE, GROUP, OURS, RecordingGateway, SmsWorld, a_game, a_lobby, code_in
from tests.telegram_bot.channels.sms.conftest import GATEWAYS, KEY, SECRET, THEIRS, TOKEN, Make, ScriptedServer
from tests.telegram_bot.channels.sms.test_gateways import event_of, form, posted, received
from tests.telegram_bot.channels.sms.test_kannel import request

EVE = i.Person("telegram", 88, "Eve", language="en")
DAY = 86400


async def asked(world: SmsWorld, number: str, words: str) -> str:
    """The code in the bot's question: the phone's owner reads it, a forger does not."""
    found = re.search(r" (\d{4})\.", (await world.text(number, words))[-1])
    assert found is not None
    return found[1]


def owner_of(world: SmsWorld, number: str) -> list[str]:
    return [player.name for player in world.rows(Player) if player.phone == world.phone(number).id]


async def test_a_forger_cannot_leave_for_somebody(world: SmsWorld) -> None:
    await a_game(world)
    before = world.table()
    for words in ("LEAVE", "esco", "leave the game"):
        await world.text(BO, words)
    code = int(await asked(world, BO, "LEAVE"))
    wrong = [code % 9000 + 1001 + n for n in range(3)]
    for guess in (f"LEAVE {wrong[0]}", "LEAVE", "YES", f"leave {wrong[1]}", str(wrong[2])):
        await world.text(BO, guess)
    for word in ("LEAVE", "CLOSE"):
        for message in ("one", "two", "three"):  # what a carrier delivers twice does not confirm itself
            await world.text(ANA, word, message=word + message)
    assert world.table().replace(this_step=StepState()) == before
    await world.text(BO, f"Leave {code}.")
    assert not world.table().in_play(1)


async def test_an_answer_that_is_delivered_twice_leaves_one_table(world: SmsWorld) -> None:
    await a_game(world)
    await world.from_telegram(DEE, OpenLobby(), GROUP)
    await world.text(ANA, f"JOIN {world.table(2).code}")
    await world.text(ANA, f"TABLE {world.table(1).code}")
    code = await asked(world, ANA, "LEAVE")
    for message in ("one", "two"):
        await world.text(ANA, f"LEAVE {code}", message=message)
    assert not world.table(1).in_play(0)
    assert world.table(2).seat_of(1) is not None, "the second is one more question"


async def test_wrong_codes_are_few_a_day_and_silence_nobody(world: SmsWorld) -> None:
    await a_game(world)
    code = await asked(world, ANA, "LEAVE")
    for guess in range(WRONG_ANSWERS_PER_DAY):
        await world.text(ANA, f"LEAVE {(int(code) - 1000 + guess + 1) % 9000 + 1000}")
    assert (await world.text(ANA, f"LEAVE {code}"))[-1].startswith("R1 That's not the code from my last question.")
    assert world.table().in_play(0)
    await world.text(ANA, "1x3")
    assert world.table().step == 1, "the turn is heard as ever"
    world.now += DAY
    await world.confirm(ANA, "LEAVE")
    assert not world.table().in_play(0)


@pytest.mark.parametrize(
    ("linked", "asked"),
    [
        (True, "wants to use this phone, which plays for Dee."),
        (False, r"wants to play on this phone\. To allow it, text LINK (\d{4})\. If that wasn't you, do nothing\."),
    ],
)
async def test_nor_make_or_end_a_link(world: SmsWorld, asked: str, *, linked: bool) -> None:
    """Else the bot would play the phone's next text in their name."""
    if linked:
        await world.confirm(ANA, f"LINK {await world.link_code()}")
    forged = f"LINK {await world.link_code(EVE)}"
    for _ in range(2):
        [question] = await world.text(ANA, forged)
        assert re.match(f"Eve on Telegram {asked}", question)
    assert owner_of(world, ANA) == ["Dee"] * linked
    assert await world.confirm(ANA, forged) == ["Linked: this phone plays for Eve."]
    for _ in range(3):
        [question] = await world.text(ANA, "UNLINK")
    assert owner_of(world, ANA) == ["Eve"]
    assert re.fullmatch(r"Stop playing for Eve on this phone\? If so, text UNLINK \d{4}\.", question)
    await world.confirm(ANA, "UNLINK")
    assert owner_of(world, ANA) == []


async def test_the_question_is_asked_in_the_phones_language_with_the_word_that_answers_it(world: SmsWorld) -> None:
    for words in ("NEW Ana", "LANGUAGE it", "CLOSE"):
        await world.text(ANA, words)
    [question] = await world.text(ANA, f"LINK {await world.link_code(EVE)}")
    assert question.startswith("Eve su Telegram vuole giocare con questo telefono.")
    found = re.search(r"LINK (\d{4})\.", question)
    assert found is not None
    await world.text(ANA, f"LINK {found[1]}")
    assert owner_of(world, ANA) == ["Eve"]


async def test_who_said_stop_is_not_woken_by_others(world: SmsWorld) -> None:
    await world.text(ANA, "NEW Ana")
    await world.text(ANA, "STOP")
    texts = [text for _ in range(3 * RESUMING_PER_DAY) for text in await world.text(ANA, "START")]
    assert len(texts) == RESUMING_PER_DAY
    assert all(text.startswith("Perudo: do you want texts again?") for text in texts)
    for words in ("START 1000", "YES", "UNSTOP", "START 9999", "1234"):
        assert await world.text(ANA, words) == []
    assert world.phone(ANA).opted_out_at is not None
    found = re.search(r"START (\d{4})\.", texts[-1])
    assert found is not None
    assert await world.text(ANA, f"start {found[1]}") == ["Perudo: welcome back. Text ? for help, STOP to stop."]


async def test_a_flood_in_somebodys_name_does_not_silence_their_turn(database: Database) -> None:
    world = SmsWorld(database, an_hour=20)
    await a_game(world)
    for n in range(20):
        await world.text(ANA, "hello" + n * "o")
    assert await world.text(ANA, "STATUS") == [], "nothing else is listened to"
    await world.text(BO, "1x3")
    assert world.table().step == 0
    await world.text(ANA, "R1 1x3")
    assert world.table().step == 1
    await world.text(ANA, "2x3")
    assert world.table().step == 1, "and only on their turn"


async def test_a_forged_stop_does_not_cost_a_turn(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "STOP")
    assert await world.text(ANA, "DICE") == []
    assert await world.text(ANA, "1x3") == [], "it counts, and who gets no texts is not answered"
    assert world.table().step == 1
    await world.text(BO, "2x3")
    await world.text(CY, "dudo")
    assert (await world.confirm(ANA, "START"))[0].startswith("Perudo: welcome back.")


async def test_nor_that_of_a_linked_phone(world: SmsWorld) -> None:
    await world.text(BO, "NEW Bo")
    await world.confirm(ANA, f"LINK {await world.link_code()}")
    await world.text(ANA, f"JOIN {world.table().code}")
    await world.text(BO, "GO")
    if world.table().game.turn == 0:  # type: ignore[union-attr]
        await world.text(BO, "1x2")
    step = world.table().step
    await world.text(ANA, "STOP")
    await world.text(ANA, "2x2")
    assert world.table().step == step + 1
    await world.text(BO, "3x2")
    (dee,) = (player for player in world.rows(Player) if player.channel == "telegram")
    assert (dee.view, dee.direct) == ("auto", "unknown"), "the next dice come in Telegram"


async def test_where_nobody_can_forge_a_sender_a_name_a_seat_and_texts_are_not_asked_about(database: Database) -> None:
    world = SmsWorld(database, RecordingGateway(), RecordingGateway("vouched", proof=True))
    await a_lobby(world)
    named = await world.text(BO, "NAME Bob", gateway="vouched")
    assert named == ["Nice to meet you, Bob! That's your name at the table now."]
    assert await world.text(BO, "LEAVE", gateway="vouched") == ["You left the table."]
    await world.text(BO, "STOP", gateway="vouched")
    assert (await world.text(BO, "START", gateway="vouched"))[0].startswith("Perudo: welcome back.")
    linked = await world.text(CY, f"LINK {await world.link_code()}", gateway="vouched")
    assert linked == ["Linked: this phone plays for Dee."]
    assert await world.text(CY, "UNLINK", gateway="vouched") == ["This phone doesn't play for Dee any more."]


async def test_a_guessed_code_of_a_link_is_a_wrong_answer(world: SmsWorld) -> None:
    forged = f"LINK {await world.link_code(EVE)}"
    code = int(await asked(world, ANA, forged))
    for guess in range(WRONG_ANSWERS_PER_DAY):
        await world.text(ANA, f"LINK {(code - 1000 + guess + 1) % 9000 + 1000}")
    await world.text(ANA, f"LINK {code}")
    assert owner_of(world, ANA) == []


async def brought(world: SmsWorld, asked: WebRequest, path: str) -> httpx.Response:
    return await world.client.post(f"{path}?{asked.query}", content=asked.body, headers=asked.headers)


@pytest.fixture
def doors(database: Database, answers: ScriptedServer, make: Make) -> SmsWorld:
    return SmsWorld(database, *(make(kind, answers.url) for kind in GATEWAYS))


FORGED = {
    "another token": ("/sms/main", posted(form(), token="f" * 32), 403),
    "a text's signature for a receipt": ("/sms/main/receipt", posted(form()), 403),
    "a query that no one signed": ("/sms/main", replace(posted(form()), query="a=1"), 403),
    "no form": ("/sms/main", posted(form(), kind="application/json"), 415),
    "oversize for Twilio": ("/sms/main", posted(form(Body="x" * 70_000)), 413),
    "another key": ("/sms/phone", event_of(received(), key="another"), 403),
    "Twilio's words for SMSGate": ("/sms/phone", posted(form()), 403),
    "oversize for SMSGate": ("/sms/phone", event_of(received(message="x" * 70_000)), 413),
    "no sender": ("/sms/phone", event_of(received(phoneNumber=None)), 400),
    "a list for a word": ("/sms/phone", event_of(received() | {"event": []}), 400),
    "another secret": ("/sms/modem", request("secret=another&id=1"), 403),
    "through a proxy": ("/sms/modem", request(headers={"x-kannel-from": THEIRS, "x-forwarded-for": "127.0.0.1"}), 403),
}
"""Some of each kind; the tests of each gateway have more."""


async def test_what_is_forged_is_refused_and_not_kept(doors: SmsWorld, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    for name, (path, asked, status) in FORGED.items():
        answer = await brought(doors, asked, path)
        assert answer.status_code == status, name
        assert [*doors.rows(InboxEntry), *doors.rows(Phone)] == [], name
        for secret in (THEIRS[3:], TOKEN, KEY, SECRET):
            assert secret not in answer.text + str(answer.headers) + logged(caplog), name
    for method in ("PUT", "DELETE", "PATCH", "GET"):
        assert (await doors.client.request(method, "/sms/main")).status_code == 405, method


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """The bot's log; this test's own client logs the address that it asks."""
    return " ".join(record.getMessage() for record in caplog.records if record.name.startswith("telegram_bot"))


GOOD = {
    "/sms/main": posted(form(From=ANA, Body="JOIN")),
    "/sms/phone": event_of(received(phoneNumber=ANA, message="JOIN") | {"new": {}}),
    "/sms/modem": request(
        f"secret={SECRET}&id=u1&time={int(NOON)}&new=x",
        headers={"x-kannel-from": ANA, "content-type": "text/plain"},
        body=b"JOIN",
    ),
}


@pytest.mark.parametrize("path", GOOD)
async def test_what_comes_again_is_taken_once_whatever_new_fields_it_has(
    doors: SmsWorld, answers: ScriptedServer, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    answers.status = 202
    for _ in range(4):
        assert (await brought(doors, GOOD[path], path)).status_code == 200
    await doors.settle()
    assert len(doors.rows(InboxEntry)) == len(doors.rows(Phone)) == 1
    assert len(answers.asked) == 1, "one answer"
    assert ANA[3:] not in logged(caplog)


async def test_whom_we_do_not_write_to_is_not_listened_to(doors: SmsWorld, caplog: pytest.LogCaptureFixture) -> None:
    for sender in ("+79161234567", "+18765550123", "+883510001234567", "VODAFONE", "x", "12345", OURS):
        assert (await brought(doors, event_of(received(phoneNumber=sender)), "/sms/phone")).status_code == 200, sender
        assert [*doors.rows(InboxEntry), *doors.rows(Phone)] == [], sender
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
