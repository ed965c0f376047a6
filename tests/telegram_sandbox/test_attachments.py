"""Files, places, contacts, dice and polls, from the bot and from people; albums, forwards and copies."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from telegram_sandbox import ControlError
from tests.telegram_sandbox.conftest import Play

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63606060000000040001f61738"
    "550000000049454e44ae426082"
)
PLACE = {"latitude": 50.85, "longitude": 4.35}


async def files(play: Play, method: str, params: dict[str, str], **contents: bytes) -> httpx.Response:
    parts = {name: (f"{name}.bin", content) for name, content in contents.items()}
    return await play.client.post(f"/bot{play.sandbox.token}/{method}", data=params, files=parts)


@pytest.mark.parametrize(
    ("method", "field", "content", "more"),
    [
        ("sendVideo", "video", b"\0\0\0\x18ftypmp42", {"duration": 3, "width": 640, "height": 360}),
        ("sendAudio", "audio", b"ID3....", {"duration": 180, "title": "Song", "performer": "Band"}),
        ("sendVideoNote", "video_note", b"\0\0\0\x18ftypmp42", {"duration": 3, "length": 240}),
        ("sendSticker", "sticker", PNG, {"emoji": "🎲"}),
    ],
)
async def test_the_bot_sends_a_file_and_sends_it_again_by_its_id(
    play: Play, method: str, field: str, content: bytes, more: dict[str, object]
) -> None:
    form = {"chat_id": str(play.group), **{name: str(value) for name, value in more.items()}}
    sent = (await files(play, method, form, **{field: content})).json()["result"]
    assert more.items() <= sent[field].items()
    again = await play.ok(method, chat_id=play.group, **{field: sent[field]["file_id"]})
    assert again[field]["file_unique_id"] == sent[field]["file_unique_id"]
    path = (await play.ok("getFile", file_id=sent[field]["file_id"]))["file_path"]
    assert (await play.client.get(f"/file/bot{play.sandbox.token}/{path}")).content == content
    assert (await play.seen(sent["message_id"]))["media"]["kind"] == field
    assert not play.sandbox.world.calls.schema_failures


async def test_an_album_is_several_messages_of_one_group(play: Play) -> None:
    media = '[{"type":"photo","media":"attach://one","caption":"Two"},{"type":"photo","media":"attach://two"}]'
    answer = await files(play, "sendMediaGroup", {"chat_id": str(play.group), "media": media}, one=PNG, two=PNG)
    first, second = answer.json()["result"]
    assert first["media_group_id"] == second["media_group_id"]
    assert (first["caption"], second["message_id"]) == ("Two", first["message_id"] + 1)
    again = [{"type": "photo", "media": first["photo"][0]["file_id"]}]
    (single,) = await play.ok("sendMediaGroup", chat_id=play.group, media=again)
    assert "media_group_id" not in single
    await play.refuses(
        "sendMediaGroup",
        ({"media": []}, "there are no messages to send"),
        ({"media": again * 11}, "too many messages to send as an album"),
        ({"media": [*again, {"type": "audio", "media": "x"}]}, "audio can't be mixed with other media types"),
        (
            {"media": [*again, {**again[0], "show_caption_above_media": True}]},
            "parameter show_caption_above_media must be the same for all messages",
        ),
        chat_id=play.group,
    )
    assert not play.sandbox.world.calls.schema_failures
    (plain,) = await play.ok("sendMediaGroup", chat_id=play.group, media=again, reply_markup={"inline_keyboard": 1})
    assert "reply_markup" not in plain


async def test_places_contacts_and_dice(play: Play) -> None:
    sent = await play.ok("sendLocation", chat_id=play.group, **PLACE)
    assert sent["location"] == PLACE
    venue = await play.ok("sendVenue", chat_id=play.group, title="Café", address="Rue 1", **PLACE)
    assert (venue["venue"]["title"], venue["location"]) == ("Café", PLACE)
    contact = {"phone_number": "+32470000000", "first_name": "Lee"}
    assert (await play.ok("sendContact", chat_id=play.group, **contact))["contact"] == contact
    assert 1 <= (await play.ok("sendDice", chat_id=play.group))["dice"]["value"] <= 6
    assert (await play.state())["messages"][-4]["attachment"] == {"location": PLACE}
    assert not play.sandbox.world.calls.schema_failures
    off = {"chat_id": play.group, "latitude": 91, "longitude": 0}
    assert (await play.refused("sendLocation", **off))[1] == "Bad Request: invalid location specified"
    refused = await play.refused("sendVenue", title="Café", address="Rue 1", **off)
    assert refused[1] == "Bad Request: wrong venue location specified"
    assert (await play.refused("sendLocation", chat_id=play.group))[1] == "Bad Request: latitude is empty"


class TestPolls:
    async def test_people_vote_and_the_bot_is_told(self, play: Play) -> None:
        options = ["Monday", {"text": "Friday"}]
        sent = await play.ok("sendPoll", chat_id=play.group, question="When?", options=options, is_anonymous=False)
        ana = play.sandbox.user("Ana")
        group = play.sandbox.world.chats[play.group]
        await ana.vote("Friday", chat=group)
        state, answer = await play.updates()
        assert [option["voter_count"] for option in state["poll"]["options"]] == [0, 1]
        assert (answer["poll_answer"]["user"]["id"], answer["poll_answer"]["option_ids"]) == (ana.id, [1])
        await ana.vote(chat=group)
        assert (await play.updates())[1]["poll_answer"]["option_ids"] == []
        with pytest.raises(ControlError, match="takes one answer"):
            await ana.vote("Monday", "Friday", chat=group)
        with pytest.raises(ControlError, match="no option 'Sunday'"):
            await ana.vote("Sunday", chat=group)
        closed = await play.ok("stopPoll", chat_id=play.group, message_id=sent["message_id"])
        assert closed["is_closed"]
        assert (await play.updates())[0]["poll"]["is_closed"]
        with pytest.raises(ControlError, match="no open poll"):
            await ana.vote("Monday", chat=group)
        assert not play.sandbox.world.calls.schema_failures

    @pytest.mark.parametrize("ends", [{"open_period": 60}, {"close_date": 60}])
    async def test_a_poll_closes_at_its_time(self, play: Play, ends: dict[str, int]) -> None:
        now = play.sandbox.world.clock.unix()
        ends = {name: value + now if name == "close_date" else value for name, value in ends.items()}
        sent = await play.ok("sendPoll", chat_id=play.group, question="When?", options=["Now", "Later"], **ends)
        assert sent["poll"]["open_period"] in (59, 60)
        assert 60 <= sent["poll"]["close_date"] - now <= 61
        play.sandbox.advance_clock(55)
        assert await play.updates() == []
        play.sandbox.advance_clock(10)
        (closed,) = await play.updates()
        assert closed["poll"]["is_closed"]
        with pytest.raises(ControlError, match="no open poll"):
            await play.sandbox.user("Ana").vote("Now", chat=play.sandbox.world.chats[play.group])
        assert not play.sandbox.world.calls.schema_failures

    async def test_a_date_that_is_over_or_a_stop_before_closes_nothing_later(self, play: Play) -> None:
        new = {"chat_id": play.group, "question": "When?", "options": ["Now", "Later"]}
        late = await play.ok("sendPoll", **new, close_date=play.sandbox.world.clock.unix() + 2)
        assert "close_date" not in late["poll"]
        stopped = await play.ok("sendPoll", **new, open_period=60)
        await play.ok("stopPoll", chat_id=play.group, message_id=stopped["message_id"])
        await play.updates()
        play.sandbox.advance_clock(100)
        assert await play.updates() == []

    async def test_the_control_api_votes_too(self, play: Play) -> None:
        sent = await play.ok("sendPoll", chat_id=play.group, question="When?", options=["Monday", "Friday"])
        body = {"from": play.id("Bo"), "chat_id": play.group, "message_id": sent["message_id"]}
        shown = await play.act("POST", "/votes", options=["Monday"], **body)
        assert shown["poll"]["total_voter_count"] == 1
        assert [next(iter(update.keys() - {"update_id"})) for update in await play.updates()] == ["poll"], "anonymous"
        await play.act("POST", "/votes", 400, options=["Sunday"], **body)

    async def test_a_vote_in_a_quiz_is_final(self, play: Play) -> None:
        quiz = {"chat_id": play.group, "question": "2 + 2?", "options": ["3", "4"], "type": "quiz"}
        await play.refuses(
            "sendPoll",
            ({}, "correct quiz option list must be non-empty"),
            ({"correct_option_ids": [2]}, "wrong quiz correct_option_id"),
            ({"correct_option_ids": ["1"]}, "correct option identifier must be of type Number"),
            **quiz,
        )
        assert (await play.ok("sendPoll", correct_option_ids=[1], **quiz))["poll"]["type"] == "quiz"
        ana, group = play.sandbox.user("Ana"), play.sandbox.world.chats[play.group]
        await ana.vote("3", chat=group)
        with pytest.raises(ControlError, match="final"):
            await ana.vote("4", chat=group)


async def test_forwards_name_the_author_and_copies_do_not(play: Play) -> None:
    ana = play.sandbox.user("Ana")
    said = await ana.send("/start")
    where = {"chat_id": play.group, "from_chat_id": ana.id, "message_id": said.message_id}
    forwarded = await play.ok("forwardMessage", **where)
    assert (forwarded["text"], forwarded["from"]["is_bot"]) == ("/start", True)
    assert forwarded["forward_origin"]["sender_user"]["id"] == ana.id
    copied = await play.ok("copyMessage", **where)
    assert set(copied) == {"message_id"}
    assert (await play.seen(copied["message_id"]))["forwarded_from"] is None
    assert (await play.seen(forwarded["message_id"]))["forwarded_from"] == "Ana"
    both = await play.ok("copyMessages", chat_id=ana.id, from_chat_id=play.group, message_ids=[1, 2, 99])
    assert len(both) == 2
    await play.refuses("forwardMessage", ({**where, "message_id": 99}, "message to forward not found"))
    protected = await play.send(protect_content=True)
    where = {"chat_id": ana.id, "from_chat_id": play.group, "message_id": protected["message_id"]}
    await play.refuses("forwardMessage", (where, "message can't be forwarded"))
    await play.refuses("copyMessage", (where, "message can't be copied"))
    assert not play.sandbox.world.calls.schema_failures


async def test_a_copy_of_a_photo_may_have_another_caption(play: Play) -> None:
    ana = play.sandbox.user("Ana")
    await ana.send("/start")
    photo = await ana.send_photo(PNG, caption="Mine")
    where = {"chat_id": play.group, "from_chat_id": ana.id, "message_id": photo.message_id}
    copied = await play.ok("copyMessage", caption="<b>Yours</b>", parse_mode="HTML", **where)
    assert (await play.seen(copied["message_id"]))["caption"] == "Yours"


async def test_what_people_send_reaches_the_bot(play: Play, tmp_path: Path) -> None:
    ana = play.sandbox.user("Ana")
    table = tmp_path / "table.csv"
    table.write_text("a,b")
    await ana.send_photo(PNG, caption="A cat")
    await ana.send_voice(b"OggS....", duration=3)
    await ana.send_document(table)
    await ana.send_video(b"\0\0\0\x18ftypmp42", duration=4)
    await ana.send_audio(b"ID3....", title="Song")
    await ana.send_sticker(PNG, emoji="🎲")
    await ana.send_location(50.85, 4.35)
    await ana.send_contact("+32470000000")
    messages = [update["message"] for update in await play.updates()]
    kinds = ("photo", "voice", "document", "video", "audio", "sticker", "location", "contact")
    assert all(kind in message for kind, message in zip(kinds, messages, strict=True))
    assert messages[0]["caption"] == "A cat"
    assert messages[2]["document"]["file_name"] == "table.csv"
    assert messages[7]["contact"] == {"phone_number": "+32470000000", "first_name": "Ana", "user_id": ana.id}
    with pytest.raises(ControlError, match="cannot be sent as a photo"):
        await ana.send_photo(b"no image")
    with pytest.raises(ControlError, match="empty"):
        await ana.send_document(b"")


async def test_people_send_places_with_names_dice_and_quotes(play: Play) -> None:
    ana = play.sandbox.user("Ana")
    await ana.send_venue(50.85, 4.35, "Café", "Rue 1")
    first = await ana.send_dice("🎯")
    asked = await ana.send("🎲 three fives?")
    await ana.send("yes", reply_to=asked, quote="three")
    venue, dice, _, reply = [update["message"] for update in await play.updates()]
    assert (venue["venue"]["title"], venue["location"]) == ("Café", PLACE)
    assert dice["dice"] == (first.attachment or {})["dice"]
    assert 1 <= dice["dice"]["value"] <= 6
    assert reply["quote"] == {"text": "three", "position": 3, "is_manual": True}
    with pytest.raises(ControlError, match="does not say that"):
        await ana.send("no", reply_to=asked, quote="four")
    with pytest.raises(ControlError, match="🎰"):
        await ana.send_dice("🦊")


async def test_the_control_api_sends_places_and_contacts(play: Play) -> None:
    where = {"from": play.id("Ana"), "chat_id": play.id("Ana")}
    await play.act("POST", "/locations", **PLACE, **where)
    await play.act("POST", "/contacts", phone_number="1", first_name="Lee", **where)
    await play.act("POST", "/locations", 400, latitude=100, longitude=0, **where)
    await play.act("POST", "/locations", 400, **where)
    place, contact = [update["message"] for update in await play.updates()]
    assert (place["location"], contact["contact"]["first_name"]) == (PLACE, "Lee")


class TestAdministration:
    async def test_a_banned_member_is_out_until_unbanned(self, play: Play) -> None:
        bo = play.id("Bo")
        where = {"chat_id": play.group, "user_id": bo}
        await play.refuses("banChatMember", (where, "not enough rights to restrict/unrestrict chat member"))
        await play.act("POST", f"/chats/{play.group}/bot", status="administrator")
        await play.updates()
        await play.ok("getUpdates", allowed_updates=["chat_member"])
        owner = {"chat_id": play.group, "user_id": play.id("Ana")}
        await play.refuses("banChatMember", (owner, "can't remove chat owner"))
        assert await play.ok("banChatMember", **where)
        assert (await play.ok("getChatMember", **where))["status"] == "kicked"
        (update,) = await play.updates()
        assert update["chat_member"]["new_chat_member"]["status"] == "kicked"
        refused = await play.act("POST", f"/chats/{play.group}/members", 400, user_id=bo)
        assert refused == {"error": "Bo is banned from Friends"}
        assert await play.ok("unbanChatMember", **where)
        await play.act("POST", f"/chats/{play.group}/members", user_id=bo)
        assert (await play.ok("getChatMember", **where))["status"] == "member"
        assert not play.sandbox.world.calls.schema_failures

    async def test_the_bot_manages_topics(self, play: Play) -> None:
        await play.refuses("createForumTopic", ({"chat_id": play.group, "name": "Games"}, "the chat is not a forum"))
        members = [play.id("Ana"), play.id("Bo")]
        forum = await play.act("POST", "/chats", title="Forum", type="supergroup", members=members, is_forum=True)
        where = {"chat_id": forum["id"]}
        await play.refuses("createForumTopic", ({"name": "Games", **where}, "not enough rights to create a topic"))
        await play.act("POST", f"/chats/{forum['id']}/bot", status="administrator")
        topic = await play.ok("createForumTopic", name="Games", **where)
        where["message_thread_id"] = topic["message_thread_id"]
        sent = await play.ok("sendMessage", text="Here", **where)
        assert sent["is_topic_message"]
        assert await play.ok("editForumTopic", name="Dice", **where)
        assert await play.ok("closeForumTopic", **where)
        await play.refuses("closeForumTopic", (where, "TOPIC_NOT_MODIFIED"))
        assert await play.ok("reopenForumTopic", **where)
        assert await play.ok("deleteForumTopic", **where)
        await play.refuses("sendMessage", ({"text": "Here", **where}, "message thread not found"))
        assert not play.sandbox.world.calls.schema_failures


async def test_the_bot_manages_the_general_topic(play: Play) -> None:
    ana, bo = play.sandbox.user("Ana"), play.sandbox.user("Bo")
    forum = play.sandbox.add_group("Forum", [ana, bo], is_forum=True)
    where, closed = {"chat_id": forum.id}, (400, "Bad Request: TOPIC_CLOSED")
    await play.refuses("closeGeneralForumTopic", (where, "not enough rights to create a topic"))
    play.sandbox.set_bot_status(forum, "administrator")
    assert await play.ok("editGeneralForumTopic", name="Lobby", **where)
    assert bo.messages(forum)[-1].service == {"forum_topic_edited": {"name": "Lobby"}}
    assert bo.messages(forum)[-1].thread_id is None
    assert await play.ok("closeGeneralForumTopic", **where)
    await play.refuses("closeGeneralForumTopic", (where, "TOPIC_NOT_MODIFIED"))
    with pytest.raises(ControlError, match="the topic is closed"):
        await bo.send("hello", forum)
    await play.send(chat=forum.id)
    play.sandbox.set_bot_status(forum, "member")
    assert await play.refused("sendMessage", text="x", **where) == closed
    play.sandbox.set_bot_status(forum, "administrator")
    assert await play.ok("reopenGeneralForumTopic", **where)
    assert await play.ok("hideGeneralForumTopic", **where)
    assert bo.messages(forum)[-1].service == {"general_forum_topic_hidden": {}}
    await play.refuses("hideGeneralForumTopic", (where, "TOPIC_NOT_MODIFIED"))
    with pytest.raises(ControlError, match="the topic is closed"):
        await bo.send("hello", forum)
    assert await play.ok("reopenGeneralForumTopic", **where)
    await play.refuses("unhideGeneralForumTopic", (where, "TOPIC_NOT_MODIFIED"))
    topic = play.sandbox.add_topic(forum, "Games").thread_id
    threads: list[dict[str, Any]] = [{}, {"message_thread_id": topic}]
    sent = [await play.send(chat=forum.id, **thread) for thread in threads]
    for message in sent:
        await play.ok("pinChatMessage", message_id=message["message_id"], **where)
    assert await play.ok("unpinAllGeneralForumTopicMessages", **where)
    assert forum.pinned == [sent[1]["message_id"]]
    assert await play.ok("unpinAllForumTopicMessages", message_thread_id=topic, **where)
    assert forum.pinned == []
    assert not play.sandbox.world.calls.schema_failures


async def test_a_person_sends_a_poll_which_the_bot_copies(play: "Play") -> None:
    ana = play.sandbox.user("Ana")
    await ana.send("/start")
    await ana.send_poll("Who bluffs?", "Ana", "Bo")
    (_, asked) = [update["message"] for update in await play.updates()]
    where = {"chat_id": ana.id, "from_chat_id": ana.id, "message_id": asked["message_id"]}
    await play.ok("copyMessage", **where)
    copied = ana.messages()[-1].poll
    assert copied
    assert (copied.question, copied.options, copied.id == asked["poll"]["id"]) == ("Who bluffs?", ("Ana", "Bo"), False)
    body = {"from": ana.id, "question": "Again?", "options": ["Yes"]}
    assert (await play.act("POST", "/polls", **body))["poll"]["question"] == "Again?"


async def test_the_words_of_a_quiz_are_formatted(play: "Play") -> None:
    quiz = {"type": "quiz", "options": ["Ana", "Bo"], "correct_option_ids": [1], "is_anonymous": True}
    words = {"question": "Fish &amp; <b>chips</b>?", "question_parse_mode": "HTML"}
    why = {"explanation": "*No*", "explanation_parse_mode": "MarkdownV2"}
    poll = (await play.ok("sendPoll", chat_id=play.group, **quiz, **words, **why))["poll"]
    assert (poll["question"], poll["explanation"]) == ("Fish & chips?", "No")
    assert poll["explanation_entities"] == [{"type": "bold", "offset": 0, "length": 2}]


async def test_files_of_one_album_share_their_group(play: "Play") -> None:
    ana = play.sandbox.user("Ana")
    await ana.send_photo(PNG, album="summer", caption="Ostend")
    await ana.send_video(b"film", album="summer")
    await ana.send_photo(PNG)
    photo, video, alone = [update["message"] for update in await play.updates()]
    assert photo["media_group_id"] == video["media_group_id"] == "summer"
    assert "media_group_id" not in alone
    with pytest.raises(ControlError, match="an album has photo, video, audio, document"):
        await ana.send_voice(b"OggS", album="summer")


async def test_a_live_location_moves_until_it_ends(play: "Play") -> None:
    ana, bo = play.sandbox.user("Ana"), play.sandbox.user("Bo")
    live = await ana.send_location(50.85, 4.35, live_period=600)
    await ana.move_location(live, 50.86, 4.36)
    with pytest.raises(ControlError, match="Bo is not in Ana"):
        await bo.move_location(live, 0, 0)
    await ana.move_location(live, 50.87, 4.37, ends=True)
    sent, moved, ended = await play.updates()
    assert sent["message"]["location"] == {"latitude": 50.85, "longitude": 4.35, "live_period": 600}
    assert moved["edited_message"]["location"] == {"latitude": 50.86, "longitude": 4.36, "live_period": 600}
    assert ended["edited_message"]["location"] == {"latitude": 50.87, "longitude": 4.37}
    again = await ana.send_location(50.85, 4.35, live_period=600)
    play.sandbox.advance_clock(600)
    for over in (live, again, await ana.send("here")):
        with pytest.raises(ControlError, match="no live location of Ana, or it has ended"):
            await ana.move_location(over, 0, 0)


async def test_the_bot_moves_its_live_location_until_it_ends(play: "Play") -> None:
    sent = await play.ok("sendLocation", chat_id=play.group, live_period=600, **PLACE)
    where = {"chat_id": play.group, "message_id": sent["message_id"]}
    moved = await play.ok("editMessageLiveLocation", latitude=50.86, longitude=4.36, heading=90, **where)
    assert moved["location"] == {"latitude": 50.86, "longitude": 4.36, "live_period": 600, "heading": 90}
    assert moved["edit_date"]
    refused = await play.refused("editMessageLiveLocation", latitude=50.86, longitude=4.36, heading=90, **where)
    assert "message is not modified" in refused[1]
    refused = await play.refused("editMessageLiveLocation", latitude=91, longitude=0, **where)
    assert refused[1] == "Bad Request: invalid location specified"
    ended = await play.ok("stopMessageLiveLocation", **where)
    assert ended["location"] == {"latitude": 50.86, "longitude": 4.36}
    no_more = (400, "Bad Request: message can't be edited")
    assert await play.refused("stopMessageLiveLocation", **where) == no_more
    text = {**where, "message_id": (await play.send())["message_id"]}
    other = (400, "Bad Request: there is no live location in the message to edit")
    assert await play.refused("stopMessageLiveLocation", **text) == other
    over = await play.ok("sendLocation", chat_id=play.group, live_period=600, **PLACE)
    play.sandbox.advance_clock(600)
    where = {"chat_id": play.group, "message_id": over["message_id"]}
    assert await play.refused("stopMessageLiveLocation", **where) == no_more
    answer = await play.send("There?", reply_parameters={"message_id": over["message_id"]})
    assert answer["reply_to_message"]["location"] == PLACE
