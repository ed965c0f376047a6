"""At night the bot sends no message to a sleeping player, and their clock waits."""

from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_bot.tables.model import Table, Timings, TurnClock
from telegram_bot.tables.play import start_clock
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.tables.turn_clock import LATE_SECONDS, LATEST_SECONDS, begin_when_shown
from tests.telegram_bot.conftest import running_table

NIGHT = QuietHours(22 * 60, 8 * 60, "Europe/Rome")
NAP = QuietHours(13 * 60, 14 * 60 + 30, "Europe/Rome")
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
    ],
)
def test_a_text_waits_until_the_quiet_is_over(quiet: QuietHours, now: str, ends: str) -> None:
    assert quiet.ends_at(rome(now)) == rome(ends)


@pytest.mark.parametrize(
    ("now", "hours", "ends"),
    [
        ("2026-11-20T12:00:00", 2, "2026-11-20T14:00:00"),
        ("2026-11-20T20:00:00", 2, "2026-11-20T22:00:00"),
        ("2026-11-20T21:00:00", 2, "2026-11-21T09:00:00"),
        ("2026-11-20T23:00:00", 2, "2026-11-21T10:00:00"),
        ("2026-11-20T21:00:00", 24, "2026-11-22T17:00:00"),
    ],
)
def test_the_clock_counts_waking_hours_only(now: str, hours: int, ends: str) -> None:
    assert NIGHT.after_waking(hours * HOUR, rome(now)) == rome(ends)


def test_the_night_when_the_clocks_go_forward_is_an_hour_shorter() -> None:
    assert NIGHT.ends_at(rome("2026-03-28T23:00:00")) - rome("2026-03-28T23:00:00") == 8 * HOUR


def test_no_quiet_ends_within_the_next_where_the_clocks_skip_the_waking_hour() -> None:
    hermit = QuietHours(3 * 60, 2 * 60 + 1, "Europe/Rome")
    assert hermit.ends_at(rome("2025-03-29T12:00:00")) == rome("2025-03-31T02:01:00")
    assert hermit.after_waking(60, rome("2025-03-29T12:00:00")) == rome("2025-03-31T02:02:00")


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
    assert ends >= now + seconds - 1e-3
    assert quiet.ends_at(ends - 1e-3) <= ends + 1e-2 or seconds == 0


@given(quiets, times, st.lists(st.floats(0, 86400), min_size=2, max_size=4).map(sorted))
def test_more_time_never_ends_sooner(quiet: QuietHours, now: float, seconds: list[float]) -> None:
    ends = [quiet.after_waking(each, now) for each in seconds]
    assert all(sooner <= later for sooner, later in pairwise(ends))


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


def test_somebody_elses_turn_does_not_wait() -> None:
    now = rome("2026-11-20T23:00:00")
    table = running_table("11236", "2345", clock=TurnClock(seconds=HOUR))
    assert start_clock(table.with_seat(1, quiet=NIGHT), now=now, timings=Timings()).table.running.ends == now + HOUR


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
