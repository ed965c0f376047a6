"""How each player comes to see dice and keyboard alone, and what happens where a way is closed."""

from __future__ import annotations

import random

from test_support.game_driver import BID_LABEL, GameDriver
from test_support.shown_game import assert_shown_as_recorded
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

NEVER_STARTED = "send(Message|Photo): Forbidden: bot can't initiate conversation with a user"
REFUSAL = "Bad Request: not enough rights to send ephemeral messages"
"""Other refusals are read in tests/telegram_bot/channels/telegram/test_sender_errors.py."""


def refused(world: World) -> list[str]:
    return [call["params"]["chat_id"] for call in world.recorder.calls if call["error_code"] == 403]


async def test_where_nobody_pressed_start_the_tables_keyboard_serves_and_links_to_the_bot(world: World) -> None:
    world.expect_error(NEVER_STARTED)
    world.expect_sending("failed: forbidden: bot can't initiate")
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat(private=False)
    offer = await driver.turn()
    assert (offer.message.chat, offer.message.to) == (world.group.id, None)
    link = offer.message.button("Open the bot")
    assert link is not None
    assert link.url == "https://t.me/perudo_sandbox_bot?start=play"
    await driver.play()
    await world.settled()
    assert_shown_as_recorded(driver)
    assert sorted(refused(world)) == sorted(str(person.id) for person in driver.people), "each is tried once"


async def test_who_presses_start_in_mid_game_is_served_in_private_from_then_on(world: World) -> None:
    world.expect_error(NEVER_STARTED)
    world.expect_sending("failed: forbidden: bot can't initiate")
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat(private=False)
    first = await driver.turn()
    assert first.message.chat == world.group.id
    since = world.mark()
    await first.person.start("play")
    hand = await first.person.sees("Your dice:", since=since)
    assert any(BID_LABEL.fullmatch(button.text) for button in hand.flat)
    await world.settled()
    table = driver.table_message()
    assert table is not None
    assert not any(BID_LABEL.fullmatch(button.text) for button in table.flat), "the shared keyboard is gone"
    assert table.button("Open the bot"), "the other one still has no private chat"
    assert (await driver.turn()).message.chat == first.person.id
    await driver.raise_it()
    assert (await driver.turn()).message.chat == world.group.id


async def test_a_block_that_the_bot_did_not_hear_of_costs_one_refusal_and_no_turn(world: World) -> None:
    world.expect_error("sendPhoto: Forbidden: bot was blocked by the user")
    world.expect_sending("failed: forbidden: bot was blocked")
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    bidder, _ = await driver.raise_it()
    await world.settled()
    world.sandbox.world.people[bidder.id].blocked_bot = True
    await driver.raise_it()
    offer = await driver.turn()
    assert (offer.person, offer.message.chat) == (bidder, world.group.id)
    for _ in range(4):
        await driver.raise_it()
    await world.settled()
    assert len(refused(world)) == 1


async def test_an_admin_bot_shows_hand_and_keyboard_in_the_group_to_their_owner_alone(open_world: OpenWorld) -> None:
    async with open_world(Setting(bot_is_admin=True)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"), random.Random(4)).seat(
            private=False
        )
        offer = await driver.turn()
        assert (offer.message.chat, offer.message.to) == (world.group.id, offer.person.id)
        assert offer.message.whisper
        await world.settled()
        for person in world.people.values():
            hands = [message for message in person.history() if "Your dice:" in message.text]
            assert all(message.to == person.id for message in hands)
            assert bool(hands) == (person in driver.people)
        await driver.play()
        await world.settled()
        assert_shown_as_recorded(driver)
        assert not any(call["error"] for call in world.recorder.calls)
        assert not any(message.chat > 0 for message in world.recorder.versions), "no private chat was needed"


async def test_a_refused_ephemeral_message_loses_no_group_and_the_game_goes_on(open_world: OpenWorld) -> None:
    async with open_world(Setting(bot_is_admin=True)) as world:
        world.expect_error("sendMessage: " + REFUSAL)
        world.expect_error("sendPhoto: Forbidden: bot can't initiate", must=False)
        world.expect_sending("failed: " + REFUSAL.removeprefix("Bad Request: ").lower())
        world.expect_sending("failed: forbidden: bot can't initiate", must=False)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat(private=False)
        offer = await driver.turn()
        assert offer.message.to == offer.person.id
        await world.settled()
        await world.act(
            "POST",
            "/faults",
            method="sendMessage",
            chat_id=world.group.id,
            kind="refuse",
            code=400,
            description=REFUSAL,
        )
        await driver.raise_it()
        offer = await driver.turn()
        assert (offer.message.chat, offer.message.to) == (world.group.id, None), "the table's own keyboard"
        for _ in range(3):
            await driver.raise_it()
        await world.settled()
        shown = [message.text for message in world.recorder.versions]
        assert not any("I can write here again" in text for text in shown)
