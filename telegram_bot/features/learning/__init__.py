"""Learning: the tutorial, practice alone against computer players, and round zero at a table with a television."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.learning import keys, requests, teaching, words
from telegram_bot.features.learning.cards import practice_dice_card, round_zero_card
from telegram_bot.features.learning.notices import (
    PracticeDiceNotice,
    PracticeNotice,
    RoundZeroNotice,
    TutorialNotice,
)
from telegram_bot.notices import HelpNotice, KnockedOutNotice, WelcomeNotice
from telegram_bot.presentation.features import Extension, FeatureCard, PagePart, Presentation

_TUTORIAL: Final = Presentation(TutorialNotice, words.tutorial_lines, keys=keys.tutorial_keys)
_PRACTICE: Final = Presentation(PracticeNotice, words.practice_lines, keys=keys.practice_keys)
_ROUND_ZERO: Final = Presentation(
    RoundZeroNotice, words.round_zero_lines, card=FeatureCard("round_zero", round_zero_card)
)
_PRACTICE_DICE: Final = Presentation(
    PracticeDiceNotice, words.practice_dice_lines, card=FeatureCard("practice_dice", practice_dice_card)
)
_WELCOME: Final = Extension(WelcomeNotice, lines=words.welcome_lines, keys=keys.welcome_keys)
_HELP: Final = Extension(HelpNotice, lines=words.help_lines, keys=keys.help_keys)
_KNOCKED_OUT: Final = Extension(KnockedOutNotice, keys=keys.knocked_out_keys)

FEATURE: Final = Feature(
    "learning",
    requests=(requests.TakeTutorial, requests.Practise, requests.WatchEnd, teaching.AnswerRoundZero),
    notices=(_TUTORIAL, _PRACTICE, _ROUND_ZERO, _PRACTICE_DICE),
    extensions=(_WELCOME, _HELP, _KNOCKED_OUT),
    page=PagePart(Path(__file__).with_name("static"), words.page_words),
    before_start=teaching.play_first,
    timers={teaching.TIMER: teaching.go_on},
    prune=teaching.prune,
)
