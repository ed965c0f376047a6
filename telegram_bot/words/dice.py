"""Dice and bids as players read them: `5 × 4️⃣`, "5 fours"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from perudo_core import PRESETS, Rules
from telegram_bot.storage.models import DiceStyle

if TYPE_CHECKING:
    from telegram_bot.words.catalogue import Catalogue

FACES: Final = range(1, 7)
ONES: Final = ("paco", "ace", "aztec_head", "one")
"""What a house may call a 1."""
_WORDS_FOR_ONE: Final = {"Paco": "paco", "ace": "ace", "testa di Azteco": "aztec_head"}

_KEYCAP: Final = "\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}"
SIGNS: Final = "⚀⚁⚂⚃⚄⚅"
WILD_SIGNS: Final = {"paco": "⭐", "ace": "🅰️", "aztec_head": "🗿", "one": "🌟"}
"""For each of `ONES` the sign of a wild one; the first character tells it from the others."""


def die(face: int, w: Catalogue, wild_by: str | None = None) -> str:
    """The die that shows a face, in the reader's dice style: `4️⃣`, `⚃`, `four` or `4`.

    `wild_by`: the rulebook by which ones are wild, whose word for a 1 has a sign of its own; None: they are not wild.
    Raises ValueError for a face outside 1 to 6.
    """
    if face not in FACES:
        raise ValueError(f"a die has no face {face}")
    match w.dice_style:
        case DiceStyle.KEYCAPS:
            return f"{face}{_KEYCAP}" if face != 1 or wild_by is None else WILD_SIGNS[ones_word(wild_by)]
        case DiceStyle.SIGNS:
            return SIGNS[face - 1]
        case DiceStyle.WORDS:
            return face_words(1, face, w, _word(wild_by))
        case DiceStyle.DIGITS:
            return str(face)


def dice(faces: tuple[int, ...] | list[int], w: Catalogue, wild_by: str | None = None) -> str:
    """A hand, in its own order."""
    between = ", " if w.dice_style is DiceStyle.WORDS else " "
    return between.join(die(face, w, wild_by) for face in faces)


def bid_figure(quantity: int, face: int, w: Catalogue, wild_by: str | None = None) -> str:
    """A bid in the reader's dice style: `5 × 4️⃣`, `5 × ⚃`, `5 fours` or `5 × 4`. See `die`."""
    if w.dice_style is DiceStyle.WORDS:
        return bid_words(quantity, face, w, _word(wild_by))
    return f"{quantity} × {die(face, w, wild_by)}"


def ones_word(preset: str) -> str:
    """What the book behind a preset of the rules calls a 1: one of `ONES`."""
    if preset not in PRESETS:
        return "paco"
    return _WORDS_FOR_ONE.get(Rules.about(preset)["word_for_one"], "one")


def _word(wild_by: str | None) -> str:
    return "one" if wild_by is None else ones_word(wild_by)


def face_words(n: int, face: int, catalogue: Catalogue, ones: str = "paco") -> str:
    """A face by its name, as for n dice of it: "four", "fours"."""
    match face:
        case 1:
            return _ones_name(n, catalogue, ones)
        case 2:
            return catalogue.count("two", "twos", n)
        case 3:
            return catalogue.count("three", "threes", n)
        case 4:
            return catalogue.count("four", "fours", n)
        case 5:
            return catalogue.count("five", "fives", n)
        case 6:
            return catalogue.count("six", "sixes", n)
        case _:
            raise ValueError(f"a die has no face {face}")


def _ones_name(n: int, catalogue: Catalogue, ones: str) -> str:
    match ones:
        case "paco":
            return catalogue.count("paco", "pacos", n)
        case "ace":
            return catalogue.count("ace", "aces", n)
        case "aztec_head":
            return catalogue.count("Aztec head", "Aztec heads", n)
        case _:
            return catalogue.count("one", "ones", n)


def bid_words(quantity: int, face: int, catalogue: Catalogue, ones: str = "paco") -> str:
    """A bid in words: "5 fours", "1 six", "3 pacos"."""
    match face:
        case 1:
            return _ones_bid(quantity, catalogue, ones)
        case 2:
            return catalogue.count("{n} two", "{n} twos", quantity)
        case 3:
            return catalogue.count("{n} three", "{n} threes", quantity)
        case 4:
            return catalogue.count("{n} four", "{n} fours", quantity)
        case 5:
            return catalogue.count("{n} five", "{n} fives", quantity)
        case 6:
            return catalogue.count("{n} six", "{n} sixes", quantity)
        case _:
            raise ValueError(f"a die has no face {face}")


def _ones_bid(quantity: int, catalogue: Catalogue, ones: str) -> str:
    match ones:
        case "paco":
            return catalogue.count("{n} paco", "{n} pacos", quantity)
        case "ace":
            return catalogue.count("{n} ace", "{n} aces", quantity)
        case "aztec_head":
            return catalogue.count("{n} Aztec head", "{n} Aztec heads", quantity)
        case _:
            return catalogue.count("{n} one", "{n} ones", quantity)
