"""The picture of a round's end: the bid against the count, everybody's dice with the counting ones lit, who loses."""

from __future__ import annotations

from dataclasses import dataclass
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
_NAME_WIDTH: Final = 210
_COUNT_WIDTH: Final = 64
_CHANGE_WIDTH: Final = 72


@dataclass(frozen=True, slots=True)
class Labels:
    """The two words in the picture, in the reader's language."""

    bid: str
    counted: str


def reveal_picture(view: RevealView, labels: Labels) -> bytes:
    """Draw the end of a round as a PNG file.

    The caption of the message says the same in words. Raises ValueError for a round that ended without a count.
    """
    if view.bid is None or view.count is None:
        raise ValueError("a round that ended without a count has no picture")
    seats = [seat for seat, hand in enumerate(view.dice) if hand]
    height = _HEADER + len(seats) * _ROW + canvas.MARGIN
    picture = Image.new("RGB", (canvas.WIDTH, height), canvas.FELT)
    _draw_header(picture, view.bid, view.count, labels)
    for row, seat in enumerate(seats):
        _draw_seat(picture, view, seat, _HEADER + row * _ROW)
    return canvas.encode(picture)


def _draw_header(picture: Image.Image, bid: BidView, count: int, labels: Labels) -> None:
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, canvas.WIDTH, _HEADER - 16), fill=canvas.PANEL)
    half = canvas.WIDTH // 2
    _draw_figure(picture, canvas.MARGIN, labels.bid, (bid.quantity, bid.face), color=canvas.WHITE)
    color = canvas.GREEN if count >= bid.quantity else canvas.RED
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


def _draw_seat(picture: Image.Image, view: RevealView, seat: int, y: int) -> None:
    draw = ImageDraw.Draw(picture)
    change = sum(each.dice for each in view.changes if each.seat == seat)
    if change:
        edge = canvas.RED if change < 0 else canvas.GREEN
        box = (canvas.MARGIN - 18, y + 3, canvas.WIDTH - canvas.MARGIN + 18, y + _ROW - 3)
        draw.rounded_rectangle(box, radius=16, fill=canvas.PANEL, outline=edge, width=3)
    middle = y + _ROW // 2
    name = canvas.drawable(view.seats[seat].name) or f"#{seat + 1}"
    shown = canvas.shortened(name, 28, _NAME_WIDTH)
    draw.text((canvas.MARGIN, middle), shown, font=canvas.font(28), fill=canvas.WHITE, anchor="lm")
    hand = view.dice[seat]
    counting = sorted((face for face in hand if view.counts(face)), reverse=True)
    others = sorted(face for face in hand if not view.counts(face))
    left = canvas.MARGIN + _NAME_WIDTH + 16
    right = canvas.WIDTH - canvas.MARGIN - _CHANGE_WIDTH - _COUNT_WIDTH
    size = _die_size(len(hand), right - left)
    for place, face in enumerate([*counting, *others]):
        lit = place < len(counting)
        die = canvas.die(face, size, lit=lit, dimmed=not lit)
        canvas.paste(picture, die, left + place * (size + _GAP), middle - size // 2)
    if counting:
        x = right + _COUNT_WIDTH // 2
        draw.text((x, middle), str(len(counting)), font=canvas.font(36), fill=canvas.GOLD, anchor="mm")
    if change:
        color = canvas.RED if change < 0 else canvas.GREEN
        sign = f"\N{MINUS SIGN}{-change}" if change < 0 else f"+{change}"
        draw.text((canvas.WIDTH - canvas.MARGIN, middle), sign, font=canvas.font(36), fill=color, anchor="rm")


def _die_size(dice: int, width: int) -> int:
    """As large as fits beside each other."""
    return max(_SMALLEST_DIE, min(_DIE, (width + _GAP) // max(dice, 1) - _GAP))
