"""Sends a message of the bot: checks its rights, the topic, the reply, the receiver and the flood limits."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from telegram_sandbox import telegram_json, user_actions
from telegram_sandbox.bot_api.keyboards import LEADING, inline_keyboard, reply_interface
from telegram_sandbox.bot_api.message_text import LONGEST_CAPTION, formatted_of, link_preview_of
from telegram_sandbox.bot_api.requests import Sending
from telegram_sandbox.errors import bad_request, query_too_old
from telegram_sandbox.model import Chat, Invoice, Json, Media, Poll, StoredMessage
from telegram_sandbox.permissions import SENT_AS
from telegram_sandbox.reactions_and_effects import EFFECTS
from telegram_sandbox.text.entities import FormattedText, utf16_length
from telegram_sandbox.world import World

QUOTED_ENTITIES = ("bold", "italic", "underline", "strikethrough", "spoiler", "custom_emoji", "date_time")
Content = tuple[FormattedText, Media | None]


def send(
    world: World,
    request: Sending,
    words: FormattedText,
    media: Media | None = None,
    *,
    attachment: Json | None = None,
    poll: Poll | None = None,
    invoice: Invoice | None = None,
    game: str | None = None,
) -> Json:
    """Send a message of the bot.

    Raises:
        ApiError: Telegram would refuse it.
    """
    content = StoredMessage(0, 0, 0, 0, words.text or None, words.entities, media)
    content = replace(content, attachment=attachment, poll=poll, invoice=invoice, game=game)
    return telegram_json.message(world, deliver(world, request, [content])[0])


def send_all(world: World, request: Sending, album: Sequence[Content]) -> list[Json]:
    """Send an album; the flood limits count it as one message.

    Raises:
        ApiError: Telegram would refuse it.
    """
    group = str(secrets.randbelow(9 * 10**16) + 10**16) if len(album) > 1 else None
    contents = [
        StoredMessage(0, 0, 0, 0, words.text or None, words.entities, media, media_group_id=group)
        for words, media in album
    ]
    return [telegram_json.message(world, message) for message in deliver(world, request, contents)]


def deliver(world: World, request: Sending, contents: Sequence[StoredMessage]) -> list[StoredMessage]:
    """Post messages of the bot with these contents into the chat of the request.

    Raises:
        ApiError: Telegram would refuse it.
    """
    media = contents[0].media
    chat = world.chat_to_write_in(request.chat_id, SENT_AS[media.kind] if media else request.kind)
    target = _reply_target(world, chat, request)
    quote = _quote(world, request, target)
    thread_id = _thread(chat, request.message_thread_id, target)
    markup, is_private = request.reply_markup, chat.type == "private"
    interface = reply_interface(markup, is_private=is_private)
    if interface and chat.is_channel:
        raise bad_request("inline keyboard expected")
    first = _first_button(contents[0])
    leads = next((kind for kind in LEADING if kind in first), "")
    keyboard = None if interface else inline_keyboard(markup, chat.type, leads=leads)
    if first and keyboard is None:
        keyboard = {"inline_keyboard": [[first]]}
    _check_effect(chat, request.message_effect_id)
    receiver = _receiver(world, chat, request)
    link_preview = link_preview_of(request)
    world.flood_limits.charge(chat)
    sent = []
    for content in contents:
        message = replace(
            content,
            chat_id=chat.id,
            message_id=0 if receiver else world.next_message_id(chat),
            sender_id=world.settings.bot_id,
            date=world.clock.unix(),
            reply_to=target.message_id if target and target.message_id else None,
            quote=quote,
            thread_id=thread_id,
            is_topic_message=chat.is_forum and thread_id is not None,
            reply_markup=keyboard,
            reply_interface=interface,
            silent=bool(request.disable_notification),
            protected=bool(request.protect_content),
            effect_id=request.message_effect_id,
            link_preview_options=link_preview,
            lost=world.loses_messages,
        )
        if receiver:
            chat.last_ephemeral_id += 1
            message.ephemeral_message_id = chat.last_ephemeral_id
            message.seen_by, message.replaces = receiver
        if message.poll:
            user_actions.open_poll(world, message)
        world.add_message(message)
        sent.append(message)
    return sent


def _first_button(content: StoredMessage) -> Json:
    """Return the button of a message without a keyboard; empty for one that needs no button."""
    if content.game:
        return {"text": f"Play {(content.attachment or {})['game']['title']}", "callback_game": {}}
    return {"text": "Pay", "pay": True} if content.invoice else {}


def _check_effect(chat: Chat, effect_id: str | None) -> None:
    if effect_id and chat.type != "private":
        raise bad_request("can't use message effects in the chat")
    if effect_id and effect_id not in EFFECTS:
        raise bad_request("EFFECT_ID_INVALID")


def _reply_target(world: World, chat: Chat, request: Sending) -> StoredMessage | None:
    parameters = request.reply_parameters
    if parameters is None or not (parameters.model_fields_set or parameters.model_extra):
        return _find_target(world, chat, request.reply_to_message_id or None, bool(request.allow_sending_without_reply))
    if parameters.chat_id is not None and parameters.chat_id != chat.id:
        raise bad_request("a reply to another chat is not in this sandbox")
    if parameters.ephemeral_message_id is not None:
        return _ephemeral_target(world, chat, request, parameters.ephemeral_message_id)
    if parameters.message_id is None:
        raise bad_request('can\'t find field "message_id"')
    lenient = bool(parameters.allow_sending_without_reply) and not _receiver_id(request)
    return _find_target(world, chat, parameters.message_id, lenient)


def _quote(world: World, request: Sending, target: StoredMessage | None) -> Json | None:
    """Return the part of the answered message that the bot quotes: the place nearest to the one that it gives."""
    given = request.reply_parameters
    if given is None or not given.quote or target is None:
        return None
    quoted = formatted_of(world, given.quote, given.quote_parse_mode, given.quote_entities)
    wanted, whole = given.quote_position or 0, target.text or ""
    places = [utf16_length(whole[: match.start()]) for match in re.finditer(f"(?={re.escape(quoted.text)})", whole)]
    if not places or utf16_length(quoted.text) > LONGEST_CAPTION:
        raise bad_request("QUOTE_TEXT_INVALID")
    position = min(places, key=lambda place: abs(place - wanted))
    entities = [mark for mark in quoted.entities if mark["type"] in QUOTED_ENTITIES]
    return {"text": quoted.text, "position": position, "is_manual": True} | ({"entities": entities} if entities else {})


def _find_target(world: World, chat: Chat, message_id: int | None, lenient: bool) -> StoredMessage | None:
    if message_id is None:
        return None
    target = world.find_message(chat.id, message_id)
    if target is None and not lenient:
        raise bad_request("message to be replied not found")
    return target


def _ephemeral_target(world: World, chat: Chat, request: Sending, ephemeral_id: int) -> StoredMessage:
    receiver = _receiver_id(request)
    target = world.find_ephemeral(chat.id, receiver or 0, ephemeral_id)
    if target is None or target.sender_id == world.settings.bot_id:
        raise bad_request("message to be replied not found")
    return target


def _thread(chat: Chat, wanted: int | None, target: StoredMessage | None) -> int | None:
    if chat.is_forum:
        thread_id = wanted or (target.thread_id if target else None)
        topic = chat.general if thread_id is None else chat.topics.get(thread_id)
        if topic is None:
            raise bad_request("message thread not found")
        if topic.closed and chat.bot_status != "administrator":
            raise bad_request("TOPIC_CLOSED")
        return thread_id
    if wanted and chat.type == "private":
        raise bad_request("message thread not found")
    if chat.type == "supergroup" and target and target.message_id:
        return target.thread_id or target.message_id
    return None


def _receiver_id(request: Sending) -> int | None:
    parameters = request.ephemeral_message_parameters
    return parameters.receiver_user_id if parameters else request.receiver_user_id


def _receiver(world: World, chat: Chat, request: Sending) -> tuple[int, int | None] | None:
    """Return the one member who sees the message, and the message that it replaces on their screen.

    An admin bot may write to any member at any time; another one only within 15 seconds of that member's tap or
    ephemeral command.
    """
    user_id = _receiver_id(request)
    if user_id is None:
        return None
    if not chat.is_group:
        raise bad_request("PEER_ID_INVALID")
    if user_id not in chat.members:
        raise bad_request("USER_NOT_PARTICIPANT")
    parameters = request.ephemeral_message_parameters
    query_id = parameters.callback_query_id if parameters else request.callback_query_id
    replace = bool(parameters and parameters.replace_callback_query_message)
    if query_id is not None:
        return user_id, _tapped_message(world, chat, user_id, query_id, replace=replace)
    if replace:
        raise query_too_old()
    if not _answers_command(world, chat, user_id, request) and chat.bot_status != "administrator":
        raise bad_request("CHAT_ADMIN_REQUIRED")
    return user_id, None


def _tapped_message(world: World, chat: Chat, user_id: int, query_id: str, *, replace: bool) -> int | None:
    tap = world.taps.get(query_id)
    if tap is None or (tap.user_id, tap.chat_id) != (user_id, chat.id):
        raise query_too_old()
    if world.clock.now() - tap.date >= world.settings.ephemeral_seconds:
        raise query_too_old()
    if replace and tap.from_ephemeral:
        raise bad_request("EPHEMERAL_MESSAGE_REPLACE_INVALID")
    return tap.message_id if replace else None


def _answers_command(world: World, chat: Chat, user_id: int, request: Sending) -> bool:
    parameters: Any = request.reply_parameters
    if parameters is None or parameters.ephemeral_message_id is None:
        return False
    target = world.find_ephemeral(chat.id, user_id, parameters.ephemeral_message_id)
    return target is not None and world.clock.now() - target.date < world.settings.ephemeral_seconds
