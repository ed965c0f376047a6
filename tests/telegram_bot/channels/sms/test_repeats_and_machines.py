"""STOP in any words, deliveries of last week, guessed codes, and machines that answer machines."""

from typing import Any

import pytest
from sqlmodel import delete

from telegram_bot.storage.database import Database
from telegram_bot.storage.models import InboxEntry
from telegram_bot.storage.phone_models import Phone
from test_support.in_process_world import NOON
from test_support.sms_world import ANA, BO, CY, RecordingGateway, SmsWorld, a_game, on_turn
from tests.telegram_bot.channels.sms.test_text_parser import REACTIONS, of_languages

DAY = 86400
STOPPED = "Perudo: you'll get no more texts. Text START to come back."


def prune(world: SmsWorld) -> None:
    """Delete the record of delivered texts, as the bot does after a week."""
    with world.database.transaction() as session:
        session.exec(delete(InboxEntry))


async def test_who_may_have_said_stop_is_asked_and_shown_no_dice(world: SmsWorld) -> None:
    words = "stop bluffing"
    await a_game(world)
    before = world.table().game
    answers = [answer for _ in range(9) for answer in await world.text(ANA, words)]
    assert answers == ["R1 Did you mean STOP? Send: STOP"] * 3, "again and again, but three times only"
    assert world.phone(ANA).opted_out_at is None
    assert world.table().game == before
    assert await world.text("+447400123499", words) == [], "a stranger who may have said it is not texted"


@pytest.mark.parametrize("timed", [True, False])
async def test_a_stop_or_start_of_last_week_that_comes_again_does_nothing(database: Database, *, timed: bool) -> None:
    """By the gateway's time of sending, even under another id; without that time, by the id."""

    def sent() -> dict[str, Any]:
        return {"gateway": "vouched", "sent": world.now if timed else None}

    def known() -> dict[str, Any]:
        return dict(world.phone(ANA).model_dump(exclude={"heard_at", "heard_since", "heard_count"}))

    world = SmsWorld(database, RecordingGateway(), RecordingGateway("vouched", proof=True))
    await world.text(ANA, "NEW Ana")
    stop, start = sent(), sent() | {"sent": world.now + 60 if timed else None}
    assert await world.text(ANA, "STOP", message="stop", **stop) == [STOPPED]
    world.now += 60
    await world.text(ANA, "START", message="start", **start)
    world.now += 7 * DAY
    prune(world)
    before = known()
    for message in ("stop", "resent") if timed else ("stop",):
        assert await world.text(ANA, "STOP", message=message, **stop) == []
    assert known() == before
    assert await world.text(ANA, "STOP", **sent()) == [STOPPED]
    world.now += 7 * DAY
    prune(world)
    assert await world.text(ANA, "START", message="start", **start) == []
    assert world.phone(ANA).opted_out_at is not None


async def test_a_stop_that_was_days_on_its_way_is_obeyed_when_it_first_comes(world: SmsWorld) -> None:
    await world.text(ANA, "NEW Ana")
    world.now += 5 * DAY
    assert await world.text(ANA, "STOP", sent=NOON + 60) == [STOPPED]


async def test_wrong_codes_of_links_are_few_a_day_whatever_texts_cost(world: SmsWorld) -> None:
    right = await world.link_code()
    guesses = [f"LINK 2{n:02}A{n:02}" for n in range(22, 30)]
    answers = [answer for guess in guesses for answer in await world.text(ANA, guess)]
    assert len(answers) == 1, "an unknown number is told once how to begin"
    assert await world.text(ANA, f"LINK {right}") == [], "nor is the right one looked at"
    world.now += DAY
    assert await world.confirm(ANA, f"LINK {await world.link_code()}") == ["Linked: this phone plays for Dee."]


async def test_machines_are_no_players_and_are_not_answered(world: SmsWorld) -> None:
    await a_game(world)
    before, phones = world.table(), len(world.rows(Phone))
    for text in (*of_languages("machines")[::12], *(reaction.format("2x3") for reaction in REACTIONS[::9])):
        for number in (ANA, "+33612345699"):
            assert await world.text(number, text) == []
    assert world.table() == before
    assert len(world.rows(Phone)) == phones


STRANGER = "+447400123477"


@pytest.mark.parametrize("words", [("HELP",), ("HELP", "INFO", "help!"), ("STOP", "START")])
async def test_a_stranger_gets_each_sentence_once_an_hour(database: Database, words: tuple[str, ...]) -> None:
    world = SmsWorld(database, RecordingGateway(proof=True))
    answers = [answer for n in range(10) for answer in await world.text(STRANGER, words[n % len(words)])]
    assert 0 < len(answers) == len(set(answers)) <= 2
    world.now += 3600
    assert await world.text(STRANGER, words[0]) != []


async def test_texts_of_last_week_that_come_all_at_once_get_one_answer(world: SmsWorld) -> None:
    await a_game(world)
    old = world.now - 3 * DAY
    answers = [answer for n in range(8) for answer in await world.text(ANA, f"{n + 1}x3", sent=old + n)]
    assert [answer.partition("Your text took")[0] for answer in answers] == ["R1 "]


@pytest.mark.parametrize("words", ["DICE", "what?", "Hello, message {} of a machine that counts its texts"])
async def test_two_machines_do_not_talk_for_ever(world: SmsWorld, words: str) -> None:
    await a_game(world)
    answers = [await world.text(BO, words.format(100 + n)) for n in range(12)]
    assert sum(map(len, answers)) == 3
    assert await world.text(BO, "STATUS") != []
    assert await world.text(BO, words.format(1)) != [], "another text came between"


async def test_what_is_said_again_and_again_still_counts_as_a_move(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "1x3")
    await world.text(BO, "2x3")
    for _ in range(4):
        await world.text(ANA, "dudo")
    await world.text(CY, "3x3")
    assert world.table().begun_game.round == 1
    await world.text(ANA, "dudo")
    assert world.table().begun_game.round == 2


async def test_a_doubled_call_without_a_time_is_asked_about_in_the_next_round(world: SmsWorld) -> None:
    await a_game(world)
    await world.text(ANA, "13x6", sent=None)
    await world.text(BO, "dudo", sent=None)
    assert await on_turn(world) == ANA
    assert (await world.text(ANA, "13x6", sent=None))[-1].endswith("send: R2 13x6")
    await world.pass_time(700)
    before = world.table()
    await world.text(ANA, "13x6", sent=None)
    assert world.table().step == before.step + 1, "so late no network delivers it again"
    await world.text(BO, "dudo", sent=None)
    await world.text(ANA, "2x3", sent=None)
    before = world.table()
    asked = "R3 You said that before this round. If you mean it now, send: R3 DUDO"
    assert (await world.text(BO, "dudo", sent=None))[-1] == asked
    assert world.table().game == before.game
    await world.text(BO, "R3 dudo", sent=None)
    assert world.table().step == before.step + 1
