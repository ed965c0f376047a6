"""Endpoints for what people do and how groups change, as JSON under /sandbox/."""

import asyncio
import json
from collections.abc import AsyncIterator

from aiogram.types import BufferedInputFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from telegram_sandbox import file_types, membership, page_json, sound, user_actions
from telegram_sandbox.bot_api.media_files import photo
from telegram_sandbox.control_api.base import ControlBase, Endpoint, MissingError, route, validated
from telegram_sandbox.control_api.bodies import (
    Admin,
    BotStatusChange,
    Member,
    MessageChange,
    MessageReference,
    NewChat,
    NewMedia,
    NewMessage,
    NewPerson,
    NewTap,
    NewTopic,
    Permissions,
    PersonChange,
    TopicChange,
)
from telegram_sandbox.control_api.snapshot import snapshot
from telegram_sandbox.errors import ControlError
from telegram_sandbox.http_parameters import read_params
from telegram_sandbox.model import Chat, Media, Topic

SHOWN_IN_THE_PAGE = ("image/png", "image/jpeg", "image/gif", "image/webp", "audio/ogg", "audio/mpeg", "audio/webm")


class Control(ControlBase):
    """What people do and how groups change."""

    def routes(self) -> list[Route]:
        """The addresses for it."""
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
        ]
        return [route(*row) for row in table]

    async def state(self, _request: Request) -> Response:
        """Everything at once."""
        return JSONResponse(snapshot(self._world))

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
