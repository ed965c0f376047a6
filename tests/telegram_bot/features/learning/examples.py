"""An example of every notice to people who learn or practise, and of every button."""

from collections.abc import Callable, Iterator

from perudo_core import Rules
from telegram_bot.features.learning import Practise, TakeTutorial, WatchEnd
from telegram_bot.features.learning.lesson import FRIEND_NAME, OTHER_NAME, Stage, lesson
from telegram_bot.features.learning.notices import (
    PracticeDiceNotice,
    PracticeNotice,
    RoundZeroNotice,
    TutorialNotice,
)
from telegram_bot.features.learning.teaching import COMES_FIRST
from telegram_bot.notices import Notice

WISHES = (Practise(), Practise(2), TakeTutorial(), TakeTutorial(3), TakeTutorial(3, 1), WatchEnd())
OUR_NAMES = {"tutorial": {FRIEND_NAME, OTHER_NAME}, "round_zero": {FRIEND_NAME}}
HANDS = ((1, 2, 3, 4, 5), (2, 2, 6, 6, 6), (1, 1, 1, 1, 1))


def notices(_: Callable[[int], str]) -> Iterator[Notice]:
    """Each step of the tutorial under rules that teach different things, with each hint; and the tutorial's end."""
    for rules in (
        Rules.preset("box_2009").with_options(calza=True),
        Rules.preset("aces"),
        Rules.preset("italian_box").with_options(calza=True, palifico=False, lose_by_difference=True),
        Rules(wild_ones=False, palifico=False, sudden_death=True, calza=True),
        Rules(first_out_wins=True, calza=True),
        Rules(wild_ones=False, palifico=False),
    ):
        steps = lesson(rules)
        for number, step in enumerate(steps):
            yield TutorialNotice(rules=rules, step=number)
            for answer in range(len(step.answers)):
                yield TutorialNotice(rules=rules, step=number, wrong=answer)
        yield TutorialNotice(rules=rules, step=len(steps))
    yield PracticeNotice(most=5)
    for rules in (Rules(), Rules(wild_ones=False), Rules(first_out_wins=True)):
        yield PracticeDiceNotice(table=1, rules=rules, dice=HANDS[0])
        for stage in Stage:
            yield RoundZeroNotice(table=1, rules=rules, stage=stage, players=(1, 2), quantity=6, hands=HANDS)
    for rules in (Rules(), Rules(first_out_wins=True)):
        yield RoundZeroNotice(table=1, rules=rules, stage=Stage.REVEAL, players=(1, 2), quantity=9, hands=HANDS)
    yield COMES_FIRST
