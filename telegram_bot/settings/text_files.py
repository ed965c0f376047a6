"""Read the files that an operator writes."""

from importlib.resources.abc import Traversable
from pathlib import Path


def read_text(file: Path | Traversable) -> str:
    """Return the text of a file in UTF-8, which some editors begin with a byte order mark.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is written in another encoding.
    """
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8, from byte {error.start} on: save it as UTF-8") from None
