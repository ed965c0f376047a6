"""The times of a lane's last sends as one text, newest first, each with a digit that tells how urgent it was.

Each has the same length. So the texts compare as the times do, and one SQL statement can check and count a send.
"""

from __future__ import annotations

from typing import Final

TIME_WIDTH: Final = 13
"""The characters of a time: seconds since the epoch with two decimals."""
WIDTH: Final = TIME_WIDTH + 1
"""The characters of a time and its digit."""
LAST_DIGIT: Final = 9


def time_text(at: float, urgency: int = LAST_DIGIT) -> str:
    """A time as it stands in the text."""
    return f"{max(0.0, at):0{TIME_WIDTH}.2f}{urgency}"


def arrived(text: str, at: float) -> str:
    """The text with another time for the newest send: when it has arrived, which may be later than it was begun."""
    return time_text(at)[:TIME_WIDTH] + text[TIME_WIDTH:] if text else text


def read_times(text: str) -> list[tuple[float, int]]:
    """The times and their digits, newest first."""
    entries = [text[at : at + WIDTH] for at in range(0, len(text), WIDTH)]
    return [(float(entry[:TIME_WIDTH]), int(entry[TIME_WIDTH:])) for entry in entries]
