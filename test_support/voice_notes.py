"""Make sound files: voice notes as a phone sends them, and files that only look like one."""

import io
import zlib
from fractions import Fraction
from typing import Final

import av
import numpy as np

from telegram_bot.voice import speaking
from telegram_bot.voice.voices import WORDS_PER_MINUTE, espeak

RATE: Final = 48000


def voice_note(seconds: float, *, streams: int = 1, codec: str = "libopus", form: str = "ogg") -> bytes:
    """Return a tone of 440 Hz as a file: with the defaults a voice note as a phone sends it."""
    tone = 9000 * np.sin(2 * np.pi * 440 / RATE * np.arange(round(seconds * RATE)))
    file = io.BytesIO()
    with av.open(file, "w", format=form) as container:
        tracks = [container.add_stream(codec, rate=RATE, layout="mono") for _ in range(streams)]
        for track in tracks:
            assert isinstance(track, av.AudioStream)
            track.bit_rate = 24000
            frame = av.AudioFrame.from_ndarray(tone.astype(np.int16)[None], format="s16", layout="mono")
            frame.sample_rate, frame.time_base, frame.pts = RATE, Fraction(1, RATE), 0
            size = track.codec_context.frame_size or RATE // 50  # 20 ms
            resampler = av.AudioResampler(format=track.format, layout="mono", rate=RATE, frame_size=size)
            for piece in [*resampler.resample(frame), *resampler.resample(None)]:
                container.mux(track.encode(piece))
            container.mux(track.encode(None))
    return file.getvalue()


def silence_of(seconds: int) -> bytes:
    """Return a small note of this much silence: one packet over and over."""
    packet_seconds = Fraction(60, 1000)
    file = io.BytesIO()
    with av.open(file, "w", format="ogg") as container:
        track = container.add_stream("libopus", rate=RATE, layout="mono", options={"frame_duration": "60"})
        silence = np.zeros((1, round(packet_seconds * RATE)), np.int16)
        frame = av.AudioFrame.from_ndarray(silence, format="s16", layout="mono")
        frame.sample_rate, frame.time_base, frame.pts = RATE, Fraction(1, RATE), 0
        packets = [*track.encode(frame), *track.encode(None)]
        for number in range(round(seconds / packet_seconds)):
            packet = av.Packet(bytes(packets[0]))
            packet.stream, packet.time_base = track, Fraction(1, RATE)
            packet.pts = packet.dts = number * frame.samples
            packet.duration = frame.samples
            container.mux(packet)
    return file.getvalue()


def claiming(note: bytes, *, samples: int, comment_bytes: int) -> bytes:
    """Return the note, claiming to last so many samples, and to hold a comment of so many bytes.

    Its checksums are right.
    """
    pages = [bytearray(b"OggS" + rest) for rest in note.split(b"OggS")[1:]]
    pages[-1][6:14] = samples.to_bytes(8, "little")
    tags = next(page for page in pages if b"OpusTags" in page)
    at = tags.index(b"OpusTags") + 8
    tags[at : at + 4] = comment_bytes.to_bytes(4, "little")
    for page in pages:
        page[22:26] = bytes(4)
        page[22:26] = _checksum(page).to_bytes(4, "little")
    return b"".join(pages)


def _checksum(page: bytearray) -> int:
    """Return the CRC of an Ogg page (RFC 3533): that of ZIP with the bits of each byte in the other order."""
    mirrored = bytes(int(f"{byte:08b}"[::-1], 2) for byte in page)
    return int(f"{zlib.crc32(mirrored, 0xFFFFFFFF) ^ 0xFFFFFFFF:032b}"[::-1], 2)


def espeak_note(text: str, language: str = "en", *, variant: str = "", rate: int = WORDS_PER_MINUTE) -> bytes:
    """Say a text as a voice note in this process. `variant`: a speaker of espeak-ng; `rate`: words a minute."""
    sound = espeak().speak(speaking.speakable(text), language, variant=variant, rate=rate)
    return speaking.voice_note(sound)


def spoken_pcm(text: str, *, rate: int = 140) -> bytes:
    """Return a text as a recogniser gets it: 16 kHz, mono, signed 16 bits, with a little noise."""
    pcm = note_pcm(espeak_note(text, rate=rate))
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float64)
    noisy = samples + np.random.default_rng(1).normal(0, 20, len(samples))
    return noisy.clip(-32768, 32767).astype("<i2").tobytes()


def note_pcm(sound: bytes) -> bytes:
    resampler = av.AudioResampler(format="s16", layout="mono", rate=16000)
    with av.open(io.BytesIO(sound), "r") as container:
        frames = [piece for frame in container.decode(audio=0) for piece in resampler.resample(frame)]
        frames += resampler.resample(None)
    return b"".join(frame.to_ndarray().astype("<i2").tobytes() for frame in frames)
