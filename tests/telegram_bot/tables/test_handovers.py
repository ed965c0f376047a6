"""A seat goes to another player at the next deal, and back to its owner."""

import pytest

from perudo_core.agents import Level
from telegram_bot.tables import play, sleepers
from telegram_bot.tables.events import Handover, RejectedError, RejectionReason, SeatHandover, TableChange
from telegram_bot.tables.model import ComputerPlayer, Seat, Table
from telegram_bot.tables.turn_clock import time_out
from tests.telegram_bot.conftest import after_call, at, event_names, running_table

BO = 1
DEE, EVE = Seat(player=4, name="Dee"), Seat(player=5, name="Eve")


def with_bo_away(table: Table) -> Table:
    return table.with_seat(BO, away=True, misses=1)


def a_game(*hands: str) -> Table:
    """Ana, Bo and Cy play, Bo is away, and Cy opens."""
    return with_bo_away(running_table(*(hands or ("33456", "22344", "55566")), opener=2))


def next_round(table: Table) -> Table:
    """The table after Cy's bid and Ana's doubt, or the other way round."""
    return after_call(after_call(table, "9x5"), "dudo")


def players(table: Table) -> list[str]:
    return [seat.name for seat in table.seats]


def handovers(step: TableChange) -> list[Handover]:
    return [event.what for event in step.events if isinstance(event, SeatHandover)]


def refusal(table: Table, newcomer: Seat = DEE, player: int = 0) -> RejectionReason:
    with pytest.raises(RejectedError) as refused:
        sleepers.take(table, newcomer, player, moment=at())
    return refused.value.reason


def taken(table: Table, newcomer: Seat = DEE) -> Table:
    return sleepers.take(table, newcomer, moment=at()).table


def test_the_seat_changes_its_player_when_the_next_dice_are_rolled() -> None:
    table = taken(a_game())
    assert players(table) == players(after_call(table, "9x5")) == ["Ana", "Bo", "Cy"]
    assert players(next_round(table)) == ["Ana", "Dee", "Cy"]


def test_a_round_that_is_rolled_again_is_a_new_one() -> None:
    table = with_bo_away(running_table("33456", "22344", "55566", "11"))
    assert players(play.resign(taken(table, EVE), 3, moment=at()).table) == ["Ana", "Eve", "Cy", "Dee"]


def test_the_seat_stays_its_players_who_comes_back_before_that() -> None:
    back = play.return_seat(taken(a_game()), BO, moment=at())
    assert handovers(back) == [Handover.KEPT]
    assert players(next_round(back.table)) == ["Ana", "Bo", "Cy"]
    on_a_phone = a_game().with_seat(BO, next=Seat(player=2, name="Bo"))
    kept = play.return_seat(on_a_phone, BO, moment=at())
    assert (handovers(kept), kept.table.seats[BO].next) == ([], None), "no one else was to have it"


def test_the_owner_has_the_seat_again_from_the_next_round_on_whoever_has_it_or_waits_for_it() -> None:
    lent = next_round(taken(a_game()))
    asleep = taken(lent.with_seat(BO, away=True), EVE)
    back = sleepers.take(asleep, Seat(player=2, name="Bo"), moment=at())
    assert handovers(back) == [Handover.KEPT, Handover.TAKEN_BACK]
    awake = play.return_seat(back.table, BO, moment=at()).table  # Dee plays the round to its end
    again = next_round(awake)
    assert players(again) == ["Ana", "Bo", "Cy"]
    assert again.seats[BO].owner is None
    assert again.seats[BO].changed_hands


def test_of_two_latecomers_the_first_one_takes_the_seat() -> None:
    table = taken(a_game())
    assert refusal(table, EVE, player=2) is RejectionReason.SEAT_TAKEN
    assert refusal(table, EVE) is RejectionReason.LATE
    assert refusal(table, DEE) is RejectionReason.ALREADY_JOINED


def test_a_latecomer_takes_no_seat_of_a_player_who_is_there_or_of_a_computer_player() -> None:
    table = a_game()
    assert refusal(table, player=1) is RejectionReason.STALE
    computer = table.with_seat(BO, computer=ComputerPlayer(level=Level.REGULAR), away=True)
    assert refusal(computer, player=2) is RejectionReason.STALE
    assert refusal(table, Seat(player=3, name="Cy")) is RejectionReason.ALREADY_RUNNING
    assert refusal(table.replace(kicked=(4,))) is RejectionReason.SENT_OUT
    assert refusal(table.replace(practice=True)) is RejectionReason.LATE


def test_a_seat_without_dice_goes_to_no_one() -> None:
    table = taken(a_game("33456", "2", "55566"))
    lost = play.resign(table, BO, moment=at())
    assert handovers(lost) == [Handover.LOST]
    assert lost.table.seats[BO].next is None


def test_a_game_that_waits_for_people_goes_on_to_the_round_of_the_latecomer() -> None:
    table = a_game()
    for seat in (0, 2):
        table = table.with_seat(seat, away=True)
    paused = play.start_clock(table, now=at().now, timings=at().timings).table
    assert paused.paused
    table = sleepers.take(paused, DEE, 2, moment=at()).table
    for _ in range(200):
        if players(table) == ["Ana", "Dee", "Cy"]:
            break
        assert not table.paused
        table = time_out(table, moment=at()).table
    assert players(table) == ["Ana", "Dee", "Cy"]


def test_the_seat_of_a_removed_player_is_the_latecomers_for_good() -> None:
    removed = sleepers.remove(a_game(), 1, 2, dice_go=False, moment=at()).table
    lent = next_round(taken(removed))
    assert players(lent) == ["Ana", "Dee", "Cy"]
    assert refusal(lent, Seat(player=2, name="Bo")) is RejectionReason.SENT_OUT


def test_a_latecomer_who_leaves_leaves_the_dice_to_the_owner() -> None:
    lent = next_round(taken(a_game()))
    left = sleepers.leave_to_owner(lent, BO, moment=at())
    assert left is not None
    assert handovers(left) == [Handover.GIVEN_UP]
    assert left.table.seats[BO].left_to_bot
    turn = left.table.begun_game.turn
    over = play.resign(left.table, 0 if turn else 2, moment=at()).table
    assert over.seats[BO].name == "Bo"
    assert over.seats[BO].away
    assert sleepers.leave_to_owner(over, 2, moment=at()) is None


def test_a_latecomer_who_leaves_on_their_turn_leaves_it_to_the_bot() -> None:
    lent = next_round(taken(a_game()))
    while lent.begun_game.turn != BO:
        lent = after_call(lent, "1x2" if not lent.begun_game.bids else "2x2")
    left = sleepers.leave_to_owner(lent, BO, moment=at())
    assert left is not None
    assert left.table.running.think_at is not None


def test_an_owner_who_leaves_gives_the_seat_away_and_a_latecomer_may_change_their_mind() -> None:
    waiting = taken(a_game())
    step = sleepers.give_up(waiting, DEE.player)
    assert step is not None
    assert handovers(step) == [Handover.GIVEN_UP]
    lent = next_round(waiting)
    given = sleepers.give_up(taken(lent, Seat(player=2, name="Bo")), 2)
    assert given is not None
    assert handovers(given) == [Handover.KEPT]
    assert given.table.seats[BO].owner is None
    assert sleepers.give_up(given.table, 2) is None
    assert "SeatReturned" not in event_names(given.events)


def test_names_and_faces_of_a_table_stay_distinct() -> None:
    table = taken(a_game(), Seat(player=4, name="Ana"))
    promised = table.seats[BO].next
    assert promised is not None
    assert promised.name == "Ana 2"
    assert next_round(table).seats[BO].name == "Ana 2"
