"""The notices about finished games: a story, the card with a highlight, an evening's reel, answers to requests."""

from enum import StrEnum
from typing import Literal

from telegram_bot.features.story.analysis import GameStory
from telegram_bot.features.story.reel import ReelReveal
from telegram_bot.notices import AboutTable, FeatureToast, LinksToBot, PublicNotice
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


class ReelNotice(AboutTable, LinksToBot, PublicNotice):
    """The best reveals of an evening, in an animation to be forwarded."""

    kind: Literal["reel"] = "reel"
    reveals: tuple[ReelReveal, ...]


class StoryAnswer(StrEnum):
    """The answers to a request for a story or a reel."""

    TOLD = "told"
    ABOVE = "above"
    UNKNOWN = "unknown"
    TOO_LONG = "too_long"
    LATER = "later"
    REEL_ABOVE = "reel_above"
    NO_REEL = "no_reel"


class StoryAnswerNotice(AboutTable, FeatureToast):
    """Answers the person who asked for a story or a reel."""

    kind: Literal["story_answer"] = "story_answer"
    answer: StoryAnswer
