"""One transaction: which rows it reads again, that a save raises the version, and the subscribers to each step."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import pytest

from telegram_bot.intents import intents as i
from telegram_bot.intents.intents import ChatLost, TurnDeliveryUnknown
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.game_requests import CallDudo
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.service.handlers.queries import SeeStatus
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.subscribers import SHARDS, SUBSCRIBERS
from telegram_bot.service.unit_of_work import CommittedStep, Subscriber, UnitOfWork
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameAction, GameTable, GameTally, OutboxEntry
from telegram_bot.storage.status_queries import query_status
from telegram_bot.tables.model import Status
from telegram_bot.tables.quiet_hours import QuietHours
from tests.telegram_bot.conftest import AUTO_CLOCK, GroupHarness


async def after_an_outage(harness: GroupHarness) -> None:
    """The bot received no message for an hour."""
    harness.now += 3600
    await harness.restart_clocks()


@pytest.mark.parametrize(
    "act",
    [
        lambda harness: harness.say("Bo", Choose("quiet", QuietHours(0, 480, "UTC")), where=None),
        lambda harness: harness.say("Bo", i.MemberLeft(), by="nothing"),
        lambda harness: harness.service.handle(ChatLost("telegram", -1001)),
        lambda harness: harness.service.handle(TurnDeliveryUnknown(1, 0)),
        lambda harness: harness.run_deadlines(31),
        lambda harness: harness.run_deadlines(61),
        after_an_outage,
    ],
    ids=["quiet hours", "left the group", "lost chat", "perhaps told", "reminder", "turn", "outage"],
)
async def test_the_version_moves_with_every_save(
    database: Database, act: Callable[[GroupHarness], Awaitable[object]]
) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333", "44444")
    await harness.restart_clocks()
    before = harness.rows(GameTable)[0]
    await act(harness)
    after = harness.rows(GameTable)[0]
    assert after.state != before.state
    assert after.version == before.version + 1


# Subscribers: called for each committed step, once, inside its transaction; the first one counts games and rounds


def counted(harness: GroupHarness) -> tuple[int, int, int]:
    """The counts of started games, of games with a winner, and of rounds."""
    with harness.database.transaction() as session:
        found = query_status(session, harness.now)
    return found.games_started, found.games_finished, found.rounds_played


@dataclass
class Recorder:
    """A subscriber that records each step."""

    steps: list[CommittedStep] = field(default_factory=list)
    fails: bool = False

    def __call__(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        assert uow.session.in_transaction()
        self.steps.append(committed)
        if self.fails:
            raise LookupError


def subscribe(harness: GroupHarness, subscriber: Subscriber) -> None:
    harness.service.subscribers = (*SUBSCRIBERS, subscriber)


async def test_games_and_rounds_stay_counted_when_their_tables_are_gone(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, clock=AUTO_CLOCK)
    await harness.lobby("Ana", "Bo", "Cy")
    assert counted(harness) == (0, 0, 0)
    await harness.tap("Ana", Start())
    await harness.set_dice("22222", "33333", "44444")
    await harness.call("9x2")
    assert counted(harness) == (1, 0, 0), "a bid is no round"
    await harness.run_deadlines(61)
    assert counted(harness) == (1, 0, 1), "the house doubts nine twos"
    await harness.tap("Cy", Leave(confirmed=True))
    assert counted(harness) == (1, 0, 1), "a round that is void does not count"
    await harness.set_dice("22", "3", "")
    await harness.call("1x2")
    await harness.call("dudo")
    assert harness.table().status is Status.FINISHED
    harness.mark_all_sent()
    for number in range(SHARDS + 1):
        harness.group = i.Place("telegram", -3000 - number, 0, "Group")
        await harness.lobby("Ana", "Bo")
        await harness.tap("Ana", Start(), table=number + 2)
    assert counted(harness) == (SHARDS + 2, 1, 2)
    assert sorted(row.games_started for row in harness.rows(GameTally)) == [1] * (SHARDS - 2) + [2, 2]
    harness.now += 40 * DAY_SECONDS
    await Pruning(harness.database, lambda: harness.now, keep_games_days=30).run()
    assert 1 not in [row.id for row in harness.rows(GameTable)]
    assert counted(harness) == (SHARDS + 2, 1, 2)


async def test_what_is_rolled_back_counts_nothing(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", calls="9x2")
    before = (harness.rows(GameTable), harness.rows(GameAction), len(harness.rows(OutboxEntry)))
    failing = Recorder(fails=True)
    subscribe(harness, failing)
    with pytest.raises(LookupError):
        await harness.tap("Bo", CallDudo(), cause="once")
    assert [committed.step.table.step for committed in failing.steps] == [2], "it was told, and then all was undone"
    assert (harness.rows(GameTable), harness.rows(GameAction), len(harness.rows(OutboxEntry))) == before
    assert counted(harness) == (1, 0, 0)
    failing.fails = False
    assert not (await harness.tap("Bo", CallDudo(), cause="once")).repeated
    assert counted(harness) == (1, 0, 1)


async def test_a_subscriber_is_told_of_each_step_with_the_table_before_and_after(harness: GroupHarness) -> None:
    recorder = Recorder()
    subscribe(harness, recorder)
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
    await harness.set_dice("22222", "33333")
    await harness.call("3x2")
    await harness.say("Bo", SeeStatus())
    opened, joined, started, bid = recorder.steps
    assert opened.before is None
    assert joined.before == opened.step.table
    assert started.before == joined.step.table
    assert started.step.table.status is Status.PLAYING
    assert bid.step.table == harness.table()
    assert [committed.row.version for committed in recorder.steps] == [1, 2, 3, 4]
