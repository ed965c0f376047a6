"""Files: Bot API methods that send pictures, voice notes and documents and download them, and files in requests."""

from typing import Any

from aiogram.methods import GetFile, SendAnimation, SendDocument, SendPhoto, SendVoice
from aiogram.types import BufferedInputFile

from telegram_sandbox import file_types
from telegram_sandbox.bot_api.message_text import caption_of
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.sending import SENT_AS, send
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json, Media, MediaKind, StoredFile
from telegram_sandbox.world import World

LARGEST_PHOTO = 10 * 1024 * 1024
LARGEST_SIDES = 10_000
# What Telegram shows as a voice note: Ogg, MP3 and M4A; anything else arrives as a document.
VOICE_BEGINNINGS = (b"OggS", b"ID3", b"\xff\xfb")
TELEGRAM_NAMES: dict[MediaKind, str] = {
    "photo": "Photo",
    "animation": "Animation",
    "voice": "VoiceNote",
    "document": "Document",
}


KINDS: dict[type, MediaKind] = {
    SendPhoto: "photo",
    SendAnimation: "animation",
    SendVoice: "voice",
    SendDocument: "document",
}


@answers(*KINDS)
def send_file(world: World, request: SendPhoto | SendAnimation | SendVoice | SendDocument) -> Json:
    """A photo, an animation, a voice note or another file, uploaded or sent again by its file_id."""
    kind = KINDS[type(request)]
    words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    world.chat_to_write_in(request.chat_id, SENT_AS[kind])
    media = media_of(world, kind, getattr(request, kind), getattr(request, "duration", None) or 0)
    return send(world, request, words, media)


@answers(GetFile)
def get_file(world: World, request: GetFile) -> Json:
    """Where to download a file, up to 20 MB."""
    file = world.find_file(request.file_id)
    if file is None:
        raise bad_request("wrong file_id or the file is temporarily unavailable")
    if len(file.content) > world.settings.max_download_bytes:
        raise bad_request("file is too big")
    return {
        "file_id": file.file_id,
        "file_unique_id": file.file_unique_id,
        "file_size": len(file.content),
        "file_path": file.path,
    }


def media_of(world: World, kind: MediaKind, value: Any, duration: int = 0) -> Media:
    """The file that a request uploads or names, as what it is sent as.

    Raises:
        ApiError: 400 for a file that cannot be sent so.
    """
    file = _file(world, kind, value)
    if kind == "photo":
        return photo(file)
    if kind == "animation":
        return _animation(file)
    if kind == "voice" and (file.content.startswith(VOICE_BEGINNINGS) or file.content[4:8] == b"ftyp"):
        return Media("voice", file, duration=duration)
    return Media("document", file)


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


def _animation(file: StoredFile) -> Media:
    """A GIF file as an animation; anything else arrives as a document.

    Telegram takes H.264 films without sound as well, and turns GIF files into such.
    """
    size = file_types.size_of(file.content)
    if size is None or not file.content.startswith(b"GIF8"):
        return Media("document", file)
    return Media("animation", file, width=size[0], height=size[1])


def _file(world: World, kind: MediaKind, value: Any) -> StoredFile:
    if isinstance(value, BufferedInputFile):
        if not value.data:
            raise bad_request("file must be non-empty")
        default = {"photo": "image/jpeg", "voice": "audio/ogg"}.get(kind, "application/octet-stream")
        return world.keep_file(kind, value.data, file_types.mime_type_of(value.data, default), value.filename or kind)
    text = str(value)
    if text.startswith(("http://", "https://")):
        raise bad_request("failed to get HTTP URL content")
    found = world.find_file(text)
    if found is None:
        raise bad_request("wrong remote file identifier specified: can't unserialize it. Wrong padding length")
    if "photo" in (kind, found.kind) and kind != found.kind:
        raise bad_request(f"can't use file of type {TELEGRAM_NAMES[found.kind]} as {TELEGRAM_NAMES[kind]}")
    return found
