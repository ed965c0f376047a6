"""A link that begins or ends in mid-turn, and players who sleep: a turn is told in time, and nothing else is texted."""

import random
import re
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import select

from perudo_core import Bid, smallest_raise
from telegram_bot.delivery.sender import NotSentError
from telegram_bot.intents import intents as i
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.phone_requests import UnlinkPhone
from telegram_bot.service.handlers.queries import SeeDice, SeeRules, SeeStatus
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.models import DiceStyle, LaneName, NoticeStatus, OutboxEntry, PrivateView, RoundEnd
from telegram_bot.words.sms.layout import TextReader, time_of_day
from test_support.sms_world import ANA, BO, CY, DEE, GROUP, SmsWorld, a_game, on_turn
from test_support.waiting_surfaces import waiting_surfaces


def notices(world: SmsWorld, chat: int) -> list[dict[str, Any]]:
    """The notices for a chat in Telegram, waiting or shown, oldest first; these tests do not send them."""
    with world.database.transaction() as session, session.no_autoflush:
        said = session.exec(select(OutboxEntry).where(OutboxEntry.status == NoticeStatus.PENDING)).all()
        rows = [*sorted(said, key=lambda row: row.id), *(row for row, _ in waiting_surfaces(world.service, session))]
        return [row.notice["notice"] for row in rows if row.lane == LaneName("telegram", chat) and row.notice]


async def dee_on_turn(world: SmsWorld) -> None:
    """Dee, in Telegram, plays with Bo, on the phone, and opens."""
    await world.from_telegram(DEE, OpenLobby(), GROUP)
    await world.from_telegram(DEE, StartPrivateChat())
    await world.text(BO, f"JOIN {world.table().code} Bo")
    await world.from_telegram(DEE, Start(), GROUP)
    if world.table().begun_game.turn != 0:
        await world.text(BO, "1x2")
    world.got(BO)


def hands(world: SmsWorld) -> list[dict[str, Any]]:
    """The dice that Dee is shown in Telegram."""
    return [notice for notice in notices(world, 77) if notice["kind"] == "hand"]


async def dee_on_turn_by_phone(world: SmsWorld) -> None:
    await dee_on_turn(world)
    await world.confirm(ANA, f"LINK {await world.link_code()}")


async def test_a_turn_follows_a_link_to_a_phone_back_and_to_another_phone(world: SmsWorld) -> None:
    await dee_on_turn(world)
    deadline, before = world.table().running.ends, world.table().game
    dice = hands(world)[-1]["view"]["dice"]
    world.now += 60
    linked, hand = await world.confirm(ANA, f"LINK {await world.link_code()}")
    assert linked == "R1 Linked: this phone plays for Dee."
    assert hand.startswith(f"R1 Your dice: {' '.join(map(str, sorted(dice)))}.")
    assert "text e.g." in hand
    assert hands(world) == [], "what waited for the old place would come twice"
    assert await world.confirm(ANA, "UNLINK") == ["This phone doesn't play for Dee any more."]
    [back] = hands(world)
    assert back["view"]["on_turn"]
    assert "Text JOIN" in (await world.text(ANA, "9x6"))[-1], "the phone plays for no one"
    await world.confirm(ANA, f"LINK {await world.link_code()}")
    linked, hand = await world.confirm(CY, f"LINK {await world.link_code()}")
    assert linked.endswith("Linked: this phone plays for Dee.")
    assert "Your dice:" in hand
    assert world.got(ANA) == ["This phone doesn't play for Dee any more."]
    assert world.table().running.ends == deadline
    await world.text(ANA, "9x6")
    assert world.table().game == before
    await world.text(CY, "9x6")
    assert world.table().begun_game.current_bid == Bid(0, 9, 6)


async def test_dice_that_wait_for_the_old_phone_never_reach_it(world: SmsWorld) -> None:
    await dee_on_turn_by_phone(world)
    await world.text(ANA, "9x6")
    world.air["air"].refuse = NotSentError("no network")
    await world.text(BO, "dudo")
    assert world.got(ANA) == []
    await world.from_telegram(DEE, UnlinkPhone())
    world.air["air"].refuse = None
    await world.pass_time(120)
    assert world.got(ANA) == ["This phone doesn't play for Dee any more."]
    [hand] = hands(world)
    assert hand["view"]["table"]["round"] == 2


@pytest.mark.parametrize("meanwhile", ["nothing", "another phone", "the group is lost"])
async def test_a_hand_that_waits_for_the_morning_is_sent_if_its_phone_plays(world: SmsWorld, meanwhile: str) -> None:
    await dee_on_turn_by_phone(world)
    await world.text(ANA, "QUIET 13-8")
    await world.text(ANA, "2x6")
    world.got(ANA)
    world.now += 2 * 3600  # it sleeps
    await world.text(BO, "dudo")
    with world.database.transaction() as session:  # the group, whose channel does not run here, is shown the dice
        for end in session.exec(select(RoundEnd)):
            end.seen_at = world.now
    assert world.got(ANA) == []
    assert any(
        row.lane == LaneName("sms", world.phone(ANA).id) and row.status == "pending" for row in world.rows(OutboxEntry)
    )
    if meanwhile == "the group is lost":
        await world.from_telegram(DEE, i.BotMembershipChanged(present=False, ephemeral_allowed=False), GROUP)
        assert world.table().suspension is not None
    if meanwhile == "another phone":
        await world.confirm(CY, f"LINK {await world.link_code()}")
    elif meanwhile != "nothing":
        await world.from_telegram(DEE, UnlinkPhone())
    await world.pass_time(20 * 3600)
    told = world.got(ANA)
    assert any("Your dice" in text for text in told) is (meanwhile == "nothing")
    assert meanwhile != "the group is lost" or not any("doubted" in text for text in told)


CHOICES = (
    Choose("chosen_language", "fr"),
    Choose("dice_style", DiceStyle.WORDS),
    Choose("pictures", value=False),
    Choose("view", PrivateView.SHARED),
    Choose("name", "Dora"),
)


async def updated(world: SmsWorld) -> SmsWorld:
    """The bot after a restart, with other settings."""
    again = SmsWorld(world.database, *world.air.values())
    again.now, again._texts, again._asked, again._read = world.now, world._texts, world._asked, world._read
    await again.settle()
    config = again.service.config
    again.service.config = replace(config, languages=("en", "fr"), celebrate=not config.celebrate, numbers=())
    await again.settle()
    return again


@pytest.mark.parametrize("bo_is_on_turn", [False, True])
async def test_only_the_game_sends_texts(world: SmsWorld, *, bo_is_on_turn: bool) -> None:
    await dee_on_turn(world)
    if bo_is_on_turn:
        await world.from_telegram(DEE, MakeBid(3, 3), GROUP)
        assert len(world.got(BO)) == 1, "it is his turn"
    for choice in CHOICES:
        await world.from_telegram(DEE, choice)
    for choice in CHOICES[:3]:
        await world.from_telegram(DEE, replace(choice, to_all=True), GROUP)
    for request in (SeeStatus(), SeeDice(), SeeRules()):
        await world.from_telegram(DEE, request, GROUP)
    world = await updated(world)
    assert world.got(BO) == []
    if bo_is_on_turn:
        await world.text(BO, "9x3")
    else:
        await world.from_telegram(DEE, MakeBid(9, 3), GROUP)
    assert world.table().begun_game.bids[-1].quantity == 9, "and the game goes on"


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


async def test_who_slept_through_several_rounds_is_told_how_each_ended(world: SmsWorld) -> None:
    await a_game(world)
    world.now += 11 * 3600  # eleven in London, midnight in Paris
    for words in ("15x6", "dudo"):
        await world.text(await on_turn(world), words)
    assert world.got(CY) == []
    for words in ("14x6", "dudo", "13x6", "dudo", "1x3", "2x3"):
        await world.text(await on_turn(world), words)
    await world.pass_time(9 * 3600)
    texts = world.got(CY)
    assert [text[:18] for text in texts] == ["R1 Ana said 15x6, ", "R2 Ana said 14x6, ", "R4 Ana said 13x6, "]
    assert all("Ana loses a die." in text for text in texts)
    assert not any("Thanks" in text or "Your dice" in text for text in texts[:2])
    assert "Your turn: text e.g. 3x3" in texts[2]


def time_that_counts(world: SmsWorld, number: str) -> str:
    ends = world.as_shown().running.ends
    assert ends is not None
    return time_of_day(ends, TextReader(ZoneInfo(world.phone(number).zone), world.now), "en")


def times_in(texts: list[str]) -> list[str]:
    return [time for text in texts for time in re.findall(r"[Uu]ntil ((?:\w{3} )?\d\d:\d\d)", text)]


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
