"""Tips for new players: one line at the moment when a player needs it."""

from enum import StrEnum

from telegram_bot.tables.views import HandView


class Tip(StrEnum):
    """A tip, which a player gets at most once."""

    WILD = "wild"
    """The sign of a one, which counts as every face."""
    DUDO = "dudo"
    """The meaning of dudo."""
    UNSEEN = "unseen"
    """How many dice of the bid the player holds, and how many dice the player does not see."""
    CALZA = "calza"
    """The meaning of calza, and the die that it wins or costs: until the player's first calza."""

    @property
    def shows_dice(self) -> bool:
        """Whether its words depend on the player's dice, so that a page shows it next to an open cup only."""
        return self is Tip.UNSEEN


def fitting_tips(hand: HandView) -> tuple[Tip, ...]:
    """Return the tips that help with a hand now, the most urgent first. The choice depends on public facts only.

    The others at the table see that a player has a tip.
    """
    table = hand.table
    fitting = [Tip.WILD] if table.ones_wild else []
    if hand.on_turn and table.standing is not None:
        fitting += [Tip.DUDO] if hand.may_dudo else []
        fitting += [Tip.UNSEEN] if table.total_dice is not None else []
    return tuple(fitting)
