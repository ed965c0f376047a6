"""The pictures of a story, of a bluff card and of a reel."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from telegram_bot.features.story.notices import BluffCardNotice, ReelNotice, StoryNotice
from telegram_bot.features.story.words import (
    bluff_card_sentence,
    bot_link,
    reel_sentences,
    reel_title,
    seat_colours,
    story_figures,
    story_labels,
    story_names,
)
from telegram_bot.presentation.pictures import Picture
from telegram_bot.statistics.bluff_card import BluffCard
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import picture_labels

REEL_SECONDS: Final = 30.0
"""How long a reel may be drawn: it has sixty pictures."""


def story_picture_of(notice: StoryNotice, w: Catalogue) -> Picture:
    """Return the course of a game, what stands out, luck and skill."""
    names, figures = story_names(notice, w), story_figures(notice, w)
    return Picture(partial(_draw_story, notice, names, figures, story_labels(notice, w)))


def bluff_card_picture_of(notice: BluffCardNotice, w: Catalogue) -> Picture:
    """Return one sentence, large, with its bid."""
    title, sentence, link = (
        w.say("It happened at Perudo"),
        bluff_card_sentence(notice.card, notice.name, w),
        bot_link(notice),
    )
    return Picture(partial(_draw_card, notice.card, title, sentence, link))


def reel_picture_of(notice: ReelNotice, w: Catalogue) -> Picture:
    """Return the reveals of a reel, one after the other."""
    title, sentences, link = reel_title(w), reel_sentences(notice, w), bot_link(notice)
    draw = partial(_draw_reel, notice, title, sentences, picture_labels(w), link)
    return Picture(draw, animated=True, seconds=REEL_SECONDS)


# The first drawing imports Pillow: most commands of the bot draw nothing.


def _draw_story(
    notice: StoryNotice, names: Sequence[str], figures: Sequence[tuple[str, str]], labels: tuple[str, ...]
) -> bytes:
    from telegram_bot.features.story.story_picture import StoryLabels, story_picture  # noqa: PLC0415

    colours, labelled = seat_colours(notice), StoryLabels(*labels)
    return story_picture(notice.story, names, colours, labelled, notice.theme, figures=figures, faces=notice.faces)


def _draw_card(card: BluffCard, title: str, sentence: str, link: str) -> bytes:
    from telegram_bot.features.story.card_picture import card_picture  # noqa: PLC0415

    return card_picture(card, title, sentence, link)


def _draw_reel(notice: ReelNotice, title: str, sentences: Sequence[str], labels: tuple[str, str], link: str) -> bytes:
    from telegram_bot.features.story.reel_picture import reel_animation  # noqa: PLC0415
    from telegram_bot.pictures.reveal import RevealLabels  # noqa: PLC0415

    return reel_animation([each.view for each in notice.reveals], title, sentences, RevealLabels(*labels), link)
