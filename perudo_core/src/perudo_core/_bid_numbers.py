"""The numbers of bids.

Bids are numbered by quantity and then by face:

    number   0    1    2    3    4    5    6    7   ...
    bid     1x1  1x2  1x3  1x4  1x5  1x6  2x1  2x2  ...
"""

from typing import Final

from perudo_core._actions import FACES
from perudo_core._bidding import QuantityAndFace

__all__ = ["bid_number", "count_bids", "quantity_and_face"]

FACE_COUNT: Final = len(FACES)


def bid_number(quantity: int, face: int) -> int:
    """Return the number of a bid in the order of all bids.

    >>> bid_number(2, 3)
    8
    """
    return FACE_COUNT * (quantity - 1) + face - 1


def quantity_and_face(number: int) -> QuantityAndFace:
    """Return the bid with this number.

    >>> quantity_and_face(8)
    (2, 3)
    """
    quantity, face = divmod(number, FACE_COUNT)
    return quantity + 1, face + 1


def count_bids(max_quantity: int) -> int:
    """Return the number of bids of at most this quantity; these bids have the numbers below it.

    >>> count_bids(2)
    12
    """
    return FACE_COUNT * max_quantity
