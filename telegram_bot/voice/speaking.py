"""Speak texts as voice notes: Opus in OGG, small enough for Telegram's play button."""

import io
import tempfile
import unicodedata
from collections.abc import Collection, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

from telegram_bot.confinement import Needed
from telegram_bot.side_process import FunctionFailedError, SideProcess
from telegram_bot.voice.voices import ESPEAK, EspeakLibrary, Sound, VoiceError, open_voice
from telegram_bot.words.languages import ENGLISH

LONGEST_TEXT: Final = 1000
"""Characters: a minute and more. A longer text is not spoken."""
LARGEST_NOTE: Final = 1_000_000
"""Bytes. Telegram shows a larger file as music."""
SECONDS: Final = 20.0
MOST_WAITING: Final = 16
"""The number of texts that may wait; further ones are not spoken."""
IDLE_SECONDS: Final = 300.0
BIT_RATE: Final = 24_000
OPUS_RATE: Final = 48_000
"""Opus counts time in 48 000 parts of a second, whatever rate the sound had."""
_SAMPLE: Final = 2
_PAGE: Final = b"OggS"
_HEAD: Final = b"OpusHead"


class Speech:
    """Speaks texts by a side process: voices are C libraries, and some need hundreds of megabytes."""

    def __init__(self, voices: Mapping[str, str] | None = None) -> None:
        """`voices`: the voice of each language, by its name in the settings; espeak-ng speaks the others."""
        self._voices = dict(voices or {})
        self.process = SideProcess(
            say,
            seconds=SECONDS,
            prepare=partial(load_voices, frozenset(self._voices.values())),
            most_waiting=MOST_WAITING,
            idle_seconds=IDLE_SECONDS,
        )

    def voice_of(self, language: str) -> str:
        """Return the name of a language's voice."""
        return self._voices.get(language, "")

    async def say(self, text: str, language: str) -> bytes:
        """Return a text as a voice note. Raises `SideProcessError`, also after the time limit."""
        return await self.process.ask(text, language, self.voice_of(language))

    async def close(self) -> None:
        """Stop speaking."""
        await self.process.close()


def load_voices(voices: Collection[str]) -> Needed:
    """Load espeak-ng and the encoder; return the folders that the voices with these names need."""
    try:
        espeak = _opened("")
        voice_note(espeak.speak("a", ENGLISH))
    except VoiceError:  # other voices may be there, and each text is refused with the reason
        espeak = None
    if isinstance(espeak, EspeakLibrary) and not {*voices} - {"", ESPEAK}:
        return Needed(reading=(espeak.data,))  # it reads a language's files when it changes to that language
    # Programs and packages of the operator's choice: they read their own files, in any folder.
    return Needed(reading=(Path("/"),), writing=(Path(tempfile.gettempdir()),))


def say(text: str, language: str, voice: str) -> bytes:
    """Return a text as a voice note, in the voice with this name or, if it fails, in espeak-ng's."""
    why = ""
    for name in dict.fromkeys((voice, "")):
        try:
            return voice_note(_opened(name).speak(speakable(text), language))
        except VoiceError as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001 - a library's error may quote the text, which may tell dice
            why = type(error).__name__
    raise FunctionFailedError(why)


_opened = cache(open_voice)


def speakable(text: str) -> str:
    """Return a text without control characters; raises `VoiceError` if the rest is empty or far too long."""
    spaced = (" " if character.isspace() else character for character in text)
    cleaned = "".join(character for character in spaced if unicodedata.category(character) != "Cc").strip()
    if not cleaned or len(cleaned) > LONGEST_TEXT:
        raise VoiceError("there is nothing to say, or far too much")
    return cleaned


def voice_note(sound: Sound) -> bytes:
    """Return a sound as a voice note; raises `VoiceError` if it is empty, or larger than Telegram's notes."""
    if not sound.pcm:
        raise VoiceError("the voice said nothing")
    note = encode_note(sound.pcm, sound.rate)
    if len(note) > LARGEST_NOTE:
        raise VoiceError("a note that Telegram would not show as one")
    return note


def encode_note(pcm: bytes, rate: int) -> bytes:
    """Encode a voice note of mono sound: signed 16 bit little endian, at this sample rate. Needs the extra `voice`."""
    import av  # noqa: PLC0415 - 40 MB that only a process which speaks needs

    file = io.BytesIO()
    with av.open(file, "w", format="ogg") as container:
        stream = container.add_stream("libopus", rate=OPUS_RATE, layout="mono", options={"application": "voip"})
        stream.bit_rate = BIT_RATE
        frame = av.AudioFrame(format="s16", layout="mono", samples=len(pcm) // _SAMPLE)
        frame.sample_rate = rate
        frame.pts = 0
        frame.planes[0].update(pcm[: len(pcm) // _SAMPLE * _SAMPLE])
        # A frame of any length: the encoder splits it.
        resampler = av.AudioResampler(format="s16", layout="mono", rate=OPUS_RATE, frame_size=stream.frame_size or 960)
        for each in (*resampler.resample(frame), *resampler.resample(None)):
            container.mux(stream.encode(each))
        container.mux(stream.encode(None))
    return file.getvalue()


def note_seconds(note: bytes) -> float:
    """Return the seconds of a voice note made by `encode_note`, which Telegram needs with it.

    The last page names its last sample; the first samples are the encoder's own.
    """
    last, head = note.rfind(_PAGE), note.find(_HEAD)
    if last < 0 or head < 0:
        raise ValueError("this is no voice note")
    end = int.from_bytes(note[last + 6 : last + 14], "little")
    skipped = int.from_bytes(note[head + 10 : head + 12], "little")
    return max(0, end - skipped) / OPUS_RATE
