"""Bot API methods for messages that one member of a group sees."""

from aiogram.methods import (
    DeleteEphemeralMessage,
    EditEphemeralMessageCaption,
    EditEphemeralMessageMedia,
    EditEphemeralMessageReplyMarkup,
    EditEphemeralMessageText,
)

from telegram_sandbox.bot_api.message_text import caption_of, text_of
from telegram_sandbox.bot_api.methods_edits import change, change_media
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import StoredMessage
from telegram_sandbox.world import World

Edit = (
    EditEphemeralMessageCaption | EditEphemeralMessageMedia | EditEphemeralMessageReplyMarkup | EditEphemeralMessageText
)


@answers(EditEphemeralMessageText)
def edit_ephemeral_message_text(world: World, request: EditEphemeralMessageText) -> bool:
    """New words for one member."""
    if request.rich_message is not None:
        raise bad_request("rich messages are not in this sandbox")
    words = text_of(world, request.text, request.parse_mode, request.entities, too_long="MESSAGE_TOO_LONG")
    message = _editable(world, request)
    if message.media:
        raise bad_request("there is no text in the message to edit")
    change(world, message, words, request.reply_markup)
    return True


@answers(EditEphemeralMessageCaption)
def edit_ephemeral_message_caption(world: World, request: EditEphemeralMessageCaption) -> bool:
    """New words under a photo or voice note for one member."""
    words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    message = _editable(world, request)
    if message.media is None:
        raise bad_request("there is no caption in the message to edit")
    change(world, message, words, request.reply_markup)
    return True


@answers(EditEphemeralMessageMedia)
def edit_ephemeral_message_media(world: World, request: EditEphemeralMessageMedia) -> bool:
    """Another photo or file for one member, also in the place of a text."""
    change_media(world, _editable(world, request), request.media, request.reply_markup)
    return True


@answers(EditEphemeralMessageReplyMarkup)
def edit_ephemeral_message_reply_markup(world: World, request: EditEphemeralMessageReplyMarkup) -> bool:
    """Another keyboard for one member, or none."""
    change(world, _editable(world, request), None, request.reply_markup)
    return True


@answers(DeleteEphemeralMessage)
def delete_ephemeral_message(world: World, request: DeleteEphemeralMessage) -> bool:
    """Delete the message for the member who sees it."""
    chat = world.chat_known_to_bot(request.chat_id)
    message = world.find_ephemeral(chat.id, request.receiver_user_id, request.ephemeral_message_id)
    if message is None:
        raise bad_request("message to delete not found")
    world.drop_message(message)
    return True


def _editable(world: World, request: Edit) -> StoredMessage:
    chat = world.chat_to_write_in(request.chat_id)
    message = world.find_ephemeral(chat.id, request.receiver_user_id, request.ephemeral_message_id)
    if message is None:
        raise bad_request("message to edit not found")
    if message.sender_id != world.settings.bot_id:
        raise bad_request("message can't be edited")
    return message
