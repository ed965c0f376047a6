"""Learning: the tutorial, and practice alone against computer players, to which the tutorial leads."""

from typing import Final

from telegram_bot.feature import Added, Feature, Told
from telegram_bot.features.learning import handlers, keys, words
from telegram_bot.features.learning.notices import PracticeNotice, TutorialNotice
from telegram_bot.service.notices import HelpNotice, KnockedOutNotice, WelcomeNotice

_TUTORIAL: Final = Told(TutorialNotice, words.tutorial_lines, keys=keys.tutorial_keys)
_PRACTICE: Final = Told(PracticeNotice, words.practice_lines, keys=keys.practice_keys)
_WELCOME: Final = Added(WelcomeNotice, lines=words.welcome_lines, keys=keys.welcome_keys)
_HELP: Final = Added(HelpNotice, keys=keys.help_keys)
_KNOCKED_OUT: Final = Added(KnockedOutNotice, keys=keys.knocked_out_keys)

FEATURE: Final = Feature(
    "learning",
    requests=(handlers.TAKE_TUTORIAL, handlers.PRACTISE, handlers.WATCH_END),
    notices=(_TUTORIAL, _PRACTICE),
    added=(_WELCOME, _HELP, _KNOCKED_OUT),
)
