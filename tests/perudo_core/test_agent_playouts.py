"""The roll-outs' own engine compared with the core's, the inferences from calls, and the tables for two players."""

import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import perudo_core as pc
from perudo_core import Bid, Calza, Dudo, LostDice, Rules, observe, set_up
from perudo_core._bid_numbers import bid_number, quantity_and_face
from perudo_core.agents import _headup as headup
from perudo_core.agents import _playout as playout
from perudo_core.agents import _registry as registry
from perudo_core.agents import create_agent, load_tables, new_memory, remember_all
from perudo_core.agents._chances import at_least, mixed_tail, tail
from perudo_core.agents._headup import head_up, round_of, weights
from perudo_core.agents._headup_tree import DUDO, Round, RoundKind, rounds_of, situations, tree_of
from perudo_core.agents._inference import MOST_DICE, PRIOR, chance_after_calls, hands_of, kinds_of
from perudo_core.agents._rollouts import EXPONENT, losses_of
from perudo_core.agents._situation import Situation, face_chances, situation_of
from perudo_core.odds import probability_holds


def memo_for(rules: Rules, dice: int) -> playout.PlayerMemo:
    return playout.memo_of(rules.round_options.normal_bid_lists[dice], dice, dice, ones_are_wild=True)


def rolled(rules: Rules, counts: list[int], rng: random.Random) -> pc.State:
    hands = tuple(tuple(rng.randint(1, 6) for _ in range(count)) for count in counts)
    one_die = [seat for seat, count in enumerate(counts) if count == 1]
    palifico = rng.choice(one_die) if one_die and rules.palifico_with_two_players else None
    opener = rng.choice([seat for seat, count in enumerate(counts) if count]) if palifico is None else palifico
    return set_up(rules, hands, opener=opener, palifico=palifico)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sampled_from(pc.PRESETS),
    st.lists(st.integers(0, 3), min_size=2, max_size=4).filter(lambda counts: sum(map(bool, counts)) > 1),
    st.integers(0, 2**32),
)
def test_a_playout_is_a_legal_round_of_the_core(preset: str, counts: list[int], seed: int) -> None:
    """The same bids are legal, the same seats are on turn, and the reveal counts the same."""
    rng = random.Random(seed)
    state = rolled(Rules.preset(preset).with_options(starting_dice=3), counts, rng)
    seat = state.turn
    assert seat is not None
    view = observe(state, seat)
    first = view.legal_calls[rng.randrange(min(6, len(view.legal_calls)))]
    assert isinstance(first, Bid)
    memory = new_memory(state.rules, len(counts))
    situation = situation_of(view, memory)
    memos = [
        playout.memo_of(situation.bid_lists(each), sum(counts), state.max_quantity, state.ones_are_wild)
        for each in range(len(counts))
    ]
    playouts = playout.Playouts(counts, memos, state.ones_are_wild)
    players = [rng.choice(playout.SIMPLE_PLAYERS) for _ in counts]
    world = playouts.world([playout.coded(hand) for hand in state.dice], players)
    bidder, doubter, last = playouts.last_bid(world, seat, bid_number(first.quantity, first.face))
    state = pc.apply(state, first).state
    while True:
        turn, bid = state.turn, state.bids[-1]
        assert turn is not None
        asked, hand = bid_number(bid.quantity, bid.face), playout.coded(state.dice[turn])
        said = memos[turn].answer(players[turn], hand, counts[turn], asked, counts[bid.seat])
        if said == playout.DOUBT:
            break
        state = pc.apply(state, Bid(turn, *quantity_and_face(said))).state
    assert (state.bids[-1], state.turn) == (Bid(bidder, *quantity_and_face(last)), doubter)
    reveal = next(event for event in pc.apply(state, Dudo(doubter)).events if isinstance(event, pc.Revealed))
    assert playouts.count(world, last) == reveal.matching


def test_simple_players_are_simple_and_an_opening_that_none_makes_tells_about_the_hand() -> None:
    memo = memo_for(Rules.preset("aces"), 10)
    sixes, eight_fours = playout.coded((6, 6, 6, 6, 6)), bid_number(8, 4)
    for player, bid, answer in (
        (playout.NAIVE, bid_number(3, 4), bid_number(3, 6)),
        (playout.NAIVE, bid_number(10, 1), playout.DOUBT),
        (playout.CLIMBER, bid_number(1, 2), bid_number(1, 1)),
        (playout.CLIMBER, eight_fours, playout.DOUBT),
        (playout.PATIENT, bid_number(2, 4), bid_number(1, 1)),
        (playout.PATIENT, eight_fours, playout.DOUBT),
        (playout.HIGH, bid_number(2, 4), bid_number(5, 6)),
        (playout.HIGH, eight_fours, playout.DOUBT),
    ):
        assert memo.answer(player, sixes, 5, bid, 5) == answer
    assert memo.answer(playout.PATIENT, playout.coded((2, 2, 3, 3, 4)), 5, bid_number(3, 6), 5) != bid_number(4, 2)
    assert memo.answer(playout.NAIVE, sixes, 5, playout.NOTHING, 0) >= 0
    assert memo.answer(playout.HIGH, playout.coded((2, 2, 3, 4, 5)), 5, playout.NOTHING, 0) == bid_number(4, 2)
    for player in playout.SIMPLE_PLAYERS:
        hands = (playout.coded((5, 5, 5, 5, 2)), playout.coded((2, 3, 4, 4, 6)))
        with_fives, without = memo.likelihoods(player, hands, 5, (playout.NOTHING, 0, bid_number(6, 5)))
        assert with_fives > 2 * without


def test_the_chances_are_those_of_the_core_and_of_bids_as_measured() -> None:
    """p(g or ace) = (lam + mu)/(4 + lam + mu), mu 1.1."""
    for need in range(-1, 9):
        exact = float(probability_holds((), 7, need, 3, ones_are_wild=True))
        assert at_least(tail(7, 1 / 3), need) == pytest.approx(exact)
        assert at_least(mixed_tail(((3, 1 / 3), (4, 1 / 3))), need) == pytest.approx(exact)
    chances = face_chances(3, ones_are_wild=True, honesty=2.0)
    assert chances[3] + chances[1] == pytest.approx(3.1 / 7.1)
    assert chances[2] + chances[1] == pytest.approx(2.1 / 7.1)
    for face, wild in product(range(1, 7), (True, False)):
        assert sum(face_chances(face, wild, 3.0)) == pytest.approx(1)


def test_past_rounds_tell_how_a_player_plays() -> None:
    rules = Rules.preset("aces").with_options(starting_dice=4, palifico=False)
    rng, state, memory = random.Random(3), pc.new_game(rules, 2, opener=0), new_memory(rules, 2)
    while not state.is_terminal:
        action: pc.Action
        if state.turn is None:
            action = pc.sample_roll(state, rng)
        else:
            last, hand = state.current_bid, state.dice[state.turn]
            number = playout.NOTHING if last is None else bid_number(last.quantity, last.face)
            lists = rules.round_options.normal_bid_lists[state.max_quantity]
            memo = playout.memo_of(lists, state.total_dice, state.max_quantity, ones_are_wild=True)
            said = memo.answer(playout.CLIMBER, playout.coded(hand), len(hand), number, 4 if last else 0)
            action = Dudo(state.turn) if said == playout.DOUBT else Bid(state.turn, *quantity_and_face(said))
        state, events = pc.apply(state, action)
        memory = remember_all(memory, events)
    assert kinds_of(new_memory(rules, 2), 0) == PRIOR
    assert max(range(len(PRIOR)), key=kinds_of(memory, 0).__getitem__) == playout.CLIMBER


def test_what_is_imagined_is_what_is_reckoned() -> None:
    """The bid model of the roll-outs' hands is that of the odds, where nobody can be a simple player."""
    rules = Rules.preset("aces")
    state = set_up(rules, ((2, 2, 2, 5, 6), (1, 2, 3, 4, 4), (3,)), [Bid(0, 6, 2), Bid(1, 7, 2)])
    situation = situation_of(observe(state, 2), new_memory(rules, 3))
    memo = playout.memo_of(situation.bid_lists(0), 11, 11, ones_are_wild=True)
    hands = hands_of(situation, 0, memo, kinds_of(new_memory(rules, 3), 0))
    assert hands is not None
    assert len(hands.codes) == len(PRIOR) * len(pc.hand_outcomes(5))
    chance = chance_after_calls(situation, new_memory(rules, 3), 7, 2)
    dice_alone = at_least(situation.tail_by_dice(2), 7)
    assert dice_alone < chance < at_least(situation.tail_by_bids(2), 7) + 0.1


def test_the_expert_fears_the_player_with_the_most_dice() -> None:
    """The loss of the leader is worth more to an expert; in equal places all others' losses are worth the same."""
    rules = Rules.preset("aces")
    for hands, order in ((((2, 3), (2,), (2,) * 5), "less"), (((2, 3), (4, 5), (6, 6)), "equal")):
        memory = new_memory(rules, 3)
        situation = situation_of(observe(set_up(rules, hands), 0), memory)
        own, second, third = losses_of(situation, EXPONENT)
        assert own == -1
        assert second < third if order == "less" else second == pytest.approx(third)
        assert losses_of(situation) == (-1, 0.5, 0.5)


def test_hands_of_many_dice_are_not_weighed() -> None:
    rules = Rules.preset("aces").with_options(starting_dice=MOST_DICE + 1)
    state = set_up(rules, ((2,) * 7, (3,) * 7, (4,) * 7), [Bid(0, 3, 2)])
    situation, memory = situation_of(observe(state, 1), new_memory(rules, 3)), new_memory(rules, 3)
    memo = playout.memo_of(situation.bid_lists(0), 21, 21, ones_are_wild=True)
    assert hands_of(situation, 0, memo, PRIOR) is None
    assert chance_after_calls(situation, memory, 3, 2) == pytest.approx(at_least(situation.tail_by_bids(2), 3))
    create_agent("expert").choose(observe(state, 1), memory, random.Random(1))


def test_the_imagined_regular_opens_as_the_level_does() -> None:
    rules = Rules.preset("aces")
    for hand in ((2, 2, 2, 5, 6), (1, 1, 3, 4, 6), (2, 3, 4, 5, 6)):
        state = set_up(rules, (hand, (1, 2, 3, 4, 4), (3, 3, 6, 6, 6)))
        said = create_agent("regular").choose(observe(state, 0), new_memory(rules, 3), random.Random(1))
        assert isinstance(said, Bid)
        number = bid_number(said.quantity, said.face)
        memo, code = memo_for(rules, 15), playout.coded(hand)
        assert memo.answer(playout.REGULAR, code, 5, playout.NOTHING, 0) == number
        openings = [(playout.NOTHING, 0, bid) for bid in range(16)]
        chances = [memo.likelihoods(playout.REGULAR, (code,), 5, opening)[0] for opening in openings]
        assert max(chances) == chances[number]


def test_the_answers_that_are_kept_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playout, "MOST_ANSWERS", 10)
    playout._MEMOS.clear()
    rules = Rules.preset("aces").with_options(starting_dice=2)
    for quantity in (4, 6, 8):
        memo = memo_for(rules, quantity)
        for bid in range(11):
            memo.answer(playout.NAIVE, playout.coded((2, 3)), 2, bid, 2)
    assert len(playout._MEMOS) == 2
    again = memo_for(rules, 8)
    assert (again.size, again.answers[playout.NAIVE]) == (0, {})


# Heads-up tables: shipped, found again, and left where they do not fit


ONE_DIE = Round(RoundKind.ONE_THING, 1, 1)
GAMES = [game for kind in RoundKind for game in rounds_of(kind)]


def seen(rules: Rules, *hands: tuple[int, ...], bids: Any = (), palifico: int | None = None) -> Situation:
    state = set_up(rules, hands, bids, palifico=palifico)
    assert state.turn is not None
    memory = new_memory(rules, len(hands))
    return situation_of(observe(state, state.turn), memory)


def test_every_round_has_its_table_in_the_package_with_a_row_for_each_situation_and_hand() -> None:
    folder = Path(headup.__file__).parent / headup.TABLES_FOLDER
    files = {file.name: file.stat().st_size for file in folder.iterdir()}
    assert set(files) == {game.file_name for game in GAMES}
    assert sum(files.values()) < 1_750_000, "the wheel has at most 2 MB"
    for game in GAMES:
        table = headup._table(game)
        assert table is not None
        *_, last = (key for key in situations(game) if not (game.is_symmetric and key[0]))
        mover, recent = last
        hands = headup._hand_numbers((game.first, game.second)[mover])
        size = len(tree_of(game.kind, game.dice).actions[recent]) * len(hands)
        assert headup._offsets(game)[last] + size == len(table), game


def test_which_rounds_have_tables_and_what_they_answer() -> None:
    box, aces = Rules(), Rules.preset("aces")
    assert round_of(seen(box, (2, 3), (4,))) == (Round(RoundKind.ONE_THING, 2, 1), 0)
    assert round_of(seen(aces, (2,), (4, 4))) == (Round(RoundKind.NO_DECREASE, 2, 1), 1)
    assert round_of(seen(aces, (2,), (), (4, 4))) == (Round(RoundKind.NO_DECREASE, 2, 1), 1)
    assert round_of(seen(box, (2,), (4, 4), palifico=0)) == (Round(RoundKind.PALIFICO, 1, 2), 0)
    assert round_of(seen(box.with_options(calza=True, calza_by="bystanders", lost_dice="visible"), (2,), (4,)))
    calza = box.with_options(calza=True, calza_in_palifico=False, lost_dice="visible")
    assert round_of(seen(calza, (2,), (4,), palifico=0)) == (Round(RoundKind.PALIFICO, 1, 1), 0)
    bid = [Bid(0, 1, 3)]
    assert round_of(seen(box, (2,), (4, 4), bids=bid, palifico=0)) == (Round(RoundKind.PALIFICO, 1, 2), 1)
    most_applications = RoundKind.ONES_LOWEST.rules.with_options(palifico=False, lost_dice="visible")
    assert round_of(seen(most_applications, (2,), (4, 4))) == (Round(RoundKind.ONES_LOWEST, 2, 1), 1)
    assert round_of(seen(most_applications.with_options(wild_ones=False), (2,), (4, 4))) is None
    houses = ("lose_by_difference", True), ("wild_ones", False), ("ones_may_open", True), ("plain_raise", "any_higher")
    without = [
        seen(box, (2,), (3,), (4,)),
        seen(box.with_options(starting_dice=6), (2,) * 6, (3,)),
        *(seen(box.with_options(**{option: value}), (2,), (3,)) for option, value in houses),
        seen(calza, (2,), (3,)),
        seen(calza.with_options(calza_in_palifico=True), (2,), (4,), palifico=0),
        azteca := seen(Rules.preset("azteca"), (2,), (4,), palifico=0),
    ]
    options, most = azteca.rules.round_options, azteca.max_quantity
    assert azteca.bid_lists(0) is options.palifico_bid_lists[most]
    assert azteca.bid_lists(1) is options.face_change_bid_lists[most]
    for situation in without:
        assert round_of(situation) is None
        assert head_up(situation) is None
    opening = head_up(seen(box, (6,), (4,)))
    assert opening is not None
    assert all(isinstance(call, Bid) and weight > 0 for call, weight in opening)
    too_many = seen(box, (2, 3), (4, 4), bids=[Bid(0, 5, 2)])
    assert head_up(too_many) == [(Dudo(1), 1.0)]
    sure = head_up(seen(box, (2,), (4,), bids=[Bid(0, 2, 6)]))
    assert sure is not None
    assert {call for call, _ in sure} <= {Dudo(1), Bid(1, 1, 1), Bid(1, 2, 1)}


def test_bids_that_the_tables_do_not_know_are_left_to_the_roll_outs_but_tables_that_were_read_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = Round(RoundKind.ONE_THING, 3, 2)
    unknown = (bid_number(1, 2), bid_number(5, 2))
    assert unknown not in tree_of(game.kind, 5).actions
    assert weights(game, 0, unknown, (2, 2, 3)) is None
    load_tables()
    monkeypatch.setattr(headup, "TABLES_FOLDER", "no_such")
    headup._table.cache_clear()
    assert weights(ONE_DIE, 0, (), (3,)) is not None, "a process that may open no more files"
    headup._table.cache_clear()
    headup._compressed.cache_clear()
    assert weights(ONE_DIE, 0, (), (3,)) is None
    headup._table.cache_clear()
    headup._compressed.cache_clear()
    situation = seen(Rules(), (2, 2, 3), (4, 4), bids=[Bid(0, 1, 2), Bid(1, 5, 2)])
    assert situation.seat == 0
    assert head_up(situation) is None


def test_the_expert_mixes_head_up_and_says_calza_where_it_is_likely() -> None:
    rules, agent = Rules().with_options(starting_dice=1), create_agent("expert")
    view = observe(set_up(rules, ((6,), (4,))), 0)
    calls = {agent.choose(view, new_memory(rules, 2), random.Random(seed)) for seed in range(30)}
    assert len(calls) > 1
    calza = rules.with_options(calza=True, lost_dice=LostDice.VISIBLE, starting_dice=2)
    state = set_up(calza, ((6,), (4, 5)), [Bid(0, 1, 2)])
    assert not isinstance(agent.choose(observe(state, 1), new_memory(calza, 2), random.Random(1)), Calza)
    likely = set_up(calza, ((6,), (2, 5)), [Bid(0, 1, 2)])
    assert isinstance(agent.choose(observe(likely, 1), new_memory(calza, 2), random.Random(1)), Calza | Bid)
    sure = set_up(calza, ((6,), (1, 3)), [Bid(0, 1, 6)])
    assert agent.choose(observe(sure, 1), new_memory(calza, 2), random.Random(1)).seat == 1


def test_the_expert_leaves_the_tables_against_a_simple_player(monkeypatch: pytest.MonkeyPatch) -> None:
    situation, memory = seen(Rules(), (6,), (4,)), new_memory(Rules(), 2)
    assert registry._by_tables(situation, memory) is not None
    monkeypatch.setattr(registry, "kinds_of", lambda _memory, _seat: (0.9, 0.05, 0, 0, 0.05, 0))
    assert registry._by_tables(situation, memory) is None


def test_situations_stand_before_those_they_lead_to() -> None:
    for game in (Round(RoundKind.NO_DECREASE, 2, 1), Round(RoundKind.PALIFICO, 1, 2)):
        tree, before = tree_of(game.kind, game.dice), set()
        for mover, recent in situations(game):
            before.add((mover, recent))
            for bid in tree.actions[recent]:
                if bid != DUDO:
                    assert (1 - mover, tree.after(recent, bid)) not in before
                    assert quantity_and_face(bid)[0] <= game.dice
