"""Sticker sets of the bot: their names, their stickers, and the checks of a sticker's file."""

import re
import secrets
import unicodedata
from dataclasses import replace
from typing import Literal

from telegram_sandbox import file_types, telegram_json
from telegram_sandbox.errors import bad_request, unknown_file
from telegram_sandbox.media import as_media
from telegram_sandbox.model import Json, Media, StickerSet, StoredFile
from telegram_sandbox.world import World

Format = Literal["static", "animated", "video"]
FORMATS: dict[str, Format] = {"application/gzip": "animated", "audio/webm": "video", "video/webm": "video"}
"""By the type of the file; all others are images."""
MIME_TYPES: dict[Format, str] = {"static": "image/webp", "animated": "application/gzip", "video": "video/webm"}
WRONG_FORMAT: dict[Format, str] = {
    "static": "STICKER_PNG_NOPNG",
    "animated": "STICKER_TGS_NOTGS",
    "video": "STICKER_VIDEO_NOWEBM",
}
MOST_BYTES: dict[Format, int] = {"static": 1 << 19, "animated": 1 << 16, "video": 1 << 18}
MOST_THUMBNAIL_BYTES: dict[Format, int] = {"static": 1 << 17, "animated": 1 << 15, "video": 1 << 15}
SIDE, EMOJI_SIDE, THUMBNAIL_SIDE = 512, 100, 100
MOST_STICKERS = {"regular": 120, "mask": 120, "custom_emoji": 200}
MOST_EMOJI = 20
LONGEST = 64
NAME = re.compile(r"(?!.*__)[a-z][a-z0-9_]{0,63}")
EMOJI_PARTS = frozenset("\u200d\ufe0f\u20e3#*0123456789")


def find(world: World, name: str) -> StickerSet:
    """Return the set with this name.

    Raises:
        ApiError: 400, there is none.
    """
    found = world.sticker_sets.get(name.strip().lower())
    if found is None:
        raise bad_request("STICKERSET_INVALID")
    return found


def to_change(world: World, name: str) -> StickerSet:
    """Return the set with this name, which the bot wants to change.

    Raises:
        ApiError: 400, there is none, or the name is missing.
    """
    if not name.strip():
        raise bad_request("sticker set name must be non-empty")
    return find(world, name)


def place_of(world: World, file_id: str) -> tuple[StickerSet, int]:
    """Return the set that has this sticker, and the sticker's place in it.

    Raises:
        ApiError: 400, no set has it.
    """
    if not file_id.strip():
        raise bad_request("sticker is not specified")
    if world.find_file(file_id) is None:
        raise unknown_file(file_id)
    for one in world.sticker_sets.values():
        for place, sticker in enumerate(one.stickers):
            if sticker.file.file_id == file_id:
                return one, place
    raise bad_request("STICKER_INVALID")


def new_name(world: World, name: str) -> str:
    """Return the name of a new set, which has to end with the bot's.

    Raises:
        ApiError: 400 for a name that Telegram does not take, or that another set has.
    """
    name = name.strip()
    if not name:
        raise bad_request("sticker set name must be non-empty")
    if not NAME.fullmatch(name.lower()) or not name.lower().endswith(f"_by_{world.settings.bot_username}".lower()):
        raise bad_request("invalid sticker set name is specified")
    if name.lower() in world.sticker_sets:
        raise bad_request("sticker set name is already occupied")
    return name


def title_of(title: str) -> str:
    """Return the title of a set.

    Raises:
        ApiError: 400 for none.
    """
    if not title.strip():
        raise bad_request("sticker set title must be non-empty")
    return title.strip()[:LONGEST]


def first_emoji(emojis: list[str]) -> str:
    """Return the first of a sticker's emojis, which stands for it.

    Raises:
        ApiError: 400 for none, too many, or other words.
    """
    if not emojis:
        raise bad_request("can't parse emoji list: emoji list must be non-empty")
    if len(emojis) > MOST_EMOJI:
        raise bad_request("can't parse emoji list: too many emoji specified")
    if not all(map(_is_emoji, emojis)):
        raise bad_request("can't parse emoji list: expected a Unicode emoji")
    return emojis[0]


def _is_emoji(text: str) -> bool:
    shown = [letter for letter in text if letter not in EMOJI_PARTS and unicodedata.category(letter) != "Cf"]
    return bool(shown or "\u20e3" in text) and all(unicodedata.category(one) in ("So", "Sk", "Sm") for one in shown)


def format_of(file: StoredFile) -> Format:
    """Return the format that a file seems to have."""
    return FORMATS.get(file_types.mime_type_of(file.content, file.mime_type), "static")


def check_file(file: StoredFile, wanted: Format | None, kind: str, *, is_thumbnail: bool = False) -> Format:
    """Return the format of a sticker's file, which decides where None is wanted.

    Raises:
        ApiError: 400 for a file of another format, with other sides, or with too many bytes.
    """
    found, size = format_of(file), file_types.size_of(file.content)
    wanted = wanted or found
    most = MOST_BYTES[wanted] >> (kind == "custom_emoji" and wanted != "animated") * 2
    if is_thumbnail:
        most = MOST_THUMBNAIL_BYTES[wanted]
    if len(file.content) > most:
        raise bad_request("file is too big")
    if found != wanted or (wanted == "static" and size is None):
        raise bad_request(WRONG_FORMAT[wanted])
    if size and not _fits(size, kind, is_thumbnail=is_thumbnail):
        raise bad_request("STICKER_PNG_DIMENSIONS")
    return wanted


def _fits(size: tuple[int, int], kind: str, *, is_thumbnail: bool) -> bool:
    if is_thumbnail or kind == "custom_emoji":
        return size == (THUMBNAIL_SIDE if is_thumbnail else EMOJI_SIDE,) * 2
    return max(size) == SIDE


def new_sticker(world: World, of: StickerSet, file: StoredFile, wanted: Format | None, details: Json) -> Media:
    """Return a sticker for a set; the set has a file of its own.

    Raises:
        ApiError: 400 for a file that is no sticker of this format.
    """
    form = check_file(file, wanted, of.kind)
    own = world.keep_file("sticker", file.content, MIME_TYPES[form], file.name)
    more: Json = {"set_name": of.name, "type": of.kind}
    if of.kind == "custom_emoji":
        more["custom_emoji_id"] = str(secrets.randbelow(9 * 10**18) + 10**18)
        if of.needs_repainting:
            more["needs_repainting"] = True
    return as_media("sticker", own, details=details | more)


def details_of(world: World, file: StoredFile) -> Json:
    """Return the details of the sticker with this file, if it is in a set."""
    all_stickers = (sticker for one in world.sticker_sets.values() for sticker in one.stickers)
    return next((sticker.details for sticker in all_stickers if sticker.file is file), {})


def change(of: StickerSet, place: int, **details: object) -> None:
    """Give a sticker other details, without those that are None."""
    old = of.stickers[place]
    kept = {name: value for name, value in (old.details | details).items() if value is not None}
    of.stickers[place] = replace(old, details=kept)


def as_json(one: StickerSet) -> Json:
    """Return a set as Telegram's StickerSet."""
    found: Json = {
        "name": one.name,
        "title": one.title,
        "sticker_type": one.kind,
        "stickers": [sticker_json(sticker) for sticker in one.stickers],
    }
    if one.thumbnail:
        found["thumbnail"] = _thumbnail(one.thumbnail)
    return found


def sticker_json(sticker: Media) -> Json:
    """Return a sticker as Telegram's Sticker."""
    found: Json = telegram_json.media(sticker)["sticker"]
    return found


def _thumbnail(file: StoredFile) -> Json:
    names = {name: getattr(file, name) for name in ("file_id", "file_unique_id")}
    return {**names, "file_size": len(file.content), "width": THUMBNAIL_SIDE, "height": THUMBNAIL_SIDE}
