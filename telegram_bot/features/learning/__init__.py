"""Learning: the tutorial, practice alone against computer players, and round zero at a table with a television."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.learning import notices, requests, teaching
from telegram_bot.features.learning.notices import (
    PracticeDiceNotice,
    PracticeNotice,
    RoundZeroNotice,
    TutorialNotice,
)
from telegram_bot.notices import HelpNotice, KnockedOutNotice, WelcomeNotice
from telegram_bot.presentation.features import Extension, PagePart

_TUTORIAL: Final = Extension(TutorialNotice, keys=requests.tutorial_keys)
_PRACTICE: Final = Extension(PracticeNotice, keys=requests.practice_keys)
_WELCOME: Final = Extension(WelcomeNotice, lines=notices.welcome_lines, keys=requests.welcome_keys)
_HELP: Final = Extension(HelpNotice, lines=notices.help_lines, keys=requests.help_keys)
_KNOCKED_OUT: Final = Extension(KnockedOutNotice, keys=requests.knocked_out_keys)

FEATURE: Final = Feature(
    "learning",
    place=10,
    requests=(requests.TakeTutorial, requests.Practise, requests.WatchEnd, teaching.AnswerRoundZero),
    notices=(TutorialNotice, PracticeNotice, RoundZeroNotice, PracticeDiceNotice),
    extensions=(_TUTORIAL, _PRACTICE, _WELCOME, _HELP, _KNOCKED_OUT),
    page=PagePart(Path(__file__).with_name("static"), notices.page_words),
    before_start=teaching.play_first,
    timers={teaching.TIMER: teaching.go_on},
    prune=teaching.prune,
)
