"""The picture of a round's end: the bid, the count, everyone's dice with the counting ones lit, the loser.

Its animation ends with the same picture: cups are lifted, and the dice that count light up one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from PIL import Image, ImageDraw

from telegram_bot.pictures import canvas
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import BidView

_HEADER: Final = 132
_ROW: Final = 92
_DIE: Final = 64
_SMALLEST_DIE: Final = 22
_GAP: Final = 9
_NAME_WIDTH: Final = 230
"""The width of a player's face and name."""
_FACE: Final = 38
_COUNT_WIDTH: Final = 64
_CHANGE_WIDTH: Final = 72
_CUPS_STAND_MS: Final = 600
_LIFT_MS: Final = 60
_LIFTS: Final = 5
_PAUSE_MS: Final = 250
_COUNT_MS: Final = 260
"""Between two dice that light up, if there are few."""
_COUNT_MOST_MS: Final = 1300
"""For all of them."""
_LAST_MS: Final = 60_000
"""The last picture's duration. Messengers repeat an animation; by then all readers have moved on."""
_LEATHER: Final[canvas.Color] = (140, 82, 46)
_LEATHER_EDGE: Final[canvas.Color] = (96, 54, 30)


@dataclass(frozen=True, slots=True)
class RevealLabels:
    """The two words in the picture, in the reader's language."""

    bid: str
    counted: str


@dataclass(frozen=True, slots=True)
class _Moment:
    """How much of the end of a round is shown."""

    lifted: float = 1.0
    """The height of the cups, from 0 to 1."""
    lit: int | None = None
    """The number of counting dice that are lit, or None for all, with the result."""


def reveal_picture(view: RevealView, labels: RevealLabels) -> bytes:
    """Draw the end of a round as a PNG file.

    The caption of the message says the same in words. Raises ValueError for a round that ended without a count.
    """
    return canvas.encode(_draw(view, labels, _Moment()))


def reveal_animation(view: RevealView, labels: RevealLabels) -> bytes:
    """Draw the end of a round as an animated GIF file, whose last picture is that of `reveal_picture` and stays.

    Raises ValueError for a round that ended without a count.
    """
    return canvas.encode_animation(list(reveal_frames(view, labels)))


def reveal_frames(
    view: RevealView, labels: RevealLabels, cups_stand_ms: int = _CUPS_STAND_MS, last_ms: int = _LAST_MS
) -> Iterator[tuple[Image.Image, int]]:
    """Yield the pictures of an animation, each with its duration in milliseconds.

    Raises ValueError for a round that ended without a count.
    """
    for moment, milliseconds in _moments(view.count or 0, cups_stand_ms, last_ms):
        yield _draw(view, labels, moment), milliseconds


def _moments(counting: int, cups_stand_ms: int, last_ms: int) -> Iterator[tuple[_Moment, int]]:
    yield _Moment(lifted=0, lit=0), cups_stand_ms
    for number in range(1, _LIFTS):
        yield _Moment(lifted=number / _LIFTS, lit=0), _LIFT_MS
    yield _Moment(lit=0), _PAUSE_MS
    for lit in range(1, counting + 1):
        yield _Moment(lit=lit), min(_COUNT_MS, _COUNT_MOST_MS // counting)
    yield _Moment(), last_ms


def _draw(view: RevealView, labels: RevealLabels, moment: _Moment) -> Image.Image:
    if view.bid is None or view.count is None:
        raise ValueError("a round that ended without a count has no picture")
    seats = [seat for seat, hand in enumerate(view.dice) if hand]
    height = _HEADER + len(seats) * _ROW + canvas.MARGIN
    picture = Image.new("RGB", (canvas.WIDTH, height), canvas.FELT)
    _draw_header(picture, view.bid, view.count if moment.lit is None else moment.lit, labels, over=moment.lit is None)
    for row, seat in enumerate(seats):
        counting = _draw_seat(picture, view, seat, _HEADER + row * _ROW, moment)
        if moment.lit is not None:
            moment = replace(moment, lit=max(moment.lit - counting, 0))
    return picture


def _draw_header(picture: Image.Image, bid: BidView, count: int, labels: RevealLabels, *, over: bool) -> None:
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, canvas.WIDTH, _HEADER - 16), fill=canvas.PANEL)
    half = canvas.WIDTH // 2
    _draw_figure(picture, canvas.MARGIN, labels.bid, (bid.quantity, bid.face), color=canvas.WHITE)
    color = canvas.GREEN if count >= bid.quantity else canvas.RED if over else canvas.WHITE
    _draw_figure(picture, half + canvas.MARGIN, labels.counted, (count, bid.face), color=color)
    draw.line((half, 20, half, _HEADER - 36), fill=canvas.LINE, width=2)


def _draw_figure(picture: Image.Image, x: int, label: str, figure: tuple[int, int], *, color: canvas.Color) -> None:
    draw = ImageDraw.Draw(picture)
    quantity, face = figure
    draw.text((x, 34), canvas.drawable(label), font=canvas.font(22), fill=canvas.SOFT, anchor="lm")
    shown = f"{quantity} ×"
    draw.text((x, 80), shown, font=canvas.font(46), fill=color, anchor="lm")
    after = x + round(canvas.font(46).getlength(shown)) + 16
    canvas.paste(picture, canvas.die(face, 48), after, 56)


def _draw_seat(picture: Image.Image, view: RevealView, seat: int, y: int, moment: _Moment) -> int:
    """Draw the row of a player and light up the counted dice; return the number of this player's dice that count."""
    draw = ImageDraw.Draw(picture)
    over = moment.lit is None
    change = sum(each.dice for each in view.changes if each.seat == seat) if over else 0
    if change:
        edge = canvas.RED if change < 0 else canvas.GREEN
        box = (canvas.MARGIN - 18, y + 3, canvas.WIDTH - canvas.MARGIN + 18, y + _ROW - 3)
        draw.rounded_rectangle(box, radius=16, fill=canvas.PANEL, outline=edge, width=3)
    middle = y + _ROW // 2
    name = canvas.drawable(view.seats[seat].name) or f"#{seat + 1}"
    colour = canvas.SEATS[view.seats[seat].colour % len(canvas.SEATS)]
    draw.rounded_rectangle((canvas.MARGIN - 12, middle - 20, canvas.MARGIN - 6, middle + 20), radius=3, fill=colour)
    face = canvas.paste_face(picture, view.seats[seat].face, canvas.MARGIN, middle, _FACE)
    shown = canvas.shortened(name, 28, _NAME_WIDTH - face)
    draw.text((canvas.MARGIN + face, middle), shown, font=canvas.font(28), fill=canvas.WHITE, anchor="lm")
    hand = view.dice[seat]
    counting = sorted((face for face in hand if view.counts(face)), reverse=True)
    others = sorted(face for face in hand if not view.counts(face))
    left = canvas.MARGIN + _NAME_WIDTH + 16
    right = canvas.WIDTH - canvas.MARGIN - _CHANGE_WIDTH - _COUNT_WIDTH
    size = _die_size(len(hand), right - left)
    lit = len(counting) if moment.lit is None else min(moment.lit, len(counting))
    if moment.lifted:
        for place, face in enumerate([*counting, *others]):
            die = canvas.die(face, size, lit=place < lit, dimmed=over and place >= lit)
            # The dice roll out from under the cup.
            canvas.paste(picture, die, left + round(place * (size + _GAP) * moment.lifted), middle - size // 2)
    if moment.lifted < 1:
        canvas.paste(picture, _cup(_ROW - 12, colour), left - 8, y + 6 - round(moment.lifted * _ROW))
    if lit:
        x = right + _COUNT_WIDTH // 2
        draw.text((x, middle), str(lit), font=canvas.font(36), fill=canvas.GOLD, anchor="mm")
    if change:
        color = canvas.RED if change < 0 else canvas.GREEN
        sign = f"\N{MINUS SIGN}{-change}" if change < 0 else f"+{change}"
        draw.text((canvas.WIDTH - canvas.MARGIN, middle), sign, font=canvas.font(36), fill=color, anchor="rm")
    return len(counting)


@cache
def _cup(height: int, band: canvas.Color) -> Image.Image:
    """Return a leather cup, upside down, with a band in the seat's colour."""
    large = height * canvas.OVERSAMPLING
    image = Image.new("RGBA", (large, large), (*_LEATHER, 0))
    draw = ImageDraw.Draw(image)
    draw.polygon([(large * x, large * y) for x, y in ((0.2, 0.06), (0.8, 0.06), (0.94, 0.86), (0.06, 0.86))], _LEATHER)
    draw.polygon([(large * x, large * y) for x, y in ((0.16, 0.3), (0.84, 0.3), (0.87, 0.48), (0.13, 0.48))], band)
    draw.rounded_rectangle((large * 0.18, 0, large * 0.82, large * 0.12), radius=large // 20, fill=_LEATHER_EDGE)
    draw.rounded_rectangle((0, large * 0.82, large, large), radius=large // 12, fill=_LEATHER_EDGE)
    return image.resize((height, height), Image.Resampling.LANCZOS)


def _die_size(dice: int, width: int) -> int:
    """As large as fits side by side."""
    return max(_SMALLEST_DIE, min(_DIE, (width + _GAP) // max(dice, 1) - _GAP))
