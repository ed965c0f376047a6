import asyncio
from typing import Any

import pytest

from tests.telegram_sandbox.conftest import Play, keyboard

KEYBOARD = keyboard([("My card", "card")])
TOO_OLD = "query is too old and response timeout expired or query ID is invalid"


async def test_a_tap_is_heard_and_answered_once_or_refused_in_telegrams_words(play: Play) -> None:
    sent = await play.send("table", reply_markup=KEYBOARD)
    query_id = await play.tap("Bo", sent, "card")
    query = (await play.updates())[0]["callback_query"]
    assert (query["id"], query["data"], query["from"]["id"]) == (query_id, "card", play.id("Bo"))
    assert (query["message"]["message_id"], query["message"]["reply_markup"]) == (sent["message_id"], KEYBOARD)
    waiting = await play.act("GET", f"/taps/{query_id}")
    nothing = {"query_id": query_id, "answered": False, "text": None, "show_alert": False, "url": None, "sent": None}
    assert waiting == nothing
    await play.ok("answerCallbackQuery", callback_query_id=query_id, text="5 5 2", show_alert=True)
    answered = await play.act("GET", f"/taps/{query_id}")
    assert answered == nothing | {"answered": True, "text": "5 5 2", "show_alert": True}
    await play.refuses("answerCallbackQuery", TOO_OLD, callback_query_id=query_id)
    body: dict[str, Any] = {"from": play.id("Bo"), "chat_id": play.group, "message_id": sent["message_id"]}
    await play.act("POST", "/taps", 400, **body, data="other")
    await play.act("POST", "/taps", 400, **{**body, "message_id": 99}, data="card")
    await play.act("POST", "/taps", **body, data="other", forged=True)
    assert (await play.updates())[0]["callback_query"]["data"] == "other"
    await play.ok("deleteMessage", chat_id=play.group, message_id=sent["message_id"])
    await play.tap("Bo", sent, "card", forged=True)
    message = (await play.updates())[0]["callback_query"]["message"]
    assert (message["message_id"], message["date"], "text" in message) == (sent["message_id"], 0, False)
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
    cases = [({"callback_query_id": each}, TOO_OLD) for each in (late, "12345")]
    await play.refuses("answerCallbackQuery", *cases)


async def tapped(play: Play, **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The group's table after Bo's tap, and the parameters of an ephemeral answer to it."""
    table = await play.send("table", reply_markup=KEYBOARD)
    query_id = await play.tap("Bo", table, "card")
    return table, {"receiver_user_id": play.id("Bo"), "callback_query_id": query_id, **more}


async def test_a_tap_opens_fifteen_seconds_for_an_answer_that_its_buttons_lead_back_to(play: Play) -> None:
    _, parameters = await tapped(play)
    for other in ({"receiver_user_id": play.id("Cy")}, {"callback_query_id": "77"}):
        request = {"chat_id": play.group, "text": "x", "ephemeral_message_parameters": parameters | other}
        await play.refuses("sendMessage", TOO_OLD, **request)
    sent = await play.send("5 5 2", ephemeral_message_parameters=parameters, reply_markup=KEYBOARD)
    assert (sent["message_id"], sent["ephemeral_message_id"], sent["receiver_user"]["id"]) == (0, 1, play.id("Bo"))
    shown = next(one for one in (await play.state())["messages"] if one["ephemeral_message_id"])
    assert shown["to"] == play.id("Bo")
    await play.updates()
    second = await play.tap("Bo", sent, "card")
    message = (await play.updates())[0]["callback_query"]["message"]
    assert (message["message_id"], message["ephemeral_message_id"]) == (0, 1)
    assert message["receiver_user"]["id"] == play.id("Bo")
    body = {"from": play.id("Cy"), "chat_id": play.group, "data": "card"}
    await play.act("POST", "/taps", 400, **body, ephemeral_message_id=1)
    replace = parameters | {"callback_query_id": second, "replace_callback_query_message": True}
    refused = await play.refused("sendMessage", chat_id=play.group, text="x", ephemeral_message_parameters=replace)
    assert refused[0] == 400
    await play.ok("answerCallbackQuery", callback_query_id=parameters["callback_query_id"])
    await play.send("still", ephemeral_message_parameters=parameters)
    await play.pass_time(15)
    late = {"chat_id": play.group, "text": "x", "ephemeral_message_parameters": parameters}
    await play.refuses("sendMessage", TOO_OLD, **late)


async def test_without_a_tap_only_an_admin_sends_an_ephemeral_message_and_only_to_members_of_groups(play: Play) -> None:
    def to(user_id: int) -> dict[str, Any]:
        return {"ephemeral_message_parameters": {"receiver_user_id": user_id}}

    request = {"chat_id": play.group, "text": "psst", **to(play.id("Bo"))}
    await play.refuses("sendMessage", "CHAT_ADMIN_REQUIRED", **request)
    play.bot_is("administrator")
    assert (await play.ok("sendMessage", **request))["ephemeral_message_id"] == 1
    eve = play.sandbox.add_person("Eve")
    await play.start("Bo")
    await play.refuses(
        "sendMessage",
        (to(eve.id), "USER_NOT_PARTICIPANT"),
        ({"chat_id": play.id("Bo")}, "PEER_ID_INVALID"),
        **request,
    )


async def test_an_ephemeral_message_is_edited_and_deleted_by_its_own_methods(play: Play) -> None:
    table, parameters = await tapped(play, replace_callback_query_message=True)
    sent = await play.send("5 5 2", ephemeral_message_parameters=parameters, reply_markup=KEYBOARD)
    assert (await play.state())["messages"][-1]["replaces"] == table["message_id"]
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
    await play.refuses("editMessageText", "message to edit not found", text="x", **ordinary)
    await play.refuses("deleteMessage", "message to delete not found", **ordinary)
    no_caption = "there is no caption in the message to edit"
    await play.refuses("editEphemeralMessageCaption", no_caption, caption="x", **where)
    wrong = {"receiver_user_id": play.id("Cy"), "text": "x"}
    await play.refuses("editEphemeralMessageText", (wrong, "message to edit not found"), **where)
    assert await play.ok("deleteEphemeralMessage", **where) is True
    await play.refuses("deleteEphemeralMessage", "message to delete not found", **where)


async def test_an_ephemeral_command_is_seen_by_its_sender_and_the_bot(play: Play) -> None:
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
    gone = {"reply_parameters": {"ephemeral_message_id": 99}}
    await play.refuses("sendMessage", "CHAT_ADMIN_REQUIRED", (gone, "message to be replied not found"), **answer)


async def test_updates_of_the_allowed_kinds_stay_until_confirmed_by_offset_or_a_day_has_passed(play: Play) -> None:
    for text in ("/one", "/two", "/three"):
        await play.say("Ana", text)
    first = await play.ok("getUpdates")
    assert first == await play.ok("getUpdates")
    assert [u["update_id"] - first[0]["update_id"] for u in first] == [0, 1, 2]
    assert await play.ok("getUpdates", limit=2) == first[:2]
    assert await play.ok("getUpdates", offset=first[1]["update_id"]) == first[1:]
    assert await play.ok("getUpdates", offset=-1) == await play.ok("getUpdates") == first[2:]
    assert await play.ok("getUpdates", offset=first[2]["update_id"] + 1) == []
    await play.say("Ana", "/four")
    assert (await play.ok("getUpdates"))[0]["update_id"] == first[2]["update_id"] + 1
    await play.pass_time(24 * 3600 + 1)
    assert await play.updates() == []
    sent = await play.send(reply_markup=KEYBOARD)
    await play.ok("getUpdates", allowed_updates=["callback_query"])
    await play.say("Ana", "/new")
    await play.tap("Ana", sent, "card")
    assert [sorted(update) for update in await play.updates()] == [["callback_query", "update_id"]]
    await play.ok("getUpdates", allowed_updates=[])
    await play.say("Ana", "/new")
    assert "message" in (await play.updates())[0]


async def test_the_second_poller_ends_the_first_and_one_that_hung_up_ends_nobody(play: Play) -> None:
    gone = await play.polling(play.ok("getUpdates", timeout=10))
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    await asyncio.sleep(0.2)
    assert await play.ok("getUpdates") == []
    assert not [call for call in play.sandbox.world.calls.named("getUpdates") if not call.ok]
    words = "terminated by other getUpdates request; make sure that only one bot instance is running"
    first = await play.polling(play.refuses("getUpdates", words, kind="Conflict", timeout=10))
    second = await play.polling(play.ok("getUpdates", timeout=10))
    await first
    await play.say("Ana", "/new")
    assert len(await second) == 1
