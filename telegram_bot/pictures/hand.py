"""The picture of one player's dice."""

from collections.abc import Sequence
from typing import Final

from PIL import Image

from telegram_bot.pictures import canvas

_IN_A_ROW: Final = 5
_LARGEST: Final = 132
_GAP: Final = 15


def hand_picture(dice: Sequence[int], *, ones_wild: bool = False) -> bytes:
    """Draw a hand as a PNG file: the dice in ascending order, five in a row, all of one size; wild ones are lit.

    Hands of the same dice give the same bytes, whatever the order: at most 461 pictures for one to five dice, and
    another one for each hand with ones that are wild.
    Raises ValueError for a hand without dice, or a face outside 1 to 6.
    """
    if not dice:
        raise ValueError("a hand without dice has no picture")
    rows = [sorted(dice)[start : start + _IN_A_ROW] for start in range(0, len(dice), _IN_A_ROW)]
    height = 2 * canvas.MARGIN + len(rows) * _LARGEST + (len(rows) - 1) * _GAP
    picture = Image.new("RGB", (canvas.WIDTH, height), canvas.FELT)
    for row, faces in enumerate(rows):
        y = canvas.MARGIN + row * (_LARGEST + _GAP)
        left = (canvas.WIDTH - len(faces) * _LARGEST - (len(faces) - 1) * _GAP) // 2
        for place, face in enumerate(faces):
            die = canvas.die(face, _LARGEST, lit=ones_wild and face == 1)
            canvas.paste(picture, die, left + place * (_LARGEST + _GAP), y)
    return canvas.encode(picture)
