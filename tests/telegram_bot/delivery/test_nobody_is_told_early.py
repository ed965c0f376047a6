"""In any order and at any speed, no private chat sees the end of a round before the group does."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from telegram_bot.delivery import lanes
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import (
    ChatLostError,
    InvalidError,
    NotSentError,
    SendResult,
    SlowDownError,
    TargetGoneError,
    UnknownOutcomeError,
)
from telegram_bot.notices import GameOverNotice, HandNotice, KnockedOutNotice, RevealNotice
from telegram_bot.service.envelope import Envelope, MessageRef
from telegram_bot.service.handlers.queries import SeeDice
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import LaneName
from telegram_bot.tables.model import Status, Timings
from test_support.open_database import open_database
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import GROUP, DeliveryHarness, RecordingSender

PRIVATE = (101, 102, 103)
NAMES = ("Ana", "Bo", "Cy")
FEW = Limits(per_bot_per_second=0, per_chat_seconds=1, per_group_per_minute=8)
"""So few that a round and a half uses up the group's minute."""
ERRORS: dict[str, Callable[[], Exception]] = {
    "slow down": lambda: SlowDownError(40),
    "not sent": lambda: NotSentError("no network"),
    "unknown": lambda: UnknownOutcomeError("no answer"),
    "invalid": lambda: InvalidError("no"),
    "target gone": lambda: TargetGoneError("deleted"),
    "kicked": lambda: ChatLostError("kicked"),
}

EVENTS = st.one_of(
    st.tuples(st.just("bid"), st.just(0)),
    st.tuples(st.just("dudo"), st.just(0)),
    st.tuples(st.just("dice?"), st.sampled_from(range(3))),
    st.tuples(st.just("time"), st.sampled_from((0.5, 2, 10, 60))),
    st.tuples(st.just("send"), st.sampled_from((0, 1, 3, 10))),
    st.tuples(st.just("killed"), st.just(0)),
    st.tuples(st.sampled_from(sorted(ERRORS)), st.sampled_from((GROUP, *PRIVATE))),
)


class Watch(RecordingSender):
    """Records notices to private chats while the group lacks the end of an earlier round."""

    def __init__(self) -> None:
        super().__init__()
        self.called = 0
        """The last round that a call has ended."""
        self.settled: set[int] = set()
        """The rounds whose end the group has seen, or will never see."""
        self.early: list[str] = []

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:
        told = round_told(envelope)
        if envelope.chat != GROUP:
            if told is not None and not self.settled.issuperset(range(1, min(told, self.called) + 1)):
                self.early.append(envelope.notice.kind)
            return await super().send(envelope, target)
        try:
            result = await super().send(envelope, target)
        except (InvalidError, UnknownOutcomeError):
            self._settle(envelope)
            raise
        except ChatLostError:
            self.settled |= set(range(1, self.called + 1))
            raise
        self._settle(envelope)
        return result

    def _settle(self, envelope: Envelope) -> None:
        if isinstance(envelope.notice, RevealNotice):
            self.settled.add(envelope.notice.view.round)


EVERY_ROUND = 100


def round_told(envelope: Envelope) -> int | None:
    """The last round whose end a notice reveals."""
    match envelope.notice:
        case HandNotice(deal=deal, called=None):
            return deal - 1
        case RevealNotice(view=view):
            return view.round
        case KnockedOutNotice() | GameOverNotice():
            return EVERY_ROUND
        case _:
            return None


class Evening(DeliveryHarness):
    """Three people who act at any time, and a worker that the test wakes at any time."""

    def __init__(self, database: Database) -> None:
        self.watch = Watch()
        super().__init__(GroupHarness(database, timings=Timings(reveal_seconds=2)), self.watch, FEW)
        self.harness.dice_are_shown = False  # people call too early as well, and are refused

    async def happens(self, event: str, what: float) -> None:
        table = self.harness.table()
        playing = table.status is Status.PLAYING and table.game is not None
        match event:
            case "bid" if playing and table.game is not None:
                await self.harness.call(f"{len(table.game.bids) + 1}x2")
            case "dudo" if playing and table.game is not None and table.game.bids:
                if (await self.harness.call("dudo")).toast is None:
                    self.watch.called = table.deals
            case "dice?":
                await self.harness.say(NAMES[int(what)], SeeDice(), where=None)
            case "time":
                self.harness.now += what
            case "send":
                await self.send(int(what))
            case "killed":
                await self.harness.database.run(lanes.release_all)
                self.timers.clear()
                successor = DeliveryHarness(self.harness, self.watch, FEW)
                self.delivery, self.timers = successor.delivery, successor.timers
            case _ if event in ERRORS:
                self.watch.failures.setdefault(int(what), []).append(ERRORS[event]())

    async def send(self, steps: int) -> None:
        """Let the lanes run, and so many of their waits end."""
        self.delivery.wake(LaneName("telegram", lane) for lane in (GROUP, *PRIVATE))
        await self.delivery.idle()
        for _ in range(steps):
            if self.timers:
                timer = min(self.timers, key=lambda timer: self.timers[timer][0])
                due, call = self.timers.pop(timer)
                self.harness.now = max(self.harness.now, due + 1e-6)
                call()
                await self.delivery.idle()


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(events=st.lists(EVENTS, min_size=12, max_size=36))
def test_no_private_chat_is_told_a_rounds_end_before_the_group(
    migrated_file: Path, events: list[tuple[str, float]]
) -> None:
    asyncio.run(play_evening(migrated_file, events))


async def play_evening(migrated_file: Path, events: list[tuple[str, float]]) -> None:
    with TemporaryDirectory() as folder:
        copyfile(migrated_file, Path(folder) / "perudo.db")
        database = open_database(f"sqlite:///{folder}/perudo.db")
        try:
            evening = Evening(database)
            await evening.harness.game("22", "33", "44")
            for event, what in events:
                await evening.happens(event, what)
            evening.watch.failures.clear()
            await evening.drain_with_time(GROUP, *PRIVATE)  # and nothing waits for ever
            assert evening.watch.early == []
        finally:
            database.close()
