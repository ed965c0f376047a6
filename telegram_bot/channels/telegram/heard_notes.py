"""Listen to a voice note: download it, decode it in a cage, and have a recogniser hear which legal call it is.

What was heard is stored with the update, so nobody listens twice. The sound is stored nowhere, and logged nowhere.
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
from telegram_bot.observability import metrics
from telegram_bot.service.intents import HeardNote, Intent, NoteBeingHeard, NoteOutcome, VoiceNote
from telegram_bot.service.note_context import NoteContext, note_context
from telegram_bot.service.service import Service
from telegram_bot.side_process import BusyError, SideProcessError
from telegram_bot.tables.turn_clock import NOTE_SECONDS
from telegram_bot.voice.decode import Decoder, NotAVoiceNote
from telegram_bot.voice.spoken import Heard, Spoken, VoiceCommand, VoiceUnavailable, label_of

log = logging.getLogger(__name__)

LONGEST_SECONDS: Final = 8
LARGEST_BYTES: Final = 128 * 1024
NOTES_AT_ONCE: Final = 8
"""How many notes are downloaded and decoded at the same time, each on a connection that no message needs."""
MOST_WAITING: Final = 32
"""How many notes may wait for that; whoever sends another one is asked to tap or type."""


_FAILURES: Final[dict[type[Exception], NoteOutcome]] = {
    TooLargeError: NoteOutcome.TOO_LONG,
    NotAVoiceNote: NoteOutcome.WITHOUT_SOUND,
    VoiceUnavailable: NoteOutcome.NOT_HEARD_HERE,
    SideProcessError: NoteOutcome.TROUBLE,
    TelegramError: NoteOutcome.TROUBLE,
}
_UNHEARD: Final = frozenset(set(NoteOutcome) - {NoteOutcome.HEARD})


class Recogniser(Protocol):
    """Hears which of some calls a sound is."""

    async def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """What was said; `pcm` is 16 kHz, mono, signed 16 bits."""

    def can_hear(self, language: str) -> bool:
        """Whether there is an engine for the language."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """How this installation listens to voice notes."""

    recogniser: Recogniser
    decoder: Decoder
    notes_per_minute: int
    """How many of one person's notes are listened to; 0: any number."""
    files: Bot
    """The client for downloads, with connections of its own: however slow they are, no answer to a tap waits."""


class HeardNotes:
    """Tells what was said in a voice note, for `VoiceNote`."""

    name: Final = "heard_note"
    intent_type: Final = VoiceNote
    seconds: Final = float(NOTE_SECONDS)
    """The turn's clock waits no longer either."""

    def __init__(self, service: Service, hearing: Hearing | None) -> None:
        """`hearing`: None where voice notes are not heard."""
        self.service = service
        self.hearing = hearing
        self._free = asyncio.Semaphore(NOTES_AT_ONCE)
        self._inside = 0
        """How many notes are downloaded and decoded, or wait for it."""
        for outcome in ("sure", "ask", *_UNHEARD):  # every series exists from the start
            metrics.VOICE_NOTES.labels(outcome)

    async def look_up(self, intent: Intent) -> JsonValue:
        """Listen, unless the person plays nothing here, or the note is beyond the limits."""
        assert isinstance(intent.what, VoiceNote)  # noqa: S101 - `intent_type`
        try:
            heard = await self._listen(intent, intent.what)
        except asyncio.CancelledError:  # it took too long, or the bot stops
            metrics.VOICE_NOTES.labels(NoteOutcome.TROUBLE).inc()
            raise
        outcome = heard.outcome if heard.outcome is not NoteOutcome.HEARD else "sure" if heard.sure else "ask"
        metrics.VOICE_NOTES.labels(outcome).inc()
        return heard.model_dump(mode="json")

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """The note with what was heard; where that is unknown, the player is told to tap or type."""
        assert isinstance(intent.what, VoiceNote)  # noqa: S101 - `intent_type`
        try:
            heard = HeardNote.model_validate(fact)
        except ValidationError:  # nothing is known, or another version has listened
            heard = HeardNote(outcome=NoteOutcome.TROUBLE)
        return replace(intent, what=replace(intent.what, heard=heard))

    async def _listen(self, intent: Intent, note: VoiceNote) -> HeardNote:
        per_minute = 0 if self.hearing is None else self.hearing.notes_per_minute
        context = await self.service.database.run(
            lambda session: note_context(self.service.unit_of_work(session, ""), intent, notes_per_minute=per_minute)
        )
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
        """The first language of the player and the table that can be heard."""
        if self.hearing is None:
            return None
        return next(filter(self.hearing.recogniser.can_hear, context.languages), None)

    async def _hear(self, hearing: Hearing, note: VoiceNote, language: str, context: NoteContext) -> Heard:
        pcm = await self._decoded(hearing, note)
        legal: list[Spoken] = [parse_call(word, context.seat) for word in context.calls]
        commands = [word for word in VoiceCommand if word is not VoiceCommand.CONFIRM or context.confirms]
        with metrics.VOICE_SECONDS.labels("hear").time(), metrics.VOICE_QUEUE.track_inprogress():
            return await hearing.recogniser.hear(pcm, language, [*legal, *commands])

    async def _decoded(self, hearing: Hearing, note: VoiceNote) -> bytes:
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
