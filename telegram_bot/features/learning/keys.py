"""The buttons of the tutorial and of practice games."""

from typing import Final

from telegram_bot.channels.telegram.buttons import SUCCESS, Rows, button, rows_of, start_link
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.features.learning.lesson import lesson
from telegram_bot.features.learning.notices import PracticeNotice, TutorialNotice
from telegram_bot.features.learning.requests import Practise, TakeTutorial, WatchEnd
from telegram_bot.features.learning.words import answer_label
from telegram_bot.service.intents import PlayAgain
from telegram_bot.service.notices import HelpNotice, KnockedOutNotice, WelcomeNotice
from telegram_bot.service.requests import write_button
from telegram_bot.words.catalogue import Catalogue

USUAL_PRACTICE: Final = Practise(2)
"""Begins a practice game against enough players for a lively one."""
ANSWERS_A_ROW: Final = 3


def tutorial_keys(notice: TutorialNotice, w: Catalogue) -> Rows:
    """Return the answers of a step; at the end a practice game, or the whole tutorial once more."""
    steps = lesson(notice.rules)
    if notice.step == len(steps):
        return [
            [button("🤖 " + w.say("Play a practice game"), data_of(USUAL_PRACTICE), SUCCESS)],
            [button("🔁 " + w.say("Once more"), data_of(TakeTutorial(0)))],
        ]
    step = steps[notice.step]
    answers = (
        button(answer_label(step, answer, notice.rules, w), data_of(TakeTutorial(notice.step, number)))
        for number, answer in enumerate(step.answers)
    )
    return rows_of(answers, ANSWERS_A_ROW)


def practice_keys(notice: PracticeNotice, _: Catalogue) -> Rows:
    """Return one button for each number of opponents."""
    return [[button(f"🤖 {each}", data_of(Practise(each))) for each in range(1, notice.most + 1)]]


def welcome_keys(_: WelcomeNotice, w: Catalogue, __: str) -> Rows:
    """Return the ways to the tutorial and to a practice game."""
    return [
        [button(_learn_label(w), data_of(TakeTutorial()))],
        [button("🤖 " + w.say("Practise alone"), data_of(USUAL_PRACTICE), SUCCESS)],
    ]


def help_keys(notice: HelpNotice, w: Catalogue, bot: str) -> Rows:
    """Return the way to the tutorial, which is in the private chat."""
    if notice.private:
        return [[button(_learn_label(w), data_of(TakeTutorial()))]]
    return [[{"text": _learn_label(w), "url": start_link(bot, write_button(TakeTutorial()))}]]


def knocked_out_keys(notice: KnockedOutNotice, w: Catalogue, _: str) -> Rows:
    """In a practice game: see how it ends, or play another one."""
    if notice.practice is None:
        return []
    watch = button("👀 " + w.say("Watch the end"), data_of(WatchEnd(), notice.practice))
    return [[watch, button("🔁 " + w.say("Play again"), data_of(PlayAgain(), notice.practice), SUCCESS)]]


def _learn_label(w: Catalogue) -> str:
    return "🎓 " + w.say("Learn in two minutes")
