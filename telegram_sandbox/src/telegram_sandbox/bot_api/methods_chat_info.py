"""Bot API methods that change the title, the description and the photo of a chat."""

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import DeleteChatPhoto, SetChatDescription, SetChatPhoto, SetChatTitle
from telegram_sandbox.errors import bad_request
from telegram_sandbox.http_parameters import UploadedFile
from telegram_sandbox.media import as_media, mime_type_of
from telegram_sandbox.model import Chat
from telegram_sandbox.world import World

LONGEST_TITLE = 128
LONGEST_DESCRIPTION = 255


@answers(SetChatTitle)
def set_chat_title(world: World, request: SetChatTitle) -> bool:
    """Rename a group."""
    chat = _chat(world, request.chat_id, "change chat title", "title")
    title = request.title.strip()[:LONGEST_TITLE]
    if not title:
        raise bad_request("title must be non-empty")
    if title != chat.title:
        chat.title = title
        world.service_message(chat, world.settings.bot_id, {"new_chat_title": title}, f"renamed the group to {title}")
        world.show_chats()
    return True


@answers(SetChatDescription)
def set_chat_description(world: World, request: SetChatDescription) -> bool:
    """Describe a group; without words the description is removed."""
    chat = _chat(world, request.chat_id, "set chat description", "description")
    description = (request.description or "").strip()[:LONGEST_DESCRIPTION]
    if description == chat.description:
        raise bad_request("chat description is not modified")
    chat.description = description
    return True


@answers(SetChatPhoto)
def set_chat_photo(world: World, request: SetChatPhoto) -> bool:
    """Give a group a photo."""
    chat = _chat(world, request.chat_id, "change chat photo", "photo")
    given = request.photo
    if not isinstance(given, UploadedFile) or not given.data:
        raise bad_request("can't use file of type Photo as ChatPhoto" if isinstance(given, str) else "file is empty")
    stored = [world.keep_file("photo", given.data, mime_type_of("photo", given.data), given.filename) for _ in "12"]
    photo = as_media("photo", stored[1])
    chat.photo = (stored[0], stored[1])
    new = {"new_chat_photo": telegram_json.media(photo)["photo"]}
    world.service_message(chat, world.settings.bot_id, new, "changed the group's photo")
    return True


@answers(DeleteChatPhoto)
def delete_chat_photo(world: World, request: DeleteChatPhoto) -> bool:
    """Remove a group's photo."""
    chat = _chat(world, request.chat_id, "change chat photo", "photo")
    if chat.photo is None:
        raise bad_request("CHAT_NOT_MODIFIED")
    chat.photo = None
    world.service_message(chat, world.settings.bot_id, {"delete_chat_photo": True}, "removed the group's photo")
    return True


def _chat(world: World, chat_id: int | str, act: str, what: str) -> Chat:
    chat = world.chat_known_to_bot(chat_id)
    if chat.type == "private":
        raise bad_request(f"can't change private chat {what}")
    if not chat.bot_may("can_change_info"):
        raise bad_request(f"not enough rights to {act}")
    return chat
