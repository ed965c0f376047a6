"""Read notices aloud as voice notes, after their messages."""

import asyncio
import logging
import time
from collections import OrderedDict
from hashlib import sha256
from typing import Final, Protocol, TypeVar

from telegram import Bot
from telegram.error import BadRequest, Forbidden, TelegramError

from telegram_bot.channels.telegram import is_group
from telegram_bot.channels.telegram.error_mapping import UNUSABLE_FILE_ID, says
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import VoiceNotice
from telegram_bot.notices.rendering import spoken_text
from telegram_bot.observability import metrics
from telegram_bot.side_process import SideProcessError
from telegram_bot.voice.speaking import note_seconds
from telegram_bot.words.catalogue import Catalogue

log = logging.getLogger(__name__)

PATIENCE_SECONDS: Final = 30.0
"""A note that is not ready by then is not sent: the game has moved on."""
MOST_AT_ONCE: Final = 200
REFUSED_SECONDS: Final = 600.0
"""How long no note is sent to a person or chat that refused one."""
FILE_IDS_KEPT: Final = 2000
SOUNDS_KEPT: Final = 16
"""Enough for one text that a group and its players get at the same time."""
FILE_NAME: Final = "perudo.ogg"
_T = TypeVar("_T")


class Speaking(Protocol):
    """Turns texts into voice notes; see `Speech`."""

    def voice_of(self, language: str) -> str:
        """Return the name of a language's voice."""
        ...

    async def say(self, text: str, language: str) -> bytes:
        """Return a text as a voice note. Raises `SideProcessError`."""
        ...

    async def close(self) -> None:
        """Stop speaking."""
        ...


class _Latest(OrderedDict[str, _T]):
    """A cache of the last values that were stored or used."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def use(self, key: str) -> _T | None:
        if key in self:
            self.move_to_end(key)
        return self.get(key)

    def keep(self, key: str, value: _T) -> None:
        self[key] = value
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)


class VoiceMessages:
    """Reads notices aloud through one bot.

    A spoken note is an extra: the chat's other messages wait neither for the voice nor for the upload, and after a
    failure the words remain. A text is spoken once. Afterwards Telegram's own copy of the note is sent; memory keeps
    its file_id under the text's digest, without the names of listeners.
    """

    def __init__(self, bot: Bot, speaking: Speaking | None) -> None:
        """Without `speaking` no notice is read aloud."""
        self.bot = bot
        self._speaking = speaking
        self._file_ids: _Latest[tuple[str, int]] = _Latest(FILE_IDS_KEPT)
        self._sounds: _Latest[asyncio.Task[bytes]] = _Latest(SOUNDS_KEPT)
        self._refused: _Latest[float] = _Latest(FILE_IDS_KEPT)
        self._last: dict[int, asyncio.Task[None]] = {}
        """The running note of each chat: the next note follows it."""
        self._tasks: set[asyncio.Task[None]] = set()

    def say(self, notice: VoiceNotice, envelope: Envelope, w: Catalogue) -> None:
        """Read a notice aloud soon."""
        if self._speaking is None or len(self._tasks) >= MOST_AT_ONCE:
            return
        if notice.tells_dice and is_group(envelope.chat):
            log.error("dice are not read aloud to a group")
            return
        if time.monotonic() < self._refused.get(str(envelope.chat), 0.0):
            return
        text = spoken_text(notice, w)
        if not text:
            return
        task = asyncio.create_task(
            self._say(envelope, text, w.language, self._last.get(envelope.chat)), name="voice note"
        )
        self._last[envelope.chat] = task
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._said(envelope.chat, done))

    async def close(self) -> None:
        """Stop speaking."""
        for task in [*self._tasks, *self._sounds.values()]:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._sounds.values(), return_exceptions=True)
        if self._speaking is not None:
            await self._speaking.close()

    def _said(self, chat: int, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._last.get(chat) is task:
            del self._last[chat]

    async def _say(self, envelope: Envelope, text: str, language: str, before: asyncio.Task[None] | None) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                if before is not None:
                    await asyncio.wait([before])
                await self._send(envelope, text, language)
            outcome = "sent"
        except TimeoutError:
            outcome = "late"
        except SideProcessError as error:
            log.warning("a message was not read aloud: %s", error)
            outcome = "failed"
        except (BadRequest, Forbidden) as error:
            # A group may forbid voice notes, and a person may accept them from friends only.
            log.info("a voice note was refused: %s", error.message)
            self._refused.keep(str(envelope.chat), time.monotonic() + REFUSED_SECONDS)
            outcome = "refused"
        except TelegramError as error:
            log.info("a voice note was not sent: %s", type(error).__name__)
            outcome = "not_sent"
        metrics.SPOKEN.labels(outcome).inc()

    async def _send(self, envelope: Envelope, text: str, language: str) -> None:
        assert self._speaking is not None  # noqa: S101 - see `say`
        voice = self._speaking.voice_of(language)
        key = sha256(f"{voice}\n{language}\n{text}".encode()).hexdigest()
        kept = self._file_ids.use(key)
        if kept is not None:
            try:
                await self._call(envelope, *kept)
            except BadRequest as error:
                if not says(error, UNUSABLE_FILE_ID):
                    raise
                self._file_ids.pop(key, None)
            else:
                return
        sound = await self._sound(key, text, language)
        seconds = max(1, round(note_seconds(sound)))
        file_id = await self._call(envelope, sound, seconds)
        if file_id is not None:
            self._file_ids.keep(key, (file_id, seconds))

    async def _sound(self, key: str, text: str, language: str) -> bytes:
        """Return the note of a text; two requests for the same text share one."""
        assert self._speaking is not None  # noqa: S101 - see `say`
        task = self._sounds.use(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = asyncio.create_task(self._speaking.say(text, language), name="voice")
            self._sounds.keep(key, task)
        return await asyncio.shield(task)

    async def _call(self, envelope: Envelope, voice: str | bytes, seconds: int) -> str | None:
        """Send a note; return its file_id. Telegram draws the waveform itself."""
        sent = await self.bot.send_voice(
            envelope.chat,
            voice,
            seconds,
            filename=FILE_NAME,
            disable_notification=envelope.silent,
            message_thread_id=envelope.topic or None,
        )
        return None if sent.voice is None else sent.voice.file_id
