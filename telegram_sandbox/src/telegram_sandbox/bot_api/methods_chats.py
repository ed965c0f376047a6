"""Bot API methods about chats and their members."""

from telegram_sandbox import membership, telegram_json
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    CloseForumTopic,
    CloseGeneralForumTopic,
    CreateForumTopic,
    DeleteForumTopic,
    EditForumTopic,
    EditGeneralForumTopic,
    GetChat,
    GetChatAdministrators,
    GetChatMember,
    GetChatMemberCount,
    GetUserProfilePhotos,
    HideGeneralForumTopic,
    InChat,
    LeaveChat,
    ReopenForumTopic,
    ReopenGeneralForumTopic,
    ToTopic,
    UnhideGeneralForumTopic,
)
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Chat, Json, Topic
from telegram_sandbox.world import World

TOPIC_COLOUR = 0x6FB9F0
LONGEST_TOPIC_NAME = 128


@answers(GetChat)
def get_chat(world: World, request: GetChat) -> Json:
    """Return the details of a chat."""
    chat = world.chat_known_to_bot(request.chat_id, reads=True)
    found: Json = {
        **telegram_json.chat(world, chat),
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys(telegram_json.GIFTS, not chat.is_group),
    }
    if not chat.is_group:
        found["can_send_gift"] = True
    if "username" in found:
        found["active_usernames"] = [found["username"]]
    if chat.is_group:
        found["permissions"] = chat.permissions
    primary = [link.url for link in chat.invite_links.values() if link.is_primary and not link.is_revoked]
    if primary and chat.bot_may("can_invite_users"):
        found["invite_link"] = primary[0]
    if chat.description:
        found["description"] = chat.description
    if chat.photo:
        small, big = chat.photo
        found["photo"] = {
            f"{size}_{name}": getattr(one, name)
            for size, one in (("small", small), ("big", big))
            for name in ("file_id", "file_unique_id")
        }
    if chat.type == "supergroup":
        found["can_set_sticker_set"] = True
    if chat.sticker_set:
        found["sticker_set_name"] = chat.sticker_set
    pinned = world.find_message(chat.id, chat.pinned[-1]) if chat.pinned else None
    if pinned:
        found["pinned_message"] = telegram_json.message(world, pinned, with_reply=False)
    return found


@answers(GetChatMember)
def get_chat_member(world: World, request: GetChatMember) -> Json:
    """Return one person's place in a group."""
    chat = world.chat_known_to_bot(request.chat_id)
    who = telegram_json.account(world, request.user_id)
    if who is not None and chat.type != "private":
        return telegram_json.member(world, chat, request.user_id)
    if who is not None and request.user_id in (chat.id, world.settings.bot_id):
        return {"user": who, "status": "member"}
    raise bad_request("member not found")


@answers(GetChatAdministrators)
def get_chat_administrators(world: World, request: GetChatAdministrators) -> list[Json]:
    """Return the owner and the admins of a group; without bots, except the one that asks."""
    chat = world.chat_known_to_bot(request.chat_id)
    if chat.type == "private":
        raise bad_request("there are no administrators in the private chat")
    found = [chat.owner] if chat.owner is not None else []
    found += [user_id for user_id in chat.admins if user_id != chat.owner]
    if chat.bot_status == "administrator":
        found.append(world.settings.bot_id)
    return [telegram_json.member(world, chat, user_id) for user_id in found]


@answers(GetChatMemberCount)
def get_chat_member_count(world: World, request: GetChatMemberCount) -> int:
    """Return the number of members, the bot included."""
    chat = world.chat_known_to_bot(request.chat_id)
    return len(chat.members) + 1


@answers(LeaveChat)
def leave_chat(world: World, request: LeaveChat) -> bool:
    """Return the bot leaves the group."""
    chat = world.chat_known_to_bot(request.chat_id)
    if chat.type == "private":
        raise bad_request("can't leave private chats")
    membership.set_bot_status(world, chat, "left", by=world.settings.bot_id)
    return True


@answers(GetUserProfilePhotos)
def get_user_profile_photos(world: World, request: GetUserProfilePhotos) -> Json:
    """Return an empty list: people in the sandbox have no photos."""
    if telegram_json.account(world, request.user_id) is None:
        raise bad_request("invalid user_id specified")
    return {"total_count": 0, "photos": []}


@answers(CreateForumTopic)
def create_forum_topic(world: World, request: CreateForumTopic) -> Json:
    """Open a topic."""
    chat = _forum(world, request.chat_id)
    topic = world.make_topic(chat, _topic_name(request.name), world.settings.bot_id)
    return {"message_thread_id": topic.thread_id, "name": topic.name, "icon_color": TOPIC_COLOUR}


@answers(EditForumTopic, EditGeneralForumTopic)
def edit_forum_topic(world: World, request: EditForumTopic | EditGeneralForumTopic) -> bool:
    """Rename a topic."""
    chat = _forum(world, request.chat_id)
    topic = _topic(chat, request)
    name = _topic_name(request.name or topic.name)
    if name == topic.name:
        raise bad_request("TOPIC_NOT_MODIFIED")
    topic.name = name
    edited = {"forum_topic_edited": {"name": name}}
    world.service_message(chat, world.settings.bot_id, edited, f"Topic renamed to {name}", topic.thread_id or None)
    world.show_chats()
    return True


@answers(CloseForumTopic, ReopenForumTopic, CloseGeneralForumTopic, ReopenGeneralForumTopic)
def close_forum_topic(world: World, request: ToTopic | CloseGeneralForumTopic | ReopenGeneralForumTopic) -> bool:
    """Close a topic or open it again; General is then shown."""
    chat = _forum(world, request.chat_id)
    topic, closed = _topic(chat, request), isinstance(request, CloseForumTopic | CloseGeneralForumTopic)
    if topic.closed == closed:
        raise bad_request("TOPIC_NOT_MODIFIED")
    if topic is chat.general and not closed:
        chat.general_is_hidden = False
    membership.close_topic(world, chat, topic, closed=closed, by=world.settings.bot_id)
    return True


@answers(HideGeneralForumTopic, UnhideGeneralForumTopic)
def hide_general_forum_topic(world: World, request: HideGeneralForumTopic | UnhideGeneralForumTopic) -> bool:
    """Hide General, which closes it, or show it again."""
    chat, hides = _forum(world, request.chat_id), isinstance(request, HideGeneralForumTopic)
    if chat.general_is_hidden == hides:
        raise bad_request("TOPIC_NOT_MODIFIED")
    chat.general_is_hidden, chat.general.closed = hides, hides or chat.general.closed
    service: Json = {"general_forum_topic_hidden" if hides else "general_forum_topic_unhidden": {}}
    world.service_message(chat, world.settings.bot_id, service, f"General was {'hidden' if hides else 'shown'}")
    return True


@answers(DeleteForumTopic)
def delete_forum_topic(world: World, request: DeleteForumTopic) -> bool:
    """Delete a topic with its messages."""
    chat = _forum(world, request.chat_id)
    world.drop_topic(chat, _topic(chat, request))
    return True


def _forum(world: World, chat_id: int | str) -> Chat:
    """Return the forum whose topics the bot may manage."""
    chat = world.chat_known_to_bot(chat_id)
    if not chat.is_forum:
        raise bad_request("the chat is not a forum")
    if not chat.bot_may("can_manage_topics"):
        raise bad_request("not enough rights to create a topic")
    return chat


def _topic(chat: Chat, request: InChat) -> Topic:
    topic = chat.topics.get(request.message_thread_id) if isinstance(request, ToTopic) else chat.general
    if topic is None:
        raise bad_request("message thread not found")
    return topic


def _topic_name(name: str) -> str:
    if not 1 <= len(name) <= LONGEST_TOPIC_NAME:
        raise bad_request("TOPIC_TITLE_EMPTY" if not name else "topic name is too long")
    return name
