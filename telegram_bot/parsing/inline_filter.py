"""Choose the calls that match a player's typed words so far: "4", "3x", "3x4", "five fo", "dudo"."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from telegram_bot.parsing.grammar import parse
from telegram_bot.parsing.normalize import comparison_key, normalize
from telegram_bot.parsing.vocabulary import vocabulary
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.tables.views import TableView
from telegram_bot.words.language_files import GRAMMARS

_BEGUN: Final = re.compile(r"(?P<quantity>\d{1,3})(?P<times> ?x ?)?")


@dataclass(frozen=True, slots=True)
class CallFilter:
    """The matching calls, or None for every bid."""

    bids: frozenset[tuple[int, int]] | None
    dudo: bool
    calza: bool

    def bid(self, quantity: int, face: int) -> bool:
        """Return True if this bid matches."""
        return self.bids is None or (quantity, face) in self.bids


def filter_for(typed: str, language: str, spoken: str, view: TableView) -> CallFilter:
    """Return the filter for the words, of which the last may be half typed; `spoken`: the table's language."""
    words = _quantity_in_digits(comparison_key(normalize(typed)))
    if not words:
        return CallFilter(None, dudo=True, calza=True)
    if begun := _BEGUN.fullmatch(words):
        number = int(begun["quantity"])
        by_number = frozenset(
            bid for bid in view.raises if bid[0] == number or (bid[1] == number and begun["times"] is None)
        )
        if by_number:
            return CallFilter(by_number, dudo=False, calza=False)
    said = parse(typed, language, table=spoken, total_dice=view.total_dice)
    match said:
        case MakeBid(quantity, face, bare):
            turned = {(face, quantity)} if bare else set()
            return CallFilter(frozenset({(quantity, face)} | turned), dudo=False, calza=False)
        case CallDudo() | CallCalza():
            return CallFilter(frozenset(), dudo=said == CallDudo(), calza=said == CallCalza())
    fitting = frozenset(bid for bid in view.raises if any(f" {words}" in f" {name}" for name in _names(*bid)))
    return CallFilter(fitting, dudo="dudo".startswith(words), calza="calza".startswith(words))


def _quantity_in_digits(words: str) -> str:
    """Return the words with the number at their beginning in digits: "5 fou" for "five fou"."""
    numbers = _numbers()
    said = words.split()
    for size in range(len(said), 0, -1):
        if number := numbers.get(" ".join(said[:size])):
            return " ".join([str(number), *said[size:]])
    return words


@cache
def _numbers() -> dict[str, int]:
    """Return the numbers in words of every language; no word has two values."""
    return {words: number for language in GRAMMARS for words, number in vocabulary(language).numbers.items()}


@lru_cache(maxsize=4096)
def _names(quantity: int, face: int) -> tuple[str, ...]:
    """Return a bid in the words that every language knows for its face, and in typed form."""
    faces = {word for language in GRAMMARS for word, value in vocabulary(language).faces.items() if value == face}
    return (*(f"{quantity} {word}" for word in faces), f"{quantity}x{face}")
