"""Bot API methods about chats and who is in them."""

from aiogram.methods import (
    GetChat,
    GetChatAdministrators,
    GetChatMember,
    GetChatMemberCount,
    GetUserProfilePhotos,
    LeaveChat,
)

from telegram_sandbox import membership, telegram_json
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Json
from telegram_sandbox.world import World


@answers(GetChat)
def get_chat(world: World, request: GetChat) -> Json:
    """Everything about a chat that the sandbox knows."""
    chat = world.chat_known_to_bot(request.chat_id)
    found: Json = {
        **telegram_json.chat(world, chat),
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": {
            "unlimited_gifts": True,
            "limited_gifts": True,
            "unique_gifts": True,
            "premium_subscription": True,
            "gifts_from_channels": True,
        },
    }
    if chat.is_group:
        found["permissions"] = dict.fromkeys(telegram_json.RESTRICTIONS, chat.members_may_write)
    pinned = world.find_message(chat.id, chat.pinned[-1]) if chat.pinned else None
    if pinned:
        found["pinned_message"] = telegram_json.message(world, pinned, with_reply=False)
    return found


@answers(GetChatMember)
def get_chat_member(world: World, request: GetChatMember) -> Json:
    """One person's place in a group."""
    chat = world.chat_known_to_bot(request.chat_id)
    who = telegram_json.account(world, request.user_id)
    if who is not None and chat.is_group:
        return telegram_json.member(world, chat, request.user_id)
    if who is not None and request.user_id in (chat.id, world.settings.bot_id):
        return {"user": who, "status": "member"}
    raise bad_request("member not found")


@answers(GetChatAdministrators)
def get_chat_administrators(world: World, request: GetChatAdministrators) -> list[Json]:
    """The owner and the admins of a group; bots are left out, but for the one that asks."""
    chat = world.chat_known_to_bot(request.chat_id)
    if not chat.is_group:
        raise bad_request("there are no administrators in the private chat")
    found = [chat.owner] if chat.owner is not None else []
    found += [user_id for user_id in chat.admins if user_id != chat.owner]
    if chat.bot_status == "administrator":
        found.append(world.settings.bot_id)
    return [telegram_json.member(world, chat, user_id) for user_id in found]


@answers(GetChatMemberCount)
def get_chat_member_count(world: World, request: GetChatMemberCount) -> int:
    """How many are in a chat, the bot included."""
    chat = world.chat_known_to_bot(request.chat_id)
    return len(chat.members) + 1


@answers(LeaveChat)
def leave_chat(world: World, request: LeaveChat) -> bool:
    """The bot leaves the group."""
    chat = world.chat_known_to_bot(request.chat_id)
    if not chat.is_group:
        raise bad_request("chat member status can't be changed in private chats")
    membership.set_bot_status(world, chat, "left", by=world.settings.bot_id)
    return True


@answers(GetUserProfilePhotos)
def get_user_profile_photos(world: World, request: GetUserProfilePhotos) -> Json:
    """No photos: nobody in the sandbox has one."""
    if telegram_json.account(world, request.user_id) is None:
        raise bad_request("invalid user_id specified")
    return {"total_count": 0, "photos": []}
