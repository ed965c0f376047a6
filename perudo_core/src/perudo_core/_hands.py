"""The hands of up to five dice, each made once: drawing one takes a single random number, and it needs no check."""

from collections.abc import Callable
from itertools import product
from typing import Any, Final, TypeAlias

from perudo_core._actions import FACES, Dice, Roll

__all__ = ["are_shared", "draw_dice", "draw_roll"]

Hand: TypeAlias = tuple[int, ...]

MAX_SHARED_DICE: Final = 5
"""There are 6**5 = 7,776 hands of five dice; of six dice there would be 46,656."""


class _SharedHands(dict[int, tuple[Hand, ...]]):
    """All hands of each number of dice, made when they are first asked for and kept for ever."""

    def __init__(self) -> None:
        super().__init__()
        self.length_by_id: dict[int, int] = {id(()): 0}
        """How many dice each of the hands has. The ids stay valid, because the hands are kept."""

    def __missing__(self, count: int) -> tuple[Hand, ...]:
        hands = self.setdefault(count, tuple(product(FACES, repeat=count)))  # another thread may have made them
        self.length_by_id.update((id(hand), count) for hand in hands)
        return hands


_id: Final = id
_ROLL: Final = Roll
_new: Final = object.__new__
_set_dice: Final[Any] = vars(Roll)["dice"].__set__
_shared_hands: Final = _SharedHands()
_length_by_id: Final = _shared_hands.length_by_id


def draw_roll(counts: tuple[int, ...], random: Callable[[], float]) -> Roll:
    """Return a roll of so many dice for each seat."""
    roll = _new(_ROLL)  # half the time that the `__init__` of a frozen dataclass takes
    _set_dice(roll, draw_dice(counts, random))
    return roll


def draw_dice(counts: tuple[int, ...], random: Callable[[], float]) -> Dice:
    """Return a random hand for each seat, of so many dice; `random` gives numbers from 0 to below 1."""
    dice = []
    for count in counts:
        if 0 < count <= MAX_SHARED_DICE:
            hands = _shared_hands[count]
            dice.append(hands[int(random() * len(hands))])
        else:
            dice.append(sum(draw_dice((MAX_SHARED_DICE, count - MAX_SHARED_DICE), random), ()) if count else ())
    return tuple(dice)


def are_shared(hands: tuple[object, ...], counts: tuple[int, ...]) -> bool:
    """Return whether these are shared hands of so many dice; any other hand needs a check."""
    if len(hands) != len(counts):
        return False
    for seat, count in enumerate(counts):  # noqa: SIM110 - compiled, a generator or a zip takes three times as long
        if _length_by_id.get(_id(hands[seat])) != count:
            return False
    return True
