"""Files in requests: uploaded ones, and those that the bot names by a file_id."""

from typing import Any

from aiogram.types import BufferedInputFile

from telegram_sandbox import file_types
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Media, MediaKind, StoredFile
from telegram_sandbox.world import World

LARGEST_PHOTO = 10 * 1024 * 1024
LARGEST_SIDES = 10_000
# What Telegram shows as a voice note: Ogg, MP3 and M4A; anything else arrives as a document.
VOICE_BEGINNINGS = (b"OggS", b"ID3", b"\xff\xfb")
TELEGRAM_NAMES: dict[MediaKind, str] = {"photo": "Photo", "voice": "VoiceNote", "document": "Document"}


def photo(file: StoredFile) -> Media:
    """A file as a photo.

    Raises:
        ApiError: 400 when it is no image, or too large a one.
    """
    size = file_types.size_of(file.content)
    if size is None:
        raise bad_request("IMAGE_PROCESS_FAILED")
    if sum(size) > LARGEST_SIDES or 0 in size:
        raise bad_request("PHOTO_INVALID_DIMENSIONS")
    if len(file.content) > LARGEST_PHOTO:
        raise bad_request(f"file of size {len(file.content)} bytes is too big for a photo")
    return Media("photo", file, width=size[0], height=size[1])


def is_voice(content: bytes) -> bool:
    """Whether Telegram shows these bytes as a voice note."""
    return content.startswith(VOICE_BEGINNINGS) or content[4:8] == b"ftyp"


def file_of(world: World, kind: MediaKind, value: Any) -> StoredFile:
    """The file that a request uploads or names.

    Raises:
        ApiError: 400 for an empty or unknown file, or one of another kind: photos are no documents.
    """
    if isinstance(value, BufferedInputFile):
        if not value.data:
            raise bad_request("file must be non-empty")
        default = {"photo": "image/jpeg", "voice": "audio/ogg"}.get(kind, "application/octet-stream")
        return world.keep_file(
            kind,
            value.data,
            file_types.mime_type_of(value.data, default),
            value.filename or kind,
        )
    text = str(value)
    if text.startswith(("http://", "https://")):
        raise bad_request("failed to get HTTP URL content")
    found = world.find_file(text)
    if found is None:
        raise bad_request("wrong remote file identifier specified: can't unserialize it. Wrong padding length")
    if "photo" in (kind, found.kind) and kind != found.kind:
        raise bad_request(f"can't use file of type {TELEGRAM_NAMES[found.kind]} as {TELEGRAM_NAMES[kind]}")
    return found
