"""The story of a finished game with a player's tell, the card of its least likely moment, the reel of an evening."""

from functools import partial
from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.story import announcing, notices, requests
from telegram_bot.features.story.announcing import StorySettings, prune
from telegram_bot.features.story.notices import (
    ReelNotice,
)
from telegram_bot.features.story.requests import GameStories
from telegram_bot.features.story.tells import NO_TELLS, page_words
from telegram_bot.notices import GameOverNotice
from telegram_bot.presentation.features import Extension, PagePart

_REEL: Final = Extension(ReelNotice, keys=requests.reel_keys)
_GAME_OVER: Final = Extension(
    GameOverNotice,
    lines=notices.game_over_lines,
    keys=requests.game_over_keys,
    acts=requests.game_over_acts,
    part=announcing.bluff_card_of,
)

FEATURE: Final = Feature(
    "story",
    place=60,
    requests=(requests.TellStory, requests.ShowReel),
    extensions=(_REEL, _GAME_OVER),
    settings=StorySettings,
    page=PagePart(Path(__file__).with_name("static"), page_words),
    switches=(NO_TELLS,),
    look_ups=(GameStories,),
    announce=announcing.follow,
    timers={
        announcing.UNASKED: announcing.have_analysed,
        announcing.AGAIN: partial(announcing.have_analysed, timer=announcing.AGAIN),
    },
    evening=announcing.in_evening,
    prune=prune,
)
