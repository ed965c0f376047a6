"""The control API, JSON under /sandbox/: people's acts, changes of groups, and faults on demand."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from functools import cache
from inspect import signature
from typing import Annotated, Any, Literal, NotRequired, TypeVar

from pydantic import ConfigDict, Field, ValidationError, validate_call
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from typing_extensions import TypedDict

from telegram_sandbox import inline_mode, invitations, membership, page_json, payments, sound, user_actions
from telegram_sandbox.errors import BAD_REQUEST, NOT_FOUND, TOO_MANY_REQUESTS, ApiError, ControlError
from telegram_sandbox.faults import Fault, FaultKind, FaultRule
from telegram_sandbox.http_parameters import UploadedFile, check_encoding, parse_json, read_body, read_params
from telegram_sandbox.model import BotStatus, Chat, Json, MediaKind, Person, Poll, StoredMessage
from telegram_sandbox.outage import OutageKind
from telegram_sandbox.permissions import admin_rights
from telegram_sandbox.reply_buttons import HOME, Given, press
from telegram_sandbox.sms.network import LONGEST_TEXT, TextPhone, text_json
from telegram_sandbox.update_queue import REMEMBERED
from telegram_sandbox.web_apps import open_web_app
from telegram_sandbox.world import World

SHOWN_IN_THE_PAGE = (
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "audio/ogg",
    "audio/mpeg",
    "audio/webm",
    "video/mp4",
)
SHOWN_CALLS = 200
LONGEST_TIME = 10 * 365 * 86_400
T = TypeVar("T")
Endpoint = Callable[..., Awaitable[Json | Response | None]]
"""pydantic passes the fields of the body and the places in the address by name."""
Name = Annotated[str, Field(min_length=1, max_length=64)]
Title = Annotated[str, Field(min_length=1, max_length=128)]
Username = Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{0,32}$")]
Text = Annotated[str, Field(max_length=100_000)]
Sender = Annotated[int, Field(alias="from")]
Time = Annotated[float, Field(ge=0, le=LONGEST_TIME)]


class Location(TypedDict):
    """A point on the map, in degrees."""

    latitude: Annotated[float, Field(ge=-90, le=90)]
    longitude: Annotated[float, Field(ge=-180, le=180)]


class Contact(TypedDict):
    """A phone number with a name."""

    phone_number: Name
    first_name: Name
    last_name: NotRequired[Name]
    user_id: NotRequired[int]


class GivenPoll(TypedDict):
    """A question with its options."""

    question: Title
    options: Annotated[list[Name], Field(min_length=1, max_length=12)]


WORDS = {
    "missing_keyword_only_argument": "Field required",
    "unexpected_keyword_argument": "Extra inputs are not permitted",
}


class MissingError(ControlError):
    """The request names an object that does not exist."""


class Control:
    """The endpoints of one world."""

    def __init__(self, world: World) -> None:
        self._world = world

    def routes(self) -> list[Route]:
        """Return the addresses."""
        table: list[tuple[str, str, Endpoint]] = [
            ("GET", "/state", self.state),
            ("GET", "/events", self.events),
            ("POST", "/people", self.add_person),
            ("PATCH", "/people/{user_id:int}", self.change_person),
            ("DELETE", "/people/{user_id:int}", self.remove_person),
            ("POST", "/messages", self.send_message),
            ("PATCH", "/messages", self.edit_message),
            ("DELETE", "/messages", self.remove_message),
            ("POST", "/media", self.send_media),
            ("POST", "/votes", self.vote),
            ("POST", "/reactions", self.react),
            ("POST", "/payments", self.pay),
            ("POST", "/invitations", self.follow_invite),
            ("POST", "/taps", self.tap_button),
            ("GET", "/taps/{query_id}", self.show_tap),
            ("POST", "/keys", self.press_key),
            ("POST", "/web_apps", self.open_web_app),
            ("POST", "/chats", self.add_chat),
            ("POST", "/chats/{group_id}/members", self.add_member),
            ("DELETE", "/chats/{group_id}/members/{user_id:int}", self.remove_member),
            ("POST", "/chats/{group_id}/bot", self.set_bot_status),
            ("POST", "/chats/{group_id}/admins", self.set_admin),
            ("POST", "/chats/{group_id}/permissions", self.set_permissions),
            ("POST", "/chats/{group_id}/migrate", self.migrate),
            ("POST", "/chats/{group_id}/topics", self.add_topic),
            ("PATCH", "/chats/{group_id}/topics/{thread_id:int}", self.change_topic),
            ("DELETE", "/chats/{group_id}/topics/{thread_id:int}", self.remove_topic),
            ("GET", "/files/{key}", self.file),
            ("POST", "/reset", self.reset),
            ("POST", "/inline", self.change_mode),
            ("POST", "/inline/queries", self.ask),
            ("GET", "/inline/queries/{query_id}", self.show),
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
        return [self._route(*row) for row in table]

    def _route(self, verb: str, path: str, endpoint: Endpoint) -> Route:
        """Return an address under /sandbox/; every mistake of the caller is answered with a 4xx and its reason."""
        wanted = signature(endpoint).parameters.keys()
        has_body = bool(wanted - set(re.findall(r"{(\w+)", path)))

        async def run(request: Request) -> Response:
            try:
                if "request" in wanted:
                    answer = await endpoint(request)
                else:
                    answer = await called(endpoint, await self._body(request) if has_body else {}, request.path_params)
            except MissingError as error:
                return JSONResponse({"error": str(error)}, NOT_FOUND)
            except ControlError as error:
                return JSONResponse({"error": str(error)}, BAD_REQUEST)
            except ApiError as error:
                return JSONResponse({"error": error.description}, error.code)
            if isinstance(answer, Response):
                return answer
            return JSONResponse({"ok": True} if answer is None else answer)

        return Route(f"/sandbox{path}", run, methods=[verb], name=f"{verb} {path}")

    async def _body(self, request: Request) -> Json:
        body = parse_json(await read_body(request, self._world.settings.max_body_bytes))
        check_encoding(body)
        return body

    def _person(self, user_id: int) -> Person:
        person = self._world.people.get(user_id)
        if person is None or person.deleted:
            raise MissingError("no such person")
        return person

    def _chat(self, chat_id: int) -> Chat:
        return _found(self._world.chats.get(chat_id), "chat")

    def _group(self, chat_id: str) -> Chat:
        known = chat_id.lstrip("-").isdecimal() and len(chat_id) < len(str(2**63))
        chat = self._chat(int(chat_id) if known else 0)
        if chat.type == "private":
            raise ControlError("that is a private chat")
        return chat

    def _message(self, chat_id: int, message_id: int) -> StoredMessage:
        return _found(self._world.find_message(chat_id, message_id), "message")

    def _shown(self, message: StoredMessage) -> Json:
        return page_json.message(self._world, message)

    async def state(self) -> Json:
        """Return the whole state."""
        settings = self._world.settings
        page = asdict(settings.page)
        del page["icon"]
        return {
            "run": self._world.run,
            "page": page,
            "bot": {
                "id": settings.bot_id,
                "username": settings.bot_username,
                "name": settings.bot_name,
                "inline": page_json.inline_mode(self._world),
                "commands": self._world.commands.get(('{"type": "default"}', ""), []),
                "command_lists": page_json.command_lists(self._world),
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
            "judges_schema": settings.judge,
            "flood_limits": self._world.flood_limits.enabled,
            "sms": self._world.sms.state(),
            "cursor": self._world.events.cursor,
        }

    async def events(self, request: Request) -> Response:
        """Stream the events from `cursor` on."""
        try:
            # A browser that reconnects by itself repeats its first address, and names the last event that it got.
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

    async def add_person(self, *, name: Name) -> Json:
        """Create a person in the first group."""
        person = self._world.make_person(name)
        self._world.show_people()
        group = self._world.chats.get(self._world.default_group_id)
        if group is not None and group.migrated_to is None:
            membership.join(self._world, group, person)
        user_actions.start(self._world, person)
        return page_json.person(person)

    async def change_person(
        self,
        *,
        user_id: int,
        name: Name | None = None,
        username: Username | None = None,
        language_code: Annotated[str, Field(pattern=r"^[a-zA-Z-]{0,12}$")] | None = None,
        blocked_bot: bool | None = None,
    ) -> Json:
        """Change a person, or let them block the bot."""
        person = self._person(user_id)
        if name is not None:
            person.name = name
            self._world.chats[person.id].title = name
        if username is not None:
            person.username = username or None
        if language_code is not None:
            person.language_code = language_code
        if blocked_bot is not None:
            membership.set_blocked(self._world, person, blocked=blocked_bot)
        self._world.show_people()
        self._world.show_chats()
        return page_json.person(person)

    async def remove_person(self, *, user_id: int) -> None:
        """Delete a person's account."""
        membership.delete_account(self._world, self._person(user_id))

    async def send_message(
        self,
        *,
        sender: Sender,
        chat_id: int,
        text: Text = "",
        reply_to: int | None = None,
        thread_id: int | None = None,
        date: Annotated[int, Field(ge=0, le=2**32)] | None = None,
        forwarded_from: int | None = None,
        location: Location | None = None,
        contact: Contact | None = None,
        poll: GivenPoll | None = None,
    ) -> Json:
        """Send a person's text, location, contact or poll."""
        origin = None if forwarded_from is None else self._person(forwarded_from).id
        attachment = {"location": location} if location else {"contact": contact} if contact else None
        asked = Poll(Poll.new_id(), poll["question"], tuple(poll["options"])) if poll else None
        writing = user_actions.MessageDraft(text, None, reply_to, thread_id, date, origin, attachment, asked)
        return self._shown(
            user_actions.send_message(self._world, self._person(sender), self._chat(chat_id), writing),
        )

    async def edit_message(self, *, sender: Sender, chat_id: int, message_id: int, text: Text) -> Json:
        """Edit a person's own message."""
        message = self._message(chat_id, message_id)
        return self._shown(user_actions.edit_message(self._world, self._person(sender), message, text))

    async def remove_message(self, *, chat_id: int, message_id: int) -> None:
        """Delete a message for every member."""
        self._world.drop_message(self._message(chat_id, message_id))

    async def send_media(self, request: Request) -> Json:
        """Send a person's file."""
        params = await read_params(request, self._world.settings.max_body_bytes)
        found: Json = await called(self._send_file, {name: value for name, value in params.items() if value != ""})
        return found

    async def _send_file(
        self,
        *,
        sender: Sender,
        chat_id: int,
        kind: MediaKind,
        duration: Annotated[float, Field(ge=0, le=86_400)] = 0,
        caption: Text | None = None,
        reply_to: int | None = None,
        thread_id: int | None = None,
        file: Any = None,
    ) -> Json:
        if not isinstance(file, UploadedFile) or not file.data:
            raise ControlError("there is no file in the request")
        person, chat = self._person(sender), self._chat(chat_id)
        content = file.data
        if kind == "voice" and sound.is_recording(content):
            try:
                content, duration = await asyncio.to_thread(sound.as_voice_note, content)
            except sound.SoundError as error:
                raise ControlError(str(error)) from error
        media = user_actions.media_of(self._world, kind, content, file.filename, duration=round(duration))
        writing = user_actions.MessageDraft(caption, media, reply_to, thread_id)
        return self._shown(user_actions.send_message(self._world, person, chat, writing))

    async def vote(self, *, sender: Sender, chat_id: int, message_id: int, options: list[int]) -> Json:
        """Vote in a poll; an empty list takes the vote back."""
        message = self._message(chat_id, message_id)
        user_actions.vote(self._world, self._person(sender), message, options)
        return self._shown(message)

    async def react(self, *, sender: Sender, chat_id: int, message_id: int, emojis: list[Name]) -> Json:
        """Replace a person's reactions to a message; an empty list takes them back."""
        message = self._message(chat_id, message_id)
        user_actions.react(self._world, self._person(sender), message, emojis)
        return self._shown(message)

    async def pay(self, *, sender: Sender, chat_id: int, message_id: int | None = None, link: Text = "") -> None:
        """Pay the invoice of a message or a link: the receipt follows the bot's answers."""
        world, chat = self._world, self._chat(chat_id)
        invoice = payments.invoice_behind(world, link) if link else payments.invoice_in(world, chat, message_id or 0)
        payments.pay(world, self._person(sender), chat, invoice)

    async def follow_invite(self, *, sender: Sender, link: Text) -> Json:
        """Follow an invite link: the person joins, or asks to join."""
        person = self._person(sender)
        chat = invitations.follow(self._world, person, link)
        return {"chat_id": chat.id, "is_member": person.id in chat.members}

    async def tap_button(
        self,
        *,
        sender: Sender,
        chat_id: int,
        data: Text,
        message_id: int | None = None,
        ephemeral_message_id: int | None = None,
        forged: bool = False,
    ) -> Json:
        """Tap a button."""
        query = user_actions.tap_button(
            self._world,
            self._person(sender),
            self._chat(chat_id),
            data,
            message_id=message_id,
            ephemeral_message_id=ephemeral_message_id,
            forged=forged,
        )
        return {"query_id": query.id}

    async def press_key(
        self,
        *,
        sender: Sender,
        chat_id: int,
        text: Text,
        location: Location | None = None,
        users: list[int] | None = None,
        shared_chat_id: int | None = None,
        poll: GivenPoll | None = None,
        data: Text | None = None,
    ) -> Json:
        """Press a button of a reply keyboard, which sends its text or what it asks for."""
        people = [self._person(user_id).id for user_id in users or ()]
        shared = None if shared_chat_id is None else self._chat(shared_chat_id).id
        where = (location["latitude"], location["longitude"]) if location else HOME
        asked = (poll["question"], *poll["options"]) if poll else ()
        given = Given(where, people, shared, asked, data)
        return self._shown(press(self._world, self._person(sender), self._chat(chat_id), text, given))

    async def show_tap(self, *, query_id: str) -> Json:
        """Return the bot's answer to a tap."""
        query = _found(self._world.taps.get(query_id), "tap")
        return {"answered": query.answered, "text": query.text, "show_alert": query.show_alert, "url": query.url}

    async def open_web_app(
        self, *, sender: Sender, chat_id: int, url: Text | None = None, start_param: Text = ""
    ) -> Json:
        """Open a Mini App: a button's, or without `url` the main one."""
        return {"url": open_web_app(self._world, self._person(sender), self._chat(chat_id), url, start_param)}

    async def add_chat(
        self,
        *,
        title: Title,
        type: Literal["group", "supergroup", "channel"],  # noqa: A002
        members: list[int],
        is_forum: bool = False,
        username: Username | None = None,
    ) -> Json:
        """Create a group or a channel with the bot in it."""
        ids = [self._person(user_id).id for user_id in dict.fromkeys(members)]
        chat = membership.found_group(self._world, type, title, ids, is_forum=is_forum)
        chat.username = username
        return page_json.chat(chat)

    async def add_member(self, *, group_id: str, user_id: int) -> Json:
        """Add a person to a group."""
        chat = self._group(group_id)
        membership.join(self._world, chat, self._person(user_id))
        return page_json.chat(chat)

    async def remove_member(self, *, group_id: str, user_id: int) -> Json:
        """Remove a person from a group."""
        chat = self._group(group_id)
        membership.leave(self._world, chat, self._person(user_id))
        return page_json.chat(chat)

    async def set_bot_status(self, *, group_id: str, status: BotStatus, rights: list[Name] | None = None) -> Json:
        """Add, promote, mute or remove the bot, or let it leave; `rights` are those of an admin."""
        chat = self._group(group_id)
        given = None if rights is None else admin_rights(chat.type, rights)
        membership.set_bot_status(self._world, chat, status, by=chat.owner or self._world.settings.bot_id, rights=given)
        return page_json.chat(chat)

    async def set_admin(self, *, group_id: str, user_id: int, admin: bool, anonymous: bool = False) -> Json:
        """Make a member an admin, anonymous or not, or end it."""
        chat = self._group(group_id)
        membership.set_admin(self._world, chat, self._person(user_id), admin=admin, anonymous=anonymous)
        return page_json.chat(chat)

    async def set_permissions(self, *, group_id: str, can_send_messages: bool) -> Json:
        """Let plain members write, or not; the bot gets no update."""
        chat = self._group(group_id)
        chat.permissions = chat.permissions | {"can_send_messages": can_send_messages}
        return page_json.chat(chat)

    async def migrate(self, *, group_id: str) -> Json:
        """Upgrade a basic group to a supergroup."""
        return page_json.chat(membership.migrate(self._world, self._group(group_id)))

    async def add_topic(self, *, group_id: str, name: Title) -> Json:
        """Open a topic."""
        chat = self._group(group_id)
        if not chat.is_forum:
            raise ControlError(f"{chat.title} is no forum")
        return asdict(self._world.make_topic(chat, name, chat.owner or self._world.settings.bot_id))

    async def change_topic(self, *, group_id: str, thread_id: int, closed: bool) -> Json:
        """Close a topic or open it again."""
        chat = self._group(group_id)
        topic = _found(chat.topics.get(thread_id), "topic")
        membership.close_topic(self._world, chat, topic, closed=closed, by=chat.owner or self._world.settings.bot_id)
        return asdict(topic)

    async def remove_topic(self, *, group_id: str, thread_id: int) -> Json:
        """Delete a topic with everything in it; the bot gets no update."""
        chat = self._group(group_id)
        self._world.drop_topic(chat, _found(chat.topics.get(thread_id), "topic"))
        return page_json.chat(chat)

    async def file(self, *, key: str) -> Response:
        """Return a photo or voice note, for the page; never content that a browser would run."""
        stored = _found(self._world.files.get(key), "file")
        harmless = stored.mime_type in SHOWN_IN_THE_PAGE
        headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}
        if not harmless:
            headers["Content-Disposition"] = "attachment"
        kind = stored.mime_type if harmless else "application/octet-stream"
        return Response(stored.content, media_type=kind, headers=headers)

    async def reset(self) -> None:
        """Reset the sandbox."""
        self._world.reset()
        user_actions.start(self._world, *self._world.active_people())

    # Inline mode

    async def change_mode(
        self, *, enabled: bool | None = None, feedback: Annotated[float, Field(ge=0, le=1)] | None = None
    ) -> Json:
        """Do what /setinline and /setinlinefeedback do at BotFather."""
        if enabled is not None:
            self._world.inline_mode = enabled
        if feedback is not None:
            self._world.inline_feedback = feedback
        self._world.show_inline_mode()
        return {"enabled": self._world.inline_mode, "feedback": self._world.inline_feedback}

    async def ask(self, *, sender: Sender, chat_id: int, query: Text = "", offset: Text = "") -> Json:
        """Type an inline query; a cached answer is returned immediately."""
        person, chat = self._person(sender), self._chat(chat_id)
        return page_json.inline_query(inline_mode.ask(self._world, person, chat, query, offset))

    async def show(self, *, query_id: str) -> Json:
        """Return the bot's answer to an inline query."""
        return page_json.inline_query(_found(self._world.inline_queries.get(query_id), "inline query"))

    async def choose(
        self,
        *,
        sender: Sender,
        chat_id: int,
        query_id: Text,
        result_id: Text,
        reply_to: int | None = None,
        thread_id: int | None = None,
    ) -> Json:
        """Choose a result and post its message in a chat."""
        person, chat = self._person(sender), self._chat(chat_id)
        posted = inline_mode.choose(
            self._world, person, chat, query_id, result_id, reply_to=reply_to, thread_id=thread_id
        )
        return self._shown(posted)

    # People who can only text

    async def add_phone(self, *, name: Name) -> Json:
        """Create a phone with a number of its own."""
        return asdict(self._world.sms.make_phone(name))

    async def change_phone(self, *, number: int, name: Name | None = None, is_on: bool | None = None) -> Json:
        """Rename a phone's owner, or turn the phone off and on."""
        phone = self._phone(-number)
        phone.name = phone.name if name is None else name
        phone.is_on = phone.is_on if is_on is None else is_on
        self._world.sms.show_phones()
        return asdict(phone)

    async def send_text(
        self, *, phone: int, text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    ) -> Json:
        """Send a text message to the bot's number."""
        return text_json(self._world.sms.text_bot(self._phone(phone), text))

    def _phone(self, phone_id: int) -> TextPhone:
        phone = self._world.sms.phones.get(phone_id)
        if phone is None:
            raise ControlError("no such phone")
        return phone

    # Failures on demand

    async def set_flood(self, *, enabled: bool) -> Json:
        """Turn flood limits on or off."""
        self._world.flood_limits.enabled = enabled
        return {"enabled": enabled}

    async def advance(self, *, seconds: Time) -> Json:
        """Move the sandbox's clock forward."""
        self._world.clock.advance(seconds)
        return {"now": self._world.clock.now()}

    async def list_faults(self) -> Json:
        """Return the remaining faults, and the number of times that each was applied."""
        return {"faults": [_fault_json(rule) for rule in self._world.faults.rules.values()]}

    async def add_fault(
        self,
        *,
        kind: FaultKind,
        method: Name = "*",
        chat_id: int | None = None,
        times: Annotated[int, Field(ge=1, le=1_000_000)] | None = 1,
        probability: Annotated[float, Field(gt=0, le=1)] = 1.0,
        seed: int | None = None,
        code: Annotated[int, Field(ge=400, le=599)] = 500,
        description: Text | None = None,
        retry_after: Annotated[int, Field(ge=1, le=86_400)] | None = None,
        seconds: Annotated[float, Field(ge=0, le=600)] = 0,
    ) -> Json:
        """Make calls of the bot fail: of a method, `*` for any but getUpdates; `times` null: until it is deleted."""
        if retry_after is not None and code != TOO_MANY_REQUESTS:
            raise ControlError("retry_after belongs to code 429")
        if seconds and not kind.startswith("stall"):
            raise ControlError("seconds belongs to stall_before and stall_after")
        if seed is not None:
            self._world.faults.rng.seed(seed)
        fault = Fault(kind, method, chat_id, code, description, retry_after, seconds)
        return _fault_json(self._world.faults.add(fault, times, probability))

    async def clear_faults(self) -> None:
        """Delete all faults."""
        self._world.faults.rules.clear()

    async def cancel_fault(self, *, number: int) -> None:
        """Delete one fault."""
        _found(self._world.faults.rules.pop(number, None), "fault")

    async def begin_outage(
        self,
        *,
        kind: OutageKind = "refuse",
        seconds: Annotated[float, Field(gt=0, le=LONGEST_TIME)] | None = None,
        holds_updates: bool = True,
    ) -> None:
        """Begin an outage, for so long by the sandbox's clock; null: until it is ended."""
        await self._world.outage.begin(kind, seconds, holds_updates=holds_updates)

    async def end_outage(self) -> None:
        """End the outage."""
        await self._world.outage.end()

    async def change_delivery(
        self,
        *,
        delay_seconds: Annotated[float, Field(ge=0, le=60)] = 0.0,
        repeat: Annotated[float, Field(ge=0, le=0.9)] = 0.0,
        seed: int | None = None,
    ) -> None:
        """Delay updates, which reorders the queues among each other, and lose confirmations, which repeats updates."""
        delivery = self._world.updates.delivery_faults
        delivery.delay_seconds, delivery.repeat = delay_seconds, repeat
        if seed is not None:
            delivery.rng.seed(seed)

    async def repeat_updates(self, *, last: Annotated[int, Field(ge=1, le=REMEMBERED)] = 1) -> Json:
        """Deliver the updates that were confirmed last once more."""
        return {"repeated": self._world.updates.repeat(last)}


def _found(value: T | None, what: str) -> T:
    if value is None:
        raise MissingError(f"no such {what}")
    return value


async def called(endpoint: Any, body: Json, place: Json | None = None) -> Any:
    """Return the endpoint's answer to a request body.

    Raises:
        ControlError: the body does not fit; the error names the first fault.
    """
    place = place or {}
    if twice := body.keys() & place.keys():
        raise ControlError(f"{min(twice)}: {WORDS['unexpected_keyword_argument']}")
    try:
        return await _checked(endpoint.__func__)(endpoint.__self__, **body, **place)
    except ValidationError as error:
        first: Any = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise ControlError(f"{where}: {WORDS.get(first['type'], first['msg'])}") from error


@cache
def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, with pydantic's check of its arguments."""
    return validate_call(config=ConfigDict(populate_by_name=True))(function)


def _fault_json(rule: FaultRule) -> Json:
    return {
        "number": rule.number,
        **asdict(rule.fault),
        "left": rule.left,
        "probability": rule.probability,
        "applied": rule.applied,
    }
