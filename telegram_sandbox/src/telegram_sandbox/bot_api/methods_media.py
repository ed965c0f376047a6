"""Bot API methods that send files and albums, and download files."""

from collections.abc import Iterator
from typing import Any

from telegram_sandbox import sticker_sets
from telegram_sandbox.bot_api.message_text import caption_of
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    AnswerInlineQuery,
    GetFile,
    InlineQueryResult,
    InputMedia,
    Method,
    SendAnimation,
    SendAudio,
    SendDocument,
    SendMediaGroup,
    SendPhoto,
    SendSticker,
    SendVideo,
    SendVideoNote,
    SendVoice,
)
from telegram_sandbox.bot_api.sending import Content, send, send_all
from telegram_sandbox.downloads import download, is_address
from telegram_sandbox.errors import ApiError, bad_request, unknown_file
from telegram_sandbox.http_parameters import ATTACHED, UploadedFile
from telegram_sandbox.media import ALBUM_KINDS, as_media, covered, mime_type_of
from telegram_sandbox.model import Json, Media, MediaKind, StoredFile
from telegram_sandbox.permissions import SENT_AS
from telegram_sandbox.telegram_json import file_names
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.world import World

TELEGRAM_NAMES: dict[MediaKind, str] = {
    "photo": "Photo",
    "animation": "Animation",
    "audio": "Audio",
    "document": "Document",
    "sticker": "Sticker",
    "video": "Video",
    "video_note": "VideoNote",
    "voice": "VoiceNote",
}
SENT_AGAIN_ONLY_AS_THEMSELVES = frozenset({"photo", "sticker", "video_note"})
KINDS: dict[type, MediaKind] = {
    SendPhoto: "photo",
    SendAnimation: "animation",
    SendAudio: "audio",
    SendDocument: "document",
    SendSticker: "sticker",
    SendVideo: "video",
    SendVideoNote: "video_note",
    SendVoice: "voice",
}
ALBUMS: dict[str, MediaKind] = {kind: kind for kind in ALBUM_KINDS}
RESULTS: dict[str, tuple[MediaKind, str]] = {
    "photo": ("photo", "photo"),
    "gif": ("animation", "gif"),
    "mpeg4_gif": ("animation", "mpeg4"),
    "sticker": ("sticker", "sticker"),
    "document": ("document", "document"),
    "video": ("video", "video"),
    "voice": ("voice", "voice"),
    "audio": ("audio", "audio"),
}
"""The kinds of inline results that are files, each with the name of the fields of its file_id and its address."""
LARGEST_ALBUM = 10
DETAILS = ("performer", "title", "emoji")


@answers(*KINDS)
def send_file(world: World, request: Any) -> Json:
    """Send a file: an upload, or a known file by its file_id."""
    kind = KINDS[type(request)]
    words = FormattedText("")
    if not isinstance(request, SendSticker | SendVideoNote):
        words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    world.chat_to_write_in(request.chat_id, SENT_AS[kind])
    return send(world, request, words, media_of(world, kind, getattr(request, kind), request))


@answers(SendMediaGroup)
def send_media_group(world: World, request: SendMediaGroup) -> list[Json]:
    """Send an album of photos and videos, of audio files, or of documents."""
    if not request.media:
        raise bad_request("there are no messages to send")
    if len(request.media) > LARGEST_ALBUM:
        raise bad_request("too many messages to send as an album")
    for one in request.media:
        check_media(one, *ALBUMS)
    kinds = {ALBUMS[one.type] for one in request.media}
    if len({bool(one.show_caption_above_media) for one in request.media}) > 1:
        raise bad_request("parameter show_caption_above_media must be the same for all messages")
    if len(kinds) > 1 and (alone := kinds - {"photo", "video"}):
        raise bad_request(f"{min(alone)} can't be mixed with other media types")
    world.chat_to_write_in(request.chat_id, SENT_AS["photo"])
    return send_all(world, request, [_part(world, one) for one in request.media])


@answers(GetFile)
def get_file(world: World, request: GetFile) -> Json:
    """Return the path of a file for the download, up to 20 MB."""
    file = world.find_file(request.file_id)
    if file is None:
        raise bad_request("invalid file_id")
    if len(file.content) > world.settings.max_download_bytes:
        raise bad_request("file is too big")
    return {**file_names(file), "file_path": file.path}


async def with_downloads(world: World, request: Method) -> None:
    """Replace the addresses of files in a request by the files.

    Raises:
        ApiError: 400 for a file that cannot be had.
    """
    for part, name, kind in list(_addresses(request)):
        try:
            file: UploadedFile | ApiError = await download(
                getattr(part, name), kind, anywhere=world.settings.deliver_anywhere
            )
        except ApiError as error:
            if not isinstance(part, InlineQueryResult):
                raise
            file = error  # such a result is shown, and cannot be posted
        setattr(part, name, file)


def has_addresses(request: Method) -> bool:
    """Return whether a request names files by their addresses."""
    return any(_addresses(request))


def _addresses(request: Method) -> Iterator[tuple[Any, str, str]]:
    """Yield each part of a request with the field that is a file's address, and its kind."""
    kind = KINDS.get(type(request))
    if kind and kind != "video_note" and is_address(getattr(request, kind)):
        yield request, kind, kind
    media = getattr(request, "media", None) or []
    for one in media if isinstance(media, list) else [media]:
        if is_address(one.media):
            yield one, "media", one.type
    for result in request.results if isinstance(request, AnswerInlineQuery) else ():
        if result.type in RESULTS and result.input_message_content is None:
            found, field = RESULTS[result.type][0], f"{RESULTS[result.type][1]}_url"
            if is_address(getattr(result, field, None)):
                yield result, field, found


def media_of(world: World, kind: MediaKind, value: Any, request: Any) -> Media:
    """Return the file that a request uploads or names; duration, size and title come from `request`.

    Raises:
        ApiError: 400 for a file that cannot be sent as this kind.
    """
    side, file = getattr(request, "length", None) or 0, file_of(world, kind, value)
    known = sticker_sets.details_of(world, file) if kind == "sticker" else {}
    found = as_media(
        kind,
        file,
        duration=getattr(request, "duration", None) or 0,
        width=getattr(request, "width", None) or side,
        height=getattr(request, "height", None) or side,
        details=known | {name: given for name in DETAILS if (given := getattr(request, name, None))},
    )
    above = bool(getattr(request, "show_caption_above_media", None))
    return covered(found, has_spoiler=bool(getattr(request, "has_spoiler", None)), caption_above=above)


def check_media(given: InputMedia, *kinds: str) -> None:
    """Refuse a part that has no file, or is of another kind than these.

    Raises:
        ApiError: 400.
    """
    if isinstance(given.media, str) and (not given.media or given.media.startswith(ATTACHED)):
        raise bad_request("can't parse InputMedia: media not found")
    if given.type not in kinds:
        why = "can't be used in sendMediaGroup" if given.type == "animation" else "is unsupported"
        raise bad_request(f'can\'t parse InputMedia: type "{given.type}" {why}')


def _part(world: World, given: InputMedia) -> Content:
    words = caption_of(world, given.caption, given.parse_mode, given.caption_entities)
    return words, media_of(world, ALBUMS[given.type], given.media, given)


def file_of(world: World, kind: MediaKind, value: Any) -> StoredFile:
    """Return the file that a request uploads or names.

    Raises:
        ApiError: 400 for a file that cannot be sent as this kind.
    """
    if isinstance(value, UploadedFile):
        if not value.data:
            raise bad_request("file must be non-empty")
        return world.keep_file(kind, value.data, mime_type_of(kind, value.data, value.filename), value.filename or kind)
    text = str(value)
    if not text or text.startswith(ATTACHED):
        raise bad_request(f"there is no {kind.replace('_', ' ')} in the request")
    found = world.find_file(text)
    if found is None:
        raise unknown_file(text)
    if kind != found.kind and {kind, found.kind} & SENT_AGAIN_ONLY_AS_THEMSELVES:
        raise bad_request(f"can't use file of type {TELEGRAM_NAMES[found.kind]} as {TELEGRAM_NAMES[kind]}")
    return found.whole or found
