"""Computer players at a table: they join and leave in the lobby, lose no die by a clock, and end no evening alone."""

import random

import pytest

from perudo_core import Dudo, GameOver, Rules, apply
from perudo_core.agents import Character, Level
from telegram_bot.tables import computer_players, lobby_rules, play
from telegram_bot.tables.events import ClockRanOut, HostChanged, PlainEvent, RejectedError, RejectionReason
from telegram_bot.tables.lobby_rules import player_named
from telegram_bot.tables.model import CloseReason, ComputerPlayer, Moment, OnTimeout, Seat, Status, Table, TurnClock
from telegram_bot.tables.turn_clock import apply_due, next_due, resume, suspend
from telegram_bot.tables.views import table_view
from tests.telegram_bot.conftest import START, TIMINGS, after_call, at, lobby_table, running_table

ANA, BO = 1, 2
REGULAR = ComputerPlayer(level=Level.REGULAR)


def added(table: Table, count: int | None = 1) -> Table:
    return computer_players.add(table, ANA, count, moment=at()).table


def refused(table: Table, by: int) -> RejectionReason:
    with pytest.raises(RejectedError) as caught:
        computer_players.add(table, by, 1, moment=at())
    return caught.value.reason


def with_computers(table: Table, *seats: int) -> Table:
    for seat in seats:
        table = table.with_seat(seat, computer=REGULAR, player=-1_000_001 - seat)
    return table


def test_added_ones_have_names_and_numbers_of_their_own_and_fill_the_table() -> None:
    table = added(added(lobby_table(2)), None)
    assert len(table.seats) == table.max_seats
    computers = [seat for seat in table.seats if seat.computer is not None]
    assert len({seat.name for seat in computers}) == len(computers) == table.max_seats - 2
    assert [seat.player for seat in computers] == [-1_000_001 - number for number in range(len(computers))]
    assert {(each.name[:2], each.computer and each.computer.level) for each in computers} == {("🤖 ", Level.REGULAR)}
    assert refused(table, ANA) is RejectionReason.FULL
    table = added(lobby_table(1, Rules.preset("azteca")).replace(most_seats=24), None)
    assert len({seat.name for seat in table.seats}) == len(table.seats) == 24, "names last without a limit"


def test_only_the_host_adds_them_and_only_before_the_game() -> None:
    assert refused(lobby_table(2), BO) is RejectionReason.NOT_HOST
    assert refused(running_table("22", "33"), ANA) is RejectionReason.ALREADY_RUNNING


def test_level_and_character_move_on_to_the_next() -> None:
    table = added(lobby_table(1))
    player = table.seats[1].player
    levels, characters = set[Level](), set[Character]()
    for _ in range(max(len(Level), len(Character))):
        table = computer_players.change(table, ANA, player, "level", moment=at()).table
        table = computer_players.change(table, ANA, player, "character", moment=at()).table
        computer = table.seats[1].computer
        assert computer is not None
        levels.add(computer.level)
        characters.add(computer.character)
    assert (levels, characters) == (set(Level), set(Character))
    with pytest.raises(RejectedError):
        computer_players.change(table, ANA, ANA, "level", moment=at())


def test_a_removed_one_may_be_added_again_and_is_found_by_its_name() -> None:
    table = added(lobby_table(2))
    bare = table.seats[2].name.removeprefix("🤖 ")
    assert player_named(table, bare.lower()) == table.seats[2].player
    step = lobby_rules.kick(table, ANA, table.seats[2].player, moment=at())
    assert [seat.name for seat in step.table.seats] == ["Ana", "Bo"]
    assert step.table.kicked == ()


def test_a_computer_player_never_hosts_and_no_lobby_is_theirs_alone() -> None:
    table = lobby_rules.join(added(lobby_table(1)), Seat(player=9, name="Cy"), moment=at()).table
    left = lobby_rules.leave(table, ANA, moment=at())
    assert HostChanged(9) in left.events
    gone = lobby_rules.leave(left.table, 9, moment=at())
    assert gone.table.status is Status.CLOSED
    assert (gone.events, gone.table.closed_why) == ((PlainEvent.TABLE_CLOSED,), CloseReason.EMPTY)


def test_a_computer_player_that_another_version_knows_plays_usually() -> None:
    stored = added(lobby_table(2)).model_dump(mode="json")
    stored["seats"][2]["computer"] = {"level": "grandmaster", "character": "sleepy"}
    read = Table.model_validate(stored)
    assert read.seats[2].computer == ComputerPlayer(level=Level.REGULAR, character=Character.PLAIN)
    assert not read.counts_for_league
    assert not lobby_table(2).replace(practice=True).counts_for_league


@pytest.mark.parametrize("choice", OnTimeout)
def test_a_clock_costs_them_nothing_and_does_not_remind_them(choice: OnTimeout) -> None:
    table = with_computers(running_table("22", "33", "44", clock=TurnClock(seconds=60, on_timeout=choice)), 1)
    turn = after_call(table, "1x2")
    assert turn.running.think_at is not None
    assert turn.running.ends is not None
    assert START + 1 <= turn.running.think_at <= START + 4
    assert turn.running.ends == turn.running.think_at + TIMINGS.think_patience_seconds
    assert turn.running.reminder_at is None
    assert table_view(turn).clock_ends is None, "no one counts the seconds of a computer player"
    assert next_due(turn) == turn.running.think_at
    played = apply_due(turn, moment=Moment(turn.running.ends, TIMINGS, random.Random(1)))
    assert not any(isinstance(event, ClockRanOut) for event in played.events)
    assert played.table.step == turn.step + 1
    assert (played.table.seats[1].misses, played.table.seats[1].away) == (0, False)
    assert played.table.begun_game.dice_counts == (2, 2, 2)


def test_a_turn_that_begins_anew_is_thought_about_as_long_also_without_a_clock() -> None:
    table = after_call(with_computers(running_table("22", "33", clock=TurnClock(seconds=0)), 1), "1x2")
    again = play.start_clock(table, now=START + 100, timings=TIMINGS).table
    assert table.running.think_at is not None
    assert table.idle_at is None
    assert again.running.think_at == pytest.approx(table.running.think_at + 100)


def test_they_wait_with_the_others_while_the_bot_cannot_write_and_then_think_anew() -> None:
    table = after_call(with_computers(running_table("22", "33"), 1), "1x2").with_timer(play.INTERRUPTIONS, START + 1)
    lost = suspend(table, moment=at()).table
    assert lost.suspension is not None
    assert next_due(lost) == lost.suspension.probe_at
    assert next_due(lost.replace(suspension=None)) == lost.idle_at
    assert resume(lost, moment=at(60)).table.running.think_at is not None


def test_a_game_pauses_when_no_person_is_there() -> None:
    table = with_computers(running_table("22", "33", "44"), 1, 2).with_seat(0, away=True)
    step = play.start_clock(table, now=START, timings=TIMINGS)
    assert step.events == (PlainEvent.GAME_PAUSED,)
    assert (step.table.running.think_at, step.table.running.ends) == (None, None)


def test_a_game_that_only_they_are_left_in_ends_and_can_be_played_again_from_its_actions() -> None:
    table = with_computers(running_table("22", "333", "4", "55"), 1, 2, 3)
    step = play.resign(table, 0, moment=at())
    assert step.table.status is Status.FINISHED
    (over,) = [event for event in step.game_events if isinstance(event, GameOver)]
    assert over.outcome.placements == (4, 1, 3, 2)
    assert next_due(step.table) is None
    state = table.begun_game
    for action in step.actions:
        state = apply(state, action).state
    assert state == step.table.game


def test_the_last_person_who_is_knocked_out_ends_the_game_too() -> None:
    table = with_computers(running_table("2", "33", "444", calls="5x6"), 1, 2)
    step = play.advance(table, Dudo(1), moment=at())
    assert step.table.status is Status.FINISHED
    (over,) = [event for event in step.game_events if isinstance(event, GameOver)]
    assert over.outcome.placements == (3, 2, 1)


def test_at_a_rematch_the_last_of_them_give_way_to_people_who_wait() -> None:
    table = with_computers(running_table("22", "33", "4", "55", "66", "1"), 1, 2, 4)
    over = table.replace(status=Status.FINISHED, practice=True)
    for waiting, left in ((0, [1, 2, 4]), (1, [1, 2]), (2, [1]), (9, [])):
        again = lobby_rules.rematch(over, lobby_rules.NewTable(8, "CODE23"), ANA, moment=at(), waiting=waiting).table
        kept = [each for seat, each in enumerate(over.seats) if each.computer is None or seat in left]
        assert [(seat.name, seat.computer) for seat in again.seats] == [(seat.name, seat.computer) for seat in kept]
        assert again.practice


def test_after_the_final_of_a_competition_a_rematch_counts_for_the_league() -> None:
    over = lobby_table(2).replace(status=Status.FINISHED, unrated=True)
    again = lobby_rules.rematch(over, lobby_rules.NewTable(8, "CODE23"), ANA, moment=at()).table
    assert again.counts_for_league
    chosen = lobby_rules.rematch(over, lobby_rules.NewTable(8, "CODE23"), ANA, moment=at(), unrated=True)
    assert not chosen.table.counts_for_league
