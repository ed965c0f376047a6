"""The people of a sandbox: they write, send files, tap buttons, vote, and wait for the bot."""

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field

from telegram_sandbox import (
    attachments,
    inline_mode,
    invitations,
    membership,
    payments,
    reply_buttons,
    reply_keyboard,
    user_actions,
)
from telegram_sandbox.acts import (
    Actor,
    AwaitedActor,
    BlockingActor,
    Name,
    Seconds,
    Text,
    Title,
    Username,
    act,
    of_kind,
    waits,
)
from telegram_sandbox.bot_api.requests import KINDS
from telegram_sandbox.errors import ControlError
from telegram_sandbox.media import ALBUM_KINDS
from telegram_sandbox.model import Chat, InlineAnswer, InlineQuery, Json, MediaKind, Poll, StoredMessage, Tap
from telegram_sandbox.reply_buttons import Given
from telegram_sandbox.text.entities import FormattedText
from telegram_sandbox.user_actions import MessageDraft
from telegram_sandbox.web_apps import open_web_app

PATIENCE_SECONDS = 5.0
SILENCE_SECONDS = 0.5
SHOWN_IN_ERRORS = 5
STANDS_STILL = (
    "has not confirmed them: it is busy, has not started, or runs in an event loop that stands still during a test "
    "without async"
)
T = TypeVar("T")
Date = Annotated[int, Field(ge=0, le=2**32)]
Duration = Annotated[float, Field(ge=0, le=86_400)]
Latitude = Annotated[float, Field(ge=-90, le=90)]
Longitude = Annotated[float, Field(ge=-180, le=180)]
LivePeriod = Annotated[int, Field(ge=60, le=2**31 - 1)]


class PersonActs(Actor):
    """The acts of people, each declared once.

    `chat` is by default the private chat with the bot. An act that Telegram's apps do not offer this person there is a
    ControlError; a wait that is in vain is an AssertionError, which lists the messages that this person sees and the
    calls of the bot that were refused since they acted.
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """The person's first name."""
        return self.person.name

    @act("POST /messages")
    def send(
        self,
        text: Text,
        chat: Chat | None = None,
        *,
        reply_to: StoredMessage | None = None,
        thread_id: int | None = None,
        date: Date | None = None,
        forwarded_from: "User | None" = None,
        quote: Text | None = None,
    ) -> StoredMessage:
        """Write a message.

        `thread_id` is a topic, `forwarded_from` the person who wrote it elsewhere, `quote` a part of the answered one.
        """
        author = forwarded_from.id if forwarded_from else None
        draft = MessageDraft(text=text, thread_id=thread_id, date=date, forwarded_from=author, quote=quote)
        return self._send(draft, chat, reply_to)

    def _send_file(
        self,
        kind: MediaKind,
        /,
        content: bytes | Path,
        chat: Chat | None = None,
        *,
        caption: Text = "",
        duration: Duration = 1,
        name: str | None = None,
        title: str | None = None,
        performer: str | None = None,
        emoji: str | None = None,
        reply_to: StoredMessage | None = None,
        thread_id: int | None = None,
        album: Name | None = None,
    ) -> StoredMessage:
        """Send a file.

        A photo is PNG, JPEG, GIF or WEBP; a voice note is Ogg with Opus, as Telegram's apps record it, or MP3 or M4A; a
        sticker is WEBP, PNG, TGS or WEBM, and has an emoji. An audio file has a title and a performer. Files with the
        same `album`, their `media_group_id`, are one album.
        """
        if isinstance(content, Path):
            name, content = name or content.name, content.read_bytes()
        given = {"title": title, "performer": performer, "emoji": emoji}
        details = {field: value for field, value in given.items() if value is not None}
        if album is not None and kind not in ALBUM_KINDS:
            raise ControlError(f"an album has {', '.join(ALBUM_KINDS)}")
        media = user_actions.media_of(self.world, kind, content, name, duration=round(duration), details=details)
        draft = MessageDraft(text=caption, media=media, thread_id=thread_id, album=album)
        return self._send(draft, chat, reply_to)

    send_file = act("POST /media")(_send_file)
    send_photo = of_kind("photo", _send_file)
    send_voice = of_kind("voice", _send_file)
    send_document = of_kind("document", _send_file)
    send_video = of_kind("video", _send_file)
    send_video_note = of_kind("video_note", _send_file)
    send_animation = of_kind("animation", _send_file)
    send_audio = of_kind("audio", _send_file)
    send_sticker = of_kind("sticker", _send_file)

    @act("POST /locations")
    def send_location(
        self,
        latitude: Latitude,
        longitude: Longitude,
        chat: Chat | None = None,
        *,
        live_period: LivePeriod | None = None,
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a point on the map, in degrees, or one that moves for `live_period` seconds."""
        location: Json = {"latitude": latitude, "longitude": longitude}
        if live_period is not None:
            location["live_period"] = live_period
        return self._send(MessageDraft(attachment={"location": location}), chat, reply_to)

    @act("PATCH /locations")
    def move_location(
        self, message: StoredMessage, latitude: Latitude, longitude: Longitude, *, ends: bool = False
    ) -> StoredMessage:
        """Move this person's live location, or end it there."""
        place = {"latitude": latitude, "longitude": longitude}
        return user_actions.move_location(self.world, self.person, message, place, ends=ends)

    @act("POST /venues")
    def send_venue(
        self,
        latitude: Latitude,
        longitude: Longitude,
        title: Title,
        address: Title,
        chat: Chat | None = None,
        *,
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a place with a name and an address."""
        venue = attachments.venue(latitude, longitude, title, address)
        return self._send(MessageDraft(attachment=venue), chat, reply_to)

    @act("POST /dice")
    def send_dice(
        self, emoji: Name = "🎲", chat: Chat | None = None, *, reply_to: StoredMessage | None = None
    ) -> StoredMessage:
        """Send an emoji with a random value: 🎲, 🎯, 🎳, 🏀, ⚽ or 🎰."""
        if emoji not in attachments.DICE:
            raise ControlError(f"Telegram animates these with a value: {' '.join(attachments.DICE)}")
        return self._send(MessageDraft(attachment=attachments.dice(emoji)), chat, reply_to)

    @act("POST /contacts")
    def send_contact(
        self,
        phone_number: Name,
        first_name: Name | None = None,
        chat: Chat | None = None,
        *,
        reply_to: StoredMessage | None = None,
    ) -> StoredMessage:
        """Send a contact; without a first name it is this person's own, with their user id."""
        contact: Json = {"phone_number": phone_number, "first_name": first_name or self.name}
        if first_name is None:
            contact["user_id"] = self.id
        return self._send(MessageDraft(attachment={"contact": contact}), chat, reply_to)

    @act("POST /polls")
    def send_poll(self, question: Title, *options: Name, chat: Chat | None = None) -> StoredMessage:
        """Send an anonymous poll."""
        return self._send(MessageDraft(poll=Poll(Poll.new_id(), question, options)), chat, None)

    @act("POST /forwards")
    def forward(self, message: StoredMessage, to: Chat | None = None) -> StoredMessage:
        """Forward a message to a chat, with the name of its author."""
        content = MessageDraft(
            media=message.media,
            attachment=message.attachment,
            poll=message.poll,
            formatted=FormattedText(message.text or "", message.entities),
            forwarded_from=message.forwarded_from or message.sender_id,
        )
        return self._send(content, to, None)

    @act("PATCH /messages")
    def edit(self, message: StoredMessage, text: Text) -> StoredMessage:
        """Replace the text or caption of this person's own message."""
        return user_actions.edit_message(self.world, self.person, message, text)

    @act("POST /votes")
    def vote(self, *options: str, chat: Chat | None = None, message: StoredMessage | None = None) -> StoredMessage:
        """Vote for these options in a poll, by default the newest of a chat; without options, take the vote back."""
        message = message or next((one for one in reversed(self.messages(chat)) if one.poll), None)
        if message is None or message.poll is None:
            raise ControlError(f"{self.name} sees no poll")
        if unknown := [option for option in options if option not in message.poll.options]:
            raise ControlError(f"the poll has no option {unknown[0]!r}, only {list(message.poll.options)}")
        chosen = [message.poll.options.index(option) for option in options]
        user_actions.vote(self.world, self.person, message, chosen)
        return message

    @act("POST /reactions")
    def react(self, message: StoredMessage, *emojis: str) -> StoredMessage:
        """React to a message with these emojis in place of earlier ones; without emojis, take the reaction back."""
        user_actions.react(self.world, self.person, message, emojis)
        return message

    @act("POST /boosts")
    def boost(self, chat: Chat) -> None:
        """Boost a supergroup or a channel for a month; a bot that is an admin there hears of it."""
        user_actions.boost(self.world, self.person, chat)

    @act("POST /taps")
    def tap_button(
        self,
        data: Text,
        chat: Chat | None = None,
        *,
        message_id: int | None = None,
        ephemeral_message_id: int | None = None,
        forged: bool = False,
    ) -> Tap:
        """Tap a button by its data (a game's short name), and do not wait; a forged tap needs no button or message."""
        where, ephemeral = self._chat(chat), ephemeral_message_id
        return user_actions.tap_button(
            self.world, self.person, where, data, message_id=message_id, ephemeral_message_id=ephemeral, forged=forged
        )

    @act("POST /keys")
    def press_key(self, text: Text, chat: Chat | None = None, *, gives: Given | None = None) -> StoredMessage:
        """Press a button of a reply keyboard, which sends its text or what it asks for."""
        return reply_buttons.press(self.world, self.person, self._chat(chat), text, gives or Given())

    @waits("POST /tap")
    async def tap(
        self,
        label: str,
        chat: Chat | None = None,
        *,
        gives: Given | None = None,
        waits: bool = True,
        within: Seconds = PATIENCE_SECONDS,
    ) -> Tap:
        """Wait for a button with this label, tap the newest, wait for the bot's answer (`text`, `show_alert`, `url`).

        A button that is a link gives its `url`, and the bot does not hear of the tap. A button of a reply keyboard
        sends its text, a contact, a location, or what `gives` has, as `sent`. `waits=False` is for a bot that never
        answers taps.
        """
        where = self._open(chat)
        message, button = await self._button(label, where, within)
        self.mark()
        if message.reply_interface:
            sent = reply_buttons.press(self.world, self.person, where, label, gives or Given())
            return Tap("", self.id, where.id, self.world.clock.now(), answered=True, sent=sent)
        if "url" in button:
            return Tap("", self.id, where.id, self.world.clock.now(), answered=True, url=button["url"])
        if "pay" in button:
            raise ControlError(f"the button {label!r} opens the checkout: use {self.name}'s pay")
        data = message.game if "callback_game" in button else button.get("callback_data")
        if data is None:
            kind = next(kind for kind in KINDS if kind in button)
            raise ControlError(f"the button {label!r} has {kind}, and the bot does not hear of its taps")
        tap = user_actions.tap_button(
            self.world,
            self.person,
            where,
            str(data),
            message_id=message.message_id,
            ephemeral_message_id=message.ephemeral_message_id,
        )
        if not waits:
            return tap
        return await self._until(lambda: tap if tap.answered else None, f"{label!r} is not answered", where, within)

    @waits("POST /sees")
    async def sees(
        self, words: str | re.Pattern[str], chat: Chat | None = None, *, within: Seconds = PATIENCE_SECONDS
    ) -> StoredMessage:
        """Wait for a message of the bot whose text, caption or question contains these words.

        A compiled regular expression (`re.compile`) may match anywhere. Only messages that the bot sent or edited since
        this person last acted, or since a test last moved time, count.
        """
        where = self._open(chat)
        pattern = re.compile(re.escape(words)) if isinstance(words, str) else words

        def newest() -> StoredMessage | None:
            return next((one for _, one in self._heard(where) if pattern.search(_words_of(one))), None)

        shown = words if isinstance(words, str) else pattern.pattern
        found = await self._until(newest, f"there is no {shown!r}", where, within)
        self.world.last_acts[self.id].seen[found.key] = self.world.changes
        return found

    @waits("POST /hears_nothing")
    async def hears_nothing(self, chat: Chat | None = None, *, within: Seconds = SILENCE_SECONDS) -> None:
        """Wait, and make sure that there is no message that `sees` would find and has not found yet."""
        where = self._chat(chat)
        await asyncio.sleep(within)
        seen = self.world.last_acts[self.id].seen
        if heard := [_words_of(one) for number, one in self._heard(where) if number > seen.get(one.key, 0)]:
            raise AssertionError(f"{self.name} was to hear nothing, and heard {heard[0]!r}")

    @act("POST /inline/queries")
    def ask_inline(self, query: Text = "", chat: Chat | None = None, *, offset: Text = "") -> InlineQuery:
        """Type the bot's name and this text in a chat's text field; a cached answer is shown immediately."""
        return self._ask(query, self._chat(chat), offset)

    @act("POST /inline/choices")
    def choose_result(
        self,
        query_id: Text,
        result_id: Text,
        chat: Chat | None = None,
        *,
        reply_to: StoredMessage | None = None,
        thread_id: int | None = None,
    ) -> StoredMessage:
        """Choose a result by its id and post its message, here or in another chat."""
        where = self._chat(chat)
        return inline_mode.choose(
            self.world, self.person, where, query_id, result_id, reply_to=reply_to, thread_id=thread_id
        )

    @waits("POST /type_inline")
    async def type_inline(
        self, text: Text, chat: Chat | None = None, *, offset: Text = "", within: Seconds = PATIENCE_SECONDS
    ) -> InlineAnswer:
        """Type the bot's name and this text in a chat's text field, and wait for the list of results."""
        return await self._type(text, self._chat(chat), within, offset)

    @waits("POST /switch_inline")
    async def switch_inline(
        self, label: str, chat: Chat | None = None, *, into: Chat | None = None, within: Seconds = PATIENCE_SECONDS
    ) -> InlineAnswer:
        """Tap the newest button with this label, which fills the text field, and wait for the list of results.

        `into` is the chat that this person chooses where the button asks for one.
        """
        where = self._open(chat)
        _, button = await self._button(label, where, within)
        if "switch_inline_query_current_chat" in button:
            return await self._type(button["switch_inline_query_current_chat"], where, within)
        chosen = button.get("switch_inline_query_chosen_chat")
        text = button.get("switch_inline_query") if chosen is None else chosen.get("query", "")
        if text is None:
            raise ControlError(f"the button {label!r} does not fill the text field")
        if into is None or not _may_be_chosen(into, chosen):
            raise ControlError(f"the button {label!r} asks for another chat")
        return await self._type(text, into, within)

    @act("POST /choose")
    def choose(self, title: str, chat: Chat | None = None, *, reply_to: StoredMessage | None = None) -> StoredMessage:
        """Choose the result with this title from the list that is shown in a chat: its message is posted there."""
        where = self._chat(chat)
        queries = self.world.last_acts[self.id].queries
        query = queries.get(where.id)
        results = query.answer.results if query and query.answer else ()
        result_id = next((result.id for result in results if result.title == title), None)
        if query is None or result_id is None:
            raise ControlError(f"{self.name} sees no result {title!r}, only {[result.title for result in results]}")
        del queries[where.id]
        return inline_mode.choose(self.world, self.person, where, query.id, result_id, reply_to=reply_to)

    @waits("POST /payments")
    async def pay(
        self,
        chat: Chat | None = None,
        *,
        message: StoredMessage | None = None,
        link: Text | None = None,
        within: Seconds = PATIENCE_SECONDS,
    ) -> StoredMessage:
        """Pay an invoice, by default the newest of a chat, or the one of a link, and wait for the receipt.

        Where the bot offers ways of shipping, this person takes the first.
        """
        where = self._chat(chat)
        found = (one.invoice for one in reversed([message] if message else self.messages(where)) if one.invoice)
        invoice = payments.invoice_behind(self.world, link) if link else next(found, None)
        if invoice is None:
            raise ControlError(f"{self.name} sees no invoice")
        self.mark()
        payment = payments.pay(self.world, self.person, where, invoice)
        await self._until(lambda: payment.receipt or payment.refusal, "the payment is not answered", where, within)
        if payment.receipt is None:
            raise ControlError(f"the bot refused the payment: {payment.refusal}")
        return payment.receipt

    @act("POST /web_apps")
    def open_web_app(self, url: Text | None = None, chat: Chat | None = None, *, start_param: Text = "") -> str:
        """Open a Mini App, a button's or without `url` the main one: its address has signed initData."""
        return open_web_app(self.world, self.person, self._chat(chat), url, start_param)

    @act("POST /chats/{chat_id}/members", who="user_id")
    def join(self, chat: Chat) -> Chat:
        """Join a group."""
        membership.join(self.world, chat, self.person)
        return chat

    @act("DELETE /chats/{chat_id}/members/{user_id}", who="user_id")
    def leave(self, chat: Chat) -> Chat:
        """Leave a group."""
        membership.leave(self.world, chat, self.person)
        return chat

    @act("POST /invitations")
    def follow_invite(self, link: Text) -> Chat:
        """Follow an invite link of the bot: join its group, or ask to join."""
        return invitations.follow(self.world, self.person, link)

    @act("PATCH /people/{user_id}", who="user_id")
    def change(
        self,
        *,
        name: Name | None = None,
        username: Username | None = None,
        language_code: Annotated[str, Field(pattern=r"^[a-zA-Z-]{0,12}$")] | None = None,
        blocked_bot: bool | None = None,
    ) -> "Actor":
        """Change the name, the username or the language; block the bot, or let it in again."""
        person = self.person
        if name is not None:
            person.name = name
            self.world.chats[person.id].title = name
        if username is not None:
            person.username = username or None
        if language_code is not None:
            person.language_code = language_code
        if blocked_bot is not None:
            membership.set_blocked(self.world, person, blocked=blocked_bot)
        self.world.show_people()
        self.world.show_chats()
        return self

    @act("DELETE /people/{user_id}", who="user_id")
    def delete_account(self) -> None:
        """Leave every group, and Telegram."""
        membership.delete_account(self.world, self.person)

    def messages(self, chat: Chat | None = None) -> list[StoredMessage]:
        """Return every message that this person sees in a chat, oldest first."""
        where = self._chat(chat)
        shown = (one for one in list(self.world.messages.values()) if not one.lost)
        return [one for one in shown if one.chat_id == where.id and self._is_shown(one)]

    def _send(self, draft: MessageDraft, chat: Chat | None, reply_to: StoredMessage | None) -> StoredMessage:
        where = self._chat(chat)
        draft = replace(draft, reply_to=reply_to or self._asked_to_answer(where))
        return user_actions.send_message(self.world, self.person, where, draft)

    def _asked_to_answer(self, chat: Chat) -> StoredMessage | None:
        """Return the message to which the apps begin an answer by themselves, unless this person has acted since."""
        asked = reply_keyboard.latest(self.world, self.person, chat)
        if asked is None or "force_reply" not in (asked.reply_interface or {}):
            return None
        since = self.world.last_acts[self.id].changes
        return asked if any(news is asked for _, news in self._news(chat, since)) else None

    def _chat(self, chat: Chat | None) -> Chat:
        return self.world.chats[self.id] if chat is None else chat

    def _open(self, chat: Chat | None) -> Chat:
        """Return a chat where this person waits for the bot, which may still have to let them in."""
        where = self._chat(chat)
        if self.id not in where.join_requests:
            membership.check_inside(where, self.person)
        return where

    def _is_shown(self, message: StoredMessage) -> bool:
        chat = self.world.chats[message.chat_id]
        return self.id in chat.members and (message.seen_by is None or self.id in (message.seen_by, message.sender_id))

    def _ask(self, text: str, chat: Chat, offset: str) -> InlineQuery:
        query = inline_mode.ask(self.world, self.person, chat, text, offset)
        self.world.last_acts[self.id].queries[chat.id] = query
        return query

    async def _type(self, text: str, chat: Chat, within: float, offset: str = "") -> InlineAnswer:
        query = self._ask(text, chat, offset)
        return await self._until(lambda: query.answer, f"the query {text!r} is not answered", chat, within)

    async def _button(self, label: str, chat: Chat, within: float) -> tuple[StoredMessage, Json]:
        def newest() -> tuple[StoredMessage, Json] | None:
            return next((found for found in self._buttons(chat) if found[1]["text"] == label), None)

        try:
            return await self._until(newest, f"there is no button {label!r}", chat, within)
        except AssertionError as error:
            shown = [button["text"] for _, button in self._buttons(chat)]
            raise AssertionError(f"{error}; the buttons are {shown}") from None

    def _buttons(self, chat: Chat) -> Iterator[tuple[StoredMessage, Json]]:
        """Yield the buttons that this person sees in a chat, those of the newest message first."""
        own = reply_keyboard.latest(self.world, self.person, chat)
        for message in reversed(self.messages(chat)):
            rows = (message.reply_markup or {}).get("inline_keyboard", [])
            if message is own:
                rows = reply_keyboard.shown(self.world, self.person, chat)
            for row in rows:
                for button in row:
                    yield message, button

    def _heard(self, chat: Chat) -> Iterator[tuple[int, StoredMessage]]:
        """Yield what the bot sent or edited there for this person since they acted or time was moved."""
        return self._news(chat, max(self.world.last_acts[self.id].changes, self.world.changes_before_moved_time))

    def _news(self, chat: Chat, since: int) -> Iterator[tuple[int, StoredMessage]]:
        """Yield what the bot sent or edited there for this person, newest first, each with its number of changes."""
        for number, message in reversed(self.world.bots_news):
            if number <= since:
                return
            if message.chat_id == chat.id and self._is_shown(message):
                yield number, message

    async def _until(self, found: Callable[[], T | None], what: str, chat: Chat, within: float) -> T:
        changed = asyncio.Event()
        self.world.observers.append(changed.set)
        try:
            async with asyncio.timeout(within):
                while (value := found()) is None:
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            seen = [_words_of(one) for one in self.messages(chat)][-SHOWN_IN_ERRORS:]
            told = f"{what} for {self.name} within {within} s; the last messages are {seen}{self._bots_trouble(chat)}"
            raise AssertionError(told) from None
        finally:
            self.world.observers.remove(changed.set)
        return value

    def _bots_trouble(self, chat: Chat) -> str:
        """Return what may have kept the bot from its answer since this person acted."""
        calls = self.world.calls.since(self.world.last_acts[self.id].calls)
        refused = [str(call) for call in calls if not call.ok][-SHOWN_IN_ERRORS:]
        told = f"; the bot was refused {'; '.join(refused)}" if refused else ""
        if ignored := [str(call) for call in calls if call.ignored][-SHOWN_IN_ERRORS:]:
            told += f"; accepted: {'; '.join(ignored)}"
        if hidden := user_actions.hidden_by_privacy_mode(self.world, chat):
            told += f"; {hidden} update{'s were' if hidden > 1 else ' was'} not for the bot (privacy mode)"
        if waiting := len(self.world.updates):
            told += f"; {waiting} update{'s wait' if waiting > 1 else ' waits'} for the bot, which {STANDS_STILL}"
        return told


class BlockingUser(PersonActs, BlockingActor):
    """A person for tests without `async`, with a sandbox that runs in another thread."""

    __slots__ = ()


class User(PersonActs, AwaitedActor):
    """A person for tests with `async`."""

    __slots__ = ()

    @property
    def blocking(self) -> BlockingUser:
        """The same person for tests without `async`, with a sandbox that runs in another thread."""
        return BlockingUser(self.world, self.id)


def _words_of(message: StoredMessage) -> str:
    """Return the text of a message, or a word for its content."""
    if message.text or message.service_text:
        return message.text or message.service_text or ""
    if message.poll:
        return message.poll.question
    if message.invoice:
        return message.invoice.title
    if message.game:
        return str((message.attachment or {})["game"]["title"])
    return message.media.kind if message.media else ", ".join(message.attachment or ())


def _may_be_chosen(into: Chat, allowed: Json | None) -> bool:
    """Return whether a button lets its query go to a chat, or to any chat if that is None."""
    kind = "channel" if into.is_channel else "group" if into.is_group else "bot"
    return allowed is None or bool(allowed.get(f"allow_{kind}_chats"))
