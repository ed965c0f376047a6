"""The story of a game for players by text: analysed by a real process, and sent to the player who asked."""

from telegram_bot.tables.model import Status
from test_support.sms_world import ANA, BO, SmsWorld, code_in, on_turn


async def play_a_game(phones: SmsWorld) -> None:
    code = code_in(await phones.text(ANA, "NEW Ana"))
    await phones.text(BO, f"JOIN {code} Bo")
    await phones.text(ANA, "GO")
    for _ in range(300):
        if phones.table().status is not Status.PLAYING:
            break
        game = phones.table().begun_game
        bid = game.current_bid
        call = "1x2" if bid is None else "dudo" if bid.quantity > 2 else f"{bid.quantity + 1} {bid.face}"
        await phones.text(await on_turn(phones), call)
    assert phones.table().status is Status.FINISHED


async def test_whoever_asks_gets_the_story_and_nobody_else_pays(phones: SmsWorld) -> None:
    await play_a_game(phones)
    for number in (ANA, BO):
        assert "Text AGAIN for another, STORY for how it went." in phones.every_text(number)[-1]
        phones.got(number)
    (story,) = await phones.text(BO, "STORY")
    assert "Luck in dice: " in story
    assert "Ana" in story
    assert "Bo" in story
    assert len(story) <= 160
    assert phones.got(ANA) == []
    assert await phones.text(ANA, "how did it go?") == [story]


async def test_a_machine_that_asks_again_and_again_has_the_game_analysed_three_times(phones: SmsWorld) -> None:
    await play_a_game(phones)
    phones.got(ANA)
    answers = [len(await phones.text(ANA, "STORY")) for _ in range(5)]
    assert answers == [1, 1, 1, 0, 0]
