"""Bot API methods that send, delete, pin and react to messages."""

from telegram_sandbox import telegram_json
from telegram_sandbox.bot_api.message_text import rich_of, text_of
from telegram_sandbox.bot_api.reading import as_json, check_identifiers
from telegram_sandbox.bot_api.registry import answers
from telegram_sandbox.bot_api.requests import (
    DeleteMessage,
    DeleteMessages,
    InChat,
    PinChatMessage,
    SendMessage,
    SendRichMessage,
    SetMessageReaction,
    ToTopic,
    UnpinAllChatMessages,
    UnpinAllForumTopicMessages,
    UnpinAllGeneralForumTopicMessages,
    UnpinChatMessage,
)
from telegram_sandbox.bot_api.sending import send
from telegram_sandbox.errors import bad_request
from telegram_sandbox.model import Chat, Json, StoredMessage
from telegram_sandbox.reactions_and_effects import is_reaction
from telegram_sandbox.world import World

DELETABLE_SECONDS = 48 * 3600
MOST_REACTIONS = 1


@answers(SendMessage)
def send_message(world: World, request: SendMessage) -> Json:
    """Send a text message."""
    words = text_of(world, request.text, request.parse_mode, request.entities, too_long="message is too long")
    return send(world, request, words)


@answers(SendRichMessage)
def send_rich_message(world: World, request: SendRichMessage) -> Json:
    """Send headings, lists, tables and more in HTML, Markdown or blocks; without files, buttons and formulas."""
    words, rich = rich_of(request.rich_message)
    return send(world, request, words, attachment=rich)


@answers(DeleteMessage)
def delete_message(world: World, request: DeleteMessage) -> bool:
    """Delete one message."""
    chat = world.chat_known_to_bot(request.chat_id)
    message = world.find_message(chat.id, request.message_id)
    if message is None:
        raise bad_request("message to delete not found")
    _check_deletable(world, message)
    world.drop_message(message)
    return True


@answers(DeleteMessages)
def delete_messages(world: World, request: DeleteMessages) -> bool:
    """Delete several messages; those that do not exist are skipped."""
    chat = world.chat_known_to_bot(request.chat_id)
    check_identifiers(request.message_ids)
    found = [world.find_message(chat.id, message_id) for message_id in request.message_ids]
    for message in filter(None, found):
        _check_deletable(world, message)
    for message in {message.key: message for message in found if message}.values():
        world.drop_message(message)
    return True


@answers(SetMessageReaction)
def set_message_reaction(world: World, request: SetMessageReaction) -> bool:
    """Put the bot's own reaction on a message."""
    chat = world.chat_known_to_bot(request.chat_id)
    message = world.find_message(chat.id, request.message_id)
    if message is None:
        raise bad_request("message to react not found")
    reactions = as_json(request.reaction) or []
    if any(one["type"] not in ("emoji", "custom_emoji") for one in reactions):
        raise bad_request("can't parse ReactionType: invalid reaction type specified")
    if len(reactions) > MOST_REACTIONS:
        raise bad_request("REACTIONS_TOO_MANY")
    if not all(one["type"] == "emoji" and is_reaction(one["emoji"]) for one in reactions):
        raise bad_request("REACTION_INVALID")
    message.reactions = reactions
    world.show_edit(message)
    return True


@answers(PinChatMessage)
def pin_chat_message(world: World, request: PinChatMessage) -> bool:
    """Pin a message; in a group only for an admin."""
    chat = world.chat_to_write_in(request.chat_id)
    _check_may_pin(chat)
    message = world.find_message(chat.id, request.message_id)
    if message is None:
        raise bad_request("message to pin not found")
    if message.message_id not in chat.pinned:
        chat.pinned.append(message.message_id)
        service = {"pinned_message": telegram_json.message(world, message, with_reply=False)}
        world.service_message(chat, world.settings.bot_id, service, "pinned a message")
        world.show_chats()
    return True


@answers(UnpinChatMessage)
def unpin_chat_message(world: World, request: UnpinChatMessage) -> bool:
    """Unpin one message, the last where none is named."""
    chat = world.chat_known_to_bot(request.chat_id)
    _check_may_pin(chat)
    message_id = request.message_id or (chat.pinned[-1] if chat.pinned else 0)
    if message_id not in chat.pinned:
        raise bad_request("message to unpin not found")
    chat.pinned.remove(message_id)
    world.show_chats()
    return True


@answers(UnpinAllChatMessages)
def unpin_all_chat_messages(world: World, request: UnpinAllChatMessages) -> bool:
    """Unpin everything."""
    chat = world.chat_known_to_bot(request.chat_id)
    _check_may_pin(chat)
    chat.pinned.clear()
    world.show_chats()
    return True


@answers(UnpinAllForumTopicMessages, UnpinAllGeneralForumTopicMessages)
def unpin_all_topic_messages(world: World, request: InChat) -> bool:
    """Unpin everything in a topic, or in General."""
    chat = world.chat_known_to_bot(request.chat_id)
    _check_may_pin(chat)
    thread_id = request.message_thread_id if isinstance(request, ToTopic) else None
    pinned = {number: world.find_message(chat.id, number) for number in chat.pinned}
    chat.pinned = [number for number, message in pinned.items() if message and message.thread_id != thread_id]
    world.show_chats()
    return True


def _check_deletable(world: World, message: StoredMessage) -> None:
    chat = world.chats[message.chat_id]
    mine = message.sender_id == world.settings.bot_id
    if chat.type != "private" and not mine and not chat.bot_may("can_delete_messages"):
        raise bad_request("message can't be deleted")
    if world.clock.now() - message.date > DELETABLE_SECONDS and chat.bot_status != "administrator":
        raise bad_request("message can't be deleted for everyone")


def _check_may_pin(chat: Chat) -> None:
    if chat.type != "private" and not chat.bot_may("can_edit_messages" if chat.is_channel else "can_pin_messages"):
        raise bad_request("not enough rights to manage pinned messages in the chat")
