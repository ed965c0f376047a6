"""A sender's number is no proof: no player loses a seat, a link or a turn to texts in their name."""

import re

import pytest

from telegram_bot.channels.sms.questions import ANSWER_SECONDS, RESUMING_PER_DAY, WRONG_ANSWERS_PER_DAY
from telegram_bot.intents import intents as i
from telegram_bot.intents.config import Quota, Quotas
from telegram_bot.service.handlers.lobby_requests import OpenLobby
from telegram_bot.service.quotas import QuotaGate
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.tables.model import StepState
from test_support.sms_world import ANA, BO, CY, GROUP, RecordingGateway, SmsWorld, a_game, a_lobby

EVE = i.Person("telegram", 88, "Eve", language="en")
DAY = 86400


async def asked(world: SmsWorld, number: str, words: str) -> str:
    """The code in the bot's question: the phone's owner reads it, a forger does not."""
    found = re.search(r" (\d{4})\.", (await world.text(number, words))[-1])
    assert found is not None
    return found[1]


def owner_of(world: SmsWorld, number: str) -> list[str]:
    return [player.name for player in world.rows(Player) if player.phone == world.phone(number).id]


# A seat and a table


async def test_a_forger_cannot_leave_for_somebody(world: SmsWorld) -> None:
    await a_game(world)
    before = world.table()
    for words in ("LEAVE", "esco", "leave the game"):
        await world.text(BO, words)
    code = int(await asked(world, BO, "LEAVE"))
    wrong = [code % 9000 + 1001 + n for n in range(3)]
    for guess in (f"LEAVE {wrong[0]}", "LEAVE", "YES", f"leave {wrong[1]}", str(wrong[2])):
        await world.text(BO, guess)
    assert world.table().replace(this_step=StepState()) == before
    await world.text(BO, f"Leave {code}.")
    assert not world.table().in_play(1)


async def test_nor_before_the_game(world: SmsWorld) -> None:
    await a_lobby(world)
    for _ in range(2):
        [question] = await world.text(BO, "LEAVE")
        assert re.fullmatch(r"Leave the table at Ana\? If so, text LEAVE \d{4}\.", question)
    assert len(world.table().seats) == 2
    assert await world.confirm(BO, "LEAVE") == ["You left the table."]
    assert [seat.name for seat in world.table().seats] == ["Ana"]


async def test_what_a_carrier_delivers_twice_does_not_confirm_itself(world: SmsWorld) -> None:
    await a_game(world)
    before = world.table()
    for word in ("LEAVE", "CLOSE"):
        for message in ("one", "two", "three"):
            await world.text(ANA, word, message=word + message)
        assert world.table() == before, word


async def test_an_answer_that_is_delivered_twice_leaves_one_table(world: SmsWorld) -> None:
    await a_game(world)
    await world.tap(OpenLobby(), GROUP)
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


async def test_a_code_counts_for_some_minutes(world: SmsWorld) -> None:
    await a_game(world)
    code = await asked(world, BO, "LEAVE")
    world.now += ANSWER_SECONDS
    [again] = await world.text(BO, f"LEAVE {code}")
    assert "Leave the game at Ana?" in again
    assert world.table().in_play(1)


# A link


async def test_a_forger_cannot_end_a_link(world: SmsWorld) -> None:
    await world.confirm(ANA, f"LINK {await world.link_code()}")
    for _ in range(3):
        [question] = await world.text(ANA, "UNLINK")
    assert owner_of(world, ANA) == ["Dee"]
    assert re.fullmatch(r"Stop playing for Dee on this phone\? If so, text UNLINK \d{4}\.", question)
    await world.confirm(ANA, "UNLINK")
    assert owner_of(world, ANA) == []


@pytest.mark.parametrize(
    ("linked", "asked"),
    [
        (True, "wants to use this phone, which plays for Dee."),
        (False, r"wants to play on this phone\. To allow it, text LINK (\d{4})\. If that wasn't you, do nothing\."),
    ],
)
async def test_nor_make_a_link_of_their_own(world: SmsWorld, asked: str, *, linked: bool) -> None:
    """Else the bot would play the phone's next text in their name."""
    if linked:
        await world.confirm(ANA, f"LINK {await world.link_code()}")
    forged = f"LINK {await world.link_code(EVE)}"
    for _ in range(2):
        [question] = await world.text(ANA, forged)
        assert re.match(f"Eve on Telegram {asked}", question)
    assert owner_of(world, ANA) == ["Dee"] * linked
    assert await world.confirm(ANA, forged) == ["Linked: this phone plays for Eve."]


async def test_a_guessed_code_of_a_link_is_a_wrong_answer(world: SmsWorld) -> None:
    forged = f"LINK {await world.link_code(EVE)}"
    code = int(await asked(world, ANA, forged))
    for guess in range(WRONG_ANSWERS_PER_DAY):
        await world.text(ANA, f"LINK {(code - 1000 + guess + 1) % 9000 + 1000}")
    await world.text(ANA, f"LINK {code}")
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


# STOP and START


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


# The player on turn can always play


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


async def test_calls_of_the_player_on_turn_are_served_beyond_every_quota(world: SmsWorld) -> None:
    world.service.quota_gate = QuotaGate(
        Quotas(person_taps=Quota(5), person_words=Quota(5)),
        lambda: world.now,
        world.service.parse_text,
        world.service.config.channels.linkable,
    )
    await a_game(world)
    for n in range(8):
        await world.text(ANA, f"0x{n % 6}")
        await world.text(ANA, f"talk {n}")
    await world.text(ANA, "1x3")
    assert world.table().step == 1


# Where an operator vouches for the senders


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
