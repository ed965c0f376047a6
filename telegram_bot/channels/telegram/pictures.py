"""Choose the picture of a notice in a chat."""

from telegram_bot.channels.telegram import is_group
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import Picture
from telegram_bot.presentation.pictures import hand_image, reveal_image
from telegram_bot.tables.views import HandView
from telegram_bot.words.catalogue import Catalogue


def picture_of(envelope: Envelope, w: Catalogue) -> Picture | None:
    """Return the picture of a notice, or None if its words are sent alone.

    A hand is drawn in private chats only.
    """
    if not envelope.pictures or envelope.receiver is not None:
        return None
    notice, shown = envelope.notice, envelope.notice.pictured
    if shown is None:
        return notice.picture(w)
    if isinstance(shown, HandView):
        return None if is_group(envelope.chat) else hand_image(shown.dice, ones_wild=shown.table.ones_wild)
    return reveal_image(shown, w, key=f"reveal:{shown.table}:{shown.round}", animated=notice.moves)
