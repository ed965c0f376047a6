"""Dice as pictures, from the first hand to the end of the game."""

from __future__ import annotations

from test_support.game_driver import GameDriver
from test_support.person import Person
from test_support.screen_recorder import Group, Message
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

SAME_HANDS = [[0, 2], *(2, 2, 3, 4, 5) * 20]
"""Ana opens, and everybody has the same dice in each round."""
CALM = {"clock": {"seconds": 0}}


async def two(world: World) -> GameDriver:
    return await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()


def hands(person: Person) -> list[Message]:
    return [message for message in person.screen() if "Your dice:" in message.text]


def uploaded(world: World) -> int:
    return len(world.sandbox.world.files)


def reveals(person: Person, group: Group) -> list[Message]:
    return [message for message in person.screen(group) if "Counted" in message.text and "👉" not in message.text]


async def test_a_whole_game_in_pictures(open_world: OpenWorld) -> None:
    """The audit compares each picture with the words below it."""
    async with open_world(Setting(plan=CALM)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"), doubt=0.5).seat()
        await driver.play()
        await world.settled()
        for person in driver.people:
            assert hands(person)
            assert all(message.photo for message in hands(person))
        shown = reveals(world["Dee"], world.group)
        assert shown
        assert all(message.photo for message in shown)
        rounds = [message for message in world["Dee"].screen(world.group) if "👉" in message.text]
        assert not any(message.photo for message in rounds), "the next round is a message of its own"
        pictures = world.rows("SELECT picture FROM sent_message WHERE slot LIKE 'hand:%'")
        assert not any(picture for (picture,) in pictures), "the end of the game is words"


async def test_old_keyboards_below_pictures_go_away(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan=CALM)) as world:
        driver = await two(world)
        await driver.raise_it()
        doubter = await driver.doubt_it()
        await driver.turn()
        await world.settled()
        *earlier, _ = hands(doubter)
        assert earlier
        assert not any(message.buttons for message in earlier)


async def test_the_same_dice_are_uploaded_once_even_if_the_bot_is_killed(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan=CALM | {"dice": SAME_HANDS})) as world:
        driver = await two(world)
        await world.settled()
        before = uploaded(world)
        assert before <= 2, "both hands may have been uploaded at the same time"
        await driver.raise_it()
        await world.settled()
        assert uploaded(world) == before
        await world.kill()
        await world.restart()
        await driver.raise_it()
        await world.settled()
        assert uploaded(world) == before
        assert all(message.photo for person in driver.people for message in hands(person))


async def test_a_group_that_takes_no_photos_reads_the_end_of_the_round(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan=CALM, privacy_mode=False)) as world:  # the reveal is an edit
        driver = await two(world)
        words = "Bad Request: not enough rights to send photos to the chat"
        world.expect_error(words)
        await world.fault("refuse", "editMessageMedia", code=400, description=words, chat_id=world.group.id, times=None)
        for _ in range(2):
            await driver.raise_it()
            await driver.doubt_it()
        await driver.turn()
        await world.settled()
        shown = reveals(driver.host, world.group)
        assert [message.photo for message in shown] == [None, None]
        refused = [call for call in world.recorder.calls if call["method"] == "editMessageMedia" and call["error_code"]]
        assert len(refused) == 1, "asked once"


async def test_a_server_that_is_slow_with_photos_delays_nobody_for_long(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan=CALM, privacy_mode=False)) as world:  # the reveal is an edit
        driver = await two(world)
        world.expect_log("a picture was not uploaded in time")
        await world.fault("stall_before", "editMessageMedia", seconds=30, chat_id=world.group.id)
        await driver.raise_it()
        await driver.doubt_it()
        shown = await driver.host.sees("Counted", world.group, within=8)
        assert shown.photo is None
        await driver.raise_it()
        await world.settled()
        assert [message.photo for message in reveals(driver.host, world.group)] == [None]


async def test_people_and_groups_choose_text(open_world: OpenWorld) -> None:
    async with open_world(Setting(plan=CALM)) as world:
        driver = await two(world)
        ana, bo = driver.people
        await ana.say("/settings")
        await ana.sees("Settings")
        assert await ana.tap("🔤 Dice as text") == "Dice come as text from now on."
        await world.settled()
        assert hands(ana)[-1].photo is None, "sent again"
        await bo.say("/settings", world.group)
        await bo.sees("Settings", world.group)
        assert await bo.tap("🔤 Dice as text", world.group) == "Dice come as text from now on."
        await driver.raise_it()
        await driver.doubt_it()
        await driver.turn()
        await world.settled()
        assert [message.photo for message in reveals(bo, world.group)] == [None]
        assert hands(ana)[-1].photo is None
        assert hands(bo)[-1].photo is not None
        await bo.say("/settings", world.group)
        shown = await bo.sees_button("✅ 🔤 Dice as text", world.group)
        assert shown.button("🖼 Dice as pictures")


async def test_an_installation_without_pictures_offers_none(open_world: OpenWorld) -> None:
    off = {"PERUDO_PICTURES__HANDS": "false", "PERUDO_PICTURES__REVEALS": "false"}
    async with open_world(Setting(plan=CALM, variables=off)) as world:
        driver = await two(world)
        await driver.raise_it()
        await driver.doubt_it()
        await driver.turn()
        await driver.host.say("/settings")
        settings = await driver.host.sees("Settings")
        assert settings.button("Dice as") is None
        await world.settled()
        assert uploaded(world) == 0
