"""Parse updates to intents without knowledge of the game: person, place, table, step, request."""

import re
from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Final

from telegram import User as BotUser

from telegram_bot.channels.telegram import NAME, callback_data
from telegram_bot.channels.telegram.buttons import CODE
from telegram_bot.channels.telegram.received import (
    CallbackQuery,
    Chat,
    ChatMemberUpdated,
    Message,
    Update,
    User,
)
from telegram_bot.intents import intents as i
from telegram_bot.intents.config import ServiceConfig
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.request import Command, Scope, slash_command
from telegram_bot.notices import PhoneMessage, SettingsFolder
from telegram_bot.parsing.command_words import Asker, read_words
from telegram_bot.service.commands import find_command
from telegram_bot.service.handlers.base import AboutPerson
from telegram_bot.service.handlers.game_requests import OtherRecording
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.service.handlers.queries import PostedElsewhere, SeeHelp, SeeRules, UnknownChoice, UnparsedText
from telegram_bot.service.handlers.settings import Choose, SeeSettings
from telegram_bot.service.requests import read_link

ALLOWED: Final = (
    "message",
    "callback_query",
    "inline_query",
    "chosen_inline_result",
    "my_chat_member",
    "chat_member",
)
"""The kinds of updates that the bot receives. Edited messages are not among them: an edit must not change a move."""

_CHANNEL: Final = "channel"
_TEXT_LINK: Final = "text_link"
_PLAIN_BID: Final = re.compile(r"\s*\d{1,3} ?[xX×*] ?[1-6]\s*")
"""Text in a group that may be a bid. With privacy mode on, Telegram does not deliver it."""


def parse_update(update: Update, bot: BotUser, config: ServiceConfig) -> i.Intent | None:
    """Return the intent of an update, or None if the update contains no request."""
    cause = str(update.update_id)
    if update.callback_query is not None:
        return _tap(update.callback_query, cause)
    if update.message is not None:
        return _message(update.message, cause, bot, config)
    if update.my_chat_member is not None:
        return _bot_standing(update.my_chat_member, cause)
    if update.chat_member is not None:
        return _member(update.chat_member, cause)
    return None


def order_key(update: Update) -> Hashable:
    """Return the key of an update: updates with the same key are handled one after the other.

    A voice note delays only the same speaker's next note. A request that takes seconds delays only a second request
    for the same.
    """
    chat, user, tap = update.chat, update.user, update.callback_query
    who = 0 if user is None else user.id
    where = who if chat is None else chat.id
    if update.message is not None and update.message.voice is not None:
        return "voice", where, who
    return (tap.data, where) if tap is not None and asks_slowly(tap.data) else where


def person(user: User) -> i.Person:
    """Return a Telegram user as a person."""
    return i.Person(NAME, user.id, user.full_name or str(user.id), user.username, user.language_code)


def place(chat: Chat, topic: int | None = None) -> i.Place | None:
    """Return the group or topic of a message, or None for a private chat."""
    return i.Place(NAME, chat.id, topic or 0, chat.title) if chat.is_group else None


def place_of(message: Message) -> i.Place | None:
    """Return the group or topic of a message, or None for a private chat."""
    return place(message.chat, message.message_thread_id if message.is_topic_message else None)


def _tap(query: CallbackQuery, cause: str) -> i.Intent:
    unreadable = i.Intent(
        NAME, cause, person(query.from_user), UnknownChoice(), answered_by="toast", reply_handle=query.id
    )
    message = query.message
    if message is None:
        return unreadable
    where = place_of(message)
    if message.date == 0:  # of a message that is too old Telegram gives only the chat
        where = where and replace(where, topic_known=False)
    tap = callback_data.parse_callback(query.data)
    if tap is None:
        return replace(unreadable, where=where)
    return replace(
        unreadable,
        request=tap.request,
        where=where,
        table=tap.table,
        step=tap.step,
        tapped=MessageRef(message.message_id, picture=message.photo)
        if message.ephemeral_message_id is None
        else MessageRef(message.ephemeral_message_id, query.from_user.id),
    )


def _report(cause: str, who: i.Person, request: i.AnyRequest, where: i.Place | None) -> i.Intent:
    """Return the intent of a report of Telegram, which needs no answer."""
    return i.Intent(NAME, cause, who, request, where, answered_by="nothing")


def _message(message: Message, cause: str, bot: BotUser, config: ServiceConfig) -> i.Intent | None:
    where = place_of(message)
    if message.migrate_to_chat_id is not None and where is not None:
        request = i.ChatMoved(message.migrate_to_chat_id)
        return _report(cause, _somebody(message), request, where)
    if message.left_chat_member is not None:
        if message.left_chat_member.id == bot.id:
            return None
        who = person(message.left_chat_member)
        return _report(cause, who, i.MemberLeft(), where)
    if message.forum_topic_reopened or message.general_forum_topic_unhidden:
        return _report(cause, _somebody(message), i.TopicReopened(), where)
    if message.new_chat_members and where is not None:
        came = i.MembersJoined(tuple(user.id for user in message.new_chat_members))
        return _report(cause, _somebody(message), came, where)
    if message.from_user is None:
        return None
    if message.text is None:
        return _recorded(message, message.from_user, cause, where, bot)
    if message.from_user.is_bot:
        # A person who writes as the group or a channel is unknown. If a command needs the person, the bot asks for a
        # tap.
        is_anonymous = where is not None and message.sender_chat and message.text.startswith("/")
        return _command(message, cause, where, bot, config) if is_anonymous else None
    if message.is_forward:
        return None
    if message.via_bot is not None:
        return _posted(message, cause, where) if message.via_bot.id == bot.id else None
    if message.text.startswith("/"):
        return _command(message, cause, where, bot, config)
    return _typed(message, message.text, cause, where, bot)


def _recorded(message: Message, speaker: User, cause: str, where: i.Place | None, bot: BotUser) -> i.Intent | None:
    """Return the intent of a voice note or audio file. A forwarded note is no bid of the person who forwards it."""
    if speaker.is_bot or message.is_forward or message.via_bot is not None:
        return None
    for_bot = where is None or _replies_to(message, bot)
    voice = message.voice
    if voice is not None:
        note = i.VoiceNote(
            voice.file_id, voice.duration, voice.file_size, overheard=not for_bot, message=message.message_id
        )
        return _said(message, cause, where, note)
    if for_bot and (message.video_note or message.audio):
        return _said(message, cause, where, OtherRecording())
    return None


def _replies_to(message: Message, bot: BotUser) -> bool:
    replied = message.reply_to_message
    return replied is not None and replied.from_user is not None and replied.from_user.id == bot.id


def asks_slowly(data: str | None) -> bool:
    """Return True if a button's request takes seconds to compute."""
    tap = callback_data.parse_callback(data)
    return tap is not None and tap.request.takes_seconds


def takes_seconds(payload: dict[str, Any]) -> bool:
    """Return True if an update is a voice note, or a tap whose request takes seconds to compute."""
    message, tap = payload.get("message"), payload.get("callback_query")
    if isinstance(tap, dict):
        return asks_slowly(str(tap.get("data")))
    return isinstance(message, dict) and "voice" in message


def _posted(message: Message, cause: str, where: i.Place | None) -> i.Intent | None:
    """Return the call in an inline result that the player posted. It counts only in the table's own chat."""
    link = next((each.url for each in message.entities if each.type == _TEXT_LINK and each.offset == 0), None)
    call = None if link is None else callback_data.parse_result_id(callback_data.name_in_link(link))
    if call is None:
        return None
    if where is None:
        return i.Intent(NAME, cause, _somebody(message), PostedElsewhere())
    return i.Intent(NAME, cause, _somebody(message), call.request, where, table=call.table, step=call.step)


def _somebody(message: Message) -> i.Person:
    user = message.from_user
    return i.Person(NAME, 0, "") if user is None else person(user)


def _said(message: Message, cause: str, where: i.Place | None, request: i.AnyRequest) -> i.Intent:
    replied = message.reply_to_message
    return i.Intent(
        source=NAME,
        cause=cause,
        who=_somebody(message),
        request=request,
        where=where,
        said_at=float(message.date),
        replied_to=None if replied is None else MessageRef(replied.message_id),
    )


def names_another_bot(update: Update, bot: BotUser) -> bool:
    """Return True if a command names a bot with another username, which may be this bot's new one."""
    text = (update.message and update.message.text) or ""
    addressee = text.split(maxsplit=1)[0].partition("@")[2].casefold() if text.startswith("/") else ""
    return addressee.endswith("bot") and addressee != (bot.username or "").casefold()


def _command(
    message: Message, cause: str, where: i.Place | None, bot: BotUser, config: ServiceConfig
) -> i.Intent | None:
    head, rest = [*(message.text or "").split(maxsplit=1), ""][:2]
    name, _, addressee = head[1:].partition("@")
    if addressee and addressee.casefold() != (bot.username or "").casefold():
        return None
    command = find_command(name.casefold(), Scope.PRIVATE if where is None else Scope.GROUP)
    if command is None:
        # In a group an unknown command may be for another bot. In private it gets a hint.
        return None if where is not None else _said(message, cause, where, SeeHelp())
    if message.from_user is not None and message.from_user.is_bot:
        asked = command.request if command.anonymous is True else command.anonymous
        return _said(message, cause, where, asked) if asked else None
    language = None if message.from_user is None else message.from_user.language_code
    zone = "UTC" if config.night is None else config.night.zone
    request = _command_intent(command, rest, Asker(language, zone, config.house_rules))
    if isinstance(request, Choose) and request.name == "chosen_language":
        request = replace(request, to_all=where is not None)
    if isinstance(request, AboutPerson):
        request = replace(request, of=_writer_replied_to(message))
    return _said(message, cause, where, request)


def _writer_replied_to(message: Message) -> int | None:
    """Return the author of the message that this one answers, or None for none, or a bot.

    In a topic each message answers its first one.
    """
    replied = message.reply_to_message
    if replied is None or replied.from_user is None or replied.from_user.is_bot or replied.forum_topic_created:
        return None
    return replied.from_user.id


def _command_intent(command: Command, rest: str, asker: Asker) -> i.AnyRequest:
    """Return a command's intent, with the words after it."""
    if isinstance(command.request, StartPrivateChat):
        payload = rest.strip()
        linked = read_link(payload)
        if linked is not None:
            return linked
        code = payload.removeprefix(CODE) if payload.startswith(CODE) else None
        return StartPrivateChat(code=code)
    if command.request is not None and command.reader is None and not (rest and isinstance(command.request, SeeRules)):
        return command.request  # /status takes words by text message alone
    match read_words(command, rest, asker):
        case PhoneMessage.LANGUAGES, _:
            return SeeSettings(SettingsFolder.LANGUAGE)
        case tuple():
            return UnparsedText(slash_command(command))
        case request:
            return request


def _typed(message: Message, text: str, cause: str, where: i.Place | None, bot: BotUser) -> i.Intent | None:
    if where is not None and not _replies_to(message, bot):
        if not _PLAIN_BID.fullmatch(text):
            return None
        return _said(message, cause, where, i.TypedText(text, may_be_talk=True, overheard=True))
    # In a private chat every message is for the bot.
    return _said(message, cause, where, i.TypedText(text, may_be_talk=where is not None))


def _bot_standing(change: ChatMemberUpdated, cause: str) -> i.Intent | None:
    gone = change.new_chat_member.is_gone
    where = place(change.chat)
    who = person(change.from_user)
    if change.chat.type == _CHANNEL:  # the private chat of the person who changed it stays as it is
        return None
    if where is None:
        request: i.AnyRequest = i.PrivateChatBlocked() if gone else StartPrivateChat(greeted=False)
        return _report(cause, who, request, None)
    standing = i.BotMembershipChanged(
        present=not gone,
        ephemeral_allowed=change.new_chat_member.status == "administrator",
        can_write=change.new_chat_member.status != "restricted" or change.new_chat_member.can_send_messages,
        arrived=change.old_chat_member.is_gone and not gone,
    )
    return _report(cause, who, standing, where)


def _member(change: ChatMemberUpdated, cause: str) -> i.Intent | None:
    who = person(change.new_chat_member.user)
    if change.new_chat_member.is_gone:
        request: i.AnyRequest = i.MemberLeft()
    elif change.old_chat_member.is_gone:
        request = i.MembersJoined((who.address,))
    else:
        return None
    return _report(cause, who, request, place(change.chat))
