"""Absences of the house, of the network or of the right time cost nobody anything, however many workers there are."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from functools import partial

import pytest
from freezegun import freeze_time

from telegram_bot.service import intents as i
from telegram_bot.service.outages import BEAT_SECONDS, PAGE
from telegram_bot.service.service import Service
from telegram_bot.storage.database import Database
from telegram_bot.storage.database_clock import STEP_SECONDS, Clock
from telegram_bot.storage.models import Chat, GameTable, Lane, Outbox, Rate
from telegram_bot.tables.model import Clock as TurnClock
from telegram_bot.tables.model import OnTimeout
from tests.telegram_bot.conftest import AUTO, ONLY_POSTGRESQL, ONLY_SQLITE, PACE, Room

GROUP = -1001
HOUR = 3600.0


@pytest.fixture
async def game(database: Database) -> Room:
    """Ana, Bo and Cy play with 60 seconds a turn, and the house has just been seen."""
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333", "44444")
    await room.back()
    room.flush()
    return room


def another_worker(room: Room) -> Room:
    """A second process on the same database, which agrees about the time."""
    other = Room(room.database, clock=AUTO)
    other.now = room.now
    return other


async def nobody_is_late(room: Room) -> None:
    """The player on turn has the whole clock."""
    assert room.table().clock_ends == room.now + 60
    assert (await room.service.outages.look()).tables == ()
    await room.due(59)
    assert room.table().step == 0, "nobody was punished"
    await room.due(1)
    assert room.table().step == 1, "but the clock runs"


# Away


async def test_after_an_outage_every_clock_starts_again(game: Room) -> None:
    game.now += HOUR
    assert await game.back() == {f"telegram:{GROUP}"}
    assert game.told() == [("table", GROUP)]
    assert game.all(GameTable)[0].due_at == game.now + 30, "the reminder, too"
    await nobody_is_late(game)


async def test_after_a_short_silence_those_start_again_that_ended_within_it(game: Room) -> None:
    game.now += 20
    assert await game.back() == frozenset(), "nothing was due"
    assert game.table().clock_ends == game.now + 40
    game.now += 41
    assert await game.back() == {f"telegram:{GROUP}"}
    await nobody_is_late(game)


async def test_a_silence_of_all_workers_is_noticed_by_whoever_lives(game: Room) -> None:
    """The database was away, or the machine slept: no process was started anew."""
    game.now += HOUR
    assert await game.back(fresh=False) == {f"telegram:{GROUP}"}
    await nobody_is_late(game)


async def test_a_house_that_looks_round_now_and_then_is_at_home(game: Room) -> None:
    for _ in range(12):
        game.now += BEAT_SECONDS
        assert await game.back(fresh=False) == frozenset()
    assert (await game.service.outages.look()).tables == (1,)


async def test_a_worker_that_joins_others_begins_no_clock_anew(game: Room) -> None:
    for _ in range(11):
        game.now += BEAT_SECONDS
        await game.service.outages.look()
    assert await another_worker(game).back() == frozenset()
    game.now += BEAT_SECONDS
    assert (await game.service.outages.look()).tables == (1,)


async def test_workers_that_come_back_together_begin_the_clocks_anew_once(game: Room) -> None:
    game.now += HOUR
    workers = [another_worker(game) for _ in range(5)]
    version = game.all(GameTable)[0].version
    lanes = await asyncio.gather(*(worker.back(fresh=False) for worker in workers))
    assert {lane for each in lanes for lane in each} == {f"telegram:{GROUP}"}
    assert game.all(GameTable)[0].version == version + 1
    assert len(game.waiting()) == 1


async def test_what_was_typed_during_an_outage_or_before_a_return_still_counts(game: Room) -> None:
    game.now += HOUR
    await game.back()
    await game.say("Ana", i.MakeBid(3, 2), said_at=game.now - 2000)
    assert game.table().step == 1, "the clock began anew, the turn is the same"
    await game.due(61)
    await game.due(PACE.away_seconds + 121)
    await game.due(PACE.away_seconds + 121)
    table = game.table()
    assert table.paused
    assert table.game is not None
    assert table.game.turn is not None
    await game.say(table.seats[table.game.turn].name, i.SayDudo(), said_at=table.turn_since + 1)
    assert game.table().step == table.step + 1


async def test_the_first_start_of_all_is_no_outage(database: Database) -> None:
    room = Room(database, clock=AUTO)
    await room.game("22222", "33333")
    room.now += HOUR
    assert await room.back() == frozenset()
    assert (await room.service.outages.look()).tables == (1,)


# One page at a time


async def many_tables(room: Room, count: int) -> None:
    """So many games, each as game 1 and in a group of its own."""
    with room.database.transaction() as session:
        first = session.get_one(GameTable, 1)
        for number in range(2, count + 1):
            place = Chat(channel="telegram", address=-5000 - number)
            session.add(place)
            session.flush()
            state = first.state | {"id": number, "code": f"CODE{number:04}"}
            same = first.model_dump(include={"status", "version", "due_at", "created_at", "updated_at"})
            session.add(GameTable(code=state["code"], chat_id=place.id or 0, state=state, **same))
            session.flush()


async def test_many_tables_are_begun_anew_page_by_page_and_a_killed_worker_is_no_loss(game: Room) -> None:
    await many_tables(game, 2 * PAGE + 5)
    game.now += HOUR
    assert (await game.service.outages.look()).restarting
    first = await game.service.outages.restart_page()
    assert first is not None
    assert len(first) == PAGE
    other = another_worker(game)  # the first one is gone
    look = await other.service.outages.look()
    assert look.restarting
    assert look.tables == (), "no deadline counts yet, of those that were begun anew neither"
    second, third = await other.service.outages.restart_page(), await other.service.outages.restart_page()
    assert second is not None
    assert third is not None
    assert (len(second), len(third)) == (PAGE, 5)
    assert await other.service.outages.restart_page() is None
    assert {row.due_at for row in game.all(GameTable)} == {game.now + 30}
    assert not (await other.service.outages.look()).restarting


async def test_a_table_that_cannot_be_read_keeps_no_other_one_waiting(game: Room) -> None:
    await many_tables(game, 3)
    game.change(GameTable, 2, state={"spoilt": True})
    game.now += HOUR
    assert await game.back() == {f"telegram:{GROUP}", "telegram:-5003"}


# The clock is set


def set_by(room: Room, seconds: float) -> None:
    """Somebody sets the clock of the database's machine."""
    room.now += seconds


@pytest.mark.parametrize("seconds", [HOUR, -HOUR, -90.0, -5.0], ids=lambda seconds: f"{seconds:+.0f}s")
async def test_a_clock_that_was_set_while_nobody_looked_freezes_and_punishes_nobody(game: Room, seconds: float) -> None:
    set_by(game, seconds)
    await game.back(fresh=False)
    await nobody_is_late(game)


async def test_what_rests_until_some_time_does_not_rest_an_hour_longer(game: Room) -> None:
    with game.database.transaction() as session:
        session.add(Rate(key="telegram:bot", arrival=game.now + 2))
        session.add(Lane(name="telegram:1", paused_until=game.now + 30, leased_until=game.now + 20, chat_arrival=5.0))
        session.add(Outbox(lane="telegram:1", created_at=game.now, not_before=game.now + 10))
    (received,) = await game.service.arrivals.write_down("telegram", [("7", {})])
    set_by(game, -HOUR)
    await game.back(fresh=False)
    game.now += 2
    assert game.all(Rate)[0].arrival == pytest.approx(game.now, abs=1)
    (lane,) = game.all(Lane)
    assert (lane.paused_until, lane.leased_until) == pytest.approx((game.now + 28, game.now + 18), abs=1)
    assert lane.chat_arrival == 5.0
    assert max(row.not_before for row in game.all(Outbox)) == pytest.approx(game.now + 8, abs=1)
    game.now += 10
    assert await game.service.arrivals.take_over(["telegram"]) == [received]


@ONLY_SQLITE
class TestThisMachinesClock:
    """With SQLite the machine's own clock counts."""

    @pytest.mark.parametrize("seconds", [HOUR, -HOUR, STEP_SECONDS + 1, -STEP_SECONDS - 1], ids=lambda s: f"{s:+.0f}s")
    async def test_a_clock_that_is_set_begins_every_turn_anew(self, database: Database, seconds: float) -> None:
        hands = Hands()
        room = Watched(database, hands)
        await room.game("22222", "33333", "44444")
        hands.pass_by(25)
        assert await room.back(fresh=False) == frozenset()
        hands.wall += seconds
        assert await room.back(fresh=False) == {f"telegram:{GROUP}"}
        assert room.service.now() == pytest.approx(hands.wall)
        assert room.table().clock_ends == pytest.approx(hands.wall + 60, abs=1)
        hands.pass_by(1)
        assert await room.back(fresh=False) == frozenset(), "once"

    async def test_a_clock_that_drifts_is_followed(self, database: Database) -> None:
        hands = Hands()
        room = Watched(database, hands)
        await room.game("22222", "33333")
        await room.back()
        for _ in range(100):
            hands.pass_by(1)
            hands.wall += STEP_SECONDS / 2
            assert await room.back(fresh=False) == frozenset()
        assert room.service.now() == pytest.approx(hands.wall)

    async def test_between_two_looks_the_time_neither_stops_nor_jumps(self, database: Database) -> None:
        hands = Hands()
        clock = Clock(lambda: hands.wall, lambda: hands.monotonic)
        with database.transaction() as session:
            clock.read(session)
        before = clock.now()
        hands.wall -= HOUR
        hands.pass_by(2)
        assert clock.now() == before + 2

    async def test_an_hour_asleep_with_freezegun(self, database: Database) -> None:
        with freeze_time("2024-01-01 20:00", real_asyncio=True) as frozen:
            service = Service(database, Room(database, clock=AUTO).service.house)
            room = Room(database, clock=AUTO)
            room.service = service
            await room.game("22222", "33333")
            await room.back()
            frozen.tick(timedelta(seconds=61))
            assert (await service.outages.look()).restarting, "nobody was there for a minute"
            await room.back()
            assert room.table().clock_ends == time.time() + 60
            for _ in range(6):
                frozen.tick(timedelta(seconds=10))
                look = await service.outages.look()
            assert look.tables == (1,)


class Hands:
    """The hands of a machine's two clocks."""

    def __init__(self) -> None:
        self.wall = 1_700_000_000.0
        self.monotonic = 1000.0

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.monotonic += seconds


class Watched(Room):
    """A room whose service reads a clock."""

    def __init__(self, database: Database, hands: Hands) -> None:
        super().__init__(database, clock=AUTO)
        self.service = Service(database, self.service.house, clock=Clock(lambda: hands.wall, lambda: hands.monotonic))


@ONLY_POSTGRESQL
async def test_workers_with_different_wall_clocks_agree_about_the_time(database: Database) -> None:
    times = []
    for wrong in (0, HOUR, -HOUR):
        clock = Clock(partial(lambda by: time.time() + by, wrong))
        service = Service(database, Room(database).service.house, clock=clock)
        await service.outages.set_clock()
        times.append(service.now())
    assert max(times) - min(times) < 1


# A channel that is silent


async def test_while_a_channel_is_silent_no_clock_runs_out_for_anybody(game: Room) -> None:
    other = another_worker(game)
    await game.service.outages.silent("telegram", game.now)
    game.now += 70
    other.now = game.now
    look = await other.service.outages.look()
    assert (look.silent, look.tables) == (True, ())
    await other.service.outages.silent("telegram", other.now)
    await other.service.outages.heard("telegram")
    await game.service.outages.heard("telegram")
    assert await game.back(fresh=False) == {f"telegram:{GROUP}"}
    await nobody_is_late(game)


async def test_who_was_heard_all_the_time_is_given_no_new_clock(game: Room) -> None:
    version = game.all(GameTable)[0].version
    await game.service.outages.heard("telegram")
    assert await game.back(fresh=False) == frozenset()
    assert game.all(GameTable)[0].version == version


async def test_who_would_lose_a_die_keeps_it(database: Database) -> None:
    room = Room(database, clock=TurnClock(seconds=30, on_timeout=OnTimeout.LOSE_DIE))
    await room.game("22222", "33333")
    await room.back()
    room.now += 35
    assert await room.back() == {f"telegram:{GROUP}"}
    await room.due(29)
    assert room.table().step == 0, "nobody lost a die to the silence"
