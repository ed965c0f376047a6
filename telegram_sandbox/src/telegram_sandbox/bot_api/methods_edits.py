"""Bot API methods that change a message: the bot's own, one for one member, or one that was posted via the bot."""

from typing import Any

from telegram_sandbox import attachments, telegram_json
from telegram_sandbox.bot_api.keyboards import inline_keyboard
from telegram_sandbox.bot_api.message_text import caption_of, link_preview_of, rich_of, text_of
from telegram_sandbox.bot_api.methods_attachments import LOCATION_FIELDS, check_place
from telegram_sandbox.bot_api.methods_media import check_media, media_of
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    DeleteEphemeralMessage,
    Edit,
    EditEphemeralMessageCaption,
    EditEphemeralMessageMedia,
    EditEphemeralMessageReplyMarkup,
    EditEphemeralMessageText,
    EditMessageCaption,
    EditMessageLiveLocation,
    EditMessageMedia,
    EditMessageReplyMarkup,
    EditMessageText,
    EphemeralEdit,
    StopMessageLiveLocation,
)
from telegram_sandbox.errors import bad_request
from telegram_sandbox.http_parameters import UploadedFile
from telegram_sandbox.media import covered
from telegram_sandbox.model import Json, Media, MediaKind, StoredMessage
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.world import World

NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)
KINDS: dict[str, MediaKind] = {
    "photo": "photo",
    "animation": "animation",
    "document": "document",
    "video": "video",
    "audio": "audio",
}
Edited = Json | bool
"""The changed message; True for one that one member sees, or that is named by its inline_message_id."""


@answers(EditMessageText, EditEphemeralMessageText)
def edit_text(world: World, request: EditMessageText | EditEphemeralMessageText) -> Edited:
    """Replace a message's words; without a keyboard in the request, the message loses its keyboard."""
    rich: Json | None = None
    if request.rich_message is not None:
        words, rich = rich_of(request.rich_message)
    else:
        words = text_of(world, request.text, request.parse_mode, request.entities, too_long="MESSAGE_TOO_LONG")
    message = _editable(world, request)
    if message.text is None or message.media:
        raise bad_request("there is no text in the message to edit")
    if rich is None and "rich_message" in (message.attachment or {}):
        rich = {}  # the words are plain again
    return _change(world, request, message, words, preview=link_preview_of(request), attachment=rich)


@answers(EditMessageCaption, EditEphemeralMessageCaption)
def edit_caption(world: World, request: EditMessageCaption | EditEphemeralMessageCaption) -> Edited:
    """Replace the caption of a photo or voice note."""
    words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
    message = _editable(world, request)
    if message.media is None:
        raise bad_request("there is no caption in the message to edit")
    above = bool(request.show_caption_above_media)
    media = covered(message.media, has_spoiler=message.media.has_spoiler, caption_above=above)
    return _change(world, request, message, words, media)


@answers(EditMessageMedia, EditEphemeralMessageMedia)
def edit_media(world: World, request: EditMessageMedia | EditEphemeralMessageMedia) -> Edited:
    """Replace a message's file and caption; a text can become a photo or a file."""
    check_media(request.media, *KINDS)
    message, given = _editable(world, request), request.media
    if (
        message.inline_message_id is not None
        and isinstance(given.media, UploadedFile)
        and not given.media.is_downloaded
    ):
        raise bad_request("invalid message content specified")
    words = caption_of(world, given.caption, given.parse_mode, given.caption_entities)
    if message.media is not None and message.media.kind in ("voice", "video_note", "sticker"):
        raise bad_request("message media can't be edited")
    return _change(world, request, message, words, media_of(world, KINDS[given.type], given.media, given))


@answers(EditMessageLiveLocation, StopMessageLiveLocation)
def edit_live_location(world: World, request: EditMessageLiveLocation | StopMessageLiveLocation) -> Edited:
    """Move a live location, or end it."""
    message = _editable(world, request)
    if message.text is not None or message.media:
        raise bad_request("there is no live location in the message to edit")
    if not attachments.is_live(message, world.clock.now()):
        raise bad_request("message can't be edited")
    location = (message.attachment or {})["location"]
    if isinstance(request, EditMessageLiveLocation):
        check_place(request, "invalid location specified")
        place = location | request.model_dump(include=set(LOCATION_FIELDS), exclude_none=True)
    else:
        place = {name: location[name] for name in ("latitude", "longitude")}
    return _change(world, request, message, None, attachment={"location": place})


@answers(EditMessageReplyMarkup, EditEphemeralMessageReplyMarkup)
def edit_reply_markup(world: World, request: EditMessageReplyMarkup | EditEphemeralMessageReplyMarkup) -> Edited:
    """Replace or remove a message's keyboard."""
    return _change(world, request, _editable(world, request), None)


@answers(DeleteEphemeralMessage)
def delete_ephemeral_message(world: World, request: DeleteEphemeralMessage) -> bool:
    """Delete the message for the member who sees it."""
    chat = world.chat_known_to_bot(request.chat_id)
    message = world.find_ephemeral(chat.id, request.receiver_user_id, request.ephemeral_message_id)
    if message is None:
        raise bad_request("message to delete not found")
    world.drop_message(message)
    return True


def _change(
    world: World,
    request: Edit | EphemeralEdit,
    message: StoredMessage,
    words: FormattedText | None,
    media: Media | None = None,
    *,
    preview: Json | None = None,
    attachment: Json | None = None,
) -> Edited:
    """Give a message other words with the preview of a link, and media (None keeps them), and the request's keyboard.

    `attachment` is a place that has moved, or a rich message.

    Raises:
        ApiError: 400 for an edit without a change, 429 for too many edits.
    """
    chat = world.chats[message.chat_id]
    leads = "callback_game" if message.game else "pay" if message.invoice else ""
    keyboard = inline_keyboard(request.reply_markup, chat.type, leads=leads)
    before = (message.text, message.entities, message.link_preview_options)
    same_words = words is None or (words.text or None, words.entities, preview) == before
    same_media = media is None or media == message.media
    same_place = attachment is None or attachment == message.attachment
    if same_words and same_media and same_place and keyboard == message.reply_markup:
        raise bad_request(NOT_MODIFIED)
    world.flood_limits.charge(chat)
    if words is not None:
        message.text, message.entities = words.text or None, words.entities
        message.media, message.link_preview_options = media or message.media, preview
        message.edit_date = world.clock.unix()
    if attachment is not None:
        message.attachment, message.edit_date = attachment, world.clock.unix()
    message.reply_markup = keyboard
    world.show_edit(message)
    by_name = isinstance(request, EphemeralEdit) or request.inline_message_id is not None
    return True if by_name else telegram_json.message(world, message)


def _editable(world: World, request: Any) -> StoredMessage:
    if isinstance(request, EphemeralEdit):
        chat = world.chat_to_write_in(request.chat_id)
        message = world.find_ephemeral(chat.id, request.receiver_user_id, request.ephemeral_message_id)
    elif request.inline_message_id is not None and request.chat_id is None:
        posted = world.find_inline_message(request.inline_message_id)
        if posted is None:
            raise bad_request("MESSAGE_ID_INVALID")
        return posted
    elif request.message_id is None and request.chat_id is None:
        raise bad_request("message identifier is not specified")
    else:
        chat = world.chat_known_to_bot(request.chat_id)
        if chat.type == "private":
            world.chat_to_write_in(chat.id)
        message = world.find_message(chat.id, request.message_id or 0)
    if message is None:
        raise bad_request("message to edit not found")
    is_own = message.sender_id == world.settings.bot_id or chat.bot_may("can_edit_messages")
    if not is_own or message.service:
        raise bad_request("message can't be edited")
    return message
