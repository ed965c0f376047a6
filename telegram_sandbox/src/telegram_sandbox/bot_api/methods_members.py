"""Bot API methods about the rights of a group's members: bans, restrictions, promotions, titles, tags."""

import re
import unicodedata

from telegram_sandbox import membership
from telegram_sandbox.bot_api.reading import as_json
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    BanChatMember,
    InChat,
    PromoteChatMember,
    RestrictChatMember,
    SetChatAdministratorCustomTitle,
    SetChatMemberTag,
    SetChatPermissions,
    UnbanChatMember,
)
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Chat, Person
from telegram_sandbox.permissions import PERMISSIONS, Flags, admin_rights
from telegram_sandbox.world import World

NO_RIGHT_TO_RESTRICT = "not enough rights to restrict/unrestrict chat member"
SUPERGROUPS = ("method is available only for supergroups", "supergroup")
GROUPS = ("method is available only for groups and supergroups", "group", "supergroup")
NO_BASIC_GROUPS = ("method is available for supergroup and channel chats only", "supergroup", "channel")
SHARED = ("can't ban members in private chats", "group", "supergroup", "channel")
"""Telegram's words for chats of other kinds, and the kinds of chats that a method is for."""
LONGEST_TITLE = 16
SENDING = PERMISSIONS[:7]
IMPLIED = {
    "can_send_other_messages": SENDING,
    "can_add_web_page_previews": SENDING,
    "can_send_polls": ("can_send_messages",),
}
"""The permissions that another one brings, unless they are set independently."""


@answers(BanChatMember)
def ban_chat_member(world: World, request: BanChatMember) -> bool:
    """Remove a person from a group; they cannot join again until they are unbanned."""
    chat, person = _subordinate(world, request, request.user_id, SHARED)
    membership.ban(world, chat, person, by=world.settings.bot_id, until=request.until_date or 0)
    return True


@answers(UnbanChatMember)
def unban_chat_member(world: World, request: UnbanChatMember) -> bool:
    """Let a banned person join again; a member is removed unless `only_if_banned`."""
    chat, person = _subordinate(world, request, request.user_id, NO_BASIC_GROUPS)
    if person.id in chat.members and not request.only_if_banned:
        membership.ban(world, chat, person, by=world.settings.bot_id)
    membership.unban(world, chat, person, by=world.settings.bot_id)
    return True


@answers(RestrictChatMember)
def restrict_chat_member(world: World, request: RestrictChatMember) -> bool:
    """Leave a person some permissions only; all of them lift the restriction."""
    chat, person = _subordinate(world, request, request.user_id, SUPERGROUPS)
    membership.restrict(
        world, chat, person, _permissions(request), by=world.settings.bot_id, until=request.until_date or 0
    )
    return True


@answers(SetChatPermissions)
def set_chat_permissions(world: World, request: SetChatPermissions) -> bool:
    """Set the permissions of all members who are no admins; the bot gets no update."""
    chat = world.chat_known_to_bot(request.chat_id)
    if not chat.is_group:
        raise bad_request(f"can't change {chat.type} chat permissions")
    if not chat.bot_may("can_restrict_members"):
        raise bad_request("not enough rights to change chat permissions")
    permissions = _permissions(request)
    if permissions == chat.permissions:
        raise bad_request("CHAT_NOT_MODIFIED")
    chat.permissions = permissions
    world.show_chats()
    return True


@answers(PromoteChatMember)
def promote_chat_member(world: World, request: PromoteChatMember) -> bool:
    """Make a member an admin with a subset of the bot's rights, or a plain member again."""
    chat, person = _member(world, request, request.user_id, NO_BASIC_GROUPS)
    if person.id == chat.owner:
        raise bad_request("can't remove chat owner")
    if not chat.bot_may("can_promote_members"):
        raise bad_request("not enough rights")
    if person.id in chat.admins and person.id not in chat.promoted_by_bot:
        raise bad_request("CHAT_ADMIN_REQUIRED")
    if person.id not in chat.members:
        raise bad_request("USER_NOT_PARTICIPANT")
    wanted = [right for right in chat.bot_rights if getattr(request, right)]
    if not all(chat.bot_rights[right] for right in wanted):
        raise bad_request("RIGHT_FORBIDDEN")
    rights = admin_rights(chat.type, {*wanted, "can_manage_chat"}) if wanted or request.is_anonymous else {}
    anonymous = bool(request.is_anonymous)
    membership.promote(world, chat, person, rights, by=world.settings.bot_id, anonymous=anonymous)
    return True


@answers(SetChatAdministratorCustomTitle)
def set_chat_administrator_custom_title(world: World, request: SetChatAdministratorCustomTitle) -> bool:
    """Give an admin whom the bot has promoted a title."""
    chat, person = _member(world, request, request.user_id, GROUPS)
    if person.id == chat.owner:
        raise bad_request("only the owner can edit their custom title")
    if person.id not in chat.admins:
        raise bad_request("user is not an administrator")
    if person.id not in chat.promoted_by_bot:
        raise bad_request("not enough rights to change custom title of the user")
    chat.custom_titles[person.id] = _short(request.custom_title, "ADMIN_RANK")
    return True


@answers(SetChatMemberTag)
def set_chat_member_tag(world: World, request: SetChatMemberTag) -> bool:
    """Give a plain member a tag, or take it away."""
    chat, person = _member(world, request, request.user_id, GROUPS)
    if not chat.bot_may("can_manage_tags"):
        raise bad_request("CHAT_ADMIN_REQUIRED")
    tag = _short(request.tag or "", "TAG")
    chat.tags.pop(person.id, None)
    if tag:
        chat.tags[person.id] = tag
    return True


def _member(world: World, request: InChat, user_id: int, kinds: tuple[str, ...]) -> tuple[Chat, Person]:
    chat = world.chat_known_to_bot(request.chat_id)
    if chat.type not in kinds:
        raise bad_request(kinds[0])
    if user_id not in world.people:
        raise bad_request("PARTICIPANT_ID_INVALID")
    return chat, world.people[user_id]


def _subordinate(world: World, request: InChat, user_id: int, kinds: tuple[str, ...]) -> tuple[Chat, Person]:
    """Return the group and the person whom the bot may restrict there."""
    if user_id == world.settings.bot_id:
        raise bad_request("can't restrict self")
    chat, person = _member(world, request, user_id, kinds)
    if not chat.bot_may("can_restrict_members"):
        raise bad_request(NO_RIGHT_TO_RESTRICT)
    if person.id == chat.owner:
        raise bad_request("can't remove chat owner")
    if person.id in chat.admins and person.id not in chat.promoted_by_bot:
        raise bad_request("user is an administrator of the chat")
    return chat, person


def _permissions(request: RestrictChatMember | SetChatPermissions) -> Flags:
    given = as_json(request.permissions)
    if not request.use_independent_chat_permissions:
        given |= {name: True for brings, names in IMPLIED.items() if given.get(brings) for name in names}
    return {name: bool(given.get(name)) for name in PERMISSIONS}


def _short(words: str, what: str) -> str:
    """Return a title or tag of at most 16 characters without emoji."""
    if len(words) > LONGEST_TITLE:
        raise bad_request(f"{what}_INVALID")
    if any(unicodedata.category(letter) == "So" for letter in words):
        raise bad_request(f"{what}_EMOJI_NOT_ALLOWED")
    return re.sub(r"\s+", " ", words).strip()
