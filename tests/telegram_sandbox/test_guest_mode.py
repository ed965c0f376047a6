"""Guest mode: people ask the bot by its name in a chat where it is not."""

import pytest

from telegram_sandbox import SandboxSettings
from tests.telegram_sandbox.conftest import Play
from tests.telegram_sandbox.test_inline_mode import TOO_OLD, article


@pytest.fixture
def settings() -> SandboxSettings:
    return SandboxSettings(port=0, flood_limits=False, guest_mode=True)


async def test_a_person_asks_the_bot_where_it_is_not_and_reads_its_answer(play: Play) -> None:
    ana, club = play.user("Ana"), play.sandbox.add_group("Club", [play.user("Ana")])
    play.sandbox.set_bot_status(club, "left")
    await play.updates()
    await ana.send("no question", club)
    await ana.send("@sandbox_bot who is first?", club)
    (update,) = await play.updates()
    asked = update["guest_message"]
    assert (asked["text"], asked["chat"]["id"]) == ("@sandbox_bot who is first?", club.id)
    answer = {"guest_query_id": asked["guest_query_id"], "result": article("1", "Bo", "Bo is first")}
    posted = await play.ok("answerGuestQuery", **answer)
    seen = await ana.sees("Bo is first", club)
    bot = play.sandbox.world.settings.bot_id
    assert (seen.sender_id, seen.reply_to, seen.guest_of) == (bot, asked["message_id"], ana.id)
    assert await play.ok("editMessageText", **posted, text="Ana is first") is True
    await ana.sees("Ana is first", club)
    await play.refuses("answerGuestQuery", TOO_OLD, **answer)
    assert (await play.ok("getMe"))["supports_guest_queries"] is True
