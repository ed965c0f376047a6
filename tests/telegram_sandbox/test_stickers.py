"""Sticker sets: how a bot makes and changes them, and how Telegram refuses."""

from typing import Any

from tests.telegram_sandbox.browsing import png
from tests.telegram_sandbox.conftest import Play

STICKER, EMOJI, WEBM, TGS = png(512, 300), png(100, 100), b"\x1aE\xdf\xa3video", b"\x1f\x8banimated"
GOOD: dict[str, Any] = {"sticker": "attach://one", "emoji_list": ["🎲"], "format": "static"}
SETTINGS = {"bot_username": "dice_bot"}


def made(play: Play, name: str = "cups_by_dice_bot", **more: Any) -> dict[str, Any]:
    return {"user_id": play.id("Ana"), "name": name, "title": "Cups", "stickers": [GOOD], "one": STICKER, **more}


async def new_set(play: Play, name: str = "cups_by_dice_bot", **more: Any) -> str:
    assert await play.ok("createNewStickerSet", **made(play, name, **more)) is True
    return name


async def stickers(play: Play, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await play.ok("getStickerSet", name=name))["stickers"]
    return found


async def test_a_bot_makes_a_set_also_of_an_uploaded_file_and_sends_its_stickers(play: Play) -> None:
    name = await new_set(play, title=" My cups ")
    whole = await play.ok("getStickerSet", name="CUPS_by_dice_bot")
    one = whole.pop("stickers")[0]
    assert whole == {"name": name, "title": "My cups", "sticker_type": "regular"}
    assert {"type": "regular", "emoji": "🎲", "set_name": name, "width": 512, "height": 300}.items() <= one.items()
    sent = await play.ok("sendSticker", chat_id=play.group, sticker=one["file_id"])
    assert (sent["sticker"]["set_name"], sent["sticker"]["emoji"]) == (name, "🎲")
    file = await play.ok("uploadStickerFile", user_id=play.id("Ana"), sticker_format="static", sticker=STICKER)
    assert file["file_size"] == len(STICKER)
    uploaded = [{"sticker": file["file_id"], "emoji_list": ["🎲"]}]
    other = await new_set(play, "more_by_dice_bot", stickers=uploaded, sticker_format="static")
    assert len(await stickers(play, other)) == 1


async def test_stickers_are_added_replaced_moved_and_deleted(play: Play) -> None:
    name = await new_set(play)
    to = {"user_id": play.id("Ana"), "name": name}

    async def emojis() -> list[str]:
        return [each["emoji"] for each in await stickers(play, name)]

    first = (await stickers(play, name))[0]["file_id"]
    video = {**GOOD, "emoji_list": ["🍺", "❤️"], "format": "video"}
    assert await play.ok("addStickerToSet", **to, sticker=video, one=WEBM) is True
    animated = {**GOOD, "emoji_list": ["👩‍💻"], "format": "animated"}
    assert await play.ok("addStickerToSet", **to, sticker=animated, one=TGS) is True
    second, third = (await stickers(play, name))[1:]
    assert (second["is_video"], second["is_animated"], third["is_animated"]) == (True, False, True)
    await play.ok("setStickerPositionInSet", sticker=third["file_id"], position=0)
    assert await emojis() == ["👩‍💻", "🎲", "🍺"]
    await play.ok("setStickerEmojiList", sticker=first, emoji_list=["🏆", "🎲"])
    assert await emojis() == ["👩‍💻", "🏆", "🍺"]
    await play.ok("setStickerKeywords", sticker=first, keywords=["cup"])
    tea = {"old_sticker": first, "sticker": {**GOOD, "emoji_list": ["☕"]}, "one": STICKER}
    other = await new_set(play, name="more_by_dice_bot")
    await play.refuses("replaceStickerInSet", "STICKER_INVALID", **to | tea | {"name": other})
    assert await play.ok("replaceStickerInSet", **to, **tea) is True
    assert await emojis() == ["👩‍💻", "☕", "🍺"]
    await play.refuses("deleteStickerFromSet", "STICKER_INVALID", sticker=first)
    for each in await stickers(play, name):
        await play.ok("deleteStickerFromSet", sticker=each["file_id"])
    await play.refuses("getStickerSet", "STICKERSET_INVALID", name=name)


async def test_sets_and_stickers_that_telegram_refuses_and_a_set_for_the_members_of_a_supergroup(play: Play) -> None:
    taken = await new_set(play, name="taken_by_dice_bot")
    await play.refuses("createNewStickerSet", "sticker set name is already occupied", **made(play, "taken_BY_dice_bot"))
    to = {"user_id": play.id("Ana"), "name": taken, "sticker": GOOD}
    await play.refuses(
        "addStickerToSet",
        ({"one": STICKER + bytes(1 << 19)}, "file is too big"),
        ({"one": png(511, 300)}, "STICKER_PNG_DIMENSIONS"),
        ({"one": b"words"}, "STICKER_PNG_NOPNG"),
        ({"one": STICKER, "name": "x_by_dice_bot"}, "STICKERSET_INVALID"),
        **to,
    )
    play.sandbox.world.sticker_sets[taken].stickers *= 120
    await play.refuses("addStickerToSet", "STICKERS_TOO_MUCH", **to, one=STICKER)
    photo = (await play.ok("sendPhoto", chat_id=play.group, photo=png(9, 9)))["photo"][0]["file_id"]
    emojis = "can't parse emoji list: emoji list must be non-empty"
    await play.refuses("deleteStickerFromSet", "STICKER_INVALID", sticker=photo)
    await play.refuses("setStickerPositionInSet", "wrong sticker position specified", sticker=photo)
    await play.refuses("setStickerEmojiList", emojis, sticker=photo, emoji_list=[])
    name, chat = await new_set(play), {"chat_id": play.group}
    no_right = "not enough rights to change supergroup sticker set"
    await play.refuses("setChatStickerSet", no_right, **chat, sticker_set_name=name)
    play.bot_is("administrator")
    await play.ok("setChatStickerSet", **chat, sticker_set_name=name)
    found = await play.ok("getChat", **chat)
    assert (found["can_set_sticker_set"], found["sticker_set_name"]) == (True, name)
    await play.ok("deleteChatStickerSet", **chat)
    assert "sticker_set_name" not in await play.ok("getChat", **chat)
    await play.refuses(
        "setChatStickerSet",
        "sticker_set_name is empty",
        ({"sticker_set_name": "x"}, "STICKERSET_INVALID"),
        ({"chat_id": play.id("Ana")}, "method is available only for supergroups"),
        **chat,
    )


async def test_a_set_is_renamed_gets_a_picture_and_is_deleted(play: Play) -> None:
    name = await new_set(play)
    await play.ok("setStickerSetTitle", name=name, title="Old cups")
    own = {"user_id": play.id("Ana"), "name": name, "format": "static"}
    assert await play.ok("setStickerSetThumbnail", **own, thumbnail=EMOJI) is True
    whole = await play.ok("getStickerSet", name=name)
    assert (whole["title"], whole["thumbnail"]["file_size"]) == ("Old cups", len(EMOJI))
    await play.refuses("setStickerSetThumbnail", "STICKER_PNG_DIMENSIONS", **own, thumbnail=STICKER)
    await play.ok("setStickerSetThumbnail", **own)
    assert "thumbnail" not in await play.ok("getStickerSet", name=name)
    await play.ok("deleteStickerSet", name=name)
    await play.refuses("getStickerSet", "STICKERSET_INVALID", name=name)


async def test_custom_emoji_are_found_by_their_ids(play: Play) -> None:
    name = await new_set(play, one=EMOJI, sticker_type="custom_emoji", needs_repainting=True)
    one = (await stickers(play, name))[0]
    assert (one["type"], one["needs_repainting"]) == ("custom_emoji", True)
    known = one["custom_emoji_id"]
    assert await play.ok("getCustomEmojiStickers", custom_emoji_ids=[known, "17", known]) == [one]
    method = "setCustomEmojiStickerSetThumbnail"
    await play.ok(method, name=name, custom_emoji_id=known)
    assert (await play.ok("getStickerSet", name=name))["thumbnail"]["file_id"] == one["file_id"]
    await play.refuses(method, "STICKER_INVALID", name=name, custom_emoji_id="17")
    await play.ok(method, name=name)
    assert "thumbnail" not in await play.ok("getStickerSet", name=name)
    only = "the method can be used to set thumbnail only for custom emoji sticker sets"
    await play.refuses(method, only, name=await new_set(play, name="more_by_dice_bot"))
    never = "the method can't be used to set thumbnail of custom emoji sticker sets"
    await play.refuses("setStickerSetThumbnail", never, name=name, user_id=play.id("Ana"), format="static")


async def test_a_mask_has_a_place_on_a_face(play: Play) -> None:
    eyes = {"point": "eyes", "x_shift": 0.5, "y_shift": 0.0, "scale": 2.0}
    name = await new_set(play, sticker_type="mask", stickers=[{**GOOD, "mask_position": eyes}])
    one = (await stickers(play, name))[0]
    assert (one["type"], one["mask_position"]) == ("mask", eyes)
    await play.ok("setStickerMaskPosition", sticker=one["file_id"], mask_position={**eyes, "point": "chin"})
    assert (await stickers(play, name))[0]["mask_position"]["point"] == "chin"
    await play.ok("setStickerMaskPosition", sticker=one["file_id"])
    assert "mask_position" not in (await stickers(play, name))[0]
    plain = (await stickers(play, await new_set(play, name="more_by_dice_bot")))[0]["file_id"]
    await play.refuses("setStickerMaskPosition", "STICKER_MASK_COORDS_NOT_SUPPORTED", sticker=plain)
