"""Files, places, contacts, dice and polls, from the bot and from people; albums, forwards and copies."""

from pathlib import Path
from typing import Any

import pytest

from tests.telegram_sandbox.browsing import PIXEL
from tests.telegram_sandbox.conftest import Play, cannot

PLACE = {"latitude": 50.85, "longitude": 4.35}
ELSEWHERE = {"latitude": 50.86, "longitude": 4.36}


@pytest.mark.parametrize(
    ("method", "field", "content", "more"),
    [
        ("sendVideo", "video", b"\0\0\0\x18ftypmp42", {"duration": 3, "width": 640, "height": 360}),
        ("sendAudio", "audio", b"ID3....", {"duration": 180, "title": "Song", "performer": "Band"}),
        ("sendVideoNote", "video_note", b"\0\0\0\x18ftypmp42", {"duration": 3, "length": 240}),
        ("sendSticker", "sticker", PIXEL, {"emoji": "🎲"}),
    ],
)
async def test_the_bot_sends_a_file_and_sends_it_again_by_its_id(
    play: Play, method: str, field: str, content: bytes, more: dict[str, object]
) -> None:
    sent = await play.ok(method, chat_id=play.group, **more, **{field: content})
    assert more.items() <= sent[field].items()
    again = await play.ok(method, chat_id=play.group, **{field: sent[field]["file_id"]})
    assert again[field]["file_unique_id"] == sent[field]["file_unique_id"]
    assert await play.file(sent[field]["file_id"]) == content
    assert (await play.seen(sent["message_id"]))["media"]["kind"] == field


async def test_places_contacts_and_dice_and_an_album_of_several_messages(play: Play) -> None:
    here = {"chat_id": play.group}
    venue, contact = {"title": "Café", "address": "Rue 1"}, {"phone_number": "+32470000000", "first_name": "Lee"}
    assert (await play.ok("sendLocation", **here, **PLACE))["location"] == PLACE
    sent = await play.ok("sendVenue", **here, **venue, **PLACE)
    assert (sent["venue"]["title"], sent["location"]) == ("Café", PLACE)
    assert (await play.ok("sendContact", **here, **contact))["contact"] == contact
    assert 1 <= (await play.ok("sendDice", **here))["dice"]["value"] <= 6
    assert (await play.state())["messages"][-4]["attachment"] == {"location": PLACE}
    media = [{"type": "photo", "media": "attach://one", "caption": "Two"}, {"type": "photo", "media": "attach://two"}]
    first, second = await play.ok("sendMediaGroup", chat_id=play.group, media=media, one=PIXEL, two=PIXEL)
    assert first["media_group_id"] == second["media_group_id"]
    assert (first["caption"], second["message_id"]) == ("Two", first["message_id"] + 1)
    again = [{"type": "photo", "media": first["photo"][0]["file_id"]}]
    (single,) = await play.ok("sendMediaGroup", chat_id=play.group, media=again, reply_markup={"inline_keyboard": 1})
    assert not {"media_group_id", "reply_markup"} & set(single)


async def test_people_vote_and_the_bot_is_told_and_a_vote_in_a_quiz_of_formatted_words_is_final(play: Play) -> None:
    options = ["Monday", {"text": "Friday"}]
    sent = await play.ok("sendPoll", chat_id=play.group, question="When?", options=options, is_anonymous=False)
    ana = play.user("Ana")
    await ana.vote("Friday", chat=play.chat)
    state, answer = await play.updates()
    assert [option["voter_count"] for option in state["poll"]["options"]] == [0, 1]
    assert (answer["poll_answer"]["user"]["id"], answer["poll_answer"]["option_ids"]) == (ana.id, [1])
    await ana.vote(chat=play.chat)
    assert (await play.updates())[1]["poll_answer"]["option_ids"] == []
    await cannot(ana.vote("Monday", "Friday", chat=play.chat), "takes one answer")
    await cannot(ana.vote("Sunday", chat=play.chat), "no option 'Sunday'")
    assert (await play.ok("stopPoll", chat_id=play.group, message_id=sent["message_id"]))["is_closed"]
    assert (await play.updates())[0]["poll"]["is_closed"]
    await cannot(ana.vote("Monday", chat=play.chat), "no open poll")
    quiz = {"chat_id": play.group, "question": "Fish?", "options": ["3", "4"], "type": "quiz"}
    words = {"question": "Fish &amp; <b>chips</b>?", "question_parse_mode": "HTML"}
    why = {"explanation": "*No*", "explanation_parse_mode": "MarkdownV2"}
    poll = (await play.ok("sendPoll", correct_option_ids=[1], **quiz | words | why))["poll"]
    assert (poll["type"], poll["question"], poll["explanation"]) == ("quiz", "Fish & chips?", "No")
    assert poll["explanation_entities"] == [{"type": "bold", "offset": 0, "length": 2}]
    await play.user("Ana").vote("3", chat=play.chat)
    await cannot(play.user("Ana").vote("4", chat=play.chat), "final")


@pytest.mark.parametrize("ends", ["open_period", "close_date"])
async def test_a_poll_closes_at_its_time_unless_that_is_over_or_it_was_stopped(play: Play, ends: str) -> None:
    now = play.sandbox.world.clock.unix()
    new = {"chat_id": play.group, "question": "When?", "options": ["Now", "Later"]}
    assert "close_date" not in (await play.ok("sendPoll", **new, close_date=now + 2))["poll"]
    stopped = await play.ok("sendPoll", **new, open_period=60)
    await play.ok("stopPoll", chat_id=play.group, message_id=stopped["message_id"])
    await play.updates()
    sent = await play.ok("sendPoll", **new, **{ends: 60 if ends == "open_period" else now + 60})
    assert sent["poll"]["open_period"] in (59, 60)
    assert 60 <= sent["poll"]["close_date"] - now <= 61
    play.sandbox.advance_clock(55)
    assert await play.updates() == []
    play.sandbox.advance_clock(10)
    (closed,) = await play.updates()
    assert closed["poll"]["is_closed"]


async def test_a_person_sends_a_poll_which_the_bot_copies_and_votes_over_http(play: Play) -> None:
    ana = await play.start("Ana")
    await ana.send_poll("Who bluffs?", "Ana", "Bo")
    (_, asked) = [update["message"] for update in await play.updates()]
    await play.ok("copyMessage", chat_id=ana.id, from_chat_id=ana.id, message_id=asked["message_id"])
    message = ana.messages()[-1]
    copied = message.poll
    assert copied
    assert (copied.question, copied.options) == ("Who bluffs?", ("Ana", "Bo"))
    assert copied.id != asked["poll"]["id"]
    vote = {"from": ana.id, "chat_id": ana.id, "message_id": message.message_id}
    assert (await play.act("POST", "/votes", options=["Ana"], **vote))["poll"]["total_voter_count"] == 1
    assert [sorted(update) for update in await play.updates()] == [["poll", "update_id"]], "anonymous"
    await play.act("POST", "/votes", 400, options=["Sunday"], **vote)
    body = {"from": ana.id, "question": "Again?", "options": ["Yes"]}
    assert (await play.act("POST", "/polls", **body))["poll"]["question"] == "Again?"


async def test_forwards_name_the_author_and_copies_do_not(play: Play) -> None:
    ana = play.user("Ana")
    where = {"chat_id": play.group, "from_chat_id": ana.id, "message_id": (await ana.send("/start")).message_id}
    forwarded = await play.ok("forwardMessage", **where)
    assert (forwarded["text"], forwarded["from"]["is_bot"]) == ("/start", True)
    assert forwarded["forward_origin"]["sender_user"]["id"] == ana.id
    copied = await play.ok("copyMessage", **where)
    assert set(copied) == {"message_id"}
    assert (await play.seen(copied["message_id"]))["forwarded_from"] is None
    assert (await play.seen(forwarded["message_id"]))["forwarded_from"] == "Ana"
    assert len(await play.ok("copyMessages", chat_id=ana.id, from_chat_id=play.group, message_ids=[1, 2, 99])) == 2
    await play.refuses("forwardMessage", "message to forward not found", **where | {"message_id": 99})
    photo = await ana.send_photo(PIXEL, caption="Mine")
    caption = {"message_id": photo.message_id, "caption": "<b>Yours</b>", "parse_mode": "HTML"}
    copied = await play.ok("copyMessage", **where | caption)
    assert (await play.seen(copied["message_id"]))["caption"] == "Yours"
    protected = await play.send(protect_content=True)
    where = {"chat_id": ana.id, "from_chat_id": play.group, "message_id": protected["message_id"]}
    await play.refuses("forwardMessage", "message can't be forwarded", **where)
    await play.refuses("copyMessage", "message can't be copied", **where)


async def test_what_people_send_reaches_the_bot(play: Play, tmp_path: Path) -> None:
    ana = play.user("Ana")
    table = tmp_path / "table.csv"
    table.write_text("a,b")
    await ana.send_photo(PIXEL, caption="A cat", album="summer")
    await ana.send_voice(b"OggS....", duration=3)
    await ana.send_document(table)
    await ana.send_video(b"\0\0\0\x18ftypmp42", duration=4, album="summer")
    await ana.send_audio(b"ID3....", title="Song")
    await ana.send_sticker(PIXEL, emoji="🎲")
    await ana.send_location(50.85, 4.35)
    await ana.send_contact("+32470000000")
    await ana.send_venue(50.85, 4.35, "Café", "Rue 1")
    thrown = await ana.send_dice("🎯")
    asked = await ana.send("🎲 three fives?")
    await ana.send("yes", reply_to=asked, quote="three")
    messages = [update["message"] for update in await play.updates()]
    kinds = "photo voice document video audio sticker location contact venue dice text quote"
    assert all(kind in message for kind, message in zip(kinds.split(), messages, strict=True))
    photo, _, document, video, *_, contact, venue, dice, _, reply = messages
    assert (photo["caption"], document["document"]["file_name"]) == ("A cat", "table.csv")
    assert photo["media_group_id"] == video["media_group_id"] == "summer"
    assert "media_group_id" not in document
    assert contact["contact"] == {"phone_number": "+32470000000", "first_name": "Ana", "user_id": ana.id}
    assert (venue["venue"]["title"], venue["location"]) == ("Café", PLACE)
    assert dice["dice"] == (thrown.attachment or {})["dice"]
    assert 1 <= dice["dice"]["value"] <= 6
    assert reply["quote"] == {"text": "three", "position": 3, "is_manual": True}
    for refused, words in (
        (ana.send_photo(b"no image"), "cannot be sent as a photo"),
        (ana.send_document(b""), "empty"),
        (ana.send_voice(b"OggS", album="summer"), "an album has photo, video, audio, document"),
        (ana.send("no", reply_to=asked, quote="four"), "does not say that"),
        (ana.send_dice("🦊"), "🎰"),
    ):
        await cannot(refused, words)


async def test_the_bot_manages_topics_and_the_general_one(play: Play) -> None:
    await play.refuses("createForumTopic", "the chat is not a forum", chat_id=play.group, name="Games")
    forum = play.sandbox.add_group("Forum", [play.user("Ana"), play.user("Bo")], is_forum=True)
    where = {"chat_id": forum.id}
    await play.refuses("createForumTopic", "not enough rights to create a topic", name="Games", **where)
    play.bot_is("administrator", forum)
    where["message_thread_id"] = (await play.ok("createForumTopic", name="Games", **where))["message_thread_id"]
    assert (await play.ok("sendMessage", text="Here", **where))["is_topic_message"]
    assert await play.ok("editForumTopic", name="Dice", **where)
    assert await play.ok("closeForumTopic", **where)
    await play.refuses("closeForumTopic", "TOPIC_NOT_MODIFIED", **where)
    assert await play.ok("reopenForumTopic", **where)
    assert await play.ok("deleteForumTopic", **where)
    await play.refuses("sendMessage", "message thread not found", text="Here", **where)
    bo = play.user("Bo")
    forum = play.sandbox.add_group("General", [play.user("Ana"), bo], is_forum=True)
    where = {"chat_id": forum.id}
    await play.refuses("closeGeneralForumTopic", "not enough rights to create a topic", **where)
    play.bot_is("administrator", forum)
    assert await play.ok("editGeneralForumTopic", name="Lobby", **where)
    assert bo.messages(forum)[-1].service == {"forum_topic_edited": {"name": "Lobby"}}
    assert bo.messages(forum)[-1].thread_id is None
    assert await play.ok("closeGeneralForumTopic", **where)
    await play.refuses("closeGeneralForumTopic", "TOPIC_NOT_MODIFIED", **where)
    await cannot(bo.send("hello", forum), "the topic is closed")
    await play.send(chat=forum.id)
    play.bot_is("member", forum)
    await play.refuses("sendMessage", "TOPIC_CLOSED", text="x", **where)
    play.bot_is("administrator", forum)
    assert await play.ok("reopenGeneralForumTopic", **where)
    assert await play.ok("hideGeneralForumTopic", **where)
    assert bo.messages(forum)[-1].service == {"general_forum_topic_hidden": {}}
    await play.refuses("hideGeneralForumTopic", "TOPIC_NOT_MODIFIED", **where)
    await cannot(bo.send("hello", forum), "the topic is closed")
    assert await play.ok("reopenGeneralForumTopic", **where)
    await play.refuses("unhideGeneralForumTopic", "TOPIC_NOT_MODIFIED", **where)
    topic = play.sandbox.add_topic(forum, "Games").thread_id
    threads: list[dict[str, Any]] = [{}, {"message_thread_id": topic}]
    sent = [(await play.send(chat=forum.id, **thread))["message_id"] for thread in threads]
    for message_id in sent:
        await play.ok("pinChatMessage", message_id=message_id, **where)
    assert await play.ok("unpinAllGeneralForumTopicMessages", **where)
    assert forum.pinned == sent[1:]
    assert await play.ok("unpinAllForumTopicMessages", message_thread_id=topic, **where)
    assert forum.pinned == []


async def test_a_live_location_of_the_bot_or_a_person_moves_until_it_ends(play: Play) -> None:
    sent = await play.ok("sendLocation", chat_id=play.group, live_period=600, **PLACE)
    where = {"chat_id": play.group, "message_id": sent["message_id"]}
    moved = await play.ok("editMessageLiveLocation", heading=90, **ELSEWHERE, **where)
    assert moved["location"] == ELSEWHERE | {"live_period": 600, "heading": 90}
    assert moved["edit_date"]
    refused = await play.refused("editMessageLiveLocation", heading=90, **ELSEWHERE, **where)
    assert "message is not modified" in refused[1]
    await play.refuses("editMessageLiveLocation", "invalid location specified", latitude=91, longitude=0, **where)
    assert (await play.ok("stopMessageLiveLocation", **where))["location"] == ELSEWHERE
    over = await play.ok("sendLocation", chat_id=play.group, live_period=600, **PLACE)
    play.sandbox.advance_clock(600)
    await play.refuses(
        "stopMessageLiveLocation",
        "message can't be edited",
        ({"message_id": over["message_id"]}, "message can't be edited"),
        ({"message_id": (await play.send())["message_id"]}, "there is no live location in the message to edit"),
        **where,
    )
    answer = await play.send("There?", reply_parameters={"message_id": over["message_id"]})
    assert answer["reply_to_message"]["location"] == PLACE
    ana = play.user("Ana")
    live = await ana.send_location(50.85, 4.35, live_period=600)
    await ana.move_location(live, 50.86, 4.36)
    await cannot(play.user("Bo").move_location(live, 0, 0), "Bo is not in Ana")
    await ana.move_location(live, 50.87, 4.37, ends=True)
    sent, moved, ended = await play.updates()
    assert sent["message"]["location"] == PLACE | {"live_period": 600}
    assert moved["edited_message"]["location"] == ELSEWHERE | {"live_period": 600}
    assert ended["edited_message"]["location"] == {"latitude": 50.87, "longitude": 4.37}
    again = await ana.send_location(50.85, 4.35, live_period=600)
    play.sandbox.advance_clock(600)
    for over in (live, again, await ana.send("here")):
        await cannot(ana.move_location(over, 0, 0), "no live location of Ana, or it has ended")
