"""The type of a file and the size of an image, read from the first bytes."""

import struct
import zlib

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8"
# Frame headers: every SOF marker but the three in between that mean something else.
JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}

BEGINNINGS = (
    (PNG, "image/png"),
    (JPEG, "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\x1aE\xdf\xa3", "audio/webm"),
    (b"\x1f\x8b", "application/gzip"),
)


def mime_type_of(content: bytes, default: str) -> str:
    """Return the type that a browser may be told."""
    return next((kind for beginning, kind in BEGINNINGS if content.startswith(beginning)), default)


def size_of(content: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF, WEBP or JPEG, or None for anything else."""
    try:
        if content.startswith(PNG):
            width, height = struct.unpack(">II", content[16:24])
        elif content[:6] in (b"GIF87a", b"GIF89a"):
            width, height = struct.unpack("<HH", content[6:10])
        elif content[:4] == b"RIFF" and content[8:12] == b"WEBP":
            return _webp(content)
        elif content.startswith(JPEG):
            return _jpeg(content)
        else:
            return None
    except (struct.error, IndexError):
        return None
    return width, height


def scaled(size: tuple[int, int], side: int) -> tuple[int, int]:
    """Return the size of an image whose longer side has this length at most."""
    longer = max(size)
    width, height = (each if longer <= side else max(1, (each * side + longer // 2) // longer) for each in size)
    return width, height


def black_png(width: int, height: int) -> bytes:
    """Return a PNG of this size."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes((width + 1) * height))
    return PNG + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _webp(content: bytes) -> tuple[int, int] | None:
    if content[12:16] == b"VP8X":
        return int.from_bytes(content[24:27], "little") + 1, int.from_bytes(content[27:30], "little") + 1
    if content[12:16] == b"VP8 ":
        width, height = struct.unpack("<HH", content[26:30])
        return width & 0x3FFF, height & 0x3FFF
    bits = int.from_bytes(content[21:25], "little")
    return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1


def _jpeg(content: bytes) -> tuple[int, int] | None:
    at = len(JPEG)
    while at + 9 <= len(content):
        marker, length = content[at + 1], struct.unpack(">H", content[at + 2 : at + 4])[0]
        if marker in JPEG_FRAMES:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None
