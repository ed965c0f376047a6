"""Choose the picture of a notice in a chat."""

from telegram_bot.notices import FeatureNotice, HandNotice, RevealNotice
from telegram_bot.presentation.features import PRESENTATIONS
from telegram_bot.presentation.pictures import Picture, hand_image, reveal_image
from telegram_bot.service.envelope import Envelope
from telegram_bot.words.catalogue import Catalogue


def picture_of(envelope: Envelope, w: Catalogue) -> Picture | None:
    """Return the picture of a notice, or None if its words are sent alone.

    A hand is drawn in private chats only.
    """
    if not envelope.pictures or envelope.receiver is not None:
        return None
    match envelope.notice:
        case HandNotice(view=hand) if envelope.chat > 0 and hand.dice:
            return hand_image(hand.dice, ones_wild=hand.table.ones_wild)
        case RevealNotice(view=view, animated=animated) if view.bid is not None and view.count is not None:
            return reveal_image(view, w, key=f"reveal:{view.table}:{view.round}", animated=animated)
        case FeatureNotice() as told:
            picture = PRESENTATIONS[type(told)].picture
            return None if picture is None else picture(told, w)
        case _:
            return None
