"""Games of the bot, how people start them, and their scores."""

from typing import Any

from telegram import Update
from telegram.ext import CallbackQueryHandler, CommandHandler

from tests.telegram_sandbox.browsing import keys
from tests.telegram_sandbox.conftest import Play
from tests.telegram_sandbox.real_bots import bot_with

ADDRESS = "https://example.org/race"


async def test_a_person_starts_a_game_and_the_chat_sees_their_record() -> None:
    async def offer(update: Update, _: Any) -> None:
        assert update.effective_message
        await update.effective_message.reply_game("race")

    async def start(update: Update, context: Any) -> None:
        query = update.callback_query
        assert query
        assert query.message
        assert update.effective_user
        assert (query.game_short_name, query.data) == ("race", None)
        await query.answer(url=ADDRESS)
        where = {"chat_id": query.message.chat.id, "message_id": query.message.message_id}
        await context.bot.set_game_score(update.effective_user.id, 25, **where)
        (best,) = await context.bot.get_game_high_scores(update.effective_user.id, **where)
        await context.bot.send_message(where["chat_id"], f"The best: {best.user.first_name} with {best.score}")

    async with bot_with(CommandHandler("play", offer), CallbackQueryHandler(start)) as sandbox:
        sandbox.add_game("race", "Dice race", "Roll first")
        ana, group = sandbox.user("Ana"), sandbox.world.chats[sandbox.group_id]
        await ana.send("/play", group)
        assert (await ana.tap("Play Dice race", group)).url == ADDRESS
        await ana.sees("The best: Ana with 25", group)
        offered, told, _ = ana.messages(group)[-3:]
        assert told.service_text == "Ana scored 25 in Dice race"
        assert offered.attachment
        assert offered.attachment["game"]["text"] == "1. Ana: 25"


async def race(play: Play, **more: Any) -> dict[str, Any]:
    """The place of a game's message."""
    play.sandbox.add_game("race", "Dice race")
    sent = await play.ok("sendGame", chat_id=play.group, game_short_name="race")
    return {"chat_id": play.group, "message_id": sent["message_id"], **more}


async def test_a_score_only_grows_unless_the_bot_forces_it(play: Play) -> None:
    here = await race(play, user_id=play.id("Ana"))
    assert "text" not in (await play.ok("setGameScore", score=9, disable_edit_message=True, **here))["game"]
    await play.refuses(
        "setGameScore",
        ({"score": 9}, "BOT_SCORE_NOT_MODIFIED"),
        ({"score": 8}, "BOT_SCORE_NOT_MODIFIED"),
        ({"score": 9, "force": True}, "BOT_SCORE_NOT_MODIFIED"),
        ({"score": -1}, "SCORE_INVALID"),
        ({"user_id": 1}, "user not found"),
        ({"message_id": 99}, "message to set game score not found"),
        ({"message_id": None, "chat_id": None}, "message identifier is not specified"),
        ({"message_id": None, "chat_id": None, "inline_message_id": "x"}, "MESSAGE_ID_INVALID"),
        ({"message_id": (await play.send())["message_id"]}, "game score can't be set"),
        **here,
    )
    assert (await play.ok("setGameScore", score=8, force=True, **here))["game"]["text"] == "1. Ana: 8"


async def test_the_table_has_the_three_best_and_the_persons_neighbours(play: Play) -> None:
    here = await race(play)
    people = [play.sandbox.add_person(f"P{number}") for number in range(1, 11)]
    for place, person in enumerate(people, 1):
        await play.ok("setGameScore", user_id=person.id, score=100 - place, **here)
    found = await play.ok("getGameHighScores", user_id=people[6].id, **here)
    assert [one["position"] for one in found] == [1, 2, 3, 5, 6, 7, 8, 9]
    assert found[5]["user"]["first_name"] == "P7"
    other = {"message_id": (await play.send())["message_id"]}, "MESSAGE_ID_INVALID"
    none = {"message_id": 99}, "message to get game high scores not found"
    await play.refuses("getGameHighScores", other, none, user_id=people[0].id, chat_id=play.group)


async def test_the_first_button_of_a_game_starts_it(play: Play) -> None:
    play.sandbox.add_game("race", "Dice race")
    start, link = {"text": "Go", "callback_game": {}}, {"text": "Site", "url": "https://example.org"}

    sent = await play.ok("sendGame", chat_id=play.group, game_short_name="race", reply_markup=keys([start, link]))
    here = {"chat_id": play.group, "message_id": sent["message_id"]}
    assert (await play.ok("editMessageReplyMarkup", **here, reply_markup=keys([start])))["game"]["title"] == "Dice race"
