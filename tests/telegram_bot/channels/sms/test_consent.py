"""Only an unmistakable text enrols a phone, opens a table, ends one or leaves one; STOP ends all texts."""

import re
from dataclasses import replace

import pytest

from telegram_bot.channels.sms.budget import STRANGERS_PART
from telegram_bot.channels.sms.questions import UNKNOWN_CODES_PER_DAY
from telegram_bot.intents.config import TextCaps
from telegram_bot.intents.request import Arguments, Scope
from telegram_bot.service.commands import commands
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.storage.phone_models import Phone, TextSent
from telegram_bot.tables.model import Status, StepState
from telegram_bot.words.catalogue import LANGUAGES
from test_support.sms_world import ANA, BO, CY, RecordingGateway, SmsWorld, a_game, a_lobby, code_in
from tests.telegram_bot.conftest import ONLY_SQLITE

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
UNKNOWN = "I know no table {}. Look at the code in your friend's message again, and text JOIN and the code."
STOPPED = "Perudo: you'll get no more texts. Text START to come back."
DAY = 86400

pytestmark = ONLY_SQLITE


TALK = (
    "New phone, who dis?", "entro stasera", "link please", "LINK", "JOIN MARTIN", "JOIN ABC234", "please join ABC234",
)  # fmt: skip
"""Texts of an unknown number that enrol nobody; test_text_parser.py has more."""


async def test_talk_of_an_unknown_number_enrols_nobody(world: SmsWorld) -> None:
    for number, words in enumerate(TALK, start=447400300000):
        how = {
            "LINK": "Which one? Text LINK and the code, like LINK ABC234.",
            "JOIN ABC234": UNKNOWN.format("ABC234"),
            "please join ABC234": UNKNOWN.format("ABC234"),
        }.get(words, HINT)
        assert await world.text(f"+{number}", words) == [how], words
        assert world.phone(f"+{number}").agreed_at is None, words
    assert world.rows(Player) == []


async def test_nor_does_it_open_a_table_for_whoever_plays_already(world: SmsWorld) -> None:
    await a_lobby(world)
    for words in TALK:
        await world.text(BO, words)
        assert [seat.name for seat in world.table().seats] == ["Ana", "Bo"], words
    assert len(world.rows(GameTable)) == 1


async def test_new_alone_or_with_a_short_name_opens_a_table(world: SmsWorld) -> None:
    texts = ((ANA, "NEW", "Friend 1"), (BO, "new Bob", "Bob"), (CY, "Nuovo Nonna Pina", "Nonna Pina"))
    for table, (number, words, name) in enumerate(texts, start=1):
        await world.text(number, words)
        assert [seat.name for seat in world.table(table).seats] == [name]


# Leaving and closing


async def test_talk_leaves_nothing_and_asks_nothing(world: SmsWorld) -> None:
    world.service.config = replace(world.service.config, languages=LANGUAGES)
    await a_game(world)
    before = world.table()
    for words in ("me voy a dormir", "close to winning now", "closse"):
        [answer] = await world.text(ANA, words)
        assert "CLOSE" not in answer, words
        assert "LEAVE" not in answer, words
    assert world.table().replace(this_step=StepState()) == before


@pytest.mark.parametrize("word", ["CLOSE", "fermer la table"])
async def test_a_game_is_closed_only_by_the_code_of_the_question(world: SmsWorld, word: str) -> None:
    await a_game(world)
    assert await world.text(BO, word) == ["R1 Only the host can do that."]
    [question] = await world.text(ANA, word)
    asked = re.compile(r"R1 Close the table at Ana for everyone\? No one wins\. If so, text CLOSE (\d{4})\.")
    found = asked.fullmatch(question)
    assert found is not None
    await world.text(ANA, "YES")
    assert world.table().status is Status.PLAYING, "yes belongs to the carriers"
    assert await world.text(ANA, word) == [question], "the same word is no answer"
    await world.pass_time(601)
    [question] = await world.text(ANA, f"{word} {found[1]}")
    assert asked.fullmatch(question), "and no answer counts for ever: it is asked again"
    await world.text(ANA, "LEAVE")
    assert world.table().status is Status.PLAYING, "another question was asked"
    await world.confirm(ANA, word)
    assert world.table().status is Status.CLOSED
    assert world.got(CY)[-1].startswith("Ana closed the table.")


async def test_a_lobby_is_closed_at_once_where_nobody_else_sits(world: SmsWorld) -> None:
    await world.text(ANA, "NEW Ana")
    await world.text(ANA, "CLOSE")
    assert world.table().status is Status.CLOSED
    await a_lobby(world)
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
    assert await world.text(BO, f"jion {code} Gran") == [f"Did you mean JOIN {code}? Send: JOIN {code}"]
    assert world.phone(BO).agreed_at is None
    texts = [text for name in "abcdefghij" for text in await world.text(BO, f"jion {code} {name}")]
    assert texts == [f"Did you mean JOIN {code}? Send: JOIN {code}"] * 3 + [HINT]
    assert (await world.text(BO, f"JOIN {code} Gran"))[0].startswith("You're in, at Ana's table!")


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
    assert (await world.text(BO, f"JOIN {code} Bo"))[0].startswith("Sei al tavolo di Nonna!")
    assert (await world.text(CY, f"meedoen {code} Cy"))[0].startswith("Je zit aan de tafel van Nonna!")
    await world.text(BO, "LANGUAGE english")
    assert (await world.text(BO, f"JOIN {code}"))[0] == "You're in already. To leave, send LEAVE."


async def test_a_stranger_may_ask_for_help_in_the_games_own_words(world: SmsWorld) -> None:
    assert await world.text(ANA, "hello") == [HINT]
    for word in ("HELP", "?", "aiuto"):
        assert (await world.text(ANA, word))[0].startswith("Perudo, a dice game among friends.")
    assert len([text for _ in range(9) for text in await world.text(ANA, "?")]) == 1, "a few times an hour"


async def test_stop_ends_all_texts_until_start(world: SmsWorld) -> None:
    await a_game(world)
    assert await world.text(BO, "STOP") == [STOPPED]
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
    assert await world.text(ANA, "Stop texting me. Sent from my phone") == [STOPPED], "it answers the bare word only"


async def test_a_gateway_may_know_first_that_somebody_said_stop(world: SmsWorld) -> None:
    await a_game(world)
    await world.post("/sms/air/receipt", b"air-1 failed")
    sent = next(row for row in world.rows(TextSent) if row.message == "air-1")
    phone = next(row for row in world.rows(Phone) if row.id == sent.phone_id)
    assert phone.opted_out_at is not None


# A first text that is nearly right


async def test_a_stranger_is_told_of_a_wrong_code_three_times_a_day(world: SmsWorld) -> None:
    await world.text(ANA, "NEW Ana")
    for code in ("XYZ234", "XYZ235", "XYZ236"):
        assert await world.text(BO, f"JOIN {code}") == [UNKNOWN.format(code)]
    [hint] = await world.text(BO, "JOIN XYZ237")
    assert "Perudo, a dice game" in hint
    assert await world.text(BO, "JOIN XYZ238") == []
    world.now += 86400
    assert await world.text(BO, "JOIN XYZ239") == [UNKNOWN.format("XYZ239")]


async def test_a_code_with_a_name_or_behind_a_greeting_takes_a_seat(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    for words in (f"{code} Rita", f"{code}, Rita", f"Hello Ana! JOIN {code} Rita", f"hi ana, join {code} rita"):
        await world.text(BO, words)
        assert [seat.name.casefold() for seat in world.table().seats] == ["ana", "rita"], words
        await world.confirm(BO, "LEAVE")


async def test_a_wrong_code_of_any_command_enrols_no_unknown_number(world: SmsWorld) -> None:
    with_code = [command.name for command in commands(Scope.TEXT) if command.arguments is Arguments.CODE]
    assert {"join", "link", "tournament"} <= set(with_code)
    await world.text(ANA, "NEW Ana")
    for number, name in enumerate(with_code, start=447400600000):
        texts = [text for code in range(5) for text in await world.text(f"+{number}", f"{name} XYZ{234 + code}")]
        assert len(texts) <= UNKNOWN_CODES_PER_DAY + 1, name
        assert world.phone(f"+{number}").agreed_at is None, name
    assert [player.name for player in world.rows(Player)] == ["Ana"]


async def test_forged_senders_with_wrong_codes_share_the_part_of_strangers(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_day=100))
    texts = [
        text
        for code in range(2)
        for sender in range(8)
        for text in await world.text(f"+44740060{sender:04}", f"TOURNAMENT XYZ{234 + code}")
    ]
    assert len(texts) <= 100 // STRANGERS_PART
