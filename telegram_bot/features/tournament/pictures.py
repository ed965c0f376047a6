"""The picture of a tournament."""

from functools import partial

from telegram_bot.features.tournament.notices import BracketNotice
from telegram_bot.features.tournament.words import bracket_bluff, bracket_link, bracket_stages, bracket_winner
from telegram_bot.presentation.pictures import Picture
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import plain_name


def bracket_picture_of(notice: BracketNotice, w: Catalogue) -> Picture:
    """Return the tables of all stages."""
    labels = (
        plain_name(notice.title),
        bracket_winner(notice, w),
        bracket_stages(notice, w),
        bracket_bluff(notice, w),
        bracket_link(notice),
        (plain_name(notice.winner), plain_name(notice.bluffer)),
    )
    return Picture(partial(_draw, notice, labels))


def _draw(notice: BracketNotice, labels: tuple[str, str, tuple[str, ...], str, str, tuple[str, str]]) -> bytes:
    from telegram_bot.features.tournament.bracket_picture import BracketLabels, bracket_picture  # noqa: PLC0415 - Pillow

    return bracket_picture(notice.stages, BracketLabels(*labels))
