"""The buttons of the tutorial and of practice games."""

from typing import Final

from telegram_bot.features.learning.lesson import lesson
from telegram_bot.features.learning.notices import PracticeNotice, TutorialNotice, answer_label
from telegram_bot.features.learning.requests import Practise, TakeTutorial, WatchEnd
from telegram_bot.notices import HelpNotice, KnockedOutNotice, WelcomeNotice
from telegram_bot.presentation.keys import Key, Keys, Style, rows_of
from telegram_bot.service.handlers.lobby_requests import PlayAgain
from telegram_bot.words.catalogue import Catalogue

USUAL_PRACTICE: Final = Practise(2)
"""Begins a practice game against enough players for a lively one."""
ANSWERS_A_ROW: Final = 3


def tutorial_keys(notice: TutorialNotice, w: Catalogue) -> Keys:
    """Return the answers of a step; at the end a practice game, or the whole tutorial once more."""
    steps = lesson(notice.rules)
    if notice.step == len(steps):
        return [
            [Key(w.say("Play a practice game"), USUAL_PRACTICE, sign="🤖", style=Style.SUCCESS)],
            [Key(w.say("Once more"), TakeTutorial(0), sign="🔁")],
        ]
    step = steps[notice.step]
    answers = (
        Key(answer_label(step, answer, notice.rules, w), TakeTutorial(notice.step, number))
        for number, answer in enumerate(step.answers)
    )
    return rows_of(answers, ANSWERS_A_ROW)


def practice_keys(notice: PracticeNotice, _: Catalogue) -> Keys:
    """Return one button for each number of opponents."""
    return [[Key(f"🤖 {each}", Practise(each)) for each in range(1, notice.most + 1)]]


def welcome_keys(_: WelcomeNotice, w: Catalogue) -> Keys:
    """Return the ways to the tutorial and to a practice game."""
    return [
        [_learn_key(w)],
        [Key(w.say("Practise alone"), USUAL_PRACTICE, sign="🤖", style=Style.SUCCESS)],
    ]


def help_keys(notice: HelpNotice, w: Catalogue) -> Keys:
    """Return the way to the tutorial, which is in the private chat."""
    return [[_learn_key(w, in_private=not notice.private)]]


def knocked_out_keys(notice: KnockedOutNotice, w: Catalogue) -> Keys:
    """In a practice game: see how it ends, or play another one."""
    if notice.practice is None:
        return []
    at = notice.practice, None
    watch = Key(w.say("Watch the end"), WatchEnd(), sign="👀", at=at)
    return [[watch, Key(w.say("Play again"), PlayAgain(), sign="🔁", style=Style.SUCCESS, at=at)]]


def _learn_key(w: Catalogue, *, in_private: bool = False) -> Key:
    return Key(w.say("Learn in two minutes"), TakeTutorial(), sign="🎓", in_private=in_private)
