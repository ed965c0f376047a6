"""Nobody is texted who did not ask, who said stop, or who sleeps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.storage.phone_models import Phone, TextSent
from telegram_bot.words.catalogue import LANGUAGES
from test_support.sms_world import (
    ANA,
    BO,
    CY,
    RecordingGateway,
    SmsWorld,
    a_game,
    code_in,
    on_turn,
)
from tests.telegram_bot.conftest import ONLY_SQLITE

pytestmark = ONLY_SQLITE

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
DAY = 86400


@pytest.fixture
def world(database: Database) -> SmsWorld:
    return SmsWorld(database)


# Consent and carriers' words


async def test_nobody_is_texted_who_did_not_ask(world: SmsWorld) -> None:
    assert await world.text(ANA, "who is this?") == [HINT]
    assert await world.text(ANA, "hello?") == []
    world.now += DAY
    assert await world.text(ANA, "5x4") == [HINT]
    assert world.rows(Player) == []


async def test_a_stranger_who_all_but_said_it_is_told_how_a_few_times(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    assert await world.text(BO, "JOIN") == ["Which one? Text JOIN and the code, like JOIN ABC234."]
    assert await world.text(BO, f"jion {code} Gran") == [f"Did you mean JOIN {code}? Text JOIN {code}"]
    assert world.phone(BO).agreed_at is None
    texts = [text for name in "abcdefghij" for text in await world.text(BO, f"jion {code} {name}")]
    assert texts == [f"Did you mean JOIN {code}? Text JOIN {code}"] * 3 + [HINT]
    assert (await world.text(BO, f"JOIN {code} Gran"))[0].startswith("You are in at Ana!")


async def test_a_stranger_is_answered_in_the_language_of_their_country(world: SmsWorld) -> None:
    world.service.config = replace(world.service.config, languages=LANGUAGES)
    [hint] = await world.text(CY, "bonjour")
    assert "STOP" in hint
    assert hint != HINT


async def test_a_friend_is_spoken_to_in_the_tables_language_until_they_say_otherwise(world: SmsWorld) -> None:
    world.service.config = replace(world.service.config, languages=LANGUAGES)
    [lobby] = await world.text(ANA, "nuovo Nonna")
    assert lobby.startswith("Tavolo "), "nuovo is Italian, whatever the number"
    code = code_in([lobby])
    assert (await world.text(BO, f"JOIN {code} Bo"))[0].startswith("Ci sei, a Nonna!")
    assert (await world.text(CY, f"meedoen {code} Cy"))[0].startswith("Je doet mee")
    await world.text(BO, "LANGUAGE english")
    assert (await world.text(BO, f"JOIN {code}"))[0] == "You are in already."


async def test_help_is_answered_for_anybody(world: SmsWorld) -> None:
    assert (await world.text(ANA, "HELP"))[0].startswith("Perudo, a dice game among friends.")


async def test_a_stranger_may_ask_for_help_in_the_games_own_words(world: SmsWorld) -> None:
    assert await world.text(ANA, "hello") == [HINT]
    for word in ("?", "aiuto", "ayuda"):
        assert (await world.text(ANA, word))[0].startswith("Perudo, a dice game among friends.")
    assert len([text for _ in range(9) for text in await world.text(ANA, "?")]) == 1, "a few times an hour"


@pytest.mark.parametrize("word", ["STOP", "Please stop texting me"])
async def test_stop_ends_all_texts_until_start(world: SmsWorld, word: str) -> None:
    await a_game(world)
    assert await world.text(BO, word) == ["Perudo: you will get no more texts. Text START to come back."]
    assert world.phone(BO).opted_out_at == world.now
    for words in (word, "DICE", "JOIN ABC234", "HELP", "?", "3x4"):
        assert await world.text(BO, words) == []
    await world.text(ANA, "1x3")
    await world.pass_time(3500)
    assert world.got(BO) == []
    back = await world.confirm(BO, "START")
    assert back[0] == "Perudo: welcome back. Text ? for help, STOP to stop."
    assert any(text.startswith("R1 Your dice:") for text in back[1:])


async def test_where_the_carrier_answers_we_do_not_and_still_know(database: Database) -> None:
    world = SmsWorld(database, RecordingGateway(answers=True))
    await world.text(ANA, "NEW")
    for word in ("HELP", "START", "STOP", "STOP"):
        assert await world.text(ANA, word) == []
    assert world.phone(ANA).opted_out_at is not None
    await world.confirm(ANA, "UNSTOP")
    assert world.phone(ANA).opted_out_at is None


async def test_yes_is_no_game_word(world: SmsWorld) -> None:
    await a_game(world)
    before = world.table().game
    await world.text(ANA, "YES")
    assert world.table().game == before


async def test_a_gateway_may_know_first_that_somebody_said_stop(world: SmsWorld) -> None:
    await a_game(world)
    await world.post("/sms/air/receipt", b"air-1 failed")
    sent = next(row for row in world.rows(TextSent) if row.message == "air-1")
    phone = next(row for row in world.rows(Phone) if row.id == sent.phone_id)
    assert phone.opted_out_at is not None


# Nights


async def test_a_new_phone_is_not_texted_at_night_unless_it_is_up(world: SmsWorld) -> None:
    await a_game(world)
    world.now += 12.5 * 3600  # half past midnight in London; the clock waits for those who sleep
    await world.text(ANA, "3x4")
    assert world.got(BO) == []
    await world.pass_time(8 * 3600)
    assert [text[:25] for text in world.got(BO)] == ["R1 Your dice: 3 4 5 6 6. "]
    world.now += 15 * 3600
    [text] = await world.text(BO, "DICE")
    assert "Ana says 3x4." in text
    await world.text(BO, "4x4")
    assert world.got(ANA) == []
    await world.text(CY, "5x4")
    await world.text(ANA, "dudo")
    assert world.got(BO) != [], "who texted a moment ago is up"


async def a_night_that_cy_sleeps_through(world: SmsWorld) -> None:
    await a_game(world)
    world.now += 11 * 3600  # eleven in London, midnight in Paris
    for words in ("15x6", "dudo"):
        await world.text(await on_turn(world), words)
    assert world.got(CY) == []


async def test_who_slept_is_told_how_the_round_ended_with_their_turn(world: SmsWorld) -> None:
    await a_night_that_cy_sleeps_through(world)
    for words in ("1x3", "2x3"):
        await world.text(await on_turn(world), words)
    assert await on_turn(world) == CY
    await world.pass_time(9 * 3600)
    [text] = world.got(CY)
    assert text.startswith("R2 Ana said 15x6, Bo doubted: there were ")
    assert "Ana loses a die. Your dice: " in text
    assert "Bo says 2x3. Your turn: text e.g. 3x3" in text


async def test_who_slept_through_several_rounds_is_told_how_each_ended(world: SmsWorld) -> None:
    await a_night_that_cy_sleeps_through(world)
    for words in ("14x6", "dudo", "13x6", "dudo", "1x3", "2x3"):
        await world.text(await on_turn(world), words)
    await world.pass_time(9 * 3600)
    texts = world.got(CY)
    assert [text[:18] for text in texts] == ["R1 Ana said 15x6, ", "R2 Ana said 14x6, ", "R4 Ana said 13x6, "]
    assert all("Ana loses a die." in text for text in texts)
    assert not any("Thanks" in text or "Your dice" in text for text in texts[:2])
    assert "Your turn: text e.g. 3x3" in texts[2]
