"""The pictures of moments: one of a game as a card, and an evening's as a reel, upright as a phone is held."""

from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw

from telegram_bot.pictures import canvas
from telegram_bot.pictures.reveal import RevealLabels, reveal_frames
from telegram_bot.statistics.bluff_card import BluffCard
from telegram_bot.tables.result_views import RevealView

SIZE: Final = (540, 960)
_MARGIN: Final = 22
_HEADER: Final = 64
_TITLE: Final = 24
_SENTENCE: Final = 32
_LINE: Final = 44
_MOST_LINES: Final = 4
_TOP: Final = _HEADER + (_MOST_LINES + 1) * _LINE
"""The upper edge of a reveal, below its sentence."""
_LINK: Final = 20
_BOTTOM: Final = 56
_CARD_HEIGHT: Final = 460
_CARD_TITLE: Final = 30
_CARD_SENTENCE: Final = 42
_CARD_LINE: Final = 56
_CUPS_STAND_MS: Final = 1_000
_RESULT_MS: Final = 2_800
"""For the result and the sentence, which must not tell it before."""


def reel_animation(
    reveals: Sequence[RevealView], title: str, sentences: Sequence[str], labels: RevealLabels, link: str
) -> bytes:
    """Draw reveals, each below its sentence, as an animated GIF file; three take about 15 seconds.

    Raises ValueError for a round that ended without a count.
    """
    frames: list[tuple[Image.Image, int]] = []
    for number, (view, sentence) in enumerate(zip(reveals, sentences, strict=True)):
        page = _page(title, f"{number + 1}/{len(reveals)}", link)
        *before, (last, milliseconds) = reveal_frames(view, labels, _CUPS_STAND_MS, _RESULT_MS)
        frames += [(_with_reveal(page, reveal), duration) for reveal, duration in before]
        _write(page, sentence)
        frames.append((_with_reveal(page, last), milliseconds))
    return canvas.encode_animation(frames)


def _page(title: str, number: str, link: str) -> Image.Image:
    """Return a page without a reveal and its sentence."""
    page = Image.new("RGB", SIZE, canvas.FELT)
    draw, font = ImageDraw.Draw(page), canvas.font(_TITLE)
    width, height = SIZE
    draw.rectangle((0, 0, width, _HEADER), fill=canvas.PANEL)
    shown = canvas.shortened(title, _TITLE, width - 3 * _MARGIN - round(font.getlength(number)))
    draw.text((_MARGIN, _HEADER // 2), shown, canvas.GOLD, font, "lm")
    draw.text((width - _MARGIN, _HEADER // 2), number, canvas.SOFT, font, "rm")
    draw.text((width - _MARGIN, height - _BOTTOM // 2), link, canvas.SOFT, canvas.font(_LINK), "rm")
    return page


def _write(page: Image.Image, sentence: str) -> None:
    lines = canvas.wrapped(canvas.drawable(sentence), _SENTENCE, SIZE[0] - 2 * _MARGIN)
    for number, line in enumerate(lines[:_MOST_LINES]):
        place = (_MARGIN, _HEADER + _LINE * (number + 1))
        ImageDraw.Draw(page).text(place, line, canvas.WHITE, canvas.font(_SENTENCE), "lm")


def _with_reveal(page: Image.Image, reveal: Image.Image) -> Image.Image:
    """Return the page with a reveal in the middle of its free space, as wide as the page if it is not too high."""
    width, height = SIZE
    scale = min(width / reveal.width, (height - _TOP - _BOTTOM) / reveal.height)
    small = reveal.resize((round(reveal.width * scale), round(reveal.height * scale)), Image.Resampling.LANCZOS)
    frame = page.copy()
    frame.paste(small, ((width - small.width) // 2, _TOP + (height - _TOP - _BOTTOM - small.height) // 2))
    return frame


def card_picture(card: BluffCard, title: str, sentence: str, link: str) -> bytes:
    """Draw a card as a PNG file."""
    picture = Image.new("RGB", (canvas.WIDTH, _CARD_HEIGHT), canvas.FELT)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, 0, canvas.WIDTH, 84), fill=canvas.PANEL)
    draw.text((canvas.MARGIN, 42), canvas.drawable(title), font=canvas.font(_CARD_TITLE), fill=canvas.GOLD, anchor="lm")
    lines = canvas.wrapped(canvas.drawable(sentence), _CARD_SENTENCE, canvas.WIDTH - 2 * canvas.MARGIN)
    for number, line in enumerate(lines[:_MOST_LINES]):
        place = (canvas.MARGIN, 132 + number * _CARD_LINE)
        draw.text(place, line, font=canvas.font(_CARD_SENTENCE), fill=canvas.WHITE, anchor="lm")
    if card.quantity:
        shown, middle = f"{card.quantity} ×", _CARD_HEIGHT - 66
        draw.text((canvas.MARGIN, middle), shown, font=canvas.font(54), fill=canvas.GOLD, anchor="lm")
        after = canvas.MARGIN + round(canvas.font(54).getlength(shown)) + 18
        canvas.paste(picture, canvas.die(card.face, 76, lit=True), after, middle - 38)
    place = (canvas.WIDTH - canvas.MARGIN, _CARD_HEIGHT - 44)
    draw.text(place, link, font=canvas.font(24), fill=canvas.SOFT, anchor="rm")
    return canvas.encode(picture)
