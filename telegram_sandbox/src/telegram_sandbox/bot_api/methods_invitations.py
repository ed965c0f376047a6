"""Bot API methods about invite links and requests to join."""

from telegram_sandbox import membership, telegram_json
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    ApproveChatJoinRequest,
    CreateChatInviteLink,
    DeclineChatJoinRequest,
    EditChatInviteLink,
    ExportChatInviteLink,
    InChat,
    RevokeChatInviteLink,
)
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Chat, InviteLink, Json
from telegram_sandbox.world import World

LONGEST_NAME = 32
MEMBER_LIMITS = range(100_000)


@answers(CreateChatInviteLink)
def create_chat_invite_link(world: World, request: CreateChatInviteLink) -> Json:
    """Create one more link."""
    chat = _chat(world, request)
    link = InviteLink(InviteLink.new_url())
    _set(link, request)
    chat.invite_links[link.url] = link
    return telegram_json.invite_link(world, chat, link)


@answers(EditChatInviteLink)
def edit_chat_invite_link(world: World, request: EditChatInviteLink) -> Json:
    """Change a link that is not the primary one."""
    chat = _chat(world, request)
    link = _link(chat, request.invite_link)
    if link.is_primary:
        raise bad_request("INVITE_HASH_INVALID")
    _set(link, request)
    return telegram_json.invite_link(world, chat, link)


@answers(RevokeChatInviteLink)
def revoke_chat_invite_link(world: World, request: RevokeChatInviteLink) -> Json:
    """Revoke a link; a revoked primary link gets a successor."""
    chat = _chat(world, request)
    link = _link(chat, request.invite_link)
    link.is_revoked = True
    if link.is_primary:
        _new_primary(chat)
    return telegram_json.invite_link(world, chat, link)


@answers(ExportChatInviteLink)
def export_chat_invite_link(world: World, request: ExportChatInviteLink) -> str:
    """Create a new primary link in place of the earlier one."""
    chat = _chat(world, request)
    for link in chat.invite_links.values():
        link.is_revoked |= link.is_primary
    return _new_primary(chat).url


@answers(ApproveChatJoinRequest, DeclineChatJoinRequest)
def answer_join_request(world: World, request: ApproveChatJoinRequest | DeclineChatJoinRequest) -> bool:
    """Let a person who has asked join, or not."""
    chat = _chat(world, request)
    if request.user_id in chat.members:
        raise bad_request("USER_ALREADY_PARTICIPANT")
    asked = chat.join_requests.pop(request.user_id, None)
    if asked is None:
        raise bad_request("HIDE_REQUESTER_MISSING")
    if isinstance(request, ApproveChatJoinRequest):
        person = world.people[request.user_id]
        membership.join(world, chat, person, link=asked.link, by=world.settings.bot_id)
    return True


def _chat(world: World, request: InChat) -> Chat:
    chat = world.chat_known_to_bot(request.chat_id)
    if chat.type == "private":
        raise bad_request("can't invite members to a private chat")
    if not chat.bot_may("can_invite_users"):
        raise bad_request("not enough rights to manage chat invite link")
    return chat


def _link(chat: Chat, url: str) -> InviteLink:
    link = chat.invite_links.get(url)
    if link is None or link.is_revoked:
        raise bad_request("INVITE_HASH_EXPIRED")
    return link


def _set(link: InviteLink, request: CreateChatInviteLink | EditChatInviteLink) -> None:
    name, limit = request.name or "", request.member_limit or 0
    if len(name) > LONGEST_NAME:
        raise bad_request("invite link name must have at most 32 characters")
    if limit not in MEMBER_LIMITS or (limit and request.creates_join_request):
        raise bad_request(
            "member limit can't be specified for links requiring administrator approval"
            if limit in MEMBER_LIMITS
            else "USAGE_LIMIT_INVALID"
        )
    link.name, link.member_limit, link.expires = name, limit, request.expire_date or 0
    link.creates_join_request = bool(request.creates_join_request)


def _new_primary(chat: Chat) -> InviteLink:
    link = InviteLink(InviteLink.new_url(), is_primary=True)
    chat.invite_links[link.url] = link
    return link
