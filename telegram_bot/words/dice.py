"""Dice and bids as players read them: ⚃, "5 fours"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from perudo_core import PRESETS, Rules

if TYPE_CHECKING:
    from telegram_bot.words.catalogue import Catalogue

FACES: Final = range(1, 7)
ONES: Final = ("paco", "ace", "aztec_head", "one")
"""What a house may call a 1."""
_WORDS_FOR_ONE: Final = {"Paco": "paco", "ace": "ace", "testa di Azteco": "aztec_head"}


def die(face: int) -> str:
    """The die that shows a face, as one character."""
    if face not in FACES:
        raise ValueError(f"a die has no face {face}")
    return "⚀⚁⚂⚃⚄⚅"[face - 1]


def dice(faces: tuple[int, ...] | list[int]) -> str:
    """A hand, in its own order."""
    return " ".join(map(die, faces))


def ones_word(rules: Rules) -> str:
    """What the book behind a house's rules calls a 1: one of `ONES`."""
    if rules.preset not in PRESETS:
        return "paco"
    return _WORDS_FOR_ONE.get(Rules.about(rules.preset)["word_for_one"], "one")


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
