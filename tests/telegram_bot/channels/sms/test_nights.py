"""Players who sleep get no texts, and lose no turn by that."""

import random
import re
from zoneinfo import ZoneInfo

from perudo_core import smallest_raise
from telegram_bot.delivery.sender import NotSentError
from telegram_bot.words.sms.layout import TextReader, time_of_day
from test_support.sms_world import ANA, BO, CY, SmsWorld, a_game, on_turn


async def test_a_new_phone_is_not_texted_at_night_unless_it_is_up(world: SmsWorld) -> None:
    await a_game(world)
    world.now += 12.5 * 3600  # half past midnight in London; the clock waits for those who sleep
    await world.text(ANA, "3x4")
    assert world.got(BO) == []
    await world.pass_time(8 * 3600)
    assert [text[:25] for text in world.got(BO)] == ["R1 Your dice: 1 1 2 3 4. "]
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


# The time in a text is the time that counts


def time_that_counts(world: SmsWorld, number: str) -> str:
    ends = world.as_shown().running.ends
    assert ends is not None
    return time_of_day(ends, TextReader(ZoneInfo(world.phone(number).zone), world.now), "en")


def times_in(texts: list[str]) -> list[str]:
    return [time for text in texts for time in re.findall(r"[Uu]ntil ((?:\w{3} )?\d\d:\d\d)", text)]


async def test_a_turn_that_was_told_after_the_night_ends_when_the_text_says(world: SmsWorld) -> None:
    await a_game(world)
    world.now += 11 * 3600  # eleven in London, midnight in Paris
    for words in ("1x3", "2x3"):
        await world.text(await on_turn(world), words)
    await world.pass_time(8.5 * 3600)
    assert times_in(world.got(CY)) == [time_that_counts(world, CY)] == ["14:30"]


async def test_whenever_a_text_is_sent_its_reader_has_until_the_time_in_it(world: SmsWorld) -> None:
    """Slow answers, nights in two countries, and a gateway that is down for hours."""
    chance = random.Random(24)
    await a_game(world)
    await world.text(ANA, "1x3")
    read = 0
    for _ in range(20):
        number = await on_turn(world)
        for attempt in range(20):
            down = attempt < 4 and chance.random() < 0.4
            world.air["air"].refuse = NotSentError("down") if down else None
            await world.pass_time(chance.choice((1, 60, 2000, 9000)))
            if texts := world.got(number):
                told = times_in(texts[-1:])  # a long end of a round leaves no room for it
                assert told in ([], [time_that_counts(world, number)])
                read += len(told)
                break
        world.air["air"].refuse = None
        game, ends = world.table().begun_game, world.as_shown().running.ends
        assert ends is not None
        await world.pass_time(chance.random() * 0.9 * (ends - world.now))
        for time in times_in(world.got(number)):
            assert time == time_that_counts(world, number)
        raised = smallest_raise(game)
        doubts = bool(game.bids) and chance.random() < 0.3
        words = "dudo" if doubts or raised is None else f"{raised.quantity}x{raised.face}"
        await world.text(number, words)
        if world.table().status != "playing":
            break
    assert read > 7
