"""The options that are one of several words."""

from enum import StrEnum

__all__ = ["CalzaBy", "LostDice", "OpenerMethod", "PlainRaise"]


class OpenerMethod(StrEnum):
    """How the opener of the game is found."""

    RANDOM = "random"
    HIGHEST_DIE = "highest_die"  # each rolls one die; ties roll again
    HIGHEST_SUM = "highest_sum"  # each rolls two dice; ties roll again


class CalzaBy(StrEnum):
    """The players who may say calza; never the last bidder."""

    ANYONE_BUT_BIDDER = "anyone_but_bidder"
    BYSTANDERS = "bystanders"  # nor the player whose turn it is
    ON_TURN = "on_turn"  # only the player whose turn it is


class LostDice(StrEnum):
    """Whether the table sees how many dice each player has lost."""

    HIDDEN = "hidden"
    VISIBLE = "visible"


class PlainRaise(StrEnum):
    """How a bid on a plain face rises to a plain face; `ONES_HIGHEST` also covers raises to wild ones and from them."""

    ONE_THING = "one_thing"  # the face at the same quantity, or the quantity on the same face
    NO_DECREASE = "no_decrease"  # the quantity on the same face, or a higher face at the same or a greater quantity
    ANY_HIGHER = "any_higher"  # a greater quantity on any face, or a higher face at the same quantity
    ONES_HIGHEST = "ones_highest"  # as ANY_HIGHER, and wild ones are the highest face: no halving, no doubling
