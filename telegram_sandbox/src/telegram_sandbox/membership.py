"""Changes of membership: joins, leaves, admins, blocks, migration, topics, and the updates that tell the bot."""

from telegram_sandbox import telegram_json
from telegram_sandbox.errors import ControlError
from telegram_sandbox.model import GROUP_TYPES, BotStatus, Chat, ChatType, InviteLink, Json, Person, Topic
from telegram_sandbox.permissions import Flags, Restriction, admin_rights
from telegram_sandbox.store import SUPERGROUPS_BELOW
from telegram_sandbox.world import World

SHORTEST_SECONDS, LONGEST_SECONDS = 30, 366 * 86_400
"""A ban or restriction for a shorter or longer time is for ever."""


def check_group(chat: Chat) -> None:
    """Refuse a private chat.

    Raises:
        ControlError: it is one.
    """
    if chat.type == "private":
        raise ControlError("that is a private chat")


def check_inside(chat: Chat, person: Person) -> None:
    """Refuse a person who is not in a chat.

    Raises:
        ControlError: this person is not.
    """
    if person.id not in chat.members:
        raise ControlError(f"{person.name} is not in {chat.title}")


def set_bot_status(world: World, chat: Chat, status: BotStatus, *, by: int, rights: Flags | None = None) -> None:
    """Let the bot join, become an admin, be muted, leave or be removed; the bot gets `my_chat_member`.

    Raises:
        ControlError: a bot is an admin of a channel, or is not in it; or it is a private chat.
    """
    check_group(chat)
    if chat.is_channel and status in ("member", "restricted"):
        raise ControlError("a bot can be in a channel only as an admin")
    bot_id = world.settings.bot_id
    was_inside = chat.bot_is_inside
    before = telegram_json.member(world, chat, bot_id)
    chat.bot_status = status
    chat.bot_rights = rights or admin_rights(chat.type)
    _tell(world, "my_chat_member", chat, by=by, before=before, user_id=bot_id)
    if chat.bot_is_inside and not was_inside:
        service: Json = {"new_chat_members": [telegram_json.bot_user(world)]}
        _announce(world, chat, by, service, f"{world.settings.bot_name} joined")
    elif was_inside and not chat.bot_is_inside:
        gone = {"left_chat_member": telegram_json.bot_user(world)}
        _announce(world, chat, by, gone, f"{world.settings.bot_name} left")
    world.show_chats()


def join(world: World, chat: Chat, person: Person, *, link: InviteLink | None = None, by: int | None = None) -> None:
    """Add a person to a group, perhaps by a link, or because an admin approved their request.

    Raises:
        ControlError: the person is banned from it, or it is a private chat.
    """
    check_group(chat)
    chat.end_restrictions(world.clock.now())
    if person.id in chat.members:
        return
    if person.id in chat.banned:
        raise ControlError(f"{person.name} is banned from {chat.title}")
    before = telegram_json.member(world, chat, person.id)
    chat.members.append(person.id)
    chat.join_requests.pop(person.id, None)
    if link:
        link.joined.add(person.id)
    if chat.owner is None:
        chat.owner = person.id
    service: Json = {"new_chat_members": [telegram_json.user(person)]}
    _announce(world, chat, person.id, service, f"{person.name} joined")
    _tell(world, "chat_member", chat, by=by or person.id, before=before, user_id=person.id, link=link)
    world.show_chats()


def leave(world: World, chat: Chat, person: Person) -> None:
    """Let a person leave a group.

    Raises:
        ControlError: it is a private chat.
    """
    check_group(chat)
    if person.id not in chat.members:
        return
    before = telegram_json.member(world, chat, person.id)
    chat.members.remove(person.id)
    _drop_rights(chat, person.id)
    if chat.owner == person.id:
        chat.owner = chat.members[0] if chat.members else None
    _announce(world, chat, person.id, {"left_chat_member": telegram_json.user(person)}, f"{person.name} left")
    _tell(world, "chat_member", chat, by=person.id, before=before, user_id=person.id)
    world.show_chats()


def ban(world: World, chat: Chat, person: Person, *, by: int, until: int = 0) -> None:
    """Remove a person from a group, and keep them out of it until then."""
    before = telegram_json.member(world, chat, person.id)
    if person.id in chat.members:
        chat.members.remove(person.id)
        _drop_rights(chat, person.id)
        gone = {"left_chat_member": telegram_json.user(person)}
        _announce(world, chat, by, gone, f"{person.name} was removed")
    chat.banned[person.id] = _end(world, until)
    _tell(world, "chat_member", chat, by=by, before=before, user_id=person.id)
    world.show_chats()


def unban(world: World, chat: Chat, person: Person, *, by: int) -> None:
    """Lift a ban, so the person may join again; this does not add them to the chat."""
    if person.id in chat.banned:
        before = telegram_json.member(world, chat, person.id)
        del chat.banned[person.id]
        _tell(world, "chat_member", chat, by=by, before=before, user_id=person.id)


def set_admin(world: World, chat: Chat, person: Person, *, admin: bool, anonymous: bool = False) -> None:
    """Make a member an admin, perhaps an anonymous one, or no longer one.

    Raises:
        ControlError: when the person is not in the group.
    """
    check_inside(chat, person)
    promote(
        world, chat, person, admin_rights(chat.type) if admin else {}, by=chat.owner or person.id, anonymous=anonymous
    )


def promote(world: World, chat: Chat, person: Person, rights: Flags, *, by: int, anonymous: bool = False) -> None:
    """Make a member an admin with these rights; without rights they are a plain member again."""
    before = telegram_json.member(world, chat, person.id)
    _drop_rights(chat, person.id)
    if any(rights.values()):
        chat.admins[person.id] = rights
        chat.restrictions.pop(person.id, None)
        if anonymous:
            chat.anonymous.append(person.id)
        if by == world.settings.bot_id:
            chat.promoted_by_bot.add(person.id)
    _tell(world, "chat_member", chat, by=by, before=before, user_id=person.id)
    world.show_chats()


def restrict(world: World, chat: Chat, person: Person, permissions: Flags, *, by: int, until: int = 0) -> None:
    """Leave a person these permissions only, until then; all of them lift the restriction, and a ban."""
    before = telegram_json.member(world, chat, person.id)
    chat.banned.pop(person.id, None)
    chat.restrictions.pop(person.id, None)
    if not all(permissions.values()):
        chat.restrictions[person.id] = Restriction(permissions, _end(world, until))
    _tell(world, "chat_member", chat, by=by, before=before, user_id=person.id)
    world.show_chats()


def set_blocked(world: World, person: Person, *, blocked: bool) -> None:
    """Block or unblock the bot, which gets an update of either."""
    if person.blocked_bot == blocked:
        return
    chat = world.chats[person.id]
    bot_id = world.settings.bot_id
    before = telegram_json.member(world, chat, bot_id)
    person.blocked_bot = blocked
    chat.bot_status = "kicked" if blocked else "member"
    _tell(world, "my_chat_member", chat, by=person.id, before=before, user_id=bot_id)


def delete_account(world: World, person: Person) -> None:
    """Let a person leave every group and Telegram itself."""
    for chat in list(world.chats.values()):
        if chat.type != "private":
            leave(world, chat, person)
    person.deleted = True
    world.show_people()
    world.show_chats()


def migrate(world: World, chat: Chat) -> Chat:
    """Upgrade a basic group to a supergroup: another id, another count of messages.

    Raises:
        ControlError: when the chat is no basic group.
    """
    if chat.type != "group" or chat.migrated_to is not None:
        raise ControlError("only a basic group becomes a supergroup")
    new = world.make_chat("supergroup", chat.title, chat.members)
    new.owner, new.admins, new.bot_status = chat.owner, dict(chat.admins), chat.bot_status
    new.permissions = dict(chat.permissions)
    sender = chat.owner or world.settings.bot_id
    left = world.service_message(chat, sender, {"migrate_to_chat_id": new.id}, "became a supergroup")
    came = world.service_message(new, sender, {"migrate_from_chat_id": chat.id}, "was a basic group")
    chat.migrated_to = new.id
    if new.bot_is_inside:
        world.tell_bot("message", telegram_json.message(world, left))
        world.tell_bot("message", telegram_json.message(world, came))
    world.show_chats()
    return new


def close_topic(world: World, chat: Chat, topic: Topic, *, closed: bool, by: int) -> None:
    """Close a topic or open it again, with a message in it; the bot gets the message unless it acted itself."""
    if topic.closed == closed:
        return
    topic.closed = closed
    service: Json = {"forum_topic_closed" if closed else "forum_topic_reopened": {}}
    text = f"Topic {topic.name} was {'closed' if closed else 'reopened'}"
    message = world.service_message(chat, by, service, text, topic.thread_id or None)
    if chat.bot_is_inside and by != world.settings.bot_id:
        world.tell_bot("message", telegram_json.message(world, message))
    world.show_chats()


def found_group(
    world: World,
    kind: ChatType,
    title: str,
    members: list[int],
    *,
    is_forum: bool = False,
    chat_id: int | None = None,
) -> Chat:
    """Create a group or channel of these people and the bot, which gets the updates; the first person owns it.

    Raises:
        ControlError: `kind` is no kind of group, or is not the one that has topics; the id is taken, or another kind's.
    """
    if kind == "private":
        raise ControlError(f"{kind!r} is no kind of group: {', '.join(GROUP_TYPES)}, channel")
    if is_forum and kind != "supergroup":
        raise ControlError("only a supergroup has topics")
    if chat_id in world.chats:
        raise ControlError("there is a chat with this id")
    if chat_id is not None and (chat_id > SUPERGROUPS_BELOW) != (kind == "group"):
        where = "above" if kind == "group" else "below"
        raise ControlError(f"the id of a {kind} is {where} {SUPERGROUPS_BELOW}")
    chat = world.make_chat(kind, title, members, is_forum=is_forum, chat_id=chat_id)
    sender = chat.owner or world.settings.bot_id
    bot_id = world.settings.bot_id
    before: Json = {"user": telegram_json.bot_user(world), "status": "left"}
    _tell(world, "my_chat_member", chat, by=sender, before=before, user_id=bot_id)
    service: Json = {"channel_chat_created" if chat.is_channel else "group_chat_created": True}
    if chat.type == "supergroup":
        service = {"new_chat_members": [telegram_json.bot_user(world)]}
    _announce(world, chat, sender, service, f"{chat.title} was created")
    world.show_chats()
    return chat


def _drop_rights(chat: Chat, person_id: int) -> None:
    chat.admins.pop(person_id, None)
    chat.custom_titles.pop(person_id, None)
    chat.promoted_by_bot.discard(person_id)
    if person_id in chat.anonymous:
        chat.anonymous.remove(person_id)


def _end(world: World, until: int) -> int:
    return until if SHORTEST_SECONDS <= until - world.clock.unix() <= LONGEST_SECONDS else 0


def _announce(world: World, chat: Chat, sender_id: int, service: Json, text: str) -> None:
    """Post a message of Telegram itself about members; there is none in a channel."""
    if chat.is_channel:
        return
    message = world.service_message(chat, sender_id, service, text)
    if chat.bot_is_inside and sender_id != world.settings.bot_id:
        world.tell_bot("message", telegram_json.message(world, message))


def _tell(
    world: World, kind: str, chat: Chat, *, by: int, before: Json, user_id: int, link: InviteLink | None = None
) -> None:
    if kind == "chat_member" and chat.bot_status != "administrator":
        return
    after = telegram_json.member(world, chat, user_id)
    if before == after:
        return
    world.tell_bot(
        kind,
        {
            "chat": telegram_json.chat(world, chat),
            "from": telegram_json.account(world, by),
            "date": world.clock.unix(),
            "old_chat_member": before,
            "new_chat_member": after,
            **({"invite_link": telegram_json.invite_link(world, chat, link)} if link else {}),
        },
    )
