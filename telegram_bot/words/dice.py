"""Dice, bids and calls as players read them: `5 × 4️⃣`, "5 fours"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from perudo_core import PRESETS, Bid, Calza, Dudo, Rules, parse_call
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


class FaceWords(NamedTuple):
    """The words for so many dice of one face."""

    face: str
    """The face alone: "four", "fours"."""
    bid: str
    """With the number in digits: "1 four", "5 fours"."""
    spoken: str
    """As a voice says it, which reads digits as numbers, except sometimes a one: "one four", "5 fours"."""


def face_words(n: int, face: int, w: Catalogue, wild_by: str | None = None) -> FaceWords:
    """A face by its name, as for n dice of it; see `die`. The only list of these words.

    Raises:
        ValueError: no die has this face.
    """
    match ones_word(wild_by) if face == 1 else face:
        case "paco":
            words = (
                w.count("paco", "pacos", n),
                w.count("{n} paco", "{n} pacos", n),
                w.count("one paco", "{n} pacos", n),
            )
        case "ace":
            words = w.count("ace", "aces", n), w.count("{n} ace", "{n} aces", n), w.count("one ace", "{n} aces", n)
        case "aztec_head":
            words = (
                w.count("Aztec head", "Aztec heads", n),
                w.count("{n} Aztec head", "{n} Aztec heads", n),
                w.count("one Aztec head", "{n} Aztec heads", n),
            )
        case "one":
            words = w.count("one", "ones", n), w.count("{n} one", "{n} ones", n), w.count("one one", "{n} ones", n)
        case 2:
            words = w.count("two", "twos", n), w.count("{n} two", "{n} twos", n), w.count("one two", "{n} twos", n)
        case 3:
            words = (
                w.count("three", "threes", n),
                w.count("{n} three", "{n} threes", n),
                w.count("one three", "{n} threes", n),
            )
        case 4:
            words = (
                w.count("four", "fours", n),
                w.count("{n} four", "{n} fours", n),
                w.count("one four", "{n} fours", n),
            )
        case 5:
            words = (
                w.count("five", "fives", n),
                w.count("{n} five", "{n} fives", n),
                w.count("one five", "{n} fives", n),
            )
        case 6:
            words = w.count("six", "sixes", n), w.count("{n} six", "{n} sixes", n), w.count("one six", "{n} sixes", n)
        case _:
            raise ValueError(f"a die has no face {face}")
    return FaceWords(*words)


def ones_word(wild_by: str | None) -> str:
    """What the book behind a preset of the rules calls a 1, one of `ONES`; None: ones are not wild."""
    if wild_by is None:
        return "one"
    return _WORDS_FOR_ONE.get(Rules.about(wild_by)["word_for_one"], "one") if wild_by in PRESETS else "paco"


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
            return face_words(1, face, w, wild_by).face
        case DiceStyle.DIGITS:
            return str(face)


def dice(faces: tuple[int, ...] | list[int], w: Catalogue, wild_by: str | None = None) -> str:
    """A hand, in its own order."""
    between = ", " if w.dice_style is DiceStyle.WORDS else " "
    return between.join(die(face, w, wild_by) for face in faces)


def bid_figure(quantity: int, face: int, w: Catalogue, wild_by: str | None = None) -> str:
    """A bid in the reader's dice style: `5 × 4️⃣`, `5 × ⚃`, `5 fours` or `5 × 4`. See `die`."""
    if w.dice_style is DiceStyle.WORDS:
        return face_words(quantity, face, w, wild_by).bid
    return f"{quantity} × {die(face, w, wild_by)}"


def call_label(call: str, w: Catalogue, wild_by: str | None) -> str:
    """A call in the notation of `perudo_core` as a button shows it, in plain text."""
    match parse_call(call, 0):
        case Bid(quantity=quantity, face=face):
            return bid_figure(quantity, face, w, wild_by)
        case Dudo():
            return w.say("Dudo!")
        case Calza():
            return w.say("Calza!")
        case _:
            return call
