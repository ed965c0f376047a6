"""The pictures of the hand of the day: the player's own dice, and the cups that lift after the decision."""

from telegram_bot.features.daily.notices import DailyNotice
from telegram_bot.presentation.pictures import Picture, hand_image, reveal_image
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import SeatView
from telegram_bot.words.catalogue import Catalogue


def daily_picture_of(notice: DailyNotice, w: Catalogue) -> Picture:
    """Return the dice of the player who decides; after the decision an animation with the dice of all."""
    asked = notice.question
    if notice.answer is None:
        return hand_image(asked.dice, ones_wild=asked.wild_by is not None)
    hand, you = notice.answer.hand, w.say("You")
    view = RevealView(
        table=0,
        round=notice.day,
        seats=tuple(SeatView(player=seat, name=name or you) for seat, name in enumerate(asked.names)),
        bids=asked.bids,
        call=None,
        caller=None,
        dice=hand.dice,
        bid=asked.bids[-1],
        count=hand.counted,
        ones_wild=asked.wild_by is not None,
        changes=(),
        out=(),
        next_opener=None,
        next_palifico=False,
        timed_out=False,
        wild_by=asked.wild_by,
    )
    return reveal_image(view, w, key=f"daily:{notice.day}:{you}", animated=True)
