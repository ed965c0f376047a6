"""Acts are declared once, and are the same in Python and over HTTP."""

import asyncio
import inspect
from typing import Any

from telegram_sandbox import BlockingUser, RunningSandbox, User
from telegram_sandbox.control_api.endpoints import ACTS
from tests.telegram_sandbox.conftest import Play, cannot, in_vain, keyboard


def test_each_act_has_one_address_and_the_same_arguments_in_every_kind_of_test() -> None:
    assert len({one.address for one in ACTS.values()}) == len(ACTS)
    for name, one in ACTS.items():
        owners: tuple[type[Any], ...] = (User, BlockingUser) if hasattr(User, name) else (RunningSandbox,)
        for owner in owners:
            found = getattr(owner, name)
            assert inspect.signature(found) == inspect.signature(one.method), name
            assert found.__doc__, name
            assert inspect.iscoroutinefunction(found) == (owner is User), name


async def test_a_program_in_any_language_waits_for_the_bot_as_a_test_in_python_does(play: Play) -> None:
    ana = {"from": play.id("Ana")}
    await play.act("POST", "/messages", **ana, text="/start")
    waiting = asyncio.create_task(play.act("POST", "/sees", **ana, words="Hello"))
    await play.send("Hello", play.id("Ana"), reply_markup=keyboard([("Join", "join")]))
    assert (await waiting)["text"] == "Hello"
    tapping = asyncio.create_task(play.act("POST", "/tap", **ana, label="Join"))
    while not (updates := [one for one in await play.updates() if "callback_query" in one]):  # noqa: ASYNC110 - no event tells
        await asyncio.sleep(0.01)
    await play.ok("answerCallbackQuery", callback_query_id=updates[0]["callback_query"]["id"], text="You are in")
    assert (await tapping)["text"] == "You are in"
    await play.act("POST", "/hears_nothing", **ana, within=0)
    refused = await play.act("POST", "/sees", 408, **ana, words="Hello", within=0.05)
    assert refused["error"].startswith("there is no 'Hello' for Ana within 0.05 s")


async def test_an_act_over_http_is_an_act_of_the_same_person_in_python(play: Play) -> None:
    ana = await play.start("Ana")
    await play.send("Hello", ana.id)
    await ana.sees("Hello", within=0.05)
    await play.act("POST", "/messages", **{"from": ana.id, "text": "again"})
    await in_vain(ana.sees("Hello", within=0.05), "there is no 'Hello'")
    assert play.user("Ana") == ana


async def test_what_other_people_do_is_no_news_and_no_one_joins_a_private_chat(play: Play) -> None:
    ana, bo, group = play.user("Ana"), play.user("Bo"), play.chat
    for act in (ana.join, ana.leave):
        await cannot(act(play.sandbox.world.chats[ana.id]), "that is a private chat")
    sent = await play.send("Who is in?")
    await play.ok("sendPoll", chat_id=play.group, question="When?", options=["Monday", "Friday"])
    await ana.send("well", group)
    await bo.react(bo.messages(group)[0], "🔥")
    await bo.vote("Friday", chat=group)
    await ana.hears_nothing(group, within=0.0)
    assert bo.messages(group)[0].message_id == sent["message_id"]
