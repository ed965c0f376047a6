"""The picture of a whole tournament: the tables of each stage, and the people who went on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

from telegram_bot.features.tournament.notices import TableLine
from telegram_bot.pictures import canvas
from telegram_bot.words.phrases import plain_name

_WIDTH: Final = canvas.WIDTH - 2 * canvas.MARGIN
_COLUMNS: Final = 3
_GAP: Final = 14
_TITLE: Final = 30
_WINNER: Final = 44
_HEADLINE: Final = 54
"""The height of a line in the size of the winner."""
_HEADING: Final = 24
_NAME: Final = 22
_ROW: Final = 34
_PLACE: Final = 44
"""The width of a place, such as 40."""
_OUT: Final[canvas.Color] = (150, 188, 172)
"""The colour of people who did not go on."""


@dataclass(frozen=True, slots=True)
class BracketLabels:
    """The words in the picture, in the language of the group."""

    title: str
    winner: str
    stages: tuple[str, ...]
    bluff: str
    link: str
    names: tuple[str, str]
    """The names in `winner` and in `bluff`."""


def bracket_picture(stages: Sequence[Sequence[TableLine]], labels: BracketLabels) -> bytes:
    """Draw the stages as a PNG file, from the first one to the final.

    A name without a letter that the font has is replaced by the place: #17.
    """
    places = {plain_name(seat.name): seat.place for tables in stages for table in tables for seat in table.seats}
    drawn = {name: canvas.drawable(name) or f"#{place}" for name, place in places.items()}

    def sentence(words: str, name: str) -> str:
        return canvas.drawable(words.replace(name, drawn.get(name, name)) if name else words)

    winner, bluff_line = map(sentence, (labels.winner, labels.bluff), labels.names)
    headline, bluff = canvas.wrapped(winner, _WINNER, _WIDTH), canvas.wrapped(bluff_line, _HEADING, _WIDTH)
    height = 96 + len(headline) * _HEADLINE + sum(_stage_height(tables) for tables in stages) + len(bluff) * _ROW + 60
    picture = Image.new("RGB", (canvas.WIDTH, height), canvas.FELT)
    draw = ImageDraw.Draw(picture)

    def text(x: int, y: int, words: str, size: int, color: canvas.Color) -> None:
        draw.text((x, y), words, font=canvas.font(size), fill=color, anchor="lm")

    draw.rectangle((0, 0, canvas.WIDTH, 72), fill=canvas.PANEL)
    text(canvas.MARGIN, 36, canvas.shortened(canvas.drawable(labels.title), _TITLE, _WIDTH), _TITLE, canvas.SOFT)
    top = 85
    for line in headline:
        text(canvas.MARGIN, top + _HEADLINE // 2, line, _WINNER, canvas.GOLD)
        top += _HEADLINE
    top += 11
    for heading, tables in zip(labels.stages, stages, strict=True):
        text(canvas.MARGIN, top + 24, heading, _HEADING, canvas.SOFT)
        for x, y, width, table in _boxes(tables, top + 48):
            box = (x, y, x + width, y + _box_height(table))
            draw.rounded_rectangle(box, radius=14, fill=canvas.PANEL)
            for row, seat in enumerate(table.seats):
                color = canvas.GOLD if seat.goes_on and len(tables) == 1 else canvas.WHITE if seat.goes_on else _OUT
                middle = y + _GAP + row * _ROW + _ROW // 2
                if seat.goes_on and len(tables) > 1:
                    text(x + 12, middle, "●", 16, canvas.GREEN)
                elif seat.place:
                    text(x + 12, middle, str(seat.place), _NAME - 4, color)
                left = x + _PLACE
                left += canvas.paste_face(picture, seat.face, left, middle, _NAME + 6)
                name = canvas.shortened(drawn[plain_name(seat.name)], _NAME, x + width - left - 8)
                text(left, middle, name, _NAME, color)
        top += _stage_height(tables)
    for line in bluff:
        text(canvas.MARGIN, top + _ROW // 2, line, _HEADING, canvas.WHITE)
        top += _ROW
    text(canvas.MARGIN, height - 32, labels.link, 22, canvas.SOFT)
    return canvas.encode(picture)


def _box_height(table: TableLine) -> int:
    return 2 * _GAP + len(table.seats) * _ROW


def _rows(tables: Sequence[TableLine]) -> Iterator[Sequence[TableLine]]:
    """Yield the tables in rows, as equal as possible."""
    rows = -(-len(tables) // _COLUMNS)
    columns = -(-len(tables) // rows)
    for start in range(0, len(tables), columns):
        yield tables[start : start + columns]


def _stage_height(tables: Sequence[TableLine]) -> int:
    return 48 + sum(max(map(_box_height, row)) + _GAP for row in _rows(tables))


def _boxes(tables: Sequence[TableLine], top: int) -> Iterator[tuple[int, int, int, TableLine]]:
    """Yield the place and the width of each table."""
    columns = len(next(_rows(tables)))
    width = (_WIDTH - (columns - 1) * _GAP) // columns
    for row in _rows(tables):
        for column, table in enumerate(row):
            yield canvas.MARGIN + column * (width + _GAP), top, width, table
        top += max(map(_box_height, row)) + _GAP
