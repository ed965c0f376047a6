"""The order in which all keyboards, pages, lists and examples offer bids."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from perudo_core import count_matching
from perudo_core.odds import probability_holds
from telegram_bot.tables.views import TableView

LIKELY: Final = Fraction(1, 2)
"""An opening bid holds at least with this probability."""
PLAUSIBLE: Final = Fraction(1, 3)
"""One more of the same face comes first if it holds at least with this probability."""
_SAME_FACE: Final = 3


def offered_bids(view: TableView, dice: Sequence[int] = ()) -> list[tuple[int, int]]:
    """Return legal bids as (quantity, face), the best first; empty if no bid is legal.

    One more of the same face is first, then faces that the reader holds, ones last unless held; an implausible bid is
    after a plausible one. `dice` are the reader's own. Without them the order follows from public facts only, so
    other people may see it.
    """
    seen, unseen = seen_dice(view, dice), unseen_dice(view, dice)

    def chance(bid: tuple[int, int]) -> Fraction:
        return probability_holds(seen, unseen, *bid, view.ones_wild)

    def rank(bid: tuple[int, int]) -> tuple[bool, bool, bool, bool, Fraction, int]:
        common = view.standing is not None and bid == (view.standing.quantity + 1, view.standing.face)
        held, chances = bid[1] in dice, chance(bid)
        return chances < PLAUSIBLE, not common, bid[1] == 1 and not held, not held, -chances, -bid[0]

    candidates: list[tuple[int, int]] = []
    for face in range(1, 7):
        legal = [bid for bid in view.raises if bid[1] == face]
        if view.standing is not None:
            candidates += legal[: _SAME_FACE if face == view.standing.face else 1]
        elif legal:
            own = count_matching(dice, face, view.ones_wild)
            usual = [bid for bid in legal if bid[0] <= max(2, own, _in_play(view)) and chance(bid) >= LIKELY]
            candidates.append((usual or legal[:1])[-1])
    return sorted(candidates, key=rank)


def _in_play(view: TableView) -> int:
    return sum(not seat.out for seat in view.seats)


def seen_dice(view: TableView, dice: Sequence[int]) -> list[int]:
    """Return the dice that the player on turn sees: `dice`, which are their own, and those that others have shown."""
    return [*dice, *(die for each in view.shown if not dice or each.seat != view.turn for die in each.faces)]


def unseen_dice(view: TableView, dice: Sequence[int]) -> int:
    """Return the number of dice that the player on turn does not see; where lost dice are hidden, the maximum."""
    others_show = len(seen_dice(view, dice)) - len(dice)
    if view.total_dice is not None:
        return view.total_dice - len(dice) - others_show
    at_start = zip(view.seats, view.rules.dice_at_start(len(view.seats)), strict=True)
    most = sum(held for seat, (each, held) in enumerate(at_start) if not each.out and not (dice and seat == view.turn))
    return most - others_show
