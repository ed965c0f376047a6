"""Before the game: who sits, by which rules, who may start."""

from collections.abc import Callable
from typing import Any

import pytest

from perudo_core import PRESETS, CalzaBy, LostDice, OnesRank, Phase, PlainRaise, Rules
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.events import HostChanged, PlainEvent, RejectedError, RejectionReason, TableChange
from telegram_bot.tables.model import CloseReason, OnTimeout, Seat, Status, Table, Timings
from tests.telegram_bot.conftest import NAMES, START, TIMINGS, at, lobby_table, running_table

ANA, BO, CY, STRANGER = 1, 2, 3, 99


def denied(act: Callable[..., TableChange], *args: Any, **more: Any) -> RejectedError:
    """The reason for a refusal; only `lobby_rules.stop` has no parameters of time."""
    with pytest.raises(RejectedError) as caught:
        act(*args, **more if act is lobby_rules.stop else {"moment": at()} | more)
    return caught.value


def names(table: Table) -> list[str]:
    return [seat.name for seat in table.seats]


def test_who_opens_the_lobby_hosts_and_who_joins_sits_to_the_left_of_the_last_and_once() -> None:
    table = lobby_table(1)
    assert (table.status, table.host, names(table)) == (Status.LOBBY, ANA, ["Ana"])
    step = lobby_rules.join(lobby_table(2), Seat(player=3, name="Cy"), moment=at())
    assert names(step.table) == ["Ana", "Bo", "Cy"]
    assert step.events == (PlainEvent.LOBBY_CHANGED,)
    assert denied(lobby_rules.join, step.table, Seat(player=BO, name="Bo")).reason is RejectionReason.ALREADY_JOINED


@pytest.mark.parametrize("house", [Timings(), Timings(most_seats=3)])
@pytest.mark.parametrize(
    ("preset", "seats"), [("box_2009", 6), ("italian_box", 6), ("aces", None), ("azteca", None), ("french_guide", 6)]
)
def test_a_table_seats_as_many_as_its_rulebook_or_house_says(preset: str, seats: int | None, house: Timings) -> None:
    seats = seats or (10 if house == Timings() else 3)
    table = lobby_table(seats, Rules.preset(preset), timings=house)
    assert table.max_seats == seats
    full = denied(lobby_rules.join, table, Seat(player=STRANGER, name="Zoe"))
    assert (full.reason, full.number) == (RejectionReason.FULL, seats)


def test_leaving_gives_the_seat_up_and_the_host_hands_over_to_the_left() -> None:
    step = lobby_rules.leave(lobby_table(4), BO, moment=at())
    assert (names(step.table), step.table.host) == (["Ana", "Cy", "Dee"], ANA)
    assert step.events == (PlainEvent.LOBBY_CHANGED,)
    for host, heir in ((ANA, CY), (CY, 4), (4, ANA)):
        left = lobby_rules.leave(step.table.replace(host=host), host, moment=at())
        assert left.table.host == heir
        assert HostChanged(heir) in left.events
    assert denied(lobby_rules.leave, lobby_table(2), STRANGER).reason is RejectionReason.NOT_SEATED
    last = lobby_rules.leave(lobby_table(1), ANA, moment=at())
    assert (last.table.status, last.table.idle_at) == (Status.CLOSED, None)
    assert (last.events, last.table.closed_why) == ((PlainEvent.TABLE_CLOSED,), CloseReason.EMPTY)


def test_the_host_may_send_somebody_out() -> None:
    without_bo = lobby_rules.kick(lobby_table(3), ANA, BO, moment=at()).table
    assert names(without_bo) == ["Ana", "Cy"]
    assert denied(lobby_rules.join, without_bo, Seat(player=BO, name="Bo")).reason is RejectionReason.SENT_OUT
    assert denied(lobby_rules.kick, lobby_table(3), BO, CY).reason is RejectionReason.NOT_HOST
    assert denied(lobby_rules.kick, lobby_table(3), ANA, STRANGER).reason is RejectionReason.NOT_SEATED
    assert denied(lobby_rules.kick, lobby_table(3), ANA, ANA).reason is RejectionReason.NOT_ALLOWED


@pytest.mark.parametrize("preset", PRESETS)
def test_another_rulebook_sets_all_options_back_to_that_book(preset: str) -> None:
    changed = lobby_rules.change_option(lobby_table(2), ANA, "wild_ones", moment=at()).table
    step = lobby_rules.change_option(changed, ANA, "rulebook", preset, moment=at())
    assert step.table.rules == Rules.preset(preset)
    unknown = denied(lobby_rules.change_option, changed, ANA, "rulebook", "tournament")
    assert unknown.reason is RejectionReason.UNKNOWN_OPTION


@pytest.mark.parametrize("option", lobby_rules.HOUSE_OPTIONS)
def test_an_option_moves_on_tap_by_tap_and_comes_round_again_or_is_set_to_a_value(option: str) -> None:
    table = lobby_table(3)
    seen = [getattr(table.rules, option)]
    while True:
        table = lobby_rules.change_option(table, ANA, option, moment=at()).table
        value = getattr(table.rules, option)
        if value == seen[0]:
            break
        assert value not in seen
        seen.append(value)
    expected = {
        "calza_by": set(CalzaBy),
        "lost_dice": set(LostDice),
        "plain_raise": set(PlainRaise),
        "ones_rank": set(OnesRank),
        "opener": {"random", "highest_die", "highest_sum"},
        "starting_dice": set(range(1, 11)),
    }
    assert set(seen) == expected.get(option, {True, False})
    for value in Rules.options()[option].values:  # as pages and files write it
        step = lobby_rules.change_option(lobby_table(2), ANA, option, str(value).lower(), moment=at())
        assert getattr(step.table.rules, option) == value


def test_a_button_of_release_1_0_still_changes_how_the_opener_is_found() -> None:
    step = lobby_rules.change_option(lobby_table(2), ANA, "opener_method", "highest_die", moment=at())
    assert step.table.rules.opener == "highest_die"


def test_options_that_contradict_each_other_or_that_nobody_offers_are_refused_and_the_table_stays() -> None:
    table = lobby_rules.change_option(lobby_table(2), ANA, "sudden_death", moment=at()).table
    before = table.model_dump_json()
    refused = denied(lobby_rules.change_option, table, ANA, "lose_by_difference")
    assert refused.reason is RejectionReason.CONTRADICTION
    for option in ("max_seats", "min_seats", "based_on", "preset", "__class__", "to_dict", ""):
        assert denied(lobby_rules.change_option, table, ANA, option).reason is RejectionReason.UNKNOWN_OPTION, option
    assert table.model_dump_json() == before


def test_the_turn_clock_is_one_of_those_offered_and_what_follows_is_the_hosts_choice() -> None:
    for seconds in lobby_rules.CLOCK_CHOICES:
        step = lobby_rules.change_option(lobby_table(2), ANA, "clock", str(seconds), moment=at())
        assert step.table.clock.seconds == seconds
    for seconds in (1, -30, 86401):
        refused = denied(lobby_rules.change_option, lobby_table(2), ANA, "clock", str(seconds))
        assert refused.reason is RejectionReason.UNKNOWN_OPTION
    none, shortest, *_, longest = lobby_rules.CLOCK_CHOICES
    assert (none, shortest, longest) == (0, 30, 24 * 3600)
    for choice in OnTimeout:
        clock = lobby_rules.change_option(lobby_table(2), ANA, "on_timeout", choice, moment=at()).table.clock
        assert (clock.on_timeout, clock.seconds) == (choice, 120)


def test_only_the_host_decides_and_only_until_the_game_runs() -> None:
    for act, *args in (
        (lobby_rules.consider,),
        (lobby_rules.choose_rules, Rules.preset("aces")),
        (lobby_rules.change_option, "rulebook", "aces"),
        (lobby_rules.change_option, "calza"),
        (lobby_rules.change_option, "clock", "30"),
        (lobby_rules.kick, CY),
        (lobby_rules.start,),
    ):
        for by in (BO, STRANGER):
            assert denied(act, lobby_table(3), by, *args).reason is RejectionReason.NOT_HOST
        running = running_table("11111", "22222", "33333")
        assert denied(act, running, ANA, *args).reason is RejectionReason.ALREADY_RUNNING
    newcomer = Seat(player=STRANGER, name="Zoe")
    for status, reason in (
        (Status.PLAYING, RejectionReason.ALREADY_RUNNING),
        (Status.FINISHED, RejectionReason.GAME_OVER),
        (Status.CLOSED, RejectionReason.GAME_OVER),
    ):
        assert denied(lobby_rules.join, running.replace(status=status), newcomer).reason is reason
        assert denied(lobby_rules.leave, running.replace(status=status), ANA).reason is reason


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("people", [2, 6])
def test_the_start_rolls_everybodys_dice(preset: str, people: int) -> None:
    step = lobby_rules.start(lobby_table(people, Rules.preset(preset)), ANA, moment=at())
    game = step.table.begun_game
    assert (step.table.status, step.table.deals, step.table.idle_at) == (Status.PLAYING, 1, None)
    assert (game.phase, game.round, [len(hand) for hand in game.dice]) == (Phase.BIDDING, 1, [5] * people)
    assert game.seats == NAMES[:people]
    assert step.events[0] == PlainEvent.GAME_STARTED
    assert [type(action).__name__ for action in step.actions][-1] == "Roll"


def test_neither_one_player_alone_nor_more_than_the_rulebook_seats_can_start() -> None:
    few = denied(lobby_rules.start, lobby_table(1), ANA)
    assert (few.reason, few.number) == (RejectionReason.TOO_FEW, 2)
    ten = lobby_table(10, Rules.preset("aces"))
    table = lobby_rules.change_option(ten, ANA, "rulebook", "box_2009", moment=at()).table
    assert len(table.seats) == 10, "no one is thrown out"
    many = denied(lobby_rules.start, table, ANA)
    assert (many.reason, many.number) == (RejectionReason.TOO_MANY, 6)


@pytest.mark.parametrize("table", [lobby_table(3), running_table("11111", "22222", "33333")], ids=["lobby", "game"])
def test_the_host_or_an_admin_may_stop_a_table(table: Table) -> None:
    assert denied(lobby_rules.stop, table, BO, is_admin=False).reason is RejectionReason.NOT_ALLOWED
    for by, is_admin in ((ANA, False), (STRANGER, True)):
        step = lobby_rules.stop(table, by, is_admin=is_admin)
        assert step.table.status is Status.CLOSED
        assert step.events == (PlainEvent.TABLE_CLOSED,)
        assert (step.table.closed_why, step.table.closed_by) == (CloseReason.STOPPED, by)
        assert (step.table.running.ends, step.table.running.reminder_at, step.table.idle_at) == (None, None, None)
    stopped = lobby_rules.stop(table, ANA, is_admin=False).table
    assert denied(lobby_rules.stop, stopped, ANA, is_admin=True).reason is RejectionReason.NO_TABLE


def test_every_change_and_look_of_the_host_keeps_a_lobby_open_for_longer() -> None:
    table, idle = lobby_table(2, now=START), TIMINGS.lobby_idle_seconds
    assert table.idle_at == START + idle
    joined = lobby_rules.join(table, Seat(player=3, name="Cy"), moment=at(500)).table
    assert joined.idle_at == START + 500 + idle
    for step in (lobby_rules.leave(joined, CY, moment=at(560)), lobby_rules.kick(joined, ANA, BO, moment=at(560))):
        assert (step.table.idle_at, step.events) == (START + 560 + idle, (PlainEvent.LOBBY_CHANGED,))
    looked = lobby_rules.consider(joined, ANA, moment=at(560))
    assert looked.table == joined.replace(idle_at=START + 560 + idle)
    assert looked.events == (PlainEvent.LOBBY_CHANGED,)
    for seconds, waits in (("21600", 12 * 3600), ("86400", 86400), ("120", idle)):
        table = lobby_rules.change_option(table, ANA, "clock", seconds, moment=at()).table
        assert table.idle_at == START + waits, "where turns take hours it waits for hours"


OVER = running_table("11", "22", "33").replace(status=Status.FINISHED)
NEXT = lobby_rules.NewTable(8, "CODE88")


def again(over: Table = OVER, by: int = CY, **more: Any) -> Table:
    return lobby_rules.rematch(over, NEXT, by, moment=at(), **more).table


def test_the_host_of_a_room_stays_host_when_another_player_opens_it_again_and_other_taps_are_counted() -> None:
    table = again()
    assert (table.host, table.ready, table.host_awaited_since) == (ANA, (CY,), START)
    counted = lobby_rules.play_along(table, Seat(player=BO, name="Bo"), moment=at(29)).table
    assert (counted.host, counted.ready) == (ANA, (CY, BO))
    assert again(by=ANA).host_awaited_since is None


def test_a_host_who_does_not_come_within_half_a_minute_is_followed_by_the_first_player_who_taps() -> None:
    table = again()
    assert denied(lobby_rules.start, table, CY, moment=at(29)).reason is RejectionReason.NOT_HOST
    step = lobby_rules.play_along(table, Seat(player=CY, name="Cy"), moment=at(30))
    assert (step.table.host, step.table.host_awaited_since) == (CY, None)
    assert HostChanged(CY) in step.events
    begun = lobby_rules.start(table, BO, moment=at(30))
    assert (begun.table.host, begun.table.status) == (BO, Status.PLAYING)
    assert HostChanged(BO) in begun.events
    came = table.replace(host_awaited_since=None)
    assert lobby_rules.play_along(came, Seat(player=CY, name="Cy"), moment=at(300)).table.host == ANA
    for gone in (again(OVER.with_seat(0, away=True)), again(gone=(ANA,))):
        assert (gone.host, gone.host_awaited_since) == (CY, None), "who was away at the end or has left: at once"


def test_a_person_who_watched_sits_down_at_the_next_table_and_becomes_host_only_if_no_player_is_there() -> None:
    dee = Seat(player=STRANGER, name="Dee")
    table = again(by=STRANGER, watcher=dee)
    assert (names(table), table.host, table.ready) == (["Ana", "Bo", "Cy", "Dee"], ANA, (STRANGER,))
    assert table.host_awaited_since == START
    assert again(OVER.with_seat(0, away=True), STRANGER, watcher=dee).host == BO
    alone = again(by=STRANGER, watcher=dee, gone=(ANA, BO, CY))
    assert (alone.host, names(alone)) == (STRANGER, ["Dee"])


def test_playing_again_seats_the_same_people_under_the_same_rules() -> None:
    rules = Rules.preset("azteca").with_options(calza=True)
    over = OVER.replace(rules=rules).with_seat(1, away=True, misses=2)
    table = again(over)
    assert (table.status, table.host, names(table), table.rules) == (Status.LOBBY, ANA, ["Ana", "Bo", "Cy"], rules)
    assert not any(seat.away or seat.misses for seat in table.seats)
    assert (table.game, table.step) == (None, 0)
    assert denied(lobby_rules.rematch, over, NEXT, STRANGER).reason is RejectionReason.NOT_SEATED
    running = over.replace(status=Status.PLAYING)
    assert denied(lobby_rules.rematch, running, NEXT, ANA).reason is RejectionReason.ALREADY_RUNNING
