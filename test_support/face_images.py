"""Draws the players' faces into `telegram_bot/pictures/faces`: `python -m test_support.face_images`.

The pictures' own font has no emoji. The files in the repository were drawn with Debian's package
`fonts-noto-color-emoji`; run it again after a change of `Face`.
"""

from pathlib import Path
from typing import Final

from PIL import Image, ImageDraw, ImageFont

from telegram_bot.tables.faces import Face

FONT: Final = Path("/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf")
FACES: Final = Path(__file__).parents[1] / "telegram_bot/pictures/faces"
_DRAWN: Final = 109
"""The only size of the font, in pixels."""
_CELL: Final = 136
"""The width of its glyphs."""
_SIZE: Final = 64
_COLOURS: Final = 64

if __name__ == "__main__":
    font = ImageFont.truetype(FONT, _DRAWN)
    for face in Face:
        large, square = (Image.new("RGBA", (_CELL, _CELL), (0, 0, 0, 0)) for _ in range(2))
        ImageDraw.Draw(large).text((_CELL // 2, _CELL // 2), face.sign, font=font, embedded_color=True, anchor="mm")
        left, upper, right, lower = box = large.getbbox() or (0, 0, _CELL, _CELL)
        square.paste(large.crop(box), ((_CELL - right + left) // 2, (_CELL - lower + upper) // 2))
        small = square.resize((_SIZE, _SIZE), Image.Resampling.LANCZOS)
        few = small.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        few.save(FACES / f"{face}.png", optimize=True)
