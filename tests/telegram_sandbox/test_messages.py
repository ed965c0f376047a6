from typing import Any

import pytest

from telegram_sandbox import SandboxSettings
from telegram_sandbox.text.rich import blocks_of_html, blocks_of_markdown, shown_words
from tests.telegram_sandbox.conftest import Play

KEYBOARD = {"inline_keyboard": [[{"text": "Vote", "callback_data": "b", "style": "primary"}]]}


async def test_a_sent_message_is_answered_and_shown(play: Play) -> None:
    no_preview = {"is_disabled": True}
    marks: dict[str, Any] = {"protect_content": True, "link_preview_options": no_preview, "disable_notification": True}
    sent = await play.send("<b>Ana</b> votes", parse_mode="HTML", reply_markup=KEYBOARD, **marks)
    assert (sent["has_protected_content"], sent["link_preview_options"]) == (True, no_preview)
    assert (await play.send("x", disable_web_page_preview=True))["link_preview_options"] == no_preview
    assert (sent["text"], sent["entities"]) == ("Ana votes", [{"type": "bold", "offset": 0, "length": 3}])
    assert sent["from"]["is_bot"]
    shown = await play.seen(sent["message_id"])
    assert (shown["text"], shown["entities"]) == (sent["text"], sent["entities"])
    assert shown["silent"]
    assert shown["reply_markup"] == KEYBOARD
    assert "reply_markup" not in await play.send("your answer?", reply_markup={"force_reply": True, "selective": True})


async def test_a_supergroup_counts_its_own_messages_and_private_chats_share_one_count(play: Play) -> None:
    assert [(await play.send())["message_id"] for _ in range(2)] == [1, 2]
    await play.start("Ana")
    await play.start("Bo")
    assert (await play.send(chat=play.id("Ana")))["message_id"] == 3
    assert (await play.send(chat=play.id("Bo")))["message_id"] == 4
    group = play.sandbox.add_group("Basic", [play.user("Ana")], kind="group")
    assert (await play.send(chat=group.id))["message_id"] == 6


async def test_fields_that_telegram_does_not_read_may_be_anything_and_empty_ones_are_none(play: Play) -> None:
    link = {"text": "x", "url": "https://example.org/", "callback_data": None}
    contact = {"text": "x", "request_contact": True, "request_location": None, "web_app": 5}
    bold = {"type": "bold", "offset": 0, "length": 2, "url": None, "user": None, "language": None}
    sent = await play.send(reply_markup={"inline_keyboard": [[link, {"text": 5, "callback_data": 7}]]}, entities=[bold])
    assert sent["reply_markup"]["inline_keyboard"][0][0] == {"text": "x", "url": "https://example.org/"}
    assert sent["entities"] == [{"type": "bold", "offset": 0, "length": 2}]
    await play.start("Ana")
    await play.send(chat=play.id("Ana"), reply_markup={"keyboard": [[contact]]})
    await play.ok("setMyCommands", commands=[], scope={"type": "default", "chat_id": None})
    quote = {"message_id": sent["message_id"], "quote": "hello", "quote_entities": None}
    assert (await play.send(reply_parameters=quote))["quote"]["text"] == "hello"
    for given in ("reply_markup", "reply_parameters", "link_preview_options", "entities"):
        empty: dict[str, Any] = {given: ""}
        assert given not in await play.send("hello", **empty)
    no_arrays: list[Any] = ["[", "{}", {}, 7]
    for entities in no_arrays:
        assert "entities" not in await play.send("hello", entities=entities)
    where = {"chat_id": play.group, "text": "Ana 🎲"}
    mention = {"type": "text_mention", "offset": 0, "length": 3}
    ana = {"id": play.id("Ana"), "is_bot": False, "first_name": "?"}
    stranger = {"id": 5, "is_bot": False, "first_name": "?"}
    sent = await play.ok("sendMessage", entities=[{**mention, "user": ana}], **where)
    assert sent["entities"][0]["user"]["first_name"] == "Ana"
    assert "entities" not in await play.ok("sendMessage", entities=[{**mention, "user": stranger}], **where)


async def test_a_button_without_a_text_is_left_out_and_one_is_what_telegram_reads_first(play: Play) -> None:
    """Telegraf adds the field `hide`."""
    empty, full = {"text": "", "callback_data": "a"}, {"text": "x", "callback_data": "b"}
    sent = await play.send("hello", reply_markup={"inline_keyboard": [[empty, full], [empty]]})
    assert sent["reply_markup"] == {"inline_keyboard": [[full]]}
    assert "reply_markup" not in await play.send("hello", reply_markup={"inline_keyboard": [[empty]]})
    several = {"text": "x", "callback_data": "a", "url": "Example.org", "hide": False}
    sent = await play.send(reply_markup={"inline_keyboard": [[several]]})
    assert sent["reply_markup"] == {"inline_keyboard": [[{"text": "x", "url": "http://example.org/"}]]}
    rows = [[{"text": "x", "callback_data": "a" * 64}] * 8] * 12 + [[{"text": "go", "url": "https://t.me/bot?start=j"}]]
    sent = await play.send("x" * 4096, reply_markup={"inline_keyboard": rows})
    assert len(sent["reply_markup"]["inline_keyboard"]) == 13, "as large as it may be"
    await play.send("<b>" + "x" * 4096 + "</b>", parse_mode="HTML")


async def test_a_reply_shows_what_it_answers_but_no_chain_and_quotes_a_part(play: Play) -> None:
    first = await play.send("one")
    second = await play.send("two", reply_parameters={"message_id": first["message_id"]})
    third = await play.send("three", reply_parameters={"message_id": second["message_id"]})
    assert third["reply_to_message"]["text"] == "two"
    assert "reply_to_message" not in third["reply_to_message"]
    lenient = {"message_id": 99, "allow_sending_without_reply": True}
    assert "reply_to_message" not in await play.send("four", reply_parameters=lenient)
    assert "reply_to_message" not in await play.send("five", reply_parameters={})
    first = await play.send("🎲 three fives, or three sixes")
    answered = {"message_id": first["message_id"]}
    reply = await play.send("no", reply_parameters={**answered, "quote": "three", "quote_position": 14})
    assert reply["quote"] == {"text": "three", "position": 19, "is_manual": True}
    bold = {**answered, "quote": "<b>three</b> fives", "quote_parse_mode": "HTML"}
    marked = {"entities": [{"type": "bold", "offset": 0, "length": 5}], "is_manual": True}
    assert (await play.send("no", reply_parameters=bold))["quote"] == {"text": "three fives", "position": 3, **marked}
    wrong = {**answered, "quote": "two fives"}
    await play.refuses("sendMessage", "QUOTE_TEXT_INVALID", chat_id=play.group, text="x", reply_parameters=wrong)
    assert (await play.seen(reply["message_id"]))["quote"] == "three"


async def test_edits_change_words_drop_the_keyboard_and_preview_not_repeated_or_are_refused(play: Play) -> None:
    sent = await play.send("one", reply_markup=KEYBOARD)
    where = {"chat_id": play.group, "message_id": sent["message_id"]}
    kept = await play.ok("editMessageText", text="two", reply_markup=KEYBOARD, **where)
    assert (kept["text"], kept["reply_markup"]) == ("two", KEYBOARD)
    assert kept["edit_date"]
    assert "reply_markup" not in (await play.ok("editMessageText", text="two", **where))
    assert (await play.ok("editMessageReplyMarkup", reply_markup=KEYBOARD, **where))["text"] == "two"
    assert (await play.seen(sent["message_id"]))["reply_markup"] == KEYBOARD
    sent = await play.send("https://example.org", link_preview_options={"is_disabled": True})
    edit = {"chat_id": play.group, "message_id": sent["message_id"], "text": "https://example.org"}
    small = {"prefer_small_media": True}
    assert (await play.ok("editMessageText", **edit, link_preview_options=small))["link_preview_options"] == small
    assert (await play.refused("editMessageText", **edit, link_preview_options=small))[1].endswith("of the message")
    assert "link_preview_options" not in await play.ok("editMessageText", **edit)
    former = await play.ok("editMessageText", **edit, disable_web_page_preview=True)
    assert former["link_preview_options"] == {"is_disabled": True}
    assert not play.sandbox.world.calls.named("editMessageText")[-1].ignored
    sent = await play.send("<b>one</b>", parse_mode="HTML", reply_markup=KEYBOARD)
    said = await play.say("Ana", "/new")
    gone = await play.send()
    await play.act("DELETE", "/messages", chat_id=play.group, message_id=gone["message_id"])
    where = {"chat_id": play.group, "message_id": sent["message_id"]}
    unchanged = (
        "message is not modified: specified new message content and reply markup are exactly the same as "
        "a current content and reply markup of the message"
    )
    await play.refuses(
        "editMessageText",
        ({"text": "<b>one</b>", "parse_mode": "HTML", "reply_markup": KEYBOARD}, unchanged),
        ({"message_id": 99}, "message to edit not found"),
        ({"message_id": gone["message_id"]}, "message to edit not found"),
        ({"message_id": said["message_id"]}, "message can't be edited"),
        ({"message_id": None}, "message to edit not found"),
        ({"text": "x" * 4097}, "MESSAGE_TOO_LONG"),
        ({"text": None}, "message text is empty"),
        ({"inline_message_id": "AAA", "chat_id": None, "message_id": None}, "MESSAGE_ID_INVALID"),
        **{**where, "text": "x"},
    )
    await play.refuses("editMessageReplyMarkup", ({"reply_markup": KEYBOARD}, unchanged), **where)
    await play.refuses("editMessageCaption", ({"caption": "x"}, "there is no caption in the message to edit"), **where)


async def test_deleting_one_and_several(play: Play) -> None:
    sent, said = await play.send(), await play.say("Ana", "hi")
    where = {"chat_id": play.group, "message_id": sent["message_id"]}
    theirs = {"chat_id": play.group, "message_id": said["message_id"]}
    assert await play.ok("deleteMessage", **where) is True
    await play.refuses("deleteMessage", (where, "message to delete not found"), (theirs, "message can't be deleted"))
    play.bot_is("administrator")
    assert await play.ok("deleteMessage", **theirs) is True
    play.bot_is("member")
    old = await play.send()
    await play.pass_time(48 * 3600 + 1)
    late = {"chat_id": play.group, "message_id": old["message_id"]}
    await play.refuses("deleteMessage", "message can't be deleted for everyone", **late)
    ids = [(await play.send())["message_id"] for _ in range(3)]
    assert await play.ok("deleteMessages", chat_id=play.group, message_ids=[*ids, 77, ids[0]]) is True
    assert [one["message_id"] for one in (await play.state())["messages"]] == [old["message_id"]]


async def test_actions_and_pins_and_a_method_that_telegram_does_not_have(play: Play) -> None:
    sent = await play.send()
    where = {"chat_id": play.group, "message_id": sent["message_id"]}
    for action in ("typing", "upload_audio", "record_audio", "pick_up_location", "cancel"):
        assert await play.ok("sendChatAction", chat_id=play.group, action=action)
    await play.refuses("pinChatMessage", (where, "not enough rights to manage pinned messages in the chat"))
    play.bot_is("administrator")
    assert await play.ok("pinChatMessage", **where)
    assert (await play.ok("getChat", chat_id=play.group))["pinned_message"]["message_id"] == sent["message_id"]
    assert await play.ok("unpinChatMessage", chat_id=play.group)
    await play.refuses("unpinChatMessage", ({"chat_id": play.group}, "message to unpin not found"))
    assert await play.ok("unpinAllChatMessages", chat_id=play.group)
    assert await play.refused("makeCoffee") == (404, "Not Found: method not found")
    assert not (await play.state())["calls"][-1]["schema_ok"]


@pytest.mark.parametrize("settings", [SandboxSettings(port=0, chat_burst=1)])
async def test_one_message_a_second_in_one_chat_edits_too_but_answers_to_taps_are_free(play: Play) -> None:
    sent = await play.send(reply_markup=KEYBOARD)
    for _ in range(5):
        query = await play.tap("Ana", sent, "b")
        await play.ok("answerCallbackQuery", callback_query_id=query)
    answer = await play.call("sendMessage", chat_id=play.group, text="x")
    assert answer == {
        "ok": False,
        "error_code": 429,
        "description": "Too Many Requests: retry after 1",
        "parameters": {"retry_after": 1},
    }
    edit = {"chat_id": play.group, "message_id": sent["message_id"], "text": "x"}
    assert (await play.refused("editMessageText", **edit))[0] == 429
    await play.act("POST", "/flood", enabled=False)
    assert (await play.state())["flood_limits"] is False
    await play.send()
    play.sandbox.set_flood_limits(True)
    await play.pass_time(1)
    await play.ok("editMessageText", **edit)
    assert [call.method for call in play.sandbox.world.calls.flood_refusals[:3]] == ["sendMessage", "editMessageText"]
    assert (await play.state())["totals"]["flood_refusals"] == 2


MARKDOWN = """# Scores
Ana **won** with `x<y`

- [x] roll
- call

> well
> played

| who | dice |
|---|---|
| Ana | _5_ |

```
a  b
```
---
[more](https://example.org)"""


def test_markdown_becomes_blocks_and_words_and_html_the_same_blocks() -> None:
    blocks = blocks_of_markdown(MARKDOWN)
    kinds = "heading paragraph list blockquote table pre divider paragraph"
    assert [block["type"] for block in blocks] == kinds.split()
    shown = shown_words(blocks)
    assert (
        shown.text
        == """Scores
Ana won with x<y
• ☑ roll
• call
well played
who | dice
Ana | 5
a  b
———
more"""
    )
    assert [mark["type"] for mark in shown.entities] == ["bold", "code", "italic", "text_link"]
    source = "<h2>T</h2><p>Hi <b>you</b></p><details><summary>S</summary>in</details><ol><li>one</li></ol>"
    assert blocks_of_html(source) == [
        {"type": "heading", "text": "T", "size": 2},
        {"type": "paragraph", "text": ["Hi ", {"type": "bold", "text": "you"}]},
        {"type": "details", "summary": "S", "blocks": [{"type": "paragraph", "text": "in"}]},
        {"type": "list", "items": [{"blocks": [{"type": "paragraph", "text": "one"}], "label": "1."}]},
    ]


async def test_people_read_a_rich_message_and_its_edits(play: Play) -> None:
    ana = play.user("Ana")
    await play.start("Ana")
    sent = await play.ok("sendRichMessage", chat_id=ana.id, rich_message={"html": "<h1>Round 1</h1>Ana bids"})
    assert sent["rich_message"]["blocks"][1] == {"type": "paragraph", "text": "Ana bids"}
    assert "text" not in sent
    assert (await ana.sees("Ana bids")).text == "Round 1\nAna bids"
    where = {"chat_id": ana.id, "message_id": sent["message_id"]}
    blocks = [{"type": "list", "items": [{"blocks": [{"type": "paragraph", "text": "Bo bids"}]}]}]
    edited = await play.ok("editMessageText", **where, rich_message={"blocks": blocks})
    assert edited["rich_message"]["blocks"][0]["items"][0]["label"] == "•"
    await ana.sees("• Bo bids")
    plain = await play.ok("editMessageText", **where, text="Over")
    assert (plain["text"], "rich_message" in plain) == ("Over", False)
    assert await play.ok("sendRichMessageDraft", chat_id=ana.id, draft_id=1, rich_message={"html": "x"}) is True
