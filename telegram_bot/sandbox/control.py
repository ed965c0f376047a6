"""The people's side: what the page and the tests do, as JSON under /sandbox/."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from aiogram.types import BufferedInputFile
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from telegram_bot.sandbox import acts, membership, page_json, sniffing
from telegram_bot.sandbox.errors import BAD_REQUEST, FORBIDDEN, NOT_FOUND, ApiError, ControlError
from telegram_bot.sandbox.faults import Fault, FaultKind
from telegram_bot.sandbox.methods_media import photo
from telegram_bot.sandbox.requests import check_encoding, parse_json, read_body, read_params
from telegram_bot.sandbox.state import BotStatus, Chat, Json, Media, Person, StoredMessage

if TYPE_CHECKING:
    from telegram_bot.sandbox.world import World

Name = Annotated[str, Field(min_length=1, max_length=64)]
Text = Annotated[str, Field(max_length=100_000)]
LATEST_DATE = 2**32
SHOWN_IN_THE_PAGE = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/ogg", "audio/mpeg", "audio/webm")


class Body(BaseModel):
    """What a request may say; anything else in it is refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class NewPerson(Body):
    """Somebody who joins."""

    name: Name


class PersonChange(Body):
    """What changes about somebody."""

    name: Name | None = None
    language_code: Annotated[str, Field(pattern=r"^[a-zA-Z-]{0,12}$")] | None = None
    username: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{0,32}$")] | None = None
    blocked_bot: bool | None = None


class NewMessage(Body):
    """What somebody writes."""

    sender: int = Field(alias="from")
    chat_id: int
    text: Text
    reply_to: int | None = None
    thread_id: int | None = None
    date: Annotated[int, Field(ge=0, le=LATEST_DATE)] | None = None


class MessageChange(Body):
    """What somebody corrects."""

    sender: int = Field(alias="from")
    chat_id: int
    message_id: int
    text: Text


class MessageName(Body):
    """One message."""

    chat_id: int
    message_id: int


class NewMedia(Body):
    """What somebody sends besides words."""

    sender: int = Field(alias="from")
    chat_id: int
    kind: Literal["photo", "voice"]
    duration: Annotated[float, Field(ge=0, le=86_400)] = 0
    caption: Text | None = None
    reply_to: int | None = None
    thread_id: int | None = None


class NewTap(Body):
    """Which button somebody presses."""

    sender: int = Field(alias="from")
    chat_id: int
    data: Text
    message_id: int | None = None
    ephemeral_message_id: int | None = None
    forged: bool = False


class NewChat(Body):
    """A group to be."""

    title: Annotated[str, Field(min_length=1, max_length=128)]
    type: Literal["group", "supergroup"]
    members: list[int]
    is_forum: bool = False


class Member(Body):
    """Who joins."""

    user_id: int


class Admin(Body):
    """Who becomes an admin, or stops being one."""

    user_id: int
    admin: bool


class BotPlace(Body):
    """What the bot is in a group from now on."""

    status: BotStatus


class NewTopic(Body):
    """A topic of a forum."""

    name: Annotated[str, Field(min_length=1, max_length=128)]


class TopicChange(Body):
    """Whether a topic is closed."""

    closed: bool


class Flood(Body):
    """Whether flood limits apply."""

    enabled: bool


class NewFault(Body):
    """What goes wrong with the bot's next calls of a method, `*` for any."""

    method: Name
    kind: FaultKind
    times: Annotated[int, Field(ge=1, le=1000)] = 1
    code: Annotated[int, Field(ge=400, le=599)] = 500
    description: Text = "Internal Server Error"
    retry_after: Annotated[int, Field(ge=1, le=86_400)] | None = None
    seconds: Annotated[float, Field(ge=0, le=600)] = 0


class Advance(Body):
    """How much time passes at once."""

    seconds: Annotated[float, Field(ge=0, le=10 * 365 * 86_400)]


B = TypeVar("B", bound=Body)
Endpoint = Callable[[Request], Awaitable[Response]]


class MissingError(ControlError):
    """Something that is not there."""


def careful(endpoint: Endpoint) -> Endpoint:
    """Turn everything that a caller got wrong into a 4xx with the reason."""

    @wraps(endpoint)
    async def run(request: Request) -> Response:
        if _is_from_another_site(request):
            return _refusal("another site's pages may not act here", FORBIDDEN)
        try:
            return await endpoint(request)
        except MissingError as error:
            return _refusal(str(error), NOT_FOUND)
        except ControlError as error:
            return _refusal(str(error), BAD_REQUEST)
        except ApiError as error:
            return _refusal(error.description, error.code)

    return run


class Control:
    """The endpoints, over one world."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def routes(self) -> list[Route]:
        """Every address under /sandbox/."""
        table: list[tuple[str, str, Endpoint]] = [
            ("GET", "/state", self.state),
            ("GET", "/events", self.events),
            ("POST", "/people", self.add_person),
            ("PATCH", "/people/{id:int}", self.change_person),
            ("DELETE", "/people/{id:int}", self.remove_person),
            ("POST", "/messages", self.write),
            ("PATCH", "/messages", self.correct),
            ("DELETE", "/messages", self.remove_message),
            ("POST", "/media", self.send_media),
            ("POST", "/taps", self.tap),
            ("GET", "/taps/{id}", self.show_tap),
            ("POST", "/chats", self.add_chat),
            ("POST", "/chats/{id}/members", self.add_member),
            ("DELETE", "/chats/{id}/members/{user_id:int}", self.remove_member),
            ("POST", "/chats/{id}/bot", self.place_bot),
            ("POST", "/chats/{id}/admins", self.set_admin),
            ("POST", "/chats/{id}/migrate", self.migrate),
            ("POST", "/chats/{id}/topics", self.add_topic),
            ("PATCH", "/chats/{id}/topics/{thread_id:int}", self.change_topic),
            ("GET", "/files/{key}", self.file),
            ("POST", "/reset", self.reset),
            ("POST", "/flood", self.set_flood),
            ("POST", "/clock", self.advance),
            ("POST", "/faults", self.add_fault),
            ("DELETE", "/faults", self.clear_faults),
        ]
        return [
            Route(f"/sandbox{path}", careful(endpoint), methods=[method], name=f"{method} {path}")
            for method, path, endpoint in table
        ]

    async def state(self, _request: Request) -> Response:
        """Everything at once."""
        return JSONResponse(page_json.state(self._world))

    async def events(self, request: Request) -> Response:
        """Everything from `cursor` on, as it happens."""
        try:
            # A browser that reconnects by itself repeats the address it began with, and says how far it came.
            cursor = int(request.headers.get("last-event-id") or request.query_params.get("cursor") or 0)
        except ValueError:
            raise ControlError("cursor is a number") from None
        return StreamingResponse(
            self._stream(cursor),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _stream(self, cursor: int) -> AsyncIterator[str]:
        yield ": welcome\n\n"
        async for event in self._world.events.follow(cursor):
            if event is None:
                yield ": still here\n\n"
            else:
                yield f"id: {event['cursor']}\ndata: {json.dumps(event)}\n\n"

    async def add_person(self, request: Request) -> Response:
        """Somebody new joins the first group."""
        body = await self._body(request, NewPerson)
        person = self._world.make_person(body.name)
        self._world.show_people()
        group = self._world.chats.get(self._world.default_group_id)
        if group is not None and group.migrated_to is None:
            membership.join(self._world, group, person)
        return JSONResponse(page_json.person(person))

    async def change_person(self, request: Request) -> Response:
        """Rename somebody, or let them block the bot."""
        body = await self._body(request, PersonChange)
        person = self._person(request.path_params["id"])
        if body.name is not None:
            person.name = body.name
            self._world.chats[person.id].title = body.name
        if body.username is not None:
            person.username = body.username or None
        if body.language_code is not None:
            person.language_code = body.language_code
        if body.blocked_bot is not None:
            membership.set_blocked(self._world, person, blocked=body.blocked_bot)
        self._world.show_people()
        self._world.show_chats()
        return JSONResponse(page_json.person(person))

    async def remove_person(self, request: Request) -> Response:
        """Somebody deletes the account."""
        membership.delete_account(self._world, self._person(request.path_params["id"]))
        return JSONResponse({"ok": True})

    async def write(self, request: Request) -> Response:
        """Somebody writes."""
        body = await self._body(request, NewMessage)
        writing = acts.Writing(text=body.text, reply_to=body.reply_to, thread_id=body.thread_id, date=body.date)
        return self._shown(
            acts.write(self._world, self._person(body.sender), self._chat(body.chat_id), writing),
        )

    async def correct(self, request: Request) -> Response:
        """Somebody corrects their own message."""
        body = await self._body(request, MessageChange)
        message = self._message(body.chat_id, body.message_id)
        return self._shown(acts.correct(self._world, self._person(body.sender), message, body.text))

    async def remove_message(self, request: Request) -> Response:
        """Somebody deletes a message for everybody."""
        body = await self._body(request, MessageName)
        self._world.drop_message(self._message(body.chat_id, body.message_id))
        return JSONResponse({"ok": True})

    async def send_media(self, request: Request) -> Response:
        """Somebody sends a photo or a voice note."""
        params = await read_params(request, self._world.settings.max_body_bytes)
        file = params.pop("file", None)
        body = _validated(NewMedia, {name: value for name, value in params.items() if value != ""})
        if not isinstance(file, BufferedInputFile) or not file.data:
            raise ControlError("there is no file in the request")
        person, chat = self._person(body.sender), self._chat(body.chat_id)
        writing = acts.Writing(
            text=body.caption,
            media=self._media(body, file),
            reply_to=body.reply_to,
            thread_id=body.thread_id,
        )
        return self._shown(acts.write(self._world, person, chat, writing))

    def _media(self, body: NewMedia, file: BufferedInputFile) -> Media:
        default = "image/jpeg" if body.kind == "photo" else "audio/ogg"
        kind = sniffing.mime_type_of(file.data, default)
        stored = self._world.keep_file(body.kind, file.data, kind, file.filename or body.kind)
        if body.kind == "photo":
            return photo(stored)
        return Media("voice", stored, duration=round(body.duration))

    async def tap(self, request: Request) -> Response:
        """Somebody presses a button."""
        body = await self._body(request, NewTap)
        press = acts.Press(body.data, body.message_id, body.ephemeral_message_id, body.forged)
        query = acts.tap(self._world, self._person(body.sender), self._chat(body.chat_id), press)
        return JSONResponse({"query_id": query.id})

    async def show_tap(self, request: Request) -> Response:
        """What the bot answered to a tap."""
        query = self._world.taps.get(request.path_params["id"])
        if query is None:
            raise MissingError("no such tap")
        return JSONResponse(
            {"answered": query.answered, "text": query.text, "show_alert": query.show_alert, "url": query.url},
        )

    async def add_chat(self, request: Request) -> Response:
        """Somebody founds a group with the bot in it."""
        body = await self._body(request, NewChat)
        members = [self._person(user_id).id for user_id in dict.fromkeys(body.members)]
        if body.is_forum and body.type == "group":
            raise ControlError("only a supergroup has topics")
        chat = self._world.make_chat(body.type, body.title, members, is_forum=body.is_forum)
        membership.found_group(self._world, chat)
        return JSONResponse(page_json.chat(chat))

    async def add_member(self, request: Request) -> Response:
        """Somebody joins."""
        body = await self._body(request, Member)
        chat = self._group(request)
        membership.join(self._world, chat, self._person(body.user_id))
        return JSONResponse(page_json.chat(chat))

    async def remove_member(self, request: Request) -> Response:
        """Somebody leaves."""
        chat = self._group(request)
        membership.leave(self._world, chat, self._person(request.path_params["user_id"]))
        return JSONResponse(page_json.chat(chat))

    async def place_bot(self, request: Request) -> Response:
        """The bot is added, promoted, muted or thrown out."""
        body = await self._body(request, BotPlace)
        chat = self._group(request)
        by = chat.owner or self._world.settings.bot_id
        membership.set_bot_status(self._world, chat, body.status, by=by)
        return JSONResponse(page_json.chat(chat))

    async def set_admin(self, request: Request) -> Response:
        """Somebody becomes an admin, or stops being one."""
        body = await self._body(request, Admin)
        chat = self._group(request)
        membership.set_admin(self._world, chat, self._person(body.user_id), admin=body.admin)
        return JSONResponse(page_json.chat(chat))

    async def migrate(self, request: Request) -> Response:
        """A basic group becomes a supergroup."""
        return JSONResponse(page_json.chat(membership.migrate(self._world, self._group(request))))

    async def add_topic(self, request: Request) -> Response:
        """Somebody opens a topic."""
        body = await self._body(request, NewTopic)
        chat = self._group(request)
        if not chat.is_forum:
            raise ControlError(f"{chat.title} is no forum")
        topic = self._world.make_topic(chat, body.name, chat.owner or self._world.settings.bot_id)
        return JSONResponse({"thread_id": topic.thread_id, "name": topic.name})

    async def change_topic(self, request: Request) -> Response:
        """Close a topic or open it again."""
        body = await self._body(request, TopicChange)
        topic = self._group(request).topics.get(request.path_params["thread_id"])
        if topic is None:
            raise MissingError("no such topic")
        topic.closed = body.closed
        self._world.show_chats()
        return JSONResponse({"thread_id": topic.thread_id, "name": topic.name, "closed": topic.closed})

    async def file(self, request: Request) -> Response:
        """A photo or voice note, for the page; nothing that a browser would run."""
        stored = self._world.files.get(request.path_params["key"])
        if stored is None:
            raise MissingError("no such file")
        harmless = stored.mime_type in SHOWN_IN_THE_PAGE
        headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}
        if not harmless:
            headers["Content-Disposition"] = "attachment"
        kind = stored.mime_type if harmless else "application/octet-stream"
        return Response(stored.content, media_type=kind, headers=headers)

    async def reset(self, _request: Request) -> Response:
        """Begin again."""
        self._world.reset()
        return JSONResponse({"ok": True})

    async def set_flood(self, request: Request) -> Response:
        """Turn flood limits on or off."""
        body = await self._body(request, Flood)
        self._world.flood.enabled = body.enabled
        return JSONResponse({"enabled": body.enabled})

    async def advance(self, request: Request) -> Response:
        """Let time pass in the sandbox, for what expires."""
        body = await self._body(request, Advance)
        self._world.clock.advance(body.seconds)
        return JSONResponse({"now": self._world.clock.now()})

    async def add_fault(self, request: Request) -> Response:
        """Let the bot's next calls go wrong."""
        body = await self._body(request, NewFault)
        fault = Fault(body.method, body.kind, body.code, body.description, body.retry_after, body.seconds)
        self._world.faults.add(fault, body.times)
        return JSONResponse({"ok": True})

    async def clear_faults(self, _request: Request) -> Response:
        """Let everything go well again."""
        self._world.faults.clear()
        return JSONResponse({"ok": True})

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
    return _validated(model, body)


def _validated(model: type[B], body: Json) -> B:
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first: Any = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise ControlError(f"{where}: {first['msg']}") from error


def _is_from_another_site(request: Request) -> bool:
    origin = request.headers.get("origin")
    return origin is not None and origin.partition("://")[2] != request.headers.get("host")


def _refusal(reason: str, code: int) -> Response:
    return JSONResponse({"error": reason}, code)
