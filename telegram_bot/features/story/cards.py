"""The story, the bluff card and the reel as cards of a page."""

from typing import TypedDict

from telegram_bot.features.story.ceremony import BeatField, OwnField, beats, own_cards
from telegram_bot.features.story.notices import BluffCardNotice, ReelNotice, StoryNotice
from telegram_bot.features.story.words import bluff_card_sentence, reel_sentences, reel_title, seat_colours, story_names
from telegram_bot.notices.card_types import CalledBidField
from telegram_bot.presentation.cards import lines_of
from telegram_bot.words.catalogue import Catalogue


class StoryFields(TypedDict):
    """The story of a game."""

    lines: list[str]
    course_title: str
    course: list[list[int]]
    names: list[str]
    faces: list[str | None]
    colours: tuple[int, ...]
    places: list[int]
    beats: list[BeatField]
    own: list[OwnField]


class BluffFields(TypedDict):
    """The bluff card of the evening."""

    title: str
    sentence: str
    bid: CalledBidField | None


class ReelFields(TypedDict):
    """The reel, whose animation the page asks for."""

    title: str
    lines: list[str]
    share: str


def story_card(notice: StoryNotice, w: Catalogue) -> StoryFields:
    """Return the sentences of the story, the dice of each player after each round, the ceremony, each player's card."""
    return {
        "lines": lines_of(notice, w),
        "course_title": w.say("Dice, round by round"),
        "course": [list(dice) for dice in notice.story.course],
        "names": story_names(notice, w),
        "faces": [face and face.sign for face in notice.faces],
        "colours": seat_colours(notice),
        "places": [seat.place for seat in notice.story.seats],
        "beats": beats(notice, w),
        "own": own_cards(notice, w),
    }


def bluff_card(notice: BluffCardNotice, w: Catalogue) -> BluffFields:
    """Return the sentence and its bid."""
    card = notice.card
    return {
        "title": w.say("It happened at Perudo"),
        "sentence": bluff_card_sentence(card, notice.name, w),
        "bid": {"quantity": card.quantity, "face": card.face} if card.quantity else None,
    }


def reel_card(notice: ReelNotice, w: Catalogue) -> ReelFields:
    """Return the sentences of the reel; the page asks for its animation."""
    return {"title": reel_title(w), "lines": reel_sentences(notice, w), "share": w.say("Share the reel")}
