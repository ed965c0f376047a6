"""The parts of the Bot API's answers that the bot reads: an odd part that it does not read spoils no answer."""

import math
from functools import cache
from typing import Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError, WrapValidator

from telegram_bot.channels.telegram.received import LARGEST_ID, Chat, Count, Id, Part, Text, User

LONGEST_PAUSE: Final = 86_400
"""The longest time in seconds that a server may ask the bot to wait."""
_LAST_DATE: Final = 2**33


def _if_readable(given: Any, read: Any) -> Any:
    """Return a part that the bot can do without, or None if it cannot be read."""
    try:
        return read(given)
    except ValidationError:
        return None


def _or_zero(given: Any, read: Any) -> Any:
    return _if_readable(given, read) or 0


_OrNone = WrapValidator(_if_readable)
_Date = Annotated[int | None, Field(strict=True, ge=0, le=_LAST_DATE), _OrNone]


class _File(Part):
    file_id: Text
    file_unique_id: Text = ""
    width: Count = 0
    height: Count = 0
    duration: Count = 0


class _Photo(Part):
    file_id: Text
    file_unique_id: Text = ""
    width: Count = 0
    height: Count = 0


class _SentMessage(Part):
    message_id: Id
    date: Annotated[int, Field(strict=True, ge=0, le=_LAST_DATE), WrapValidator(_or_zero)] = 0
    chat: Chat
    ephemeral_message_id: Annotated[Id | None, _OrNone] = None
    photo: Annotated[tuple[_Photo, ...] | None, _OrNone] = None
    animation: Annotated[_File | None, _OrNone] = None
    voice: Annotated[_File | None, _OrNone] = None


class _Me(User):
    first_name: Text
    username: Text
    is_bot: bool
    can_join_groups: bool | None = None
    can_read_all_group_messages: bool | None = None
    supports_inline_queries: bool | None = None
    has_main_web_app: bool | None = None


class _WebhookInfo(Part):
    url: Text
    has_custom_certificate: bool
    pending_update_count: Count
    last_error_date: _Date = None
    last_error_message: Annotated[Text | None, _OrNone] = None
    max_connections: Annotated[Count | None, _OrNone] = None
    allowed_updates: Annotated[tuple[Text, ...] | None, _OrNone] = None


class _FoundFile(Part):
    file_id: Text
    file_unique_id: Text = ""
    file_size: Annotated[Count | None, _OrNone] = None
    file_path: Text | None = None


_MODELS: Final[dict[str, Any]] = {"getMe": _Me, "getWebhookInfo": _WebhookInfo, "getFile": _FoundFile}


@cache
def model_of(method: str) -> TypeAdapter[Any] | None:
    """Return the type of a method's result, or None if it is not read, or read elsewhere."""
    if method.startswith(("send", "edit")):
        return TypeAdapter(_SentMessage | Literal[True])
    return TypeAdapter(_MODELS[method]) if method in _MODELS else None


def refusal(said: dict[str, Any]) -> dict[str, Any]:
    """Return a refusal with those of its parameters that can be acted on."""
    given = said.get("parameters")
    given = given if isinstance(given, dict) else {}
    moved, pause = given.get("migrate_to_chat_id"), given.get("retry_after")
    parameters = {}
    if type(moved) is int and 0 < abs(moved) <= LARGEST_ID:
        parameters["migrate_to_chat_id"] = moved
    if isinstance(pause, int | float) and not isinstance(pause, bool) and pause > 0:
        parameters["retry_after"] = math.ceil(min(pause, LONGEST_PAUSE))
    description = said.get("description")
    return {
        "ok": False,
        "error_code": said.get("error_code"),
        "description": description if isinstance(description, str) else "",
        "parameters": parameters,
    }
