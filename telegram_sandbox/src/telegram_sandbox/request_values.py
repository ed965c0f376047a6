"""Reads the values of a request's parameters, which may be strings of a form, by the types of a model."""

import json
import re
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from telegram_sandbox.errors import ApiError, bad_request
from telegram_sandbox.http_parameters import UploadedFile
from telegram_sandbox.model import Json
from telegram_sandbox.request_mistakes import WORDS

EXPECTED_OBJECTS = ("reply_markup", "reply_parameters", "link_preview_options")
"""The parameters that Telegram refuses where they are null in a JSON body; elsewhere null is 0, false or nothing."""
NONE_UNLESS_ARRAYS = (
    "allowed_updates",
    "entities",
    "caption_entities",
    "question_entities",
    "explanation_entities",
    "text_entities",
    "quote_entities",
)
"""The parameters and fields that Telegram takes for none where they are no JSON array."""
JSON_VALUES = (bool, int, float, list, dict)
MARKUPS = frozenset(("inline_keyboard", "keyboard", "remove_keyboard", "force_reply"))
"""A markup with none of these is none."""

_LEADING_NUMBER = re.compile(r"[ \t]*[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"-?[0-9]+")


class InvalidRequestError(Exception):
    """A request whose parameters do not have the method's types; `refusal` is the answer to the bot."""

    def __init__(self, refusal: ApiError, why: str) -> None:
        super().__init__(why)
        self.refusal = refusal
        self.why = why


def read_values(model: type[BaseModel], params: Json) -> Json:
    """Return the parameters with JSON strings decoded where `model` has no string.

    Raises:
        InvalidRequestError: a parameter is not JSON where the method wants an object.
    """
    read = {name: _read(model, name, value) for name, value in params.items()}
    return {name: value for name, value in read.items() if value is not None}


def read_field(name: str, annotation: Any, value: Any) -> Any:
    """Return the value of a field inside a JSON object, which the server reads more strictly than a parameter.

    Raises:
        PydanticCustomError: the field has another type.
    """
    kinds = _kinds(annotation) - {type(None)}
    if name in NONE_UNLESS_ARRAYS:
        return value if isinstance(value, list) else None
    if isinstance(value, UploadedFile) or Any in kinds:
        return value
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if str in kinds:
        fits, kind = is_number or isinstance(value, str), "string"
    elif bool in kinds:
        fits, kind = isinstance(value, bool), "bool"
    elif int in kinds:
        fits, kind = is_number or isinstance(value, str), "int"
        if fits and not _INTEGER.fullmatch(str(value)):
            raise PydanticCustomError("int_parsing", "not a valid number")
    elif float in kinds:
        fits, kind = is_number, "float"
    elif list in kinds:
        fits, kind = isinstance(value, list), "list"
    else:
        fits, kind = isinstance(value, dict), "dict"
    if not fits:
        raise PydanticCustomError(f"{kind}_type", "another type")
    return value


def explain(error: ValidationError) -> str:
    """Return the first five mistakes in one line."""
    return "; ".join(
        f"{'.'.join(str(step) for step in one['loc'])}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:5]
    )


def _read(model: type[BaseModel], name: str, value: Any) -> Any:
    field = model.model_fields.get(name)
    if field is None:
        return value
    kinds = _kinds(field.annotation)
    if str in kinds and (value is None or (isinstance(value, JSON_VALUES) and not kinds & {int, float, bool})):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))  # Telegram reads each value as its JSON
    if value is None and bool in kinds:
        return False
    if isinstance(value, str) and str not in kinds and not kinds & {int, float, bool}:
        if not value and not field.is_required():
            return None
        value = _from_json(name, value)
    if name in NONE_UNLESS_ARRAYS and not isinstance(value, list):
        return None
    if name == "reply_markup" and isinstance(value, dict) and not value.keys() & MARKUPS:
        return None
    if name in EXPECTED_OBJECTS and not isinstance(value, dict):
        raise InvalidRequestError(bad_request(WORDS[name].expected), f"{name}: {value!r:.100} is no object")
    if isinstance(value, str) and int in kinds and not kinds & {str, float}:
        found = _INTEGER.match(value)  # Telegram ignores what follows, and reads 0 without one
        return int(found[0]) if found else value if field.is_required() else 0
    if isinstance(value, str) and float in kinds:
        number = _LEADING_NUMBER.match(value)
        return float(number[0]) if number else 0.0
    if isinstance(value, str) and bool in kinds:
        return value.strip().lower() in ("true", "yes", "1")
    if isinstance(value, str) and {int, str} <= kinds:
        found = _INTEGER.match(value.lstrip())
        return int(found[0]) if found and len(found[0]) < 20 else value  # noqa: PLR2004
    return value


def _from_json(name: str, value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        if name in NONE_UNLESS_ARRAYS:
            return None
        words = WORDS[name].unreadable if name in WORDS else f"can't parse {name.replace('_', ' ')} JSON object"
        raise InvalidRequestError(bad_request(words), f"{name}: not JSON") from error


def _kinds(annotation: Any) -> set[Any]:
    if get_origin(annotation) in (Union, UnionType):
        return set().union(*(_kinds(part) for part in get_args(annotation)))
    return {get_origin(annotation) or annotation}
