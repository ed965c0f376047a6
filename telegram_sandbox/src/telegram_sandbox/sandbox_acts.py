"""The changes of a sandbox: people, groups, the bot's place, the clock, and failures on demand."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from telegram_sandbox import membership, user_actions
from telegram_sandbox.acts import Name, Seconds, Text, Title, Username, change
from telegram_sandbox.errors import TOO_MANY_REQUESTS, ControlError
from telegram_sandbox.faults import Fault, FaultKind, FaultRule
from telegram_sandbox.media import mime_type_of
from telegram_sandbox.model import (
    BotStatus,
    Chat,
    ChatType,
    InlineMode,
    Json,
    MediaKind,
    StoredFile,
    StoredMessage,
    Topic,
)
from telegram_sandbox.outage import OutageKind
from telegram_sandbox.permissions import admin_rights
from telegram_sandbox.update_queue import REMEMBERED
from telegram_sandbox.users import User
from telegram_sandbox.world import World

Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class SandboxActs:
    """Changes of a sandbox, each declared once. One that is impossible is a ControlError."""

    world: World = field(repr=False)

    @change("POST /people")
    def add_person(
        self, name: Name, *, joins: bool = False, user_id: Annotated[int, Field(gt=0, lt=2**52)] | None = None
    ) -> User:
        """Create a person, who is in no group, or with `joins` in the first one."""
        if user_id in self.world.people:
            raise ControlError("there is a person with this id")
        person = self.world.make_person(name, user_id)
        self.world.show_people()
        group = self.world.chats.get(self.world.default_group_id)
        if joins and group is not None and group.migrated_to is None:
            membership.join(self.world, group, person)
        user_actions.start(self.world, person)
        return User(self.world, person.id)

    @change("POST /chats")
    def add_group(
        self,
        title: Title,
        members: Sequence[User],
        kind: Annotated[ChatType, Field(alias="type")] = "supergroup",
        *,
        is_forum: bool = False,
        username: Username | None = None,
        chat_id: Annotated[int, Field(gt=-(2**52), lt=0)] | None = None,
    ) -> Chat:
        """Create a group, or with `kind="channel"` a channel, of these people and the bot; the first person owns it.

        In a channel the bot is an admin, and the other people read. A bot may name a public chat by `@username`.
        """
        ids = list(dict.fromkeys(member.id for member in members))
        chat = membership.found_group(self.world, kind, title, ids, is_forum=is_forum, chat_id=chat_id)
        chat.username = username
        return chat

    @change("POST /chats/{chat_id}/bot")
    def set_bot_status(self, chat: Chat, status: BotStatus, rights: Sequence[Name] | None = None) -> Chat:
        """Let the owner of a group or channel add, promote, mute or remove the bot; `rights` are those of an admin."""
        given = None if rights is None else admin_rights(chat.type, rights)
        membership.set_bot_status(self.world, chat, status, by=self._owner(chat), rights=given)
        return chat

    @change("POST /chats/{chat_id}/admins")
    def set_admin(self, chat: Chat, person: User, *, admin: bool = True, anonymous: bool = False) -> Chat:
        """Let the owner of a group make a member an admin, anonymous or not, or end it."""
        membership.set_admin(self.world, chat, person.person, admin=admin, anonymous=anonymous)
        return chat

    @change("POST /chats/{chat_id}/permissions")
    def set_permissions(self, chat: Chat, *, can_send_messages: bool) -> Chat:
        """Let plain members write, or not; the bot gets no update."""
        membership.check_group(chat)
        chat.permissions = chat.permissions | {"can_send_messages": can_send_messages}
        return chat

    @change("POST /chats/{chat_id}/migrate")
    def migrate(self, chat: Chat) -> Chat:
        """Upgrade a basic group to a supergroup, which has another id."""
        return membership.migrate(self.world, chat)

    @change("POST /chats/{chat_id}/topics")
    def add_topic(self, chat: Chat, name: Title) -> Topic:
        """Open a topic in a forum."""
        if not chat.is_forum:
            raise ControlError(f"{chat.title} is no forum")
        return self.world.make_topic(chat, name, self._owner(chat))

    @change("PATCH /chats/{chat_id}/topics/{thread_id}")
    def close_topic(self, chat: Chat, topic: Topic, *, closed: bool = True) -> Topic:
        """Close a topic, or open it again."""
        membership.close_topic(self.world, chat, topic, closed=closed, by=self._owner(chat))
        return topic

    @change("DELETE /chats/{chat_id}/topics/{thread_id}")
    def remove_topic(self, chat: Chat, topic: Topic) -> None:
        """Delete a topic with everything in it; the bot gets no update."""
        self.world.drop_topic(chat, topic)

    @change("DELETE /messages")
    def delete_message(self, message: StoredMessage) -> None:
        """Let an admin delete a message for everyone; the bot gets no update."""
        self.world.drop_message(message)

    @change("POST /files")
    def add_file(self, file_id: Text, content: bytes, kind: MediaKind) -> StoredFile:
        """Give the sandbox a file that the bot knows by its file_id on Telegram."""
        return self.world.keep_file(kind, content, mime_type_of(kind, content), kind, file_id=file_id)

    @change("POST /inline")
    def set_inline_mode(self, *, enabled: bool | None = None, feedback: Share | None = None) -> InlineMode:
        """Do what /setinline and /setinlinefeedback do in BotFather."""
        if enabled is not None:
            self.world.inline_mode = enabled
        if feedback is not None:
            self.world.inline_feedback = feedback
        self.world.show_inline_mode()
        return InlineMode(self.world.inline_mode, self.world.inline_feedback)

    @change("POST /privacy")
    def set_privacy_mode(self, *, enabled: bool) -> None:
        """Do what /setprivacy does in BotFather, in all groups at once."""
        self.world.privacy_mode = enabled

    @change("POST /guest")
    def set_guest_mode(self, *, enabled: bool) -> None:
        """Let people ask the bot where it is not, as BotFather allows it, or no longer."""
        self.world.guest_mode = enabled

    @change("POST /games")
    def add_game(self, short_name: Name, title: Title, description: Text = "") -> None:
        """Do what /newgame does in BotFather."""
        self.world.games[short_name] = {"title": title, "description": description}

    @change("POST /updates")
    def send_update(self, kind: Name, body: Json) -> None:
        """Send the bot an update of any kind, also of one that the sandbox does not have."""
        self.world.updates.add(kind, body, lives=self.world.settings.update_lives_seconds, queue=kind)

    @change("POST /flood")
    def set_flood_limits(self, enabled: bool) -> None:
        """Turn flood limits on or off."""
        self.world.flood_limits.enabled = enabled

    @change("POST /clock")
    def advance_clock(self, seconds: Seconds) -> float:
        """Move the sandbox's clock forward, not the bot's timers, and return its time."""
        self.world.clock.advance(seconds)
        return self.world.clock.now()

    @change("POST /faults")
    def add_fault(
        self,
        kind: FaultKind,
        method: Name = "*",
        *,
        chat_id: int | None = None,
        times: Annotated[int, Field(ge=1, le=1_000_000)] | None = 1,
        probability: Annotated[float, Field(gt=0, le=1)] = 1.0,
        seed: int | None = None,
        code: Annotated[int, Field(ge=400, le=599)] = 500,
        description: Text | None = None,
        retry_after: Annotated[int, Field(ge=1, le=86_400)] | None = None,
        seconds: Annotated[float, Field(ge=0, le=600)] = 0,
    ) -> FaultRule:
        """Make calls of the bot fail: of a method, `*` for any but getUpdates; `times=None` until it is deleted."""
        if retry_after is not None and code != TOO_MANY_REQUESTS:
            raise ControlError("retry_after belongs to code 429")
        if seconds and not kind.startswith("stall"):
            raise ControlError("seconds belongs to stall_before and stall_after")
        if seed is not None:
            self.world.faults.rng.seed(seed)
        fault = Fault(kind, method, chat_id, code, description, retry_after, seconds)
        return self.world.faults.add(fault, times, probability)

    @change("DELETE /faults")
    def clear_faults(self) -> None:
        """Delete all faults."""
        self.world.faults.rules.clear()

    @change("DELETE /faults/{number}")
    def cancel_fault(self, fault: FaultRule) -> None:
        """Delete one fault."""
        self.world.faults.rules.pop(fault.number, None)

    @change("POST /outage")
    def begin_outage(
        self,
        kind: OutageKind = "refuse",
        *,
        seconds: Annotated[float, Field(gt=0)] | None = None,
        holds_updates: bool = True,
    ) -> None:
        """Cut the bot off from the server, for so long by the sandbox's clock, or until the outage is ended."""
        self.world.outage.begin(kind, seconds, holds_updates=holds_updates)

    @change("DELETE /outage")
    def end_outage(self) -> None:
        """End the outage."""
        self.world.outage.end()

    @change("POST /delivery")
    def change_delivery(
        self,
        *,
        delay_seconds: Annotated[float, Field(ge=0, le=60)] = 0.0,
        repeat: Annotated[float, Field(ge=0, le=0.9)] = 0.0,
        seed: int | None = None,
    ) -> None:
        """Delay updates, which reorders the queues among each other, and lose confirmations, which repeats updates."""
        delivery = self.world.updates.delivery_faults
        delivery.delay_seconds, delivery.repeat = delay_seconds, repeat
        if seed is not None:
            delivery.rng.seed(seed)

    @change("POST /delivery/repeat")
    def repeat_updates(self, last: Annotated[int, Field(ge=1, le=REMEMBERED)] = 1) -> Sequence[int]:
        """Deliver the updates that were confirmed last once more, and return their numbers."""
        return self.world.updates.repeat(last)

    @change("POST /reset")
    def reset(self) -> None:
        """Start over with the people of the settings, under new ids; the clock and the numbers of updates stay."""
        self.world.reset()
        user_actions.start(self.world, *self.world.active_people())

    def _owner(self, chat: Chat) -> int:
        return chat.owner or self.world.settings.bot_id
