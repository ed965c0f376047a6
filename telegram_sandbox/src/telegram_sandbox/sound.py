"""Voice notes as Telegram's apps send them: Opus in OGG, whatever a browser has recorded."""

import io
from importlib.util import find_spec

OGG = b"OggS"
MISSING = (
    "To record with this browser, one library is missing. Run pip install 'telegram-sandbox[voice]' where this page "
    "was started, and start it again. Until then write your message."
)
MAX_SECONDS = 3600
BIT_RATE = 24_000
OPUS_RATE = 48_000


class SoundError(Exception):
    """No voice note can be made of the file; the message says why."""


def recording_needs() -> str:
    """Return what a browser that does not record OGG has to be told before it records; empty if nothing is missing."""
    return MISSING if find_spec("av") is None else ""


def is_recording(content: bytes) -> bool:
    """Return whether these bytes are what browsers record instead of OGG: WebM or MP4."""
    return content.startswith(b"\x1aE\xdf\xa3") or content[4:8] == b"ftyp"


def as_voice_note(content: bytes) -> tuple[bytes, int]:
    """Return a browser's recording in the container of Telegram's voice notes, and its length in seconds.

    Chromium records Opus, whose packets are only repacked. Other sound is encoded.

    Raises:
        SoundError: the library for it is not installed, or there is no sound in the file.
    """
    try:
        import av  # noqa: PLC0415 - an extra
        from av.error import FFmpegError  # noqa: PLC0415
    except ImportError:
        raise SoundError(MISSING) from None
    written = io.BytesIO()
    try:
        with av.open(io.BytesIO(content), "r") as recording, av.open(written, "w", format="ogg") as note:
            if not recording.streams.audio:
                raise SoundError("there is no sound in the recording")
            source = recording.streams.audio[0]
            if source.codec_context.name == "opus":
                copy = note.add_stream_from_template(source)
                for packet in recording.demux(source):
                    if packet.dts is not None:
                        packet.stream = copy
                        note.mux(packet)
            else:
                encoded = note.add_stream("libopus", rate=OPUS_RATE, layout="mono", options={"application": "voip"})
                encoded.bit_rate = BIT_RATE
                for frame in recording.decode(source):
                    note.mux(encoded.encode(frame))
                note.mux(encoded.encode(None))
        with av.open(io.BytesIO(written.getvalue()), "r") as made:
            seconds = (made.duration or 0) / 1_000_000
    except (FFmpegError, IndexError, ValueError) as error:
        raise SoundError("the recording cannot be read") from error
    return written.getvalue(), max(1, round(min(seconds, MAX_SECONDS)))
