from telegram_bot.pictures import canvas


def is_near(pixel: object, wanted: canvas.Color) -> bool:
    """Whether a pixel has a colour, as far as a palette can tell."""
    assert isinstance(pixel, tuple)
    return sum(abs(int(a) - b) for a, b in zip(pixel, wanted, strict=True)) < 40
