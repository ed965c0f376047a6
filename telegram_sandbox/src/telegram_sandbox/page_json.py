"""The state as JSON for the page: people, chats and messages, with texts and their entities."""

import json
from dataclasses import asdict

from telegram_sandbox import reply_keyboard, telegram_json
from telegram_sandbox.model import Chat, InlineQuery, Json, Person, StoredMessage
from telegram_sandbox.reactions_and_effects import EFFECTS
from telegram_sandbox.store import Store

PICTURES = ("photo", "animation")
"""The media that the page draws above a caption."""
PLAYED = ("video", "video_note", "audio", "sticker")
"""The media that the page plays or shows without a size that it knows."""


def person(one: Person) -> Json:
    """Return a person on the page."""
    return {
        "id": one.id,
        "name": one.name,
        "username": one.username,
        "language_code": one.language_code,
        "blocked_bot": one.blocked_bot,
        "started": one.started,
    }


def people(store: Store) -> list[Json]:
    """Return all people on the page."""
    return [person(one) for one in store.active_people()]


def chat(one: Chat) -> Json:
    """Return a chat with its members."""
    owner = [one.owner] if one.owner is not None else []
    return {
        "id": one.id,
        "type": one.type,
        "title": one.title,
        "is_forum": one.is_forum,
        "topics": [asdict(topic) for topic in one.topics.values()],
        "members": list(one.members),
        "bot_status": one.bot_status,
        "admins": owner + [admin for admin in one.admins if admin != one.owner],
        "owner": one.owner,
        "pinned": list(one.pinned),
    }


def chats(store: Store) -> list[Json]:
    """Return all chats that a person can still write in."""
    return [
        chat(one)
        for one in store.chats.values()
        if one.migrated_to is None and not (one.type == "private" and store.people[one.id].deleted)
    ]


def message(store: Store, one: StoredMessage) -> Json:
    """Return a message as the page draws it."""
    media = one.media
    url = f"/sandbox/files/{media.file.key}" if media else None
    return {
        "key": one.key,
        "chat_id": one.chat_id,
        "message_id": one.message_id,
        "ephemeral_message_id": one.ephemeral_message_id,
        "thread_id": one.thread_id if one.is_topic_message else None,
        "from": _sender(store, one),
        "to": one.seen_by,
        "date": one.date,
        "edit_date": one.edit_date,
        "text": None if media else one.text,
        "entities": one.entities,
        "caption": one.text if media else None,
        "photo": url if media and media.kind in PICTURES else None,
        "photo_size": [media.width, media.height] if media and media.kind in PICTURES else None,
        "voice": {"url": url, "duration": media.duration} if media and media.kind == "voice" else None,
        "document": {"url": url, "name": media.file.name} if media and media.kind == "document" else None,
        "media": {"kind": media.kind, "url": url, **media.details} if media and media.kind in PLAYED else None,
        "attachment": one.attachment,
        "invoice": telegram_json.invoice(one.invoice) if one.invoice else None,
        "game": one.game,
        "poll": telegram_json.poll(one.poll) if one.poll else None,
        "votes": dict(one.poll.votes) if one.poll else {},
        "forwarded_from": _name(store, one.forwarded_from),
        "reply_to": one.reply_to,
        "quote": one.quote and one.quote["text"],
        "reply_markup": one.reply_markup,
        "reply_interface": one.reply_interface and one.reply_interface | {"for": reply_keyboard.meant_for(store, one)},
        "service": one.service_text,
        "silent": one.silent,
        "replaces": one.replaces,
        "reactions": one.reactions + [reaction for of_one in one.reactions_of.values() for reaction in of_one],
        "reactions_of": {person_id: [one["emoji"] for one in of_one] for person_id, of_one in one.reactions_of.items()},
        "via": store.settings.bot_username if one.via_bot else None,
        "effect": EFFECTS.get(one.effect_id or ""),
        "deleted": False,
    }


def inline_mode(store: Store) -> Json:
    """Return whether inline mode is on, and the hint in the text field after the bot's name."""
    return {"enabled": store.inline_mode, "placeholder": store.settings.inline_placeholder}


def command_lists(store: Store) -> list[Json]:
    """Return the lists of commands that the bot has set, each for a scope and a language."""
    return [
        {"scope": json.loads(scope), "language_code": language, "commands": commands}
        for (scope, language), commands in store.commands.items()
    ]


def inline_query(one: InlineQuery) -> Json:
    """Return an inline query with the list of results, as far as the bot has answered."""
    found: Json = {
        "query_id": one.id,
        "user_id": one.user_id,
        "chat_id": one.chat_id,
        "query": one.text,
        "offset": one.offset,
        "answered": one.answer is not None,
    }
    if one.answer is not None:
        found["results"] = [
            {"id": result.id, "title": result.title, "description": result.description} for result in one.answer.results
        ]
        found["next_offset"] = one.answer.next_offset
        found["button"] = one.answer.button
    return found


def _name(store: Store, user_id: int | None) -> str | None:
    if user_id in store.chats and store.chats[user_id].is_channel:
        return store.chats[user_id].title
    found = telegram_json.account(store, user_id) if user_id is not None else None
    return found["first_name"] if found else None


def _sender(store: Store, one: StoredMessage) -> Json:
    if one.anonymous or store.chats[one.chat_id].is_channel:
        return {"id": one.chat_id, "name": store.chats[one.chat_id].title, "is_bot": False}
    sender = telegram_json.account(store, one.sender_id)
    if sender is None:
        return {"id": one.sender_id, "name": "Deleted Account", "is_bot": False}
    return {"id": sender["id"], "name": sender["first_name"], "is_bot": sender["is_bot"]}
