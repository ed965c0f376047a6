"""Before the game: who sits, by which rules, who may start."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from perudo_core import PRESETS, CalzaBy, LostDice, Phase, PlainRaise, Rules
from telegram_bot.tables import lobby
from telegram_bot.tables.events import (
    CloseReason,
    HostChanged,
    PlainEvent,
    RejectedError,
    RejectionReason,
    TableChange,
    TableClosed,
)
from telegram_bot.tables.model import OnTimeout, Seat, Status, Table, Timings
from tests.telegram_bot.conftest import NAMES, START, TIMINGS, event_names, lobby_table, running_table

RNG = random.Random(1)
ANA, BO, CY, STRANGER = 1, 2, 3, 99


WHEN: dict[str, Any] = {"now": START, "timings": TIMINGS}


def denied(act: Callable[..., TableChange], *args: Any, **more: Any) -> RejectedError:
    """Why something cannot be done now; only stopping a table takes no time."""
    with pytest.raises(RejectedError) as caught:
        act(*args, **more if act is lobby.stop else WHEN | more)
    return caught.value


def names(table: Table) -> list[str]:
    return [seat.name for seat in table.seats]


def test_who_opens_the_lobby_sits_in_it_and_hosts() -> None:
    table = lobby_table(1)
    assert (table.status, table.host, names(table)) == (Status.LOBBY, ANA, ["Ana"])


def test_who_joins_sits_to_the_left_of_the_last() -> None:
    step = lobby.join(lobby_table(2), Seat(player=3, name="Cy"), **WHEN)
    assert names(step.table) == ["Ana", "Bo", "Cy"]
    assert step.events == (PlainEvent.LOBBY_CHANGED,)


def test_nobody_sits_twice() -> None:
    assert denied(lobby.join, lobby_table(2), Seat(player=BO, name="Bo")).reason is RejectionReason.ALREADY_JOINED


@pytest.mark.parametrize(
    ("preset", "seats"), [("box_2009", 6), ("italian_box", 6), ("aces", 10), ("azteca", 10), ("french_guide", 6)]
)
def test_a_table_seats_as_many_as_its_rulebook_or_ten_where_that_has_no_limit(preset: str, seats: int) -> None:
    table = lobby_table(seats, Rules.preset(preset))
    assert table.max_seats == seats
    full = denied(lobby.join, table, Seat(player=STRANGER, name="Zoe"))
    assert (full.reason, full.number) == (RejectionReason.FULL, seats)


def test_the_installation_says_how_many_sit_where_a_rulebook_has_no_limit() -> None:
    table = lobby_table(3, Rules.preset("aces"), timings=Timings(most_seats=3))
    assert denied(lobby.join, table, Seat(player=STRANGER, name="Zoe")).number == 3
    assert lobby_table(6, timings=Timings(most_seats=3)).max_seats == 6, "a rulebook's own number stands"


def test_leaving_gives_the_seat_up() -> None:
    step = lobby.leave(lobby_table(3), BO, **WHEN)
    assert names(step.table) == ["Ana", "Cy"]
    assert step.table.host == ANA
    assert event_names(step.events) == ["LOBBY_CHANGED"]


def test_when_the_host_leaves_the_next_one_is_host() -> None:
    step = lobby.leave(lobby_table(3), ANA, **WHEN)
    assert names(step.table) == ["Bo", "Cy"]
    assert step.table.host == BO
    assert HostChanged(BO) in step.events


def test_the_last_to_leave_closes_the_lobby() -> None:
    step = lobby.leave(lobby_table(1), ANA, **WHEN)
    assert (step.table.status, step.table.idle_at) == (Status.CLOSED, None)
    assert step.events == (TableClosed(CloseReason.EMPTY),)


def test_who_does_not_sit_cannot_leave() -> None:
    assert denied(lobby.leave, lobby_table(2), STRANGER).reason is RejectionReason.NOT_SEATED


def test_the_host_may_send_somebody_out() -> None:
    assert names(lobby.kick(lobby_table(3), ANA, BO, **WHEN).table) == ["Ana", "Cy"]
    assert denied(lobby.kick, lobby_table(3), BO, CY).reason is RejectionReason.NOT_HOST
    assert denied(lobby.kick, lobby_table(3), ANA, STRANGER).reason is RejectionReason.NOT_SEATED
    assert denied(lobby.kick, lobby_table(3), ANA, ANA).reason is RejectionReason.NOT_ALLOWED


@pytest.mark.parametrize("preset", PRESETS)
def test_another_rulebook_sets_all_options_back_to_that_book(preset: str) -> None:
    changed = lobby.change_option(lobby_table(2), ANA, "wild_ones", **WHEN).table
    step = lobby.change_option(changed, ANA, "rulebook", preset, **WHEN)
    assert step.table.rules == Rules.preset(preset)
    unknown = denied(lobby.change_option, changed, ANA, "rulebook", "tournament")
    assert unknown.reason is RejectionReason.UNKNOWN_OPTION


@pytest.mark.parametrize("option", lobby.HOUSE_OPTIONS)
def test_an_option_moves_on_tap_by_tap_and_comes_round_again(option: str) -> None:
    table = lobby_table(3)
    seen = [getattr(table.rules, option)]
    while True:
        table = lobby.change_option(table, ANA, option, **WHEN).table
        value = getattr(table.rules, option)
        if value == seen[0]:
            break
        assert value not in seen
        seen.append(value)
    expected = {
        "calza_by": set(CalzaBy),
        "lost_dice": set(LostDice),
        "plain_raise": set(PlainRaise),
        "opener_method": {"random", "highest_die", "highest_sum"},
        "starting_dice": set(range(1, 11)),
    }
    assert set(seen) == expected.get(option, {True, False})


def test_options_that_contradict_each_other_are_refused_and_the_table_stays() -> None:
    table = lobby.change_option(lobby_table(2), ANA, "sudden_death", **WHEN).table
    before = table.model_dump_json()
    refused = denied(lobby.change_option, table, ANA, "lose_by_difference")
    assert refused.reason is RejectionReason.CONTRADICTION
    assert table.model_dump_json() == before


def test_an_option_nobody_offers_is_refused() -> None:
    for option in ("max_seats", "min_seats", "based_on", "preset", "__class__", "to_dict", ""):
        refused = denied(lobby.change_option, lobby_table(2), ANA, option)
        assert refused.reason is RejectionReason.UNKNOWN_OPTION


def test_the_turn_clock_is_one_of_those_offered() -> None:
    for seconds in lobby.CLOCK_CHOICES:
        step = lobby.change_option(lobby_table(2), ANA, "clock", str(seconds), **WHEN)
        assert step.table.clock.seconds == seconds
    for seconds in (1, -30, 86401):
        refused = denied(lobby.change_option, lobby_table(2), ANA, "clock", str(seconds))
        assert refused.reason is RejectionReason.UNKNOWN_OPTION
    assert (min(lobby.CLOCK_CHOICES), lobby.CLOCK_CHOICES[1], max(lobby.CLOCK_CHOICES)) == (0, 30, 24 * 3600)


def test_what_happens_when_time_is_up_is_the_hosts_choice() -> None:
    for choice in OnTimeout:
        step = lobby.change_option(lobby_table(2), ANA, "on_timeout", choice, **WHEN)
        assert step.table.clock.on_timeout is choice
        assert step.table.clock.seconds == 120


@pytest.mark.parametrize("by", [BO, STRANGER])
def test_only_the_host_decides(by: int) -> None:
    table = lobby_table(3)
    for act, *args in (
        (lobby.consider,),
        (lobby.choose_rules, Rules.preset("aces")),
        (lobby.change_option, "rulebook", "aces"),
        (lobby.change_option, "calza"),
        (lobby.change_option, "clock", "30"),
        (lobby.kick, CY),
    ):
        assert denied(act, table, by, *args).reason is RejectionReason.NOT_HOST
    assert denied(lobby.start, table, by, rng=RNG).reason is RejectionReason.NOT_HOST


def test_a_lobby_whose_host_looks_around_stays_open() -> None:
    table = lobby_table(2)
    step = lobby.consider(table, ANA, now=START + 60, timings=TIMINGS)
    assert table.idle_at is not None
    assert step.table == table.replace(idle_at=table.idle_at + 60)
    assert step.events == (PlainEvent.LOBBY_CHANGED,)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("people", [2, 6])
def test_the_start_rolls_everybodys_dice(preset: str, people: int) -> None:
    step = lobby.start(lobby_table(people, Rules.preset(preset)), ANA, rng=RNG, **WHEN)
    game = step.table.game
    assert game is not None
    assert (step.table.status, step.table.deals, step.table.idle_at) == (Status.PLAYING, 1, None)
    assert (game.phase, game.round, [len(hand) for hand in game.dice]) == (Phase.BIDDING, 1, [5] * people)
    assert game.seats == NAMES[:people]
    assert step.events[0] == PlainEvent.GAME_STARTED
    assert [type(action).__name__ for action in step.actions][-1] == "Roll"


def test_one_player_alone_cannot_start() -> None:
    few = denied(lobby.start, lobby_table(1), ANA, rng=RNG)
    assert (few.reason, few.number) == (RejectionReason.TOO_FEW, 2)


def test_more_than_the_rulebook_seats_cannot_start() -> None:
    ten = lobby_table(10, Rules.preset("aces"))
    table = lobby.change_option(ten, ANA, "rulebook", "box_2009", **WHEN).table
    assert len(table.seats) == 10, "nobody is thrown out"
    many = denied(lobby.start, table, ANA, rng=RNG)
    assert (many.reason, many.number) == (RejectionReason.TOO_MANY, 6)


def test_what_belongs_to_the_lobby_is_over_once_the_game_runs() -> None:
    game = running_table("11111", "22222")
    for act, args in (
        (lobby.join, (Seat(player=STRANGER, name="Zoe"),)),
        (lobby.leave, (ANA,)),
        (lobby.kick, (ANA, BO)),
        (lobby.consider, (ANA,)),
        (lobby.choose_rules, (ANA, Rules.preset("aces"))),
        (lobby.change_option, (ANA, "calza")),
    ):
        assert denied(act, game, *args).reason is RejectionReason.ALREADY_RUNNING
    assert denied(lobby.start, game, ANA, rng=RNG).reason is RejectionReason.ALREADY_RUNNING


@pytest.mark.parametrize("table", [lobby_table(3), running_table("11111", "22222", "33333")], ids=["lobby", "game"])
def test_the_host_or_an_admin_may_stop_a_table(table: Table) -> None:
    assert denied(lobby.stop, table, BO, is_admin=False).reason is RejectionReason.NOT_ALLOWED
    for by, is_admin in ((ANA, False), (STRANGER, True)):
        step = lobby.stop(table, by, is_admin=is_admin)
        assert step.table.status is Status.CLOSED
        assert step.events == (TableClosed(CloseReason.STOPPED, by),)
        assert (step.table.clock_ends, step.table.reminder_at, step.table.idle_at) == (None, None, None)
    stopped = lobby.stop(table, ANA, is_admin=False).table
    assert denied(lobby.stop, stopped, ANA, is_admin=True).reason is RejectionReason.NO_TABLE


def test_every_change_of_a_lobby_keeps_it_open_for_longer() -> None:
    table = lobby_table(2, now=START)
    assert table.idle_at == START + TIMINGS.lobby_idle_seconds
    later = lobby.join(table, Seat(player=3, name="Cy"), now=START + 500, timings=TIMINGS).table
    assert later.idle_at == START + 500 + TIMINGS.lobby_idle_seconds


def test_a_lobby_whose_turns_take_hours_waits_for_hours() -> None:
    table = lobby_table(2, now=START)
    for seconds, idle in (("21600", 12 * 3600), ("86400", 86400), ("120", TIMINGS.lobby_idle_seconds)):
        table = lobby.change_option(table, ANA, "clock", seconds, **WHEN).table
        assert table.idle_at == START + idle


def test_playing_again_seats_the_same_people_under_the_same_rules() -> None:
    rules = Rules.preset("azteca").with_options(calza=True)
    over = (
        running_table("11", "22", "33", rules=rules).replace(status=Status.FINISHED).with_seat(1, away=True, misses=2)
    )
    step = lobby.rematch(over, 8, "CODE88", CY, **WHEN)
    table = step.table
    assert (table.status, table.host, names(table), table.rules) == (Status.LOBBY, CY, ["Ana", "Bo", "Cy"], rules)
    assert not any(seat.away or seat.misses for seat in table.seats)
    assert (table.game, table.step) == (None, 0)
    assert denied(lobby.rematch, over, 8, "CODE88", STRANGER).reason is RejectionReason.NOT_SEATED
    running = over.replace(status=Status.PLAYING)
    assert denied(lobby.rematch, running, 8, "CODE88", ANA).reason is RejectionReason.ALREADY_RUNNING


def test_a_host_who_goes_hands_over_to_the_next_one_to_the_left() -> None:
    table = lobby_table(4).replace(host=2)

    after = lobby.leave(table, 2, **WHEN).table

    assert after.host == 3
    assert lobby.leave(after.replace(host=4), 4, **WHEN).table.host == 1
