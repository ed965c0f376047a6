"""Send notices as Bot API calls."""

import asyncio
import contextlib
import logging
import re
from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError
from telegram import Bot, InputFile, LinkPreviewOptions, Message
from telegram.constants import ParseMode
from telegram.error import BadRequest, Forbidden, NetworkError, RetryAfter, TelegramError

from telegram_bot import notices as n
from telegram_bot.channels.telegram import NAME, is_group
from telegram_bot.channels.telegram.buttons import Rows, SeatPages, inline_keyboard
from telegram_bot.channels.telegram.error_mapping import NOT_MODIFIED, NOT_PARSED, OTHER_KIND, map_error, says
from telegram_bot.channels.telegram.http_client import NoAnswerError
from telegram_bot.channels.telegram.keyboards import keyboard, seat_rows
from telegram_bot.channels.telegram.photo_messages import PhotoMessages, reply_parameters
from telegram_bot.channels.telegram.received import ChatMember, unreadable_part
from telegram_bot.channels.telegram.voice_messages import Speaking, VoiceMessages
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import ChatLostError, RefusalScope, RefusedError, SendResult, TargetGoneError
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices.base import start_link
from telegram_bot.notices.rendering import LONGEST_CAPTION, caption_html, caption_length, message_html, toast_text
from telegram_bot.storage.key_value import KeyValueStore
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import Catalogue, catalogue

log = logging.getLogger(__name__)

_TIME: Final = re.compile(r"</?tg-time[^>]*>")
PLACEHOLDER_SECONDS: Final = 1.1
"""Telegram accepts one message a second in a chat."""
ANSWER_AGAIN_SECONDS: Final = (0.3, 1.5)
"""The pauses before an answer to a tap is repeated. A repeated answer does no harm, and Telegram soon stops waiting."""
_PLACEHOLDER: Final = "👁"
CONFETTI: Final = "5046509860389126442"
"""The effect 🎉, one of those that need no subscription. Telegram shows effects in private chats only."""
REACTION_SECONDS: Final = 2.0
"""How long the chat's next message waits for the answer to a reaction."""
MEMBER_SECONDS: Final = 4.0
"""How long a page waits for Telegram's answer whether its person is in the group."""
REACTIONS: Final = {n.Celebration.WIN: "🏆", n.Celebration.EXACT_CALZA: "🔥", n.Celebration.ELIMINATION: "😱"}
"""Emoji that Telegram permits for reactions of bots."""
NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)


class TelegramSender:
    """Sends notices through one bot."""

    name = NAME

    def __init__(
        self,
        bot: Bot,
        limits: Limits | None = None,
        store: KeyValueStore | None = None,
        speaking: Speaking | None = None,
        pages: SeatPages | None = None,
    ) -> None:
        """`store`: where file_ids of pictures are kept; `speaking` reads messages aloud.

        `pages`: the addresses of the Mini App, or None if there is none.
        """
        self.pages = pages
        self.bot = bot
        self.limits = limits or Limits()
        self.photos = PhotoMessages(bot, store)
        self.voice = VoiceMessages(bot, speaking)
        self._supports_ephemeral: bool | None = None
        """Whether the server supports ephemeral messages, or None until the first one was sent."""

    async def close(self) -> None:
        """Stop drawing and speaking, and store the new file_ids."""
        await self.photos.close()
        await self.voice.close()

    def is_group(self, address: int) -> bool:
        """Return True for a group; see `Sender.is_group`."""
        return is_group(address)

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        """Send a notice, or edit the target to show it; see `Sender.send`."""
        try:
            return await self._send(envelope, target)
        except TelegramError as error:
            if says(error, NOT_MODIFIED):
                rows = self._keyboard(envelope.notice, catalogue(envelope.language, envelope.dice_style))
                return SendResult(None, bool(rows)) if target is None else _shown_in(target, rows)
            mapped = map_error(error, envelope, editing=target is not None)
            if isinstance(mapped, ChatLostError):
                self.photos.forget_refusal(envelope.chat)
            raise mapped from error

    async def _send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        w = catalogue(envelope.language, envelope.dice_style)
        notice = envelope.notice.sent_by(self.bot.username, reads_all=bool(self.bot.can_read_all_group_messages))
        envelope = envelope.model_copy(update={"notice": notice})
        rows = self._keyboard(notice, w)
        if isinstance(notice, n.ReactionNotice):
            if target is not None:
                await self._react(envelope.chat, target.message, notice.celebration)
            return SendResult(None)
        if isinstance(notice, n.VoiceNotice):
            self.voice.say(notice, envelope, w)
            return SendResult(None)
        if isinstance(notice, n.OutdatedNotice) and target is not None:
            await self._retire(envelope, target, moved=notice.moved)
            return SendResult(None)
        if isinstance(notice, n.OpenedRevealNotice) and target is not None and not target.picture:
            return _shown_in(target, rows)  # no picture was sent, so the words were never hidden
        words = message_html(notice, w)
        if words is None and target is not None:
            await self._edit_keyboard(envelope, target, rows)
            return SendResult(None, keyboard=True)
        text = _unbroken(words)
        places_eye = target is None and envelope.receiver is not None and not self._supports_ephemeral
        try:
            sent = await self._write(envelope, target, w, text, rows)
        except BadRequest as error:
            # This server does not support the newest entities: send the words without them.
            plain = _TIME.sub("", text)
            if not says(error, NOT_PARSED) or plain == text:
                raise
            sent = await self._write(envelope, target, w, plain, rows, timeless=True)
        return replace(sent, extra_sends=int(places_eye))

    def _keyboard(self, notice: n.Notice, w: Catalogue) -> Rows:
        rows = keyboard(notice, w, bot=self.bot.username, inline=bool(self.bot.supports_inline_queries))
        if self.pages is None:
            return rows
        registered = bool(self.pages.app or self.bot.bot.has_main_web_app)
        return [*rows, *seat_rows(notice, w, self.pages, bot=self.bot.username, registered=registered)]

    async def _write(
        self,
        envelope: Envelope,
        target: MessageRef | None,
        w: Catalogue,
        text: str,
        rows: Rows,
        *,
        timeless: bool = False,
    ) -> SendResult:
        """Show a notice as an animation or a photo if it has such a picture, otherwise as text.

        `timeless`: without entities for times.
        """
        caption = _unbroken(caption_html(envelope.notice, w)) if envelope.pictures else text
        caption = _TIME.sub("", caption) if timeless else caption
        photo = await self.photos.write(envelope, target, w, caption, rows)
        if photo is not None:
            return photo
        if envelope.notice.moves:
            still = envelope.notice.model_copy(update={"animated": False})
            simpler = envelope.model_copy(update={"notice": still})
            words = _unbroken(message_html(still, w))
            return await self._write(simpler, target, w, words, rows, timeless=timeless)
        if target is not None and target.receiver is None:
            if target.picture and envelope.notice.has_own_dice:
                raise TargetGoneError("the picture may show other dice")
            return await self._edit_words(envelope, target, text, rows)
        return SendResult(await self._write_text(envelope, target, text, rows), bool(rows))

    async def _edit_words(
        self, envelope: Envelope, target: MessageRef, text: str, rows: Rows, *, tried: bool = False
    ) -> SendResult:
        """Change the words of a message; a picture keeps its image and gets a new caption.

        A message may be a picture although this is not stored: the process died after the edit, or an edit that was
        cancelled arrived later.
        """
        if target.picture and caption_length(text) > LONGEST_CAPTION:
            raise TargetGoneError("the words are too long for a caption")
        keys = inline_keyboard(rows)
        try:
            if target.picture:
                await self.bot.edit_message_caption(
                    envelope.chat, target.message, caption=text, parse_mode=ParseMode.HTML, reply_markup=keys
                )
            else:
                await self.bot.edit_message_text(
                    text,
                    envelope.chat,
                    target.message,
                    parse_mode=ParseMode.HTML,
                    link_preview_options=NO_PREVIEW,
                    reply_markup=keys,
                )
        except BadRequest as error:
            if says(error, OTHER_KIND) and not tried:
                other = replace(target, picture=not target.picture)
                return await self._edit_words(envelope, other, text, rows, tried=True)
            if not says(error, NOT_MODIFIED):
                raise
        return _shown_in(target, rows)

    async def _write_text(self, envelope: Envelope, target: MessageRef | None, text: str, rows: Rows) -> int | None:
        if target is not None and target.receiver is not None:
            await self._ephemeral(
                "editEphemeralMessageText",
                envelope,
                target,
                text=text,
                parse_mode=ParseMode.HTML,
                reply_markup=inline_keyboard(rows),
            )
            return target.message
        if (file := envelope.notice.attached) is not None:
            name, content = file
            sent = await self.bot.send_document(
                envelope.chat,
                InputFile(content, filename=name),
                caption=text,
                parse_mode=ParseMode.HTML,
                message_thread_id=envelope.topic or None,
            )
            return sent.message_id
        if envelope.receiver is not None:
            return await self._send_ephemeral(envelope, envelope.receiver, text, rows)
        if envelope.festive and not self.is_group(envelope.chat):
            try:
                return (await self._say(envelope, text, rows, effect=CONFETTI)).message_id
            except BadRequest as error:
                log.info("an effect was refused: %s", error.message)
        return (await self._say(envelope, text, rows)).message_id

    async def _say(self, envelope: Envelope, text: str, rows: Rows, effect: str | None = None) -> Message:
        return await self.bot.send_message(
            envelope.chat,
            text,
            parse_mode=ParseMode.HTML,
            link_preview_options=NO_PREVIEW,
            disable_notification=envelope.silent,
            message_thread_id=envelope.topic or None,
            reply_markup=inline_keyboard(rows),
            message_effect_id=effect,
            reply_parameters=reply_parameters(envelope),
            api_kwargs=_ephemeral_parameters(envelope),
        )

    async def _ephemeral(self, method: str, envelope: Envelope, target: MessageRef, **parameters: Any) -> None:
        """Edit or delete an ephemeral message, by a method of the Bot API that the library lacks."""
        place = {
            "chat_id": envelope.chat,
            "receiver_user_id": target.receiver,
            "ephemeral_message_id": target.message,
        }
        await self.bot.do_api_request(method, api_kwargs=place | parameters)

    async def _send_ephemeral(self, envelope: Envelope, receiver: int, text: str, rows: Rows) -> int | None:
        """Send a message in the group that only one person sees.

        An older Bot API server ignores the unknown parameter and would show the message to everyone. Therefore the
        first message contains only an eye. It is edited to the real message after the server has confirmed that it is
        ephemeral.
        """
        if self._supports_ephemeral is False:
            raise RefusedError("ephemeral messages are not known here", RefusalScope.CHAT)
        sure = self._supports_ephemeral is True
        message = await self._say(envelope, text, rows) if sure else await self._say(envelope, _PLACEHOLDER, [])
        number = message.api_kwargs.get("ephemeral_message_id")
        if number is None:
            self._supports_ephemeral = False
            log.error("this Bot API server cannot show a message to one member alone; other ways are used")
            with contextlib.suppress(TelegramError):
                await self.bot.delete_message(envelope.chat, message.message_id)
            raise RefusedError("ephemeral messages are not known here", RefusalScope.CHAT)
        if not sure:
            self._supports_ephemeral = True
            await asyncio.sleep(PLACEHOLDER_SECONDS)
            await self._write_text(envelope, MessageRef(int(number), receiver), text, rows)
        return int(number)

    async def _react(self, chat: int, message: int, celebration: n.Celebration) -> None:
        """React to a message. A refused reaction is no error: a group may forbid reactions.

        Raises:
            RetryAfter: Telegram asks for a pause, which concerns other messages too.
        """
        try:
            await self.bot.set_message_reaction(chat, message, REACTIONS[celebration], read_timeout=REACTION_SECONDS)
        except RetryAfter:
            raise
        except TelegramError as error:
            log.info("a reaction was refused: %s", type(error).__name__)

    async def _edit_keyboard(self, envelope: Envelope, target: MessageRef, rows: Rows) -> None:
        keys = inline_keyboard(rows)
        if target.receiver is None:
            await self.bot.edit_message_reply_markup(envelope.chat, target.message, reply_markup=keys)
        else:
            await self._ephemeral("editEphemeralMessageReplyMarkup", envelope, target, reply_markup=keys)

    async def _retire(self, envelope: Envelope, target: MessageRef, *, moved: bool) -> None:
        """Remove the buttons. Delete the message if a newer one replaces it, or if it cannot be scrolled back to."""
        if target.receiver is not None:
            await self._ephemeral("deleteEphemeralMessage", envelope, target)
            return
        if moved:
            with contextlib.suppress(BadRequest):  # it is too old for a deletion
                await self.bot.delete_message(envelope.chat, target.message)
                return
        await self.bot.edit_message_reply_markup(envelope.chat, target.message)

    async def answer(
        self,
        query: str,
        toast: n.Toast | None,
        language: str | None,
        dice_style: DiceStyle = DiceStyle.KEYCAPS,
    ) -> None:
        """Answer a tap. A late answer is no error."""
        start = toast.start if isinstance(toast, n.FeatureToast) else ""
        url = start_link(self.bot.username, start) if start else None
        text = None if toast is None or url else toast_text(toast, catalogue(language, dice_style))
        alert = toast is not None and toast.takes_time
        for pause in (*ANSWER_AGAIN_SECONDS, None):
            try:
                await self.bot.answer_callback_query(query, text, show_alert=alert, url=url)
            except BadRequest as error:
                log.info("a tap was answered too late: %s", error.message)
            except NetworkError as error:
                if pause is not None:
                    await asyncio.sleep(pause)
                    continue
                log.warning("a tap could not be answered: %s", type(error).__name__)
            except TelegramError as error:
                log.warning("a tap could not be answered: %s", type(error).__name__)
            return

    async def can_send_ephemeral(self, chat: int) -> bool | None:
        """Return True if the bot is an admin of the chat and may send ephemeral messages at any time.

        None if unknown.
        """
        if self._supports_ephemeral is False:
            return False
        try:
            return (await self._member(chat, self.bot.id)).status == "administrator"
        except TelegramError:
            return None

    async def is_admin(self, chat: int, user: int) -> bool | None:
        """Return True if a user is an admin of a chat, or None if Telegram does not answer."""
        try:
            return (await self._member(chat, user)).is_admin
        except TelegramError as error:
            log.warning("an admin could not be looked up: %s", type(error).__name__)
            return False if isinstance(error, BadRequest | Forbidden) else None

    async def is_member(self, chat: int, user: int) -> bool | None:
        """Return True if a user is in a chat.

        None if Telegram does not answer, or does not tell a bot without rights.
        """
        try:
            async with asyncio.timeout(MEMBER_SECONDS):
                return not (await self._member(chat, user)).is_gone
        except (TelegramError, TimeoutError) as error:
            log.info("a member could not be looked up: %s", type(error).__name__)
            return None

    async def _member(self, chat: int, user: int) -> ChatMember:
        """Return a person's standing in a chat; of the answer only the parts that the bot reads are parsed.

        Raises:
            TelegramError: Telegram does not answer, or does not tell.
        """
        answer = await self.bot.do_api_request("getChatMember", {"chat_id": chat, "user_id": user})
        try:
            return ChatMember.model_validate(answer)
        except ValidationError as error:
            raise NoAnswerError(unreadable_part(error)) from None


def _unbroken(text: str | None) -> str:
    """Return the text with each bid as one word, which no line break splits."""
    return (text or "").replace(" × ", "\N{NO-BREAK SPACE}×\N{NO-BREAK SPACE}")


def _shown_in(target: MessageRef, rows: Rows) -> SendResult:
    return SendResult(target.message, bool(rows), picture=target.picture)


def _ephemeral_parameters(envelope: Envelope) -> dict[str, Any] | None:
    """Return the parameters of `sendMessage` for an ephemeral message, which the library does not support yet."""
    if envelope.receiver is None:
        return None
    parameters: dict[str, Any] = {"receiver_user_id": envelope.receiver}
    if envelope.reply_handle is not None:
        parameters["callback_query_id"] = envelope.reply_handle
    return {"ephemeral_message_parameters": parameters}
