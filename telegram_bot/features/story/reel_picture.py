"""The animation of a reel: reveals one after the other, upright as a phone is held."""

from collections.abc import Sequence
from typing import Final

from PIL import Image, ImageDraw

from telegram_bot.pictures import canvas
from telegram_bot.pictures.reveal import RevealLabels, reveal_frames
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
