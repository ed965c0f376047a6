"""Bot API methods about sticker sets of the bot, and the set of a group."""

from typing import get_args

from telegram_sandbox import sticker_sets
from telegram_sandbox.bot_api.methods_media import file_of
from telegram_sandbox.bot_api.reading import as_json
from telegram_sandbox.bot_api.registry import accepts, answers
from telegram_sandbox.bot_api.requests import (
    AddStickerToSet,
    CreateNewStickerSet,
    DeleteChatStickerSet,
    DeleteStickerFromSet,
    DeleteStickerSet,
    GetCustomEmojiStickers,
    GetStickerSet,
    InputSticker,
    ReplaceStickerInSet,
    SetChatStickerSet,
    SetCustomEmojiStickerSetThumbnail,
    SetStickerEmojiList,
    SetStickerKeywords,
    SetStickerMaskPosition,
    SetStickerPositionInSet,
    SetStickerSetThumbnail,
    SetStickerSetTitle,
    UploadStickerFile,
)
from telegram_sandbox.errors import ApiError, bad_request
from telegram_sandbox.model import Json, Media, StickerSet, StoredFile
from telegram_sandbox.sticker_sets import Format
from telegram_sandbox.world import World

KINDS = ("regular", "mask", "custom_emoji")
MASK_POINTS = ("forehead", "eyes", "mouth", "chin")
MOST_AT_ONCE = 50
MOST_ASKED = 200


@answers(GetStickerSet)
def get_sticker_set(world: World, request: GetStickerSet) -> Json:
    """Return a set of the bot with its stickers."""
    return sticker_sets.as_json(sticker_sets.find(world, request.name))


@answers(GetCustomEmojiStickers)
def get_custom_emoji_stickers(world: World, request: GetCustomEmojiStickers) -> list[Json]:
    """Return the custom emoji of the bot's sets with these ids; unknown ones are left out."""
    if not all(asked.isdecimal() for asked in request.custom_emoji_ids):
        raise bad_request("invalid custom emoji identifier specified")
    if len(request.custom_emoji_ids) > MOST_ASKED:
        raise bad_request("too many custom emoji identifiers specified")
    return [
        sticker_sets.sticker_json(sticker)
        for asked in dict.fromkeys(request.custom_emoji_ids)
        for one in world.sticker_sets.values()
        for sticker in one.stickers
        if sticker.details.get("custom_emoji_id") == asked
    ]


@answers(UploadStickerFile)
def upload_sticker_file(world: World, request: UploadStickerFile) -> Json:
    """Keep a file for a sticker."""
    form = _format(request.sticker_format or "")
    _check_person(world, request.user_id)
    file = file_of(world, "sticker", request.sticker)
    sticker_sets.check_file(file, form, "regular")
    names = {name: getattr(file, name) for name in ("file_id", "file_unique_id")}
    return {**names, "file_size": len(file.content)}


@answers(CreateNewStickerSet)
def create_new_sticker_set(world: World, request: CreateNewStickerSet) -> bool:
    """Create a set; its name has to end with `_by_` and the bot's."""
    if len(request.stickers) > MOST_AT_ONCE:
        raise bad_request("too many stickers specified")
    read = [_read(one, request.sticker_format or "") for one in request.stickers]
    kind = "mask" if request.contains_masks else request.sticker_type or "regular"
    if kind not in KINDS:
        raise bad_request("unsupported sticker type specified")
    _check_person(world, request.user_id)
    title = sticker_sets.title_of(request.title)
    name = sticker_sets.new_name(world, request.name)
    if not request.stickers:
        raise bad_request("at least 1 sticker must be specified")
    if request.needs_repainting and kind != "custom_emoji":
        raise bad_request("only custom emoji stickers support repainting")
    made = StickerSet(name, title, kind, needs_repainting=bool(request.needs_repainting))
    made.stickers = [_new(world, made, one, *form) for one, form in zip(request.stickers, read, strict=True)]
    world.sticker_sets[name.lower()] = made
    return True


@answers(AddStickerToSet, ReplaceStickerInSet)
def add_sticker_to_set(world: World, request: AddStickerToSet) -> bool:
    """Add a sticker to a set, or put it in the place of another one."""
    form, details = _read(request.sticker, "auto")
    _check_person(world, request.user_id)
    found = sticker_sets.to_change(world, request.name)
    of, place = found, len(found.stickers)
    if isinstance(request, ReplaceStickerInSet):
        of, place = sticker_sets.place_of(world, request.old_sticker)
    if of is not found:
        raise bad_request("STICKER_INVALID")
    if place == sticker_sets.MOST_STICKERS[found.kind]:
        raise bad_request("STICKERS_TOO_MUCH")
    form = form or sticker_sets.format_of(found.stickers[0].file)
    found.stickers[place : place + 1] = [_new(world, found, request.sticker, form, details)]
    return True


@answers(DeleteStickerFromSet)
def delete_sticker_from_set(world: World, request: DeleteStickerFromSet) -> bool:
    """Delete a sticker; a set ends with its last one."""
    found, place = sticker_sets.place_of(world, request.sticker)
    del found.stickers[place]
    if not found.stickers:
        del world.sticker_sets[found.name.lower()]
    return True


@answers(SetStickerPositionInSet)
def set_sticker_position_in_set(world: World, request: SetStickerPositionInSet) -> bool:
    """Move a sticker to another place, counted from 0."""
    if request.position < 0:
        raise bad_request("wrong sticker position specified")
    found, place = sticker_sets.place_of(world, request.sticker)
    found.stickers.insert(request.position, found.stickers.pop(place))
    return True


@answers(SetStickerEmojiList)
def set_sticker_emoji_list(world: World, request: SetStickerEmojiList) -> bool:
    """Give a sticker other emojis, of which the first is shown."""
    emoji = sticker_sets.first_emoji(request.emoji_list)
    found, place = sticker_sets.place_of(world, request.sticker)
    sticker_sets.change(found, place, emoji=emoji)
    return True


@accepts(SetStickerKeywords)
def set_sticker_keywords(world: World, request: SetStickerKeywords) -> bool:
    """Check the sticker; no one searches for it."""
    sticker_sets.place_of(world, request.sticker)
    return True


@answers(SetStickerMaskPosition)
def set_sticker_mask_position(world: World, request: SetStickerMaskPosition) -> bool:
    """Say where a mask is put on a face; without a place it has none."""
    position = as_json(request.mask_position)
    if position and position["point"] not in MASK_POINTS:
        raise bad_request("can't parse mask position: Wrong point specified in MaskPosition")
    found, place = sticker_sets.place_of(world, request.sticker)
    if found.kind != "mask":
        raise bad_request("STICKER_MASK_COORDS_NOT_SUPPORTED")
    sticker_sets.change(found, place, mask_position=position)
    return True


@answers(SetStickerSetTitle)
def set_sticker_set_title(world: World, request: SetStickerSetTitle) -> bool:
    """Rename a set for people."""
    found = sticker_sets.to_change(world, request.name)
    found.title = sticker_sets.title_of(request.title)
    return True


@answers(SetStickerSetThumbnail)
def set_sticker_set_thumbnail(world: World, request: SetStickerSetThumbnail) -> bool:
    """Give a set a picture of its own; without one it shows its first sticker."""
    form = _format(request.format or "auto")
    _check_person(world, request.user_id)
    found = sticker_sets.to_change(world, request.name)
    if found.kind == "custom_emoji":
        raise bad_request("the method can't be used to set thumbnail of custom emoji sticker sets")
    file = None if request.thumbnail is None else file_of(world, "sticker", request.thumbnail)
    if file:
        sticker_sets.check_file(file, form, found.kind, is_thumbnail=True)
    found.thumbnail = file
    return True


@answers(SetCustomEmojiStickerSetThumbnail)
def set_custom_emoji_sticker_set_thumbnail(world: World, request: SetCustomEmojiStickerSetThumbnail) -> bool:
    """Let a set of custom emoji show one of them; without one it shows its first."""
    found, asked = sticker_sets.to_change(world, request.name), request.custom_emoji_id
    if found.kind != "custom_emoji":
        raise bad_request("the method can be used to set thumbnail only for custom emoji sticker sets")
    shown: dict[str, StoredFile] = {one.details["custom_emoji_id"]: one.file for one in found.stickers}
    if asked and asked not in shown:
        raise bad_request("STICKER_INVALID")
    found.thumbnail = shown.get(asked or "")
    return True


@answers(DeleteStickerSet)
def delete_sticker_set(world: World, request: DeleteStickerSet) -> bool:
    """Delete a set."""
    del world.sticker_sets[sticker_sets.to_change(world, request.name).name.lower()]
    return True


@answers(SetChatStickerSet, DeleteChatStickerSet)
def set_chat_sticker_set(world: World, request: SetChatStickerSet | DeleteChatStickerSet) -> bool:
    """Give a supergroup the set that its members see first, or take it away."""
    chat = world.chat_known_to_bot(request.chat_id)
    if chat.type != "supergroup":
        raise bad_request("method is available only for supergroups")
    name = None
    if isinstance(request, SetChatStickerSet):
        if not request.sticker_set_name:
            raise bad_request("sticker_set_name is empty")
        name = sticker_sets.find(world, request.sticker_set_name).name
    if not chat.bot_may("can_change_info"):
        raise bad_request("not enough rights to change supergroup sticker set")
    chat.sticker_set = name
    return True


def _format(given: str) -> Format | None:
    if given == "auto":
        return None
    for form in get_args(Format):
        if form == given:
            return form  # type: ignore[no-any-return]
    raise bad_request("invalid sticker format specified")


def _read(given: InputSticker, default: str) -> tuple[Format | None, Json]:
    """Return the format of a sticker in a request, None if its file decides, and its details."""
    if not (given.format or default):
        raise bad_request("can't parse InputSticker: Can't find field \"format\"")
    try:
        form, emoji = _format(given.format or default), sticker_sets.first_emoji(given.emoji_list)
    except ApiError as wrong:
        words = wrong.description.removeprefix("Bad Request: ").removeprefix("can't parse emoji list: ")
        raise bad_request(f"can't parse InputSticker: {words}") from None
    position = as_json(given.mask_position)
    return form, {"emoji": emoji} | ({"mask_position": position} if position else {})


def _new(world: World, of: StickerSet, given: InputSticker, form: Format | None, details: Json) -> Media:
    return sticker_sets.new_sticker(world, of, file_of(world, "sticker", given.sticker), form, details)


def _check_person(world: World, user_id: int) -> None:
    if user_id not in world.people:
        raise bad_request("user not found")
