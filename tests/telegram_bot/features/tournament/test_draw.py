"""A tournament loses no player, seats them evenly, and can be drawn again from its seed."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perudo_core import Bid, Dudo, Leave, Rules, apply, new_game, set_up
from perudo_core.agents import create_agent
from telegram_bot.features.tournament.draw import draw_tables, going_on, ranking
from test_support.tournament_shares import main, play_tournament


@given(st.integers(2, 100), st.integers(3, 6), st.integers(0, 9))
def test_a_draw_seats_every_player_once_at_as_few_even_tables_as_possible(count: int, most: int, seed: int) -> None:
    tables = draw_tables(range(count), Random(seed), most_at_a_table=most)
    sizes = sorted(map(len, tables))
    assert sorted(player for table in tables for player in table) == list(range(count))
    assert sizes[-1] - sizes[0] <= 1
    assert 2 <= sizes[0] <= sizes[-1] <= most
    assert (len(tables) - 1) * most < count
    assert tables == draw_tables(range(count), Random(seed), most_at_a_table=most)


def test_another_seed_draws_other_tables() -> None:
    assert len({draw_tables(range(24), Random(seed)) for seed in range(20)}) == 20


@pytest.mark.parametrize(("count", "most"), [(0, 6), (1, 6), (3, 2)])
def test_no_player_sits_alone(count: int, most: int) -> None:
    with pytest.raises(ValueError, match="players must be at least two at each table"):
        draw_tables(range(count), Random(1), most_at_a_table=most)


@given(st.integers(2, 50), st.fractions(0, 1))
def test_at_least_one_player_goes_on_and_at_least_one_does_not(size: int, share: Fraction) -> None:
    if not 0 < share < 1:
        with pytest.raises(ValueError, match="share must be between 0 and 1"):
            going_on(size, share)
    else:
        on = going_on(size, share)
        assert 1 <= on <= size - 1
        assert on == size - 1 or size * share <= on < size * share + 1


def test_the_better_half_goes_on() -> None:
    assert [going_on(size) for size in (2, 3, 4, 5, 6)] == [1, 2, 2, 3, 3]


def test_more_dice_rank_higher_and_then_the_seat_that_went_out_last() -> None:
    assert ranking(set_up(Rules(), ((), (2,), (3, 4), ()), opener=1, eliminated=[3, 0])) == (2, 1, 0, 3)


def test_where_the_first_without_dice_wins_fewer_dice_rank_higher_and_who_left_ranks_last() -> None:
    state = set_up(Rules(first_out_wins=True), ((), (2, 3), (2,), (3, 4)), [Bid(1, 1, 6)], opener=1, eliminated=[0])
    assert ranking(state) == (2, 1, 3, 0)
    won = apply(state, Dudo(2)).state
    assert won.outcome is not None
    assert ranking(won) == (2, 3, 1, 0)
    assert [won.outcome.placements[seat] for seat in ranking(won)] == [1, 2, 3, 4]


def test_the_ranking_at_the_end_is_that_of_the_places() -> None:
    state = new_game(Rules(), 5, opener=0)
    for seat in (3, 0, 4):
        state = apply(state, Leave(seat)).state
    assert ranking(state) == (1, 2, 4, 0, 3)
    state = apply(state, Leave(1)).state
    assert state.outcome is not None
    assert [state.outcome.placements[seat] for seat in ranking(state)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("count", "most", "games"), [(24, 6, 7), (24, 3, 8 + 6 + 4 + 1), (6, 3, 1), (2, 6, 1)])
def test_stages_follow_until_one_table_is_enough(count: int, most: int, games: int) -> None:
    agents = [create_agent("novice")] * count
    winner, played = play_tournament(agents, Rules(), Random(1), most_at_a_table=most, share=Fraction(1, 2))
    assert 0 <= winner < count
    assert played == games


def test_the_command_prints_how_often_the_best_wins(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--tournaments", "1", "--tables", "4", "--shares", "1/2", "1/3"]
    main(asked)
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head == "| most at a table | share that goes on | games | the best player wins | 95 % |"
    assert [row.split(" | ")[:3] for row in rows] == [["| 4", "1/2", "10"], ["| 4", "1/3", "10"]]
    main(asked)
    assert capsys.readouterr().out.splitlines()[2:] == rows
