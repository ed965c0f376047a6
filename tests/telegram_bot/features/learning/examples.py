from collections.abc import Callable, Iterator
from itertools import product

from perudo_core import Rules
from telegram_bot.features.learning import Practise, TakeTutorial, WatchEnd
from telegram_bot.features.learning.lesson import FRIEND_NAME, OTHER_NAME, Stage, lesson
from telegram_bot.features.learning.notices import PracticeDiceNotice, PracticeNotice, RoundZeroNotice, TutorialNotice
from telegram_bot.features.learning.teaching import COMES_FIRST
from telegram_bot.notices import Notice

WISHES = (Practise(), Practise(2), TakeTutorial(), TakeTutorial(3), TakeTutorial(3, 1), WatchEnd())
OUR_NAMES = {"tutorial": {FRIEND_NAME, OTHER_NAME}, "round_zero": {FRIEND_NAME}}
HANDS = ((1, 2, 3, 4, 5), (2, 2, 6, 6, 6), (1, 1, 1, 1, 1))


def explanations(rules: Rules) -> Iterator[Notice]:
    """Each step of the tutorial with each hint, its end, and each stage of round zero where the bid holds or fails."""
    steps = lesson(rules)
    for number, step in enumerate(steps):
        yield TutorialNotice(rules=rules, step=number)
        yield from (TutorialNotice(rules=rules, step=number, wrong=answer) for answer in range(len(step.answers)))
    yield TutorialNotice(rules=rules, step=len(steps))
    for stage, quantity in product(Stage, (6, 9)):
        yield RoundZeroNotice(table=1, rules=rules, stage=stage, players=(1, 2), quantity=quantity, hands=HANDS)


def notices(_: Callable[[int], str]) -> Iterator[Notice]:
    """Each explanation under rules that teach different things, and each question."""
    for rules in (
        Rules.preset("box_2009").with_options(calza=True),
        Rules.preset("aces"),
        Rules.preset("italian_box").with_options(calza=True, palifico=False, lose_by_difference=True),
        Rules(wild_ones=False, palifico=False, sudden_death=True, calza=True),
        Rules(first_out_wins=True, calza=True),
        Rules(wild_ones=False, palifico=False),
    ):
        yield from explanations(rules)
        yield PracticeDiceNotice(table=1, rules=rules, dice=HANDS[0])
    yield PracticeNotice(most=5)
    yield COMES_FIRST
