"""Pictures that can be drawn, and threads that draw them: of a hand, and of the end of a round."""

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from telegram_bot.notices import Picture
from telegram_bot.tables.result_views import RevealView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import picture_labels

log = logging.getLogger(__name__)

DRAWINGS_AT_ONCE: Final = 2
_HAND_DESIGN: Final = 1
"""Change this number with the design of a hand's picture, so that stored file_ids of older pictures are not used."""


def hand_image(dice: Sequence[int], *, ones_wild: bool) -> Picture:
    """Return the picture of one player's dice."""
    faces, wild = tuple(sorted(dice)), ones_wild and 1 in dice
    key = f"hand{_HAND_DESIGN}:{''.join(map(str, faces))}{'w' if wild else ''}"
    return Picture(partial(_draw_hand, faces, ones_wild=wild), key)


def reveal_image(view: RevealView, w: Catalogue, *, key: str, animated: bool) -> Picture:
    """Return the picture of all dice at the end of a round; `key` names the round."""
    labels = picture_labels(w)
    draw = partial(_draw_reveal, view, labels, animated=animated)
    return Picture(draw, f"{key}:{animated}:{labels}", lasting=False, animated=animated)


# The first drawing imports Pillow: most commands of the bot draw nothing.


def _draw_hand(faces: tuple[int, ...], *, ones_wild: bool) -> bytes:
    from telegram_bot.pictures.hand import hand_picture  # noqa: PLC0415

    return hand_picture(faces, ones_wild=ones_wild)


def _draw_reveal(view: RevealView, labels: tuple[str, str], *, animated: bool) -> bytes:
    from telegram_bot.pictures.reveal import RevealLabels, reveal_animation, reveal_picture  # noqa: PLC0415

    return (reveal_animation if animated else reveal_picture)(view, RevealLabels(*labels))


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
