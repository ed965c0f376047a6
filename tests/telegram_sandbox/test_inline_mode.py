"""Inline mode: people type after the bot's name and choose a result, which is posted as their own message."""

import asyncio
import random
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from tests.telegram_sandbox.browsing import PIXEL
from tests.telegram_sandbox.conftest import Play, cannot, in_vain, keyboard, listening

TOO_OLD = "query is too old and response timeout expired or query ID is invalid"
UNREADABLE = "can't parse inline query result"
SETTINGS = {"inline_mode": True, "inline_feedback": 1, "guest_mode": True}


def article(result_id: str, title: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    content = {"message_text": text or f"<b>{title}</b>", "parse_mode": "HTML"}
    return {"type": "article", "id": result_id, "title": title, "input_message_content": content, **more}


async def ask(play: Play, name: str, text: str, chat: int | None = None, **more: Any) -> dict[str, Any]:
    body = {"from": play.id(name), "chat_id": chat or play.group, "query": text, **more}
    asked: dict[str, Any] = await play.act("POST", "/inline/queries", **body)
    return asked


async def answered(play: Play, name: str, *results: dict[str, Any], text: str = "") -> str:
    query_id: str = (await ask(play, name, text))["query_id"]
    await play.updates()
    await play.ok("answerInlineQuery", inline_query_id=query_id, results=list(results), cache_time=0)
    return query_id


async def choose(play: Play, name: str, query_id: str, result_id: str, chat: int | None = None) -> dict[str, Any]:
    body = {"from": play.id(name), "chat_id": chat or play.group, "query_id": query_id, "result_id": result_id}
    posted: dict[str, Any] = await play.act("POST", "/inline/choices", **body)
    return posted


async def test_the_bot_hears_who_asks_what_from_which_kind_of_chat_while_inline_mode_is_on(play: Play) -> None:
    await ask(play, "Ana", "4 five")
    (update,) = await play.updates()
    query = update["inline_query"]
    assert query["from"]["first_name"] == "Ana"
    assert (query["query"], query["offset"], query["chat_type"]) == ("4 five", "", "supergroup")
    basic = play.sandbox.add_group("Basic", [play.user("Ana")], kind="group")
    await ask(play, "Ana", "x", basic.id, offset="50")
    query = (await play.updates())[-1]["inline_query"]
    assert (query["chat_type"], query["offset"]) == ("group", "50")
    await ask(play, "Ana", "y" * 300, play.id("Ana"))
    query = (await play.updates())[-1]["inline_query"]
    assert (query["chat_type"], query["query"]) == ("sender", "y" * 256)
    body = {"from": play.id("Ana"), "chat_id": play.sandbox.add_group("Others", [play.user("Bo")]).id, "query": ""}
    assert (await play.act("POST", "/inline/queries", 400, **body))["error"] == "Ana is not in Others"
    await play.updates()
    await ask(play, "Ana", "")
    await play.pass_time(31)
    assert await play.updates() == [], "it waits thirty seconds for a bot that is down"
    body = {"from": play.id("Ana"), "chat_id": play.group, "query": ""}
    assert (await play.ok("getMe"))["supports_inline_queries"] is True
    assert await play.act("POST", "/inline", enabled=False) == {"enabled": False, "feedback": 1}
    assert (await play.ok("getMe"))["supports_inline_queries"] is False
    assert "no inline mode" in (await play.act("POST", "/inline/queries", 400, **body))["error"]
    assert await play.updates() == []
    await play.act("POST", "/inline", enabled=True)
    await play.act("POST", "/inline/queries", **body)
    assert len(await play.updates()) == 1


async def test_results_reach_whoever_asked_once_and_within_ten_seconds_and_wrong_ones_are_refused(play: Play) -> None:
    query_id = (await ask(play, "Ana", "4"))["query_id"]
    assert (await play.client.get(f"/sandbox/inline/queries/{query_id}")).json()["answered"] is False
    button = {"text": "How does it work?", "start_parameter": "help"}
    results = [article("b4-5", "4 hearts", description="one more"), article("pass", "Pass!")]
    answer = {"results": results, "button": button, "next_offset": "2"}
    assert await play.ok("answerInlineQuery", inline_query_id=query_id, **answer) is True
    shown = (await play.client.get(f"/sandbox/inline/queries/{query_id}")).json()
    titles = [(one["title"], one["description"]) for one in shown["results"]]
    assert titles == [("4 hearts", "one more"), ("Pass!", "")]
    assert (shown["button"], shown["next_offset"]) == (button, "2")

    late = (await ask(play, "Ana", "late"))["query_id"]
    await play.pass_time(11)
    for query in (query_id, "12345", None, late):
        await play.refuses("answerInlineQuery", TOO_OLD, inline_query_id=query, results=[])

    def starts(parameter: str) -> dict[str, Any]:
        return {"results": [], "button": {"text": "b", "start_parameter": parameter}}

    query_id = (await ask(play, "Ana", ""))["query_id"]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"results": [article(str(n), "x") for n in range(51)]}, "too many inline query results specified"),
        ({"results": [article("1", "x"), article("1", "y")]}, "RESULT_ID_DUPLICATE"),
        ({"results": [article("", "x")]}, "RESULT_ID_INVALID"),
        ({"results": [article("é" * 33, "x")]}, "RESULT_ID_INVALID"),
        ({"results": [{"type": "article", "id": "1", "title": "x"}]}, UNREADABLE),
        ({"results": [article("1", "", "text")]}, "ARTICLE_TITLE_EMPTY"),
        ({"results": [article("1", "x", "y" * 4097)]}, "MESSAGE_TOO_LONG"),
        ({"results": [article("1", "x", " ")]}, f"{UNREADABLE}: Text must be non-empty"),
        (
            {"results": [article("1", "x", "<b>y")]},
            f"{UNREADABLE}: Can't parse entities: Can't find end tag corresponding to start tag \"b\"",
        ),
        ({"results": [article("1", "x", reply_markup=keyboard([("tap", "d" * 65)]))]}, "BUTTON_DATA_INVALID"),
        ({"results": [], "next_offset": "o" * 65}, "NEXT_OFFSET_INVALID"),
        (starts(""), "can't use empty start_parameter"),
        (starts("a b"), "unallowed characters in start_parameter are used"),
        (starts("a" * 65), "too long start_parameter specified"),
        (
            {"results": [], "button": {"text": "b"}},
            f"{UNREADABLE}s button: InlineQueryResultsButton must have exactly one optional field",
        ),
    ]
    await play.refuses("answerInlineQuery", *wrong, inline_query_id=query_id)
    results = [article(f"{n:064}", f"result {n}") for n in range(50)]
    assert await play.ok("answerInlineQuery", inline_query_id=query_id, results=results) is True


async def test_an_answer_is_repeated_as_long_as_the_bot_allows_or_five_minutes_if_it_is_not_personal(
    play: Play,
) -> None:
    query_id = (await ask(play, "Ana", "rules"))["query_id"]
    results = [article("1", "The rules")]
    await play.ok("answerInlineQuery", inline_query_id=query_id, results=results, cache_time=60)
    await play.updates()
    again = await ask(play, "Bo", "rules")
    assert (again["answered"], again["results"][0]["title"]) == (True, "The rules")
    assert (await ask(play, "Bo", "rules", offset="1"))["answered"] is False
    await play.updates()
    await play.pass_time(61)
    assert (await ask(play, "Bo", "rules"))["answered"] is False
    assert len(await play.updates()) == 1

    async def known_to(name: str, **more: Any) -> bool:
        """Whether what Ana was answered is this person's answer, too."""
        query_id = (await ask(play, "Ana", str(more)))["query_id"]
        await play.ok("answerInlineQuery", inline_query_id=query_id, results=results, **more)
        return bool((await ask(play, name, str(more)))["answered"])

    assert await known_to("Ana", is_personal=True)
    assert not await known_to("Bo", is_personal=True, button={"text": "b", "start_parameter": "a"})
    assert not await known_to("Bo", cache_time=0)
    assert await known_to("Bo")
    await play.pass_time(299)
    assert (await ask(play, "Bo", "{}"))["answered"] is True
    await play.pass_time(2)
    assert (await ask(play, "Bo", "{}"))["answered"] is False


async def test_the_message_is_the_persons_own_and_reaches_a_bot_in_privacy_mode(play: Play) -> None:
    query_id = await answered(play, "Ana", article("b", "4 hearts"), text="4")
    posted = await choose(play, "Ana", query_id, "b")
    assert (posted["from"]["name"], posted["text"], posted["via"]) == ("Ana", "4 hearts", "sandbox_bot")
    message, chosen = await play.updates()
    assert message["message"]["via_bot"]["username"] == "sandbox_bot"
    assert message["message"]["from"]["id"] == play.id("Ana")
    assert message["message"]["entities"] == [{"type": "bold", "offset": 0, "length": 8}]
    assert (chosen["chosen_inline_result"]["result_id"], chosen["chosen_inline_result"]["query"]) == ("b", "4")
    assert "inline_message_id" not in chosen["chosen_inline_result"]
    body = {"chat_id": play.group, "query_id": query_id, "result_id": "b"}
    unanswered = (await ask(play, "Ana", "x"))["query_id"]
    for name, more in (("Bo", {}), ("Ana", {"result_id": "c"}), ("Ana", {"query_id": unanswered})):
        await play.act("POST", "/inline/choices", 400, **body | more, **{"from": play.id(name)})
    where = {"chat_id": play.group, "message_id": posted["message_id"]}
    refused = await play.act("PATCH", "/messages", 400, **where, **{"from": play.id("Ana"), "text": "5 hearts"})
    assert "only be edited by the bot" in refused["error"]


async def test_a_chosen_result_is_told_only_with_inline_feedback(play: Play) -> None:
    query_id = await answered(play, "Ana", article("b", "4 hearts"))
    other = play.sandbox.add_group("Others", [play.user("Ana")])
    play.bot_is("kicked", other)
    await play.updates()
    assert (await choose(play, "Ana", query_id, "b", other.id))["chat_id"] == other.id
    assert [set(update) - {"update_id"} for update in await play.updates()] == [{"chosen_inline_result"}]
    await play.act("POST", "/inline", feedback=0)
    await choose(play, "Ana", query_id, "b")
    assert [set(update) - {"update_id"} for update in await play.updates()] == [{"message"}]
    assert (await play.refused("sendMessage", chat_id=play.id("Ana"), text="hi"))[0] == 403
    await choose(play, "Ana", query_id, "b", play.id("Ana"))
    await play.send("hi", play.id("Ana"))  # a result opens the private chat as any message does
    random.seed(1)
    await play.act("POST", "/inline", feedback=0.5)
    for _ in range(40):
        await choose(play, "Ana", query_id, "b")
    assert 8 < len([update for update in await play.updates() if "chosen_inline_result" in update]) < 32


async def test_the_bot_edits_a_posted_message_that_has_a_keyboard_and_hears_of_its_taps(play: Play) -> None:
    keys = keyboard([("Doubt", "d")])
    query_id = await answered(play, "Ana", article("b", "4 hearts", reply_markup=keys))
    posted = await choose(play, "Ana", query_id, "b")
    chosen = (await play.updates())[1]["chosen_inline_result"]
    where = {"inline_message_id": chosen["inline_message_id"]}
    assert await play.ok("editMessageText", text="doubted", reply_markup=keys, **where) is True
    assert (await play.seen(posted["message_id"]))["text"] == "doubted"
    assert await play.ok("editMessageReplyMarkup", reply_markup=keyboard([("Gone", "g")]), **where) is True
    await play.refuses("editMessageCaption", "there is no caption in the message to edit", caption="x", **where)
    foreign = {"chat_id": play.group, "message_id": posted["message_id"]}
    await play.refuses(
        "editMessageText",
        ({"inline_message_id": "abc"}, "MESSAGE_ID_INVALID"),
        (foreign, "message can't be edited"),
        text="x",
    )
    await play.tap("Bo", {"message_id": posted["message_id"], "chat": {"id": play.group}}, "g")
    tap = (await play.updates())[0]["callback_query"]
    assert (tap["from"]["first_name"], tap["data"]) == ("Bo", "g")
    assert tap["inline_message_id"] == chosen["inline_message_id"]
    assert "message" not in tap
    assert await play.ok("answerCallbackQuery", callback_query_id=tap["id"]) is True


async def test_a_file_that_the_bot_knows_or_by_its_address_is_posted_and_a_missing_one_is_only_shown(
    play: Play,
) -> None:
    play.sandbox.add_file("CAADknown", PIXEL, "sticker")
    sticker = {"type": "sticker", "id": "card", "sticker_file_id": "CAADknown"}
    query_id = await answered(play, "Ana", sticker)
    posted = await choose(play, "Ana", query_id, "card")
    assert (posted["media"]["kind"], posted["via"]) == ("sticker", "sandbox_bot")
    assert (await play.updates())[0]["message"]["sticker"]["file_id"] == "CAADknown"
    asked = await ask(play, "Ana", "")
    unknown = "wrong remote file identifier specified: Wrong string length"
    unsupported = "unsupported for the inline query result"
    await play.refuses(
        "answerInlineQuery",
        ({"results": [sticker | {"sticker_file_id": "CAADother"}]}, unknown),
        ({"results": [{"type": "foo", "id": "1"}]}, f'{UNREADABLE}: type "foo" is {unsupported}'),
        ({"results": [{"type": "photo", "id": "1"}]}, UNREADABLE),
        inline_query_id=asked["query_id"],
    )

    async def serve(_request: Request) -> Response:
        return Response(PIXEL, media_type="image/png")

    async with listening(serve) as address:
        picture = {"photo_url": f"{address}/cat.png", "thumbnail_url": f"{address}/cat.png"}
        cat = {"type": "photo", "id": "cat", "caption": "<b>Cat</b>", **picture}
        film = {"video_url": "https://example.org/x.mp4", "mime_type": "video/mp4", "thumbnail_url": f"{address}/x.png"}
        far = {"type": "video", "id": "far", "title": "Far", **film}
        query_id = await answered(play, "Ana", cat | {"parse_mode": "HTML"}, far)
    posted = await choose(play, "Ana", query_id, "cat")
    assert (posted["caption"], posted["photo_size"], posted["via"]) == ("Cat", [1, 1], "sandbox_bot")
    assert (await play.updates())[0]["message"]["photo"][0]["width"] == 1
    body = {"from": play.id("Ana"), "chat_id": play.group, "query_id": query_id, "result_id": "far"}
    refused = await play.act("POST", "/inline/choices", 400, **body)
    why = "Bad Request: failed to get HTTP URL content"
    assert refused["error"].startswith(f"the file of 'Far' cannot be posted: {why}")


async def test_people_of_a_test_type_choose_and_switch(play: Play) -> None:
    """The same in Python, with buttons that fill the text field."""
    sandbox = play.sandbox
    ana, bo, club = sandbox.user("Ana"), sandbox.user("Bo"), sandbox.world.chats[play.group]
    buttons = [
        {"text": "My turn", "switch_inline_query_current_chat": "bid"},
        {"text": "Share", "switch_inline_query": "rules"},
        {"text": "Invite", "switch_inline_query_chosen_chat": {"query": "come", "allow_group_chats": True}},
        {"text": "Tap", "callback_data": "tap"},
    ]
    sent = await play.send("table", reply_markup={"inline_keyboard": [buttons]})
    assert sent["reply_markup"]["inline_keyboard"] == [buttons]
    answering = asyncio.create_task(answer_everything(play))

    assert (await ana.type_inline("4", club)).titles == ["said 4"]
    posted = await ana.choose("said 4", club)
    assert (posted.text, posted.via_bot, posted.sender_id) == ("4!", True, ana.id)
    await cannot(ana.choose("said 4", club), "sees no result 'said 4'")

    assert (await bo.switch_inline("My turn", club)).titles == ["said bid"]
    assert (await bo.choose("said bid", club, reply_to=posted)).reply_to == posted.message_id
    private = sandbox.world.chats[bo.id]
    assert (await bo.switch_inline("Share", club, into=private)).titles == ["said rules"]
    assert (await bo.choose("said rules")).chat_id == bo.id
    await cannot(bo.switch_inline("Invite", club, into=private), "asks for another chat")
    assert (await bo.switch_inline("Invite", club, into=club)).titles == ["said come"]
    await cannot(bo.switch_inline("Tap", club), "does not fill")

    answering.cancel()
    await in_vain(ana.type_inline("late", club, within=0.1), "'late' is not answered")


async def answer_everything(play: Play) -> None:
    while True:
        for update in await play.updates():
            if "inline_query" in update:
                query = update["inline_query"]
                result = article("1", f"said {query['query']}", f"{query['query']}!")
                await play.ok("answerInlineQuery", inline_query_id=query["id"], results=[result], cache_time=0)
        await asyncio.sleep(0.01)


async def test_in_guest_mode_a_person_asks_the_bot_where_it_is_not_and_reads_its_answer(play: Play) -> None:
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
