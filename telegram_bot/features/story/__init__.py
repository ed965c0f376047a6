"""The story of a finished game, the card of its least likely moment, and the reel of an evening, with pictures."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.story import keys, pictures, requests, unasked, words
from telegram_bot.features.story.cards import bluff_card, reel_card, story_card
from telegram_bot.features.story.look_ups import GameStories
from telegram_bot.features.story.notices import BluffCardNotice, ReelNotice, StoryAnswerNotice, StoryNotice
from telegram_bot.features.story.storage import StorySettings, prune
from telegram_bot.notices import GameOverNotice
from telegram_bot.presentation.features import Extension, FeatureCard, PagePart, Presentation

_STORY: Final = Presentation(
    StoryNotice,
    words.story_lines,
    picture=pictures.story_picture_of,
    card=FeatureCard("story", story_card),
)
_BLUFF_CARD: Final = Presentation(
    BluffCardNotice,
    words.bluff_card_lines,
    picture=pictures.bluff_card_picture_of,
    card=FeatureCard("bluff", bluff_card),
)
_REEL: Final = Presentation(
    ReelNotice,
    words.reel_lines,
    keys=keys.reel_keys,
    picture=pictures.reel_picture_of,
    card=FeatureCard("reel", reel_card),
)
_ANSWER: Final = Presentation(StoryAnswerNotice, words.answer_lines)
_GAME_OVER: Final = Extension(
    GameOverNotice, lines=words.game_over_lines, keys=keys.game_over_keys, acts=keys.game_over_acts
)

FEATURE: Final = Feature(
    "story",
    requests=(requests.TellStory, requests.ShowReel),
    notices=(_STORY, _BLUFF_CARD, _REEL, _ANSWER),
    extensions=(_GAME_OVER,),
    settings=StorySettings,
    page=PagePart(Path(__file__).with_name("static")),
    look_ups=(GameStories,),
    announce=unasked.follow,
    timers={unasked.UNASKED: unasked.have_analysed},
    prune=prune,
)
