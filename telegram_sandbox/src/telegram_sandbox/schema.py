"""Judges requests, results and updates by the models of `aiogram`, an independent description of the Bot API.

`aiogram` is optional (`telegram-sandbox[schema]`), and so is the judgement: `SandboxSettings(judge=True)` asks for it.
"""

import inspect
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from telegram_sandbox.errors import StartError
from telegram_sandbox.http_parameters import UploadedFile
from telegram_sandbox.model import Json
from telegram_sandbox.request_values import InvalidRequestError, explain, read_values

if TYPE_CHECKING:
    from aiogram.methods.base import TelegramMethod

OLDEST = (3, 31)
"""The first version of `aiogram` that describes the Bot API 10.3."""
UNDOCUMENTED = frozenset(("all_members_are_administrators", "accepted_gift_types"))
"""The fields that Telegram's server adds to each basic group in a message."""


def load() -> None:
    """Import `aiogram`, which takes seconds, before the first request has to wait for it.

    Raises:
        StartError: it is not installed, or older than the Bot API that the sandbox has.
    """
    try:
        found = re.match(r"(\d+)\.(\d+)", version("aiogram"))
    except PackageNotFoundError:
        found = None
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        raise StartError("to judge calls it needs a recent aiogram: pip install 'telegram-sandbox[schema]'")
    _methods()
    _update_adapter()


def judge_request(method: str, params: Json) -> str | None:
    """Return the mistakes in a request, None for a correct one."""
    model = _methods().get(method.lower())
    if model is None:
        return f"aiogram knows no method {method}"
    try:
        request = model.model_validate(_with_aiograms_files(read_values(model, params)))
    except InvalidRequestError as invalid:
        return invalid.why
    except ValidationError as error:
        return explain(error)
    unknown = sorted(_unknown_fields(request, ""))
    return f"unknown fields: {', '.join(unknown)}" if unknown else None


def judge_result(method: str, result: Any) -> str | None:
    """Return the mistakes in a result, None for a correct one."""
    return _judge(_result_adapter(method.lower()), result)


def judge_update(update: Json) -> str | None:
    """Return the mistakes in an update, None for a correct one."""
    return _judge(_update_adapter(), update)


def parameters(method: str) -> set[str]:
    """Return the names of a method's parameters."""
    return set(_methods()[method.lower()].model_fields)


@cache
def _methods() -> "dict[str, type[TelegramMethod[Any]]]":
    from aiogram import methods  # noqa: PLC0415 - optional, and slow to import
    from aiogram.methods.base import TelegramMethod  # noqa: PLC0415

    found = (model for _, model in inspect.getmembers(methods, inspect.isclass) if issubclass(model, TelegramMethod))
    return {model.__api_method__.lower(): model for model in found if model is not TelegramMethod}


@cache
def _result_adapter(method: str) -> TypeAdapter[Any]:
    return TypeAdapter(_methods()[method].__returning__)


@cache
def _update_adapter() -> TypeAdapter[Any]:
    from aiogram.types import Update  # noqa: PLC0415 - optional, and slow to import

    return TypeAdapter(Update)


def _judge(adapter: TypeAdapter[Any], value: Any) -> str | None:
    try:
        read = adapter.validate_python(value)
    except ValidationError as error:
        return f"sandbox: {explain(error)}"
    unknown = sorted(_unknown_fields(read, ""))
    return f"sandbox: unknown fields: {', '.join(unknown)}" if unknown else None


def _with_aiograms_files(value: Any) -> Any:
    from aiogram.types import BufferedInputFile  # noqa: PLC0415 - optional, and slow to import

    if isinstance(value, UploadedFile):
        return BufferedInputFile(value.data, value.filename)
    if isinstance(value, dict):
        return {name: _with_aiograms_files(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_aiograms_files(item) for item in value]
    return value


def _unknown_fields(value: Any, path: str) -> list[str]:
    if isinstance(value, BaseModel):
        found = [f"{path}{name}" for name in value.model_extra or () if name not in UNDOCUMENTED]
        for name, item in vars(value).items():
            if isinstance(item, (BaseModel, list, tuple)):
                found += _unknown_fields(item, f"{path}{name}.")
        return found
    if isinstance(value, (list, tuple)):
        return [name for place, item in enumerate(value) for name in _unknown_fields(item, f"{path}{place}.")]
    return []
