"""The players that a step asks, as a value: no database, and no messages."""

import pytest

from perudo_core import Dudo, Leave
from telegram_bot.service.announcing.asking import WATCHING_SECONDS, Asking, asking_of
from telegram_bot.tables import play, turn_clock
from telegram_bot.tables.events import PlainEvent, TableChange
from telegram_bot.tables.model import Table
from tests.telegram_bot.conftest import AUTO_CLOCK, START, at, lobby_table, parse, running_table

EVERYBODY = (0, 1, 2)


def three(*, calls: str = "", **changes: object) -> Table:
    """A game of three, whose first player opens."""
    return running_table("22222", "33333", "44444", calls=calls, clock=AUTO_CLOCK).replace(**changes)


def asked(before: Table, step: TableChange) -> Asking:
    return asking_of(before, step, START)


def bid(table: Table) -> TableChange:
    return play.make_call(table, parse(table, "4x2"), step=None, moment=at())


@pytest.mark.parametrize(("seconds", "on_board"), [(WATCHING_SECONDS - 1, True), (WATCHING_SECONDS + 1, False)])
def test_a_bid_asks_the_next_player_in_a_new_message_unless_the_last_turn_was_quick(
    seconds: float, on_board: bool
) -> None:
    before = three(turn_since=START - seconds)
    assert asked(before, bid(before)) == Asking(seats=(1,), on_board=on_board)


def test_an_absent_player_is_asked_in_no_private_message() -> None:
    before = three().with_seat(1, away=True)
    assert asked(before, bid(before)).seats == ()


def test_a_new_round_shows_all_players_their_dice_but_an_absent_one() -> None:
    before = three(calls="4x2")
    step = play.make_call(before, Dudo(1), step=None, moment=at())
    assert asked(before, step) == Asking(seats=EVERYBODY)
    absent = before.with_seat(2, away=True)
    assert asked(absent, play.make_call(absent, Dudo(1), step=None, moment=at())).seats == (0, 1)


def test_a_practice_round_waits_until_the_player_has_looked_at_the_end_of_the_last_one() -> None:
    before = three(calls="4x2", practice=True)
    ended = play.make_call(before, Dudo(1), step=None, moment=at())
    assert asked(before, ended) == Asking()
    shown = TableChange(ended.table, (PlainEvent.ROUND_SHOWN,))
    assert asked(ended.table, shown) == Asking(seats=EVERYBODY)


def test_a_game_that_is_over_asks_nobody() -> None:
    before = running_table("2", "3", calls="1x2")
    assert asked(before, play.advance(before, Leave(1), moment=at())) == Asking()


def test_a_player_who_returns_is_asked_and_a_turn_whose_message_was_lost_is_asked_again_at_the_end_of_the_chat() -> (
    None
):
    away = three().with_seat(2, away=True)
    assert asked(away, play.return_seat(away, 2, moment=at())) == Asking(seats=(2,))
    lost = TableChange(three(), (PlainEvent.TURN_UNDELIVERED,))
    assert asked(three(), lost) == Asking(seats=(0,), at_bottom=True)


def test_a_chat_that_is_back_shows_everybody_their_dice() -> None:
    table = three()
    lost = turn_clock.suspend(table, moment=at()).table
    back = Asking(seats=EVERYBODY, at_bottom=True)
    assert asked(lost, turn_clock.resume(lost, moment=at())) == back
    lobby = turn_clock.suspend(lobby_table(2), moment=at()).table
    assert asked(lobby, turn_clock.resume(lobby, moment=at())) == Asking(at_bottom=True)
