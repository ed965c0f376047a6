"""Solved rounds have the values that others published, and show by how much a strategy misses a perfect one."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from perudo_core import Bid, Call, Dudo, Observation, Rules, RulesError, observe, set_up, solving
from perudo_core.agents import Memory, create_agent
from perudo_core.solving import Policy, agent_policy, exploitability, solve, uniform_policy

BOX = Rules()
DUDO = Rules(plain_raise="any_higher", ones_rank="highest", ones_may_open=True)
PLAIN = Rules(plain_raise="any_higher", wild_ones=False)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize(
    ("rules", "dice", "faces", "value"),
    [
        (DUDO, (1, 1), 6, Fraction(-7, 258)),  # Neller and Hnath 2012
        (PLAIN, (1, 1), 3, Fraction(-1, 9)),  # from here on Ahle's linear programs: github.com/thomasahle/snyd
        (PLAIN, (1, 1), 4, Fraction(-1, 8)),
        (PLAIN, (1, 1), 6, Fraction(-1, 9)),
        (PLAIN, (2, 1), 3, Fraction(1, 9)),
        (PLAIN, (2, 1), 4, Fraction(345, 1696)),
        (PLAIN, (1, 2), 3, Fraction(-1, 27)),
        (PLAIN, (1, 2), 4, Fraction(-1, 8)),
        (BOX, (1, 1), 6, Fraction(-1, 18)),  # our own linear program had this value
        (Rules.preset("aces"), (1, 1), 6, Fraction(-1, 18)),
        (BOX.with_options(wild_ones=False), (1, 1), 6, Fraction(-1, 9)),
    ],
)
def test_a_round_has_its_published_value(rules: Rules, dice: tuple[int, int], faces: int, value: Fraction) -> None:
    solved = solve(rules, dice, faces=faces, iterations=150)
    least, most = solved.bounds
    assert least <= value <= most, "the bounds are proved, however exact the solution is"
    assert solved.value == (least + most) / 2
    assert solved.exploitability == (most - least) / 2 < 0.003


@pytest.mark.parametrize("faces", [2, 4, 6])
def test_who_opens_a_palifico_round_with_one_die_each_bids_the_own_face(faces: int) -> None:
    """The other may doubt, which fails, or raise with the same face, which holds: so the opener loses 1 in `faces`."""
    solved = solve(BOX, (1, 1), faces=faces, palifico=True, iterations=200)
    assert solved.value == pytest.approx(1 - 2 / faces, abs=0.01)
    assert solved.exploitability < 0.01
    assert solved.palifico
    if faces > 2:  # else a bluff is as good
        assert solved.probabilities((2,))["1x2"] > 0.9
    assert set(solved.probabilities((2,), [(1, 1)])) == {"2x1", "dudo"}, "the face is locked, and a one is a face"


def test_where_the_face_may_be_changed_the_other_player_with_one_die_changes_it() -> None:
    rules = Rules.preset("aces").with_options(palifico_with_two_players=True, palifico_face_change=True)
    solved = solve(rules, (1, 1), faces=2, palifico=True, iterations=20)
    assert set(solved.probabilities((2,), [(1, 1)])) == {"1x2", "2x1", "2x2", "dudo"}
    assert set(solved.probabilities((2,), [(1, 1), (1, 2)])) == {"2x2", "dudo"}
    other = solve(rules, (1, 2), faces=2, palifico=True, iterations=1)
    assert set(other.probabilities((2, 2), [(1, 1)])) == {"2x1", "3x1", "dudo"}


def test_a_round_that_is_none_is_too_large_or_that_the_rules_do_not_have_is_refused() -> None:
    without = (BOX.with_options(palifico=False), BOX.with_options(palifico_with_two_players=False))
    for rules, dice in ((BOX, (2, 1)), *((rules, (1, 1)) for rules in without)):
        with pytest.raises(RulesError, match="in a palifico round the opener has one die"):
            solve(rules, dice, palifico=True)
    for option in ("calza", "out_of_turn_dudo", "lose_by_difference", "palifico_every_round"):
        with pytest.raises(RulesError, match=f"a solved round does not know {option}: "):
            solve(BOX.with_options(**{option: True}), (1, 1))
    rows: list[tuple[Any, int, int, str]] = [
        ((1, 1, 1), 6, 1, "dice must be of two players, not 3"),
        ((0, 1), 6, 1, "each of dice must be from 1 to 10, not 0"),
        ((1, 1), 1, 1, "faces must be from 2 to 6, not 1"),
        ((1, 1), 6, 0, "iterations must be from 1"),
        ((3, 3), 6, 1, "more than 2000000 sequences of bids"),
    ]
    for hands, faces, iterations, reason in rows:
        with pytest.raises(ValueError, match=reason):
            solve(DUDO, hands, faces=faces, iterations=iterations)


def solved_policy(solved: solving.Solution) -> Policy:
    def policy(view: Observation) -> Mapping[Call, float]:
        named = solved.probabilities(view.dice, [(bid.quantity, bid.face) for bid in view.bids])
        return {call: named[str(call)] for call in view.legal_calls if str(call) in named}

    return policy


@pytest.mark.usefixtures("untraced")
def test_a_solution_has_its_exploitability_and_a_better_player_less_with_tables_of_palifico_rounds_too() -> None:
    solved = solve(BOX, (1, 1), iterations=15)
    assert exploitability(solved_policy(solved), BOX, (1, 1)) == pytest.approx(solved.exploitability, abs=1e-9)
    uniform = exploitability(uniform_policy, BOX, (1, 1))
    regular = exploitability(agent_policy(create_agent("regular"), samples=1), BOX, (1, 1))
    expert = exploitability(agent_policy(create_agent("expert"), samples=10), BOX, (1, 1))
    assert 0.6 < uniform < 0.8
    assert expert < 0.05 < regular < 0.3
    for dice in ((1, 1), (1, 2)):
        assert exploitability(agent_policy(create_agent("expert"), samples=15), BOX, dice, palifico=True) < 0.03


@pytest.mark.usefixtures("untraced")
def test_who_opens_with_one_two_and_doubts_everything_loses_what_can_be_computed_by_hand() -> None:
    """As opener a perfect opponent bids one of their own face, which holds: 1.

    As second player they raise to one of their own face, if it is above two or a one: 1. With a two the best is to
    raise to a bid that the other's die must make true, in a third of the cases: 1/3 - 2/3.
    """

    def doubter(view: Observation) -> dict[Call, float]:
        return {Dudo(view.own_seat) if view.bids else Bid(0, 1, 2): 1.0}

    second = (5 * 1 + (Fraction(1, 3) - Fraction(2, 3))) / 6
    assert exploitability(doubter, BOX, (1, 1)) == pytest.approx(float((1 + second) / 2))


class Forgetful:
    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        assert memory.rounds == ()
        return observation.legal_calls[-1 if rng.random() < 0.5 and observation.bids else 0]

    def interrupt(self, _observation: Observation, _memory: Memory, _rng: Random) -> None:
        raise AssertionError


def test_an_agents_policy_is_the_share_of_its_choices_and_a_uniform_players_calls_are_alike_within_the_dice() -> None:
    policies = [agent_policy(Forgetful(), samples=60, seed=seed) for seed in (1, 1, 2)]
    seen: list[Mapping[Call, float]] = []

    def look(view: Observation) -> Mapping[Call, float]:
        if len(view.bids) == 1 and not seen:
            seen.extend(policy(view) for policy in policies)
        return policies[0](view)

    exploitability(look, BOX, (1, 1), palifico=True)
    assert seen[0] == seen[1] != seen[2]
    assert all(0.3 < share < 0.7 and sum(each.values()) == 1 for each in seen for share in each.values())
    view = observe(set_up(BOX, ((2,), (3,)), [Bid(0, 1, 5)]), 1)
    assert uniform_policy(view) == dict.fromkeys([Bid(1, 1, 1), Bid(1, 1, 6), Bid(1, 2, 1), Bid(1, 2, 5), Dudo(1)], 0.2)


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (lambda view: {view.legal_calls[0]: 0.5}, "the probabilities of .* must add up to 1"),
        (lambda view: {view.legal_calls[0]: 2.0, view.legal_calls[1]: -1.0}, "must add up to 1"),
        (lambda view: {Dudo(view.seat): 1.0}, "dudo is no call of the round"),
        (lambda view: {Bid(view.seat, 9, 2): 1.0}, "9x2 is no call of the round"),
    ],
)
def test_probabilities_that_are_none_are_refused_and_an_agent_that_is_no_policy(policy: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        exploitability(policy, BOX, (1, 1))
    with pytest.raises(TypeError, match=r"policy must be a function of an Observation, not LevelAgent: agent_policy"):
        exploitability(create_agent("regular"), BOX, (1, 1))  # type: ignore[arg-type]
    any_call: Policy = lambda view: {view.legal_calls[0]: 1.0, Bid(view.own_seat, 9, 2): 0.0}  # noqa: E731
    assert exploitability(any_call, BOX, (1, 1), palifico=True) > 0, "a call of no probability may be any"


def test_a_situation_that_the_round_does_not_have_is_refused_and_a_solution_is_a_value_of_its_own_in_a_line() -> None:
    solved, again = (solve(BOX, (1, 2), faces=3, iterations=1) for _ in range(2))
    assert set(solved.probabilities((3,))) == {f"{quantity}x{face}" for quantity in (1, 2, 3) for face in (2, 3)}
    assert sum(solved.probabilities((3, 1), [(1, 2)]).values()) == pytest.approx(1)
    with pytest.raises(ValueError, match=r"no hand of 1 dice with 3 faces: \(4,\)"):
        solved.probabilities((4,))
    with pytest.raises(ValueError, match="the bid 1x1 may not follow"):
        solved.probabilities((3,), [(1, 1)])
    assert len({solved, again}) == 2
    assert len(repr(solved)) < 1000
