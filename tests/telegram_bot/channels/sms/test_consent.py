"""Only an unmistakable text enrols a phone, opens a table, ends one or leaves one; STOP ends all texts."""

from __future__ import annotations

import re
from dataclasses import replace

from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.storage.phone_models import Phone, TextSent
from telegram_bot.tables.model import Status
from telegram_bot.words.catalogue import LANGUAGES
from test_support.sms_world import ANA, BO, CY, RecordingGateway, SmsWorld, a_game, code_in

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."

DAY = 86400


async def test_what_only_looks_like_consent_enrols_nobody_and_opens_no_table(world: SmsWorld) -> None:
    said = ("New phone, who dis?", "JOIN ABC234", "LINK 234567", "jion ABC234", "please join ABC234")
    for number, words in enumerate(said, start=447400300000):
        assert await world.text(f"+{number}", words) == [HINT], words
        assert world.phone(f"+{number}").agreed_at is None, words
    assert world.rows(Player) == []
    await a_game(world)
    for words in said:
        await world.text(BO, words)
    assert [seat.name for seat in world.table().seats] == ["Ana", "Bo", "Cy"]
    assert len(world.rows(GameTable)) == 1


# Leaving and closing


async def test_a_game_is_closed_only_by_the_code_of_the_question(world: SmsWorld) -> None:
    await a_game(world)
    assert await world.text(BO, "CLOSE") == ["R1 Only the host or an admin can do that."]
    [question] = await world.text(ANA, "CLOSE")
    asked = re.compile(r"R1 Close the table at Ana for everybody\? Nobody wins\. If so, text CLOSE (\d{4})\.")
    found = asked.fullmatch(question)
    assert found is not None
    await world.text(ANA, "YES")
    assert world.table().status is Status.PLAYING, "yes belongs to the carriers"
    assert await world.text(ANA, "CLOSE") == [question], "the same word is no answer"
    await world.pass_time(601)
    [question] = await world.text(ANA, f"CLOSE {found[1]}")
    assert asked.fullmatch(question), "and no answer counts for ever: it is asked again"
    await world.text(ANA, "LEAVE")
    assert world.table().status is Status.PLAYING, "another question was asked"
    await world.confirm(ANA, "CLOSE")
    assert world.table().status is Status.CLOSED
    assert world.got(CY)[-1].startswith("Ana closed the table.")


async def test_a_lobby_is_closed_at_once_where_nobody_else_sits(world: SmsWorld) -> None:
    await world.text(ANA, "NEW Ana")
    await world.text(ANA, "CLOSE")
    assert world.table().status is Status.CLOSED
    code = code_in(await world.text(ANA, "NEW"))
    await world.text(BO, f"JOIN {code} Bo")
    assert "text CLOSE " in (await world.text(ANA, "CLOSE"))[-1]
    assert world.table(2).status is Status.LOBBY
    await world.confirm(ANA, "CLOSE")
    assert world.table(2).status is Status.CLOSED


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


async def test_stop_ends_all_texts_until_start(world: SmsWorld) -> None:
    await a_game(world)
    assert await world.text(BO, "STOP") == ["Perudo: you will get no more texts. Text START to come back."]
    assert world.phone(BO).opted_out_at == world.now
    for words in ("STOP", "DICE", "JOIN ABC234", "HELP", "?", "3x4"):
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


async def test_a_gateway_may_know_first_that_somebody_said_stop(world: SmsWorld) -> None:
    await a_game(world)
    await world.post("/sms/air/receipt", b"air-1 failed")
    sent = next(row for row in world.rows(TextSent) if row.message == "air-1")
    phone = next(row for row in world.rows(Phone) if row.id == sent.phone_id)
    assert phone.opted_out_at is not None
