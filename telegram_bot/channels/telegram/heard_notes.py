"""Recognise a voice note: download it, decode it in a confined process, and find the legal call in it.

The result is stored with the update, so a note is recognised once. The sound is neither stored nor logged.
"""

import asyncio
import logging
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, Protocol

from pydantic import JsonValue, ValidationError
from telegram import Bot
from telegram.error import TelegramError

from perudo_core import parse_call
from telegram_bot.channels.telegram.http_client import TooLargeError
from telegram_bot.intents.intents import HeardNote, Intent, NoteBeingHeard, NoteOutcome, VoiceNote
from telegram_bot.observability import metrics
from telegram_bot.service.note_context import NoteContext, note_context
from telegram_bot.service.service import Service
from telegram_bot.side_process import BusyError, SideProcessError
from telegram_bot.tables.turn_clock import NOTE_SECONDS
from telegram_bot.voice.decode import Decoder, NotAVoiceNote
from telegram_bot.voice.meanings import Heard, Spoken, VoiceCommand, VoiceUnavailable, label_of

log = logging.getLogger(__name__)

LONGEST_SECONDS: Final = 8
LARGEST_BYTES: Final = 128 * 1024
NOTES_AT_ONCE: Final = 8
"""The number of notes that are downloaded and decoded at once, on connections that no message needs."""
MOST_WAITING: Final = 32
"""The number of notes that may wait. The speaker of a further note is asked to tap or type."""


_FAILURES: Final[dict[type[Exception], NoteOutcome]] = {
    TooLargeError: NoteOutcome.TOO_LONG,
    NotAVoiceNote: NoteOutcome.WITHOUT_SOUND,
    VoiceUnavailable: NoteOutcome.NOT_HEARD_HERE,
    SideProcessError: NoteOutcome.TROUBLE,
    TimeoutError: NoteOutcome.TROUBLE,
    TelegramError: NoteOutcome.TROUBLE,
}
_UNHEARD: Final = frozenset(set(NoteOutcome) - {NoteOutcome.HEARD})


class CallRecogniser(Protocol):
    """Finds which of several calls a sound contains."""

    async def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """Return the recognised call; `pcm` is 16 kHz, mono, signed 16 bits."""

    def can_hear(self, language: str) -> bool:
        """Return True if there is an engine for the language."""


@dataclass(frozen=True, slots=True)
class VoiceRecognition:
    """The recognition of voice notes in this installation."""

    recogniser: CallRecogniser
    decoder: Decoder
    notes_per_minute: int
    """The limit of notes from one person in a minute; 0: none."""
    files: Bot
    """The client for downloads, with its own connections: slow downloads delay no answer to a tap."""


class HeardNotes:
    """Looks up the call in a voice note, for `VoiceNote`."""

    name: Final = "heard_note"
    intent_type: Final = VoiceNote
    seconds: Final = float(NOTE_SECONDS)
    """The turn's clock waits no longer either."""

    def __init__(self, service: Service, hearing: VoiceRecognition | None) -> None:
        """`hearing`: the recognition of voice notes, or None if it is off."""
        self.service = service
        self.hearing = hearing
        self._free = asyncio.Semaphore(NOTES_AT_ONCE)
        self._inside = 0
        """The number of notes that are downloaded and decoded, or wait for that."""
        for outcome in ("sure", "ask", *_UNHEARD):  # every series exists from the start
            metrics.VOICE_NOTES.labels(outcome)

    async def look_up(self, intent: Intent) -> JsonValue:
        """Recognise the note, unless the person does not play here or the note exceeds the limits."""
        assert isinstance(intent.request, VoiceNote)  # noqa: S101 - `intent_type`
        try:
            heard = await self._listen(intent, intent.request)
        except asyncio.CancelledError:  # it took too long, or the bot is stopping
            metrics.VOICE_NOTES.labels(NoteOutcome.TROUBLE).inc()
            raise
        outcome = heard.outcome if heard.outcome is not NoteOutcome.HEARD else "sure" if heard.sure else "ask"
        metrics.VOICE_NOTES.labels(outcome).inc()
        return heard.model_dump(mode="json")

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the note with the recognised call; if it is unknown, the player is asked to tap or type."""
        assert isinstance(intent.request, VoiceNote)  # noqa: S101 - `intent_type`
        try:
            heard = HeardNote.model_validate(fact)
        except ValidationError:  # unknown, or recognised by another version
            heard = HeardNote(outcome=NoteOutcome.TROUBLE)
        return replace(intent, request=replace(intent.request, heard=heard))

    async def _listen(self, intent: Intent, note: VoiceNote) -> HeardNote:
        per_minute = 0 if self.hearing is None else self.hearing.notes_per_minute
        context = await self.service.run(note_context, intent, notes_per_minute=per_minute)
        if isinstance(context, NoteOutcome):
            return HeardNote(outcome=context)
        language = self._language(context)
        if self.hearing is None or language is None:
            return HeardNote(outcome=NoteOutcome.NOT_HEARD_HERE)
        if note.seconds > LONGEST_SECONDS or note.size > LARGEST_BYTES:
            return HeardNote(outcome=NoteOutcome.TOO_LONG)
        if context.clock_must_wait:
            await self.service.handle(NoteBeingHeard(context.table, context.step, context.seat))
        try:
            heard = await self._hear(self.hearing, note, language, context)
        except tuple(_FAILURES) as error:
            log.info("a voice note was not heard: %s", type(error).__name__)
            return HeardNote(outcome=next(why for kind, why in _FAILURES.items() if isinstance(error, kind)))
        if heard.verdict == "unheard" or not heard.guesses:
            return HeardNote(outcome=NoteOutcome.UNHEARD)
        return HeardNote(
            outcome=NoteOutcome.HEARD,
            table=context.table,
            step=context.step,
            sure=heard.verdict == "sure",
            guesses=tuple(label_of(guess.spoken) for guess in heard.guesses),
        )

    def _language(self, context: NoteContext) -> str | None:
        """Return the first language of the player and the table that has an engine."""
        if self.hearing is None:
            return None
        return next(filter(self.hearing.recogniser.can_hear, context.languages), None)

    async def _hear(self, hearing: VoiceRecognition, note: VoiceNote, language: str, context: NoteContext) -> Heard:
        pcm = await self._decoded(hearing, note)
        legal: list[Spoken] = [parse_call(word, context.seat) for word in context.calls]
        commands = [word for word in VoiceCommand if word is not VoiceCommand.CONFIRM or context.confirms]
        with metrics.VOICE_SECONDS.labels("hear").time(), metrics.VOICE_QUEUE.track_inprogress():
            return await hearing.recogniser.hear(pcm, language, [*legal, *commands])

    async def _decoded(self, hearing: VoiceRecognition, note: VoiceNote) -> bytes:
        if self._inside >= NOTES_AT_ONCE + MOST_WAITING:
            raise BusyError("too many notes wait")
        self._inside += 1
        try:
            async with self._free:
                with metrics.VOICE_SECONDS.labels("download").time():
                    found = await hearing.files.get_file(note.file)
                    if (found.file_size or 0) > LARGEST_BYTES:
                        raise TooLargeError("too large a file")
                    sound = bytes(await found.download_as_bytearray())
                with metrics.VOICE_SECONDS.labels("decode").time():
                    return await hearing.decoder.decode(sound)
        finally:
            self._inside -= 1
