"""What the bot and the recogniser's process say to each other: JSON with a length in front, and sound behind it."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import Any, BinaryIO, Final

LENGTHS: Final = struct.Struct("!II")
LARGEST_JSON: Final = 1 << 20
LARGEST_SOUND: Final = 1 << 20
"""Half a minute of sound; a note is cut after twelve seconds."""


class FrameError(Exception):
    """What arrived is no frame, or too large."""


def pack(content: dict[str, Any], sound: bytes = b"") -> bytes:
    """A frame."""
    text = json.dumps(content).encode()
    return LENGTHS.pack(len(text), len(sound)) + text + sound


async def read_frame(reader: asyncio.StreamReader) -> tuple[dict[str, Any], bytes]:
    """The next frame; raises `IncompleteReadError` at the end, `FrameError` for anything else."""
    text, sound = _checked(await reader.readexactly(LENGTHS.size))
    return json.loads(await reader.readexactly(text)), await reader.readexactly(sound)


def read_frame_blocking(file: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next frame of a pipe; None at its end."""
    lengths = file.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        return None
    text, sound = _checked(lengths)
    return json.loads(file.read(text)), file.read(sound)


def _checked(lengths: bytes) -> tuple[int, int]:
    text, sound = LENGTHS.unpack(lengths)
    if text > LARGEST_JSON or sound > LARGEST_SOUND:
        raise FrameError("a frame that is too large")
    return text, sound
