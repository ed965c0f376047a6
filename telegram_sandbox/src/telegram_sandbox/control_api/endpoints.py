"""The control API, JSON under /sandbox/: what people do, how groups change, and what goes wrong on demand."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from functools import wraps
from typing import Any, TypeVar

from aiogram.types import BufferedInputFile
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from telegram_sandbox import file_types, inline_mode, membership, page_json, sound, user_actions
from telegram_sandbox.bot_api.methods_media import photo
from telegram_sandbox.control_api.bodies import (
    Admin,
    Advance,
    Body,
    BotStatusChange,
    DeliveryFaultsChange,
    Flood,
    InlineModeChange,
    Member,
    MessageChange,
    MessageReference,
    NewChat,
    NewFault,
    NewInlineChoice,
    NewInlineQuery,
    NewMedia,
    NewMessage,
    NewOutage,
    NewPerson,
    NewPhone,
    NewTap,
    NewText,
    NewTopic,
    Permissions,
    PersonChange,
    PhoneChange,
    Redelivery,
    TopicChange,
)
from telegram_sandbox.errors import BAD_REQUEST, NOT_FOUND, TOO_MANY_REQUESTS, ApiError, ControlError
from telegram_sandbox.faults import Fault, FaultRule
from telegram_sandbox.http_parameters import check_encoding, parse_json, read_body, read_params
from telegram_sandbox.model import Chat, Json, Media, Person, StoredMessage, Topic
from telegram_sandbox.sms.network import TextPhone, text_json
from telegram_sandbox.world import World

SHOWN_IN_THE_PAGE = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/ogg", "audio/mpeg", "audio/webm")
SHOWN_CALLS = 200
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
            return JSONResponse({"error": str(error)}, NOT_FOUND)
        except ControlError as error:
            return JSONResponse({"error": str(error)}, BAD_REQUEST)
        except ApiError as error:
            return JSONResponse({"error": error.description}, error.code)

    return run


def route(verb: str, path: str, endpoint: Endpoint) -> Route:
    """An address under /sandbox/."""
    return Route(f"/sandbox{path}", reporting_refusals(endpoint), methods=[verb], name=f"{verb} {path}")


class Control:
    """The endpoints over one world."""

    def __init__(self, world: World) -> None:
        self._world = world

    def routes(self) -> list[Route]:
        """The addresses."""
        table: list[tuple[str, str, Endpoint]] = [
            ("GET", "/state", self.state),
            ("GET", "/events", self.events),
            ("POST", "/people", self.add_person),
            ("PATCH", "/people/{id:int}", self.change_person),
            ("DELETE", "/people/{id:int}", self.remove_person),
            ("POST", "/messages", self.send_message),
            ("PATCH", "/messages", self.edit_message),
            ("DELETE", "/messages", self.remove_message),
            ("POST", "/media", self.send_media),
            ("POST", "/taps", self.tap_button),
            ("GET", "/taps/{id}", self.show_tap),
            ("POST", "/chats", self.add_chat),
            ("POST", "/chats/{id}/members", self.add_member),
            ("DELETE", "/chats/{id}/members/{user_id:int}", self.remove_member),
            ("POST", "/chats/{id}/bot", self.set_bot_status),
            ("POST", "/chats/{id}/admins", self.set_admin),
            ("POST", "/chats/{id}/permissions", self.set_permissions),
            ("POST", "/chats/{id}/migrate", self.migrate),
            ("POST", "/chats/{id}/topics", self.add_topic),
            ("PATCH", "/chats/{id}/topics/{thread_id:int}", self.change_topic),
            ("DELETE", "/chats/{id}/topics/{thread_id:int}", self.remove_topic),
            ("GET", "/files/{key}", self.file),
            ("POST", "/reset", self.reset),
            ("POST", "/inline", self.change_mode),
            ("POST", "/inline/queries", self.ask),
            ("GET", "/inline/queries/{id}", self.show),
            ("POST", "/inline/choices", self.choose),
            ("POST", "/phones", self.add_phone),
            ("PATCH", "/phones/-{number:int}", self.change_phone),
            ("POST", "/texts", self.send_text),
            ("POST", "/flood", self.set_flood),
            ("POST", "/clock", self.advance),
            ("GET", "/faults", self.list_faults),
            ("POST", "/faults", self.add_fault),
            ("DELETE", "/faults", self.clear_faults),
            ("DELETE", "/faults/{number:int}", self.cancel_fault),
            ("POST", "/outage", self.begin_outage),
            ("DELETE", "/outage", self.end_outage),
            ("POST", "/delivery", self.change_delivery),
            ("POST", "/delivery/repeat", self.repeat_updates),
        ]
        return [route(*row) for row in table]

    async def _body(self, request: Request, model: type[B]) -> B:
        body = parse_json(await read_body(request, self._world.settings.max_body_bytes))
        check_encoding(body)
        return validated(model, body)

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

    async def state(self, _request: Request) -> Response:
        """Everything that a page needs to begin."""
        settings = self._world.settings
        page = asdict(settings.page)
        del page["icon"]
        found = {
            "run": self._world.run,
            "page": page,
            "bot": {
                "id": settings.bot_id,
                "username": settings.bot_username,
                "name": settings.bot_name,
                "inline": page_json.inline_mode(self._world),
                "commands": self._world.commands.get(('{"type": "default"}', ""), []),
            },
            "people": page_json.people(self._world),
            "chats": page_json.chats(self._world),
            "messages": [page_json.message(self._world, one) for one in self._world.messages.values() if not one.lost],
            "calls": self._world.calls.listing()[-SHOWN_CALLS:],
            "totals": {
                "calls": self._world.calls.total,
                "schema_failures": len(self._world.calls.schema_failures),
                "flood_refusals": len(self._world.calls.flood_refusals),
                "pending_updates": len(self._world.updates),
            },
            "flood_limits": self._world.flood_limits.enabled,
            "sms": self._world.sms.state(),
            "cursor": self._world.events.cursor,
        }
        return JSONResponse(found)

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

    async def send_message(self, request: Request) -> Response:
        """Somebody writes."""
        body = await self._body(request, NewMessage)
        origin = None if body.forwarded_from is None else self._person(body.forwarded_from).id
        writing = user_actions.MessageDraft(
            text=body.text,
            reply_to=body.reply_to,
            thread_id=body.thread_id,
            date=body.date,
            forwarded_from=origin,
        )
        return self._shown(
            user_actions.send_message(self._world, self._person(body.sender), self._chat(body.chat_id), writing),
        )

    async def edit_message(self, request: Request) -> Response:
        """Somebody edits their own message."""
        body = await self._body(request, MessageChange)
        message = self._message(body.chat_id, body.message_id)
        return self._shown(user_actions.edit_message(self._world, self._person(body.sender), message, body.text))

    async def remove_message(self, request: Request) -> Response:
        """Somebody deletes a message for everybody."""
        body = await self._body(request, MessageReference)
        self._world.drop_message(self._message(body.chat_id, body.message_id))
        return JSONResponse({"ok": True})

    async def send_media(self, request: Request) -> Response:
        """Somebody sends a photo or a voice note."""
        params = await read_params(request, self._world.settings.max_body_bytes)
        file = params.pop("file", None)
        body = validated(NewMedia, {name: value for name, value in params.items() if value != ""})
        if not isinstance(file, BufferedInputFile) or not file.data:
            raise ControlError("there is no file in the request")
        person, chat = self._person(body.sender), self._chat(body.chat_id)
        writing = user_actions.MessageDraft(
            text=body.caption,
            media=await self._media(body, file.data, file.filename),
            reply_to=body.reply_to,
            thread_id=body.thread_id,
        )
        return self._shown(user_actions.send_message(self._world, person, chat, writing))

    async def _media(self, body: NewMedia, content: bytes, name: str | None) -> Media:
        duration = round(body.duration)
        if body.kind == "voice" and sound.is_recording(content):
            try:
                content, duration = await asyncio.to_thread(sound.as_voice_note, content)
            except sound.SoundError as error:
                raise ControlError(str(error)) from error
        default = "image/jpeg" if body.kind == "photo" else "audio/ogg"
        kind = file_types.mime_type_of(content, default)
        stored = self._world.keep_file(body.kind, content, kind, name or body.kind)
        return photo(stored) if body.kind == "photo" else Media("voice", stored, duration=duration)

    async def tap_button(self, request: Request) -> Response:
        """Somebody presses a button."""
        body = await self._body(request, NewTap)
        press = user_actions.ButtonPress(body.data, body.message_id, body.ephemeral_message_id, body.forged)
        query = user_actions.tap_button(self._world, self._person(body.sender), self._chat(body.chat_id), press)
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

    async def set_bot_status(self, request: Request) -> Response:
        """The bot is added, promoted, muted, removed or leaves."""
        body = await self._body(request, BotStatusChange)
        chat = self._group(request)
        by = chat.owner or self._world.settings.bot_id
        membership.set_bot_status(self._world, chat, body.status, by=by)
        return JSONResponse(page_json.chat(chat))

    async def set_admin(self, request: Request) -> Response:
        """Somebody becomes an admin, or stops being one."""
        body = await self._body(request, Admin)
        chat = self._group(request)
        person = self._person(body.user_id)
        membership.set_admin(self._world, chat, person, admin=body.admin, anonymous=body.anonymous)
        return JSONResponse(page_json.chat(chat))

    async def set_permissions(self, request: Request) -> Response:
        """An admin changes what plain members may do; the bot is not told."""
        body = await self._body(request, Permissions)
        chat = self._group(request)
        chat.members_may_write = body.can_send_messages
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
        chat = self._group(request)
        topic = self._topic(chat, request)
        membership.close_topic(self._world, chat, topic, closed=body.closed)
        return JSONResponse({"thread_id": topic.thread_id, "name": topic.name, "closed": topic.closed})

    async def remove_topic(self, request: Request) -> Response:
        """Delete a topic with everything in it; the bot is not told."""
        chat = self._group(request)
        self._world.drop_topic(chat, self._topic(chat, request))
        return JSONResponse(page_json.chat(chat))

    def _topic(self, chat: Chat, request: Request) -> Topic:
        topic = chat.topics.get(request.path_params["thread_id"])
        if topic is None:
            raise MissingError("no such topic")
        return topic

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
        """Reset the sandbox."""
        self._world.reset()
        return JSONResponse({"ok": True})

    # Inline mode

    async def change_mode(self, request: Request) -> Response:
        """Do what /setinline and /setinlinefeedback do at BotFather."""
        body = await self._body(request, InlineModeChange)
        if body.enabled is not None:
            self._world.inline_mode = body.enabled
        if body.feedback is not None:
            self._world.inline_feedback = body.feedback
        self._world.show_inline_mode()
        return JSONResponse({"enabled": self._world.inline_mode, "feedback": self._world.inline_feedback})

    async def ask(self, request: Request) -> Response:
        """Somebody types an inline query; a cached answer is there at once."""
        body = await self._body(request, NewInlineQuery)
        person, chat = self._person(body.sender), self._chat(body.chat_id)
        query = inline_mode.ask(self._world, person, chat, body.query, body.offset)
        return JSONResponse(page_json.inline_query(query))

    async def show(self, request: Request) -> Response:
        """What the bot answered to an inline query."""
        query = self._world.inline_queries.get(request.path_params["id"])
        if query is None:
            raise MissingError("no such inline query")
        return JSONResponse(page_json.inline_query(query))

    async def choose(self, request: Request) -> Response:
        """Somebody chooses a result, which posts its message in a chat."""
        body = await self._body(request, NewInlineChoice)
        choice = inline_mode.Choice(body.query_id, body.result_id, body.reply_to, body.thread_id)
        person, chat = self._person(body.sender), self._chat(body.chat_id)
        return self._shown(inline_mode.choose(self._world, person, chat, choice))

    # People who can only text

    async def add_phone(self, request: Request) -> Response:
        """Create a phone with a number of its own."""
        body = await self._body(request, NewPhone)
        phone = self._world.sms.make_phone(body.name)
        return JSONResponse({"id": phone.id, "name": phone.name, "number": phone.number})

    async def change_phone(self, request: Request) -> Response:
        """Rename a phone's owner, or turn the phone off and on."""
        body = await self._body(request, PhoneChange)
        phone = self._phone(-request.path_params["number"])
        phone.name = phone.name if body.name is None else body.name
        phone.is_on = phone.is_on if body.is_on is None else body.is_on
        self._world.sms.show_phones()
        return JSONResponse({"id": phone.id, "name": phone.name, "is_on": phone.is_on})

    async def send_text(self, request: Request) -> Response:
        """Somebody texts the bot."""
        body = await self._body(request, NewText)
        return JSONResponse(text_json(self._world.sms.text_bot(self._phone(body.phone), body.text)))

    def _phone(self, phone_id: int) -> TextPhone:
        phone = self._world.sms.phones.get(phone_id)
        if phone is None:
            raise ControlError("no such phone")
        return phone

    # What goes wrong

    async def set_flood(self, request: Request) -> Response:
        """Turn flood limits on or off."""
        body = await self._body(request, Flood)
        self._world.flood_limits.enabled = body.enabled
        return JSONResponse({"enabled": body.enabled})

    async def advance(self, request: Request) -> Response:
        """Let time pass in the sandbox, for what expires."""
        body = await self._body(request, Advance)
        self._world.clock.advance(body.seconds)
        return JSONResponse({"now": self._world.clock.now()})

    async def list_faults(self, _request: Request) -> Response:
        """The faults that are still to come, and how often each has been applied."""
        return JSONResponse({"faults": [_fault_json(rule) for rule in self._world.faults.listing()]})

    async def add_fault(self, request: Request) -> Response:
        """Make calls of the bot fail."""
        body = await self._body(request, NewFault)
        if body.retry_after is not None and body.code != TOO_MANY_REQUESTS:
            raise ControlError("retry_after belongs to code 429")
        if body.seconds and not body.kind.startswith("stall"):
            raise ControlError("seconds belongs to stall_before and stall_after")
        fault = Fault(body.kind, body.method, body.chat_id, body.code, body.description, body.retry_after, body.seconds)
        if body.seed is not None:
            self._world.faults.seed(body.seed)
        return JSONResponse(_fault_json(self._world.faults.add(fault, body.times, body.probability)))

    async def clear_faults(self, _request: Request) -> Response:
        """Delete all faults."""
        self._world.faults.clear()
        return JSONResponse({"ok": True})

    async def cancel_fault(self, request: Request) -> Response:
        """Delete one fault."""
        if not self._world.faults.cancel(request.path_params["number"]):
            raise MissingError("no such fault waits")
        return JSONResponse({"ok": True})

    async def begin_outage(self, request: Request) -> Response:
        """Begin an outage."""
        body = await self._body(request, NewOutage)
        await self._world.outage.begin(body.kind, body.seconds, holds_updates=body.holds_updates)
        return JSONResponse({"ok": True})

    async def end_outage(self, _request: Request) -> Response:
        """End the outage."""
        await self._world.outage.end()
        return JSONResponse({"ok": True})

    async def change_delivery(self, request: Request) -> Response:
        """Delay updates, which reorders the queues among each other, and lose confirmations, which repeats updates."""
        body = await self._body(request, DeliveryFaultsChange)
        delivery = self._world.updates.delivery_faults
        delivery.delay_seconds, delivery.repeat = body.delay_seconds, body.repeat
        if body.seed is not None:
            delivery.seed(body.seed)
        return JSONResponse({"ok": True})

    async def repeat_updates(self, request: Request) -> Response:
        """Deliver confirmed updates once more."""
        body = await self._body(request, Redelivery)
        return JSONResponse({"repeated": self._world.updates.repeat(body.last)})


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


def _fault_json(rule: FaultRule) -> Json:
    return {
        "number": rule.number,
        **asdict(rule.fault),
        "left": rule.left,
        "probability": rule.probability,
        "applied": rule.applied,
    }
