"""The turn clock: the reminder, the bot's calls for a player, absence and return, pauses, an outage, quiet hours."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import product
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from perudo_core import Bid, Calza, Concede, Dudo, Leave, Rules, set_up, smallest_raise, why_illegal
from telegram_bot.tables import lobby_rules, play
from telegram_bot.tables.events import ClockRanOut, HostChanged, PlainEvent, SeatReturned, TableChange, TurnReminder
from telegram_bot.tables.model import (
    Clock,
    CloseReason,
    FirstTap,
    Moment,
    OnTimeout,
    Seat,
    Status,
    Table,
    Timings,
    TurnClock,
)
from telegram_bot.tables.play import start_clock
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.tables.turn_clock import (
    LATE_SECONDS,
    LATEST_SECONDS,
    apply_due,
    automatic_call,
    begin_when_shown,
    is_to_be_thought_about,
    next_due,
    restart_after_outage,
    resume,
    suspend,
    time_out,
)
from tests.telegram_bot.conftest import AUTO_CLOCK, START, TIMINGS, after_call, at, game_of, lobby_table, running_table

VISIBLE = Rules.preset("aces")
CALZA = Rules.preset("box_2009").with_options(calza=True)


def due(table: Table, seconds: float, *, timings: Timings = TIMINGS, seed: int = 1) -> TableChange:
    return apply_due(table, moment=at(seconds, rng=random.Random(seed), timings=timings))


@pytest.mark.parametrize(("seconds", "reminder"), [(120, 90), (6 * 3600, 5.5 * 3600)])
def test_a_turn_has_a_clock_and_one_reminder_in_time_to_find_the_phone(seconds: int, reminder: float) -> None:
    table = running_table("22", "33", clock=TurnClock(seconds=seconds))
    assert (table.running.reminder_at, table.running.ends) == (START + reminder, START + seconds)
    assert due(table, reminder - 1).events == ()
    reminded = due(table, reminder)
    assert reminded.events == (TurnReminder(0),)
    assert (reminded.table.running.reminder_at, reminded.table.running.ends) == (None, START + seconds)
    assert due(reminded.table, reminder + 10).events == ()
    assert next_due(reminded.table) == START + seconds


@given(st.sampled_from(lobby_rules.CLOCK_CHOICES[1:]), st.floats(0, 1e6))
def test_the_reminder_never_comes_before_half_the_clock(seconds: int, reminder: float) -> None:
    table = running_table("22", "33", clock=TurnClock(seconds=seconds), timings=Timings(reminder_seconds=reminder))
    assert table.running.reminder_at is not None
    assert table.running.ends == START + seconds
    assert START + seconds / 2 <= table.running.reminder_at <= START + seconds


def test_a_house_may_do_without_reminders() -> None:
    timings = Timings(reminder_seconds=0)
    table = running_table("22", "33", clock=AUTO_CLOCK, timings=timings)
    assert due(table, 59, timings=timings).events == ()
    assert TurnReminder(0) not in due(table, 60, timings=timings).events


@pytest.mark.parametrize(
    ("table", "idle"),
    [
        (running_table("22", "33", clock=TurnClock(seconds=0)), TIMINGS.unclocked_idle_seconds),
        (lobby_table(3), TIMINGS.lobby_idle_seconds),
    ],
    ids=["a game without a clock", "a lobby"],
)
def test_a_table_where_nothing_happens_closes_rather_than_stand_for_ever(table: Table, idle: float) -> None:
    assert next_due(table) == START + idle
    assert due(table, idle - 1) == TableChange(table)
    closed = due(table, idle).table
    assert (closed.status, next_due(closed)) == (Status.CLOSED, None)


def test_a_calza_that_waits_is_settled_before_the_clock_runs_out() -> None:
    table = running_table("22222", "33333", "44444", rules=CALZA, calls="5x4", clock=AUTO_CLOCK, timings=TIMINGS)
    claimed = play.claim_calza(table, 2, moment=at(59)).table
    assert claimed.this_step.claims_close is not None
    assert claimed.this_step.claims_close > START + 60
    settled = due(claimed, 60)
    assert settled.actions[0] == Calza(2)


def test_the_house_opens_and_raises_by_as_little_as_it_can_and_doubts_what_is_unlikely() -> None:
    assert automatic_call(game_of(running_table("22222", "33333")), 0) == Bid(0, 1, 2)
    assert automatic_call(game_of(running_table("22222", "66665", calls="5x6")), 1) == Bid(1, 6, 6)
    assert automatic_call(game_of(running_table("22222", "33333", calls="8x6")), 1) == Dudo(1)
    no_raise_is_left = set_up(VISIBLE, ((6,) * 5, (6,) * 5), [Bid(0, 9, 6), Bid(1, 5, 1), Bid(0, 10, 1)])
    assert automatic_call(no_raise_is_left, 1) == Dudo(1)


hands = st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=5), min_size=2, max_size=5)


@given(hands, st.sampled_from(["box_2009", "aces"]), st.integers(0, 9), st.randoms(use_true_random=False))
def test_the_house_judges_by_the_absent_players_own_dice_alone(
    mine: list[list[int]], preset: str, bids: int, rng: random.Random
) -> None:
    rules = Rules.preset(preset)
    seat = rng.randrange(len(mine))
    others = [hand if index == seat else [rng.randint(1, 6) for _ in hand] for index, hand in enumerate(mine)]
    calls = []
    for dealt in (mine, others):
        table = running_table(*("".join(map(str, hand)) for hand in dealt), rules=rules, opener=seat, clock=AUTO_CLOCK)
        draws = random.Random(bids)
        for _ in range(bids):
            game = game_of(table)
            raises = smallest_raise(game)
            if raises is None:
                break
            quantity = min(raises.quantity + draws.randint(0, 1), game.max_quantity)
            bid = replace(raises, quantity=quantity)
            table = after_call(table, str(bid) if why_illegal(game, bid) is None else str(raises))
        while game_of(table).turn != seat:
            raises = smallest_raise(game_of(table))
            assume(raises is not None)
            table = after_call(table, str(raises))
        calls.append(automatic_call(game_of(table), seat))
    assert calls[0] == calls[1]


def test_who_lets_the_clock_run_out_is_away_and_the_bot_plays_at_the_pace_of_a_computer_player() -> None:
    table = running_table("22222", "33333", "44444", calls="3x4", clock=AUTO_CLOCK)
    assert due(table, 59.9).actions == ()
    out, now = due(table, 60), START + 60
    assert (out.events[0], out.table.step) == (ClockRanOut(1), table.step + 1)
    assert apply_due(out.table, moment=at(60)).actions == (), "once"
    table = out.table
    assert (table.seats[1].away, table.seats[1].misses) == (True, 1)
    while game_of(table).turn != 1:
        now += 1
        table = after_call(table, str(smallest_raise(game_of(table))), now=now)
    think_at = table.running.think_at
    assert think_at is not None
    assert now + TIMINGS.think_least_seconds <= think_at <= now + TIMINGS.think_most_seconds
    assert table.running.ends == think_at + TIMINGS.think_patience_seconds
    assert table.running.reminder_at is None, "no one is there to be reminded"


def test_without_a_clock_an_away_seat_is_played_once_a_call_was_thought_of_or_nobody_thinks() -> None:
    timings = TIMINGS.model_copy(update={"think_least_seconds": 4})
    table = running_table("22", "33", calls="1x2", clock=TurnClock(seconds=0)).with_seat(1, away=True)
    table = play.start_clock(table, now=START, timings=timings).table
    thinks, patience = timings.think_most_seconds, timings.think_patience_seconds
    assert next_due(table) == START + thinks
    assert [is_to_be_thought_about(table, START + after) for after in (thinks - 1, thinks)] == [False, True]
    assert [bool(due(table, after).actions) for after in (thinks, thinks + patience)] == [False, True]
    computed = Bid(1, 1, 3)
    played = time_out(table, moment=at(8), computed=computed)
    assert played.actions[0] == computed
    assert ClockRanOut(1) not in played.events, "no one missed a turn"


def test_who_returns_has_the_seat_back_and_a_whole_clock() -> None:
    table = running_table("22222", "33333", clock=AUTO_CLOCK).with_seat(0, away=True, misses=3)
    table = play.start_clock(table, now=START, timings=TIMINGS).table
    back = play.return_seat(table, 0, moment=at(5))
    assert back.events == (SeatReturned(0),)
    lost = play.return_seat(table.with_seat(0, dice_before=7), 0, moment=at(5))
    assert (lost.events, lost.table.seats[0].dice_before) == ((SeatReturned(0, lost=2),), None)
    assert (back.table.seats[0].away, back.table.seats[0].misses) == (False, 0)
    assert (back.table.running.ends, back.table.step) == (START + 65, table.step)


def test_who_returns_out_of_turn_changes_neither_the_others_clock_nor_a_calza_that_waits() -> None:
    table = running_table("22222", "33333", "44444", "", rules=CALZA, calls="5x2", clock=AUTO_CLOCK)
    table = after_call(table.with_seat(0, away=True).with_seat(3, away=True), "2:calza")
    back = play.return_seat(table, 0, moment=at(1))
    assert back == TableChange(table.with_seat(0, away=False), (SeatReturned(0),))
    assert due(back.table, 2).actions[0] == Calza(2)
    for seat in (1, 3):
        unchanged = play.return_seat(table, seat, moment=at())
        assert unchanged == TableChange(table), "who is there, or out"
    forgiven = play.return_seat(table.with_seat(2, misses=2), 2, moment=at())
    assert (forgiven.events, forgiven.table.seats[2].misses) == ((), 0), "heard from again"


def test_when_everyone_is_away_the_game_pauses_until_somebody_returns() -> None:
    table = running_table("22222", "33333", clock=AUTO_CLOCK)
    first = due(table, 60)
    second = apply_due(first.table, moment=at(120))
    assert PlainEvent.GAME_PAUSED in second.events
    assert second.table.paused
    assert next_due(second.table) == START + 120 + TIMINGS.paused_idle_seconds, "only the closing is left"
    back = play.return_seat(second.table, 1, moment=at(500))
    assert not back.table.paused
    assert back.table.idle_at is None
    assert next_due(back.table) is not None
    closing = apply_due(second.table, moment=at(120 + TIMINGS.paused_idle_seconds))
    assert (closing.events, closing.table.closed_why) == ((PlainEvent.TABLE_CLOSED,), CloseReason.IDLE)


def test_a_missed_turn_costs_one_die_and_then_the_bot_plays_or_the_game_ends() -> None:
    clock = TurnClock(seconds=60, on_timeout=OnTimeout.LOSE_DIE)
    out = due(running_table("22222", "33333", calls="3x4", clock=clock), 60)
    assert out.actions[0] == Concede(1)
    assert game_of(out.table).dice_counts == (5, 4)
    assert (out.table.seats[1].away, out.table.seats[1].dice_before) == (True, 5)
    over = due(running_table("2", "33", clock=clock), 60).table
    assert (over.status, next_due(over)) == (Status.FINISHED, None)


@pytest.mark.parametrize("on_timeout", OnTimeout)
def test_the_turns_of_a_player_who_is_away_cost_nothing(on_timeout: OnTimeout) -> None:
    clock = TurnClock(seconds=60, on_timeout=on_timeout, misses_allowed=1)
    away = running_table("22222", "33333", "44444", calls="1x2", clock=clock).with_seat(1, away=True)
    played = time_out(away, moment=at(), computed=Bid(1, 1, 3))
    assert (played.actions, game_of(played.table).dice_counts) == ((Bid(1, 1, 3),), (5, 5, 5))
    assert not any(isinstance(event, ClockRanOut) for event in played.events)


def test_a_player_who_is_away_opens_in_the_same_moment() -> None:
    """Also before the end of the last round is shown, so that the others read the round with that bid."""
    timings = Timings(reveal_seconds=2)
    table = running_table("22222", "33333", calls="9x5", clock=AUTO_CLOCK).with_seat(0, away=True)
    opened = play.make_call(table, Dudo(1), step=None, moment=at(timings=timings))
    assert opened.actions[-1] == Bid(0, 1, 2)
    assert game_of(opened.table).turn == 1
    assert opened.table.running.ends == START + 2 + 60, "the next player has a whole clock after the dice"


def seconds_of_a_tournament_table(absent: tuple[int, ...], seed: int) -> float:
    """How long five people need until two are left; those who are there take ten seconds for each call."""
    rng = random.Random(seed)
    hands = ("".join(str(rng.randint(1, 6)) for _ in range(5)) for _ in range(5))
    table = running_table(*hands, clock=TurnClock(seconds=60), opener=rng.randrange(5)).replace(going_on=2)
    now = START
    while table.status is Status.PLAYING:
        turn = game_of(table).turn
        assert turn is not None
        if turn in absent:
            waits = table.running.think_at or table.running.ends
            assert waits is not None
            now = max(now, waits)
            step = time_out(table, moment=Moment(now, TIMINGS, rng))
        else:
            now += 10
            step = play.advance(table, automatic_call(game_of(table), turn), moment=Moment(now, TIMINGS, rng))
        table = step.table
    assert all(table.seats[seat].away for seat in absent)
    return now - START


def test_a_table_with_two_absent_people_of_five_takes_no_longer_than_one_with_none() -> None:
    """One whole minute passes for each of them, once."""
    with_two = [seconds_of_a_tournament_table((1, 3), seed) for seed in range(8)]
    with_none = [seconds_of_a_tournament_table((), seed) for seed in range(8)]
    assert sum(with_two) < sum(with_none)


def test_missing_too_many_turns_in_a_row_puts_a_player_out_and_a_host_hands_over() -> None:
    clock = TurnClock(seconds=60, on_timeout=OnTimeout.DROP_OUT, misses_allowed=2)
    table = running_table("22222", "33333", "44444", clock=clock)
    first = due(table, 60)
    assert (first.actions[0], first.table.seats[0].misses) == (automatic_call(game_of(table), 0), 1)
    second = due(table.with_seat(0, misses=1), 60)
    assert second.actions[0] == Leave(0)
    assert not second.table.in_play(0)
    assert HostChanged(2) in second.events
    assert second.table.host == 2


def test_a_turn_begins_when_it_is_shown() -> None:
    table = running_table("22222", "33333", clock=AUTO_CLOCK)
    assert begin_when_shown(table, START + 2, timings=TIMINGS) == table, "that is not late"
    late = begin_when_shown(table, START + 9, timings=TIMINGS)
    assert (late.running.ends, late.running.reminder_at) == (START + 69, START + 39)
    assert begin_when_shown(late, START + 5, timings=TIMINGS) == late, "it never ends earlier"


def test_after_an_outage_nobody_is_late_and_a_claim_is_still_settled() -> None:
    table = running_table("22222", "33333", "44444", rules=CALZA, calls="5x2", clock=AUTO_CLOCK)
    table = after_call(table, "2:calza")
    restarted = restart_after_outage(table, moment=at(5000)).table
    assert (restarted.running.ends, restarted.running.reminder_at) == (START + 5060, START + 5030)
    assert (restarted.game, restarted.step, restarted.this_step.claims) == (table.game, table.step, (2,))
    settled = apply_due(restarted, moment=at(5000))
    assert settled.actions[0] == Calza(2)


def test_after_an_outage_a_lobby_stays_open_and_a_paused_game_paused() -> None:
    table = lobby_table(2)
    assert restart_after_outage(table, moment=at(5000)).table.idle_at == START + 6800
    lost = suspend(table.replace(clock=TurnClock(seconds=86400)), moment=at()).table
    assert resume(lost, moment=at(60)).table.idle_at == START + 60 + 86400, "with turns of a day for a day"
    paused = running_table("22", "33").replace(paused=True, idle_at=START + 9000, running=Clock())
    longer = START + 5000 + TIMINGS.paused_idle_seconds
    assert restart_after_outage(paused, moment=at(5000)) == TableChange(paused.replace(idle_at=longer))
    over = play.resign(running_table("22", "33"), 0, moment=at()).table
    assert restart_after_outage(over, moment=at(5000)) == TableChange(over)


def test_no_time_of_a_table_stays_ahead_after_the_clock_was_set_back() -> None:
    """Also a first tap, which would count an hour long, and the seat of a player who lends it."""
    owner = Seat(player=3, name="Cy", awake_until=START + 30)
    table = running_table("22", "33", clock=AUTO_CLOCK, timings=TIMINGS).with_timer("of a feature", START + 30)
    table = table.with_seat(1, owner=owner).noting(first_taps=(FirstTap(player=2, call="dudo", at=START),))
    over = table.ended(Status.FINISHED).with_timer("of a feature", START + 30)
    assert restart_after_outage(over, moment=at(-5), back=5).table.timers == {"of a feature": START + 25}
    back = restart_after_outage(table, moment=at(-5), back=5)
    assert back.table.timers == {"of a feature": START + 25}
    assert back.table.seats[1].owner == owner.model_copy(update={"awake_until": START + 25})
    assert play.confirm_call(back.table, 2, "dudo", now=START + 29) is not None, "the first tap is too old"


def test_a_table_that_has_ended_waits_for_nothing() -> None:
    table = running_table("22", "33", clock=AUTO_CLOCK, timings=TIMINGS).with_timer("of a feature", START + 30)
    for ended in (
        lobby_rules.close(suspend(table, moment=at()).table, CloseReason.LOST_CHAT),
        play.resign(table, 0, moment=at()),
    ):
        assert (ended.table.running, ended.table.suspension, next_due(ended.table)) == (Clock(), None, None)


@pytest.mark.parametrize("on_timeout", OnTimeout)
def test_a_game_that_everybody_forgot_comes_to_rest(on_timeout: OnTimeout) -> None:
    """No player ever acts: every deadline advances the game, and it ends, or pauses and closes."""
    rng = random.Random(4)
    table = running_table("22222", "33333", "44444", clock=TurnClock(seconds=30, on_timeout=on_timeout))
    steps = 0
    while (at := next_due(table)) is not None:
        step = apply_due(table, moment=Moment(at, TIMINGS, rng))
        assert step.table != table
        table = step.table
        steps += 1
        assert steps < 2000
    assert table.status is (Status.FINISHED if on_timeout is OnTimeout.DROP_OUT else Status.CLOSED)


# At night the bot sends no message to a sleeping player, and their clock waits


NIGHT = QuietHours(22 * 60, 8 * 60, "Europe/Rome")
NAP = QuietHours(13 * 60, 14 * 60 + 30, "Europe/Rome")
HERMIT = QuietHours(3 * 60, 2 * 60 + 1, "Europe/Rome")
HOUR = 3600


def rome(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Rome")).timestamp()


@pytest.mark.parametrize(
    ("quiet", "now", "ends"),
    [
        (NIGHT, "2026-11-20T21:59:59", "2026-11-20T21:59:59"),
        (NIGHT, "2026-11-20T22:00:00", "2026-11-21T08:00:00"),
        (NIGHT, "2026-11-21T03:00:00", "2026-11-21T08:00:00"),
        (NIGHT, "2026-11-21T08:00:00", "2026-11-21T08:00:00"),
        (NAP, "2026-11-20T13:10:00", "2026-11-20T14:30:00"),
        (NAP, "2026-11-20T12:59:00", "2026-11-20T12:59:00"),
        (replace(NIGHT, end=NIGHT.start), "2026-11-20T23:00:00", "2026-11-20T23:00:00"),
        (NIGHT, "2026-03-28T23:00:00", "2026-03-29T08:00:00"),  # an hour shorter: the clocks go forward
        (HERMIT, "2025-03-29T12:00:00", "2025-03-31T02:01:00"),  # the clocks skip the waking hour
    ],
)
def test_a_text_waits_until_the_quiet_is_over(quiet: QuietHours, now: str, ends: str) -> None:
    assert quiet.ends_at(rome(now)) == rome(ends)


@pytest.mark.parametrize(
    ("quiet", "now", "minutes", "ends"),
    [
        (NIGHT, "2026-11-20T12:00:00", 120, "2026-11-20T14:00:00"),
        (NIGHT, "2026-11-20T20:00:00", 120, "2026-11-20T22:00:00"),
        (NIGHT, "2026-11-20T21:00:00", 120, "2026-11-21T09:00:00"),
        (NIGHT, "2026-11-20T23:00:00", 120, "2026-11-21T10:00:00"),
        (NIGHT, "2026-11-20T21:00:00", 24 * 60, "2026-11-22T17:00:00"),
        (HERMIT, "2025-03-29T12:00:00", 1, "2025-03-31T02:02:00"),
    ],
)
def test_the_clock_counts_waking_hours_only(quiet: QuietHours, now: str, minutes: int, ends: str) -> None:
    assert quiet.after_waking(minutes * 60, rome(now)) == rome(ends)


def changes_of_clocks() -> Iterator[tuple[str, float, timedelta, int]]:
    """Yield a zone, an instant, how far its clocks are put there, and from which minute of the day: each kind once."""
    seen = set()
    for zone in sorted(available_timezones()):
        at, info = rome("2007-01-01"), ZoneInfo(zone)
        while at < rome("2027-01-01"):
            early, late = at, at + 30 * 24 * HOUR
            before, after = (datetime.fromtimestamp(each, info).utcoffset() for each in (early, late))
            while before != after and late - early > 60:
                middle = (early + late) // 120 * 60
                is_before = datetime.fromtimestamp(middle, info).utcoffset() == before
                early, late = (middle, late) if is_before else (early, middle)
            at += 30 * 24 * HOUR
            if before is not None and after is not None and before != after:
                minute = int((late + before.total_seconds()) % (24 * HOUR)) // 60
                if (after - before, minute) not in seen:
                    seen.add((after - before, minute))
                    yield zone, late, after - before, minute


def quiet_seconds(quiet: QuietHours, since: float, until: float) -> float:
    """Return how much of a time is quiet: each night is counted that ends after its beginning."""
    zone, seconds, done = ZoneInfo(quiet.zone), 0.0, since
    day = datetime.combine(datetime.fromtimestamp(since, zone) - timedelta(days=2), time(), zone)
    later = timedelta(minutes=quiet.end + (24 * 60 if quiet.end < quiet.start else 0))
    for _ in range(int((until - since) / (24 * HOUR)) + 5):
        begin, end = (day + timedelta(minutes=quiet.start)).timestamp(), min((day + later).timestamp(), until)
        if end > max(begin, done):
            seconds += end - max(begin, done)
            done = end
        day += timedelta(days=1)
    return seconds


def test_however_the_clocks_change_a_sleepers_turn_ends_after_all_of_its_waking_minutes() -> None:
    """The quiet begins or ends near the change; the turn begins eight hours before it."""
    changes = list(changes_of_clocks())
    assert {timedelta(hours=1), timedelta(hours=-1), timedelta(days=1)} <= {by for _, _, by, _ in changes}
    for zone, changed, by, minute in changes:
        hours_changed = range(-1, min(abs(int(by.total_seconds())) // 1800, 8) + 2)
        near = {(minute // 30 + half) * 30 % (24 * 60) for half in hours_changed}
        now = changed - 8 * HOUR
        pairs = product(near | set(range(0, 24 * 60, 60)), repeat=2)
        for start, end in (pair for pair in pairs if near & set(pair)):
            quiet = QuietHours(start, end, zone)
            for seconds in (6 * HOUR, 24 * HOUR)[: 1 if (end - start) % (24 * 60) > 16 * 60 else 2]:
                ends = quiet.after_waking(seconds, now)
                assert ends - now - quiet_seconds(quiet, now, ends) == seconds, (quiet, changed)


quiets = st.builds(
    QuietHours,
    st.integers(0, 1439),
    st.integers(0, 1439),
    st.sampled_from(["Europe/Rome", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe"]),
)
times = st.floats(1.7e9, 1.9e9)


@given(quiets, times, st.floats(0, 86400))
def test_a_clock_never_ends_early_nor_in_the_quiet(quiet: QuietHours, now: float, seconds: float) -> None:
    ends = quiet.after_waking(seconds, now)
    assert ends - now - quiet_seconds(quiet, now, ends) == pytest.approx(seconds, abs=1e-3), "more time ends no sooner"
    assert quiet.ends_at(ends - 1e-3) <= ends + 1e-2 or seconds == 0


@pytest.mark.parametrize(
    "values", [(-1, 0, "UTC"), (0, 1440, "UTC"), (0, 0, "Mars/Olympus"), (0, 0, "../etc"), (0, 0, "Europe")]
)
def test_what_is_no_time_is_refused(values: tuple[int, int, str]) -> None:
    with pytest.raises(ValueError, match=r"minutes|zone"):
        QuietHours(*values)


def test_a_sleepers_turn_ends_in_the_morning_and_they_are_reminded_before() -> None:
    now = rome("2026-11-20T21:50:00")
    table = running_table("11236", "2345", clock=TurnClock(seconds=HOUR), timings=Timings(reminder_seconds=600))
    asleep = start_clock(table.with_seat(0, quiet=NIGHT), now=now, timings=Timings(reminder_seconds=600)).table
    assert asleep.running.ends == rome("2026-11-21T08:50:00")
    assert asleep.running.reminder_at == rome("2026-11-21T08:40:00")
    assert Table.model_validate(asleep.model_dump(mode="json")) == asleep
    others = start_clock(table.with_seat(1, quiet=NIGHT), now=now + 2 * HOUR, timings=Timings()).table
    assert others.running.ends == now + 3 * HOUR, "somebody else's turn does not wait"


@given(
    quiets,
    times,
    st.integers(60, 86400),
    st.lists(st.floats(0, 200_000), min_size=1, max_size=5),
    st.floats(-86400, 86400),
)
def test_a_player_who_is_asked_late_has_all_of_their_waking_time(
    quiet: QuietHours, now: float, seconds: int, delays: list[float], awake: float
) -> None:
    """Each delay is one more try to reach them: after the night, after an outage, after a pause of the network."""
    table = running_table("11236", "2345", clock=TurnClock(seconds=seconds))
    table = start_clock(table.with_seat(0, quiet=quiet, awake_until=now + awake), now=now, timings=Timings()).table
    for delay in delays:
        now += delay
        table = begin_when_shown(table, now, timings=Timings())
        assert table.running.ends is not None
        assert table.running.ends >= min(now, table.running.since + LATEST_SECONDS) + seconds - LATE_SECONDS - 1e-3
