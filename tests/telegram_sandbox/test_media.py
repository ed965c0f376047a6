import struct
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from telegram_sandbox import SandboxSettings
from telegram_sandbox.bot_api.methods_edits import NOT_MODIFIED
from telegram_sandbox.file_types import mime_type_of, size_of
from tests.telegram_sandbox.browsing import png
from tests.telegram_sandbox.conftest import Play, keyboard, listening

OGG = b"OggS" + b"\0" * 60
JPEG = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08"
GIF = b"GIF89a" + struct.pack("<HH", 30, 20) + b"\0\0\0;"
NO_TEXT, NO_CAPTION = (f"there is no {part} in the message to edit" for part in ("text", "caption"))


async def sent(play: Play, kind: str, file: bytes | str | tuple[str, bytes], **more: Any) -> dict[str, Any]:
    method = "send" + kind.capitalize()
    message: dict[str, Any] = await play.ok(method, chat_id=play.group, **{kind: file}, **more)
    return message


async def test_a_photo_has_smaller_sizes_first_and_any_of_them_sends_it_again(play: Play) -> None:
    image = png(1280, 960)
    sizes = (await sent(play, "photo", image))["photo"]
    assert [(one["width"], one["height"]) for one in sizes] == [(90, 68), (320, 240), (800, 600), (1280, 960)]
    assert [one["file_size"] for one in sizes] == sorted(one["file_size"] for one in sizes)
    assert len({each for one in sizes for each in (one["file_id"], one["file_unique_id"])}) == 8
    assert [await play.file(one["file_id"]) for one in sizes] == [png(90, 68), png(320, 240), png(800, 600), image]
    assert (await play.ok("sendPhoto", chat_id=play.group, photo=sizes[0]["file_id"]))["photo"] == sizes
    tall = (await sent(play, "photo", png(1000, 4000)))["photo"]
    assert [(one["width"], one["height"]) for one in tall] == [(23, 90), (80, 320), (200, 800), (320, 1280)]


async def test_a_photo_goes_up_and_comes_down_with_a_spoiler_and_a_caption_above(play: Play) -> None:
    image = png(30, 20)
    message = await sent(play, "photo", ("t.png", image), caption="<b>x</b>", parse_mode="HTML")
    size = message["photo"][0]
    assert (size["width"], size["height"], size["file_size"]) == (30, 20, len(image))
    assert message["caption_entities"] == [{"type": "bold", "offset": 0, "length": 1}]
    shown = await play.seen(message["message_id"])
    assert (shown["caption"], shown["entities"]) == ("x", message["caption_entities"])
    page = await play.client.get(shown["photo"])
    assert (page.content, page.headers["content-type"]) == (image, "image/png")
    assert page.headers["x-content-type-options"] == "nosniff"
    where = {"chat_id": play.group, "message_id": message["message_id"]}
    assert (await play.ok("editMessageCaption", caption="y", **where))["caption"] == "y"
    await play.refuses("editMessageText", NO_TEXT, text="z", **where)
    assert play.sandbox.world.calls.named("sendPhoto")[0].params["photo"] == f"<file t.png, {len(image)} bytes>"
    message = await sent(play, "photo", png(3, 2), has_spoiler=True, show_caption_above_media=True, caption="x")
    assert message["has_media_spoiler"] is message["show_caption_above_media"] is True
    where = {"chat_id": play.group, "message_id": message["message_id"]}
    below = await play.ok("editMessageCaption", caption="x", **where)
    assert (below["has_media_spoiler"], "show_caption_above_media" in below) == (True, False)
    photo = {"type": "photo", "media": message["photo"][0]["file_id"]}
    assert "has_media_spoiler" not in (await play.ok("editMessageMedia", media=photo, **where))
    both = [{**photo, "has_spoiler": True}, photo]
    album = await play.ok("sendMediaGroup", chat_id=play.group, media=both)
    assert ["has_media_spoiler" in one for one in album] == [True, False]
    assert not any(call.ignored for call in play.sandbox.world.calls.since(0))


async def test_a_documents_name_says_its_type_what_is_no_voice_is_a_document_and_no_file_is_refused(play: Play) -> None:
    message = await sent(play, "document", ("list.json", b"{}"))
    document = message["document"]
    assert (document["file_name"], document["mime_type"]) == ("list.json", "application/json")
    assert (await play.ok("getFile", file_id=document["file_id"]))["file_path"].endswith(".json")
    page = await play.client.get((await play.seen(message["message_id"]))["document"]["url"])
    assert page.headers["content-disposition"] == "attachment"
    assert (await sent(play, "document", ("list", b"{}")))["document"]["mime_type"] == "application/octet-stream"
    note = await sent(play, "voice", OGG, duration=3)
    assert (await play.seen(note["message_id"]))["voice"]["duration"] == note["voice"]["duration"] == 3
    message = await sent(play, "voice", ("n.ogg", b"<html>"))
    assert "voice" not in message
    page = await play.client.get((await play.seen(message["message_id"]))["document"]["url"])
    assert page.headers["content-type"] in ("application/octet-stream", "audio/ogg")
    assert "sandbox" in page.headers["content-security-policy"]
    refused = await play.refused("sendVoice", voice="abc", chat_id=play.group)
    assert "wrong remote file identifier specified" in refused[1]
    assert (await play.client.get(f"/file/bot{play.sandbox.token}/voice/none.oga")).status_code == 404


@pytest.mark.parametrize("settings", [SandboxSettings(port=0, flood_limits=False, max_download_bytes=10)])
async def test_a_file_that_is_larger_than_a_bot_may_download_stays(play: Play) -> None:
    message = await sent(play, "voice", OGG)
    await play.refuses("getFile", "file is too big", file_id=message["voice"]["file_id"])


async def test_people_send_media(play: Play) -> None:
    data = {"from": str(play.id("Ana")), "chat_id": str(play.group), "kind": "voice", "duration": "2.4"}

    async def post(code: int = 200, file: bytes = png(2, 2), **more: str) -> Any:
        answer = await play.client.post("/sandbox/media", data=data | more, files={"file": file} if file else None)
        assert answer.status_code == code, answer.text
        return answer.json()

    await post(file=OGG)
    assert await play.updates() == []
    data["reply_to"] = str((await play.send("your answer?"))["message_id"])
    assert (await post(file=OGG))["voice"]["duration"] == 2
    message = (await play.updates())[0]["message"]
    assert await play.file(message["voice"]["file_id"]) == OGG
    assert (await post(kind="photo"))["photo"]
    assert (await play.updates())[0]["message"]["photo"][0]["width"] == 2
    await post(400, file=b"")
    await post(400, kind="film")


@pytest.mark.parametrize(
    ("content", "size", "kind"),
    [
        (png(7, 5), (7, 5), "image/png"),
        (b"GIF89a" + struct.pack("<HH", 7, 5), (7, 5), "image/gif"),
        (JPEG + struct.pack(">HH", 5, 7) + b"\0" * 9, (7, 5), "image/jpeg"),
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


async def test_the_caption_of_an_ephemeral_photo_can_be_edited_and_its_text_cannot(play: Play) -> None:
    play.bot_is("administrator")
    bo = play.user("Bo")
    message = await sent(play, "photo", png(4, 3), receiver_user_id=bo.id, caption="yours")
    where = {"chat_id": play.group, "receiver_user_id": bo.id, "ephemeral_message_id": message["ephemeral_message_id"]}
    assert await play.ok("editEphemeralMessageCaption", **where, caption="still yours") is True
    assert bo.messages(play.chat)[-1].text == "still yours"
    await play.refuses("editEphemeralMessageText", NO_TEXT, **where, text="words")
    media = {"type": "photo", "media": "attach://new", "caption": "another hand"}
    assert await play.ok("editEphemeralMessageMedia", media=media, new=png(9, 9), **where) is True
    shown = bo.messages(play.chat)[-1]
    assert shown.media is not None
    assert (shown.text, shown.media.width) == ("another hand", 9)
    where["ephemeral_message_id"] = (await play.send("words", receiver_user_id=bo.id))["ephemeral_message_id"]
    await play.refuses("editEphemeralMessageCaption", NO_CAPTION, **where, caption="x")


async def test_an_animation_is_shown_like_a_photo(play: Play) -> None:
    message = await sent(play, "animation", ("a.gif", GIF), caption="cups up")
    animation = message["animation"]
    assert (animation["width"], animation["height"], animation["mime_type"]) == (30, 20, "image/gif")
    assert message["document"]["file_id"] == animation["file_id"]
    shown = await play.seen(message["message_id"])
    assert (shown["caption"], shown["photo_size"]) == ("cups up", [30, 20])
    assert (await play.client.get(shown["photo"])).content == GIF
    again = await play.ok("sendAnimation", chat_id=play.group, animation=animation["file_id"])
    assert again["animation"] == animation
    other = await sent(play, "animation", ("a.ogg", OGG))
    assert ("animation" in other, other["document"]["file_name"]) == (False, "a.ogg")


async def test_another_photo_takes_the_place_of_the_first_or_of_a_text(play: Play) -> None:
    message = await sent(play, "photo", png(4, 3), caption="first")
    where = {"chat_id": play.group, "message_id": message["message_id"]}
    media = {"type": "photo", "media": "attach://new", "caption": "<i>second</i>", "parse_mode": "HTML"}
    edited = await play.ok("editMessageMedia", new=png(8, 6), media=media, **where)
    assert (edited["photo"][0]["width"], edited["caption"]) == (8, "second")
    assert edited["edit_date"]
    shown = await play.seen(message["message_id"])
    assert (shown["caption"], shown["entities"]) == ("second", [{"type": "italic", "offset": 0, "length": 6}])
    assert (await play.client.get(shown["photo"])).content == png(8, 6)
    photo = message["photo"][0]["file_id"]
    where["message_id"] = (await play.send("words"))["message_id"]
    await play.refuses("editMessageCaption", NO_CAPTION, caption="x", **where)
    media = {"type": "photo", "media": photo, "caption": "a picture"}
    edited = await play.ok("editMessageMedia", media=media, **where)
    assert "text" not in edited
    assert (edited["photo"][0]["file_id"], edited["caption"]) == (photo, "a picture")
    await play.refuses("editMessageMedia", NOT_MODIFIED, media=media, **where)
    await play.refuses("editMessageText", NO_TEXT, text="words", **where)


async def test_wrong_media_is_refused_in_telegrams_words(play: Play) -> None:
    voice = await sent(play, "voice", OGG)
    photo = await sent(play, "photo", png(4, 3))
    voice_id, photo_id = voice["voice"]["file_id"], photo["photo"][0]["file_id"]

    def media(file_id: str, kind: str = "photo", **more: Any) -> dict[str, Any]:
        return {"media": {"type": kind, "media": file_id}, **more}

    wrong = "wrong remote file identifier specified: "
    no_photo = "can't use file of type VoiceNote as Photo"
    await play.refuses(
        "editMessageMedia",
        (media("abc"), f"{wrong}can't unserialize it. Wrong last symbol"),
        (media("abc=="), f"{wrong}Wrong padding length"),
        (media("abcde"), f"{wrong}Wrong string length"),
        (media("a bc"), f"{wrong}Wrong character in the string"),
        (media(voice_id), no_photo),
        (media(photo_id, "document"), "can't use file of type Photo as Document"),
        (media(photo_id, message_id=voice["message_id"]), "message media can't be edited"),
        (media(photo_id, message_id=999), "message to edit not found"),
        (media("attach://nothing"), "can't parse InputMedia: media not found"),
        chat_id=play.group,
        message_id=photo["message_id"],
    )
    await play.refuses("sendPhoto", no_photo, chat_id=play.group, photo=voice_id)


async def test_a_posted_inline_message_takes_a_known_photo_but_no_upload(play: Play) -> None:
    photo = (await sent(play, "photo", png(4, 3)))["photo"][0]["file_id"]
    await play.act("POST", "/inline", enabled=True, feedback=1)
    asked = {"from": play.id("Ana"), "chat_id": play.group}
    query_id = (await play.act("POST", "/inline/queries", **asked))["query_id"]
    result = {"type": "article", "id": "1", "title": "t", "input_message_content": {"message_text": "words"}}
    result["reply_markup"] = keyboard([("Tap", "t")])
    await play.ok("answerInlineQuery", inline_query_id=query_id, results=[result])
    posted = await play.act("POST", "/inline/choices", **asked, query_id=query_id, result_id="1")
    name = (await play.updates())[-1]["chosen_inline_result"]["inline_message_id"]
    media = {"type": "photo", "media": photo, "caption": "a picture"}
    assert await play.ok("editMessageMedia", inline_message_id=name, media=media) is True
    assert (await play.seen(posted["message_id"]))["caption"] == "a picture"
    new = {"media": {"type": "photo", "media": "attach://new"}, "new": png(2, 2)}
    await play.refuses("editMessageMedia", "invalid message content specified", inline_message_id=name, **new)


async def test_a_bot_reacts_and_takes_it_back_and_an_effect_comes_with_a_message_in_a_private_chat(play: Play) -> None:
    said = await play.say("Ana", "exactly seven")
    where = {"chat_id": play.group, "message_id": said["message_id"]}
    heart = {"type": "emoji", "emoji": "❤️"}
    assert await play.ok("setMessageReaction", reaction=[heart], **where)
    assert (await play.seen(said["message_id"]))["reactions"] == [heart]
    assert await play.ok("setMessageReaction", **where)
    assert (await play.seen(said["message_id"]))["reactions"] == []
    await play.start("Ana")
    message = await play.send("You won!", play.id("Ana"), message_effect_id="5046509860389126442")
    assert message["effect_id"] == "5046509860389126442"
    assert (await play.seen(message["message_id"], play.id("Ana")))["effect"] == "🎉"


async def test_files_are_got_from_an_address_of_this_machine(play: Play) -> None:
    async def serve(request: Request) -> Response:
        path = request.url.path
        if path == "/huge.png":
            return Response(b"x" * (5 * 1024 * 1024 + 1), media_type="image/png")
        kind = {"png": "image/png", "pdf": "application/pdf"}.get(path[-3:], "text/html")
        return Response(png(2, 3), 404 if path == "/gone.png" else 200, media_type=kind)

    where = {"chat_id": play.group}
    async with listening(serve) as address:
        cat = await sent(play, "photo", f"{address}/cat.png?size=big", caption="My cat")
        assert (cat["photo"][0]["width"], cat["caption"]) == (2, "My cat")
        assert (await sent(play, "document", f"{address}/paper.pdf"))["document"]["file_name"] == "paper.pdf"
        album = [{"type": "photo", "media": f"{address}/{name}.png"} for name in ("one", "two")]
        assert len(await play.ok("sendMediaGroup", media=album, **where)) == 2
        await play.ok("editMessageMedia", media=album[1], message_id=cat["message_id"], **where)
        why, wrong = "failed to get HTTP URL content", "wrong type of the web page content"
        await play.refuses(
            "sendPhoto",
            ({"photo": f"{address}/page"}, wrong),
            ({"photo": f"{address}/gone.png"}, f"{why} (HTTP 404)"),
            ({"photo": f"{address}/huge.png"}, f"{why} (more than 5242880 bytes)"),
            **where,
        )
        await play.refuses("sendDocument", wrong, **where, document=f"{address}/page")
    for gone in (f"{address}/cat.png", "http://[/cat.png", "http://127.0.0.1:65536/cat.png"):
        assert (await play.refused("sendPhoto", photo=gone, **where))[1].startswith(f"Bad Request: {why} (")
