"""Reads the parameters of a call, which may be strings of a form, into the method's request."""

import json
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from telegram_sandbox.bot_api.requests import InlineKeyboardMarkup, Method
from telegram_sandbox.errors import ApiError, bad_request
from telegram_sandbox.model import Json

MISSING = {
    "chat_id": "chat_id is empty",
    "text": "message text is empty",
    "message_id": "message identifier is not specified",
    "callback_query_id": "query is too old and response timeout expired or query ID is invalid",
    "inline_query_id": "query is too old and response timeout expired or query ID is invalid",
    **{
        kind: f"there is no {kind.replace('_', ' ')} in the request"
        for kind in ("photo", "animation", "voice", "document", "video", "audio", "sticker", "video_note")
    },
}
UNREADABLE = {
    "chat_id": "chat not found",
    "message_id": "message identifier is not specified",
    "reply_markup": "object expected as reply markup",
    "user_id": "invalid user_id specified",
    "results": "can't parse inline query result",
    "media": "can't parse InputMedia",
    "reply_parameters": "can't parse reply parameters JSON object",
}


M = TypeVar("M", bound=Method)


class InvalidRequestError(Exception):
    """A request whose parameters do not have the method's types; `refusal` is the answer to the bot."""

    def __init__(self, refusal: ApiError, why: str) -> None:
        super().__init__(why)
        self.refusal = refusal
        self.why = why


def read_request(model: type[M], params: Json) -> M:
    """The request of a method.

    Raises:
        InvalidRequestError: a required parameter is missing, or one has the wrong type.
    """
    try:
        return model.model_validate(read_values(model, params))
    except ValidationError as error:
        raise _invalid(error) from error


def read_values(model: type[BaseModel], params: Json) -> Json:
    """The parameters with JSON strings decoded where `model` has no string.

    Raises:
        InvalidRequestError: a parameter is not JSON where the method wants an object.
    """
    return {name: _read(model, name, value) for name, value in params.items() if value is not None}


def as_json(value: Any) -> Any:
    """An object of a request as Telegram's JSON, without what was not given."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_none=True)
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return value


def explain(error: ValidationError) -> str:
    """The first five mistakes in one line."""
    return "; ".join(
        f"{'.'.join(str(step) for step in one['loc'])}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:5]
    )


def _read(model: type[BaseModel], name: str, value: Any) -> Any:
    field = model.model_fields.get(name)
    if field is None:
        return value
    kinds = _kinds(field.annotation)
    if isinstance(value, str) and str not in kinds and not kinds & {int, float, bool}:
        value = _from_json(name, value)
    if isinstance(value, str) and {int, str} <= kinds:
        return int(value) if value.strip().lstrip("-").isdecimal() and len(value) < 20 else value  # noqa: PLR2004
    if name == "reply_markup" and isinstance(value, dict) and "inline_keyboard" in value:
        _check_inline_keyboard(value)
    return value


def _check_inline_keyboard(value: Json) -> None:
    try:
        InlineKeyboardMarkup.model_validate(value)
    except ValidationError as error:
        refusal = bad_request(f"can't parse inline keyboard button: {_first(error)}")
        raise InvalidRequestError(refusal, explain(error)) from error


def _from_json(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        what = "reply keyboard markup" if name == "reply_markup" else name.replace("_", " ")
        raise InvalidRequestError(bad_request(f"can't parse {what} JSON object"), f"{name}: not JSON") from error


def _kinds(annotation: Any) -> set[Any]:
    if get_origin(annotation) in (Union, UnionType):
        return set().union(*(_kinds(part) for part in get_args(annotation)))
    return {get_origin(annotation) or annotation}


def _invalid(error: ValidationError) -> InvalidRequestError:
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] == "missing" and len(first["loc"]) == 1:
        reason = MISSING.get(name, f'parameter "{name}" is required')
    else:
        reason = UNREADABLE.get(name, f'field "{name}": {_first(error)}')
    return InvalidRequestError(bad_request(reason), explain(error))


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg']}"
