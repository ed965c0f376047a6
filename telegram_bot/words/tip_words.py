"""Tips for new players in words."""

from perudo_core import count_matching
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.offered_bids import unseen_dice
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import HandView
from telegram_bot.words.dice import die
from telegram_bot.words.lines import Format, Medium


def tip_text(tip: Tip | None, hand: HandView, f: Format) -> str:
    """Return one sentence; empty without a tip."""
    w = f.w
    table, bid = hand.table, hand.table.standing
    match tip:
        case Tip.WILD if f.medium is not Medium.TEXT and w.dice_style is DiceStyle.KEYCAPS:
            return w.say("{die} is a one. Ones count as any face.", die=die(1, w, table.wild_by))
        case Tip.WILD:
            return w.say("Ones count as any face.")
        case Tip.DUDO if bid is not None:
            return w.say("Dudo: you think there are fewer.")
        case Tip.UNSEEN if bid is not None and table.total_dice is not None:
            return w.count(
                "You hold {held} of those, and {n} die is unseen.",
                "You hold {held} of those, and {n} dice are unseen.",
                unseen_dice(table, hand.dice),
                held=str(count_matching(hand.dice, bid.face, table.ones_wild)),
            )
        case _:
            return ""
