"""The parts of all pictures: colours, the font, single dice, and the encoding as PNG and GIF."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from typing import Final, TypeAlias

from PIL import Image, ImageDraw, ImageFont
from wcwidth import iter_graphemes

from telegram_bot.tables.faces import Face

Color: TypeAlias = tuple[int, int, int]

WIDTH: Final = 800
"""The width of every picture, in pixels: a phone would scale down a wider one."""
MARGIN: Final = 32
# A picture brings its own background, so it is as readable in a dark chat as in a light one.
FELT: Final[Color] = (24, 88, 66)
PANEL: Final[Color] = (18, 70, 52)
LINE: Final[Color] = (58, 128, 102)
WHITE: Final[Color] = (255, 255, 255)
SOFT: Final[Color] = (196, 222, 211)
GOLD: Final[Color] = (255, 205, 64)
GREEN: Final[Color] = (126, 226, 140)
RED: Final[Color] = (255, 138, 122)
SEATS: Final[tuple[Color, ...]] = (
    *((255, 205, 64), (122, 190, 255), (255, 138, 122), (150, 235, 150), (226, 160, 255)),
    *((255, 255, 255), (255, 170, 60), (90, 225, 220), (255, 150, 205), (190, 200, 120)),
)
"""The colours of seats on the felt, the same as on web pages."""
_IVORY: Final[Color] = (255, 250, 236)
_INK: Final[Color] = (30, 34, 40)
_ACE: Final[Color] = (200, 30, 36)
_DIM: Final[Color] = (108, 150, 133)
_DIM_INK: Final[Color] = (32, 72, 57)
OVERSAMPLING: Final = 4
"""A die is drawn this much larger and scaled down, because Pillow draws without smoothing."""
_COLORS: Final = 128
"""Colours of the palette: enough for smooth edges, few enough for small files."""
_THIRDS: Final = (0.25, 0.5, 0.75)
_PIPS: Final = {
    1: ((1, 1),),
    2: ((0, 2), (2, 0)),
    3: ((0, 2), (1, 1), (2, 0)),
    4: ((0, 0), (0, 2), (2, 0), (2, 2)),
    5: ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2)),
    6: ((0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)),
}
"""The places of the pips of each face, as (column, row) of a grid of three by three."""


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font in a size in pixels. DejaVu Sans has Latin, Greek, Cyrillic, Arabic and Hebrew letters."""
    data = files("telegram_bot.pictures").joinpath("fonts/DejaVuSans-Bold.ttf").read_bytes()
    return ImageFont.truetype(BytesIO(data), size)


@lru_cache(maxsize=128)
def die(face: int, size: int, *, dimmed: bool = False, lit: bool = False) -> Image.Image:
    """Return one die on the felt, `size` pixels wide.

    `lit`: with a golden edge, for a die that counts or is wild. `dimmed`: for a die that does not count.
    Raises ValueError for a face outside 1 to 6.
    """
    if face not in _PIPS:
        raise ValueError(f"a die has no face {face}")
    large = size * OVERSAMPLING
    image = Image.new("RGBA", (large, large), (*FELT, 0))
    draw = ImageDraw.Draw(image)
    edge = large // 12
    draw.rounded_rectangle(
        (0, 0, large - 1, large - 1),
        radius=large // 5,
        fill=_DIM if dimmed else _IVORY,
        outline=GOLD if lit else None,
        width=edge if lit else 0,
    )
    ink = _DIM_INK if dimmed else _ACE if face == 1 else _INK
    radius = large * (0.15 if face == 1 else 0.095)
    for column, row in _PIPS[face]:
        x, y = _THIRDS[column] * large, _THIRDS[row] * large
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=ink)
    return image.resize((size, size), Image.Resampling.LANCZOS)


@lru_cache(maxsize=128)
def face_image(face: Face, size: int) -> Image.Image:
    """Return a player's face, `size` pixels wide; `test_support.face_images` has drawn it, because fonts lack emoji."""
    data = files("telegram_bot.pictures").joinpath(f"faces/{face}.png").read_bytes()
    return Image.open(BytesIO(data)).convert("RGBA").resize((size, size), Image.Resampling.LANCZOS)


def paste(picture: Image.Image, image: Image.Image, x: int, y: int) -> None:
    """Put a die or a face onto a picture; (x, y) is its upper left corner."""
    picture.paste(image, (x, y), image)


def paste_face(picture: Image.Image, face: Face | None, x: int, middle: int, size: int) -> int:
    """Put a player's face in front of their name; return the width that it takes, 0 without a face."""
    if face is None:
        return 0
    paste(picture, face_image(face, size), x, middle - size // 2)
    return size + size // 4


_BREAKS: Final = re.compile(r"[^\S\u00a0\u202f]+")
"""White space at which a line may end: a number stays with its sign, and a day with its time."""
_LACKED: Final = "\uffff"
_LAST_SIGN: Final = re.compile(rf"[ \u00a0\u202f]*{_LACKED}+(?=\W|$)")
"""Characters that the font lacks, at the end of a word or a name."""


def drawable(text: str) -> str:
    """Return the text without the characters that the font lacks, such as emoji, and without the spaces before them."""
    # A character that the font lacks is drawn as the same box as U+FFFF.
    box = _glyph(_LACKED)
    marked = "".join(each if each.isspace() or _glyph(each) != box else _LACKED for each in text)
    kept = _LAST_SIGN.sub("", marked).replace(_LACKED, "")
    return " ".join(_BREAKS.split(kept.strip()))


@lru_cache(maxsize=4096)
def _glyph(character: str) -> bytes:
    return bytes(font(16).getmask(character))


def shortened(text: str, size: int, width: int) -> str:
    """Return the text, shortened with an ellipsis to a width in pixels."""
    if font(size).getlength(text) <= width:
        return text
    signs = [*iter_graphemes(text)]
    while signs and font(size).getlength("".join(signs) + "…") > width:
        signs.pop()
    return "".join(signs).rstrip() + "…"


def wrapped(text: str, size: int, width: int) -> list[str]:
    """Return the text in lines of at most this width in pixels, broken between words."""
    lines = [""]
    for word in _BREAKS.split(text.strip()):
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and font(size).getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return [shortened(line, size, width) for line in lines]


def encode(picture: Image.Image) -> bytes:
    """Return the picture as a PNG file."""
    file = BytesIO()
    picture.quantize(_COLORS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG")
    return file.getvalue()


def encode_animation(pictures: Sequence[tuple[Image.Image, int]]) -> bytes:
    """Return pictures of one size, each with its duration in milliseconds, as an animated GIF file.

    All have the colours of the first and the last one.
    """
    (first, _), (last, _) = pictures[0], pictures[-1]
    both = Image.new("RGB", (last.width, 2 * last.height))
    both.paste(first, (0, 0))
    both.paste(last, (0, last.height))
    palette = both.quantize(_COLORS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    frames = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture, _ in pictures]
    file = BytesIO()
    times = [milliseconds for _, milliseconds in pictures]
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=times, optimize=True)
    return file.getvalue()
