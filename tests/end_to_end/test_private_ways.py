"""How each player comes to see dice and keyboard alone, and what happens where a way is closed."""

from __future__ import annotations

import random

import pytest

from test_support.game_driver import BID_LABEL, GameDriver
from test_support.shown_game import assert_shown_as_recorded
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

NEVER_STARTED = "send(Message|Photo): Forbidden: bot can't initiate conversation with a user"


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


async def test_who_blocks_the_bot_in_mid_game_keeps_playing_at_the_table(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    bidder, _ = await driver.raise_it()
    await bidder.block()
    await driver.raise_it()
    offer = await driver.turn()
    assert offer.person is bidder
    assert offer.message.chat == world.group.id
    assert offer.message.button("Open the bot")
    await driver.raise_it()
    await driver.doubt_it()
    await driver.raise_it()
    await world.settled()
    since = world.mark()
    await bidder.start()
    await bidder.sees("Your dice:", since=since)
    await world.settled()
    assert not refused(world), "the bot had heard of it"


async def test_a_block_that_the_bot_did_not_hear_of_costs_one_refusal_and_no_turn(world: World) -> None:
    world.expect_error("sendPhoto: Forbidden: bot was blocked by the user")
    world.expect_sending("failed: forbidden: bot was blocked")
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    bidder, _ = await driver.raise_it()
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


async def test_a_bot_that_becomes_admin_shows_dice_in_the_group_to_whoever_has_not_opened_it(world: World) -> None:
    world.expect_error(NEVER_STARTED)
    world.expect_sending("failed: forbidden: bot can't initiate")
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat(private=False)
    assert (await driver.turn()).message.to is None
    await world.act("POST", f"/chats/{world.group.id}/bot", status="administrator")
    await world.settled()
    await driver.raise_it()
    offer = await driver.turn()
    assert (offer.message.chat, offer.message.to) == (world.group.id, offer.person.id)
    await world.act("POST", f"/chats/{world.group.id}/bot", status="member")
    await world.settled()
    await driver.raise_it()
    assert (await driver.turn()).message.to is None


async def test_whoever_has_opened_the_bot_gets_their_dice_in_private_although_the_bot_is_admin(
    open_world: OpenWorld,
) -> None:
    async with open_world(Setting(bot_is_admin=True)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        for _ in range(3):
            assert (await driver.turn()).message.chat > 0
            await driver.raise_it()


async def test_bid_here_opens_a_keyboard_that_only_the_tapper_sees_and_then_a_shared_one(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    person = (await driver.turn()).person
    other = next(one for one in driver.people if one is not person)
    assert await other.tap("Bid here", world.group) == f"It is {person.name}'s turn."
    assert await person.tap("Bid here", world.group) == "Only you can see your buttons. Not there? Tap again."

    def ephemeral_sent_at() -> bool:
        return any(message.to == person.id and message.button("×") for message in person.screen(world.group))

    await world.recorder.until(lambda: ephemeral_sent_at() or None, "the keyboard")
    keyboard = next(message for message in person.screen(world.group) if message.to == person.id)
    assert "Your dice:" in keyboard.text
    assert keyboard.key not in {message.key for message in other.screen(world.group)}
    label = next(button.text for button in keyboard.flat if BID_LABEL.fullmatch(button.text))
    assert await person.tap(label, on=keyboard) == f"You bid {label}."
    assert await other.tap("Bid here", world.group) == "Only you can see your buttons. Not there? Tap again."
    await world.settled()
    assert (
        await other.tap("Bid here", world.group)
        == "Your bid buttons are below the table message. Only your taps count."
    )
    shared = await person.sees_button("Dudo", world.group)
    assert shared.to is None


async def test_a_keyboard_that_came_too_late_for_its_tap_comes_another_way(world: World) -> None:
    """Telegram takes such an answer for 15 seconds only."""
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    person = (await driver.turn()).person
    await world.settled()
    description = "Bad Request: query is too old and response timeout expired or query ID is invalid"
    world.expect_error("sendMessage: Bad Request: query is too old")
    world.expect_sending("failed: .*query is too old")
    await world.act("POST", "/faults", method="sendMessage", kind="refuse", code=400, description=description)
    since = world.mark()
    assert await person.tap("Bid here", world.group) == "Only you can see your buttons. Not there? Tap again."
    hand = await person.sees("Your dice:", since=since)
    assert hand.button("×")
    assert (
        await person.tap("Bid here", world.group)
        == "Your bid buttons are below the table message. Only your taps count."
    )
    await driver.raise_it()


@pytest.mark.parametrize("asked_in", ["group", "private"])
async def test_dice_by_alert_need_no_private_chat(world: World, asked_in: str) -> None:
    ana, bo = world.some("Ana", "Bo")
    await bo.start()
    if asked_in == "private":
        await ana.start()
    place = world.group if asked_in == "group" else None
    await ana.say("/settings", place)
    await ana.sees("How would you like to see your dice", place)
    assert await ana.tap("When I tap My dice", place) == "Tap My dice in the group to see your dice."
    driver = await GameDriver(world, world.group, [ana, bo]).seat(private=False)
    while (await driver.turn()).person is not ana:
        await driver.raise_it()
    offer = await driver.turn()
    assert offer.message.chat == world.group.id
    assert not offer.message.button("Open the bot"), "she chose it"
    button = offer.message.button("My dice")
    assert button is not None
    assert button.data is not None
    answer = await ana.answer_to(await ana.press(offer.message, button.data))
    assert answer.alert
    assert answer.text.startswith("Your dice: ")
    assert "It is your turn." in answer.text
    await driver.raise_it()
    assert not any("Your dice:" in message.text for message in ana.history())


async def test_a_table_message_that_an_admin_deleted_comes_again(world: World) -> None:
    world.expect_error("editMessageText: Bad Request: message to edit not found")
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    await driver.turn()
    await world.settled()
    table = driver.table_message()
    assert table is not None
    await world.act("DELETE", "/messages", chat_id=world.group.id, message_id=table.number)
    _, bid = await driver.raise_it()
    again = await world["Dee"].sees(f"🔸 {bid}", world.group)
    assert again.number > table.number
