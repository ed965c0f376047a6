"""Bot API methods that forward and copy messages."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.message_text import caption_of
from telegram_sandbox.bot_api.reading import check_identifiers
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import CopyMessage, CopyMessages, ForwardMessage, ForwardMessages
from telegram_sandbox.bot_api.sending import deliver
from telegram_sandbox.errors import bad_request
from telegram_sandbox.media import covered
from telegram_sandbox.model import Json, Poll, StoredMessage
from telegram_sandbox.world import World


@answers(ForwardMessage)
def forward_message(world: World, request: ForwardMessage) -> Json:
    """Forward a message with the name of its author."""
    content = _forwarded(world, _original(world, request.from_chat_id, request.message_id, "forward"))
    return telegram_json.message(world, deliver(world, request, [content])[0])


@answers(ForwardMessages)
def forward_messages(world: World, request: ForwardMessages) -> list[Json]:
    """Forward several messages; those that do not exist or are protected are skipped."""
    return _ids(world, request, [_forwarded(world, one) for one in _originals(world, request, "forward")])


@answers(CopyMessage)
def copy_message(world: World, request: CopyMessage) -> Json:
    """Copy a message as the bot's own, perhaps with another caption."""
    original = _original(world, request.from_chat_id, request.message_id, "copy")
    content = _copied(original)
    if original.media and request.caption is not None:
        words = caption_of(world, request.caption, request.parse_mode, request.caption_entities)
        content.text, content.entities = words.text or None, words.entities
        above = bool(request.show_caption_above_media)
        content.media = covered(original.media, has_spoiler=original.media.has_spoiler, caption_above=above)
    return {"message_id": deliver(world, request, [content])[0].message_id}


@answers(CopyMessages)
def copy_messages(world: World, request: CopyMessages) -> list[Json]:
    """Copy several messages; those that do not exist or are protected are skipped."""
    contents = [_copied(one) for one in _originals(world, request, "copy")]
    for content in contents:
        if request.remove_caption and content.media:
            content.text, content.entities = None, []
    return _ids(world, request, contents)


def _ids(world: World, request: ForwardMessages | CopyMessages, contents: list[StoredMessage]) -> list[Json]:
    return [{"message_id": message.message_id} for message in deliver(world, request, contents)]


def _original(world: World, chat_id: Any, message_id: int, verb: str) -> StoredMessage:
    chat = world.chat_known_to_bot(chat_id)
    message = world.find_message(chat.id, message_id)
    if message is None:
        raise bad_request(f"message to {verb} not found")
    if not _may_leave(message):
        raise bad_request(f"message can't be {'copied' if verb == 'copy' else 'forwarded'}")
    return message


def _originals(world: World, request: ForwardMessages | CopyMessages, verb: str) -> list[StoredMessage]:
    chat = world.chat_known_to_bot(request.from_chat_id)
    check_identifiers(request.message_ids)
    if any(before >= after for before, after in pairwise(request.message_ids)):
        raise bad_request("message identifiers must be in a strictly increasing order")
    found = [world.find_message(chat.id, message_id) for message_id in request.message_ids]
    allowed = [message for message in found if message and _may_leave(message)]
    if not allowed:
        raise bad_request(f"there are no messages to {verb}")
    return allowed


def _may_leave(message: StoredMessage) -> bool:
    return not message.protected and not message.service


def _forwarded(world: World, original: StoredMessage) -> StoredMessage:
    chat = world.chats[original.chat_id]
    content = _copied(original)
    content.forwarded_from, content.forwarded_id = original.forwarded_from, original.forwarded_id
    if content.forwarded_from is None and chat.is_channel:
        content.forwarded_from, content.forwarded_id = chat.id, original.message_id
    elif content.forwarded_from is None:
        content.forwarded_from = original.sender_id
    content.poll = original.poll
    return content


def _copied(original: StoredMessage) -> StoredMessage:
    poll = original.poll and replace(original.poll, id=Poll.new_id(), votes={}, is_closed=False)
    return StoredMessage(
        0,
        0,
        0,
        0,
        text=original.text,
        entities=list(original.entities),
        media=original.media,
        attachment=original.attachment,
        poll=poll,
    )
