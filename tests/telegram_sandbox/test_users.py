"""People of a sandbox in a bot's tests; the test plays the bot itself, over HTTP."""

import asyncio
import inspect
import re
from typing import Any

import pytest

from telegram_sandbox import BlockingUser, ControlError, RunningSandbox, User
from telegram_sandbox.control_api.endpoints import ACTS
from telegram_sandbox.model import ChatType
from tests.telegram_sandbox.conftest import Play, cannot, in_vain, keyboard


async def test_a_tap_without_an_answer_a_missing_button_and_who_is_not_in_the_group_are_told(play: Play) -> None:
    bo, group = play.user("Bo"), play.chat
    await play.send("Who is in?", reply_markup=keyboard([("Join", "join")]))
    await in_vain(bo.tap("Join", group, within=0.05), "'Join' is not answered for Bo")
    assert not (await bo.tap("Join", group, waits=False)).answered
    with pytest.raises(AssertionError, match=r"there is no button 'Leave' for Bo .*; the buttons are \['Join'\]"):
        await bo.tap("Leave", group, within=0.05)
    lee = play.sandbox.add_person("Lee")
    for waits in (lee.sees("Who is in?", group), lee.tap("Join", group), lee.switch_inline("Join", group)):
        await cannot(waits, r"^Lee is not in Friends$")
    await lee.hears_nothing(group, within=0)


async def test_a_refused_call_is_told_to_whoever_waits_and_nobody_sees_a_message_for_somebody_else(play: Play) -> None:
    ana = play.user("Ana")
    await play.refused("sendMessage", chat_id=ana.id, text="too early")
    await ana.send("/start")
    await play.refused("sendMessage", chat_id=ana.id, text="<b>Hello", parse_mode="HTML")
    await play.ok("getUpdates", offset=10**9)
    await in_vain(ana.sees("Hello", within=0.05), r"\['/start'\]; the bot was refused sendMessage: .*start tag \"b\"$")
    play.bot_is("administrator")
    bo, cy, group = play.user("Bo"), play.user("Cy"), play.chat
    await play.send("for Bo alone", receiver_user_id=bo.id)
    assert (await bo.sees("alone", group)).seen_by == bo.id
    await in_vain(cy.sees("alone", group, within=0.05), "there is no 'alone'")
    assert "for Bo alone" not in [message.text for message in cy.messages(group)]


async def test_a_person_hears_nothing_until_the_bot_sends_or_edits_what_they_have_not_seen(play: Play) -> None:
    ana, bo, group = play.user("Ana"), play.user("Bo"), play.chat
    sent = await play.send("Who is in?")
    await ana.send("/start", group)
    await ana.hears_nothing(group, within=0.05)
    await in_vain(bo.hears_nothing(group, within=0.0), "Bo was to hear nothing, and heard 'Who is in\\?'")
    await play.ok("editMessageText", chat_id=play.group, message_id=sent["message_id"], text="Ana is in")
    await in_vain(ana.hears_nothing(group, within=0.0), "Ana was to hear nothing, and heard 'Ana is in'")
    await ana.sees("Ana is in", group)
    await ana.hears_nothing(group, within=0.0)
    await play.user("Cy").sees("Ana is in", group, within=0.05)  # he is asked for late, and has heard what came before


async def test_texts_are_found_as_written_or_by_pattern_links_give_their_address_and_a_tap_waits(play: Play) -> None:
    ana = await play.start("Ana")
    for words in ("Total: $5", "(EUR", "[a-z]+", re.compile(r"\$\d"), re.compile("(?i)^total")):
        await play.send("Total: $5 (EUR) [a-z]+", ana.id)
        assert (await ana.sees(words, within=0.05)).chat_id == ana.id
    await in_vain(ana.sees("T.tal", within=0), r"there is no 'T\.tal'")
    link = {"text": "Rules", "url": "https://example.org/rules"}
    code = {"text": "Copy", "copy_text": {"text": "AB12"}}
    await play.send("More", ana.id, reply_markup={"inline_keyboard": [[link, code]]})
    before = await play.updates()
    assert (await ana.tap("Rules")).url == "https://example.org/rules"
    assert before
    assert await play.updates() == [], "a bot does not hear of a link that a person opens"
    await cannot(ana.tap("Copy"), "'Copy' has copy_text, and the bot does not hear of its taps")
    sent = await play.send("Which?", ana.id, reply_markup=keyboard([("Mine", "mine")]))
    tapping = asyncio.create_task(ana.tap("Yours"))
    await asyncio.sleep(0)
    where = {"chat_id": ana.id, "message_id": sent["message_id"]}
    await play.ok("editMessageReplyMarkup", **where, reply_markup=keyboard([("Yours", "yours")]))
    query = (await play.updates())[-1]["callback_query"]
    await play.ok("answerCallbackQuery", callback_query_id=query["id"])
    assert (query["data"], (await tapping).answered) == ("yours", True)


async def test_people_groups_and_updates_of_any_content_are_made_and_a_name_of_two_names_neither(play: Play) -> None:
    next_id = play.id("Dee") + 1
    lee, kim = play.sandbox.add_person("Lee", user_id=next_id), play.sandbox.add_person("Kim")
    group = play.sandbox.add_group("Admins", [lee, kim], chat_id=-1001234567890)
    assert (lee.id, kim.id, group.id) == (next_id, next_id + 1, -1001234567890)
    assert (await play.send("hello", group.id))["chat"]["title"] == "Admins"
    with pytest.raises(ControlError, match="there is a person with this id"):
        play.sandbox.add_person("Kim", user_id=kim.id)
    play.sandbox.add_person("Kim")
    for name, told in (("Kim", "2 people are called Kim"), ("Zoe", "0 people are called Zoe")):
        with pytest.raises(KeyError, match=told):
            play.user(name)
    wrong_ids: list[tuple[ChatType, int, str]] = [
        ("supergroup", -1001234567890, "there is a chat with this id"),
        ("group", -1001234567891, "the id of a group is above -1000000000000"),
        ("channel", -7, "the id of a channel is below -1000000000000"),
    ]
    for kind, wrong, words in wrong_ids:
        with pytest.raises(ControlError, match=words):
            play.sandbox.add_group("Friends", [lee], kind, chat_id=wrong)
    with pytest.raises(ControlError, match="'private' is no kind of group: group, supergroup, channel"):
        play.sandbox.add_group("News", [lee], "private")
    with pytest.raises(ControlError, match="only a supergroup has topics"):
        play.sandbox.add_group("Forum", [lee], "group", is_forum=True)
    assert [chat.title for chat in play.sandbox.world.chats.values() if chat.is_group] == ["Friends", "Admins"]
    over_http = await play.act("POST", "/chats", title="Friends", type="group", members=[lee.id], chat_id=-1001)
    assert over_http["id"] == -1001
    await play.updates()
    bought = {"from": {"id": 7, "is_bot": False, "first_name": "Lee"}, "paid_media_payload": "trip"}
    play.sandbox.send_update("purchased_paid_media", bought)
    await play.act("POST", "/updates", kind="purchased_paid_media", body=bought)
    assert [update["purchased_paid_media"] for update in await play.updates()] == [bought, bought]


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
    same = play.user("Ana")
    await play.send("Again", same.id)
    await same.sees("Again", within=0.05)
    await play.act("POST", "/messages", **ana, text="again")
    await in_vain(same.sees("Again", within=0.05), "there is no 'Again'")
    assert play.user("Ana") == same, "an act over HTTP is one of the same person"


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
