"""The world of one sandbox: the store, the clock, the updates, the logs, and the changes that everything else uses."""

import asyncio
import secrets
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from telegram_sandbox import page_json, schema, telegram_json
from telegram_sandbox.call_log import Call, CallLog
from telegram_sandbox.errors import BAD_REQUEST, ApiError, bad_request, forbidden
from telegram_sandbox.event_log import EventLog
from telegram_sandbox.faults import Faults
from telegram_sandbox.flood_limits import FloodLimits
from telegram_sandbox.model import Chat, InlineQuery, Json, LastAct, Person, StoredMessage, Topic
from telegram_sandbox.moved_time import MovedTime
from telegram_sandbox.outage import Outage
from telegram_sandbox.permissions import permission_to_send
from telegram_sandbox.settings import SandboxSettings
from telegram_sandbox.store import Store
from telegram_sandbox.update_queue import DeliveryFaults, UpdateQueue
from telegram_sandbox.webhook import Webhook

T = TypeVar("T")


class World(Store):
    """The whole state of a sandbox; `reset` starts over with the same settings."""

    def __init__(self, settings: SandboxSettings) -> None:
        super().__init__(settings)
        if settings.judge:
            schema.load()
        self.run = secrets.token_hex(8)
        """A new value for each start: an open page sees by it that the sandbox has started again."""
        self.moved_time = MovedTime()
        self.events = EventLog(settings.remembered_events, only_if_followed=not settings.keep_log)
        self.calls = CallLog(settings.remembered_calls, self.events)
        self.flood_limits = FloodLimits(settings, self.clock)
        self.updates = UpdateQueue(self.clock, self._judge_update)
        self.outage = Outage(self.clock)
        self.webhook = Webhook(self.updates, self.clock, self.outage, deliver_anywhere=settings.deliver_anywhere)
        self.faults = Faults()
        self.observers: list[Callable[[], None]] = []
        """Called when there is news for people: messages, and the bot's answers to taps, queries and payments."""
        self.changes = 0
        """The number of messages that were shown or changed."""
        self.changes_before_moved_time = 0
        """The same number when a test last moved time."""
        self.bots_news: deque[tuple[int, StoredMessage]] = deque(maxlen=settings.remembered_events)
        """The messages that the bot sent or changed last, each with the number of changes until then."""
        self.last_acts: defaultdict[int, LastAct] = defaultdict(LastAct)
        """By person."""
        self.loop: asyncio.AbstractEventLoop | None = None
        """The event loop that serves the sandbox, None while it is not served."""
        self._later: set[asyncio.Task[None]] = set()
        self.loses_messages = False
        """Whether the message that is being sent will never be shown."""
        self.extensions = [add(self) for add in settings.extensions]

    def run_in_loop(self, act: Callable[[], T]) -> T:
        """Run a change in the sandbox's event loop, from any thread."""
        if self.loop is None or self.loop is _running_loop():
            return act()

        async def there() -> T:
            return act()

        return self._run_in_thread(there)

    def wait_for(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in the sandbox's event loop and wait for it in a thread without an event loop."""
        if _running_loop() is not None:
            raise RuntimeError("this would stop the event loop, and a bot in it: await the user's own method")
        return self._run_in_thread(act)

    def _run_in_thread(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if self.loop is None:
            raise RuntimeError("the sandbox is not running")
        return asyncio.run_coroutine_threadsafe(act(), self.loop).result()

    async def until_bot_reads(self, within: float) -> None:
        """Wait until the bot asks for updates, or has set a webhook.

        Raises:
            AssertionError: it has done neither in time.
        """
        try:
            await asyncio.wait_for(self.updates.is_read.wait(), within)
        except TimeoutError:
            calls = [str(call) for call in self.calls.since(0)] or "nothing"
            raise AssertionError(f"the bot asked for no updates within {within} s; it has called {calls}") from None

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Let something happen later, unless the sandbox starts over before."""
        task = asyncio.ensure_future(work)
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    def _end_later(self) -> None:
        for task in self._later:
            task.cancel()

    def reset(self) -> None:
        """Forget everything that happened; the bot keeps its connection and its update numbers."""
        self._end_later()
        self.updates.clear()
        self.webhook.remove()
        self.faults.rules.clear()
        self.updates.delivery_faults = DeliveryFaults()
        self.flood_limits = FloodLimits(self.settings, self.clock)
        self.bots_news.clear()
        self.last_acts.clear()
        self.clear()
        for extension in self.extensions:
            extension.clear()
        self.events.emit("reset")

    async def close(self) -> None:
        """End every poll and stream: the server stops."""
        self._end_later()
        await self.webhook.close()
        self.outage.close()
        self.faults.close()
        for extension in self.extensions:
            extension.close()
        self.updates.close()
        self.events.close()

    # Messages

    def add_message(self, message: StoredMessage) -> None:
        """Put a message into its chat and show it."""
        self.messages[message.key] = message
        if message.inline_message_id:
            self.inline_messages[message.inline_message_id] = message.key
        self._show("message", message, by_bot=message.sender_id == self.settings.bot_id)

    def show_edit(self, message: StoredMessage, *, by_bot: bool = True) -> None:
        """Tell the pages that the bot, or someone else, has changed a message."""
        self._show("edited", message, by_bot=by_bot)

    def _show(self, kind: str, message: StoredMessage, *, by_bot: bool) -> None:
        if message.lost:
            return
        self.changes += 1
        if by_bot:
            self.bots_news.append((self.changes, message))
        self.tell_people()
        self.events.emit_lazily(kind, message=lambda: page_json.message(self, message))

    def drop_message(self, message: StoredMessage) -> None:
        """Delete a message for everyone."""
        del self.messages[message.key]
        chat = self.chats.get(message.chat_id)
        if chat and message.message_id in chat.pinned:
            chat.pinned.remove(message.message_id)
        self.events.emit("deleted", key=message.key, chat_id=message.chat_id, message_id=message.message_id)

    def service_message(
        self, chat: Chat, sender_id: int, service: Json, text: str, topic: int | None = None
    ) -> StoredMessage:
        """Add a message of Telegram itself to a chat, such as that a person joined."""
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
        """Return a new topic of a forum, with the message that announces it."""
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

    # Updates and events

    def tell_people(self) -> None:
        """Let those who wait for something look again."""
        for observer in self.observers:
            observer()

    def tell_bot(self, kind: str, body: Json) -> None:
        """Queue an update."""
        lives = self.settings.update_lives_seconds
        if kind == "callback_query":
            lives, queue = self.settings.tap_lives_seconds, f"taps of {body['from']['id']}"
        elif kind == "inline_query":
            lives, queue = self.settings.inline_query_lives_seconds, f"inline queries of {body['from']['id']}"
        elif kind == "chosen_inline_result":
            lives, queue = self.settings.chosen_result_lives_seconds, f"chosen results of {body['from']['id']}"
        elif kind in ("poll", "poll_answer"):
            queue = f"poll {body['id' if kind == 'poll' else 'poll_id']}"
        elif "chat" not in body:
            queue = f"{kind} of {body['from']['id']}"
        elif "new_chat_member" in body:
            queue = f"{kind} of {body['chat']['id']}"
        else:
            queue = f"chat {body['chat']['id']}"
        self.updates.add(kind, body, lives=lives, queue=queue)

    def show_inline_answer(self, query: InlineQuery) -> None:
        """Show the bot's answer to the person who typed the inline query."""
        self.tell_people()
        self.events.emit_lazily("inline_answer", query=lambda: page_json.inline_query(query))

    def show_inline_mode(self) -> None:
        """Tell the pages whether the bot takes inline queries."""
        self.events.emit("inline_mode", inline=page_json.inline_mode(self))

    def show_commands(self) -> None:
        """Send the bot's commands to the pages."""
        self.events.emit_lazily("commands", lists=lambda: page_json.command_lists(self))

    def show_people(self) -> None:
        """Send the list of people to the pages."""
        self.events.emit_lazily("people", people=lambda: page_json.people(self))

    def show_chats(self) -> None:
        """Send the list of chats to the pages."""
        self.events.emit_lazily("chats", chats=lambda: page_json.chats(self))

    # Where the bot may write

    def chat_known_to_bot(self, chat_id: Any, *, reads: bool = False) -> Chat:
        """Return the chat that a request names, if the bot may act in it; it may read of one that became a supergroup.

        Raises:
            ApiError: 400 for a chat that is unknown or has moved, 403 for one that the bot is not in.
        """
        chat = self.chats.get(chat_id) if isinstance(chat_id, int) else self._public(str(chat_id))
        if chat is None:
            raise bad_request("chat_id is empty" if chat_id in ("", None) else "chat not found")
        if chat.migrated_to is not None and not reads:
            text = "Bad Request: group chat was upgraded to a supergroup chat"
            raise ApiError(BAD_REQUEST, text, {"migrate_to_chat_id": chat.migrated_to})
        if chat.bot_status == "kicked" and chat.type != "private":
            raise forbidden(f"bot was kicked from the {chat.type} chat")
        if chat.bot_status == "left" and chat.type != "private":
            raise forbidden(f"bot is not a member of the {chat.type} chat")
        chat.end_restrictions(self.clock.now())
        return chat

    def _public(self, name: str) -> Chat | None:
        """Return the public chat with this @username."""
        named = (one for one in self.chats.values() if one.username and f"@{one.username}".lower() == name.lower())
        return next(named, None)

    def chat_to_write_in(self, chat_id: Any, what: str = "text messages") -> Chat:
        """Return the chat, if the bot may send there.

        Raises:
            ApiError: 403 before /start, after a block and for a deleted account; 400 where the bot is muted.
        """
        chat = self.chat_known_to_bot(chat_id)
        permitted = chat.permissions[permission_to_send(what)]
        muted = chat.bot_status == "restricted" or (chat.bot_status == "member" and not permitted)
        if chat.is_group and muted:
            raise bad_request(f"not enough rights to send {what} to the chat")
        if chat.is_channel and not chat.bot_may("can_post_messages"):
            raise bad_request("need administrator rights in the channel chat")
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
        if not person.started and not self._has_asked_to_join(person):
            return forbidden("bot can't initiate conversation with a user")
        return None

    def _has_asked_to_join(self, person: Person) -> bool:
        """Return whether the bot may write to a person because of a request to join, which it has to answer."""
        asked = [chat.join_requests[person.id] for chat in self.chats.values() if person.id in chat.join_requests]
        return any(self.clock.now() - one.date < self.settings.join_request_seconds for one in asked)

    def _judge_update(self, update: Json) -> None:
        """Log an update that `aiogram` cannot read as a failed call: it is the sandbox's own fault."""
        error = schema.judge_update(update) if self.settings.judge else None
        if error:
            self.calls.add(Call(self.clock.now(), "(update)", update, schema_error=error))


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
