"""The host before the game: how many texts the table has left, and house rules chosen by text."""

import re
from dataclasses import replace

import pytest

from perudo_core import Rules
from telegram_bot.channels.web.hosts import tell_hosts
from telegram_bot.intents.config import TextCaps
from telegram_bot.service.handlers.lobby_requests import OpenLobby, Start, texts_needed
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.storage.web_models import EntryAnswer, WebEntry, WebRoom
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import Status
from test_support.sms_world import ANA, BO, GROUP, RecordingGateway, SmsWorld, a_lobby, on_turn

CLASSIC = HouseRules(key="classic", title="Classic", rules=Rules.preset("box_2009").with_options(calza=True))
FRIDAY = HouseRules(key="friday_night", title="Friday night", rules=Rules.preset("aces").with_options(starting_dice=4))


async def test_start_from_a_player_means_go(world: SmsWorld) -> None:
    await a_lobby(world)
    assert await world.text(BO, "start") == ["Ana is the host, chooses the rules and starts the game."]
    await world.text(ANA, "START")
    assert world.table().status is Status.PLAYING
    await world.text(BO, "STOP")
    assert "START" in (await world.text(BO, "Start"))[-1], "after a STOP it asks for texts again"


async def test_start_means_go_although_the_carrier_answers_it(database: Database) -> None:
    world = SmsWorld(database, RecordingGateway(answers=True))
    await world.text(ANA, "NEW Ana")
    assert await world.text(ANA, "START") == [], "too few, and the carrier has answered"
    await world.text(BO, f"JOIN {world.table().code} Bo")
    await world.text(ANA, "START")
    assert world.table().status is Status.PLAYING


async def test_the_first_bid_of_a_game_is_answered_and_the_others_cost_no_text(world: SmsWorld) -> None:
    await a_lobby(world)
    await world.text(ANA, "GO")
    texts: dict[str, list[list[str]]] = {ANA: [], BO: []}
    for bid in ("1x2", "1x3", "1x4", "1x5"):
        number = await on_turn(world)
        world.got(number)
        texts[number].append(await world.text(number, bid))
    for first, second in texts.values():
        assert [text.partition(" counts. ")[2] for text in first] == [
            "You'll get a text when it's your turn. STATUS shows the table."
        ]
        assert second == []


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


# Texts that are left


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


async def test_enough_texts_are_not_spoken_of(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_phone=60, per_day=500, per_table=200))
    await a_lobby(world)
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
    world.service.config = replace(world.service.config, text_caps=replace(world.service.config.text_caps, per_table=9))
    await world.text(ANA, "GO")
    await world.text(ANA, "GO")
    assert world.table().status is Status.PLAYING


async def test_a_host_in_telegram_is_told_of_the_phones_at_the_table(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_phone=10))
    await world.tap(OpenLobby(), GROUP)
    await world.text(BO, f"JOIN {world.table().code} Bo")
    for _ in range(2):  # a finger that slips
        told = (await world.tap(Start(), GROUP, answered_by="toast")).toast
        assert getattr(told, "texts", None) == (texts_needed(2), 9)
    world.now += 2
    await world.tap(Start(), GROUP)
    assert world.table().status is Status.PLAYING


# House rules


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
