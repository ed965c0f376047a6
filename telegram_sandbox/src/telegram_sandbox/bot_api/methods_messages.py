"""Bot API methods that send, edit, delete, pin and react to messages."""

from typing import Any

from aiogram.methods import (
    DeleteMessage,
    DeleteMessages,
    EditMessageCaption,
    EditMessageReplyMarkup,
    EditMessageText,
    PinChatMessage,
    SendChatAction,
    SendMessage,
    SetMessageReaction,
    UnpinAllChatMessages,
    UnpinChatMessage,
)

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.keyboards import inline_keyboard
from telegram_sandbox.bot_api.message_text import caption_of, text_of
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.sending import send
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json, StoredMessage
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.validation import as_json
from telegram_sandbox.world import World

DELETABLE_SECONDS = 48 * 3600
MOST_DELETED = 100
NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)
ACTIONS = frozenset(
    {
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    },
)
Edit = EditMessageText | EditMessageCaption | EditMessageReplyMarkup


@answers(SendMessage)
def send_message(world: World, request: SendMessage) -> Json:
    """A text message."""
    words = text_of(world, request.text, request.parse_mode, request.entities, too_long="message is too long")
    return send(world, request, words)


@answers(EditMessageText)
def edit_message_text(world: World, request: EditMessageText) -> Json:
    """New words for the bot's own message; a keyboard that is not given again goes away."""
    if request.rich_message is not None:
        raise bad_request("rich messages are not in this sandbox")
    words = text_of(world, request.text, request.parse_mode, request.entities, too_long="MESSAGE_TOO_LONG")
    message = _editable(world, request)
    if message.text is None or message.media:
        raise bad_request("there is no text in the message to edit")
    return change(world, message, words, request.reply_markup)


@answers(EditMessageCaption)
def edit_message_caption(world: World, request: EditMessageCaption) -> Json:
    """New words under the bot's own photo or voice note."""
    words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    message = _editable(world, request)
    if message.media is None:
        raise bad_request("there is no caption in the message to edit")
    return change(world, message, words, request.reply_markup)


@answers(EditMessageReplyMarkup)
def edit_message_reply_markup(world: World, request: EditMessageReplyMarkup) -> Json:
    """Another keyboard under the bot's own message, or none."""
    return change(world, _editable(world, request), None, request.reply_markup)


@answers(DeleteMessage)
def delete_message(world: World, request: DeleteMessage) -> bool:
    """Delete one message."""
    chat = world.chat_known_to_bot(request.chat_id)
    message = world.find_message(chat.id, request.message_id)
    if message is None:
        raise bad_request("message to delete not found")
    _check_deletable(world, message)
    world.drop_message(message)
    return True


@answers(DeleteMessages)
def delete_messages(world: World, request: DeleteMessages) -> bool:
    """Delete several messages; those that do not exist are skipped."""
    chat = world.chat_known_to_bot(request.chat_id)
    if not 1 <= len(request.message_ids) <= MOST_DELETED:
        raise bad_request("there are too many or no message identifiers specified")
    found = [world.find_message(chat.id, message_id) for message_id in request.message_ids]
    for message in filter(None, found):
        _check_deletable(world, message)
    for message in {message.key: message for message in found if message}.values():
        world.drop_message(message)
    return True


@answers(SendChatAction)
def send_chat_action(world: World, request: SendChatAction) -> bool:
    """Show "typing…"."""
    world.chat_to_write_in(request.chat_id)
    if request.action not in ACTIONS:
        raise bad_request("wrong parameter action in request")
    return True


@answers(SetMessageReaction)
def set_message_reaction(world: World, request: SetMessageReaction) -> bool:
    """Put the bot's own reaction on a message."""
    chat = world.chat_known_to_bot(request.chat_id)
    message = world.find_message(chat.id, request.message_id)
    if message is None:
        raise bad_request("message to react not found")
    message.reactions = as_json(request.reaction) or []
    world.show_edit(message)
    return True


@answers(PinChatMessage)
def pin_chat_message(world: World, request: PinChatMessage) -> bool:
    """Pin a message; in a group only for an admin."""
    chat = world.chat_to_write_in(request.chat_id)
    _check_may_pin(chat.is_group and chat.bot_status != "administrator")
    message = world.find_message(chat.id, request.message_id)
    if message is None:
        raise bad_request("message to pin not found")
    if message.message_id not in chat.pinned:
        chat.pinned.append(message.message_id)
        service = {"pinned_message": telegram_json.message(world, message, with_reply=False)}
        world.service_message(chat, world.settings.bot_id, service, "pinned a message")
        world.show_chats()
    return True


@answers(UnpinChatMessage)
def unpin_chat_message(world: World, request: UnpinChatMessage) -> bool:
    """Unpin one message, the last where none is named."""
    chat = world.chat_known_to_bot(request.chat_id)
    _check_may_pin(chat.is_group and chat.bot_status != "administrator")
    message_id = request.message_id or (chat.pinned[-1] if chat.pinned else 0)
    if message_id not in chat.pinned:
        raise bad_request("message to unpin not found")
    chat.pinned.remove(message_id)
    world.show_chats()
    return True


@answers(UnpinAllChatMessages)
def unpin_all_chat_messages(world: World, request: UnpinAllChatMessages) -> bool:
    """Unpin everything."""
    chat = world.chat_known_to_bot(request.chat_id)
    _check_may_pin(chat.is_group and chat.bot_status != "administrator")
    chat.pinned.clear()
    world.show_chats()
    return True


def change(world: World, message: StoredMessage, words: FormattedText | None, markup: Any) -> Json:
    """Give a message other words (None keeps them) and another keyboard.

    Raises:
        ApiError: 400 when nothing would change, 429 when it is one edit too many.
    """
    keyboard = inline_keyboard(markup)
    same_words = words is None or ((words.text or None), words.entities) == (message.text, message.entities)
    if same_words and keyboard == message.reply_markup:
        raise bad_request(NOT_MODIFIED)
    world.flood_limits.charge(world.chats[message.chat_id])
    if words is not None:
        message.text, message.entities = words.text or None, words.entities
        message.edit_date = world.clock.unix()
    message.reply_markup = keyboard
    world.show_edit(message)
    return telegram_json.message(world, message)


def _editable(world: World, request: Edit) -> StoredMessage:
    if request.inline_message_id is not None:
        raise bad_request("MESSAGE_ID_INVALID")
    if request.message_id is None:
        raise bad_request("message identifier is not specified")
    chat = world.chat_known_to_bot(request.chat_id)
    if chat.type == "private":
        world.chat_to_write_in(chat.id)
    message = world.find_message(chat.id, request.message_id)
    if message is None:
        raise bad_request("message to edit not found")
    if message.sender_id != world.settings.bot_id or message.service:
        raise bad_request("message can't be edited")
    return message


def _check_deletable(world: World, message: StoredMessage) -> None:
    chat = world.chats[message.chat_id]
    mine = message.sender_id == world.settings.bot_id
    if chat.is_group and not mine and chat.bot_status != "administrator":
        raise bad_request("message can't be deleted")
    if world.clock.now() - message.date > DELETABLE_SECONDS and chat.bot_status != "administrator":
        raise bad_request("message can't be deleted for everyone")


def _check_may_pin(refused: bool) -> None:
    if refused:
        raise bad_request("not enough rights to manage pinned messages in the chat")
