"""Validates requests, results and updates with the models of `aiogram`, which others wrote from the Bot API."""

import inspect
import json
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin

from aiogram import methods, types
from aiogram.client.default import Default
from aiogram.methods.base import TelegramMethod
from pydantic import BaseModel, TypeAdapter, ValidationError

from telegram_sandbox.errors import ApiError, bad_request
from telegram_sandbox.model import Json

AnyMethod = TelegramMethod[Any]

MISSING = {
    "chat_id": "chat_id is empty",
    "text": "message text is empty",
    "message_id": "message identifier is not specified",
    "photo": "there is no photo in the request",
    "animation": "there is no animation in the request",
    "voice": "there is no voice in the request",
    "document": "there is no document in the request",
    "callback_query_id": "query is too old and response timeout expired or query ID is invalid",
    "inline_query_id": "query is too old and response timeout expired or query ID is invalid",
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


class InvalidRequestError(Exception):
    """A request that the model refuses: what the bot is told, and why."""

    def __init__(self, refusal: ApiError, why: str) -> None:
        super().__init__(why)
        self.refusal = refusal
        self.why = why


def _known_methods() -> dict[str, type[AnyMethod]]:
    found = {}
    for _, model in inspect.getmembers(methods, inspect.isclass):
        if issubclass(model, TelegramMethod) and model is not TelegramMethod:
            name: str = model.__api_method__
            found[name.lower()] = model
    return found


METHODS = _known_methods()
LEAVES = (str, int, float, type(None), Default, datetime)
UPDATE = TypeAdapter(types.Update)


def given(value: Any) -> Any:
    """The value that the bot sent, None where the model holds a client-side default."""
    return None if isinstance(value, Default) else value


def as_json(value: Any) -> Any:
    """A nested model as Telegram's JSON, without what was not given."""
    value = given(value)
    if isinstance(value, BaseModel):
        return {
            name: as_json(item)
            for name, item in {**vars(value), **(value.model_extra or {})}.items()
            if item is not None and not isinstance(item, Default)
        }
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return value


def validate_request(model: type[AnyMethod], params: Json, *, strictly: bool = True) -> tuple[AnyMethod, str | None]:
    """The request as its model, and, if `strictly`, which of its fields the method does not have.

    Raises:
        InvalidRequestError: when a required one is missing or one has the wrong type.
    """
    read = {name: _read(model, name, value) for name, value in params.items() if value is not None}
    try:
        request = model.model_validate(read)
    except ValidationError as error:
        raise _invalid(error) from error
    unknown = sorted(_unknown_fields(request, "")) if strictly else None
    return request, f"unknown fields: {', '.join(unknown)}" if unknown else None


def validate_result(model: type[AnyMethod], result: Any) -> str | None:
    """What is wrong with a result, None when nothing is."""
    return _schema_error(_result_adapter(model), result)


def validate_update(update: Json) -> str | None:
    """What is wrong with an update, None when nothing is."""
    return _schema_error(UPDATE, update)


def _schema_error(adapter: TypeAdapter[Any], value: Any) -> str | None:
    try:
        read = adapter.validate_python(value)
    except ValidationError as error:
        return f"sandbox: {_why(error)}"
    unknown = sorted(_unknown_fields(read, ""))
    return f"sandbox: unknown fields: {', '.join(unknown)}" if unknown else None


@cache
def _result_adapter(model: type[AnyMethod]) -> TypeAdapter[Any]:
    return TypeAdapter(model.__returning__)


def _read(model: type[AnyMethod], name: str, value: Any) -> Any:
    field = model.model_fields.get(name)
    if field is None:
        return value
    kinds = _kinds(field.annotation)
    if isinstance(value, str) and str not in kinds and not kinds & {int, float, bool}:
        value = _from_json(name, value)
    if isinstance(value, str) and {int, str} <= kinds:
        return int(value) if value.strip().lstrip("-").isdecimal() and len(value) < 20 else value  # noqa: PLR2004
    if name == "reply_markup" and isinstance(value, dict) and "inline_keyboard" in value:
        return _inline_keyboard(value)
    return value


def _inline_keyboard(value: Json) -> types.InlineKeyboardMarkup:
    try:
        return types.InlineKeyboardMarkup.model_validate(value)
    except ValidationError as error:
        raise InvalidRequestError(
            bad_request(f"can't parse inline keyboard button: {_first(error)}"), _why(error)
        ) from error


def _from_json(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        what = "reply keyboard markup" if name == "reply_markup" else name.replace("_", " ")
        raise InvalidRequestError(bad_request(f"can't parse {what} JSON object"), f"{name}: not JSON") from error


def _kinds(annotation: Any) -> set[Any]:
    if get_origin(annotation) in (Union, UnionType):
        return set().union(*(_kinds(part) for part in get_args(annotation)))
    origin = get_origin(annotation)
    return {origin or annotation}


def _invalid(error: ValidationError) -> InvalidRequestError:
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] == "missing" and len(first["loc"]) == 1:
        reason = MISSING.get(name, f'parameter "{name}" is required')
    else:
        reason = UNREADABLE.get(name, f'field "{name}": {_first(error)}')
    return InvalidRequestError(bad_request(reason), _why(error))


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(step) for step in first["loc"])
    return f"{where}: {first['msg']}"


def _why(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(step) for step in one['loc'])}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:5]
    )


def _unknown_fields(value: Any, path: str) -> list[str]:
    if isinstance(value, BaseModel):
        found = [f"{path}{name}" for name in value.model_extra or ()]
        for name, item in vars(value).items():
            if isinstance(item, LEAVES):
                continue
            found += _unknown_fields(item, f"{path}{name}.")
        return found
    if isinstance(value, (list, tuple)):
        return [name for place, item in enumerate(value) for name in _unknown_fields(item, f"{path}{place}.")]
    return []
