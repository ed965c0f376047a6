"""Dice, bids and calls as players read them: `5 × 4️⃣`, "5 fours"."""

from typing import Final, NamedTuple

from perudo_core import Bid, Calza, Dudo, parse_call
from telegram_bot.storage.models import DiceStyle
from telegram_bot.words.catalogue import Catalogue, mark_plural

FACES: Final = range(1, 7)
_KEYCAP: Final = "\N{VARIATION SELECTOR-16}\N{COMBINING ENCLOSING KEYCAP}"
SIGNS: Final = "⚀⚁⚂⚃⚄⚅"
WILD_ONE: Final = "⭐"
"""The sign of a wild one. Its word is that of every one, whatever a rulebook calls it: paco, ace, Aztec head."""


class FaceWords(NamedTuple):
    """The words for so many dice of one face."""

    face: str
    """The face alone: "four", "fours"."""
    bid: str
    """With the number in digits: "1 four", "5 fours"."""
    spoken: str
    """As a voice says it: digits as numbers, except sometimes a one: "one four", "5 fours"."""


_FACES: Final = {
    1: (mark_plural("one", "ones"), mark_plural("{n} one", "{n} ones"), mark_plural("one one", "{n} ones")),
    2: (mark_plural("two", "twos"), mark_plural("{n} two", "{n} twos"), mark_plural("one two", "{n} twos")),
    3: (mark_plural("three", "threes"), mark_plural("{n} three", "{n} threes"), mark_plural("one three", "{n} threes")),
    4: (mark_plural("four", "fours"), mark_plural("{n} four", "{n} fours"), mark_plural("one four", "{n} fours")),
    5: (mark_plural("five", "fives"), mark_plural("{n} five", "{n} fives"), mark_plural("one five", "{n} fives")),
    6: (mark_plural("six", "sixes"), mark_plural("{n} six", "{n} sixes"), mark_plural("one six", "{n} sixes")),
}
"""The forms of `FaceWords` for each face."""


def face_words(n: int, face: int, w: Catalogue) -> FaceWords:
    """Return a face by its name, as for n dice of it. The only list of these words.

    Raises:
        ValueError: no die has this face.
    """
    if face not in FACES:
        raise ValueError(f"a die has no face {face}")
    return FaceWords(*(w.count(singular, plural, n) for singular, plural in _FACES[face]))


def die(face: int, w: Catalogue, wild_by: str | None = None) -> str:
    """Return the die that shows a face, in the reader's dice style: `4️⃣`, `⚃`, `four` or `4`.

    `wild_by`: the rulebook by which ones are wild, so that a 1 has a sign of its own, or None if they are not wild.
    Raises ValueError for a face outside 1 to 6.
    """
    if face not in FACES:
        raise ValueError(f"a die has no face {face}")
    match w.dice_style:
        case DiceStyle.KEYCAPS:
            return WILD_ONE if face == 1 and wild_by is not None and not w.plain_ones else f"{face}{_KEYCAP}"
        case DiceStyle.SIGNS:
            return SIGNS[face - 1]
        case DiceStyle.WORDS:
            return face_words(1, face, w).face
        case DiceStyle.DIGITS:
            return str(face)


def dice(faces: tuple[int, ...] | list[int], w: Catalogue, wild_by: str | None = None) -> str:
    """Return a hand, in its own order."""
    between = ", " if w.dice_style is DiceStyle.WORDS else " "
    return between.join(die(face, w, wild_by) for face in faces)


def bid_figure(quantity: int, face: int, w: Catalogue, wild_by: str | None = None) -> str:
    """Return a bid in the reader's dice style: `5 × 4️⃣`, `5 × ⚃`, `5 fours` or `5 × 4`. See `die`."""
    if w.dice_style is DiceStyle.WORDS:
        return face_words(quantity, face, w).bid
    return f"{quantity} × {die(face, w, wild_by)}"


def call_label(call: str, w: Catalogue, wild_by: str | None) -> str:
    """Return a call in the notation of `perudo_core` as a button shows it, in plain text."""
    match parse_call(call, 0):
        case Bid(quantity=quantity, face=face):
            return bid_figure(quantity, face, w, wild_by)
        case Dudo():
            return w.say("Dudo!")
        case Calza():
            return w.say("Calza!")
        case _:
            return call
