"""Outages of the bot, of the network or of the clock cost no player a die, with any number of workers."""

import time
from collections.abc import Iterable
from functools import partial
from unittest.mock import Mock

import pytest
from sqlalchemy import Float, func, update
from sqlalchemy.exc import OperationalError
from sqlmodel import SQLModel, select

from telegram_bot.features.tournament.tables import Tournament
from telegram_bot.intents.intents import OutageEnded
from telegram_bot.service.handlers.clock import BATCH, RESTART, TIMERS
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.phone_requests import OpenPrivateLobby
from telegram_bot.service.outages import HEARTBEAT_SECONDS, Outages
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import Database
from telegram_bot.storage.database_clock import STEP_SECONDS, DatabaseClock
from telegram_bot.storage.models import HEARTBEAT, Chat, GameTable, LaneName, LinkCode, OutboxEntry, Rate
from telegram_bot.storage.web_models import WebSession
from tests.telegram_bot.conftest import AUTO_CLOCK, GROUP, ONLY_POSTGRESQL, TIMINGS, GroupHarness

HOUR = 3600.0


@pytest.fixture
async def game(database: Database) -> GroupHarness:
    """Ana, Bo and Cy play with 60 seconds a turn, and the bot has just noted that it runs."""
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333", "44444")
    await harness.restart_clocks()
    harness.mark_all_sent()
    return harness


def another_worker(harness: GroupHarness) -> GroupHarness:
    other = GroupHarness(harness.database, clock=AUTO_CLOCK)
    other.now = harness.now
    return other


def groups(lanes: Iterable[LaneName]) -> set[int]:
    """The groups among some lanes. The private chats are compared as well; they show no clock that began anew."""
    chats = {lane.chat for lane in lanes}
    return {chat for chat in chats if chat < 0}


async def nobody_is_late(harness: GroupHarness) -> None:
    assert harness.table().running.ends == harness.now + 60
    assert (await harness.service.outages.find_due()).tables == ()
    await harness.run_deadlines(59)
    assert harness.table().step == 0, "no one was punished"
    await harness.run_deadlines(1)
    assert harness.table().step == 1, "but the clock runs"


@pytest.mark.parametrize(
    ("seconds", "fresh"),
    [(HOUR, True), (HOUR, False), (-90.0, False), (-5.0, False)],
    ids=["a new process", "the database was away, or the clock was set", "set back", "set back a little"],
)
async def test_after_an_outage_or_when_the_clock_was_set_every_clock_starts_again(
    game: GroupHarness, *, seconds: float, fresh: bool
) -> None:
    game.now += seconds
    lanes = await game.restart_clocks(fresh=fresh)
    if seconds > 0:
        assert groups(lanes) == {GROUP}
        assert game.waiting_kinds() == [("hand", 101), ("table", GROUP)], "both show the new clock"
        assert game.rows(GameTable)[0].due_at == game.now + 30, "the reminder, too"
    await nobody_is_late(game)


@pytest.mark.parametrize("spoilt", ["abc", "nan", "inf", "-1", "1e300", ""])
async def test_a_heartbeat_that_an_operator_has_spoilt_stops_no_game(game: GroupHarness, spoilt: str) -> None:
    store = game.service.key_values
    await store.put(HEARTBEAT, spoilt)
    await store.put(RESTART, spoilt)
    await nobody_is_late(game)


async def test_a_stored_outage_is_told(
    game: GroupHarness, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    game.now += HOUR
    with monkeypatch.context() as full:
        full.setattr(Outages, "begin", Mock(side_effect=OperationalError("", None, Exception("disk is full"))))
        for _ in range(2):
            with pytest.raises(OperationalError):
                await game.service.outages.find_due()
    assert "no one was heard" not in caplog.text
    await game.restart_clocks()
    assert caplog.text.count("no one was heard for 3600 s") == 1


async def test_after_a_short_silence_those_start_again_that_ended_within_it(game: GroupHarness) -> None:
    game.now += 20
    assert await game.restart_clocks() == frozenset(), "nothing was due"
    assert game.table().running.ends == game.now + 40
    game.now += 41
    assert groups(await game.restart_clocks()) == {GROUP}
    await nobody_is_late(game)


async def test_a_house_that_looks_round_now_and_then_is_at_home_if_a_worker_joins_too(game: GroupHarness) -> None:
    version = game.rows(GameTable)[0].version
    await game.service.outages.channel_heard("telegram")
    for _ in range(11):
        game.now += HEARTBEAT_SECONDS
        assert await game.restart_clocks(fresh=False) == frozenset()
    assert await another_worker(game).restart_clocks() == frozenset()
    game.now += HEARTBEAT_SECONDS
    assert (await game.service.outages.find_due()).tables == (1,)
    assert game.rows(GameTable)[0].version == version


async def test_what_was_typed_during_an_outage_or_before_a_return_still_counts(game: GroupHarness) -> None:
    game.now += HOUR
    await game.restart_clocks()
    await game.say("Ana", MakeBid(3, 2), said_at=game.now - 2000)
    assert game.table().step == 1, "the clock began anew, the turn is the same"
    await game.run_deadlines(61)
    await game.run_deadlines(TIMINGS.think_most_seconds + 121)
    await game.run_deadlines(TIMINGS.think_most_seconds + 121)
    table = game.table()
    assert table.paused
    turn = table.begun_game.turn
    assert turn is not None
    await game.say(table.seats[turn].name, CallDudo(), said_at=table.turn_since + 1)
    assert game.table().step > table.step


async def test_after_the_clock_was_set_back_typed_words_still_count(game: GroupHarness) -> None:
    game.pass_time(5)
    game.now -= HOUR
    await game.restart_clocks(fresh=False)
    game.now += 3
    await game.say("Ana", MakeBid(2, 5), said_at=game.now)
    assert game.table().step == 1


async def test_the_first_start_of_all_is_no_outage(database: Database) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333")
    harness.now += HOUR
    assert await harness.restart_clocks() == frozenset()
    assert (await harness.service.outages.find_due()).tables == (1,)


async def many_tables(harness: GroupHarness, count: int) -> None:
    """Copy game 1 until there are so many games, each in a group of its own."""
    with harness.database.transaction() as session:
        first = session.get_one(GameTable, 1)
        for number in range(2, count + 1):
            place = Chat(channel="telegram", address=-5000 - number)
            session.add(place)
            session.flush()
            state = first.state | {"id": number, "code": f"CODE{number:04}"}
            same = first.model_dump(include={"status", "version", "due_at", "created_at", "updated_at"})
            session.add(GameTable(code=state["code"], chat_id=place.id, state=state, **same))
            session.flush()


async def test_many_tables_are_begun_anew_page_by_page_and_a_killed_worker_is_no_loss(game: GroupHarness) -> None:
    await many_tables(game, 2 * BATCH + 2)
    game.now += HOUR
    assert (await game.service.outages.find_due()).restarting
    first = await game.service.handle(OutageEnded())
    assert len(groups(first.lanes)) == BATCH
    other = another_worker(game)  # the first one is gone
    look = await other.service.outages.find_due()
    assert look.restarting
    assert look.tables == (), "no deadline counts yet, of those that were begun anew neither"
    second, third = await other.service.handle(OutageEnded()), await other.service.handle(OutageEnded())
    assert (len(groups(second.lanes)), len(groups(third.lanes))) == (BATCH, 2)
    assert not second.skipped
    assert not third.skipped
    assert (await other.service.handle(OutageEnded())).skipped
    assert {row.due_at for row in game.rows(GameTable)} == {game.now + 30}
    assert not (await other.service.outages.find_due()).restarting


async def test_a_table_that_cannot_be_read_keeps_no_other_one_waiting(game: GroupHarness) -> None:
    await many_tables(game, 3)
    game.update_row(GameTable, 2, state={"spoilt": True})
    game.now += HOUR
    assert groups(await game.restart_clocks()) == {GROUP, -5003}


async def test_a_clock_begins_anew_after_a_busy_database(game: GroupHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker had locked the table for longer than a statement waits."""
    game.now += HOUR
    with monkeypatch.context() as locked:
        locked.setattr(UnitOfWork, "table_by_id", Mock(side_effect=OperationalError("SELECT", {}, Exception("locked"))))
        with pytest.raises(OperationalError):
            await game.restart_clocks()
    assert groups(await game.restart_clocks()) == {GROUP}
    assert {row.due_at for row in game.rows(GameTable)} == {game.now + 30}


async def test_after_the_clock_was_set_back_no_stored_time_is_further_ahead_than_before(game: GroupHarness) -> None:
    """Every time in every row, those of tables that are over and those of features as well."""
    await game.call("2x5")
    await game.call("dudo")
    await game.text("Dee", OpenPrivateLobby())
    with game.database.transaction() as session:
        session.add(WebSession(token_hash="h", player_id=1, language="en", seen_at=0))
        session.add(LinkCode(code="C", player_id=1, expires_at=0))
        session.add(Tournament(chat_id=1, code="T", rules={}, changed_at=0, host_id=1))
        session.add(Rate(key="person:telegram:7:words", arrival=0))
        for table in SQLModel.metadata.sorted_tables:
            times = [column for column in table.columns if isinstance(column.type, Float)]
            if times:
                session.execute(update(table).values(dict.fromkeys(times, game.now + 30)))
    game.now -= HOUR
    await game.restart_clocks(fresh=False)
    with game.database.transaction() as session:
        for table in SQLModel.metadata.sorted_tables:
            for column in table.columns:
                if isinstance(column.type, Float) and column.name not in ("mu", "sigma", "due_at"):
                    latest = session.execute(select(func.max(column))).scalar_one()
                    assert latest is None or latest <= game.now + 31, column
    assert max(row.due_at for row in game.rows(GameTable) if row.due_at) <= game.now + TIMINGS.paused_idle_seconds


@pytest.mark.parametrize("over", [False, True])
async def test_after_the_clock_was_set_back_a_timer_of_a_table_is_due_in_time(
    game: GroupHarness, monkeypatch: pytest.MonkeyPatch, *, over: bool
) -> None:
    reached: list[float] = []
    assert isinstance(TIMERS._filled, dict)
    monkeypatch.setitem(TIMERS._filled, "of a feature", lambda uow, _: reached.append(uow.now))
    if over:
        await game.say("Ana", Stop(confirmed=True))
    with game.database.transaction() as session:
        uow = game.service.unit_of_work(session, "test")
        row = uow.table_by_id(1)
        assert row is not None
        uow.set_timer(row, "of a feature", game.now + 10)
    game.pass_time(0)
    game.now -= HOUR
    await game.restart_clocks(fresh=False)
    await game.run_deadlines(9)
    assert reached == []
    await game.run_deadlines(2)
    assert reached == [game.now]


async def test_a_call_before_the_bot_notices_a_clock_set_back_keeps_no_turn_waiting(database: Database) -> None:
    hands = Hands()
    harness = Watched(database, hands)
    await harness.game("22222", "33333")
    await harness.restart_clocks(fresh=False)
    hands.wall -= HOUR
    await harness.call("1x2")
    await harness.restart_clocks(fresh=False)
    assert harness.table().step == 1
    assert harness.table().running.ends == pytest.approx(hands.wall + 60, abs=5)
    assert harness.rows(GameTable)[0].due_at == pytest.approx(hands.wall + 30, abs=5), "the reminder"
    tables = harness.service.tables
    assert all(table in tables.since or at <= hands.wall for table, at in tables.changes.items())


class TestThisMachinesClock:
    @pytest.mark.parametrize("seconds", [HOUR, -HOUR, STEP_SECONDS + 1, -STEP_SECONDS - 1], ids=lambda s: f"{s:+.0f}s")
    async def test_a_clock_that_is_set_begins_every_turn_anew(self, database: Database, seconds: float) -> None:
        hands = Hands()
        harness = Watched(database, hands)
        await harness.game("22222", "33333", "44444")
        hands.pass_by(25)
        assert await harness.restart_clocks(fresh=False) == frozenset()
        hands.wall += seconds
        assert groups(await harness.restart_clocks(fresh=False)) == {GROUP}
        assert harness.service.now() == pytest.approx(hands.wall)
        assert harness.table().running.ends == pytest.approx(hands.wall + 60, abs=1)
        hands.pass_by(1)
        assert await harness.restart_clocks(fresh=False) == frozenset(), "once"

    async def test_a_clock_that_drifts_is_followed(self, database: Database) -> None:
        hands = Hands()
        harness = Watched(database, hands)
        await harness.game("22222", "33333")
        await harness.restart_clocks()
        for _ in range(20):
            hands.pass_by(1)
            hands.wall += STEP_SECONDS / 2
            assert await harness.restart_clocks(fresh=False) == frozenset()
        assert harness.service.now() == pytest.approx(hands.wall)

    async def test_time_neither_stops_nor_jumps_between_looks_nor_in_a_long_one(self, database: Database) -> None:
        hands = Hands()
        late = iter((0.0, 0.0, 2.0, 0.0))  # the machine is busy between the answer and its receipt

        def monotonic() -> float:
            hands.pass_by(next(late, 0.0))
            return hands.monotonic

        clock = DatabaseClock(lambda: hands.wall, monotonic)
        with database.transaction() as session:
            clock.synchronize(session)
        before = clock.now()
        assert before == hands.wall
        hands.wall -= HOUR
        hands.pass_by(2)
        assert clock.now() == before + 2


class Hands:
    def __init__(self) -> None:
        self.wall = 1_700_000_000.0
        self.monotonic = 1000.0

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.monotonic += seconds


class Watched(GroupHarness):
    def __init__(self, database: Database, hands: Hands) -> None:
        super().__init__(database, clock=AUTO_CLOCK)
        clock = DatabaseClock(lambda: hands.wall, lambda: hands.monotonic)
        self.service = Service(database, self.service.config, clock=clock)


@ONLY_POSTGRESQL
async def test_workers_with_different_wall_clocks_agree_about_the_time(database: Database) -> None:
    times = []
    for wrong in (0, HOUR, -HOUR):
        clock = DatabaseClock(partial(lambda by: time.time() + by, wrong))
        service = Service(database, GroupHarness(database).service.config, clock=clock)
        await service.outages.synchronize_clock()
        times.append(service.now())
    assert max(times) - min(times) < 1


async def test_while_a_channel_is_silent_no_clock_runs_out_for_anybody(game: GroupHarness) -> None:
    other = another_worker(game)
    await game.service.outages.channel_silent("telegram", game.now)
    game.now += 70
    other.now = game.now
    look = await other.service.outages.find_due()
    assert (look.silent, look.tables) == (True, ())
    await other.service.outages.channel_silent("telegram", other.now)
    await other.service.outages.channel_heard("telegram")
    await game.service.outages.channel_heard("telegram")
    assert groups(await game.restart_clocks(fresh=False)) == {GROUP}
    await nobody_is_late(game)


@pytest.mark.parametrize("silent", [0, 30])
async def test_a_clock_set_back_while_a_channel_is_silent_holds_nothing_up(game: GroupHarness, silent: int) -> None:
    await game.service.outages.channel_silent("telegram", game.now)
    for _ in range(silent):
        game.now += 4
        await game.restart_clocks(fresh=False)
    with game.database.transaction() as session:
        session.add(OutboxEntry(lane=LaneName("telegram", 1), created_at=game.now, not_before=game.now + 10))
    game.now -= HOUR
    await game.service.outages.channel_heard("telegram")
    await game.restart_clocks(fresh=False)
    assert max(row.not_before for row in game.rows(OutboxEntry)) == pytest.approx(game.now + 10, abs=1)
