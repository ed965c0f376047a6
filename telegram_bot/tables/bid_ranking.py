"""Sort the bids that a player can make by how likely they hold, as far as the player can know."""

from __future__ import annotations

from perudo_core.odds import probability_holds
from telegram_bot.tables.views import HandView


def ranked_bids(hand: HandView) -> list[tuple[int, int]]:
    """The legal bids as (quantity, face), the most likely first; of equally likely ones the strongest first.

    They follow from the player's own view alone, so their order tells nothing about other players' dice.
    """
    table = hand.table
    unknown = _dice_on_the_table(hand) - len(hand.dice)
    chances = {bid: probability_holds(hand.dice, unknown, *bid, table.ones_wild) for bid in table.raises}
    strongest_first = list(reversed(table.raises))
    return sorted(strongest_first, key=lambda bid: chances[bid], reverse=True)


def _dice_on_the_table(hand: HandView) -> int:
    """The dice in play; where lost dice are hidden, as many as there can be."""
    table = hand.table
    if table.total_dice is not None:
        return table.total_dice
    others = sum(not seat.out for index, seat in enumerate(table.seats) if index != hand.seat)
    return len(hand.dice) + others * table.rules.starting_dice
