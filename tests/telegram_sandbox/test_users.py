"""People of a sandbox in a bot's tests; the test plays the bot itself, over HTTP."""

import asyncio

import pytest

from telegram_sandbox import ControlError
from tests.telegram_sandbox.conftest import Play, keyboard


async def test_what_the_bot_shows_later_is_waited_for_and_an_edit_counts(play: "Play") -> None:
    ana = play.sandbox.user("Ana")
    await ana.send("/start")
    sent = await play.send("one moment", ana.id)
    waiting = asyncio.create_task(ana.sees("done"))
    await asyncio.sleep(0)
    await play.ok("editMessageText", chat_id=ana.id, message_id=sent["message_id"], text="done")
    assert (await waiting).message_id == sent["message_id"]


async def test_what_was_shown_before_somebody_acted_is_no_answer_to_it(play: "Play") -> None:
    ana = play.sandbox.user("Ana")
    await ana.send("/start")
    await play.send("Hello", ana.id)
    await ana.send("again")
    with pytest.raises(
        AssertionError, match=r"there is no 'Hello' for Ana within 0.05 s; the last messages are \['/s.*"
    ):
        await ana.sees("Hello", within=0.05)


async def test_a_tap_waits_for_the_bots_answer(play: "Play") -> None:
    bo, group = play.sandbox.user("Bo"), play.sandbox.world.chats[play.group]
    await play.send("Who is in?", reply_markup=keyboard([("Join", "join")]))
    tapping = asyncio.create_task(bo.tap("Join", group))
    await asyncio.sleep(0)
    (query,) = [update["callback_query"] for update in await play.updates()]
    assert query["data"] == "join"
    await play.ok("answerCallbackQuery", callback_query_id=query["id"], text="You are in", show_alert=True)
    tap = await tapping
    assert (tap.text, tap.show_alert) == ("You are in", True)


async def test_a_tap_without_an_answer_and_a_button_that_is_not_there_are_told(play: "Play") -> None:
    bo, group = play.sandbox.user("Bo"), play.sandbox.world.chats[play.group]
    await play.send("Who is in?", reply_markup=keyboard([("Join", "join")]))
    with pytest.raises(AssertionError, match="'Join' is not answered for Bo"):
        await bo.tap("Join", group, within=0.05)
    with pytest.raises(ControlError, match="Bo sees no button 'Leave'"):
        await bo.tap("Leave", group)


async def test_nobody_sees_a_message_for_somebody_else(play: "Play") -> None:
    await play.act("POST", f"/chats/{play.group}/bot", status="administrator")
    bo, cy = play.sandbox.user("Bo"), play.sandbox.user("Cy")
    group = play.sandbox.world.chats[play.group]
    await play.send("for Bo alone", receiver_user_id=bo.id)
    assert (await bo.sees("alone", group)).seen_by == bo.id
    with pytest.raises(AssertionError, match="there is no 'alone'"):
        await cy.sees("alone", group, within=0.05)
    assert "for Bo alone" not in [message.text for message in cy.messages(group)]
