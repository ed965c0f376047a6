"""Bot API methods that change a message: the bot's own, or one that somebody posted via the bot."""

from typing import Any

from aiogram.methods import EditMessageCaption, EditMessageMedia, EditMessageReplyMarkup, EditMessageText
from aiogram.types import BufferedInputFile, InputMediaDocument, InputMediaPhoto

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.keyboards import inline_keyboard
from telegram_sandbox.bot_api.media_files import file_of, photo
from telegram_sandbox.bot_api.message_text import caption_of, text_of
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json, Media, StoredMessage
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.world import World

NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)
Edit = EditMessageText | EditMessageCaption | EditMessageMedia | EditMessageReplyMarkup
Edited = Json | bool
"""The changed message, or True for one that is named by its inline_message_id."""


@answers(EditMessageText)
def edit_message_text(world: World, request: EditMessageText) -> Edited:
    """New words; a keyboard that is not given again goes away."""
    if request.rich_message is not None:
        raise bad_request("rich messages are not in this sandbox")
    words = text_of(world, request.text, request.parse_mode, request.entities, too_long="MESSAGE_TOO_LONG")
    message = _editable(world, request)
    if message.text is None or message.media:
        raise bad_request("there is no text in the message to edit")
    change(world, message, words, request.reply_markup)
    return _edited(world, request, message)


@answers(EditMessageCaption)
def edit_message_caption(world: World, request: EditMessageCaption) -> Edited:
    """New words under a photo or voice note."""
    words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    message = _editable(world, request)
    if message.media is None:
        raise bad_request("there is no caption in the message to edit")
    change(world, message, words, request.reply_markup)
    return _edited(world, request, message)


@answers(EditMessageMedia)
def edit_message_media(world: World, request: EditMessageMedia) -> Edited:
    """Another photo or file with its caption, also in the place of a text."""
    message = _editable(world, request)
    if request.inline_message_id is not None and isinstance(getattr(request.media, "media", None), BufferedInputFile):
        raise bad_request("invalid message content specified")
    change_media(world, message, request.media, request.reply_markup)
    return _edited(world, request, message)


@answers(EditMessageReplyMarkup)
def edit_message_reply_markup(world: World, request: EditMessageReplyMarkup) -> Edited:
    """Another keyboard, or none."""
    message = _editable(world, request)
    change(world, message, None, request.reply_markup)
    return _edited(world, request, message)


def change_media(world: World, message: StoredMessage, given: Any, markup: Any) -> None:
    """Give a message another photo or file, with its caption, and another keyboard.

    Raises:
        ApiError: what Telegram would say of the message or of the file.
    """
    if not isinstance(given, (InputMediaPhoto, InputMediaDocument)):
        raise bad_request(f"media of type {given.type} is not in this sandbox")
    words = caption_of(world, given.caption, given.parse_mode, given.caption_entities)
    if message.media is not None and message.media.kind == "voice":
        raise bad_request("message media can't be edited")
    if isinstance(given, InputMediaPhoto):
        media = photo(file_of(world, "photo", given.media))
    else:
        media = Media("document", file_of(world, "document", given.media))
    change(world, message, words, markup, media)


def change(
    world: World, message: StoredMessage, words: FormattedText | None, markup: Any, media: Media | None = None
) -> None:
    """Give a message other words and media (None keeps them) and another keyboard.

    Raises:
        ApiError: 400 when nothing would change, 429 when it is one edit too many.
    """
    keyboard = inline_keyboard(markup)
    same_words = words is None or ((words.text or None), words.entities) == (message.text, message.entities)
    same_media = media is None or media == message.media
    if same_words and same_media and keyboard == message.reply_markup:
        raise bad_request(NOT_MODIFIED)
    world.flood_limits.charge(world.chats[message.chat_id])
    if words is not None:
        message.text, message.entities = words.text or None, words.entities
        message.media = media or message.media
        message.edit_date = world.clock.unix()
    message.reply_markup = keyboard
    world.show_edit(message)


def _edited(world: World, request: Edit, message: StoredMessage) -> Edited:
    return True if request.inline_message_id is not None else telegram_json.message(world, message)


def _editable(world: World, request: Edit) -> StoredMessage:
    if request.inline_message_id is not None and request.chat_id is None:
        posted = world.find_inline_message(request.inline_message_id)
        if posted is None:
            raise bad_request("MESSAGE_ID_INVALID")
        return posted
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
