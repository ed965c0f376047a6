"""Heads-up tables: shipped, found again, and left where they do not fit."""

import random
from pathlib import Path
from typing import Any

import pytest

from perudo_core import Bid, Calza, Dudo, LostDice, Rules, observe, set_up
from perudo_core._bid_numbers import bid_number, quantity_and_face
from perudo_core.agents import _headup as headup
from perudo_core.agents import _registry as registry
from perudo_core.agents import create_agent, load_tables, new_memory
from perudo_core.agents._headup import head_up, round_of, weights
from perudo_core.agents._headup_tree import DUDO, Round, RoundKind, rounds_of, situations, tree_of
from perudo_core.agents._situation import Situation, situation_of

ONE_DIE = Round(RoundKind.ONE_THING, 1, 1)
MOST_BYTES = 2_500_000
GAMES = [game for kind in RoundKind for game in rounds_of(kind)]


def seen(rules: Rules, *hands: tuple[int, ...], bids: Any = (), palifico: int | None = None) -> Situation:
    state = set_up(rules, hands, bids, palifico=palifico)
    assert state.turn is not None
    memory = new_memory(rules, len(hands))
    return situation_of(observe(state, state.turn), memory)


def test_every_round_has_its_table_in_the_package() -> None:
    folder = Path(headup.__file__).parent / headup.TABLES_FOLDER
    files = {file.name: file.stat().st_size for file in folder.iterdir()}
    assert set(files) == {game.file_name for game in GAMES}
    assert sum(files.values()) < MOST_BYTES


def test_a_table_holds_a_row_for_each_situation_and_hand() -> None:
    for game in GAMES:
        table = headup._table(game)
        assert table is not None
        *_, last = (key for key in situations(game) if not (game.is_symmetric and key[0]))
        mover, recent = last
        hands = headup._hand_numbers((game.first, game.second)[mover])
        size = len(tree_of(game.kind, game.dice).actions[recent]) * len(hands)
        assert headup._offsets(game)[last] + size == len(table), game


def test_which_rounds_have_tables() -> None:
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
    houses: list[dict[str, Any]] = [
        *({"lose_by_difference": True}, {"wild_ones": False}, {"ones_may_open": True}, {"plain_raise": "any_higher"}),
    ]
    without = [
        seen(box, (2,), (3,), (4,)),
        seen(box.with_options(starting_dice=6), (2,) * 6, (3,)),
        *(seen(box.with_options(**options), (2,), (3,)) for options in houses),
        seen(calza, (2,), (3,)),
        seen(calza.with_options(calza_in_palifico=True), (2,), (4,), palifico=0),
        seen(Rules.preset("azteca"), (2,), (4,), palifico=0),
    ]
    for situation in without:
        assert round_of(situation) is None
        assert head_up(situation) is None


def test_the_tables_answer() -> None:
    rules = Rules()
    opening = head_up(seen(rules, (6,), (4,)))
    assert opening is not None
    assert all(isinstance(call, Bid) and weight > 0 for call, weight in opening)
    too_many = seen(rules, (2, 3), (4, 4), bids=[Bid(0, 5, 2)])
    assert head_up(too_many) == [(Dudo(1), 1.0)]
    sure = head_up(seen(rules, (2,), (4,), bids=[Bid(0, 2, 6)]))
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
