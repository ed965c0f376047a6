import asyncio
from typing import Any

import pytest

from tests.telegram_sandbox.conftest import Play

KEYBOARD = {"inline_keyboard": [[{"text": "My card", "callback_data": "card"}]]}
TOO_OLD = (400, "Bad Request: query is too old and response timeout expired or query ID is invalid")


async def test_a_tap_is_heard_and_answered(play: "Play") -> None:
    sent = await play.send("table", reply_markup=KEYBOARD)
    query_id = await play.tap("Bo", sent, "card")
    query = (await play.updates())[0]["callback_query"]
    assert (query["id"], query["data"], query["from"]["id"]) == (query_id, "card", play.id("Bo"))
    assert query["message"]["message_id"] == sent["message_id"]
    assert query["message"]["reply_markup"] == KEYBOARD
    waiting = await play.act("GET", f"/taps/{query_id}")
    nothing = {"query_id": query_id, "answered": False, "text": None, "show_alert": False, "url": None, "sent": None}
    assert waiting == nothing
    await play.ok("answerCallbackQuery", callback_query_id=query_id, text="5 5 2", show_alert=True)
    answered = await play.act("GET", f"/taps/{query_id}")
    assert answered == nothing | {"answered": True, "text": "5 5 2", "show_alert": True}
    assert await play.refused("answerCallbackQuery", callback_query_id=query_id) == TOO_OLD


async def test_answers_are_refused_in_telegrams_words(play: "Play") -> None:
    sent = await play.send(reply_markup=KEYBOARD)
    first, second, late = [await play.tap("Bo", sent, "card") for _ in range(3)]
    await play.refuses(
        "answerCallbackQuery",
        ({"text": "x" * 201}, "MESSAGE_TOO_LONG"),
        ({"url": "https://example.org"}, "URL_INVALID"),
        callback_query_id=first,
    )
    await play.ok("answerCallbackQuery", callback_query_id=first, text="x" * 200)
    url = "https://t.me/sandbox_bot?start=card"
    await play.ok("answerCallbackQuery", callback_query_id=second, url=url)
    assert (await play.act("GET", f"/taps/{second}"))["url"] == url
    await play.pass_time(61)
    for query_id in (late, "12345"):
        assert await play.refused("answerCallbackQuery", callback_query_id=query_id) == TOO_OLD


async def test_only_what_is_there_can_be_tapped_unless_it_is_forged(play: "Play") -> None:
    sent = await play.send(reply_markup=KEYBOARD)
    body: dict[str, Any] = {"from": play.id("Bo"), "chat_id": play.group, "message_id": sent["message_id"]}
    await play.act("POST", "/taps", 400, **body, data="other")
    await play.act("POST", "/taps", 400, **{**body, "message_id": 99}, data="card")
    await play.act("POST", "/taps", **body, data="other", forged=True)
    assert (await play.updates())[0]["callback_query"]["data"] == "other"


async def test_a_tap_under_a_deleted_message_names_an_inaccessible_one(play: "Play") -> None:
    sent = await play.send(reply_markup=KEYBOARD)
    await play.ok("deleteMessage", chat_id=play.group, message_id=sent["message_id"])
    await play.tap("Bo", sent, "card", forged=True)
    message = (await play.updates())[0]["callback_query"]["message"]
    assert (message["message_id"], message["date"]) == (sent["message_id"], 0)
    assert "text" not in message


async def test_a_kicked_bot_hears_no_taps(play: "Play") -> None:
    sent = await play.send(reply_markup=KEYBOARD)
    await play.act("POST", f"/chats/{play.group}/bot", status="kicked")
    await play.updates()
    await play.tap("Bo", sent, "card")
    assert await play.updates() == []


async def tapped(play: "Play", **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The group's table after Bo's tap, and the parameters of an ephemeral answer to it."""
    table = await play.send("table", reply_markup=KEYBOARD)
    query_id = await play.tap("Bo", table, "card")
    return table, {"receiver_user_id": play.id("Bo"), "callback_query_id": query_id, **more}


class TestEphemeral:
    async def test_a_tap_opens_fifteen_seconds(self, play: "Play") -> None:
        _, parameters = await tapped(play)
        sent = await play.send("5 5 2", ephemeral_message_parameters=parameters, reply_markup=KEYBOARD)
        assert sent["message_id"] == 0
        assert sent["ephemeral_message_id"] == 1
        assert sent["receiver_user"]["id"] == play.id("Bo")
        shown = next(one for one in (await play.state())["messages"] if one["ephemeral_message_id"])
        assert shown["to"] == play.id("Bo")
        await play.ok("answerCallbackQuery", callback_query_id=parameters["callback_query_id"])
        await play.send("still", ephemeral_message_parameters=parameters)
        await play.pass_time(15)
        late = {"chat_id": play.group, "text": "x", "ephemeral_message_parameters": parameters}
        assert await play.refused("sendMessage", **late) == TOO_OLD

    async def test_whose_tap_it_was_matters(self, play: "Play") -> None:
        _, parameters = await tapped(play)
        for other in ({"receiver_user_id": play.id("Cy")}, {"callback_query_id": "77"}):
            request = {"chat_id": play.group, "text": "x", "ephemeral_message_parameters": parameters | other}
            assert await play.refused("sendMessage", **request) == TOO_OLD

    async def test_without_a_tap_only_an_admin_may(self, play: "Play") -> None:
        request = {
            "chat_id": play.group,
            "text": "psst",
            "ephemeral_message_parameters": {"receiver_user_id": play.id("Bo")},
        }
        assert await play.refused("sendMessage", **request) == (400, "Bad Request: CHAT_ADMIN_REQUIRED")
        await play.act("POST", f"/chats/{play.group}/bot", status="administrator")
        assert (await play.ok("sendMessage", **request))["ephemeral_message_id"] == 1

    async def test_only_members_of_groups_receive_them(self, play: "Play") -> None:
        await play.act("POST", f"/chats/{play.group}/bot", status="administrator")
        eve = await play.act("POST", "/people", name="Eve", joins=True)
        await play.act("DELETE", f"/chats/{play.group}/members/{eve['id']}")
        parameters = {"ephemeral_message_parameters": {"receiver_user_id": eve["id"]}}
        await play.refuses("sendMessage", ({}, "USER_NOT_PARTICIPANT"), chat_id=play.group, text="x", **parameters)
        await play.start("Bo")
        private = {"ephemeral_message_parameters": {"receiver_user_id": play.id("Bo")}}
        await play.refuses("sendMessage", ({}, "PEER_ID_INVALID"), chat_id=play.id("Bo"), text="x", **private)

    async def test_it_is_edited_and_deleted_by_its_own_methods(self, play: "Play") -> None:
        _, parameters = await tapped(play)
        sent = await play.send("5 5 2", ephemeral_message_parameters=parameters, reply_markup=KEYBOARD)
        where = {
            "chat_id": play.group,
            "receiver_user_id": play.id("Bo"),
            "ephemeral_message_id": sent["ephemeral_message_id"],
        }
        assert await play.ok("editEphemeralMessageText", text="<b>1</b>", parse_mode="HTML", **where) is True
        assert await play.ok("editEphemeralMessageReplyMarkup", reply_markup=KEYBOARD, **where) is True
        not_modified = await play.refused("editEphemeralMessageReplyMarkup", reply_markup=KEYBOARD, **where)
        assert not_modified[1].startswith("Bad Request: message is not modified")
        ordinary = {"chat_id": play.group, "message_id": 0}
        await play.refuses("editMessageText", ({"text": "x"}, "message to edit not found"), **ordinary)
        await play.refuses("deleteMessage", (ordinary, "message to delete not found"))
        no_caption = "there is no caption in the message to edit"
        await play.refuses("editEphemeralMessageCaption", ({"caption": "x"}, no_caption), **where)
        wrong = {"receiver_user_id": play.id("Cy"), "text": "x"}
        await play.refuses("editEphemeralMessageText", (wrong, "message to edit not found"), **where)
        assert await play.ok("deleteEphemeralMessage", **where) is True
        await play.refuses("deleteEphemeralMessage", (where, "message to delete not found"))

    async def test_its_buttons_lead_back_to_it(self, play: "Play") -> None:
        _, parameters = await tapped(play)
        sent = await play.send("well?", ephemeral_message_parameters=parameters, reply_markup=KEYBOARD)
        await play.updates()
        second = await play.tap("Bo", sent, "card")
        message = (await play.updates())[0]["callback_query"]["message"]
        assert message["message_id"] == 0
        assert message["ephemeral_message_id"] == sent["ephemeral_message_id"]
        assert message["receiver_user"]["id"] == play.id("Bo")
        body = {"from": play.id("Cy"), "chat_id": play.group, "data": "card"}
        await play.act("POST", "/taps", 400, **body, ephemeral_message_id=sent["ephemeral_message_id"])
        replace = {
            "receiver_user_id": play.id("Bo"),
            "callback_query_id": second,
            "replace_callback_query_message": True,
        }
        refused = await play.refused("sendMessage", chat_id=play.group, text="x", ephemeral_message_parameters=replace)
        assert refused[0] == 400

    async def test_it_may_cover_the_tapped_message(self, play: "Play") -> None:
        table, parameters = await tapped(play, replace_callback_query_message=True)
        await play.send("only you", ephemeral_message_parameters=parameters)
        assert (await play.state())["messages"][-1]["replaces"] == table["message_id"]

    async def test_an_ephemeral_command_is_seen_by_its_sender_and_the_bot(self, play: "Play") -> None:
        await play.ok("setMyCommands", commands=[{"command": "card", "description": "My card", "is_ephemeral": True}])
        said = await play.say("Bo", "/card")
        assert (said["message_id"], said["to"]) == (0, play.id("Bo"))
        message = (await play.updates())[0]["message"]
        assert message["ephemeral_message_id"] == said["ephemeral_message_id"]
        answer = {
            "chat_id": play.group,
            "text": "5 5 2",
            "ephemeral_message_parameters": {"receiver_user_id": play.id("Bo")},
            "reply_parameters": {"ephemeral_message_id": message["ephemeral_message_id"]},
        }
        assert (await play.ok("sendMessage", **answer))["ephemeral_message_id"]
        await play.pass_time(16)
        assert await play.refused("sendMessage", **answer) == (400, "Bad Request: CHAT_ADMIN_REQUIRED")
        gone = {**answer, "reply_parameters": {"ephemeral_message_id": 99}}
        assert await play.refused("sendMessage", **gone) == (400, "Bad Request: message to be replied not found")


class TestUpdates:
    async def test_they_stay_until_confirmed_by_offset(self, play: "Play") -> None:
        await play.say("Ana", "/one")
        await play.say("Ana", "/two")
        first = await play.ok("getUpdates")
        assert first == await play.ok("getUpdates")
        assert [u["update_id"] - first[0]["update_id"] for u in first] == [0, 1]
        rest = await play.ok("getUpdates", offset=first[1]["update_id"])
        assert [update["message"]["text"] for update in rest] == ["/two"]
        assert await play.ok("getUpdates", offset=first[1]["update_id"] + 1) == []
        await play.say("Ana", "/three")
        assert (await play.ok("getUpdates"))[0]["update_id"] == first[1]["update_id"] + 1

    async def test_limit_and_negative_offset(self, play: "Play") -> None:
        for text in ("/one", "/two", "/three"):
            await play.say("Ana", text)
        assert len(await play.ok("getUpdates", limit=2)) == 2
        last = await play.ok("getUpdates", offset=-1)
        assert [update["message"]["text"] for update in last] == ["/three"]
        assert len(await play.ok("getUpdates")) == 1

    async def test_the_second_poller_ends_the_first(self, play: "Play") -> None:
        first = await play.polling(play.refused("getUpdates", timeout=10))
        second = await play.polling(play.ok("getUpdates", timeout=10))
        assert await first == (
            409,
            "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
        )
        await play.say("Ana", "/new")
        assert len(await second) == 1

    async def test_a_poller_that_hung_up_conflicts_with_nobody(self, play: "Play") -> None:
        poll = await play.polling(play.ok("getUpdates", timeout=10))
        poll.cancel()
        with pytest.raises(asyncio.CancelledError):
            await poll
        await asyncio.sleep(0.2)
        assert await play.ok("getUpdates") == []
        assert not [call for call in play.sandbox.world.calls.named("getUpdates") if not call.ok]

    async def test_they_wait_a_day(self, play: "Play") -> None:
        await play.say("Ana", "/new")
        await play.pass_time(24 * 3600 + 1)
        assert await play.updates() == []

    async def test_only_allowed_kinds_come(self, play: "Play") -> None:
        sent = await play.send(reply_markup=KEYBOARD)
        await play.ok("getUpdates", allowed_updates=["callback_query"])
        await play.say("Ana", "/new")
        await play.tap("Ana", sent, "card")
        assert [sorted(update) for update in await play.updates()] == [["callback_query", "update_id"]]
        await play.ok("getUpdates", allowed_updates=[])
        await play.say("Ana", "/new")
        assert "message" in (await play.updates())[0]
