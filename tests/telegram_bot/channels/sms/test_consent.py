"""Only an unmistakable text enrols a phone, opens a table, ends one or leaves one; STOP ends all texts."""

import re
from dataclasses import replace

import pytest

from perudo_core import Rules
from telegram_bot.channels.sms.questions import UNKNOWN_CODES_PER_DAY
from telegram_bot.channels.web.hosts import tell_hosts
from telegram_bot.intents.config import TextCaps
from telegram_bot.intents.request import Arguments, Scope
from telegram_bot.service.commands import commands
from telegram_bot.service.handlers.lobby_requests import OpenLobby, Start, texts_needed
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.storage.phone_models import Phone, TextSent, TextTally
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import Status
from telegram_bot.words.catalogue import LANGUAGES
from test_support.sms_world import ANA, BO, CY, DEE, GROUP, RecordingGateway, SmsWorld, a_game, a_lobby, code_in

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
UNKNOWN = "I know no table {}. Look at the code in your friend's message again, and text JOIN and the code."
STOPPED = "Perudo: you'll get no more texts. Text START to come back."
DAY = 86400


TALK = (
    "New phone, who dis?", "entro stasera", "link please", "LINK", "JOIN MARTIN", "JOIN ABC234", "please join ABC234",
)  # fmt: skip
"""Texts of an unknown number that enrol nobody; test_text_parser.py has more."""


async def test_talk_of_an_unknown_number_enrols_nobody_and_is_answered_once_a_day(world: SmsWorld) -> None:
    for number, words in enumerate(TALK, start=447400300000):
        how = {
            "LINK": "Which one? Text LINK and the code, like LINK ABC234.",
            "JOIN ABC234": UNKNOWN.format("ABC234"),
            "please join ABC234": UNKNOWN.format("ABC234"),
        }.get(words, HINT)
        assert await world.text(f"+{number}", words) == [how], words
        assert world.phone(f"+{number}").agreed_at is None, words
    assert await world.text(ANA, "who is this?") == [HINT]
    for word in ("HELP", "?", "aiuto"):
        assert (await world.text(ANA, word))[0].startswith("Perudo, a dice game among friends.")
    assert len([text for _ in range(9) for text in await world.text(ANA, "?")]) == 1, "a few times an hour"
    assert await world.text(ANA, "hello?") == []
    world.now += DAY
    assert await world.text(ANA, "5x4") == [HINT]
    assert world.rows(Player) == []


async def test_a_game_is_closed_only_by_the_code_of_the_question(world: SmsWorld) -> None:
    word = "fermer la table"
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


async def test_a_stranger_who_all_but_said_it_or_has_a_wrong_code_is_told_so_three_times_a_day(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    assert await world.text(BO, "JOIN") == ["Which one? Text JOIN and the code, like JOIN ABC234."]
    assert await world.text(BO, f"jion {code} Gran") == [f"Did you mean JOIN {code}? Send: JOIN {code}"]
    assert world.phone(BO).agreed_at is None
    texts = [text for name in "abcdefghij" for text in await world.text(BO, f"jion {code} {name}")]
    assert texts == [f"Did you mean JOIN {code}? Send: JOIN {code}"] * 3 + [HINT]
    assert (await world.text(BO, f"JOIN {code} Gran"))[0].startswith("You're in, at Ana's table!")
    for wrong in ("XYZ234", "XYZ235", "XYZ236"):
        assert await world.text(CY, f"JOIN {wrong}") == [UNKNOWN.format(wrong)]
    [hint] = await world.text(CY, "JOIN XYZ237")
    assert "Perudo, a dice game" in hint
    assert await world.text(CY, "JOIN XYZ238") == []
    world.now += DAY
    assert await world.text(CY, "JOIN XYZ239") == [UNKNOWN.format("XYZ239")]


async def test_strangers_hear_their_countrys_language_and_friends_that_of_the_table(world: SmsWorld) -> None:
    world.service.config = replace(world.service.config, languages=LANGUAGES)
    [hint] = await world.text(CY, "bonjour")
    assert "STOP" in hint
    assert hint != HINT
    [lobby] = await world.text(ANA, "nuovo Nonna")
    assert lobby.startswith("Tavolo "), "nuovo is Italian, whatever the number"
    code = code_in([lobby])
    assert (await world.text(BO, f"JOIN {code} Bo"))[0].startswith("Sei al tavolo di Nonna!")
    assert (await world.text(CY, f"meedoen {code} Cy"))[0].startswith("Je zit aan de tafel van Nonna!")
    await world.text(BO, "LANGUAGE english")
    assert (await world.text(BO, f"JOIN {code}"))[0] == "You're in already. To leave, send LEAVE."


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


async def test_where_the_carrier_answers_we_do_not_and_still_know_and_start_means_go(database: Database) -> None:
    world = SmsWorld(database, RecordingGateway(answers=True))
    await world.text(ANA, "NEW Ana")
    for word in ("HELP", "START", "STOP", "STOP"):  # too few for a game
        assert await world.text(ANA, word) == []
    assert world.phone(ANA).opted_out_at is not None
    await world.confirm(ANA, "UNSTOP")
    assert world.phone(ANA).opted_out_at is None
    assert await world.text(ANA, "Stop texting me. Sent from my phone") == [STOPPED], "it answers the bare word only"
    await world.confirm(ANA, "UNSTOP")
    await world.text(BO, f"JOIN {world.table().code} Bo")
    await world.text(ANA, "START")
    assert world.table().status is Status.PLAYING


async def test_a_gateway_may_know_first_that_somebody_said_stop(
    world: SmsWorld, caplog: pytest.LogCaptureFixture
) -> None:
    await a_game(world)
    await world.client.post("/sms/air/receipt", content=b"air-1 failed")
    assert [each for each in caplog.messages if "deliver" in each] == [
        "gateway air: a text was not delivered, code not given"
    ]
    sent = next(row for row in world.rows(TextSent) if row.message == "air-1")
    phone = next(row for row in world.rows(Phone) if row.id == sent.phone_id)
    assert phone.opted_out_at is not None


async def test_a_wrong_code_of_any_command_enrols_no_unknown_number(world: SmsWorld) -> None:
    with_code = [command.name for command in commands(Scope.TEXT) if command.arguments is Arguments.CODE]
    assert {"join", "link", "tournament"} <= set(with_code)
    await world.text(ANA, "NEW Ana")
    for number, name in enumerate(with_code, start=447400600000):
        texts = [text for code in range(5) for text in await world.text(f"+{number}", f"{name} XYZ{234 + code}")]
        assert len(texts) <= UNKNOWN_CODES_PER_DAY + 1, name
        assert world.phone(f"+{number}").agreed_at is None, name
    assert [player.name for player in world.rows(Player)] == ["Ana"]


# The host before the game: the texts that are left, and house rules


CLASSIC = HouseRules(key="classic", title="Classic", rules=Rules.preset("box_2009").with_options(calza=True))
FRIDAY = HouseRules(key="friday_night", title="Friday night", rules=Rules.preset("aces").with_options(starting_dice=4))


async def test_start_from_a_player_means_go(world: SmsWorld) -> None:
    await a_lobby(world)
    assert await world.text(BO, "start") == ["Ana is the host, chooses the rules and starts the game."]
    await world.text(ANA, "START")
    assert world.table().status is Status.PLAYING
    await world.text(BO, "STOP")
    assert "START" in (await world.text(BO, "Start"))[-1], "after a STOP it asks for texts again"


async def test_the_host_lets_a_guest_of_the_web_page_in_by_the_code_of_the_question(world: SmsWorld) -> None:
    await a_lobby(world)
    with world.database.transaction() as session:
        guest = Player(channel="web", address=2**41, name="Cy", guest=True)
        session.add(guest)
        session.flush()
        chat, player = session.get_one(GameTable, 1).chat_id, guest.id
        session.add(WebRoom(chat_id=chat, door_changed=True))
        session.add(WebEntry(chat_id=chat, player_id=player, answer=EntryAnswer.ASKED, at=world.now))
    world.delivery.wake(await world.service.run(tell_hosts))
    await world.settle()
    (question,) = world.got(ANA)
    code = re.fullmatch(r"Cy wants to join from the web page\. Let them in\? If so, text (\d{4})\.", question)
    assert code is not None, question
    assert await world.text(ANA, code[1]) == [], "that Cy sits down is told when it happens"
    (entry,) = world.rows(WebEntry)
    assert entry.answer == EntryAnswer.ADMITTED


@pytest.mark.parametrize(
    ("caps", "cost", "needed", "left"),
    [
        (TextCaps(per_phone=21), 0, 20, 19),
        (TextCaps(per_day=30), 0, 40, 27),
        (TextCaps(per_table=30), 0, 40, 28),
        (TextCaps(spend=300_000), 10_000, 40, 27),
    ],
    ids=["a phone", "a day", "a table", "money"],
)
async def test_texts_that_may_run_out_are_told_before_the_game_and_the_host_decides(
    database: Database, caps: TextCaps, cost: int, needed: int, left: int
) -> None:
    world = SmsWorld(database, RecordingGateway(cost=cost), caps=caps)
    await a_lobby(world)
    assert await world.text(ANA, "GO") == [
        f"Today's texts may run out: about {needed} needed, {left} left. Text GO to play anyway."
    ]
    assert world.table().status is Status.LOBBY
    await world.pass_time(700)
    assert "Text GO to play anyway." in (await world.text(ANA, "GO"))[-1], "a warning of long ago is told again"
    await world.text(ANA, "GO")
    assert world.table().status is Status.PLAYING


async def test_a_game_whose_first_dice_cannot_be_sent_does_not_begin(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_table=2))
    await a_lobby(world)
    for _ in range(2):
        assert await world.text(ANA, "GO") == [
            "Today's texts aren't enough for all phones at this table. Start the game tomorrow."
        ]
    assert world.table().status is Status.LOBBY
    world.now += 12 * 3600 + 1
    world.service.config = replace(world.service.config, text_caps=TextCaps(per_phone=60, per_day=500, per_table=200))
    await world.text(ANA, "GO")
    assert world.table().status is Status.PLAYING
    texts = [tally.texts for tally in world.rows(TextTally) if tally.scope == "table:1"]
    assert texts == [1, 1], "the lobby, and the next day Ana's dice"


async def test_a_host_in_telegram_is_told_of_the_phones_at_the_table(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_phone=10))
    await world.from_telegram(DEE, OpenLobby(), GROUP)
    await world.text(BO, f"JOIN {world.table().code} Bo")
    for _ in range(2):  # a finger that slips
        told = (await world.from_telegram(DEE, Start(), GROUP, answered_by="toast")).toast
        assert getattr(told, "texts", None) == (texts_needed(2), 9)
    world.now += 2
    await world.from_telegram(DEE, Start(), GROUP)
    assert world.table().status is Status.PLAYING


async def test_house_rules_are_chosen_by_their_name_in_any_language_and_leave_the_clock(database: Database) -> None:
    world = SmsWorld(database)
    world.service.config = replace(world.service.config, house_rules=(CLASSIC, FRIDAY))
    await world.text(ANA, "NEW Ana")
    for words in ("BOOK classic", "libro Classico", "livre classique", "rules Classic", "BOOK class"):
        await world.text(ANA, "BOOK aces")
        await world.text(ANA, words)
        assert world.table().rules == CLASSIC.rules, words
    assert world.table().clock.seconds == 6 * 3600
    for words in ("BOOK friday night", "book Friday_Night", "boek friday"):
        await world.text(ANA, "BOOK aces")
        await world.text(ANA, words)
        assert world.table().rules == FRIDAY.rules, words
    assert (await world.text(ANA, "CLOCK 7M"))[-1].startswith("Text CLOCK and the time for a turn")
    [answer] = await world.text(ANA, "BOOK nonsense")
    assert answer.startswith("Text BOOK and one of: Classic, Friday night, box 2009")
