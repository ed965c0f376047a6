"""The story of a game for players by text: analysed by a real process, and sent to its asker."""

from telegram_bot.tables.model import Status
from test_support.sms_world import ANA, BO, SmsWorld, code_in, on_turn


async def play_a_game(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.text(ANA, "GO")
    for _ in range(300):
        if world.table().status is not Status.PLAYING:
            break
        game = world.table().game
        assert game is not None
        bid = game.current_bid
        call = "1x2" if bid is None else "dudo" if bid.quantity > 2 else f"{bid.quantity + 1} {bid.face}"
        await world.text(await on_turn(world), call)
    assert world.table().status is Status.FINISHED


async def test_whoever_asks_gets_the_story_and_nobody_else_pays(world: SmsWorld) -> None:
    await play_a_game(world)
    for number in (ANA, BO):
        assert "Text AGAIN for another, STORY for how it went." in world.every_text(number)[-1]
        world.got(number)
    (story,) = await world.text(BO, "STORY")
    assert "Luck in dice: " in story
    assert "Ana" in story
    assert "Bo" in story
    assert len(story) <= 160
    assert world.got(ANA) == []
    assert await world.text(ANA, "how did it go?") == [story]


async def test_a_machine_that_asks_again_and_again_has_the_game_analysed_three_times(world: SmsWorld) -> None:
    await play_a_game(world)
    world.got(ANA)
    answers = [len(await world.text(ANA, "STORY")) for _ in range(5)]
    assert answers == [1, 1, 1, 0, 0]


async def test_a_story_comes_when_the_game_is_over(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.text(ANA, "GO")
    assert await world.text(ANA, "story") == ["R1 A game's story comes when the game is over."]
    before = world.table()
    assert (await world.text(ANA, "sorry"))[-1].count("story") == 0
    assert world.table().replace(help_given=()) == before


async def test_who_has_not_played_yet_is_told_how_to_begin(world: SmsWorld) -> None:
    await world.text(ANA, "NEW Ana")
    await world.text(ANA, "CLOSE")
    (answer,) = await world.text(ANA, "STORY")
    assert "JOIN and a table's code to take a seat, or NEW for a table of your own" in answer
