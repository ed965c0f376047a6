"""Reads the fields of a request as the arguments of an act, and writes what the act returns."""

import asyncio
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from starlette.requests import Request

from telegram_sandbox import page_json, sound
from telegram_sandbox.acts import Act, Actor, SandboxAct
from telegram_sandbox.errors import ControlError
from telegram_sandbox.faults import FaultRule
from telegram_sandbox.http_parameters import UploadedFile, check_encoding, parse_json, read_body, read_params
from telegram_sandbox.model import Chat, InlineQuery, Json, StoredFile, StoredMessage, Tap, Topic
from telegram_sandbox.users import User
from telegram_sandbox.world import World

FIELD_OF = {
    "chat": "chat_id",
    "content": "file",
    "fault": "number",
    "into": "into_chat_id",
    "message": "message_id",
    "person": "user_id",
    "to": "to_chat_id",
    "topic": "thread_id",
}
"""The field that names what a parameter has; other parameters have their own names."""
Declared = Act[..., Any] | SandboxAct


class MissingError(ControlError):
    """The request names an object that does not exist."""


def found(value: Any, what: str) -> Any:
    """Return the value.

    Raises:
        MissingError: there is none.
    """
    if value is None:
        raise MissingError(f"no such {what}")
    return value


def person(world: World, user_id: int) -> User:
    """Return a person who has an account.

    Raises:
        MissingError: no one has this id.
    """
    account = world.people.get(user_id)
    found(None if account is None or account.deleted else account, "person")
    return User(world, user_id)


def _message(world: World, body: Any, message_id: int) -> StoredMessage:
    where = getattr(body, "chat_id", None) or body.chat or body.who
    message: StoredMessage = found(world.find_message(where, message_id), "message")
    return message


def _content(_world: World, _body: Any, file: Any) -> bytes:
    if not isinstance(file, UploadedFile) or not file.data:
        raise ControlError("there is no file in the request")
    return file.data


FOUND: dict[Any, tuple[Any, Callable[[World, Any, Any], Any]]] = {
    Chat: (int, lambda world, _, chat_id: found(world.chats.get(chat_id), "chat")),
    StoredMessage: (int, _message),
    User: (int, lambda world, _, user_id: person(world, user_id)),
    Sequence[User]: (list[int], lambda world, _, ids: [person(world, one) for one in ids]),
    Topic: (int, lambda world, body, number: found(world.chats[body.chat].topics.get(number), "topic")),
    FaultRule: (int, lambda world, _, number: found(world.faults.rules.get(number), "fault")),
    bytes: (Any, _content),
    bytes | Path: (Any, _content),
    str | re.Pattern[str]: (str, lambda _world, _, words: words),
}
"""The parameters that a field only names: the field's type, and how to find what it names."""


def places(address: str) -> list[str]:
    """Return the fields that are in a path."""
    return re.findall(r"{(\w+)}", address)


@cache
def parameters(act: Declared) -> dict[str, tuple[inspect.Parameter, Any]]:
    """Return the parameters of an act, with their types."""
    hints = get_type_hints(act.method, include_extras=True)
    listed = list(inspect.signature(act.method).parameters.values())[1:]
    return {one.name: (one, _without_none(hints[one.name])) for one in listed}


def _without_none(hint: Any) -> Any:
    """Return the type of what a field may name, also where it may be left out."""
    return next((named for named in FOUND if hint == named | None), hint)


@cache
def body_model(act: Declared) -> type[BaseModel]:
    """Return the model of a request body, with the fields of the path."""
    fields: dict[str, Any] = {}
    if isinstance(act, Act):
        fields["who"] = (int, Field(alias=act.who))
    for name, (one, hint) in parameters(act).items():
        wanted: Any = FOUND[hint][0] if hint in FOUND else hint
        if one.kind is one.VAR_POSITIONAL:
            wanted = Annotated[list[wanted], Field()]
        if hint is StoredMessage and one.default is one.empty:
            fields["chat_id"] = (int, ...)
        default: Any = ... if one.default is one.empty else one.default
        if default is None:
            wanted |= None
        fields[name] = (wanted, Field(default, alias=FIELD_OF[name]) if name in FIELD_OF else default)
    return create_model("Body", __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True), **fields)


async def read(request: Request, act: Declared, limit: int) -> Json:
    """Return the fields of a request; a browser's recording becomes a voice note."""
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        sent = await read_params(request, limit)
        values = {name: value for name, value in sent.items() if value != ""}
    else:
        body = await read_body(request, limit)
        values = parse_json(body) if body else {}
        check_encoding(values)
    file = values.get("file")
    if values.get("kind") == "voice" and isinstance(file, UploadedFile) and sound.is_recording(file.data):
        try:
            content, values["duration"] = await asyncio.to_thread(sound.as_voice_note, file.data)
        except sound.SoundError as error:
            raise ControlError(str(error)) from error
        values["file"] = UploadedFile(content, file.filename)
    if twice := values.keys() & set(places(act.address)):
        raise ControlError(f"{min(twice)}: Extra inputs are not permitted")
    return values | request.path_params


async def perform(world: World, target: Any, act: Declared, values: Json) -> Any:
    """Let someone act as a request says.

    Raises:
        ControlError: the fields do not fit; the error names the first fault.
    """
    try:
        body: Any = body_model(act).model_validate(values)
    except ValidationError as error:
        first: Any = error.errors(include_url=False, include_input=False)[0]
        raise ControlError(f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}") from error
    args: list[Any] = []
    named: Json = {}
    for name, (one, hint) in parameters(act).items():
        value = getattr(body, name)
        if hint in FOUND and value is not None:
            value = FOUND[hint][1](world, body, value)
        if one.kind is one.KEYWORD_ONLY:
            named[name] = value
        else:
            args += value if one.kind is one.VAR_POSITIONAL else [value]
    if isinstance(act, SandboxAct):
        return act.method(target, *args, **named)
    return await act.perform(person(world, body.who), *args, **named)


def as_json(world: World, result: Any) -> Json:
    """Return what an act returns: an object as itself, other values as `result`."""
    match result:
        case None:
            return {"ok": True}
        case StoredMessage():
            return page_json.message(world, result)
        case Chat():
            return page_json.chat(result)
        case Actor():
            return page_json.person(result.person)
        case InlineQuery():
            return page_json.inline_query(result)
        case Tap():
            sent = result.sent and page_json.message(world, result.sent)
            said = {"answered": result.answered, "text": result.text, "show_alert": result.show_alert}
            return {"query_id": result.id, **said, "url": result.url, "sent": sent}
        case FaultRule():
            kept = {"left": result.left, "probability": result.probability, "applied": result.applied}
            return {"number": result.number, **asdict(result.fault), **kept}
        case StoredFile():
            return {"file_id": result.file_id}
        case dict():
            return result
        case _:
            return asdict(result) if is_dataclass(result) and not isinstance(result, type) else {"result": result}
