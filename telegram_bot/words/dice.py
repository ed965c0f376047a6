"""Dice, bids and calls as players read them: `5 × 4️⃣`, "5 fours"."""

from typing import Final, NamedTuple

from perudo_core import PRESETS, Bid, Calza, Dudo, Rules, parse_call
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import Catalogue, mark_plural

FACES: Final = range(1, 7)
ONES: Final = ("paco", "ace", "aztec_head", "one")
"""The names of a 1 in the rulebooks."""
_WORDS_FOR_ONE: Final = {"Paco": "paco", "ace": "ace", "testa di Azteco": "aztec_head"}

_KEYCAP: Final = "\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}"
SIGNS: Final = "⚀⚁⚂⚃⚄⚅"
WILD_SIGNS: Final = {"paco": "⭐", "ace": "🅰️", "aztec_head": "🗿", "one": "🌟"}
"""For each of `ONES` the sign of a wild one; its first character distinguishes it from the others."""


class FaceWords(NamedTuple):
    """The words for so many dice of one face."""

    face: str
    """The face alone: "four", "fours"."""
    bid: str
    """With the number in digits: "1 four", "5 fours"."""
    spoken: str
    """As a voice says it: digits as numbers, except sometimes a one: "one four", "5 fours"."""


_FACES: Final = {
    "paco": (mark_plural("paco", "pacos"), mark_plural("{n} paco", "{n} pacos"), mark_plural("one paco", "{n} pacos")),
    "ace": (mark_plural("ace", "aces"), mark_plural("{n} ace", "{n} aces"), mark_plural("one ace", "{n} aces")),
    "aztec_head": (
        mark_plural("Aztec head", "Aztec heads"),
        mark_plural("{n} Aztec head", "{n} Aztec heads"),
        mark_plural("one Aztec head", "{n} Aztec heads"),
    ),
    "one": (mark_plural("one", "ones"), mark_plural("{n} one", "{n} ones"), mark_plural("one one", "{n} ones")),
    2: (mark_plural("two", "twos"), mark_plural("{n} two", "{n} twos"), mark_plural("one two", "{n} twos")),
    3: (mark_plural("three", "threes"), mark_plural("{n} three", "{n} threes"), mark_plural("one three", "{n} threes")),
    4: (mark_plural("four", "fours"), mark_plural("{n} four", "{n} fours"), mark_plural("one four", "{n} fours")),
    5: (mark_plural("five", "fives"), mark_plural("{n} five", "{n} fives"), mark_plural("one five", "{n} fives")),
    6: (mark_plural("six", "sixes"), mark_plural("{n} six", "{n} sixes"), mark_plural("one six", "{n} sixes")),
}
"""The forms of `FaceWords`: for each of `ONES`, and for each other face."""


def face_words(n: int, face: int, w: Catalogue, wild_by: str | None = None) -> FaceWords:
    """A face by its name, as for n dice of it; see `die`. The only list of these words.

    Raises:
        ValueError: no die has this face.
    """
    if face not in FACES:
        raise ValueError(f"a die has no face {face}")
    forms = _FACES[("one" if w.plain_ones else ones_word(wild_by)) if face == 1 else face]
    return FaceWords(*(w.count(singular, plural, n) for singular, plural in forms))


def ones_word(wild_by: str | None) -> str:
    """The rulebook's name of a 1, one of `ONES`; None: ones are not wild."""
    if wild_by is None:
        return "one"
    return _WORDS_FOR_ONE.get(Rules.about(wild_by)["word_for_one"], "one") if wild_by in PRESETS else "paco"


def die(face: int, w: Catalogue, wild_by: str | None = None) -> str:
    """The die that shows a face, in the reader's dice style: `4️⃣`, `⚃`, `four` or `4`.

    `wild_by`: the rulebook by which ones are wild, whose name for a 1 has a sign of its own; None: they are not wild.
    Raises ValueError for a face outside 1 to 6.
    """
    if face not in FACES:
        raise ValueError(f"a die has no face {face}")
    match w.dice_style:
        case DiceStyle.KEYCAPS:
            return (
                f"{face}{_KEYCAP}" if face != 1 or wild_by is None or w.plain_ones else WILD_SIGNS[ones_word(wild_by)]
            )
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
