"""Choose the picture of a notice, and draw it in a thread."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from telegram_bot.presentation.features import PRESENTATIONS
from telegram_bot.presentation.pictures import Picture, hand_image, reveal_image
from telegram_bot.service.envelope import Envelope
from telegram_bot.service.notices import FeatureNotice, HandNotice, RevealNotice
from telegram_bot.words.catalogue import Catalogue

log = logging.getLogger(__name__)

DRAWINGS_AT_ONCE: Final = 2


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


class Artist:
    """Draws pictures in a few threads of its own."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(DRAWINGS_AT_ONCE, thread_name_prefix="pictures")

    async def draw(self, picture: Picture, seconds: float) -> bytes | None:
        """Return the picture as a file, or None if it cannot be drawn within so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.get_running_loop().run_in_executor(self._threads, picture.draw)
        except TimeoutError:
            log.warning("a picture was not drawn in time; its words are sent alone")
        except Exception as error:  # noqa: BLE001 - the words tell the same; what the error quotes may be secret
            log.error("a picture could not be drawn: %s", type(error).__name__)  # noqa: TRY400
        return None

    def close(self) -> None:
        """Stop drawing."""
        self._threads.shutdown(wait=False, cancel_futures=True)
