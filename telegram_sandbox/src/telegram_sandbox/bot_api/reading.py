"""Reads the parameters of a call, which may be strings of a form, into the method's request."""

from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from telegram_sandbox.bot_api.requests import (
    WITHOUT_EFFECT,
    DeleteMessage,
    ForceReply,
    InlineKeyboardMarkup,
    Method,
    OwnPart,
    ReplyKeyboardMarkup,
    ReplyKeyboardRemove,
)
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json
from telegram_sandbox.request_mistakes import keyboard_words, words_for
from telegram_sandbox.request_values import InvalidRequestError, explain, read_values

MOST_MESSAGES = 100
MISSING = {
    "chat_id": "chat_id is empty",
    "text": "message text is empty",
    "latitude": "latitude is empty",
    "longitude": "longitude is empty",
    "message_id": "message identifier is not specified",
    "user_id": "invalid user_id specified",
    "callback_query_id": "query is too old and response timeout expired or query ID is invalid",
    "inline_query_id": "query is too old and response timeout expired or query ID is invalid",
    "message_ids": "message identifiers are not specified",
    "action": "wrong parameter action in request",
    "file_id": "file_id not specified",
    "options": "can't parse options JSON object",
    "name": "name must be non-empty",
    "invite_link": "invite link must be non-empty",
    **{
        kind: f"there is no {kind.replace('_', ' ')} in the request"
        for kind in ("photo", "animation", "voice", "document", "video", "audio", "sticker", "video_note")
    },
}
WRONG = {
    "chat_id": "chat not found",
    "message_id": "message identifier is not specified",
    "user_id": "invalid user_id specified",
}

MARKUPS: dict[str, type[BaseModel]] = {
    "keyboard": ReplyKeyboardMarkup,
    "inline_keyboard": InlineKeyboardMarkup,
    "remove_keyboard": ReplyKeyboardRemove,
    "force_reply": ForceReply,
}
"""By the field that each has alone."""

M = TypeVar("M", bound=Method)


def read_request(model: type[M], params: Json) -> M:
    """Return the request of a method.

    Raises:
        InvalidRequestError: a required parameter is missing, or one has the wrong type.
    """
    values = read_values(model, params)
    markup = values.get("reply_markup") if "reply_markup" in model.model_fields else None
    for name, kind in MARKUPS.items():
        if isinstance(markup, dict) and name in markup:
            _check_markup(kind, markup, name)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _invalid(model, error) from error


def check_identifiers(numbers: list[int]) -> None:
    """Refuse a list of messages that Telegram would not take.

    Raises:
        ApiError: 400 for none, for more than a hundred, and for a number that none has.
    """
    if not numbers:
        raise bad_request("message identifiers are not specified")
    if len(numbers) > MOST_MESSAGES:
        raise bad_request("too many message identifiers specified")
    if min(numbers) <= 0:
        raise bad_request("invalid message identifier specified")


def without_effect(value: Any, path: str = "") -> Iterator[str]:
    """Yield the names of the fields inside a request that the sandbox does not know and does not keep."""
    if isinstance(value, list):
        for item in value:
            yield from without_effect(item, path)
    elif isinstance(value, BaseModel):
        if isinstance(value, OwnPart):
            yield from (f"{path}{name}" for name in value.model_extra or {})
            unused = (name for name, field in type(value).model_fields.items() if WITHOUT_EFFECT in field.metadata)
            yield from (f"{path}{name}" for name in unused if name in value.model_fields_set)
        for name in value.model_fields_set & type(value).model_fields.keys():
            yield from without_effect(getattr(value, name), f"{path}{name}.")


def as_json(value: Any) -> Any:
    """Return an object of a request as Telegram's JSON, without its missing fields."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_none=True)
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return value


def _check_markup(kind: type[BaseModel], value: Json, name: str) -> None:
    try:
        kind.model_validate(value)
    except ValidationError as error:
        raise InvalidRequestError(bad_request(keyboard_words(error.errors()[0], name)), explain(error)) from error


def _invalid(model: type[Method], error: ValidationError) -> InvalidRequestError:
    """Return the refusal, which is about the chat only where nothing else is wrong."""
    first = min(error.errors(), key=lambda one: one["loc"][:1] == ("chat_id",) and model is not DeleteMessage)
    name = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] != "missing" or len(first["loc"]) > 1:
        reason = WRONG.get(name) or words_for(name, first)
    elif name == "chat_id" and model is DeleteMessage:
        reason = "chat identifier is not specified"
    else:
        reason = MISSING.get(name, f'parameter "{name}" is required')
    return InvalidRequestError(bad_request(reason), explain(error))
