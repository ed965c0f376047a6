"""The pictures of a story and of a bluff card."""

from collections.abc import Sequence
from functools import partial

from telegram_bot.channels.telegram.pictures import Picture
from telegram_bot.features.story.notices import BluffCardNotice, StoryNotice
from telegram_bot.features.story.words import (
    bluff_card_link,
    bluff_card_sentence,
    seat_colours,
    story_figures,
    story_labels,
    story_names,
)
from telegram_bot.statistics.bluff_card import BluffCard
from telegram_bot.words.catalogue import Catalogue


def story_picture_of(notice: StoryNotice, w: Catalogue) -> Picture:
    """Return the course of a game, what stands out, luck and skill."""
    names, figures = story_names(notice, w), story_figures(notice, w)
    return Picture(partial(_draw_story, notice, names, figures, story_labels(notice, w)))


def bluff_card_picture_of(notice: BluffCardNotice, w: Catalogue) -> Picture:
    """Return one sentence, large, with its bid."""
    title, sentence, link = w.say("It happened at Perudo"), bluff_card_sentence(notice, w), bluff_card_link(notice)
    return Picture(partial(_draw_card, notice.card, title, sentence, link))


# The first drawing imports Pillow: most commands of the bot draw nothing.


def _draw_story(
    notice: StoryNotice, names: Sequence[str], figures: Sequence[tuple[str, str]], labels: tuple[str, ...]
) -> bytes:
    from telegram_bot.features.story.story_picture import Labels, story_picture  # noqa: PLC0415

    colours, labelled = seat_colours(notice), Labels(*labels)
    return story_picture(notice.story, names, colours, labelled, notice.theme, figures=figures, faces=notice.faces)


def _draw_card(card: BluffCard, title: str, sentence: str, link: str) -> bytes:
    from telegram_bot.features.story.card_picture import card_picture  # noqa: PLC0415

    return card_picture(card, title, sentence, link)
