"""Computer players: always legal, by a seed the same, and blind to what their seat may not know."""

import json
import random
import sys
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
import perudo_core.agents as ai
from perudo_core.agents import _playout
from perudo_core.agents._situation import situation_of
from perudo_core.agents._temperament import mirrored
from tests.perudo_core.notation import say, table
from tests.perudo_core.test_properties import mixes

LEVELS = list(ai.Level)


def actions_of(rules: pc.Rules, agents: list[Any], seed: int, most: int = 10_000) -> list[Any]:
    """The actions of a game, each proved legal."""
    rng, state = random.Random(seed), pc.new_game(rules, len(agents))
    memory = ai.new_memory(rules, len(agents))
    actions: list[Any] = []
    while not state.is_terminal and len(actions) < most:
        action: Any
        if state.is_chance:
            action = pc.sample_roll(state, rng)
        else:
            turn = state.turn
            assert turn is not None
            early = [
                call
                for seat, agent in enumerate(agents)
                if (call := agent.interrupt(pc.observe(state, seat), memory, rng)) is not None
            ]
            action = early[0] if early else agents[turn].choose(pc.observe(state, turn), memory, rng)
        assert pc.is_legal(state, action), (state, action)
        state, events = pc.apply(state, action)
        memory = ai.remember_all(memory, events)
        assert ai.load_memory(json.loads(json.dumps(ai.dump_memory(memory)))) == memory
        actions.append(action)
    return actions


@st.composite
def tables(draw: Any) -> tuple[pc.Rules, int]:
    players = draw(st.sampled_from([2, 2, 3, 4, 6, 10]))
    rules = mixes(
        starting_dice=st.sampled_from([1, 2, 3, 5] if players < 6 else [1, 2]),
        plain_raise=st.sampled_from(pc.PlainRaise),
        ones_rank=st.sampled_from(pc.OnesRank),
        calza_by=st.sampled_from(pc.CalzaBy),
        lost_dice=st.sampled_from(pc.LostDice),
    )
    return draw(rules), players


HABITS = asdict(ai.new_memory(pc.Rules(), 2).habits[0])
BID = {"seat": 0, "quantity": 1, "face": 2}
PAST = {"dice": [[2, 2], [3]], "bids": [BID], "doubter": 1, "ones_are_wild": True, "palifico": None}


def test_agents_decide_in_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few answers are kept that the threads drop each other's memos all the time."""
    monkeypatch.setattr(_playout, "MOST_ANSWERS", 0)
    monkeypatch.setattr(_playout, "_MEMOS", OrderedDict())
    lists, kinds = pc.Rules().round_options.normal_bid_lists[10], range(2, 34)

    def ask(_: int) -> None:
        for total in kinds:
            _playout.memo_of(lists, total, 10, True).size = 1

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(ask, range(200)))
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"schema": "perudo-memory/3"}, "unknown schema 'perudo-memory/3', not perudo-memory/2"),
        ({"habits": [HABITS | {"others": "1"}] * 2}, r"habits\[0\].others must be"),
        ({"mood": 1}, "memory has an unknown key 'mood'"),
        ({"habits": [HABITS]}, "habits must be of 2 to 50 seats, not 1"),
        ({"bids": [BID | {"seat": 7}]}, "memory is of 2 seats, and names the seat 7"),
        ({"bids": [BID | {"face": 7}]}, "no bid of a game"),
        ({"doubter": 2}, "memory is of 2 seats, and names the seat 2"),
        ({"rounds": [PAST | {"bids": []}]}, "each of rounds must have 2 hands of at most 5 dice, and a bid"),
        ({"rounds": [PAST | {"dice": [[2, 2]]}]}, "each of rounds must have 2 hands of at most 5 dice, and a bid"),
        ({"rounds": [PAST | {"dice": [[2] * 6, [2]]}]}, "each of rounds must have 2 hands of at most 5 dice"),
        ({"rounds": [PAST | {"dice": [[2, 2], []]}]}, "each player who calls in one of rounds must have dice"),
        ({"rounds": [PAST | {"bids": [BID | {"quantity": 11}]}]}, "no bid of a game"),
    ],
)
def test_a_memory_that_no_version_wrote_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(pc.StateError, match=reason):
        ai.load_memory(ai.dump_memory(ai.new_memory(pc.Rules(), 2)) | changes)


@pytest.mark.usefixtures("untraced")
@settings(max_examples=12, deadline=None, derandomize=True)
@given(tables(), st.integers(0, 2**32))
def test_every_call_is_legal_under_any_rules(house: tuple[pc.Rules, int], seed: int) -> None:
    rules, players = house
    rng = random.Random(seed)
    agents = [ai.create_agent(rng.choice(LEVELS), rng.choice(list(ai.Character))) for _ in range(players)]
    actions_of(rules, agents, seed, most=25)


@pytest.mark.usefixtures("untraced")
@pytest.mark.parametrize("level", LEVELS)
def test_a_seed_repeats_a_game(level: ai.Level) -> None:
    rules = pc.Rules.preset("azteca").with_options(starting_dice=2)
    games = [actions_of(rules, [ai.create_agent(level)] * 3, seed) for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]


@pytest.mark.usefixtures("untraced")
def test_ten_players_with_ten_dice_are_answered() -> None:
    rules = pc.Rules.preset("aces").with_options(starting_dice=10)
    actions_of(rules, [ai.create_agent("expert")] * 10, 1, most=3)


@pytest.mark.parametrize("level", LEVELS)
def test_games_that_differ_in_hidden_dice_alone_look_the_same(level: ai.Level) -> None:
    """Non-interference: only the seat's own knowledge decides the choice."""
    rules = pc.Rules.preset("italian_box").with_options(starting_dice=3)
    agent, rng = ai.create_agent(level, "mirror"), random.Random(5)
    state = pc.set_up(rules, ((2, 2, 3), (1, 4, 6), (5, 5, 5)), [pc.Bid(0, 2, 2), pc.Bid(1, 3, 2)])
    private: list[pc.Event] = [pc.RoundStarted(1, 0, None), pc.DiceRolled(0, (2, 2, 3)), pc.DiceRolled(2, (5, 5, 5))]
    memory = ai.remember_all(ai.new_memory(rules, 3), private)
    assert memory == ai.remember_all(ai.new_memory(rules, 3), private[:1]), "dice are not remembered"
    view = pc.observe(state, 2)
    calls = set()
    for _ in range(5):
        other = pc.sample_state(view, rng)
        assert pc.observe(other, 2) == view
        calls.add(agent.choose(pc.observe(other, 2), memory, random.Random(1)))
    assert len(calls) == 1


def test_a_memory_that_missed_the_beginning_or_was_stored_in_mid_round_does_no_harm_and_knows_its_seats() -> None:
    state = pc.set_up(pc.Rules(), ((2, 3), (4,), (1, 5)), [pc.Bid(0, 1, 4)])
    new = ai.new_memory(pc.Rules(), 3)
    past = PAST | {"dice": [[2, 2], [3], [4]]}
    stored = ai.load_memory(ai.dump_memory(new) | {"rounds": [past], "bids": [BID]})
    for memory in (new, ai.new_memory(pc.Rules(), 2), ai.remember(new, pc.DiceLost(1, 5, 0)), stored):
        for level in LEVELS:
            assert pc.is_legal(state, ai.create_agent(level).choose(pc.observe(state, 1), memory, random.Random(1)))
    assert situation_of(pc.observe(state, 1), ai.new_memory(pc.Rules(), 2)).honesty == (2.0,) * 3
    events: list[pc.Event] = [
        *(pc.DiceLost(-1, 1, 4), pc.DiceLost(2, 1, 4), pc.SeatOut(2, 2), pc.BidMade(pc.Bid(2, 1, 2))),
        *(pc.DudoCalled(0, pc.Bid(-1, 1, 2)), pc.RoundStarted(2, 0, 2), pc.OpenerRolled(((2,), (3,)), (2,))),
        pc.Revealed(((2,), (3,), (4,)), pc.Bid(0, 1, 2), 1, True, True, True),
        pc.Revealed(((2,),), pc.Bid(0, 1, 2), 1, True, True, True),
        pc.GameOver(pc.Outcome(0, (1, 2, 3))),
    ]
    for event in events:
        with pytest.raises(ValueError, match="2 seats"):
            ai.remember(ai.new_memory(pc.Rules(), 2), event)


def test_who_may_not_call_a_state_that_shows_all_dice_and_unknown_names_are_refused() -> None:
    state, memory = pc.set_up(pc.Rules(), ((2, 3), (4, 4))), ai.new_memory(pc.Rules(), 2)
    for seat in (1, None):
        with pytest.raises(ValueError, match="no legal call"):
            ai.create_agent("regular").choose(pc.observe(state, seat), memory, random.Random(1))
    with pytest.raises(TypeError, match="observation must be of type Observation, not State"):
        ai.create_agent("regular").choose(state, memory, random.Random(1))  # type: ignore[arg-type]
    for names, fault in (
        (("Expert",), r"'Expert' is no level \(did you mean expert\?\)"),
        (("genius",), "'genius' is no level; there are "),
        (("expert", "angry"), "'angry' is no character; there are "),
    ):
        with pytest.raises(ValueError, match=fault):
            ai.create_agent(*names)


@pytest.mark.parametrize("level", LEVELS)
def test_a_call_that_is_surely_right_is_made(level: ai.Level) -> None:
    """Dudo is all that is left at the highest bid, and surely right about a bid of all other dice."""
    for hands, calls in (("2 4", "2x6 2x1"), ("23 44 55", "2x2 6x2")):
        seats = hands.count(" ") + 1
        rules = pc.Rules.preset("aces").with_options(starting_dice=len(hands.split()[0]))
        state = table(rules, *hands.split(), calls=calls)
        assert state.turn is not None
        view, memory = pc.observe(state, state.turn), ai.new_memory(rules, seats)
        assert ai.create_agent(level).choose(view, memory, random.Random(1)) == pc.Dudo(state.turn)
        assert ai.create_agent(level).worths(view, memory, random.Random(1))[0][0] == pc.Dudo(state.turn)


def test_a_right_calza_is_said_on_turn_and_out_of_turn_but_not_where_it_gains_nothing() -> None:
    rules = pc.Rules.preset("box_2009").with_options(calza=True, starting_dice=2, lost_dice="visible")
    state = pc.set_up(rules, ((), (6, 6), (5,)), [pc.Bid(1, 2, 6)], opener=1)
    sure = replace(pc.observe(state, 2), dice=(6,), dice_counts=(0, 1, 1))
    assert ai.create_agent("expert").choose(sure, ai.new_memory(rules, 3), random.Random(1)).seat == 2
    alone, memory = pc.set_up(rules, ((5, 5), (6, 6), (2, 2)), [pc.Bid(0, 1, 5)]), ai.new_memory(rules, 3)
    believer = ai.LevelAgent(ai.Level.REGULAR, ai.Temperament(doubt=1.0))
    assert isinstance(believer.interrupt(pc.observe(alone, 2), memory, random.Random(1)), pc.Calza)
    for seat in (2, 1, None):
        assert ai.create_agent("regular").interrupt(pc.observe(alone, seat), memory, random.Random(1)) is None
    for costly in (True, False):
        rules = pc.Rules(calza=True, calza_costs_others=costly, palifico=False, starting_dice=1)
        state = pc.set_up(rules, ((2,), (6,), (5,)), [pc.Bid(0, 1, 6)])
        call = ai.create_agent("strong").choose(pc.observe(state, 1), ai.new_memory(rules, 3), random.Random(1))
        assert isinstance(call, pc.Calza) is costly


def test_characters_lean_a_mirror_takes_over_habits_and_both_odds_of_a_bid_are_told() -> None:
    view = pc.observe(pc.set_up(pc.Rules(), ((2, 2, 2, 5, 6), (1, 3, 3, 4, 4)), [pc.Bid(0, 3, 4)]), 1)
    memory = ai.new_memory(pc.Rules(), 2)
    doubt, bluff, jump = (
        ai.LevelAgent(ai.Level.REGULAR, leaning).choose(view, memory, random.Random(1))
        for leaning in (ai.Temperament(doubt=9), ai.Temperament(bluff=9), ai.Temperament(jump=9))
    )
    assert doubt == pc.Dudo(1)
    assert isinstance(bluff, pc.Bid)
    assert situation_of(view, memory).is_bluff(bluff.quantity, bluff.face)
    assert isinstance(jump, pc.Bid)
    assert jump.quantity >= 6
    neutral = {character for character, temperament in ai.TEMPERAMENTS.items() if temperament.is_neutral}
    assert neutral == {ai.Character.PLAIN}
    by_dice, after_calls = ai.bid_chances(view, memory, pc.Bid(0, 5, 4))
    assert by_dice == pytest.approx(float(pc.bid_odds(view, pc.Bid(0, 5, 4)).holds))
    assert by_dice < after_calls < 1
    honest = ai.Habits(matches=30, shown_bids=20, answers=20)
    daring = replace(honest, shown_bluffs=20, doubts=20, raises=10, steps=30)
    mirror = ai.TEMPERAMENTS[ai.Character.MIRROR]
    of = {
        name: mirrored(mirror, replace(ai.new_memory(pc.Rules(), 2), habits=(habit, ai.Habits())), 1)
        for name, habit in (("honest", honest), ("daring", daring))
    }
    assert of["honest"].bluff < 0 < of["daring"].bluff
    assert of["honest"].doubt < of["daring"].doubt
    assert of["honest"].jump < of["daring"].jump


def test_a_reveal_shows_who_bluffed() -> None:
    rules = pc.Rules.preset("aces")
    unseen = table(rules, "22", "13", "44", calls="1x2 2x5 1x1")
    assert ai.remember_all(ai.new_memory(rules, 3), say(unseen, "dudo").events).rounds == (), "the bids were not seen"
    memory = ai.remember_all(ai.new_memory(rules, 3), [pc.RoundStarted(1, 0, None)])
    state = table(rules, "22", "13", "44")
    for call in ("1x2", "2x2", "4x2", "dudo"):
        state, events = say(state, call)
        memory = ai.remember_all(memory, events)
    assert [habit.shown_bluffs for habit in memory.habits] == [0, 0, 1]
    assert [habit.matches for habit in memory.habits] == [2, 0, 0]
    assert memory.habits[2].jump > 0
    assert memory.habits[0].doubt_rate > memory.habits[1].doubt_rate
    assert len(memory.rounds) == 1
    gone = pc.Revealed(((), (1,), (2,)), pc.Bid(0, 1, 2), 2, True, True, False)
    assert ai.remember(memory, gone).habits[0] == memory.habits[0]
