"""The times of a lane's last sends as one text, newest first.

Each time has the same length. So the texts compare as the times do, and one SQL statement can check and count a send.
"""

from __future__ import annotations

from typing import Final

WIDTH: Final = 13
"""The characters of a time: seconds since the epoch with two decimals."""


def time_text(at: float) -> str:
    """A time as it stands in the text."""
    return f"{max(0.0, at):0{WIDTH}.2f}"
