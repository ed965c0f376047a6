"""Bot API methods for files: sending photos, voice notes and documents, and downloading."""

from aiogram.methods import GetFile, SendDocument, SendPhoto, SendVoice

from telegram_sandbox.bot_api.media_files import file_of, is_voice, photo
from telegram_sandbox.bot_api.message_text import caption_of
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.sending import SENT_AS, send
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json, Media, MediaKind
from telegram_sandbox.world import World


@answers(SendPhoto)
def send_photo(world: World, request: SendPhoto) -> Json:
    """A photo, uploaded or sent again by its file_id."""
    words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    world.chat_to_write_in(request.chat_id, SENT_AS["photo"])
    return send(world, request, words, photo(file_of(world, "photo", request.photo)))


@answers(SendVoice)
def send_voice(world: World, request: SendVoice) -> Json:
    """A voice note, uploaded or sent again by its file_id."""
    words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    world.chat_to_write_in(request.chat_id, SENT_AS["voice"])
    file = file_of(world, "voice", request.voice)
    kind: MediaKind = "voice" if is_voice(file.content) else "document"
    return send(world, request, words, Media(kind, file, duration=request.duration or 0))


@answers(SendDocument)
def send_document(world: World, request: SendDocument) -> Json:
    """A file, uploaded or sent again by its file_id."""
    words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    world.chat_to_write_in(request.chat_id, SENT_AS["document"])
    return send(world, request, words, Media("document", file_of(world, "document", request.document)))


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
