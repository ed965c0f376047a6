"""The state as Telegram's JSON: users, chats, members, messages."""

from telegram_sandbox.attachments import shown
from telegram_sandbox.file_types import scaled, size_of
from telegram_sandbox.model import Chat, InviteLink, Invoice, Json, Media, Person, Poll, StoredFile, StoredMessage
from telegram_sandbox.permissions import PERMISSIONS
from telegram_sandbox.store import Store

LARGEST_PHOTO_SIDE = 1280
GIFTS = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
GROUP_ANONYMOUS_BOT: Json = {
    "id": 1_087_968_824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}


def user(person: Person) -> Json:
    """Return a person as Telegram's User."""
    found: Json = {"id": person.id, "is_bot": False, "first_name": person.name}
    if person.username:
        found["username"] = person.username
    if person.language_code:
        found["language_code"] = person.language_code
    return found


def bot_user(store: Store) -> Json:
    """Return the bot as Telegram's User."""
    settings = store.settings
    return {
        "id": settings.bot_id,
        "is_bot": True,
        "first_name": settings.bot_name,
        "username": settings.bot_username,
    }


def account(store: Store, user_id: int) -> Json | None:
    """Return a person or the bot as Telegram's User, None for an unknown id."""
    if user_id == store.settings.bot_id:
        return bot_user(store)
    person = store.people.get(user_id)
    return user(person) if person else None


def bot_self(store: Store) -> Json:
    """Return the result of getMe."""
    return {
        **bot_user(store),
        "can_join_groups": True,
        "can_read_all_group_messages": not store.privacy_mode,
        "supports_guest_queries": store.guest_mode,
        "supports_inline_queries": store.inline_mode,
        "can_connect_to_business": False,
        "has_main_web_app": store.settings.main_web_app is not None,
        "has_topics_enabled": False,
        "allows_users_to_create_topics": False,
        "can_manage_bots": False,
    }


def chat(store: Store, one: Chat) -> Json:
    """Return a chat as Telegram's Chat."""
    if one.type == "private":
        person = store.people[one.id]
        found: Json = {"id": one.id, "type": "private", "first_name": person.name}
        if person.username:
            found["username"] = person.username
        return found
    found = {"id": one.id, "type": one.type, "title": one.title}
    if one.username:
        found["username"] = one.username
    if one.is_forum:
        found["is_forum"] = True
    if one.type == "group":
        is_open = all(allowed for name, allowed in one.permissions.items() if name != "can_manage_topics")
        found |= {"all_members_are_administrators": is_open, "accepted_gift_types": dict.fromkeys(GIFTS, False)}
    return found


def chat_instance(one: Chat) -> str:
    """Return the id of a chat in taps and Mini Apps: the same for every person, and not the chat's id."""
    return str(abs(one.id) * 7919)


def member(store: Store, one: Chat, user_id: int) -> Json:
    """Return the membership of a person or the bot as Telegram's ChatMember."""
    who = account(store, user_id)
    if user_id == store.settings.bot_id:
        return {"user": who} | _standing_of_bot(one)
    if user_id in one.banned:
        return {"user": who, "status": "kicked", "until_date": one.banned[user_id]}
    tag = {"tag": one.tags[user_id]} if user_id in one.tags else {}
    restriction = one.restrictions.get(user_id)
    if restriction:
        found = {"is_member": user_id in one.members, "until_date": restriction.until}
        return {"user": who, "status": "restricted", **found, **restriction.permissions, **tag}
    if user_id not in one.members:
        return {"user": who, "status": "left"}
    title = {"custom_title": one.custom_titles[user_id]} if user_id in one.custom_titles else {}
    hidden = {"is_anonymous": user_id in one.anonymous}
    if user_id == one.owner:
        return {"user": who, "status": "creator", **hidden, **title}
    if user_id in one.admins:
        edited = {"can_be_edited": user_id in one.promoted_by_bot}
        return {"user": who, "status": "administrator", **edited, **hidden, **one.admins[user_id], **title}
    return {"user": who, "status": "member", **tag}


def _standing_of_bot(one: Chat) -> Json:
    if one.bot_status == "administrator":
        return {"status": "administrator", "can_be_edited": False, "is_anonymous": False, **one.bot_rights}
    if one.bot_status == "kicked":
        return {"status": "kicked", "until_date": 0}
    if one.bot_status == "restricted":
        return {"status": "restricted", "is_member": True, "until_date": 0, **dict.fromkeys(PERMISSIONS, False)}
    return {"status": one.bot_status}


def invite_link(store: Store, one: Chat, link: InviteLink) -> Json:
    """Return an invite link of the bot as Telegram's ChatInviteLink."""
    found: Json = {
        "invite_link": link.url,
        "creator": bot_user(store),
        "creates_join_request": link.creates_join_request,
        "is_primary": link.is_primary,
        "is_revoked": link.is_revoked,
    }
    waiting = sum(asked.link is link for asked in one.join_requests.values())
    more = {
        "name": link.name,
        "expire_date": link.expires,
        "member_limit": link.member_limit,
        "pending_join_request_count": waiting,
    }
    return found | {name: value for name, value in more.items() if value}


def message(store: Store, one: StoredMessage, *, with_reply: bool = True) -> Json:
    """Return a message as Telegram's Message; a quoted message is without its own quoted message."""
    where = store.chats[one.chat_id]
    found: Json = {
        "message_id": one.message_id,
        "from": GROUP_ANONYMOUS_BOT if one.anonymous else account(store, one.sender_id),
        "chat": chat(store, where),
        "date": one.date,
        **(one.service or {}),
    }
    if where.is_channel:
        del found["from"]
    if one.anonymous or where.is_channel:
        found["sender_chat"] = chat(store, where)
    if one.via_bot:
        found["via_bot"] = bot_user(store)
    if one.guest_of is not None:
        found["guest_bot_caller_user"] = account(store, one.guest_of)
    if one.forwarded_from is not None:
        found["forward_origin"] = _origin(store, one, one.forwarded_from)
    if one.thread_id is not None:
        found["message_thread_id"] = one.thread_id
    if one.is_topic_message:
        found["is_topic_message"] = True
    if one.ephemeral_message_id is not None:
        found["ephemeral_message_id"] = one.ephemeral_message_id
        receiver = one.seen_by if one.sender_id == store.settings.bot_id else store.settings.bot_id
        found["receiver_user"] = account(store, receiver or 0)
    if with_reply:
        found |= _reply(store, one)
    return found | _content(store, one) | _marks(one)


def _origin(store: Store, one: StoredMessage, author: int) -> Json:
    if author in store.chats and store.chats[author].is_channel:
        posted = {"chat": chat(store, store.chats[author]), "message_id": one.forwarded_id}
        return {"type": "channel", **posted, "date": one.date}
    return {"type": "user", "sender_user": account(store, author), "date": one.date}


def _reply(store: Store, one: StoredMessage) -> Json:
    target = store.find_message(one.chat_id, one.reply_to or 0)
    if target is None and one.is_topic_message and one.thread_id and one.thread_id != one.message_id:
        # Telegram shows every message of a topic as a reply to the message that opened it.
        target = store.find_message(one.chat_id, one.thread_id)
    quote = {"quote": one.quote} if one.quote else {}
    return {"reply_to_message": message(store, target, with_reply=False)} | quote if target else {}


def _content(store: Store, one: StoredMessage) -> Json:
    words, marks = ("caption", "caption_entities") if one.media else ("text", "entities")
    found: Json = (media(one.media) if one.media else {}) | shown(one, store.clock.now())
    if one.poll:
        found["poll"] = poll(one.poll)
    if one.invoice:
        found["invoice"] = invoice(one.invoice)
    if one.media and one.media.has_spoiler:
        found["has_media_spoiler"] = True
    if one.text and "rich_message" not in found:
        found[words] = one.text
        found |= {"show_caption_above_media": True} if one.media and one.media.caption_above else {}
        found |= {marks: one.entities} if one.entities else {}
    return found


def _marks(one: StoredMessage) -> Json:
    found = {
        "edit_date": one.edit_date,
        "reply_markup": one.reply_markup,
        "has_protected_content": one.protected,
        "effect_id": one.effect_id,
        "link_preview_options": one.link_preview_options,
        "media_group_id": one.media_group_id,
    }
    return {name: value for name, value in found.items() if value}


def media(one: Media) -> Json:
    """Return a message's file, in the field that Telegram has for its kind."""
    if one.kind == "photo":
        return {"photo": [_photo_size(file) for file in (*one.file.smaller, one.file)]}
    file = file_names(one.file)
    if one.kind == "animation":
        named = {**file, "file_name": one.file.name, "mime_type": one.file.mime_type}
        return {"animation": {**named, "width": one.width, "height": one.height, "duration": 0}, "document": named}
    if one.kind == "voice":
        return {"voice": {**file, "duration": one.duration, "mime_type": one.file.mime_type}}
    if one.kind == "video_note":
        return {"video_note": {**file, "length": one.width, "duration": one.duration}}
    if one.kind == "sticker":
        kind = {
            "is_animated": one.file.mime_type == "application/gzip",
            "is_video": one.file.mime_type.endswith("webm"),
        }
        return {"sticker": {**file, "type": "regular", "width": one.width, "height": one.height, **kind, **one.details}}
    file |= {"file_name": one.file.name, "mime_type": one.file.mime_type}
    if one.kind == "video":
        return {"video": {**file, "width": one.width, "height": one.height, "duration": one.duration}}
    if one.kind == "audio":
        return {"audio": {**file, "duration": one.duration, **one.details}}
    return {"document": file}


def file_names(file: StoredFile) -> Json:
    """Return the fields of a file that each kind has."""
    return {"file_id": file.file_id, "file_unique_id": file.file_unique_id, "file_size": len(file.content)}


def _photo_size(file: StoredFile) -> Json:
    width, height = scaled(size_of(file.content) or (0, 0), LARGEST_PHOTO_SIDE)
    return {**file_names(file), "width": width, "height": height}


def invoice(one: Invoice) -> Json:
    """Return an invoice as Telegram's Invoice."""
    return {
        "title": one.title,
        "description": one.description,
        "start_parameter": one.start_parameter,
        "currency": one.currency,
        "total_amount": one.total,
    }


def poll(one: Poll) -> Json:
    """Return a poll as Telegram's Poll; the bot knows the right options of its quiz."""
    found: Json = {
        "id": one.id,
        "question": one.question,
        "options": [
            {"persistent_id": str(number), "text": text, "voter_count": one.count(number)}
            for number, text in enumerate(one.options)
        ],
        "total_voter_count": len(one.votes),
        **({"open_period": one.open_period, "close_date": one.close_date} if one.close_date else {}),
        "is_closed": one.is_closed,
        "is_anonymous": one.is_anonymous,
        "type": "quiz" if one.correct else "regular",
        "allows_multiple_answers": one.allows_multiple_answers,
        "allows_revoting": one.allows_revoting,
        "members_only": False,
    }
    if one.correct:
        found["correct_option_ids"] = one.correct
        found["correct_option_id"] = one.correct[0]
    if one.explanation:
        found["explanation"] = one.explanation
        found["explanation_entities"] = one.explanation_entities
    return found
