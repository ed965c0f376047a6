"""People who leave, forums, groups that move, and chats where the bot cannot write for a while."""

from test_support.game_driver import GameDriver
from test_support.virtual_world import VirtualWorld, in_virtual_time
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld


@in_virtual_time
async def test_a_game_follows_its_group_to_a_new_address(open_world: OpenWorld) -> None:
    async with open_world(Setting(), VirtualWorld) as world:
        people = world.some("Ana", "Bo", "Cy")
        basic = await world.found("Basic", people, "group")
        driver = await GameDriver(world, basic, people).seat()
        await driver.raise_it()
        await world.settled()
        moved = await world.act("POST", f"/chats/{basic.id}/migrate")
        await world.settled()
        driver.group = type(basic)(moved["id"], "Basic")
        driver.began = world.mark()
        for person in people:
            await person.say("/dice")
        await driver.turn()
        _, bid = await driver.raise_it()
        await people[0].sees(f": {bid}", driver.group)


@in_virtual_time
async def test_a_game_waits_while_its_topic_is_closed_and_the_one_next_door_goes_on(open_world: OpenWorld) -> None:
    async with open_world(Setting(), VirtualWorld) as world:
        world.expect_error("TOPIC_CLOSED")
        world.expect_log("cannot be written to")
        world.expect_sending("failed: unwritable", must=False)
        ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")
        forum = await world.found("Forum", [ana, bo, cy, dee], forum=True)
        path = f"/chats/{forum.id}/topics"
        dice, liars = [
            forum.thread((await world.act("POST", path, name=name))["thread_id"]) for name in ("Dice", "Liars")
        ]
        waiting = await GameDriver(world, dice, [ana, bo]).seat()
        other = await GameDriver(world, liars, [cy, dee]).seat()
        await waiting.raise_it()
        await waiting.turn()
        await world.settled()
        since = world.mark()
        await world.act("PATCH", f"{path}/{dice.topic}", closed=True)
        await waiting.doubt_it()
        await world.settled()
        await other.play(moves=5)
        await ana.say("2x3")
        await ana.sees("I can't write in your group right now, so the game waits", since=since)
        assert len(waiting.actions()) == 2
        await world.act("PATCH", f"{path}/{dice.topic}", closed=False)
        await ana.sees("I can write here again", dice, since=since)
        await world.settled()
        await waiting.raise_it()
        await world.settled()
        assert not [
            message
            for message in world.recorder.versions
            if message.topic == liars.topic and "write here again" in message.text
        ]


# People who leave: by the button, with their account, or the group


@in_virtual_time
async def test_who_leaves_the_game_the_group_or_telegram_is_out_and_the_others_play_on(open_world: OpenWorld) -> None:
    async with open_world(Setting(), VirtualWorld) as world:
        world.expect_error("Forbidden: user is deactivated", must=False)
        world.expect_sending("failed: forbidden: user is deactivated", must=False)
        ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")
        driver = await GameDriver(world, world.group, [ana, bo, cy, dee]).seat()
        await driver.raise_it()
        await bo.say("/leave", world.group)
        question = await bo.sees("Bo, leave the game in Friends", world.group)
        assert await bo.tap("Leave the game", on=question) == "You left the table."
        await ana.sees("🚪 Bo left the game", world.group)
        await world.settled()
        await world.act("DELETE", f"/people/{cy.id}")
        await ana.sees("🚪 Cy left the game", world.group)
        driver.people = [ana, dee]
        await world.settled()
        await driver.raise_it()
        await world.settled()
        await world.act("DELETE", f"/chats/{world.group.id}/members/{ana.id}")
        await dee.sees("🏆 Dee wins!", world.group)
        await world.settled()
        assert driver.placings() == ("Dee", "Ana", "Cy", "Bo")
        assert not [call for call in world.recorder.calls if "deactivated" in (call["error"] or "")][3:]
