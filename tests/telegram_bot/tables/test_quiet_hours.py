"""At night the bot sends no message to a sleeping player, and their clock waits."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import pairwise, product
from zoneinfo import ZoneInfo, available_timezones

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
