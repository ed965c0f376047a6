import struct
import zlib
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from telegram_sandbox.bot_api.methods_edits import NOT_MODIFIED
from telegram_sandbox.file_types import mime_type_of, size_of
from telegram_sandbox.settings import SandboxSettings
from tests.telegram_sandbox.conftest import Play, keyboard, listening


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + b"\0" * width for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


OGG = b"OggS" + b"\0" * 60


async def upload(play: "Play", method: str, files: dict[str, Any], **params: str) -> dict[str, Any]:
    answer = await play.client.post(
        f"/bot{play.sandbox.token}/{method}", data={"chat_id": str(play.group), **params}, files=files
    )
    body: dict[str, Any] = answer.json()
    return body


async def test_a_photo_has_smaller_sizes_first_and_any_of_them_sends_it_again(play: "Play") -> None:
    image = png(1280, 960)
    sizes = (await upload(play, "sendPhoto", {"photo": ("t.png", image)}))["result"]["photo"]
    assert [(one["width"], one["height"]) for one in sizes] == [(90, 68), (320, 240), (800, 600), (1280, 960)]
    assert [one["file_size"] for one in sizes] == sorted(one["file_size"] for one in sizes)
    assert len({each for one in sizes for each in (one["file_id"], one["file_unique_id"])}) == 8
    contents = []
    for one in sizes:
        path = (await play.ok("getFile", file_id=one["file_id"]))["file_path"]
        contents.append((await play.client.get(f"/file/bot{play.sandbox.token}/{path}")).content)
    assert contents == [png(90, 68), png(320, 240), png(800, 600), image]
    again = await play.ok("sendPhoto", chat_id=play.group, photo=sizes[0]["file_id"])
    assert again["photo"] == sizes
    tall = (await upload(play, "sendPhoto", {"photo": ("t.png", png(1000, 4000))}))["result"]["photo"]
    assert [(one["width"], one["height"]) for one in tall] == [(23, 90), (80, 320), (200, 800), (320, 1280)]


async def test_a_photo_goes_up_and_comes_down(play: "Play") -> None:
    image = png(30, 20)
    body = await upload(play, "sendPhoto", {"photo": ("t.png", image)}, caption="<b>x</b>", parse_mode="HTML")
    message = body["result"]
    size = message["photo"][0]
    assert (size["width"], size["height"], size["file_size"]) == (30, 20, len(image))
    assert message["caption_entities"] == [{"type": "bold", "offset": 0, "length": 1}]
    shown = await play.seen(message["message_id"])
    assert (shown["caption"], shown["entities"]) == ("x", message["caption_entities"])
    page = await play.client.get(shown["photo"])
    assert page.content == image
    assert page.headers["content-type"] == "image/png"
    assert page.headers["x-content-type-options"] == "nosniff"
    where = {"chat_id": play.group, "message_id": message["message_id"]}
    edited = await play.ok("editMessageCaption", caption="y", **where)
    assert edited["caption"] == "y"
    await play.refuses("editMessageText", ({}, "there is no text in the message to edit"), text="z", **where)
    assert not play.sandbox.world.calls.schema_failures
    call = play.sandbox.world.calls.named("sendPhoto")[0]
    assert call.params["photo"] == f"<file t.png, {len(image)} bytes>"


async def test_a_spoiler_and_a_caption_above_the_picture(play: "Play") -> None:
    marks = {"has_spoiler": "true", "show_caption_above_media": "true", "caption": "x"}
    sent = (await upload(play, "sendPhoto", {"photo": ("t.png", png(3, 2))}, **marks))["result"]
    assert sent["has_media_spoiler"] is sent["show_caption_above_media"] is True
    where = {"chat_id": play.group, "message_id": sent["message_id"]}
    below = await play.ok("editMessageCaption", caption="x", **where)
    assert (below["has_media_spoiler"], "show_caption_above_media" in below) == (True, False)
    photo = {"type": "photo", "media": sent["photo"][0]["file_id"]}
    shown = await play.ok("editMessageMedia", media=photo, **where)
    assert "has_media_spoiler" not in shown
    both = [{**photo, "has_spoiler": True}, photo]
    album = await play.ok("sendMediaGroup", chat_id=play.group, media=both)
    assert ["has_media_spoiler" in one for one in album] == [True, False]
    assert not any(call.ignored for call in play.sandbox.world.calls.since(0))
    assert not play.sandbox.world.calls.schema_failures


async def test_a_documents_name_says_its_type(play: "Play") -> None:
    sent = (await upload(play, "sendDocument", {"document": ("list.json", b"{}")}))["result"]["document"]
    assert (sent["file_name"], sent["mime_type"]) == ("list.json", "application/json")
    assert (await play.ok("getFile", file_id=sent["file_id"]))["file_path"].endswith(".json")
    plain = (await upload(play, "sendDocument", {"document": ("list", b"{}")}))["result"]["document"]
    assert plain["mime_type"] == "application/octet-stream"


async def test_what_is_no_voice_arrives_as_a_document(play: "Play") -> None:
    note = (await upload(play, "sendVoice", {"voice": ("n.ogg", OGG)}, duration="3"))["result"]
    assert (await play.seen(note["message_id"]))["voice"]["duration"] == note["voice"]["duration"] == 3
    message = (await upload(play, "sendVoice", {"voice": ("n.ogg", b"<html>")}))["result"]
    assert "voice" not in message
    shown = await play.seen(message["message_id"])
    page = await play.client.get(shown["document"]["url"])
    assert page.headers["content-type"] in ("application/octet-stream", "audio/ogg")
    assert "sandbox" in page.headers["content-security-policy"]
    document = (await upload(play, "sendDocument", {"document": ("record.json", b"{}")}))["result"]
    assert document["document"]["file_name"] == "record.json"
    page = await play.client.get((await play.seen(document["message_id"]))["document"]["url"])
    assert page.headers["content-disposition"] == "attachment"


async def test_files_are_refused_in_telegrams_words(play: "Play") -> None:
    bad = await upload(play, "sendPhoto", {"photo": ("t.png", b"no image")})
    assert bad["description"] == "Bad Request: IMAGE_PROCESS_FAILED"
    long = await upload(play, "sendPhoto", {"photo": ("t.png", png(1, 1))}, caption="x" * 1025)
    assert long["description"] == "Bad Request: message caption is too long"
    wide = await upload(play, "sendPhoto", {"photo": ("t.png", png(10_000, 1))})
    assert wide["description"] == "Bad Request: PHOTO_INVALID_DIMENSIONS"
    empty = await upload(play, "sendVoice", {"voice": ("n.ogg", b"")})
    assert empty["description"] == "Bad Request: file must be non-empty"
    where = {"chat_id": play.group}
    assert (await play.refused("sendPhoto", **where))[1] == "Bad Request: there is no photo in the request"
    assert (await play.refused("sendVoice", voice="abc", **where))[1].startswith(
        "Bad Request: wrong remote file identifier specified"
    )
    assert (await play.refused("sendPhoto", photo="https://example.org/x.png", **where))[1] == (
        "Bad Request: failed to get HTTP URL content (telegram-sandbox gets files of this machine only)"
    )
    assert (await play.refused("getFile", file_id="abc"))[1] == ("Bad Request: invalid file_id")
    assert (await play.client.get(f"/file/bot{play.sandbox.token}/voice/none.oga")).status_code == 404


class TestSmallDownloads:
    @pytest.fixture
    def settings(self) -> SandboxSettings:
        return SandboxSettings(port=0, flood_limits=False, max_download_bytes=10)

    async def test_a_large_file_stays(self, play: "Play") -> None:
        message = (await upload(play, "sendVoice", {"voice": ("n.ogg", OGG)}))["result"]
        refusal = await play.refused("getFile", file_id=message["voice"]["file_id"])
        assert refusal == (400, "Bad Request: file is too big")


async def test_people_send_media(play: "Play") -> None:
    sent = await play.send("your answer?")
    data = {"from": str(play.id("Ana")), "chat_id": str(play.group), "kind": "voice", "duration": "2.4"}
    quiet = await play.client.post("/sandbox/media", data=data, files={"file": ("n.ogg", OGG)})
    assert quiet.status_code == 200, quiet.text
    assert await play.updates() == []
    data["reply_to"] = str(sent["message_id"])
    heard = await play.client.post("/sandbox/media", data=data, files={"file": ("n.ogg", OGG)})
    assert heard.json()["voice"]["duration"] == 2
    message = (await play.updates())[0]["message"]
    file = await play.ok("getFile", file_id=message["voice"]["file_id"])
    assert (await play.client.get(f"/file/bot{play.sandbox.token}/{file['file_path']}")).content == OGG
    data["kind"] = "photo"
    photo = await play.client.post("/sandbox/media", data=data, files={"file": ("t.png", png(2, 2))})
    assert photo.json()["photo"]
    assert (await play.updates())[0]["message"]["photo"][0]["width"] == 2
    assert (await play.client.post("/sandbox/media", data=data)).status_code == 400
    data["kind"] = "film"
    film = await play.client.post("/sandbox/media", data=data, files={"file": ("t.png", png(2, 2))})
    assert film.status_code == 400


@pytest.mark.parametrize(
    ("content", "size", "kind"),
    [
        (png(7, 5), (7, 5), "image/png"),
        (b"GIF89a" + struct.pack("<HH", 7, 5), (7, 5), "image/gif"),
        (
            b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + struct.pack(">HH", 5, 7) + b"\0" * 9,
            (7, 5),
            "image/jpeg",
        ),
        (b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + b"\x06\0\0\x04\0\0", (7, 5), "image/webp"),
        (b"RIFF\0\0\0\0WEBPVP8 " + b"\0" * 10 + struct.pack("<HH", 7, 5), (7, 5), "image/webp"),
        (b"RIFF\0\0\0\0WEBPVP8L" + b"\0" * 5 + ((4 << 14) | 6).to_bytes(4, "little"), (7, 5), "image/webp"),
        (b"\x89PNG\r\n\x1a\n", None, "image/png"),
        (b"\xff\xd8\xff", None, "image/jpeg"),
        (b"nothing", None, "text/x"),
    ],
)
def test_images_are_measured(content: bytes, size: tuple[int, int] | None, kind: str) -> None:
    assert size_of(content) == size
    assert mime_type_of(content, "text/x") == kind


async def test_the_caption_of_an_ephemeral_photo_can_be_edited_and_its_text_cannot(play: "Play") -> None:
    await play.act("POST", f"/chats/{play.group}/bot", status="administrator")
    bo = play.id("Bo")
    body = await upload(play, "sendPhoto", {"photo": ("p.png", png(4, 3))}, receiver_user_id=str(bo), caption="yours")
    sent = body["result"]
    where = {"chat_id": play.group, "receiver_user_id": bo, "ephemeral_message_id": sent["ephemeral_message_id"]}
    assert await play.ok("editEphemeralMessageCaption", **where, caption="still yours") is True
    assert [message.text for message in play.sandbox.user("Bo").messages(play.sandbox.world.chats[play.group])][-1] == (
        "still yours"
    )
    refusal = (400, "Bad Request: there is no text in the message to edit")
    assert await play.refused("editEphemeralMessageText", **where, text="words") == refusal
    media = '{"type": "photo", "media": "attach://new", "caption": "another hand"}'
    place = {name: str(value) for name, value in where.items()}
    changed = await upload(play, "editEphemeralMessageMedia", {"new": ("q.png", png(9, 9))}, media=media, **place)
    assert changed["result"] is True
    shown = play.sandbox.user("Bo").messages(play.sandbox.world.chats[play.group])[-1]
    assert shown.media is not None
    assert (shown.text, shown.media.width) == ("another hand", 9)
    worded = await play.send("words", receiver_user_id=bo)
    where["ephemeral_message_id"] = worded["ephemeral_message_id"]
    refusal = (400, "Bad Request: there is no caption in the message to edit")
    assert await play.refused("editEphemeralMessageCaption", **where, caption="x") == refusal


GIF = b"GIF89a" + struct.pack("<HH", 30, 20) + b"\0\0\0;"


async def test_an_animation_is_shown_like_a_photo(play: "Play") -> None:
    message = (await upload(play, "sendAnimation", {"animation": ("a.gif", GIF)}, caption="cups up"))["result"]
    sent = message["animation"]
    assert (sent["width"], sent["height"], sent["mime_type"]) == (30, 20, "image/gif")
    assert message["document"]["file_id"] == sent["file_id"]
    shown = await play.seen(message["message_id"])
    assert (shown["caption"], shown["photo_size"]) == ("cups up", [30, 20])
    assert (await play.client.get(shown["photo"])).content == GIF
    again = await play.ok("sendAnimation", chat_id=play.group, animation=sent["file_id"])
    assert again["animation"] == sent
    other = (await upload(play, "sendAnimation", {"animation": ("a.ogg", OGG)}))["result"]
    assert "animation" not in other
    assert other["document"]["file_name"] == "a.ogg"
    assert not play.sandbox.world.calls.schema_failures


class TestEditingMedia:
    async def test_another_photo_takes_the_place_of_the_first(self, play: "Play") -> None:
        sent = (await upload(play, "sendPhoto", {"photo": ("a.png", png(4, 3))}, caption="first"))["result"]
        where = {"message_id": str(sent["message_id"])}
        media = '{"type": "photo", "media": "attach://new", "caption": "<i>second</i>", "parse_mode": "HTML"}'
        body = await upload(play, "editMessageMedia", {"new": ("b.png", png(8, 6))}, media=media, **where)
        edited = body["result"]
        assert (edited["photo"][0]["width"], edited["caption"]) == (8, "second")
        assert edited["edit_date"]
        shown = await play.seen(sent["message_id"])
        assert (shown["caption"], shown["entities"]) == ("second", [{"type": "italic", "offset": 0, "length": 6}])
        assert (await play.client.get(shown["photo"])).content == png(8, 6)
        assert not play.sandbox.world.calls.schema_failures

    async def test_a_text_becomes_a_photo_and_no_text_again(self, play: "Play") -> None:
        photo = (await upload(play, "sendPhoto", {"photo": ("a.png", png(4, 3))}))["result"]["photo"][0]["file_id"]
        text = await play.send("words")
        where = {"chat_id": play.group, "message_id": text["message_id"]}
        media = {"type": "photo", "media": photo, "caption": "a picture"}
        edited = await play.ok("editMessageMedia", media=media, **where)
        assert "text" not in edited
        assert (edited["photo"][0]["file_id"], edited["caption"]) == (photo, "a picture")
        assert await play.refused("editMessageMedia", media=media, **where) == (400, f"Bad Request: {NOT_MODIFIED}")
        back = await play.refused("editMessageText", text="words", **where)
        assert back == (400, "Bad Request: there is no text in the message to edit")
        text = await play.send("more words")
        caption = await play.refused(
            "editMessageCaption", caption="x", chat_id=play.group, message_id=text["message_id"]
        )
        assert caption == (400, "Bad Request: there is no caption in the message to edit")

    async def test_wrong_media_is_refused_in_telegrams_words(self, play: "Play") -> None:
        voice = (await upload(play, "sendVoice", {"voice": ("n.ogg", OGG)}))["result"]
        photo = (await upload(play, "sendPhoto", {"photo": ("a.png", png(4, 3))}))["result"]
        where = {"chat_id": play.group, "message_id": photo["message_id"]}

        async def refusal(file_id: str, kind: str = "photo", **more: Any) -> str:
            media = {"type": kind, "media": file_id}
            return (await play.refused("editMessageMedia", **{**where, "media": media, **more}))[1]

        wrong = "Bad Request: wrong remote file identifier specified: "
        assert await refusal("abc") == f"{wrong}can't unserialize it. Wrong last symbol"
        assert await refusal("abc==") == f"{wrong}Wrong padding length"
        assert await refusal("abcde") == f"{wrong}Wrong string length"
        assert await refusal("a bc") == f"{wrong}Wrong character in the string"
        voice_id, photo_id = voice["voice"]["file_id"], photo["photo"][0]["file_id"]
        assert await refusal(voice_id) == "Bad Request: can't use file of type VoiceNote as Photo"
        assert await refusal(photo_id, "document") == "Bad Request: can't use file of type Photo as Document"
        assert await refusal(photo_id, message_id=voice["message_id"]) == "Bad Request: message media can't be edited"
        assert await refusal(photo_id, message_id=999) == "Bad Request: message to edit not found"
        assert await refusal("attach://nothing") == "Bad Request: can't parse InputMedia: media not found"
        sent_as_photo = await play.refused("sendPhoto", chat_id=play.group, photo=voice_id)
        assert sent_as_photo == (400, "Bad Request: can't use file of type VoiceNote as Photo")

    async def test_a_posted_inline_message_takes_a_known_photo_but_no_upload(self, play: "Play") -> None:
        photo = (await upload(play, "sendPhoto", {"photo": ("a.png", png(4, 3))}))["result"]["photo"][0]["file_id"]
        await play.act("POST", "/inline", enabled=True, feedback=1)
        asked = {"from": play.id("Ana"), "chat_id": play.group}
        query_id = (await play.act("POST", "/inline/queries", **asked))["query_id"]
        content = {"message_text": "words"}
        result = {"type": "article", "id": "1", "title": "t", "input_message_content": content}
        result["reply_markup"] = keyboard([("Tap", "t")])
        await play.ok("answerInlineQuery", inline_query_id=query_id, results=[result])
        posted = await play.act("POST", "/inline/choices", **asked, query_id=query_id, result_id="1")
        name = (await play.updates())[-1]["chosen_inline_result"]["inline_message_id"]
        media = {"type": "photo", "media": photo, "caption": "a picture"}
        assert await play.ok("editMessageMedia", inline_message_id=name, media=media) is True
        assert (await play.seen(posted["message_id"]))["caption"] == "a picture"
        form = {"inline_message_id": name, "media": '{"type": "photo", "media": "attach://new"}'}
        answer = await play.client.post(
            f"/bot{play.sandbox.token}/editMessageMedia", data=form, files={"new": ("b.png", png(2, 2))}
        )
        assert answer.json()["description"] == "Bad Request: invalid message content specified"


class TestEffectsAndReactions:
    async def test_an_effect_comes_with_a_message_in_a_private_chat(self, play: "Play") -> None:
        await play.start("Ana")
        sent = await play.send("You won!", play.id("Ana"), message_effect_id="5046509860389126442")
        assert sent["effect_id"] == "5046509860389126442"
        assert (await play.seen(sent["message_id"], play.id("Ana")))["effect"] == "🎉"
        unknown = {"chat_id": play.id("Ana"), "text": "x", "message_effect_id": "1"}
        assert await play.refused("sendMessage", **unknown) == (400, "Bad Request: EFFECT_ID_INVALID")

    @pytest.mark.parametrize(
        ("reaction", "reason"),
        [
            ([{"type": "emoji", "emoji": "🎲"}], "REACTION_INVALID"),
            ([{"type": "paid"}], "can't parse ReactionType: invalid reaction type specified"),
            ([{"type": "emoji", "emoji": "🎉"}, {"type": "emoji", "emoji": "👍"}], "REACTIONS_TOO_MANY"),
        ],
    )
    async def test_a_bot_reacts_once_and_with_telegrams_reactions_only(
        self, play: "Play", reaction: list[dict[str, str]], reason: str
    ) -> None:
        said = await play.say("Ana", "exactly seven")
        where = {"chat_id": play.group, "message_id": said["message_id"]}
        assert await play.refused("setMessageReaction", reaction=reaction, **where) == (400, f"Bad Request: {reason}")
        assert await play.ok("setMessageReaction", reaction=[{"type": "emoji", "emoji": "❤️"}], **where)
        assert (await play.seen(said["message_id"]))["reactions"] == [{"type": "emoji", "emoji": "❤️"}]
        assert await play.ok("setMessageReaction", **where)
        assert (await play.seen(said["message_id"]))["reactions"] == []


async def test_files_are_got_from_an_address_of_this_machine(play: "Play") -> None:
    async def serve(request: Request) -> Response:
        path = request.url.path
        if path == "/huge.png":
            return Response(b"x" * (5 * 1024 * 1024 + 1), media_type="image/png")
        kind = {"png": "image/png", "pdf": "application/pdf"}.get(path[-3:], "text/html")
        return Response(png(2, 3), 404 if path == "/gone.png" else 200, media_type=kind)

    where = {"chat_id": play.group}
    async with listening(serve) as address:
        sent = await play.ok("sendPhoto", photo=f"{address}/cat.png?size=big", caption="My cat", **where)
        assert (sent["photo"][0]["width"], sent["caption"]) == (2, "My cat")
        paper = await play.ok("sendDocument", document=f"{address}/paper.pdf", **where)
        assert paper["document"]["file_name"] == "paper.pdf"
        album = [{"type": "photo", "media": f"{address}/{name}.png"} for name in ("one", "two")]
        assert len(await play.ok("sendMediaGroup", media=album, **where)) == 2
        await play.ok("editMessageMedia", media=album[1], message_id=sent["message_id"], **where)
        why = "failed to get HTTP URL content"
        await play.refuses(
            "sendPhoto",
            ({"photo": f"{address}/page"}, "wrong type of the web page content"),
            ({"photo": f"{address}/gone.png"}, f"{why} (HTTP 404)"),
            ({"photo": f"{address}/huge.png"}, f"{why} (more than 5242880 bytes)"),
            **where,
        )
        await play.refuses(
            "sendDocument", ({"document": f"{address}/page"}, "wrong type of the web page content"), **where
        )
    assert (await play.refused("sendPhoto", photo=f"{address}/cat.png", **where))[1].startswith(f"Bad Request: {why} (")
