"""The acts of people in chats, and the updates that the bot gets of them."""

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from telegram_sandbox import telegram_json
from telegram_sandbox.attachments import is_live
from telegram_sandbox.errors import ApiError, ControlError
from telegram_sandbox.media import as_media, mime_type_of
from telegram_sandbox.membership import check_inside, set_blocked
from telegram_sandbox.model import Chat, Json, Media, MediaKind, Person, Poll, StoredMessage, Tap
from telegram_sandbox.permissions import SENT_AS, permission_to_send
from telegram_sandbox.reactions_and_effects import is_reaction
from telegram_sandbox.text.entities import LONGEST_TEXT, FormattedText, finish, is_blank, utf16_length, utf16_slice
from telegram_sandbox.world import World

REMEMBERED_TAPS = 10_000
BOOST_SECONDS = 30 * 86_400


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """A message that a person is about to send."""

    text: str | None = None
    media: Media | None = None
    reply_to: StoredMessage | None = None
    thread_id: int | None = None
    date: int | None = None
    forwarded_from: int | None = None
    attachment: Json | None = None
    """A location or a contact, in the fields of the Bot API."""
    poll: Poll | None = None
    formatted: FormattedText | None = None
    """A text with its entities, instead of `text`."""
    reply_markup: Json | None = None
    link_preview_options: Json | None = None
    via_bot: bool = False
    quote: str | None = None
    """A part of the answered message."""
    album: str | None = None


def send_message(world: World, person: Person, chat: Chat, writing: MessageDraft) -> StoredMessage:
    """Send a person's message; the bot gets it as far as its privacy mode allows.

    Raises:
        ControlError: when the person could not send this there.
    """
    _check_inside(person, chat)
    chat.end_restrictions(world.clock.now())
    words = _words(writing)
    if chat.is_channel and not chat.permits(person.id, "can_send_messages"):
        raise ControlError(f"only admins post in {chat.title}")
    needed = permission_to_send(_noun(writing))
    if chat.is_group and not chat.permits(person.id, needed):
        raise ControlError(f"{person.name} has no permission {needed} in {chat.title}")
    if chat.type == "private":
        _open_private_chat(world, person, words.text)
    target = writing.reply_to
    if target and (target.chat_id != chat.id or target.key not in world.messages):
        raise ControlError("the message to reply to is gone")
    message = StoredMessage(
        chat_id=chat.id,
        message_id=0,
        quote=None if writing.quote is None else _quoted(target, writing.quote),
        sender_id=person.id,
        date=writing.date if writing.date is not None else world.clock.unix(),
        text=words.text or None,
        entities=words.entities,
        media=writing.media,
        media_group_id=writing.album,
        attachment=writing.attachment,
        poll=writing.poll,
        reply_to=target.message_id if target else None,
        thread_id=_thread(chat, writing.thread_id, target),
        forwarded_from=writing.forwarded_from,
        anonymous=person.id in chat.anonymous,
        reply_markup=writing.reply_markup,
        link_preview_options=writing.link_preview_options,
        via_bot=writing.via_bot,
        inline_message_id=secrets.token_urlsafe(20) if writing.via_bot and writing.reply_markup else None,
    )
    message.is_topic_message = chat.is_forum and message.thread_id is not None
    message.for_bot = _is_for_bot(world, chat, message, target)
    if _is_ephemeral_command(world, chat, message):
        chat.last_ephemeral_id += 1
        message.ephemeral_message_id, message.seen_by = chat.last_ephemeral_id, person.id
    else:
        message.message_id = world.next_message_id(chat)
    world.add_message(message)
    if _is_heard(world, chat, message):
        world.tell_bot("channel_post" if chat.is_channel else "message", telegram_json.message(world, message))
    elif world.guest_mode and not chat.bot_is_inside and chat.is_group and _names_bot(world, message):
        query_id = str(secrets.randbelow(9 * 10**17) + 10**17)
        world.guest_queries[query_id] = message
        world.tell_bot("guest_message", telegram_json.message(world, message) | {"guest_query_id": query_id})
    return message


def _names_bot(world: World, message: StoredMessage) -> bool:
    name, text = f"@{world.settings.bot_username}".lower(), (message.text or "").lower()
    return any(
        mark["type"] == "mention" and utf16_slice(text, mark["offset"], mark["length"]) == name
        for mark in message.entities
    )


def _quoted(target: StoredMessage | None, part: str) -> Json:
    whole = "" if target is None else target.text or ""
    if not part or part not in whole:
        raise ControlError("the message to reply to does not say that")
    return {"text": part, "position": utf16_length(whole[: whole.index(part)]), "is_manual": True}


def send_service(world: World, person: Person, chat: Chat, service: Json, text: str) -> StoredMessage:
    """Send a message of Telegram itself about what a person did, of which the bot hears."""
    _check_inside(person, chat)
    message = world.service_message(chat, person.id, service, text)
    if chat.bot_is_inside:
        world.tell_bot("message", telegram_json.message(world, message))
    return message


def boost(world: World, person: Person, chat: Chat) -> None:
    """Boost a chat for a month.

    Raises:
        ControlError: it cannot be boosted, or this person is not there.
    """
    _check_inside(person, chat)
    if chat.type not in ("supergroup", "channel"):
        raise ControlError("only supergroups and channels are boosted")
    now = world.clock.unix()
    source = {"source": "premium", "user": telegram_json.user(person)}
    found = {
        "boost_id": secrets.token_hex(8),
        "add_date": now,
        "expiration_date": now + BOOST_SECONDS,
        "source": source,
    }
    chat.boosts.setdefault(person.id, []).append(found)
    if chat.bot_status == "administrator":
        world.tell_bot("chat_boost", {"chat": telegram_json.chat(world, chat), "boost": found})
    if chat.is_group:
        send_service(world, person, chat, {"boost_added": {"boost_count": 1}}, f"{person.name} boosted the group")


def start(world: World, *people: Person) -> None:
    """Let people press START in their private chats, if the settings say so."""
    for person in people if world.settings.people_start else ():
        send_message(world, person, world.chats[person.id], MessageDraft("/start"))


def edit_message(world: World, person: Person, message: StoredMessage, text: str) -> StoredMessage:
    """Edit a person's own message.

    Raises:
        ControlError: the message is another person's, or empty after the edit.
    """
    if message.sender_id != person.id or message.service_text:
        raise ControlError("only one's own messages can be edited")
    if message.via_bot:
        raise ControlError("a message sent via the bot can only be edited by the bot")
    chat = world.chats[message.chat_id]
    _check_inside(person, chat)
    words = _words(MessageDraft(text=text, media=message.media))
    message.text, message.entities = words.text or None, words.entities
    message.edit_date = world.clock.unix()
    return _edited(world, chat, message)


def move_location(world: World, person: Person, message: StoredMessage, place: Json, *, ends: bool) -> StoredMessage:
    """Move a person's own live location, or end it there.

    Raises:
        ControlError: the message has none, or it has ended.
    """
    chat = world.chats[message.chat_id]
    _check_inside(person, chat)
    if message.sender_id != person.id or not message.attachment or not is_live(message, world.clock.now()):
        raise ControlError(f"this is no live location of {person.name}, or it has ended")
    message.attachment = {"location": place if ends else message.attachment["location"] | place}
    message.edit_date = world.clock.unix()
    return _edited(world, chat, message)


def _edited(world: World, chat: Chat, message: StoredMessage) -> StoredMessage:
    """Show an edit of a person, and tell the bot."""
    target = world.find_message(chat.id, message.reply_to or 0)
    message.for_bot = _is_for_bot(world, chat, message, target)
    world.show_edit(message, by_bot=False)
    if _is_heard(world, chat, message):
        kind = "edited_channel_post" if chat.is_channel else "edited_message"
        world.tell_bot(kind, telegram_json.message(world, message))
    return message


def tap_button(
    world: World,
    person: Person,
    chat: Chat,
    data: str,
    *,
    message_id: int | None = None,
    ephemeral_message_id: int | None = None,
    forged: bool = False,
) -> Tap:
    """Tap a callback button; a forged tap needs no such button.

    Raises:
        ControlError: when no such button is there for this person, unless the tap is forged.
    """
    if ephemeral_message_id is None:
        message = world.find_message(chat.id, message_id or 0)
    else:
        found = world.find_ephemeral(chat.id, person.id, ephemeral_message_id)
        message = None if found is None or found.lost else found
    if not forged:
        _check_inside(person, chat)
        if message is None:
            raise ControlError("no such message")
        if not has_button(message, data):
            raise ControlError("no such button under this message")
    query = Tap(
        id=str(secrets.randbelow(9 * 10**17) + 10**17),
        user_id=person.id,
        chat_id=chat.id,
        date=world.clock.now(),
        message_id=message_id or 0,
        from_ephemeral=ephemeral_message_id is not None,
        game=data if message and message.game == data else None,
    )
    world.taps[query.id] = query
    if len(world.taps) > REMEMBERED_TAPS:
        world.taps.pop(next(iter(world.taps)))
    body: Json = {
        "id": query.id,
        "from": telegram_json.user(person),
        "chat_instance": telegram_json.chat_instance(chat),
        "game_short_name" if query.game else "data": data,
    }
    inline_message_id = message.inline_message_id if message else None
    if inline_message_id:
        body["inline_message_id"] = inline_message_id
    elif message is not None:
        body["message"] = telegram_json.message(world, message)
    else:
        body["message"] = {"chat": telegram_json.chat(world, chat), "message_id": message_id or 0, "date": 0}
    if chat.bot_is_inside or inline_message_id:
        world.tell_bot("callback_query", body)
    return query


def media_of(
    world: World, kind: MediaKind, content: bytes, name: str | None, *, duration: int = 0, details: Json | None = None
) -> Media:
    """Return a file that a person sends, stored as this kind.

    Raises:
        ControlError: the file is empty, or no image where a photo is sent.
    """
    if not content:
        raise ControlError("the file is empty")
    file = world.keep_file(kind, content, mime_type_of(kind, content, name), name or kind)
    if kind == "voice":
        return Media("voice", file, duration=duration)  # an app records it: it is one, whatever its container
    try:
        return as_media(kind, file, duration=duration, details=details)
    except ApiError as error:
        raise ControlError(f"this file cannot be sent as a {kind}: {error.description}") from error


def react(world: World, person: Person, message: StoredMessage, emojis: Sequence[str]) -> None:
    """Replace a person's reactions to a message; the bot hears of it in a private chat, and where it is an admin.

    Raises:
        ControlError: the person is not there, or Telegram has no such reaction.
    """
    chat = world.chats[message.chat_id]
    _check_inside(person, chat)
    if unknown := [emoji for emoji in emojis if not is_reaction(emoji)]:
        raise ControlError(f"Telegram has no reaction {unknown[0]!r}")
    before = message.reactions_of.pop(person.id, [])
    after: list[Json] = [{"type": "emoji", "emoji": emoji} for emoji in emojis]
    if after:
        message.reactions_of[person.id] = after
    world.show_edit(message, by_bot=False)
    if chat.is_channel:
        _tell_counts(world, chat, message)
    elif not chat.is_group or chat.bot_status == "administrator":
        about = {"chat": telegram_json.chat(world, chat), "message_id": message.message_id}
        reactions = {"date": world.clock.unix(), "old_reaction": before, "new_reaction": after}
        world.tell_bot("message_reaction", {**about, "user": telegram_json.user(person), **reactions})


def _tell_counts(world: World, chat: Chat, message: StoredMessage) -> None:
    """Tell the bot the number of each reaction in a channel, where they have no names."""
    counted = Counter(one["emoji"] for of_one in message.reactions_of.values() for one in of_one)
    reactions = [{"type": {"type": "emoji", "emoji": emoji}, "total_count": n} for emoji, n in counted.items()]
    where: Json = {"chat": telegram_json.chat(world, chat), "message_id": message.message_id}
    if chat.bot_is_inside:
        world.tell_bot("message_reaction_count", where | {"date": world.clock.unix(), "reactions": reactions})


def vote(world: World, person: Person, message: StoredMessage, options: list[int]) -> None:
    """Choose options of a poll, by their places from 0 on; none takes the vote back.

    Raises:
        ControlError: the person cannot vote like that.
    """
    poll = message.poll
    _check_inside(person, world.chats[message.chat_id])
    if poll is None or poll.is_closed:
        raise ControlError("there is no open poll in this message")
    if person.id in poll.votes and not poll.allows_revoting:
        raise ControlError("a vote in this poll is final")
    if len(options) > 1 and not poll.allows_multiple_answers:
        raise ControlError("this poll takes one answer")
    if not all(0 <= option < len(poll.options) for option in options):
        raise ControlError(f"the options are 0 to {len(poll.options) - 1}")
    poll.votes.pop(person.id, None)
    if options:
        poll.votes[person.id] = sorted(set(options))
    show_poll(world, message, by_bot=False)
    if not poll.is_anonymous and message.sender_id == world.settings.bot_id:
        chosen = poll.votes.get(person.id, [])
        answer = {"poll_id": poll.id, "user": telegram_json.user(person), "option_ids": chosen}
        world.tell_bot("poll_answer", {**answer, "option_persistent_ids": [str(option) for option in chosen]})


def show_poll(world: World, message: StoredMessage, *, by_bot: bool = True) -> None:
    """Show the new state of a poll; the bot gets an update about its own polls."""
    world.show_edit(message, by_bot=by_bot)
    if message.poll and message.sender_id == world.settings.bot_id:
        world.tell_bot("poll", telegram_json.poll(message.poll))


SOONEST_CLOSE_SECONDS = 5


def open_poll(world: World, message: StoredMessage) -> None:
    """Let a new poll close by itself, if it has a period or a date for that."""
    poll, now = message.poll, world.clock.unix()
    if poll is None or poll.is_closed or message.forwarded_from is not None:
        return
    if poll.open_period:
        poll.close_date = now + poll.open_period
    elif poll.close_date >= now + SOONEST_CLOSE_SECONDS:
        poll.open_period = poll.close_date - now
    else:
        poll.close_date = 0
        return

    async def close() -> None:
        await world.clock.sleep(poll.open_period)
        if not poll.is_closed:
            poll.is_closed = True
            show_poll(world, message, by_bot=False)

    world.begin(close())


def has_button(message: StoredMessage, data: str) -> bool:
    """Return whether a callback button with this data, or the button of this game, is under the message."""
    rows = (message.reply_markup or {}).get("inline_keyboard", [])
    buttons = [button for row in rows for button in row]
    return any(one.get("callback_data") == data or ("callback_game" in one and message.game == data) for one in buttons)


def _check_inside(person: Person, chat: Chat) -> None:
    if chat.migrated_to is not None:
        raise ControlError(f"{chat.title} lives on as {chat.migrated_to}")
    check_inside(chat, person)


def _noun(writing: MessageDraft) -> str:
    if writing.via_bot:
        return "stickers"
    return SENT_AS[writing.media.kind] if writing.media else "polls" if writing.poll else ""


def _words(writing: MessageDraft) -> FormattedText:
    if writing.formatted is not None:
        return writing.formatted
    words = finish(FormattedText(writing.text or ""))
    if is_blank(words.text) and not writing.media and not writing.attachment and not writing.poll:
        raise ControlError("there is nothing to send")
    if utf16_length(words.text) > LONGEST_TEXT:
        raise ControlError(f"a message has at most {LONGEST_TEXT} characters")
    return words


def _open_private_chat(world: World, person: Person, text: str) -> None:
    if person.blocked_bot:
        if text.split(maxsplit=1)[:1] != ["/start"]:
            raise ControlError(f"{person.name} has blocked the bot; /start lets it in again")
        set_blocked(world, person, blocked=False)
        world.show_people()
    if not person.started:
        person.started = True
        world.show_people()


def _thread(chat: Chat, wanted: int | None, target: StoredMessage | None) -> int | None:
    if chat.is_forum:
        thread_id = wanted or (target.thread_id if target else None)
        topic = chat.topics.get(thread_id) if thread_id else chat.general
        if topic is None:
            raise ControlError("no such topic")
        if topic.closed:
            raise ControlError("the topic is closed")
        return thread_id
    if wanted:
        raise ControlError(f"{chat.title} has no topics")
    if chat.type == "supergroup" and target:
        # Telegram gives replies in any supergroup the thread of the message that began it.
        return target.thread_id or target.message_id
    return None


def _is_for_bot(world: World, chat: Chat, message: StoredMessage, target: StoredMessage | None) -> bool:
    """Return whether privacy mode lets the bot see this message of a group.

    The bot sees commands, replies to it, and messages posted via it. Telegram does not deliver a plain mention of the
    bot.
    """
    if not chat.is_group or message.via_bot:
        return True
    for entity in message.entities:
        words = utf16_slice(message.text or "", entity["offset"], entity["length"]).lower()
        if entity["type"] == "bot_command" and words.partition("@")[2] in ("", world.settings.bot_username.lower()):
            return True
    return target is not None and (target.sender_id == world.settings.bot_id or target.for_bot)


def hidden_by_privacy_mode(world: World, chat: Chat) -> int:
    """Return how many messages people have written in a chat since the bot last did, of which it hears nothing."""
    there = (one for one in reversed(list(world.messages.values())) if one.chat_id == chat.id)
    written = (one for one in there if not one.service_text)
    since = takewhile(lambda one: one.sender_id != world.settings.bot_id, written)
    return sum(chat.bot_is_inside and not _is_heard(world, chat, one) for one in since)


def _is_heard(world: World, chat: Chat, message: StoredMessage) -> bool:
    if not chat.bot_is_inside:
        return False
    return message.for_bot or chat.bot_status == "administrator" or not world.privacy_mode


def _is_ephemeral_command(world: World, chat: Chat, message: StoredMessage) -> bool:
    first = message.entities[0] if message.entities else None
    if not chat.is_group or not message.for_bot or message.media or message.forwarded_from or not first:
        return False
    if message.via_bot or first["type"] != "bot_command" or first["offset"]:
        return False
    name = utf16_slice(message.text or "", 1, first["length"] - 1).partition("@")[0]
    return any(
        command["command"] == name and command.get("is_ephemeral")
        for commands in world.commands.values()
        for command in commands
    )
