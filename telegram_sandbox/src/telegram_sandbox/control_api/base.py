"""What all endpoints of the control API share: error answers, reading bodies, finding people and chats."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from telegram_sandbox import page_json
from telegram_sandbox.control_api.bodies import Body
from telegram_sandbox.errors import BAD_REQUEST, NOT_FOUND, ApiError, ControlError
from telegram_sandbox.http_parameters import check_encoding, parse_json, read_body
from telegram_sandbox.model import Chat, Json, Person, StoredMessage
from telegram_sandbox.world import World

B = TypeVar("B", bound=Body)
Endpoint = Callable[[Request], Awaitable[Response]]


class MissingError(ControlError):
    """Something that is not there."""


def reporting_refusals(endpoint: Endpoint) -> Endpoint:
    """Answer every mistake of the caller with a 4xx and its reason."""

    @wraps(endpoint)
    async def run(request: Request) -> Response:
        try:
            return await endpoint(request)
        except MissingError as error:
            return _refusal(str(error), NOT_FOUND)
        except ControlError as error:
            return _refusal(str(error), BAD_REQUEST)
        except ApiError as error:
            return _refusal(error.description, error.code)

    return run


def route(verb: str, path: str, endpoint: Endpoint) -> Route:
    """An address under /sandbox/."""
    return Route(f"/sandbox{path}", reporting_refusals(endpoint), methods=[verb], name=f"{verb} {path}")


class ControlBase:
    """Endpoints over one world."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def _body(self, request: Request, model: type[B]) -> B:
        return await read_as(model, request, self._world.settings.max_body_bytes)

    def _person(self, user_id: int) -> Person:
        person = self._world.people.get(user_id)
        if person is None or person.deleted:
            raise MissingError("no such person")
        return person

    def _chat(self, chat_id: int) -> Chat:
        chat = self._world.chats.get(chat_id)
        if chat is None:
            raise MissingError("no such chat")
        return chat

    def _group(self, request: Request) -> Chat:
        text = str(request.path_params["id"])
        chat = self._chat(int(text) if text.lstrip("-").isdecimal() and len(text) < len(str(2**63)) else 0)
        if not chat.is_group:
            raise ControlError("that is a private chat")
        return chat

    def _message(self, chat_id: int, message_id: int) -> StoredMessage:
        message = self._world.find_message(chat_id, message_id)
        if message is None:
            raise MissingError("no such message")
        return message

    def _shown(self, message: StoredMessage) -> Response:
        return JSONResponse(page_json.message(self._world, message))


async def read_as(model: type[B], request: Request, limit: int) -> B:
    """A request's JSON as what it should be.

    Raises:
        ApiError: 413 when it is larger than `limit`.
        ControlError: it is something else.
    """
    body = parse_json(await read_body(request, limit))
    check_encoding(body)
    return validated(model, body)


def validated(model: type[B], body: Json) -> B:
    """A body that fits its model.

    Raises:
        ControlError: with the first thing that does not.
    """
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first: Any = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise ControlError(f"{where}: {first['msg']}") from error


def _refusal(reason: str, code: int) -> Response:
    return JSONResponse({"error": reason}, code)
