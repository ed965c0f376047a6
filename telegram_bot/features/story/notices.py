"""The notices about a finished game: its story, the card with its highlight, answers to requests."""

from enum import StrEnum
from typing import Literal

from telegram_bot.features.story.analysis import GameStory
from telegram_bot.service.notices import AboutTable, FeatureToast, LinksToBot, PublicNotice
from telegram_bot.statistics.bluff_card import BluffCard
from telegram_bot.tables.faces import Face


class StoryNotice(AboutTable, PublicNotice):
    """The story of a finished game: the course of the dice, what stands out, luck against skill."""

    kind: Literal["story"] = "story"
    story: GameStory
    names: tuple[str, ...]
    """By seat; "" for a hidden or forgotten player."""
    faces: tuple[Face | None, ...] = ()
    """By seat; in notices of release 1.0 empty."""
    colours: tuple[int, ...] = ()
    """By seat, as on pages; empty in a notice of release 1.0."""
    theme: Literal["dark", "light"] = "dark"
    """The theme of the picture."""


class BluffCardNotice(AboutTable, LinksToBot, PublicNotice):
    """The highlight of a finished game, in a message to be forwarded."""

    kind: Literal["bluff_card"] = "bluff_card"
    table: int = 0
    """In a notice of an earlier version 0."""
    card: BluffCard
    name: str


class StoryAnswer(StrEnum):
    """The answers to a request for a story."""

    TOLD = "told"
    ABOVE = "above"
    UNKNOWN = "unknown"
    TOO_LONG = "too_long"
    LATER = "later"


class StoryAnswerNotice(AboutTable, FeatureToast):
    """Answers the person who asked for a story."""

    kind: Literal["story_answer"] = "story_answer"
    answer: StoryAnswer
