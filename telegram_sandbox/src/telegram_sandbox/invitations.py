"""Invite links of the bot, and the requests of people who follow one."""

from telegram_sandbox import membership, telegram_json
from telegram_sandbox.errors import ControlError
from telegram_sandbox.model import Chat, InviteLink, JoinRequest, Person
from telegram_sandbox.world import World


def follow(world: World, person: Person, url: str) -> Chat:
    """Follow an invite link: the person joins, or asks to join, of which the bot hears.

    Raises:
        ControlError: the link leads nowhere, or the person is banned.
    """
    chat, link = _chat_of(world, url)
    if person.id in chat.members:
        return chat
    if link.is_revoked or 0 < link.expires <= world.clock.now():
        raise ControlError("this invite link has expired")
    if link.member_limit and len(link.joined & set(chat.members)) >= link.member_limit:
        raise ControlError("too many people have joined by this invite link")
    chat.end_restrictions(world.clock.now())
    if person.id in chat.banned:
        raise ControlError(f"{person.name} is banned from {chat.title}")
    if link.creates_join_request:
        _ask(world, chat, person, link)
    else:
        membership.join(world, chat, person, link=link)
    return chat


def _ask(world: World, chat: Chat, person: Person, link: InviteLink) -> None:
    chat.join_requests[person.id] = JoinRequest(link, world.clock.now())
    if chat.bot_may("can_invite_users"):
        body = {
            "chat": telegram_json.chat(world, chat),
            "from": telegram_json.user(person),
            "user_chat_id": person.id,
            "date": world.clock.unix(),
            "invite_link": telegram_json.invite_link(world, chat, link),
        }
        world.tell_bot("chat_join_request", body)


def _chat_of(world: World, url: str) -> tuple[Chat, InviteLink]:
    for chat in world.chats.values():
        if url in chat.invite_links:
            return chat, chat.invite_links[url]
    raise ControlError("this invite link leads nowhere")
