"""Sticker sets: how a bot makes and changes them, and how Telegram refuses."""

import json
from typing import Any

import pytest

from telegram_sandbox.settings import SandboxSettings
from tests.telegram_sandbox.conftest import Play
from tests.telegram_sandbox.test_media import png

STICKER, EMOJI, WEBM, TGS = png(512, 300), png(100, 100), b"\x1aE\xdf\xa3video", b"\x1f\x8banimated"
GOOD: dict[str, Any] = {"sticker": "attach://one", "emoji_list": ["🎲"], "format": "static"}


@pytest.fixture
def settings() -> SandboxSettings:
    return SandboxSettings(port=0, flood_limits=False, bot_username="dice_bot")


async def upload(play: Play, method: str, params: dict[str, Any], **files: bytes) -> Any:
    """The result of a call with files, or the words of its refusal."""
    sent = {name: value if isinstance(value, str) else json.dumps(value) for name, value in params.items()}
    answer = await play.client.post(f"/bot{play.sandbox.token}/{method}", data=sent, files=files)
    body = answer.json()
    return body["result"] if body["ok"] else body["description"].removeprefix("Bad Request: ")


async def new_set(play: Play, file: bytes = STICKER, name: str = "cups_by_dice_bot", **more: Any) -> str:
    """The name of a new set with one sticker."""
    wanted = {"user_id": play.id("Ana"), "name": name, "title": "Cups", "stickers": [GOOD], **more}
    assert await upload(play, "createNewStickerSet", wanted, one=file) is True
    return name


async def stickers(play: Play, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await play.ok("getStickerSet", name=name))["stickers"]
    return found


async def test_a_bot_makes_a_set_and_sends_its_stickers(play: Play) -> None:
    name = await new_set(play, title=" My cups ")
    whole = await play.ok("getStickerSet", name="CUPS_by_dice_bot")
    one = whole.pop("stickers")[0]
    assert whole == {"name": name, "title": "My cups", "sticker_type": "regular"}
    assert (one["type"], one["emoji"], one["set_name"], one["width"], one["height"]) == (
        "regular",
        "🎲",
        name,
        512,
        300,
    )
    sent = await play.ok("sendSticker", chat_id=play.group, sticker=one["file_id"])
    assert (sent["sticker"]["set_name"], sent["sticker"]["emoji"]) == (name, "🎲")


async def test_stickers_are_added_replaced_moved_and_deleted(play: Play) -> None:
    name = await new_set(play)
    to = {"user_id": play.id("Ana"), "name": name}
    first = (await stickers(play, name))[0]["file_id"]
    video = {**GOOD, "emoji_list": ["🍺", "❤️"], "format": "video"}
    assert await upload(play, "addStickerToSet", {**to, "sticker": video}, one=WEBM) is True
    animated = {"sticker": "attach://one", "emoji_list": ["👩‍💻"], "format": "animated"}
    assert await upload(play, "addStickerToSet", {**to, "sticker": animated}, one=TGS) is True
    second, third = (await stickers(play, name))[1:]
    assert (second["is_video"], second["is_animated"], third["is_animated"]) == (True, False, True)
    await play.ok("setStickerPositionInSet", sticker=third["file_id"], position=0)
    assert [each["emoji"] for each in await stickers(play, name)] == ["👩‍💻", "🎲", "🍺"]
    await play.ok("setStickerEmojiList", sticker=first, emoji_list=["🏆", "🎲"])
    assert [each["emoji"] for each in await stickers(play, name)] == ["👩‍💻", "🏆", "🍺"]
    await play.ok("setStickerKeywords", sticker=first, keywords=["cup"])
    replaced = {
        **to,
        "old_sticker": first,
        "sticker": {"sticker": "attach://one", "emoji_list": ["☕"], "format": "static"},
    }
    assert await upload(play, "replaceStickerInSet", replaced, one=STICKER) is True
    now = await stickers(play, name)
    assert [each["emoji"] for each in now] == ["👩‍💻", "☕", "🍺"]
    await play.refuses("deleteStickerFromSet", ({}, "STICKER_INVALID"), sticker=first)
    for each in now:
        await play.ok("deleteStickerFromSet", sticker=each["file_id"])
    await play.refuses("getStickerSet", ({}, "STICKERSET_INVALID"), name=name)


async def test_a_file_can_be_uploaded_before_it_is_a_sticker(play: Play) -> None:
    who = {"user_id": play.id("Ana"), "sticker_format": "static"}
    file = await upload(play, "uploadStickerFile", who, sticker=STICKER)
    assert file["file_size"] == len(STICKER)
    name = await new_set(play, stickers=[{"sticker": file["file_id"], "emoji_list": ["🎲"]}], sticker_format="static")
    assert len(await stickers(play, name)) == 1
    assert await upload(play, "uploadStickerFile", {**who, "sticker_format": "gif"}, sticker=STICKER) == (
        "invalid sticker format specified"
    )
    assert await upload(play, "uploadStickerFile", {**who, "user_id": 5}, sticker=STICKER) == "user not found"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "cups"}, "invalid sticker set name is specified"),
        ({"name": "my__cups_by_dice_bot"}, "invalid sticker set name is specified"),
        ({"name": ""}, "sticker set name must be non-empty"),
        ({"name": "taken_BY_dice_bot"}, "sticker set name is already occupied"),
        ({"title": " "}, "sticker set title must be non-empty"),
        ({"stickers": []}, "at least 1 sticker must be specified"),
        ({"stickers": [GOOD] * 51}, "too many stickers specified"),
        ({"sticker_type": "gif"}, "unsupported sticker type specified"),
        ({"needs_repainting": True}, "only custom emoji stickers support repainting"),
        ({"user_id": 5}, "user not found"),
        ({"user_id": ""}, "invalid user_id specified"),
        ({"stickers": [{**GOOD, "format": ""}]}, "can't parse InputSticker: Can't find field \"format\""),
        ({"stickers": [{**GOOD, "format": "gif"}]}, "can't parse InputSticker: invalid sticker format specified"),
        ({"stickers": [{**GOOD, "emoji_list": []}]}, "can't parse InputSticker: emoji list must be non-empty"),
        ({"stickers": [{**GOOD, "emoji_list": ["🎲"] * 21}]}, "can't parse InputSticker: too many emoji specified"),
        ({"stickers": [{**GOOD, "emoji_list": ["cup"]}]}, "can't parse InputSticker: expected a Unicode emoji"),
        ({"stickers": [{**GOOD, "format": "video"}]}, "STICKER_VIDEO_NOWEBM"),
        ({"stickers": [{**GOOD, "format": "animated"}]}, "STICKER_TGS_NOTGS"),
        ({"sticker_type": "custom_emoji"}, "STICKER_PNG_DIMENSIONS"),
    ],
)
async def test_sets_that_telegram_refuses(play: Play, wrong: dict[str, Any], words: str) -> None:
    await new_set(play, name="taken_by_dice_bot")
    good = {"user_id": play.id("Ana"), "name": "cups_by_dice_bot", "title": "Cups", "stickers": [GOOD]}
    assert await upload(play, "createNewStickerSet", {**good, **wrong}, one=STICKER) == words


async def test_files_that_are_no_stickers(play: Play) -> None:
    to = {"user_id": play.id("Ana"), "name": await new_set(play), "sticker": GOOD}
    large = STICKER + bytes(1 << 19)
    assert await upload(play, "addStickerToSet", to, one=large) == "file is too big"
    assert await upload(play, "addStickerToSet", to, one=png(511, 300)) == "STICKER_PNG_DIMENSIONS"
    assert await upload(play, "addStickerToSet", to, one=b"words") == "STICKER_PNG_NOPNG"
    assert await upload(play, "addStickerToSet", {**to, "name": "x_by_dice_bot"}, one=STICKER) == "STICKERSET_INVALID"
    play.sandbox.world.sticker_sets["cups_by_dice_bot"].stickers *= 120
    assert await upload(play, "addStickerToSet", to, one=STICKER) == "STICKERS_TOO_MUCH"


async def test_a_sticker_is_replaced_in_its_own_set_only(play: Play) -> None:
    old = (await stickers(play, await new_set(play)))[0]["file_id"]
    other = await new_set(play, name="more_by_dice_bot")
    swap = {"user_id": play.id("Ana"), "name": other, "old_sticker": old, "sticker": GOOD}
    assert await upload(play, "replaceStickerInSet", swap, one=STICKER) == "STICKER_INVALID"


async def test_changes_without_a_sticker_or_a_set(play: Play) -> None:
    photo = (await upload(play, "sendPhoto", {"chat_id": play.group}, photo=png(9, 9)))["photo"][0]["file_id"]
    unknown = "wrong remote file identifier specified: Wrong string length"
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "sticker is not specified"),
        ({"sticker": "x"}, unknown),
        ({"sticker": photo}, "STICKER_INVALID"),
    ]
    await play.refuses("deleteStickerFromSet", *cases)
    await play.refuses("setStickerPositionInSet", ({}, "wrong sticker position specified"), sticker=photo)
    emojis = "can't parse emoji list: emoji list must be non-empty"
    await play.refuses("setStickerEmojiList", ({}, emojis), sticker=photo, emoji_list=[])
    for method in ("setStickerSetTitle", "deleteStickerSet"):
        await play.refuses(
            method, ({}, "sticker set name must be non-empty"), ({"name": "x"}, "STICKERSET_INVALID"), title="Cups"
        )


async def test_a_set_is_renamed_gets_a_picture_and_is_deleted(play: Play) -> None:
    name = await new_set(play)
    await play.ok("setStickerSetTitle", name=name, title="Old cups")
    own = {"user_id": play.id("Ana"), "name": name, "format": "static"}
    assert await upload(play, "setStickerSetThumbnail", own, thumbnail=EMOJI) is True
    whole = await play.ok("getStickerSet", name=name)
    assert (whole["title"], whole["thumbnail"]["file_size"]) == ("Old cups", len(EMOJI))
    assert await upload(play, "setStickerSetThumbnail", own, thumbnail=STICKER) == "STICKER_PNG_DIMENSIONS"
    await play.ok("setStickerSetThumbnail", **own)
    assert "thumbnail" not in await play.ok("getStickerSet", name=name)
    await play.ok("deleteStickerSet", name=name)
    await play.refuses("getStickerSet", ({}, "STICKERSET_INVALID"), name=name)


async def test_custom_emoji_are_found_by_their_ids(play: Play) -> None:
    name = await new_set(play, EMOJI, sticker_type="custom_emoji", needs_repainting=True)
    one = (await stickers(play, name))[0]
    assert (one["type"], one["needs_repainting"]) == ("custom_emoji", True)
    known = one["custom_emoji_id"]
    assert await play.ok("getCustomEmojiStickers", custom_emoji_ids=[known, "17", known]) == [one]
    await play.refuses(
        "getCustomEmojiStickers",
        ({"custom_emoji_ids": ["x"]}, "invalid custom emoji identifier specified"),
        ({"custom_emoji_ids": ["1"] * 201}, "too many custom emoji identifiers specified"),
    )
    method = "setCustomEmojiStickerSetThumbnail"
    await play.ok(method, name=name, custom_emoji_id=known)
    assert (await play.ok("getStickerSet", name=name))["thumbnail"]["file_id"] == one["file_id"]
    await play.refuses(method, ({}, "STICKER_INVALID"), name=name, custom_emoji_id="17")
    await play.ok(method, name=name)
    assert "thumbnail" not in await play.ok("getStickerSet", name=name)
    only = "the method can be used to set thumbnail only for custom emoji sticker sets"
    await play.refuses(method, ({}, only), name=await new_set(play, name="more_by_dice_bot"))
    never = "the method can't be used to set thumbnail of custom emoji sticker sets"
    await play.refuses("setStickerSetThumbnail", ({}, never), name=name, user_id=play.id("Ana"), format="static")


async def test_a_mask_has_a_place_on_a_face(play: Play) -> None:
    eyes = {"point": "eyes", "x_shift": 0.5, "y_shift": 0.0, "scale": 2.0}
    name = await new_set(play, sticker_type="mask", stickers=[{**GOOD, "mask_position": eyes}])
    one = (await stickers(play, name))[0]
    assert (one["type"], one["mask_position"]) == ("mask", eyes)
    await play.ok("setStickerMaskPosition", sticker=one["file_id"], mask_position={**eyes, "point": "chin"})
    assert (await stickers(play, name))[0]["mask_position"]["point"] == "chin"
    await play.ok("setStickerMaskPosition", sticker=one["file_id"])
    assert "mask_position" not in (await stickers(play, name))[0]
    wrong = "can't parse mask position: Wrong point specified in MaskPosition"
    await play.refuses("setStickerMaskPosition", ({}, wrong), mask_position={**eyes, "point": "ear"})
    plain = (await stickers(play, await new_set(play, name="more_by_dice_bot")))[0]["file_id"]
    await play.refuses("setStickerMaskPosition", ({}, "STICKER_MASK_COORDS_NOT_SUPPORTED"), sticker=plain)


async def test_a_supergroup_has_a_set_for_its_members(play: Play) -> None:
    name, chat = await new_set(play), {"chat_id": play.group}
    await play.refuses(
        "setChatStickerSet", ({}, "not enough rights to change supergroup sticker set"), **chat, sticker_set_name=name
    )
    play.sandbox.set_bot_status(play.sandbox.world.chats[play.group], "administrator")
    await play.ok("setChatStickerSet", **chat, sticker_set_name=name)
    found = await play.ok("getChat", **chat)
    assert (found["can_set_sticker_set"], found["sticker_set_name"]) == (True, name)
    await play.ok("deleteChatStickerSet", **chat)
    assert "sticker_set_name" not in await play.ok("getChat", **chat)
    await play.refuses(
        "setChatStickerSet",
        ({}, "sticker_set_name is empty"),
        ({"sticker_set_name": "x"}, "STICKERSET_INVALID"),
        ({"chat_id": play.id("Ana")}, "method is available only for supergroups"),
        **chat,
    )
