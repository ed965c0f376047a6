"""The program that decodes one voice note: OGG/OPUS on its standard input, PCM on its standard output.

It is started by its path and imports only `confinement` from the bot.
"""

import io
import os
import resource
import sys
from base64 import b64decode
from pathlib import Path
from typing import BinaryIO, Final

LONGEST_SECONDS: Final = 12
"""At most so much sound is decoded, whatever a file claims."""
RATE: Final = 16000
LARGEST_NOTE: Final = 1 << 20
"""No more bytes are read."""
NOT_OGG_OPUS: Final = 3
"""The exit status for a file that is no voice note. Any other but 0: the note is damaged, or exceeded a limit."""
LIMITS: Final = (
    (resource.RLIMIT_CPU, 3),
    (resource.RLIMIT_AS, 1 << 30),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_NPROC, 0),
)
"""Seconds of CPU, bytes of memory, bytes written to a file, new processes."""


TINY_NOTE: Final = b64decode(
    "T2dnUwACAAAAAAAAAAAAAAAAAAAAAAIotXIBE09wdXNIZWFkAQE4AYC7AAAAAABPZ2dTAAAAAAAAAAAAAAAAAAABAAAA88vQ2wEWT3B1c1RhZ3MG"
    "AAAAZmZtcGVnAAAAAE9nZ1MABPgEAAAAAAAAAAAAAAIAAADbWnPVAgcGCAvmOyOrYAgIrLMOxg=="
)
"""A fiftieth of a second of silence."""


class NotOggOpusError(Exception):
    """The file is no voice note."""


NICENESS: Final = 10
"""Taps have priority."""


def lock_up() -> None:
    """Limit this process for good: its consumption by `LIMITS`, its access by `confine`."""
    # At the end of the path, where it hides no other module. The process was started without the bot's folder.
    sys.path.append(str(Path(__file__).parents[2]))
    from telegram_bot.confinement import confine  # noqa: PLC0415 - see above

    decode(TINY_NOTE, io.BytesIO())  # codecs, and modules that Python imports late, are files
    os.nice(NICENESS)
    for what, most in LIMITS:
        resource.setrlimit(what, (most, most))
    confine()


def decode(note: bytes, out: BinaryIO) -> None:
    """Write the first seconds of the note's sound.

    Raises:
        NotOggOpusError: it is no OGG file with one stream, whose codec is Opus.
        av.FFmpegError: no sound could be decoded.
    """
    import av  # noqa: PLC0415 - the bot reads this module's constants, and needs no decoder

    try:
        container = av.open(io.BytesIO(note), "r", format="ogg")
    except av.FFmpegError:
        raise NotOggOpusError from None
    with container:
        streams = container.streams
        if len(streams) != 1 or len(streams.audio) != 1 or streams.audio[0].codec_context.name != "opus":
            raise NotOggOpusError
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        left, written = LONGEST_SECONDS * RATE, 0
        try:
            for frame in container.decode(streams.audio[0]):
                for piece in resampler.resample(frame):
                    sound = bytes(piece.planes[0])[: 2 * min(piece.samples, left)]
                    out.write(sound)
                    left -= len(sound) // 2
                    written += len(sound)
                if left <= 0:
                    return
        except av.FFmpegError:
            if not written:  # the sound before the damage is usable
                raise


def main() -> int:
    """Decode the note on the standard input; return the exit status."""
    import av  # noqa: PLC0415 - as above

    note = sys.stdin.buffer.read(LARGEST_NOTE)
    lock_up()
    sound = io.BytesIO()
    try:
        decode(note, sound)
    except NotOggOpusError:
        return NOT_OGG_OPUS
    except (av.FFmpegError, MemoryError, ValueError):
        return 1
    sys.stdout.buffer.write(sound.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
