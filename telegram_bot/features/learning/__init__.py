"""Learning: the tutorial, and practice alone against computer players, to which the tutorial leads."""

from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.learning import keys, requests, words
from telegram_bot.features.learning.notices import PracticeNotice, TutorialNotice
from telegram_bot.presentation.features import Extension, Presentation
from telegram_bot.service.notices import HelpNotice, KnockedOutNotice, WelcomeNotice

_TUTORIAL: Final = Presentation(TutorialNotice, words.tutorial_lines, keys=keys.tutorial_keys)
_PRACTICE: Final = Presentation(PracticeNotice, words.practice_lines, keys=keys.practice_keys)
_WELCOME: Final = Extension(WelcomeNotice, lines=words.welcome_lines, keys=keys.welcome_keys)
_HELP: Final = Extension(HelpNotice, keys=keys.help_keys)
_KNOCKED_OUT: Final = Extension(KnockedOutNotice, keys=keys.knocked_out_keys)

FEATURE: Final = Feature(
    "learning",
    requests=(requests.TakeTutorial, requests.Practise, requests.WatchEnd),
    notices=(_TUTORIAL, _PRACTICE),
    extensions=(_WELCOME, _HELP, _KNOCKED_OUT),
)
