"""The people of a sandbox in a bot's tests: they write, send files, tap buttons, vote, and wait for the bot."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from functools import update_wrapper
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from telegram_sandbox import inline_mode, invitations, membership, payments, reply_buttons, reply_keyboard, user_actions
from telegram_sandbox.bot_api.keyboards import KINDS
from telegram_sandbox.errors import ControlError
from telegram_sandbox.model import Chat, InlineAnswer, InlineQuery, Json, MediaKind, Person, Poll, StoredMessage, Tap
from telegram_sandbox.reply_buttons import Given
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.user_actions import MessageDraft
from telegram_sandbox.world import World

PATIENCE_SECONDS = 5.0
SILENCE_SECONDS = 0.5
SHOWN_IN_ERRORS = 5
STANDS_STILL = (
    "has not confirmed them: it is busy, has not started, or runs in an event loop that stands still during a test "
    "without async"
)

T = TypeVar("T")
P = ParamSpec("P")


def _in_the_sandboxs_loop(
    method: Callable[Concatenate["User", P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["User", P], Coroutine[Any, Any, T]]:
    """Let a method be awaited in any event loop, also while the sandbox runs in another thread."""

    async def awaited(self: "User", /, *args: P.args, **kwargs: P.kwargs) -> T:
        loop = self._world.loop
        if loop is None or loop is asyncio.get_running_loop():
            return await method(self, *args, **kwargs)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(method(self, *args, **kwargs), loop))

    return update_wrapper(awaited, method)


def _blocking(
    method: Callable[Concatenate["User", P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["BlockingUser", P], T]:
    """Return the same method for a thread without an event loop."""

    def waited_for(self: "BlockingUser", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.world.wait_for(lambda: method(self.user, *args, **kwargs))

    return update_wrapper(waited_for, method)


class User:
    """A person in the sandbox. `chat` is by default their private chat with the bot."""

    def __init__(self, world: World, person: Person) -> None:
        self._world = world
        self._person = person
        self._acted_after = 0
        """The number of changes of messages until this person's last act."""
        self._calls_before = 0
        self._changed = asyncio.Event()
        self._queries: dict[int, InlineQuery] = {}
        world.observers.append(self._changed.set)

    @property
    def id(self) -> int:
        """The person's Telegram id."""
        return self._person.id

    @property
    def name(self) -> str:
        """The person's first name."""
        return self._person.name

    @property
    def blocking(self) -> "BlockingUser":
        """The same person for tests without `async`, with a sandbox that runs in another thread."""
        return BlockingUser(self, self._world)

    @_in_the_sandboxs_loop
    async def send(
        self, text: str, chat: Chat | None = None, *, reply_to: StoredMessage | None = None
    ) -> StoredMessage:
        """Write a message.

        Raises:
            ControlError: when this person cannot write there.
        """
        return self._send(MessageDraft(text=text), chat, reply_to)

    @_in_the_sandboxs_loop
    async def send_photo(
        self,
        content: bytes | Path,
        chat: Chat | None = None,
        *,
        caption: str = "",
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a PNG, JPEG, GIF or WEBP image as a photo.

        Raises:
            ControlError: when this person cannot write there, or the file is no such image.
        """
        return self._send_file("photo", content, chat, reply_to, caption=caption)

    @_in_the_sandboxs_loop
    async def send_voice(
        self,
        content: bytes | Path,
        chat: Chat | None = None,
        *,
        duration: int = 1,
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a voice note: Ogg with Opus, as Telegram's apps record it, or MP3 or M4A. `duration` is in seconds.

        Raises:
            ControlError: when this person cannot write there.
        """
        return self._send_file("voice", content, chat, reply_to, duration=duration)

    @_in_the_sandboxs_loop
    async def send_document(
        self,
        content: bytes | Path,
        chat: Chat | None = None,
        *,
        name: str | None = None,
        caption: str = "",
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a file of any type.

        Raises:
            ControlError: when this person cannot write there.
        """
        return self._send_file("document", content, chat, reply_to, caption=caption, name=name)

    @_in_the_sandboxs_loop
    async def send_video(
        self,
        content: bytes | Path,
        chat: Chat | None = None,
        *,
        duration: int = 1,
        caption: str = "",
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a video of `duration` seconds.

        Raises:
            ControlError: when this person cannot write there.
        """
        return self._send_file("video", content, chat, reply_to, caption=caption, duration=duration)

    @_in_the_sandboxs_loop
    async def send_audio(
        self,
        content: bytes | Path,
        chat: Chat | None = None,
        *,
        duration: int = 1,
        title: str | None = None,
        performer: str | None = None,
        caption: str = "",
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a piece of music of `duration` seconds.

        Raises:
            ControlError: when this person cannot write there.
        """
        details = {"title": title, "performer": performer}
        return self._send_file("audio", content, chat, reply_to, caption=caption, duration=duration, details=details)

    @_in_the_sandboxs_loop
    async def send_sticker(
        self,
        content: bytes | Path,
        chat: Chat | None = None,
        *,
        emoji: str | None = None,
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a sticker: WEBP, PNG, TGS or WEBM.

        Raises:
            ControlError: when this person cannot write there.
        """
        return self._send_file("sticker", content, chat, reply_to, details={"emoji": emoji})

    @_in_the_sandboxs_loop
    async def send_location(
        self, latitude: float, longitude: float, chat: Chat | None = None, *, reply_to: StoredMessage | None = None
    ) -> StoredMessage:
        """Send a point on the map, in degrees.

        Raises:
            ControlError: when this person cannot write there.
        """
        location = {"latitude": latitude, "longitude": longitude}
        return self._send(MessageDraft(attachment={"location": location}), chat, reply_to)

    @_in_the_sandboxs_loop
    async def send_contact(
        self,
        phone_number: str,
        first_name: str | None = None,
        chat: Chat | None = None,
        *,
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a contact; without a first name it is this person's own, with their user id.

        Raises:
            ControlError: when this person cannot write there.
        """
        contact: Json = {"phone_number": phone_number, "first_name": first_name or self.name}
        if first_name is None:
            contact["user_id"] = self.id
        return self._send(MessageDraft(attachment={"contact": contact}), chat, reply_to)

    @_in_the_sandboxs_loop
    async def send_poll(self, question: str, *options: str, chat: Chat | None = None) -> StoredMessage:
        """Send an anonymous poll.

        Raises:
            ControlError: when this person cannot write there.
        """
        return self._send(MessageDraft(poll=Poll(Poll.new_id(), question, options)), chat, None)

    @_in_the_sandboxs_loop
    async def vote(self, *options: str, chat: Chat | None = None) -> StoredMessage:
        """Vote for these options in the newest poll of a chat; without options, take the vote back.

        Raises:
            ControlError: when there is no open poll with these options.
        """
        message = next((one for one in reversed(self.messages(chat)) if one.poll), None)
        if message is None or message.poll is None:
            raise ControlError(f"{self.name} sees no poll")
        if unknown := [option for option in options if option not in message.poll.options]:
            raise ControlError(f"the poll has no option {unknown[0]!r}, only {list(message.poll.options)}")
        self._act()
        chosen = [message.poll.options.index(option) for option in options]
        user_actions.vote(self._world, self._person, message, chosen)
        return message

    @_in_the_sandboxs_loop
    async def tap(
        self,
        label: str,
        chat: Chat | None = None,
        *,
        gives: Given | None = None,
        waits: bool = True,
        within: float = PATIENCE_SECONDS,
    ) -> Tap:
        """Wait for a button with this label, tap the newest, wait for the bot's answer (`text`, `show_alert`, `url`).

        A button that is a link gives its `url`, and the bot does not hear of the tap. A button of a reply keyboard
        sends its text, a contact, a location, or what `gives` has, as `sent`. `waits=False` is for a bot that never
        answers taps.

        Raises:
            ControlError: the button is of another kind.
            AssertionError: when no such button comes in time, or the bot does not answer in time.
        """
        where = self._chat(chat)
        message, button = await self._button(label, where, within)
        self._act()
        if message.reply_interface:
            sent = reply_buttons.press(self._world, self._person, where, label, gives or Given())
            return Tap("", self.id, where.id, self._world.clock.now(), answered=True, sent=sent)
        if "url" in button:
            return Tap("", self.id, where.id, self._world.clock.now(), answered=True, url=button["url"])
        if "pay" in button:
            raise ControlError(f"the button {label!r} opens the checkout: use {self.name}'s pay")
        if "callback_data" not in button:
            kind = next(kind for kind in KINDS if kind in button)
            raise ControlError(f"the button {label!r} has {kind}, and the bot does not hear of its taps")
        tap = user_actions.tap_button(
            self._world,
            self._person,
            where,
            str(button["callback_data"]),
            message_id=message.message_id,
            ephemeral_message_id=message.ephemeral_message_id,
        )
        if not waits:
            return tap
        return await self._until(lambda: tap if tap.answered else None, f"{label!r} is not answered", where, within)

    @_in_the_sandboxs_loop
    async def sees(
        self, words: str | re.Pattern[str], chat: Chat | None = None, *, within: float = PATIENCE_SECONDS
    ) -> StoredMessage:
        """Wait for a message of the bot whose text, caption or question contains these words.

        A compiled regular expression (`re.compile`) may match anywhere.

        Only messages that were sent or edited since this person last acted count.

        Raises:
            AssertionError: no such message arrived in time; the error lists the messages that this person sees, and
                the calls of the bot that were refused since they acted.
        """
        where = self._chat(chat)
        pattern = re.compile(re.escape(words)) if isinstance(words, str) else words

        def newest() -> StoredMessage | None:
            return next((one for one in self._news(where) if pattern.search(_words_of(one))), None)

        shown = words if isinstance(words, str) else pattern.pattern
        return await self._until(newest, f"there is no {shown!r}", where, within)

    @_in_the_sandboxs_loop
    async def hears_nothing(self, chat: Chat | None = None, *, within: float = SILENCE_SECONDS) -> None:
        """Wait, and make sure that the bot sends and edits no message that this person sees, since they last acted.

        Raises:
            AssertionError: the bot did; the error has the message.
        """
        where = self._chat(chat)
        await asyncio.sleep(within)
        if heard := [_words_of(one) for one in self._news(where)]:
            raise AssertionError(f"{self.name} was to hear nothing, and heard {heard[0]!r}")

    @_in_the_sandboxs_loop
    async def type_inline(
        self, text: str, chat: Chat | None = None, *, offset: str = "", within: float = PATIENCE_SECONDS
    ) -> InlineAnswer:
        """Type the bot's name and this text in a chat's text field, and wait for the list of results.

        Raises:
            ControlError: when the bot has no inline mode, or this person cannot write there.
            AssertionError: when the bot does not answer in time.
        """
        where = self._chat(chat)
        query = inline_mode.ask(self._world, self._person, where, text, offset)
        self._queries[where.id] = query
        return await self._until(lambda: query.answer, f"the query {text!r} is not answered", where, within)

    @_in_the_sandboxs_loop
    async def switch_inline(
        self, label: str, chat: Chat | None = None, *, into: Chat | None = None, within: float = PATIENCE_SECONDS
    ) -> InlineAnswer:
        """Tap the newest button with this label, which fills the text field, and wait for the list of results.

        `into` is the chat that this person chooses where the button asks for one.

        Raises:
            ControlError: the button does not fill the text field, or `into` is not such a chat.
            AssertionError: when no such button comes in time, or the bot does not answer in time.
        """
        _, button = await self._button(label, self._chat(chat), within)
        if "switch_inline_query_current_chat" in button:
            return await self.type_inline(button["switch_inline_query_current_chat"], chat, within=within)
        chosen = button.get("switch_inline_query_chosen_chat")
        text = button.get("switch_inline_query") if chosen is None else chosen.get("query", "")
        if text is None:
            raise ControlError(f"the button {label!r} does not fill the text field")
        if into is None or not _may_be_chosen(into, chosen):
            raise ControlError(f"the button {label!r} asks for another chat")
        return await self.type_inline(text, into, within=within)

    @_in_the_sandboxs_loop
    async def choose(
        self, title: str, chat: Chat | None = None, *, reply_to: StoredMessage | None = None
    ) -> StoredMessage:
        """Choose the result with this title from the list that is shown in a chat: its message is posted there.

        Raises:
            ControlError: when no such result is shown.
        """
        where = self._chat(chat)
        query = self._queries.get(where.id)
        results = query.answer.results if query and query.answer else ()
        result_id = next((result.id for result in results if result.title == title), None)
        if query is None or result_id is None:
            raise ControlError(f"{self.name} sees no result {title!r}, only {[result.title for result in results]}")
        del self._queries[where.id]
        self._act()
        replied_to = reply_to.message_id if reply_to else None
        return inline_mode.choose(self._world, self._person, where, query.id, result_id, reply_to=replied_to)

    @_in_the_sandboxs_loop
    async def pay(
        self, chat: Chat | None = None, *, link: str | None = None, within: float = PATIENCE_SECONDS
    ) -> StoredMessage:
        """Pay the newest invoice of a chat, or the one of a link, and return the receipt.

        Where the bot offers ways of shipping, this person takes the first.

        Raises:
            ControlError: when there is no invoice, or the bot refuses the payment.
            AssertionError: when the bot does not answer in time.
        """
        where = self._chat(chat)
        found = (one.invoice for one in reversed(self.messages(where)) if one.invoice)
        invoice = payments.invoice_behind(self._world, link) if link else next(found, None)
        if invoice is None:
            raise ControlError(f"{self.name} sees no invoice")
        self._act()
        payment = payments.pay(self._world, self._person, where, invoice)
        await self._until(lambda: payment.receipt or payment.refusal, "the payment is not answered", where, within)
        if payment.receipt is None:
            raise ControlError(f"the bot refused the payment: {payment.refusal}")
        return payment.receipt

    @_in_the_sandboxs_loop
    async def react(self, message: StoredMessage, *emojis: str) -> None:
        """React to a message with these emojis in place of earlier ones; without emojis, take the reaction back.

        Raises:
            ControlError: when this person is not there, or Telegram has no such reaction.
        """
        self._act()
        user_actions.react(self._world, self._person, message, emojis)

    @_in_the_sandboxs_loop
    async def edit(self, message: StoredMessage, text: str) -> StoredMessage:
        """Replace the text or caption of this person's own message.

        Raises:
            ControlError: the message is another person's, or empty after the edit.
        """
        self._act()
        return user_actions.edit_message(self._world, self._person, message, text)

    @_in_the_sandboxs_loop
    async def forward(self, message: StoredMessage, chat: Chat | None = None) -> StoredMessage:
        """Forward a message to a chat, with the name of its author.

        Raises:
            ControlError: when this person cannot write there.
        """
        author = message.forwarded_from or message.sender_id
        content = MessageDraft(
            media=message.media,
            attachment=message.attachment,
            poll=message.poll,
            formatted=FormattedText(message.text or "", message.entities),
            forwarded_from=author,
        )
        return self._send(content, chat, None)

    @_in_the_sandboxs_loop
    async def promote(self, other: "User", chat: Chat, *, admin: bool = True) -> None:
        """Make another person an admin of this person's group, or a plain member again.

        Raises:
            ControlError: this person does not own the group, or the other one is not in it.
        """
        if chat.owner != self.id:
            raise ControlError(f"{self.name} does not own {chat.title}")
        self._act()
        membership.set_admin(self._world, chat, self._world.people[other.id], admin=admin)

    @_in_the_sandboxs_loop
    async def join(self, chat: Chat) -> None:
        """Join a group.

        Raises:
            ControlError: this person is banned from it.
        """
        self._act()
        membership.join(self._world, chat, self._person)

    @_in_the_sandboxs_loop
    async def follow_invite(self, link: str) -> Chat:
        """Follow an invite link of the bot: join its group, or ask to join.

        Raises:
            ControlError: the link has expired, or this person is banned.
        """
        self._act()
        return invitations.follow(self._world, self._person, link)

    @_in_the_sandboxs_loop
    async def leave(self, chat: Chat) -> None:
        """Leave a group."""
        self._act()
        membership.leave(self._world, chat, self._person)

    @_in_the_sandboxs_loop
    async def block_bot(self, *, blocked: bool = True) -> None:
        """Block the bot, or let it in again."""
        self._act()
        membership.set_blocked(self._world, self._person, blocked=blocked)
        self._world.show_people()

    def messages(self, chat: Chat | None = None) -> list[StoredMessage]:
        """Return every message that this person sees in a chat, oldest first."""
        where = self._chat(chat)
        shown = (one for one in list(self._world.messages.values()) if not one.lost)
        return [one for one in shown if one.chat_id == where.id and self._is_shown(one)]

    def _send(self, draft: MessageDraft, chat: Chat | None, reply_to: StoredMessage | None) -> StoredMessage:
        where = self._chat(chat)
        reply_to = reply_to or self._asked_to_answer(where)
        self._act()
        draft = replace(draft, reply_to=reply_to.message_id if reply_to else None)
        return user_actions.send_message(self._world, self._person, where, draft)

    def _asked_to_answer(self, chat: Chat) -> StoredMessage | None:
        """Return the message to which the apps begin an answer by themselves, unless this person has acted since."""
        asked = reply_keyboard.latest(self._world, self._person, chat)
        if asked is None or "force_reply" not in (asked.reply_interface or {}):
            return None
        return asked if any(news is asked for news in self._news(chat)) else None

    def _send_file(
        self,
        kind: MediaKind,
        content: bytes | Path,
        chat: Chat | None,
        reply_to: StoredMessage | None,
        *,
        caption: str = "",
        duration: int = 0,
        name: str | None = None,
        details: Json | None = None,
    ) -> StoredMessage:
        if isinstance(content, Path):
            name, content = name or content.name, content.read_bytes()
        given = {field: value for field, value in (details or {}).items() if value is not None}
        media = user_actions.media_of(self._world, kind, content, name, duration=duration, details=given)
        return self._send(MessageDraft(text=caption, media=media), chat, reply_to)

    def _chat(self, chat: Chat | None) -> Chat:
        return self._world.chats[self.id] if chat is None else chat

    def _is_shown(self, message: StoredMessage) -> bool:
        chat = self._world.chats[message.chat_id]
        return self.id in chat.members and (message.seen_by is None or self.id in (message.seen_by, message.sender_id))

    async def _button(self, label: str, chat: Chat, within: float) -> tuple[StoredMessage, Json]:
        return await self._until(lambda: self._newest(label, chat), f"there is no button {label!r}", chat, within)

    def _newest(self, label: str, chat: Chat) -> tuple[StoredMessage, Json] | None:
        own = reply_keyboard.latest(self._world, self._person, chat)
        for message in reversed(self.messages(chat)):
            rows = (message.reply_markup or {}).get("inline_keyboard", [])
            if message is own:
                rows = reply_keyboard.shown(self._world, self._person, chat)
            for row in rows:
                for button in row:
                    if button["text"] == label:
                        return message, button
        return None

    def _act(self) -> None:
        self._acted_after, self._calls_before = self._world.changes, self._world.calls.total

    def _news(self, chat: Chat) -> Iterator[StoredMessage]:
        """Yield what the bot sent or edited there for this person since they acted, newest first."""
        for number, kind, message in reversed(self._world.shown):
            if number <= self._acted_after:
                return
            if message.chat_id == chat.id and self._is_from_bot(kind, message) and self._is_shown(message):
                yield message

    def _is_from_bot(self, kind: str, message: StoredMessage) -> bool:
        """Return whether the bot sent this message, or has edited one that was posted via it."""
        return message.sender_id == self._world.settings.bot_id or (message.via_bot and kind == "edited")

    async def _until(self, found: Callable[[], T | None], what: str, chat: Chat, within: float) -> T:
        try:
            async with asyncio.timeout(within):
                while (value := found()) is None:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            seen = [_words_of(one) for one in self.messages(chat)][-SHOWN_IN_ERRORS:]
            told = f"{what} for {self.name} within {within} s; the last messages are {seen}{self._bots_trouble()}"
            raise AssertionError(told) from None
        return value

    def _bots_trouble(self) -> str:
        """Return what may have kept the bot from its answer since this person acted."""
        calls = self._world.calls.since(self._calls_before)
        refused = [str(call) for call in calls if not call.ok][-SHOWN_IN_ERRORS:]
        told = f"; the bot was refused {'; '.join(refused)}" if refused else ""
        if ignored := [str(call) for call in calls if call.ignored][-SHOWN_IN_ERRORS:]:
            told += f"; accepted: {'; '.join(ignored)}"
        if waiting := len(self._world.updates):
            told += f"; {waiting} updates wait for the bot, which {STANDS_STILL}"
        return told


class BlockingUser:
    """A person whose acts wait in the calling thread; each method is that of `User`."""

    def __init__(self, user: User, world: World) -> None:
        self.user = user
        self.world = world

    send = _blocking(User.send)
    send_photo = _blocking(User.send_photo)
    send_voice = _blocking(User.send_voice)
    send_document = _blocking(User.send_document)
    send_video = _blocking(User.send_video)
    send_audio = _blocking(User.send_audio)
    send_sticker = _blocking(User.send_sticker)
    send_location = _blocking(User.send_location)
    send_contact = _blocking(User.send_contact)
    send_poll = _blocking(User.send_poll)
    vote = _blocking(User.vote)
    tap = _blocking(User.tap)
    sees = _blocking(User.sees)
    hears_nothing = _blocking(User.hears_nothing)
    type_inline = _blocking(User.type_inline)
    switch_inline = _blocking(User.switch_inline)
    choose = _blocking(User.choose)
    pay = _blocking(User.pay)
    react = _blocking(User.react)
    edit = _blocking(User.edit)
    forward = _blocking(User.forward)
    promote = _blocking(User.promote)
    join = _blocking(User.join)
    follow_invite = _blocking(User.follow_invite)
    leave = _blocking(User.leave)
    block_bot = _blocking(User.block_bot)


def _words_of(message: StoredMessage) -> str:
    """Return the text of a message, or a word for its content."""
    if message.text or message.service_text:
        return message.text or message.service_text or ""
    if message.poll:
        return message.poll.question
    if message.invoice:
        return message.invoice.title
    return message.media.kind if message.media else ", ".join(message.attachment or ())


def _may_be_chosen(chat: Chat, allowed: Json | None) -> bool:
    """Return whether a button lets its query go to a chat, or to any chat if that is None."""
    kind = "channel" if chat.is_channel else "group" if chat.is_group else "bot"
    return allowed is None or bool(allowed.get(f"allow_{kind}_chats"))
