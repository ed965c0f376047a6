"""Send notices as photos or animations with their words as captions, or edit messages into photos."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Final

from telegram import Bot, InputMediaAnimation, InputMediaPhoto, Message, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import BadRequest, NetworkError

from telegram_bot.channels.telegram import is_group
from telegram_bot.channels.telegram.buttons import Rows, inline_keyboard
from telegram_bot.channels.telegram.error_mapping import NO_PHOTOS, NOT_MODIFIED, NOT_PARSED, UNUSABLE_FILE_ID, says
from telegram_bot.channels.telegram.http_client import NeverLeftError
from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.delivery.sender import SendResult
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices import Picture
from telegram_bot.notices.rendering import LONGEST_CAPTION, caption_length
from telegram_bot.presentation.pictures import Artist
from telegram_bot.storage.key_value import KeyValueStore
from telegram_bot.words.catalogue import Catalogue

log = logging.getLogger(__name__)

FILE_NAMES: Final = {False: "dice.png", True: "dice.gif"}
"""For a still picture, and for an animation."""
LATE_SECONDS: Final = 2.0
"""How long a message waits for its picture."""
ANIMATION_LATE_SECONDS: Final = 1.0
"""How long it waits for an animation. Afterwards the still picture is drawn, and for a minute no animation."""
UPLOADS_REST_SECONDS: Final = 60.0
"""How long the bot uploads nothing after a late upload, or a failure that may be the upload's fault."""
REFUSED_SECONDS: Final = 600.0
"""How long no photo is sent to a chat where photos are not allowed."""
REFUSALS_REMEMBERED: Final = 1000
FLEETING_REMEMBERED: Final = 200
_KEY_PREFIX: Final = "picture"
_READ_SECONDS: Final = 1.0
"""How long a picture waits for the database; afterwards it is uploaded again."""


@dataclass(frozen=True, slots=True)
class _Message:
    """The words below the photo, and the target: a new message, or the message that becomes the photo."""

    envelope: Envelope
    target: MessageRef | None
    caption: str
    rows: Rows


def reply_parameters(envelope: Envelope) -> ReplyParameters | None:
    """Return the message of the group that a notice answers, if it answers one; without it the notice is sent alone."""
    number = envelope.notice.answers
    if number is None or not is_group(envelope.chat) or envelope.receiver is not None:
        return None
    return ReplyParameters(number, allow_sending_without_reply=True)


class PhotoMessages:
    """Shows notices as photos, through one bot.

    A picture is an extra: without one, or if it is late or refused, the words are sent alone.
    """

    def __init__(self, bot: Bot, store: KeyValueStore | None = None) -> None:
        self.bot = bot
        self._store = store
        self._file_ids: FileIds | None = None
        self.artist = Artist()
        self.picture_seconds = LATE_SECONDS
        self.animation_seconds = ANIMATION_LATE_SECONDS
        self._uploads_rest_until = 0.0
        self._animations_rest_until = 0.0
        self._refused: OrderedDict[tuple[int, bool], float] = OrderedDict()
        """The time until which no photo, or no animation, is sent to a chat."""

    async def write(
        self, envelope: Envelope, target: MessageRef | None, w: Catalogue, caption: str, rows: Rows
    ) -> SendResult | None:
        """Send a notice as an animation or a photo, or edit the target into one.

        Returns:
            None if the words are to be sent alone: nothing was sent, or the target may have become the photo.

        Raises:
            TelegramError: as for any message. A caption that cannot be parsed is such an error.
        """
        picture = picture_of(envelope, w)
        if picture is None or caption_length(caption) > LONGEST_CAPTION or self._is_refused(envelope.chat, picture):
            return None
        try:
            return await self._write(_Message(envelope, target, caption, rows), picture)
        except BadRequest as error:
            if says(error, NOT_PARSED):
                raise
            if says(error, NO_PHOTOS):
                self._remember_refusal(envelope.chat, picture)
            # If the picture was not the reason, the words alone are refused as well, and that error counts.
            log.info("a picture was refused: %s", error.message)
            return None

    def forget_refusal(self, chat: int) -> None:
        """Forget that the chat refused pictures: it refuses words as well."""
        for animated in (True, False):
            self._refused.pop((chat, animated), None)

    async def close(self) -> None:
        """Stop drawing, and store the new file_ids."""
        self.artist.close()
        if self._file_ids is not None:
            await self._file_ids.close()

    async def _write(self, message: _Message, picture: Picture) -> SendResult | None:
        kept = None if picture.key is None else await self._ids.find(picture.key)
        if kept is not None and picture.key is not None:
            try:
                return (await self._call(message, picture, kept))[0]
            except BadRequest as error:
                if not says(error, UNUSABLE_FILE_ID):
                    raise
                self._ids.forget(picture.key, kept)
        began = time.monotonic()
        if began < (self._animations_rest_until if picture.animated else self._uploads_rest_until):
            return None
        usual = self.animation_seconds if picture.animated else self.picture_seconds
        drawn = await self.artist.draw(picture, usual if picture.seconds is None else picture.seconds)
        if drawn is None and picture.animated:
            self._animations_rest_until = time.monotonic() + UPLOADS_REST_SECONDS
        late = began + self.picture_seconds if picture.seconds is None else time.monotonic() + self.picture_seconds
        return None if drawn is None else await self._upload(message, picture, drawn, late)

    async def _upload(self, message: _Message, picture: Picture, drawn: bytes, late: float) -> SendResult | None:
        """Upload a picture. A late edit is cancelled, and its words are shown instead: they fit the message either way.

        A late new message may have been sent, so its result is awaited.
        """
        try:
            async with asyncio.timeout(None if message.target is None else late - time.monotonic()):
                result, file_id = await self._call(message, picture, drawn)
        except TimeoutError:
            log.warning("a picture was not uploaded in time; its words are shown alone")
            self._let_uploads_rest()
            return None
        except (BadRequest, NeverLeftError):
            raise
        except (NetworkError, asyncio.CancelledError):
            self._let_uploads_rest()
            raise
        if time.monotonic() > late:
            self._let_uploads_rest()
        if picture.key is not None and file_id is not None:
            self._ids.keep(picture.key, file_id, lasting=picture.lasting)
        return result

    async def _call(self, message: _Message, picture: Picture, photo: str | bytes) -> tuple[SendResult, str | None]:
        """Send or edit; also returns the file_id of the photo."""
        envelope, target, keys = message.envelope, message.target, inline_keyboard(message.rows)
        words: dict[str, Any] = {
            "caption": message.caption,
            "parse_mode": ParseMode.HTML,
            "filename": FILE_NAMES[picture.animated],
        }
        if target is None:
            place: dict[str, Any] = {
                "disable_notification": envelope.silent,
                "message_thread_id": envelope.topic or None,
                "reply_parameters": reply_parameters(envelope),
            }
            send = self.bot.send_animation if picture.animated else self.bot.send_photo
            sent = await send(envelope.chat, photo, reply_markup=keys, **words, **place)
            return SendResult(sent.message_id, bool(message.rows), picture=True), _file_id(sent)
        media = (InputMediaAnimation if picture.animated else InputMediaPhoto)(photo, **words)
        result = SendResult(target.message, bool(message.rows), picture=True)
        try:
            edited = await self.bot.edit_message_media(media, envelope.chat, target.message, reply_markup=keys)
        except BadRequest as error:
            if not says(error, NOT_MODIFIED):
                raise
            return result, None
        return result, _file_id(edited)

    @property
    def _ids(self) -> FileIds:
        if self._file_ids is None:
            self._file_ids = FileIds(self._store, self.bot.id)
        return self._file_ids

    def _let_uploads_rest(self) -> None:
        self._uploads_rest_until = self._animations_rest_until = time.monotonic() + UPLOADS_REST_SECONDS

    def _remember_refusal(self, chat: int, picture: Picture) -> None:
        self._refused[chat, picture.animated] = time.monotonic() + REFUSED_SECONDS
        self._refused.move_to_end((chat, picture.animated))
        if len(self._refused) > REFUSALS_REMEMBERED:
            self._refused.popitem(last=False)

    def _is_refused(self, chat: int, picture: Picture) -> bool:
        return time.monotonic() < self._refused.get((chat, picture.animated), 0.0)


def _file_id(message: Message | bool) -> str | None:
    """Return the file_id of a message's animation, or of its photo in full size."""
    if not isinstance(message, Message):
        return None
    found = message.animation or max(message.photo, key=lambda size: size.width, default=None)
    return None if found is None else found.file_id


class FileIds:
    """The file_ids of one bot, by the keys of the pictures. Another bot cannot use them.

    All are read when the first is needed. File_ids that other workers store later are not seen: such a picture is
    uploaded twice. After an error of the database the picture is uploaded again.
    """

    def __init__(self, store: KeyValueStore | None, bot: int) -> None:
        """Without a store the file_ids live as long as the process."""
        self._store = store
        self._prefix = f"{_KEY_PREFIX}:{bot}:"
        self._known: dict[str, str] = {}
        self._fleeting: OrderedDict[str, str] = OrderedDict()
        self._reading: asyncio.Task[None] | None = None
        self._writing: set[asyncio.Task[None]] = set()

    async def find(self, key: str) -> str | None:
        """Return the file_id of a picture, or None if it must be uploaded."""
        if key in self._fleeting:
            return self._fleeting[key]
        if self._reading is None:
            self._reading = asyncio.create_task(self._read(), name="file_ids")
        if not self._reading.done():
            await asyncio.wait([self._reading], timeout=_READ_SECONDS)
        return self._known.get(key)

    def keep(self, key: str, file_id: str, *, lasting: bool) -> None:
        """Keep the file_id of an uploaded picture. It is written to the database later, so no send waits."""
        if not lasting:
            self._fleeting[key] = file_id
            if len(self._fleeting) > FLEETING_REMEMBERED:
                self._fleeting.popitem(last=False)
            return
        self._known[key] = file_id
        if self._store is not None:
            task = asyncio.create_task(self._logged(self._store.put(self._prefix + key, file_id)), name="file_id")
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    def forget(self, key: str, file_id: str) -> None:
        """Drop a file_id that Telegram does not accept; the picture's next one replaces it."""
        for known in (self._known, self._fleeting):
            if known.get(key) == file_id:
                del known[key]

    async def close(self) -> None:
        """Wait until all file_ids are stored."""
        waiting = [*self._writing] if self._reading is None else [*self._writing, self._reading]
        await asyncio.gather(*waiting)

    async def _read(self) -> None:
        if self._store is not None:
            await self._logged(self._read_from(self._store))

    async def _read_from(self, store: KeyValueStore) -> None:
        found = await store.with_prefix(self._prefix)
        self._known = {key.removeprefix(self._prefix): file_id for key, file_id in found.items()} | self._known

    @staticmethod
    async def _logged(using_the_database: Coroutine[Any, Any, None]) -> None:
        try:
            await using_the_database
        except Exception as error:  # noqa: BLE001 - see the class; the statement that the error quotes tells dice
            log.warning("the file_ids of pictures are out of reach: %s", type(error).__name__)
