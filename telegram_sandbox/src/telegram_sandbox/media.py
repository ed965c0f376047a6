"""Turns a stored file into the media of a message: checks photos; a file that Telegram cannot show is a document."""

from dataclasses import replace
from mimetypes import MimeTypes

from telegram_sandbox import file_types
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json, Media, MediaKind, StoredFile
from telegram_sandbox.store import Store

LARGEST_PHOTO = 10 * 1024 * 1024
LARGEST_SIDES = 10_000
STICKER_SIDE = 512
VOICE_BEGINNINGS = (b"OggS", b"ID3", b"\xff\xfb")
"""Telegram shows Ogg, MP3 and M4A as voice notes."""
ALBUM_KINDS: tuple[MediaKind, ...] = ("photo", "video", "audio", "document")
GZIP = b"\x1f\x8b"
COVERED_KINDS = ("photo", "video", "animation")
TYPES_OF_NAMES = MimeTypes()
DEFAULT_MIME_TYPES: dict[MediaKind, str] = {
    "photo": "image/jpeg",
    "voice": "audio/ogg",
    "video": "video/mp4",
    "video_note": "video/mp4",
    "audio": "audio/mpeg",
    "sticker": "image/webp",
}


def mime_type_of(kind: MediaKind, content: bytes, name: str | None = None) -> str:
    """Return the type of a file that is sent as this kind; a document's is that of its name, if it has one."""
    if kind == "document" and (found := TYPES_OF_NAMES.guess_type(name or "")[0]):
        return found
    return file_types.mime_type_of(content, DEFAULT_MIME_TYPES.get(kind, "application/octet-stream"))


def as_media(
    kind: MediaKind,
    file: StoredFile,
    *,
    duration: int = 0,
    width: int = 0,
    height: int = 0,
    details: Json | None = None,
) -> Media:
    """Return a file as this kind, or as a document where Telegram would send it as one.

    Raises:
        ApiError: 400 for a photo that is no image, or too large.
    """
    details = details or {}
    size = file_types.size_of(file.content)
    match kind:
        case "photo":
            return _photo(file, size)
        case "animation" if size and file.content.startswith(b"GIF8"):
            # Telegram takes H.264 films without sound as well, and turns GIF files into such.
            return Media("animation", file, width=size[0], height=size[1])
        case "voice" if file.content.startswith(VOICE_BEGINNINGS) or file.content[4:8] == b"ftyp":
            return Media("voice", file, duration=duration)
        case "sticker" if size or file.content.startswith(GZIP) or file.mime_type.endswith("webm"):
            width, height = size or (STICKER_SIDE, STICKER_SIDE)
            return Media("sticker", file, width=width, height=height, details=details)
        case "video" | "video_note" | "audio":
            return Media(kind, file, duration=duration, width=width, height=height, details=details)
    return Media("document", file)


def covered(media: Media, *, has_spoiler: bool, caption_above: bool) -> Media:
    """Return a file with a spoiler, and with its caption above it, if its kind can have them."""
    if media.kind not in COVERED_KINDS:
        return media
    return replace(media, has_spoiler=has_spoiler, caption_above=caption_above)


def plain_picture(store: Store, kind: MediaKind, name: str) -> Media:
    """Return a picture of this kind that the bot knows by its name: games and gifts have one on Telegram."""
    file = store.find_file(name) or store.keep_file(kind, file_types.black_png(1, 1), "image/png", name, file_id=name)
    return as_media(kind, file)


def _photo(file: StoredFile, size: tuple[int, int] | None) -> Media:
    if size is None:
        raise bad_request("IMAGE_PROCESS_FAILED")
    if sum(size) > LARGEST_SIDES or 0 in size:
        raise bad_request("PHOTO_INVALID_DIMENSIONS")
    if len(file.content) > LARGEST_PHOTO:
        raise bad_request(f"file of size {len(file.content)} bytes is too big for a photo")
    return Media("photo", file, width=size[0], height=size[1])
