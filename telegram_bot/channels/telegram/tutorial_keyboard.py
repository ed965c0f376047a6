"""Build the keyboards of the tutorial, and the buttons that lead to it."""

from __future__ import annotations

from typing import Final

from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.buttons import SUCCESS, Button, Rows, button, learn_link, rows_of
from telegram_bot.service.notices import TutorialNotice
from telegram_bot.tables.tutorial import lesson
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.tutorial import answer_label

ANSWERS_A_ROW: Final = 3


def tutorial_rows(notice: TutorialNotice, w: Catalogue) -> Rows:
    """The answers of a step; at the end a practice game, or the whole lesson once more."""
    steps = lesson(notice.rules)
    if notice.step == len(steps):
        return [
            [button("🤖 " + w.say("Play a practice game"), callback_data.PRACTISE, SUCCESS)],
            [button("🔁 " + w.say("Once more"), callback_data.tutorial(0))],
        ]
    step = steps[notice.step]
    answers = (
        button(answer_label(step, answer, notice.rules, w), callback_data.tutorial(notice.step, number))
        for number, answer in enumerate(step.answers)
    )
    return rows_of(answers, ANSWERS_A_ROW)


def learn_rows(w: Catalogue) -> Rows:
    """The way to the tutorial, in a private chat."""
    return [[button(_label(w), callback_data.person("learn"))]]


def learn_link_rows(w: Catalogue, bot: str) -> Rows:
    """The way to the tutorial from a group: a link, which opens the private chat."""
    link: Button = {"text": _label(w), "url": learn_link(bot)}
    return [[link]]


def _label(w: Catalogue) -> str:
    return "🎓 " + w.say("Learn in two minutes")
