from typing import Any

import pytest

from telegram_sandbox import SandboxSettings
from tests.telegram_sandbox.conftest import Play, in_vain, keyboard


def kinds(updates: list[dict[str, Any]]) -> list[str]:
    return [kind for update in updates for kind in update if kind != "update_id"]


async def test_the_bot_may_not_write_first_nor_while_it_is_blocked_nor_to_a_deleted_account(play: Play) -> None:
    ana = play.id("Ana")
    there = {"kind": "Forbidden", "chat_id": ana, "text": "x"}
    await play.refuses("sendMessage", "bot can't initiate conversation with a user", **there)
    await play.start("Ana", "j_42")
    update = (await play.updates())[0]["message"]
    assert (update["text"], update["entities"]) == ("/start j_42", [{"type": "bot_command", "offset": 0, "length": 6}])
    assert update["chat"] == {"id": ana, "type": "private", "first_name": "Ana", "username": "ana_1"}
    assert update["from"]["language_code"] == "en"
    sent = await play.send(chat=ana)
    assert sent["chat"]["id"] == ana
    await play.act("PATCH", f"/people/{ana}", blocked_bot=True)
    change = (await play.updates())[0]["my_chat_member"]
    assert (change["old_chat_member"]["status"], change["new_chat_member"]["status"]) == ("member", "kicked")
    await play.refuses("sendMessage", "bot was blocked by the user", **there)
    await play.refuses("editMessageText", "bot was blocked by the user", message_id=sent["message_id"], **there)
    await play.act("POST", "/messages", 400, **{"from": ana, "chat_id": ana, "text": "hi"})
    await play.start("Ana")
    assert kinds(await play.updates()) == ["my_chat_member", "message"]
    await play.send(chat=ana)
    await play.act("DELETE", f"/people/{ana}")
    await play.refuses("sendMessage", "user is deactivated", **there)
    assert (await play.updates())[-1]["message"]["left_chat_member"]["id"] == ana
    assert (await play.ok("getChatMember", chat_id=play.group, user_id=ana))["status"] == "left"
    await play.act("DELETE", f"/people/{ana}", 404)


async def test_privacy_mode_lets_commands_and_replies_through(play: Play) -> None:
    await play.say("Ana", "good evening")
    await play.say("Ana", "hello @sandbox_bot")
    await play.say("Ana", "/new@another_bot")
    assert await play.updates() == []
    await play.say("Ana", "/new")
    await play.say("Bo", "/join@sandbox_bot now")
    sent = await play.send("your answer?")
    await play.say("Cy", "three fives", reply_to=sent["message_id"])
    messages = [update["message"] for update in await play.updates()]
    assert [message["text"] for message in messages] == ["/new", "/join@sandbox_bot now", "three fives"]
    assert messages[-1]["message_thread_id"] == sent["message_id"]
    assert "is_topic_message" not in messages[-1]
    echo = await play.send("x", message_thread_id=sent["message_id"])
    assert "message_thread_id" not in echo, "Telegram ignores it where there are no topics"


async def test_a_test_that_waits_in_vain_is_told_of_privacy_mode(play: Play) -> None:
    ana = play.user("Ana")
    await play.send("hello")
    for text in ("/start", "one", "two"):
        await ana.send(text, play.chat)
    await in_vain(ana.sees("welcome", play.chat, within=0.01), r"; 2 updates were not for the bot \(privacy mode\)")
    play.bot_is("administrator")
    with pytest.raises(AssertionError) as told:
        await ana.sees("welcome", play.chat, within=0.01)
    assert "privacy mode" not in str(told.value)


@pytest.mark.parametrize("settings", [SandboxSettings(port=0, privacy_mode=False)])
async def test_without_privacy_mode_everything_is_heard(play: Play) -> None:
    await play.say("Ana", "good evening")
    assert (await play.updates())[0]["message"]["text"] == "good evening"
    assert (await play.ok("getMe"))["can_read_all_group_messages"] is True


async def test_edited_and_forwarded_messages(play: Play) -> None:
    said = await play.say("Ana", "/new")
    await play.updates()
    body = {"chat_id": play.group, "message_id": said["message_id"], "text": "/new fast"}
    edited = await play.act("PATCH", "/messages", **body, **{"from": play.id("Ana")})
    assert edited["text"] == "/new fast"
    assert edited["edit_date"]
    assert (await play.updates())[0]["edited_message"]["text"] == "/new fast"
    await play.act("PATCH", "/messages", 400, **body, **{"from": play.id("Bo")})
    await play.say("Bo", "/new", forwarded_from=play.id("Ana"), date=1_000_000)
    message = (await play.updates())[0]["message"]
    assert (message["date"], message["from"]["id"]) == (1_000_000, play.id("Bo"))
    assert message["forward_origin"]["type"] == "user"
    assert message["forward_origin"]["sender_user"]["id"] == play.id("Ana")
    assert message["entities"][0]["type"] == "bot_command"


async def test_coming_and_going_which_an_admin_who_asks_for_it_hears_as_well(play: Play) -> None:
    eve = await play.act("POST", "/people", name="Eve", joins=True)
    assert (await play.updates())[0]["message"]["new_chat_members"][0]["first_name"] == "Eve"
    await play.act("DELETE", f"/chats/{play.group}/members/{eve['id']}")
    assert (await play.updates())[0]["message"]["left_chat_member"]["id"] == eve["id"]
    await play.act("POST", "/messages", 400, **{"from": eve["id"], "chat_id": play.group, "text": "/new"})
    assert [message["service"] for message in (await play.state())["messages"]] == ["Eve joined", "Eve left"]
    play.bot_is("administrator")
    bo = play.id("Bo")
    await play.act("DELETE", f"/chats/{play.group}/members/{bo}")
    assert "chat_member" not in kinds(await play.updates())
    await play.ok("getUpdates", allowed_updates=["chat_member"], offset=play.offset)
    await play.act("POST", f"/chats/{play.group}/members", user_id=bo)
    update = (await play.updates())[0]["chat_member"]
    assert (update["old_chat_member"]["status"], update["new_chat_member"]["status"]) == ("left", "member")


async def test_a_bot_that_is_kicked_or_leaves(play: Play) -> None:
    sent = await play.send(reply_markup=keyboard([("x", "a")]))
    play.bot_is("kicked")
    assert (await play.updates())[0]["my_chat_member"]["new_chat_member"]["status"] == "kicked"
    where = {"kind": "Forbidden", "chat_id": play.group, "text": "x"}
    kicked = "bot was kicked from the supergroup chat"
    await play.refuses("sendMessage", kicked, **where)
    await play.refuses("editMessageText", kicked, message_id=sent["message_id"], **where)
    await play.refuses("getChat", kicked, **where)
    await play.say("Ana", "/new")
    await play.tap("Ana", sent, "a")
    assert await play.updates() == []
    play.bot_is("member")
    assert kinds(await play.updates()) == ["my_chat_member", "message"]
    await play.send()
    assert await play.ok("leaveChat", chat_id=play.group) is True
    await play.refuses("sendMessage", "bot is not a member of the supergroup chat", **where)


async def test_migration(play: Play) -> None:
    members = [play.id("Ana"), play.id("Bo")]
    old = await play.act("POST", "/chats", title="Basic", type="group", members=members)
    created = await play.updates()
    assert created[0]["my_chat_member"]["old_chat_member"]["status"] == "left"
    assert created[1]["message"]["group_chat_created"] is True
    sent = await play.send(chat=old["id"])
    new = await play.act("POST", f"/chats/{old['id']}/migrate")
    assert new["type"] == "supergroup"
    moves = [update["message"] for update in await play.updates()]
    assert (moves[0]["chat"]["id"], moves[0]["migrate_to_chat_id"]) == (old["id"], new["id"])
    assert (moves[1]["chat"]["id"], moves[1]["migrate_from_chat_id"]) == (new["id"], old["id"])
    assert moves[1]["message_id"] == 1
    refusal = {
        "ok": False,
        "error_code": 400,
        "description": "Bad Request: group chat was upgraded to a supergroup chat",
        "parameters": {"migrate_to_chat_id": new["id"]},
    }
    assert await play.call("sendMessage", chat_id=old["id"], text="x") == refusal
    assert await play.call("editMessageText", chat_id=old["id"], message_id=sent["message_id"], text="x") == refusal
    assert (await play.ok("getChat", chat_id=old["id"]))["type"] == "group", "it may still be read"
    assert old["id"] not in [chat["id"] for chat in (await play.state())["chats"]]
    await play.send(chat=new["id"])
    await play.act("POST", f"/chats/{new['id']}/migrate", 400)


async def test_messages_in_a_topic_that_is_closed_and_opened_until_it_is_deleted_with_them(play: Play) -> None:
    body = {"title": "Club", "type": "supergroup", "members": [play.id("Ana"), play.id("Bo")], "is_forum": True}
    forum = (await play.act("POST", "/chats", **body))["id"]
    topic = (await play.act("POST", f"/chats/{forum}/topics", name="Games"))["thread_id"]
    await play.say("Ana", "/new", forum, thread_id=topic)
    updates = await play.updates()
    assert updates[-2]["message"]["forum_topic_created"]["name"] == "Games"
    message = updates[-1]["message"]
    assert message["chat"]["is_forum"] is True
    assert (message["message_thread_id"], message["is_topic_message"]) == (topic, True)
    assert message["reply_to_message"]["forum_topic_created"]
    for closed, service in ((True, "forum_topic_closed"), (False, "forum_topic_reopened")):
        await play.act("PATCH", f"/chats/{forum}/topics/{topic}", closed=closed)
        told = (await play.updates())[0]["message"]
        assert (told[service], told["message_thread_id"], told["is_topic_message"]) == ({}, topic, True)
        await play.act("PATCH", f"/chats/{forum}/topics/{topic}", closed=closed)
        assert await play.updates() == []
    sent = await play.send(chat=forum, message_thread_id=topic)
    assert sent["message_thread_id"] == topic
    answered = await play.send(chat=forum, reply_parameters={"message_id": message["message_id"]})
    assert answered["message_thread_id"] == topic
    stays = await play.send(chat=forum)
    assert "message_thread_id" not in stays
    where = {"chat_id": forum, "text": "x"}
    await play.act("PATCH", f"/chats/{forum}/topics/{topic}", closed=True)
    await play.refuses("sendMessage", "TOPIC_CLOSED", message_thread_id=topic, **where)
    play.bot_is("administrator", play.sandbox.world.chats[forum])
    await play.send(chat=forum, message_thread_id=topic)
    await play.updates()
    await play.act("DELETE", f"/chats/{forum}/topics/{topic}")
    assert await play.updates() == [], "no one is told"
    left = [message["message_id"] for message in (await play.state())["messages"]]
    assert stays["message_id"] in left
    assert not {topic, sent["message_id"]} & set(left)
    threads = [({"message_thread_id": thread}, "message thread not found") for thread in (topic, 999)]
    await play.refuses("sendMessage", *threads, **where)
    await play.refuses("editMessageText", "message to edit not found", message_id=sent["message_id"], **where)
    await play.act("DELETE", f"/chats/{forum}/topics/{topic}", 404)


async def test_members_and_admins_of_whom_an_anonymous_one_writes_as_the_group_and_taps_as_a_person(play: Play) -> None:
    await play.act("POST", f"/chats/{play.group}/admins", user_id=play.id("Bo"), admin=True, anonymous=True)
    assert (await play.say("Bo", "/stop"))["from"]["name"] == "Friends"
    message = (await play.updates())[0]["message"]
    assert (message["from"]["id"], message["from"]["username"]) == (1_087_968_824, "GroupAnonymousBot")
    assert message["sender_chat"]["id"] == message["chat"]["id"] == play.group
    assert (await play.ok("getChatMember", chat_id=play.group, user_id=play.id("Bo")))["is_anonymous"] is True
    await play.tap("Bo", await play.send(reply_markup=keyboard([("x", "a")])), "a")
    assert (await play.updates())[0]["callback_query"]["from"]["id"] == play.id("Bo")
    await play.act("POST", f"/chats/{play.group}/admins", user_id=play.id("Bo"), admin=False)
    await play.say("Bo", "/stop")
    assert (await play.updates())[0]["message"]["from"]["id"] == play.id("Bo")
    where = {"chat_id": play.group}
    ana, bo = play.id("Ana"), play.id("Bo")
    assert (await play.ok("getChatMember", user_id=ana, **where))["status"] == "creator"
    assert (await play.ok("getChatMember", user_id=bo, **where))["status"] == "member"
    await play.act("POST", f"/chats/{play.group}/admins", user_id=bo, admin=True)
    assert (await play.ok("getChatMember", user_id=bo, **where))["status"] == "administrator"
    assert [m["user"]["id"] for m in await play.ok("getChatAdministrators", **where)] == [ana, bo]
    await play.act("POST", f"/chats/{play.group}/admins", user_id=bo, admin=False)
    assert [m["user"]["id"] for m in await play.ok("getChatAdministrators", **where)] == [ana]
    assert await play.ok("getChatMemberCount", **where) == 5
    assert (await play.ok("getChatMember", user_id=play.sandbox.world.settings.bot_id, **where))["status"] == "member"
    await play.updates()
    left = await play.act("DELETE", f"/chats/{play.group}/members/{ana}")
    assert (left["owner"], ana in left["members"]) == (bo, False), "an owner who leaves hands the group on"
    assert await play.act("DELETE", f"/chats/{play.group}/members/{ana}") == left
    assert len(await play.updates()) == 1


async def test_a_group_that_nobody_may_write_in_tells_the_bot_by_refusing(play: Play) -> None:
    sent = await play.send()
    await play.act("POST", f"/chats/{play.group}/permissions", can_send_messages=False)
    assert await play.updates() == []
    muted = "not enough rights to send text messages to the chat"
    await play.refuses("sendMessage", muted, chat_id=play.group, text="x")
    assert (await play.ok("getChat", chat_id=play.group))["permissions"]["can_send_messages"] is False
    await play.ok("editMessageText", chat_id=play.group, message_id=sent["message_id"], text="y")
    play.bot_is("administrator")
    await play.send()
    play.bot_is("member")
    await play.act("POST", f"/chats/{play.group}/permissions", can_send_messages=True)
    await play.send()
    await play.updates()
    play.bot_is("restricted")
    await play.refuses("sendMessage", muted, chat_id=play.group, text="x")
    assert (await play.updates())[0]["my_chat_member"]["new_chat_member"]["can_send_messages"] is False


IMPOSSIBLE: list[tuple[str, str, dict[str, Any], int]] = [
    ("POST", "/messages", {"from": 1, "chat_id": 2, "text": "x"}, 404),
    ("POST", "/messages", {"from": "me", "chat_id": 2, "text": "x"}, 400),
    ("POST", "/messages", {}, 400),
    ("POST", "/messages", {"from": 7_000_000_001, "chat_id": 7_000_000_002, "text": "x"}, 400),
    ("POST", "/messages", {"from": 7_000_000_001, "chat_id": 7_000_000_001, "text": " "}, 400),
    ("POST", "/messages", {"from": 7_000_000_001, "chat_id": 7_000_000_001, "text": "x" * 4097}, 400),
    ("POST", "/messages", {"from": 7_000_000_001, "chat_id": 7_000_000_001, "text": "x", "reply_to": 9}, 404),
    ("POST", "/messages", {"from": 7_000_000_001, "chat_id": 7_000_000_001, "text": "x", "thread_id": 9}, 400),
    ("POST", "/people", {"name": ""}, 400),
    ("POST", "/people", {"name": "A", "surplus": 1}, 400),
    ("PATCH", "/people/5", {"name": "A"}, 404),
    ("PATCH", "/messages", {"from": 7_000_000_001, "chat_id": 7_000_000_001, "message_id": 5, "text": "x"}, 404),
    ("POST", "/chats", {"title": "x", "type": "private", "members": []}, 400),
    ("POST", "/chats", {"title": "x", "type": "group", "members": [], "is_forum": True}, 400),
    ("POST", "/chats/0/migrate", {}, 404),
    ("POST", "/chats/x/migrate", {}, 400),
    ("POST", "/chats/7000000001/migrate", {}, 400),
    ("POST", "/chats/-1002000000001/migrate", {}, 400),
    ("POST", "/chats/-1002000000001/topics", {"name": "x"}, 400),
    ("PATCH", "/chats/-1002000000001/topics/5", {"closed": True}, 404),
    ("DELETE", "/chats/-1002000000001/topics/5", {}, 404),
    ("POST", "/chats/-1002000000001/permissions", {}, 400),
    ("POST", "/chats/7000000001/permissions", {"can_send_messages": False}, 400),
    ("POST", "/messages", {"from": 7_000_000_001, "chat_id": 7_000_000_001, "text": "x", "forwarded_from": 9}, 404),
    ("POST", "/chats/-1002000000001/bot", {"status": "owner"}, 400),
    ("POST", "/chats/-1002000000001/admins", {"user_id": 5, "admin": True}, 404),
    ("POST", "/flood", {"enabled": "perhaps"}, 400),
    ("POST", "/clock", {"seconds": -1}, 400),
    ("GET", "/taps/1", {}, 404),
    ("GET", "/files/1", {}, 404),
    ("GET", "/events?cursor=x", {}, 400),
]


async def test_impossible_acts_are_refused(play: Play) -> None:
    for verb, path, body, code in IMPOSSIBLE:
        assert (await play.act(verb, path, code, **body))["error"]


async def test_names_change_and_a_change_that_changes_nothing_is_not_told(play: Play) -> None:
    ana = play.id("Ana")
    changed = await play.act("PATCH", f"/people/{ana}", name="Anna", username="", language_code="de")
    assert (changed["name"], changed["username"], changed["language_code"]) == ("Anna", None, "de")
    await play.act("POST", "/messages", **{"from": ana, "chat_id": play.group, "text": "/new"})
    sender = (await play.heard())["from"]
    assert sender == {"id": ana, "is_bot": False, "first_name": "Anna", "language_code": "de"}
    for count in (1, 0):
        play.bot_is("administrator")
        assert len(await play.updates()) == count
    await play.act("POST", f"/chats/{play.group}/members", user_id=ana)
    await play.act("PATCH", f"/people/{ana}", blocked_bot=False)
    await play.act("POST", f"/chats/{play.group}/admins", user_id=play.id("Bo"), admin=False)
    assert await play.updates() == []


@pytest.mark.parametrize("settings", [SandboxSettings(port=0, people=("Ana", "Bo"), people_start=True)])
async def test_people_who_start_let_the_bot_write_to_them_also_later_ones_and_after_a_reset(play: Play) -> None:
    starts = [(one["message"]["from"]["first_name"], one["message"]["text"]) for one in await play.updates()]
    assert starts == [("Ana", "/start"), ("Bo", "/start")]
    await play.act("POST", "/people", name="Cy")
    await play.send("Hello", play.id("Cy"))
    await play.act("POST", "/reset")
    await play.send("Hello", play.id("Bo"))


async def test_the_bot_hears_of_reactions_where_it_is_an_admin(play: Play) -> None:
    await play.ok("getUpdates", allowed_updates=["message_reaction"])
    sent = await play.send()
    reacted = {"from": play.id("Ana"), "chat_id": play.group, "message_id": sent["message_id"]}
    shown = await play.act("POST", "/reactions", emojis=["🔥", "❤"], **reacted)
    assert [one["emoji"] for one in shown["reactions"]] == ["🔥", "❤"]
    assert await play.updates() == []
    play.bot_is("administrator")
    await play.act("POST", "/reactions", emojis=[], **reacted)
    (change,) = [update["message_reaction"] for update in await play.updates()]
    assert (change["user"]["id"], change["message_id"]) == (play.id("Ana"), sent["message_id"])
    assert ([one["emoji"] for one in change["old_reaction"]], change["new_reaction"]) == (["🔥", "❤"], [])
    await play.act("POST", "/reactions", 400, emojis=["🧀"], **reacted)
