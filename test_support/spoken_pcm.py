"""Speech for tests of hearing: said by espeak-ng, sent as a voice note would be, and decoded again."""

from __future__ import annotations

import io
from pathlib import Path

import av
import numpy as np

from test_support.espeak_speaker import EspeakSpeaker


def spoken_pcm(text: str, language: str = "en", *, variant: str = "", rate: int = 140) -> bytes:
    """A text as a recogniser gets it: 16 kHz, mono, signed 16 bits, with a little noise."""
    pcm = note_pcm(EspeakSpeaker(variant=variant, rate=rate).say(text, language))
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float64)
    noisy = samples + np.random.default_rng(1).normal(0, 20, len(samples))
    return noisy.clip(-32768, 32767).astype("<i2").tobytes()


def note_pcm(sound: bytes | Path) -> bytes:
    """A sound, or a file of it, as PCM of 16 kHz."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=16000)
    with av.open(io.BytesIO(sound) if isinstance(sound, bytes) else str(sound), "r") as container:
        frames = [piece for frame in container.decode(audio=0) for piece in resampler.resample(frame)]
        frames += resampler.resample(None)
    return b"".join(frame.to_ndarray().astype("<i2").tobytes() for frame in frames)
