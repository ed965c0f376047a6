"""The picture of a newspaper: a front page with the best lie, and what else the evening left behind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

from telegram_bot.features.newspaper.edition import Lie
from telegram_bot.pictures import canvas

_PAPER: Final[canvas.Color] = (246, 240, 224)
_INK: Final[canvas.Color] = (38, 33, 28)
_GREY: Final[canvas.Color] = (112, 104, 92)
_SIDE: Final = 40
_WIDTH: Final = canvas.WIDTH - 2 * _SIDE
_PHOTO: Final = 236
_GUTTER: Final = 28
_SMALLEST: Final = 24


@dataclass(frozen=True, slots=True)
class Labels:
    """The words that belong to no part, in the reader's language."""

    title: str
    group: str
    date: str
    notice: str
    """The revenge, or an empty text."""


def newspaper_picture(labels: Labels, lie: Lie | None, sections: Sequence[tuple[str, Sequence[str]]]) -> bytes:
    """Draw a newspaper as a PNG file. The first section is the headline."""
    page = _Page()
    page.masthead(labels)
    page.text(sections[0][1][0], 46, _INK, 60, most=4)
    if lie is not None:
        page.photo(lie)
    page.columns([section for section in sections[1:] if section[1]])
    if labels.notice:
        page.advertisement(labels.notice)
    return page.encoded()


class _Page:
    """A page that grows downwards."""

    def __init__(self) -> None:
        self.picture = Image.new("RGB", (canvas.WIDTH, 1400), _PAPER)
        self.draw = ImageDraw.Draw(self.picture)
        self.y = 30

    def masthead(self, labels: Labels) -> None:
        """Write the title between two lines, and the group and the date."""
        middle = canvas.WIDTH // 2
        title = labels.title.upper()
        size = _fitting(title, 64, _WIDTH)
        self.draw.text((middle, self.y + 34), title, font=canvas.font(size), fill=_INK, anchor="mm")
        self.y += 78
        self.line(4)
        date = canvas.drawable(labels.date)
        room = _WIDTH - round(canvas.font(22).getlength(date)) - _GUTTER
        group = canvas.shortened(canvas.drawable(labels.group), 22, max(room, 80))
        self.draw.text((_SIDE, self.y + 20), group, font=canvas.font(22), fill=_GREY, anchor="lm")
        self.draw.text((canvas.WIDTH - _SIDE, self.y + 20), date, font=canvas.font(22), fill=_GREY, anchor="rm")
        self.y += 42
        self.line(2)
        self.y += 22

    def line(self, width: int) -> None:
        """Draw a line from side to side."""
        self.draw.rectangle((_SIDE, self.y, canvas.WIDTH - _SIDE, self.y + width - 1), fill=_INK)

    def text(self, words: str, size: int, color: canvas.Color, line: int, *, most: int) -> None:
        """Write words over the whole width."""
        for each in canvas.wrapped(canvas.drawable(words), size, _WIDTH)[:most]:
            self.draw.text((_SIDE, self.y + line // 2), each, font=canvas.font(size), fill=color, anchor="lm")
            self.y += line
        self.y += 14

    def photo(self, lie: Lie) -> None:
        """Show the scene: the liar, the bid, and the dice."""
        top, bottom = self.y, self.y + _PHOTO
        self.draw.rectangle((_SIDE, top, canvas.WIDTH - _SIDE, bottom), fill=canvas.FELT, outline=_INK, width=3)
        left = _SIDE + 30
        if lie.face is not None:
            canvas.paste(self.picture, canvas.face_image(lie.face, 150), left, top + (_PHOTO - 150) // 2)
            left += 150 + 36
        shown = f"{lie.quantity} ×"
        self.draw.text((left, top + 66), shown, font=canvas.font(60), fill=canvas.GOLD, anchor="lm")
        after = left + round(canvas.font(60).getlength(shown)) + 18
        canvas.paste(self.picture, canvas.die(lie.bid_face, 72, lit=True), after, top + 30)
        room = canvas.WIDTH - _SIDE - 30 - left
        size = min(88, (room + 14) // max(len(lie.dice), 1) - 14)
        for number, face in enumerate(sorted(lie.dice)):
            canvas.paste(self.picture, canvas.die(face, size), left + number * (size + 14), bottom - 30 - size)
        self.y = bottom + 26

    def columns(self, sections: Sequence[tuple[str, Sequence[str]]]) -> None:
        """Write the parts side by side, each below its title."""
        if not sections:
            return
        wide = (_WIDTH - _GUTTER * (len(sections) - 1)) // len(sections)
        top, lowest = self.y, self.y
        for number, (title, told) in enumerate(sections):
            x, y = _SIDE + number * (wide + _GUTTER), top
            label = canvas.shortened(canvas.drawable(title).upper(), 20, wide)
            self.draw.text((x, y + 14), label, font=canvas.font(20), fill=_INK, anchor="lm")
            self.draw.rectangle((x, y + 32, x + wide, y + 34), fill=_INK)
            y += 46
            for each in told:
                for line in canvas.wrapped(canvas.drawable(each), 22, wide)[:4]:
                    self.draw.text((x, y + 15), line, font=canvas.font(22), fill=_INK, anchor="lm")
                    y += 30
                y += 10
            lowest = max(lowest, y)
            if number:
                middle = x - _GUTTER // 2
                self.draw.line((middle, top + 4, middle, lowest - 10), fill=_GREY, width=1)
        self.y = lowest + 12

    def advertisement(self, words: str) -> None:
        """Write the revenge into a frame."""
        size = _fitting(canvas.drawable(words), 30, _WIDTH - 60)
        lines = canvas.wrapped(canvas.drawable(words), size, _WIDTH - 60)[:3]
        bottom = self.y + 36 + 42 * len(lines)
        self.draw.rectangle((_SIDE, self.y, canvas.WIDTH - _SIDE, bottom), outline=_INK, width=3)
        self.draw.rectangle((_SIDE + 7, self.y + 7, canvas.WIDTH - _SIDE - 7, bottom - 7), outline=_INK, width=1)
        for number, line in enumerate(lines):
            place = (canvas.WIDTH // 2, self.y + 18 + 42 * number + 21)
            self.draw.text(place, line, font=canvas.font(size), fill=_INK, anchor="mm")
        self.y = bottom + 16

    def encoded(self) -> bytes:
        """Return the page, as high as its contents, as a PNG file."""
        return canvas.encode(self.picture.crop((0, 0, canvas.WIDTH, self.y + 14)))


def _fitting(words: str, largest: int, width: int) -> int:
    """Return the size in which words fit into a width, or the smallest one that is readable."""
    return next(
        (size for size in range(largest, _SMALLEST, -2) if canvas.font(size).getlength(words) <= width), _SMALLEST
    )
