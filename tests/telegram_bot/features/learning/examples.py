"""An example of every notice to people who learn or practise, and of every button."""

from collections.abc import Callable, Iterator

from perudo_core import Rules
from telegram_bot.features.learning.lesson import FRIEND_NAME, OTHER_NAME, lesson
from telegram_bot.features.learning.notices import PracticeNotice, TutorialNotice
from telegram_bot.features.learning.requests import Practise, TakeTutorial, WatchEnd
from telegram_bot.service.notices import Notice

WISHES = (Practise(), Practise(2), TakeTutorial(), TakeTutorial(3), TakeTutorial(3, 1), WatchEnd())
OUR_NAMES = {"tutorial": {FRIEND_NAME, OTHER_NAME}}


def notices(_: Callable[[int], str]) -> Iterator[Notice]:
    """Each step of the tutorial under rules that teach different things, with each hint; and the tutorial's end."""
    for rules in (
        Rules.preset("box_2009").with_options(calza=True),
        Rules.preset("aces"),
        Rules.preset("italian_box").with_options(calza=True, palifico=False, lose_by_difference=True),
        Rules(wild_ones=False, palifico=False, sudden_death=True, calza=True),
        Rules(wild_ones=False, palifico=False),
    ):
        steps = lesson(rules)
        for number, step in enumerate(steps):
            yield TutorialNotice(rules=rules, step=number)
            for answer in range(len(step.answers)):
                yield TutorialNotice(rules=rules, step=number, wrong=answer)
        yield TutorialNotice(rules=rules, step=len(steps))
    yield PracticeNotice(most=5)
