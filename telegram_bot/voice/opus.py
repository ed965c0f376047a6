"""Voice notes as Telegram wants them: Opus in OGG, small enough to be shown with a play button."""

from __future__ import annotations

import io
from typing import Final

BIT_RATE: Final = 24_000
OPUS_RATE: Final = 48_000
"""Opus counts time in 48 000 parts of a second, whatever rate the sound had."""
_SAMPLE: Final = 2
_PAGE: Final = b"OggS"
_HEAD: Final = b"OpusHead"


def encode_note(pcm: bytes, rate: int) -> bytes:
    """A voice note of mono sound: signed 16 bit little endian, so many samples a second. Needs the extra `voice`."""
    import av  # noqa: PLC0415 - 40 MB that only a process which speaks needs

    file = io.BytesIO()
    with av.open(file, "w", format="ogg") as container:
        stream = container.add_stream("libopus", rate=OPUS_RATE, layout="mono", options={"application": "voip"})
        stream.bit_rate = BIT_RATE
        frame = av.AudioFrame(format="s16", layout="mono", samples=len(pcm) // _SAMPLE)
        frame.sample_rate = rate
        frame.pts = 0
        frame.planes[0].update(pcm[: len(pcm) // _SAMPLE * _SAMPLE])
        # A frame of any length: the encoder cuts it into its own.
        resampler = av.AudioResampler(format="s16", layout="mono", rate=OPUS_RATE, frame_size=stream.frame_size or 960)
        for each in (*resampler.resample(frame), *resampler.resample(None)):
            container.mux(stream.encode(each))
        container.mux(stream.encode(None))
    return file.getvalue()


def note_seconds(note: bytes) -> float:
    """How long a voice note is that `encode_note` has made: Telegram is told when it is sent.

    The last page tells at which sample it ends; the first samples are the encoder's own.
    """
    last, head = note.rfind(_PAGE), note.find(_HEAD)
    if last < 0 or head < 0:
        raise ValueError("this is no voice note")
    end = int.from_bytes(note[last + 6 : last + 14], "little")
    skipped = int.from_bytes(note[head + 10 : head + 12], "little")
    return max(0, end - skipped) / OPUS_RATE
