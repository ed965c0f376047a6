"""The tutorial's lesson: six steps under any rules, which agree with a real game."""

from itertools import product

import pytest

from perudo_core import PRESETS, Bid, CalzaBy, PlainRaise, Rules, is_legal
from telegram_bot.features.learning.lesson import FRIEND, LEARNER, Topic, lesson

EVERY_RULES = [
    Rules.preset(preset).with_options(
        calza=calza is not None,
        calza_by=calza or CalzaBy.ANYONE_BUT_BIDDER,
        palifico=palifico != "never",
        palifico_every_round=palifico == "always",
        wild_ones=wild,
        plain_raise=plain_raise,
        sudden_death=loss == "sudden_death",
        lose_by_difference=loss == "lose_by_difference",
        first_out_wins=loss == "first_out_wins",
    )
    for preset, calza, palifico, wild, plain_raise, loss in product(
        PRESETS,
        (None, *CalzaBy),
        ("never", "once", "always"),
        (True, False),
        PlainRaise,
        ("", "sudden_death", "lose_by_difference", "first_out_wins"),
    )
]


def topics(rules: Rules) -> list[str]:
    return [step.topic.value for step in lesson(rules)]


def test_under_any_rules_it_has_six_steps_each_with_a_right_and_a_wrong_answer() -> None:
    for rules in EVERY_RULES:
        steps = lesson(rules)
        assert len(steps) == 6 or (len(steps) == 5 and rules.is_always_palifico)
        for step in steps:
            assert {answer.right for answer in step.answers} == {True, False}
            for answer in step.answers:
                legal = answer.call is None or is_legal(step.state, answer.call)
                assert legal == (answer.why_not is None)
                assert legal or not answer.right


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"calza": True}, ["calza", "palifico"]),
        ({"calza": False}, ["ones", "palifico"]),
        ({"calza": True, "palifico": False}, ["ones", "calza"]),
        ({"calza": False, "palifico": False}, ["ones", "bluff"]),
        ({"calza": True, "sudden_death": True}, ["ones", "calza"]),
        ({"palifico": False, "wild_ones": False}, ["higher", "bluff"]),
        ({"starting_dice": 1}, ["ones", "bluff"]),
        ({"first_out_wins": True}, ["ones", "bluff"]),
        ({"palifico_every_round": True}, ["bluff"]),
    ],
)
def test_it_teaches_what_the_rules_have(options: dict[str, object], expected: list[str]) -> None:
    assert topics(Rules().with_options(**options)) == ["count", "raise", "dudo", "loser", *expected]


def test_what_wins_and_who_loses_follows_from_the_rules() -> None:
    def lost(**options: object) -> int:
        step = lesson(Rules().with_options(**options))[3]
        assert [answer.right for answer in step.answers] == [False, True]
        return step.state.dice_counts[FRIEND] - step.after.dice_counts[FRIEND]

    assert lost() == 1
    assert lost(lose_by_difference=True) == 2  # 7 were bid, 5 count
    assert lost(lose_by_difference=True, wild_ones=False) == 4
    assert lost(sudden_death=True) == 5
    assert lost(first_out_wins=True) == 0
    right = [answer.number for answer in lesson(Rules())[0].answers if answer.right]
    plain = [answer.number for answer in lesson(Rules().with_options(wild_ones=False))[0].answers if answer.right]
    assert (right, plain) == ([3], [2])


def test_calza_is_right_whoever_may_say_it() -> None:
    for calza_by in CalzaBy:
        rules = Rules.preset("italian_box").with_options(calza=True, calza_by=calza_by)
        step = next(step for step in lesson(rules) if step.topic is Topic.CALZA)
        assert step.after.dice_counts[LEARNER] == step.state.dice_counts[LEARNER] + 1
        assert (step.state.turn == LEARNER) is (calza_by is not CalzaBy.BYSTANDERS)


def test_enough_ones_differ_with_the_way_to_raise() -> None:
    def enough(plain_raise: PlainRaise) -> object:
        step = next(step for step in lesson(Rules(plain_raise=plain_raise)) if step.topic is Topic.ONES)
        return [answer.call for answer in step.answers if answer.right]

    assert enough(PlainRaise.ONE_THING) == [Bid(LEARNER, 3, 1)]
    assert enough(PlainRaise.ONES_HIGHEST) == [Bid(LEARNER, 5, 1)]
