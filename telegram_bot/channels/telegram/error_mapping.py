"""Map the Bot API's errors to the errors of delivery."""

from collections.abc import Iterable
from typing import Final

from telegram.error import (
    BadRequest,
    ChatMigrated,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from telegram_bot.channels.telegram import is_group
from telegram_bot.channels.telegram.http_client import NeverLeftError, NoAnswerError
from telegram_bot.delivery.sender import (
    ChatLostError,
    ChatMovedError,
    DeliveryError,
    InvalidError,
    NotSentError,
    RefusalScope,
    RefusedError,
    SlowDownError,
    TargetGoneError,
    UnknownOutcomeError,
)
from telegram_bot.intents.envelope import Envelope

_GONE: Final = (
    "message to edit not found",
    "message can't be edited",
    "message_id_invalid",
    "message identifier is not specified",
    "message to delete not found",
    "message can't be deleted",
)
NOT_MODIFIED: Final = ("message is not modified",)
"""The message already shows the new text."""
NOT_PARSED: Final = ("can't parse entities",)
"""The server could not parse the markup of the text."""
NO_PHOTOS: Final = (
    "not enough rights to send",
    "send_photos_forbidden",
    "send_gifs_forbidden",
    "send_media_forbidden",
)
"""The chat accepts no photos, or no animations, from the bot."""
UNUSABLE_FILE_ID: Final = (
    "file identifier",
    "file_id",
    "file reference",
    "file_reference",
    "can't use file of type",
    "temporarily unavailable",
    "media_empty",
    "photo_invalid",
)
"""A file must be uploaded again, because Telegram does not find it by its file_id."""
OTHER_KIND: Final = ("there is no text in the message to edit", "there is no caption in the message to edit")
"""The message to edit is a picture instead of a text, or a text instead of a picture."""
_GATEWAY_GAVE_UP: Final = ("504", "520", "524")
"""The statuses of a gateway that has passed a call on and got no answer; the last two are Cloudflare's."""
_NO_PRIVATE_CHAT: Final = ("chat not found", "user not found", "peer_id_invalid", "user is deactivated")
_CANNOT_SEND: Final = (
    "have no rights to send a message",
    "have no write access to the chat",
    "need administrator rights",
    "chat_write_forbidden",
    "chat_send_plain_forbidden",
    "chat_guest_send_forbidden",
    "chat_restricted",
    "user_banned_in_channel",
)
_REMOVED: Final = ("kicked", "not a member of the", "group chat was")
_NOT_ENOUGH_RIGHTS: Final = "not enough rights to send"
_NO_CHAT: Final = ("chat not found", "chat_id_invalid", "channel_private", "chat was deactivated", "chat was deleted")
_NO_TOPIC: Final = ("topic_closed", "topic_deleted", "topic_id_invalid", "message thread not found")
_TAP_IS_OLD: Final = ("query is too old", "query id is invalid", "query_id_invalid")
_NO_EPHEMERAL_HERE: Final = (
    "not enough rights",
    "admin_required",
    "administrator",
    "ephemeral messages",
    "method not found",
    *_CANNOT_SEND,
    *_REMOVED,
    *_NO_CHAT,
    *_NO_TOPIC,
)


def says(error: TelegramError, words: Iterable[str]) -> bool:
    """Return True if the server refused a request with any of these words."""
    return isinstance(error, BadRequest) and any(each in error.message.lower() for each in words)


def map_error(error: TelegramError, envelope: Envelope, *, editing: bool) -> DeliveryError:
    """Return the delivery error that corresponds to a Telegram error."""
    text = error.message.lower()
    match error:
        case RetryAfter():
            wait = error.retry_after
            return SlowDownError(wait if isinstance(wait, int | float) else wait.total_seconds())
        case ChatMigrated(new_chat_id=address):
            return ChatMovedError(address)
        case Forbidden():
            return _forbidden(text, envelope)
        case BadRequest():
            return _bad_request(text, envelope, targeted=editing)
        case NeverLeftError():
            return NotSentError(error.message)
        case InvalidToken():  # the notice waits for a valid token
            return NotSentError(type(error).__name__)
        case TimedOut() | NoAnswerError():
            return UnknownOutcomeError(error.message)
        case NetworkError():
            # Telegram failed and did not accept the message, unless a gateway in front of it stopped waiting.
            kind = UnknownOutcomeError if any(status in text for status in _GATEWAY_GAVE_UP) else NotSentError
            return kind(type(error).__name__)
        case _:
            return InvalidError(type(error).__name__)


def _forbidden(text: str, envelope: Envelope) -> DeliveryError:
    if not is_group(envelope.chat):
        return RefusedError(text)
    if envelope.receiver is not None:
        return RefusedError(text, _concerns(text))
    return ChatLostError(text)


def _bad_request(text: str, envelope: Envelope, *, targeted: bool) -> DeliveryError:
    if targeted and any(words in text for words in _GONE):
        return TargetGoneError(text)
    if envelope.receiver is not None:
        return TargetGoneError(text) if targeted else RefusedError(text, _concerns(text))
    if is_group(envelope.chat) and _is_lost(text, envelope):
        return ChatLostError(text, topic_alone=any(words in text for words in _NO_TOPIC))
    if not is_group(envelope.chat) and any(words in text for words in _NO_PRIVATE_CHAT):
        return RefusedError(text)
    return InvalidError(text)


def _is_lost(text: str, envelope: Envelope) -> bool:
    """Return True if the group or topic accepts no message at all. A group may also refuse only files."""
    if _NOT_ENOUGH_RIGHTS in text:
        return envelope.notice.attached is None
    return any(words in text for words in (*_CANNOT_SEND, *_NO_CHAT, *_NO_TOPIC))


def _concerns(text: str) -> RefusalScope:
    """Return the scope of a refused ephemeral message: a person, or the old tap, the bot or the chat in the error.

    Never the whole group: only a refused message for everyone shows that the group is lost.
    """
    if any(words in text for words in _TAP_IS_OLD):
        return RefusalScope.TAP
    return RefusalScope.CHAT if any(words in text for words in _NO_EPHEMERAL_HERE) else RefusalScope.PERSON
