"""The sandbox's whole state, and the small changes that everything else is built from."""

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from telegram_bot.sandbox import page_json, telegram_json
from telegram_bot.sandbox.calls import CallLog
from telegram_bot.sandbox.clock import Clock
from telegram_bot.sandbox.errors import ApiError, bad_request, forbidden, migrated
from telegram_bot.sandbox.events import EventLog
from telegram_bot.sandbox.faults import Faults
from telegram_bot.sandbox.flood import FloodControl
from telegram_bot.sandbox.outage import Outage
from telegram_bot.sandbox.schema import judge_update
from telegram_bot.sandbox.state import Chat, ChatType, Json, Person, StoredFile, StoredMessage, Tap, Topic
from telegram_bot.sandbox.texting import Texting
from telegram_bot.sandbox.updates import Mail, UpdateQueue
from telegram_bot.sandbox.webhook import Webhook

if TYPE_CHECKING:
    from telegram_bot.sandbox.settings import SandboxSettings

# Like Telegram's own, none of these fits in 32 bits.
FIRST_PERSON_ID = 7_000_000_001
FIRST_SUPERGROUP_ID = -1_002_000_000_001
FIRST_GROUP_ID = -5_000_000_001

Watcher = Callable[[str, "StoredMessage | Tap"], None]

EXTENSIONS = {"photo": "jpg", "voice": "oga", "document": "bin"}


class World:
    """Everything that the sandbox knows; `reset` begins again with the same settings."""

    def __init__(self, settings: "SandboxSettings") -> None:
        self.settings = settings
        self.clock = Clock()
        self.events = EventLog(settings.remembered_events, only_if_followed=not settings.audit)
        self.calls = CallLog(settings.remembered_calls, self.events)
        self.flood = FloodControl(settings, self.clock)
        self.updates = UpdateQueue(self.clock, self._judge)
        self.outage = Outage(self.clock)
        self.webhook = Webhook(self.updates, self.clock, self.outage)
        self.faults = Faults()
        self.texting = Texting(settings, self.clock, self.events)
        self.watchers: list[Watcher] = []
        """Told at once of what people see, in the server's own process."""
        self.loses_messages = False
        """Whether the message that is being sent will never be shown."""
        self._begin()

    def _begin(self) -> None:
        self.people: dict[int, Person] = {}
        self.chats: dict[int, Chat] = {}
        self.messages: dict[str, StoredMessage] = {}
        self.files: dict[str, StoredFile] = {}
        self.taps: dict[str, Tap] = {}
        self.commands: dict[tuple[str, str], list[Json]] = {}
        self.profile: dict[tuple[str, str], str] = {}
        self.menu_buttons: dict[int, Json] = {}
        self.bot_last_message_id = 0
        self._people_made = 0
        self._chats_made = 0
        for name in self.settings.people:
            self.make_person(name)
        group = self.make_chat("supergroup", self.settings.group_title, list(self.people))
        group.bot_status = "administrator" if self.settings.bot_is_admin else "member"
        self.default_group_id = group.id

    def reset(self) -> None:
        """Forget everything that happened; the bot keeps its connection and its update numbers."""
        self.updates.clear()
        self.webhook.remove()
        self.faults.clear()
        self.updates.mail = Mail()
        self.flood = FloodControl(self.settings, self.clock)
        self.texting.begin()
        self._begin()
        self.events.emit("reset")

    async def close(self) -> None:
        """End every poll and stream: the server stops."""
        await self.webhook.close()
        self.outage.close()
        self.faults.close()
        self.texting.close()
        self.updates.close()
        self.events.close()

    # People and chats

    def make_person(self, name: str) -> Person:
        """A new account, in no group yet; its private chat with the bot exists and is empty."""
        person_id = FIRST_PERSON_ID + self._people_made
        self._people_made += 1
        username = "".join(letter for letter in name.lower() if letter.isascii() and letter.isalnum())
        person = Person(person_id, name, f"{username}_{self._people_made}" if username else None)
        self.people[person_id] = person
        self.chats[person_id] = Chat(person_id, "private", title=name, members=[person_id])
        return person

    def make_chat(self, kind: ChatType, title: str, members: list[int], *, is_forum: bool = False) -> Chat:
        """A new group; its first member owns it."""
        first = FIRST_SUPERGROUP_ID if kind == "supergroup" else FIRST_GROUP_ID
        chat = Chat(first - self._chats_made, kind, title=title, members=list(members), is_forum=is_forum)
        self._chats_made += 1
        chat.owner = chat.members[0] if chat.members else None
        self.chats[chat.id] = chat
        return chat

    def living(self) -> list[Person]:
        """Everybody who has not deleted the account."""
        return [person for person in self.people.values() if not person.deleted]

    def person_json(self, user_id: int) -> Json | None:
        """A person or the bot as Telegram's User, None for a stranger."""
        if user_id == self.settings.bot_id:
            return telegram_json.bot_user(self)
        person = self.people.get(user_id)
        return telegram_json.user(person) if person else None

    # Messages

    def next_message_id(self, chat: Chat) -> int:
        """A supergroup counts for itself; private chats and basic groups share the bot's counter."""
        if chat.type == "supergroup":
            chat.last_message_id += 1
            return chat.last_message_id
        self.bot_last_message_id += 1
        return self.bot_last_message_id

    def add_message(self, message: StoredMessage) -> None:
        """Put a message into its chat and show it."""
        self.messages[message.key] = message
        self._show("message", message)

    def show_edit(self, message: StoredMessage) -> None:
        """Tell the pages that a message has changed."""
        self._show("edited", message)

    def _show(self, kind: str, message: StoredMessage) -> None:
        if message.lost:
            return
        for watcher in self.watchers:
            watcher(kind, message)
        if self.events.wanted:
            self.events.emit(kind, message=page_json.message(self, message))
        else:
            self.events.skip()

    def drop_message(self, message: StoredMessage) -> None:
        """Delete a message for everybody."""
        del self.messages[message.key]
        chat = self.chats.get(message.chat_id)
        if chat and message.message_id in chat.pinned:
            chat.pinned.remove(message.message_id)
        self.events.emit("deleted", key=message.key, chat_id=message.chat_id, message_id=message.message_id)

    def find_message(self, chat_id: int, message_id: int) -> StoredMessage | None:
        """A message that everybody in the chat sees."""
        return self.messages.get(f"{chat_id}:{message_id}") if message_id else None

    def find_ephemeral(self, chat_id: int, user_id: int, ephemeral_id: int) -> StoredMessage | None:
        """A message that one member of the chat sees."""
        return self.messages.get(f"{chat_id}:e{user_id}:{ephemeral_id}")

    def service_message(
        self, chat: Chat, sender_id: int, service: Json, text: str, topic: int | None = None
    ) -> StoredMessage:
        """What Telegram itself says in a chat: somebody joined, the group moved."""
        message = StoredMessage(
            chat_id=chat.id,
            message_id=self.next_message_id(chat),
            sender_id=sender_id,
            date=self.clock.unix(),
            service=service,
            service_text=text,
            thread_id=topic,
            is_topic_message=topic is not None,
        )
        self.add_message(message)
        return message

    def make_topic(self, chat: Chat, name: str, creator_id: int) -> Topic:
        """A new topic of a forum, with the message that announces it."""
        service = {"forum_topic_created": {"name": name, "icon_color": 0x6FB9F0}}
        message = self.service_message(chat, creator_id, service, f"Topic {name}")
        message.thread_id = message.message_id
        message.is_topic_message = True
        topic = Topic(message.message_id, name)
        chat.topics[topic.thread_id] = topic
        self.show_chats()
        if creator_id != self.settings.bot_id:
            self.tell_bot("message", telegram_json.message(self, message))
        return topic

    def drop_topic(self, chat: Chat, topic: Topic) -> None:
        """Delete a topic and every message in it."""
        del chat.topics[topic.thread_id]
        gone = [one for one in self.messages.values() if one.chat_id == chat.id and one.thread_id == topic.thread_id]
        for message in gone:
            self.drop_message(message)
        self.show_chats()

    # Files

    def keep_file(self, kind: str, content: bytes, mime_type: str, name: str) -> StoredFile:
        """Store bytes under a file_id, a path for the bot and an address for the page."""
        number = len(self.files) + 1
        folder = {"photo": "photos", "voice": "voice"}.get(kind, "documents")
        key = secrets.token_urlsafe(12)
        stored = StoredFile(
            key=key,
            file_id=f"SB{kind[0].upper()}{number:06d}-{secrets.token_urlsafe(24)}",
            file_unique_id=f"SBU{number:06d}{secrets.token_hex(4)}",
            path=f"{folder}/file_{number}.{EXTENSIONS.get(kind, 'bin')}",
            content=content,
            mime_type=mime_type,
            name=name,
        )
        self.files[key] = stored
        return stored

    def find_file(self, file_id: str) -> StoredFile | None:
        """A stored file by the name that the bot knows."""
        return next((stored for stored in self.files.values() if stored.file_id == file_id), None)

    # Telling

    def tell_bot(self, kind: str, body: Json) -> None:
        """Queue an update."""
        tapped = kind == "callback_query"
        lives = self.settings.tap_lives_seconds if tapped else self.settings.update_lives_seconds
        if tapped:
            queue = f"taps of {body['from']['id']}"
        elif "new_chat_member" in body:
            queue = f"{kind} of {body['chat']['id']}"
        else:
            queue = f"chat {body['chat']['id']}"
        self.updates.add(kind, body, lives=lives, queue=queue)

    def show_people(self) -> None:
        """Tell the pages who is there."""
        if self.events.wanted:
            self.events.emit("people", people=page_json.people(self))

    def show_chats(self) -> None:
        """Tell the pages which chats there are."""
        if self.events.wanted:
            self.events.emit("chats", chats=page_json.chats(self))

    # What the bot may reach

    def chat_known_to_bot(self, chat_id: Any) -> Chat:
        """The chat that a request names, if the bot may act in it.

        Raises:
            ApiError: 400 for a chat that is unknown or has moved, 403 for one that the bot is not in.
        """
        chat = self.chats.get(chat_id) if isinstance(chat_id, int) else None
        if chat is None:
            raise bad_request("chat_id is empty" if chat_id in ("", None) else "chat not found")
        if chat.migrated_to is not None:
            raise migrated(chat.migrated_to)
        if chat.bot_status == "kicked" and chat.is_group:
            raise forbidden(f"bot was kicked from the {chat.type} chat")
        if chat.bot_status == "left" and chat.is_group:
            raise forbidden(f"bot is not a member of the {chat.type} chat")
        return chat

    def chat_to_write_in(self, chat_id: Any, what: str = "text messages") -> Chat:
        """The same, if the bot may also send there.

        Raises:
            ApiError: 403 before /start, after a block and for a deleted account; 400 where the bot is muted.
        """
        chat = self.chat_known_to_bot(chat_id)
        muted = chat.bot_status == "restricted" or (chat.bot_status == "member" and not chat.members_may_write)
        if chat.is_group and muted:
            raise bad_request(f"not enough rights to send {what} to the chat")
        if chat.type != "private":
            return chat
        refusal = self._private_refusal(self.people[chat.id])
        if refusal:
            raise refusal
        return chat

    def _private_refusal(self, person: Person) -> ApiError | None:
        if person.deleted:
            return forbidden("user is deactivated")
        if person.blocked_bot:
            return forbidden("bot was blocked by the user")
        if not person.started:
            return forbidden("bot can't initiate conversation with a user")
        return None

    def _judge(self, update: Json) -> None:
        """Write an update that `aiogram` cannot read down as a failed call: it is the sandbox's own fault."""
        error = judge_update(update) if self.settings.audit else None
        if error:
            self.calls.add(
                time=self.clock.now(),
                method="(update)",
                params=update,
                error=None,
                error_code=None,
                schema_error=error,
                ms=0.0,
            )
