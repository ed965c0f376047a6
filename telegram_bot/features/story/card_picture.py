"""The picture of a game's moment: one sentence, large, with the bid that it is about."""

from typing import Final

from PIL import Image, ImageDraw

from telegram_bot.pictures import canvas
from telegram_bot.statistics.bluff_card import BluffCard

_HEIGHT: Final = 460
_TITLE: Final = 30
_SENTENCE: Final = 42
_LINE: Final = 56
_MOST_LINES: Final = 4


def card_picture(card: BluffCard, title: str, sentence: str, link: str) -> bytes:
    """Draw a card as a PNG file."""
    picture = Image.new("RGB", (canvas.WIDTH, _HEIGHT), canvas.FELT)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, canvas.WIDTH, 84), fill=canvas.PANEL)
    draw.text((canvas.MARGIN, 42), canvas.drawable(title), font=canvas.font(_TITLE), fill=canvas.GOLD, anchor="lm")
    lines = canvas.wrapped(canvas.drawable(sentence), _SENTENCE, canvas.WIDTH - 2 * canvas.MARGIN)
    for number, line in enumerate(lines[:_MOST_LINES]):
        place = (canvas.MARGIN, 132 + number * _LINE)
        draw.text(place, line, font=canvas.font(_SENTENCE), fill=canvas.WHITE, anchor="lm")
    if card.quantity:
        shown, middle = f"{card.quantity} ×", _HEIGHT - 66
        draw.text((canvas.MARGIN, middle), shown, font=canvas.font(54), fill=canvas.GOLD, anchor="lm")
        after = canvas.MARGIN + round(canvas.font(54).getlength(shown)) + 18
        canvas.paste(picture, canvas.die(card.face, 76, lit=True), after, middle - 38)
    place = (canvas.WIDTH - canvas.MARGIN, _HEIGHT - 44)
    draw.text(place, link, font=canvas.font(24), fill=canvas.SOFT, anchor="rm")
    return canvas.encode(picture)
