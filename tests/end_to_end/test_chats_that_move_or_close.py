"""Forums, groups that move, and chats where the bot cannot write for a while."""

from test_support.game_driver import GameDriver
from test_support.world import World


async def test_a_game_follows_its_group_to_a_new_address(world: World) -> None:
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
    await people[0].sees(f"🔸 {bid}", driver.group)


async def test_a_game_waits_while_its_topic_is_closed_and_the_one_next_door_goes_on(world: World) -> None:
    world.expect_error("TOPIC_CLOSED")
    world.expect_log("cannot be written to")
    world.expect_sending("failed: unwritable", must=False)
    ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")
    forum = await world.found("Forum", [ana, bo, cy, dee], forum=True)
    path = f"/chats/{forum.id}/topics"
    dice, liars = [forum.thread((await world.act("POST", path, name=name))["thread_id"]) for name in ("Dice", "Liars")]
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
    await ana.sees("I cannot write in your group right now, so the game waits", since=since)
    assert len(waiting.actions()) == 2
    await world.act("PATCH", f"{path}/{dice.topic}", closed=False)
    await ana.sees("I can write here again", dice, since=since)
    await waiting.raise_it()
    await world.settled()
    assert not [
        message
        for message in world.recorder.versions
        if message.topic == liars.topic and "write here again" in message.text
    ]
