"""Parse updates to intents without knowledge of the game: who, where, which table and step, what."""

import re
from collections.abc import Hashable
from dataclasses import replace
from typing import Any, Final

from telegram import (
    Bot,
    Chat,
    ChatMember,
    ChatMemberRestricted,
    ChatMemberUpdated,
    Message,
    MessageEntity,
    Update,
    User,
)

from telegram_bot.channels.telegram import NAME, callback_data
from telegram_bot.channels.telegram.buttons import CODE, DAILY, LEARN
from telegram_bot.service import intents as i
from telegram_bot.service.commands import Command, Scope, find_command
from telegram_bot.service.envelope import MessageRef
from telegram_bot.words.parsing.on_off import on_or_off

ALLOWED: Final = (
    "message",
    "callback_query",
    "inline_query",
    "chosen_inline_result",
    "my_chat_member",
    "chat_member",
)
"""The kinds of updates that the bot asks for. Edited messages are not among them: an edit must not change a move."""

GROUPS: Final = (Chat.GROUP, Chat.SUPERGROUP)
_GONE: Final = (ChatMember.LEFT, ChatMember.BANNED)
_COMPUTERS: Final = "bots"
"""Behind /league: the list of computer players."""
_PLAIN_BID: Final = re.compile(r"\s*\d{1,3} ?[xX×*] ?[1-6]\s*")
"""Talk in a group that may be a bid. Where privacy mode is on, Telegram does not deliver it."""
_AT_A_STEP: Final = (i.MakeBid, i.CallDudo, i.CallCalza, i.AnswerNote, i.SeeBids, i.AskCoach)
"""What counts at the step of the game for which its button was made, and at no other."""
_SLOW_BUTTONS: Final = (":story", ":hint")
"""Ends of the data of buttons whose answer another process has to find out."""


def read_update(payload: dict[str, Any], bot: Bot) -> tuple[i.Intent | None, Hashable]:
    """An update's intent, None if it asks for nothing; and its key.

    Updates with the same key are handled one after the other. Taps, which are most updates, are read without the
    library: to make its objects takes longer than to act on the tap.
    """
    tap = payload.get("callback_query")
    if tap is not None:
        message = tap.get("message")
        read = _tap(tap, str(payload["update_id"]))
        chat = int((message["chat"] if message else tap["from"])["id"])
        # Nobody waits for a story or for the coach but who asks for the same again.
        return read, (tap["data"], chat) if takes_seconds(payload) else chat
    update = Update.de_json(payload, bot)
    return parse_update(update, bot.bot), order_key(update)


def parse_update(update: Update, bot: User) -> i.Intent | None:
    """The intent of an update that is no tap; None if the update asks for nothing."""
    cause = str(update.update_id)
    if update.message is not None:
        return _message(update.message, cause, bot)
    if update.my_chat_member is not None:
        return _bot_standing(update.my_chat_member, cause)
    if update.chat_member is not None:
        return _member(update.chat_member, cause)
    return None


def order_key(update: Update) -> Hashable:
    """The key of an update that is no tap. Nobody waits for a voice note but its speaker's next one."""
    chat = update.effective_chat
    if update.message is not None and update.message.voice is not None and update.effective_user is not None:
        return "voice", update.message.chat.id, update.effective_user.id
    if chat is not None:
        return chat.id
    user = update.effective_user
    return 0 if user is None else user.id


def person(user: dict[str, Any]) -> i.Person:
    """A Telegram user as a person."""
    names = (user["first_name"], user.get("last_name"))
    name = " ".join(name for name in names if name) or str(user["id"])
    return i.Person(NAME, int(user["id"]), name, user.get("username"), user.get("language_code"))


def place(chat: dict[str, Any], topic: int | None = None) -> i.Place | None:
    """The group or topic of a message; None for a private chat."""
    if chat.get("type") not in GROUPS:
        return None
    return i.Place(NAME, int(chat["id"]), int(topic or 0), str(chat.get("title") or ""))


def place_of_message(payload: dict[str, Any]) -> i.Place | None:
    """The group or topic in which an update is a message; None if it is something else."""
    message = payload.get("message")
    if not isinstance(message, dict):
        return None
    topic = message.get("message_thread_id") if message.get("is_topic_message") else None
    return place(message.get("chat") or {}, topic)


def _tap(query: dict[str, Any], cause: str) -> i.Intent:
    who = person(query["from"])
    unreadable = i.Intent(NAME, cause, who, i.UnknownChoice(), answered_by="toast", reply_handle=query["id"])
    message = query.get("message")
    if message is None:
        return unreadable
    is_readable = message["date"] != 0  # of a message that is too old Telegram tells only where it is
    ephemeral = message.get("ephemeral_message_id") if is_readable else None
    topic = message.get("message_thread_id") if is_readable and message.get("is_topic_message") else None
    where = place(message["chat"], topic)
    where = where and replace(where, topic_known=is_readable)
    tap = callback_data.parse_callback(query.get("data"))
    if tap is None:
        return replace(unreadable, where=where)
    return replace(
        unreadable,
        what=tap.what,
        where=where,
        table=tap.table,
        step=tap.step if isinstance(tap.what, _AT_A_STEP) else None,
        tapped=MessageRef(message["message_id"], picture="photo" in message)
        if ephemeral is None
        else MessageRef(int(ephemeral), who.address),
    )


def _told(cause: str, who: i.Person, what: i.What, where: i.Place | None) -> i.Intent:
    """What Telegram reports and nobody waits for an answer to."""
    return i.Intent(NAME, cause, who, what, where, answered_by="nothing")


def _message(message: Message, cause: str, bot: User) -> i.Intent | None:
    where = place(message.chat.to_dict(), message.message_thread_id if message.is_topic_message else None)
    if message.migrate_to_chat_id is not None and where is not None:
        what = i.ChatMoved(message.migrate_to_chat_id)
        return _told(cause, _somebody(message), what, where)
    if message.left_chat_member is not None:
        if message.left_chat_member.id == bot.id:
            return None
        who = person(message.left_chat_member.to_dict())
        return _told(cause, who, i.MemberLeft(), where)
    if message.forum_topic_reopened is not None or message.general_forum_topic_unhidden is not None:
        return _told(cause, _somebody(message), i.TopicReopened(), where)
    if message.new_chat_members and where is not None:
        came = i.MembersJoined(tuple(user.id for user in message.new_chat_members))
        return _told(cause, _somebody(message), came, where)
    if message.from_user is None:
        return None
    if message.text is None:
        return _recorded(message, message.from_user, cause, where, bot)
    if message.from_user.is_bot:
        # Somebody who writes as the group or a channel: a command asks for a tap where the bot must know who.
        is_anonymous = where is not None and message.sender_chat is not None and message.text.startswith("/")
        return _command(message, message.text, cause, where, bot) if is_anonymous else None
    if message.forward_origin is not None:
        return None
    if message.via_bot is not None:
        return _posted(message, cause, where) if message.via_bot.id == bot.id else None
    if message.text.startswith("/"):
        return _command(message, message.text, cause, where, bot)
    return _typed(message, message.text, cause, where, bot)


def _recorded(message: Message, speaker: User, cause: str, where: i.Place | None, bot: User) -> i.Intent | None:
    """A voice note, or what is taken for one. What somebody else has said is no bid of the person who forwards it."""
    if speaker.is_bot or message.forward_origin is not None or message.via_bot is not None:
        return None
    for_bot = where is None or _replies_to(message, bot)
    voice = message.voice
    if voice is not None:
        seconds = float(voice.to_dict().get("duration", 0))
        note = i.VoiceNote(voice.file_id, seconds, voice.file_size or 0, overheard=not for_bot)
        return _said(message, cause, where, note)
    if for_bot and (message.video_note is not None or message.audio is not None):
        return _said(message, cause, where, i.OtherRecording())
    return None


def _replies_to(message: Message, bot: User) -> bool:
    replied = message.reply_to_message
    return replied is not None and replied.from_user is not None and replied.from_user.id == bot.id


def takes_seconds(payload: dict[str, Any]) -> bool:
    """Whether an update is a voice note, which is listened to, or asks for a story or for the coach's advice."""
    message, tap = payload.get("message"), payload.get("callback_query")
    if isinstance(tap, dict):
        return str(tap.get("data")).endswith(_SLOW_BUTTONS)
    return isinstance(message, dict) and "voice" in message


def _posted(message: Message, cause: str, where: i.Place | None) -> i.Intent | None:
    """The call in an inline result that the player posted. It counts in the table's own chat alone."""
    link = next(
        (each.url for each in message.entities if each.type == MessageEntity.TEXT_LINK and each.offset == 0), None
    )
    call = None if link is None else callback_data.parse_result_id(callback_data.name_in_link(link))
    if call is None:
        return None
    if where is None:
        return i.Intent(NAME, cause, _somebody(message), i.PostedElsewhere())
    return i.Intent(NAME, cause, _somebody(message), call.what, where, table=call.table, step=call.step)


def _somebody(message: Message) -> i.Person:
    user = message.from_user
    return i.Person(NAME, 0, "") if user is None else person(user.to_dict())


def _said(message: Message, cause: str, where: i.Place | None, what: i.What) -> i.Intent:
    replied = message.reply_to_message
    return i.Intent(
        source=NAME,
        cause=cause,
        who=_somebody(message),
        what=what,
        where=where,
        said_at=message.date.timestamp(),
        replied_to=None if replied is None else MessageRef(replied.message_id),
    )


def _command(message: Message, text: str, cause: str, where: i.Place | None, bot: User) -> i.Intent | None:
    head, _, rest = text.partition(" ")
    name, _, addressee = head[1:].partition("@")
    if addressee and addressee.casefold() != (bot.username or "").casefold():
        return None
    command = find_command(name.casefold(), Scope.PRIVATE if where is None else Scope.GROUP)
    if command is None:
        # In a group an unknown command may be for another bot. In private it gets a hint.
        return None if where is not None else _said(message, cause, where, i.SeeHelp())
    if message.from_user is not None and message.from_user.is_bot:
        return None if command.anonymous is None else _said(message, cause, where, command.anonymous)
    what = _command_intent(command, rest)
    if isinstance(what, i.SeeStatistics):
        what = i.SeeStatistics(of=_writer_replied_to(message))
    return _said(message, cause, where, what)


def _writer_replied_to(message: Message) -> int | None:
    """Whose message this one answers; None for nobody's, or a bot's. In a topic each message answers its first one."""
    replied = message.reply_to_message
    if replied is None or replied.from_user is None or replied.from_user.is_bot or replied.forum_topic_created:
        return None
    return replied.from_user.id


def _command_intent(command: Command, rest: str) -> i.What:
    """A command's intent, with the words behind it."""
    match command.intent:
        case None if command.name == "hide":
            return i.Choose("hidden", on_or_off(rest) is not False)
        case None:  # the words behind the command are the call
            return i.TypedText(rest)
        case i.SeeLeague():
            return i.SeeLeague(computers=rest.strip().casefold() == _COMPUTERS)
        case i.StartPrivateChat():
            payload = rest.strip()
            if payload == LEARN:
                return i.TakeTutorial()
            if payload == DAILY:
                return i.PlayDaily()
            code = payload.removeprefix(CODE) if payload.startswith(CODE) else None
            return i.StartPrivateChat(code=code)
        case what:
            return what


def _typed(message: Message, text: str, cause: str, where: i.Place | None, bot: User) -> i.Intent | None:
    if where is not None and not _replies_to(message, bot):
        if not _PLAIN_BID.fullmatch(text):
            return None
        return _said(message, cause, where, i.TypedText(text, may_be_talk=True, overheard=True))
    # In a private chat every message is meant for the bot.
    return _said(message, cause, where, i.TypedText(text, may_be_talk=where is not None))


def _gone(member: ChatMember) -> bool:
    """Whether the member is no longer in the chat. A restricted member may be in the chat or not."""
    return member.status in _GONE or (isinstance(member, ChatMemberRestricted) and not member.is_member)


def _bot_standing(change: ChatMemberUpdated, cause: str) -> i.Intent | None:
    gone = _gone(change.new_chat_member)
    where = place(change.chat.to_dict())
    who = person(change.from_user.to_dict())
    if change.chat.type == Chat.CHANNEL:  # the private chat of the person who changed it stays as it is
        return None
    if where is None:
        what: i.What = i.PrivateChatBlocked() if gone else i.StartPrivateChat(greeted=False)
        return _told(cause, who, what, None)
    standing = i.BotMembershipChanged(
        present=not gone,
        ephemeral_allowed=change.new_chat_member.status == ChatMember.ADMINISTRATOR,
        can_write=not (
            isinstance(change.new_chat_member, ChatMemberRestricted) and not change.new_chat_member.can_send_messages
        ),
        arrived=_gone(change.old_chat_member) and not gone,
    )
    return _told(cause, who, standing, where)


def _member(change: ChatMemberUpdated, cause: str) -> i.Intent | None:
    who = person(change.new_chat_member.user.to_dict())
    if _gone(change.new_chat_member):
        what: i.What = i.MemberLeft()
    elif _gone(change.old_chat_member):
        what = i.MembersJoined((who.address,))
    else:
        return None
    return _told(cause, who, what, place(change.chat.to_dict()))
