"""All hands of up to five dice, each made once: drawing one takes a single random number, and it needs no check."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Final

from perudo_core.actions import FACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["draw_hand", "shared_lengths"]

MAX_SHARED_DICE: Final = 5
"""There are 6**5 = 7,776 hands of five dice; of six dice there would be 46,656."""

_length_by_id: Final[dict[int, int]] = {id(()): 0}
"""How many dice each shared hand has. The ids stay valid, because `_all_hands` keeps its hands for ever."""


@cache
def _all_hands(count: int) -> tuple[tuple[int, ...], ...]:
    hands = tuple(product(FACES, repeat=count))
    _length_by_id.update((id(hand), count) for hand in hands)
    return hands


def draw_hand(count: int, random: Callable[[], float]) -> tuple[int, ...]:
    """A random hand of `count` dice; `random` gives numbers from 0 to below 1."""
    if count > MAX_SHARED_DICE:
        return draw_hand(MAX_SHARED_DICE, random) + draw_hand(count - MAX_SHARED_DICE, random)
    return _all_hands(count)[int(random() * 6**count)] if count else ()


def shared_lengths(hands: Iterable[object]) -> tuple[int | None, ...]:
    """How many dice each hand has; None for a hand that did not come from `draw_hand`, which may be anything."""
    return tuple(map(_length_by_id.get, map(id, hands)))
