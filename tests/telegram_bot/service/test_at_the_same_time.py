"""Several workers on one PostgreSQL, whose statements interleave in any order that hypothesis generates."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from itertools import combinations, count

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func
from sqlmodel import col, select

from perudo_core import Rules, apply, load_action, new_game
from telegram_bot.app import CHANNELS
from telegram_bot.channels.web.sessions import Page, Sessions
from telegram_bot.channels.web.streams import Streams
from telegram_bot.delivery.outbox import lanes_with_work
from telegram_bot.notices import Confirmation, ConfirmationNotice, HandNotice, RejectionNotice, TableNotice
from telegram_bot.service import intents as i
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.phone_requests import LinkPhone, RequestPhoneLink
from telegram_bot.service.handlers.queries import SeeDice, SeeStatus
from telegram_bot.service.intents import DeadlineReached
from telegram_bot.service.service import HandleResult
from telegram_bot.storage.models import (
    Chat,
    GameAction,
    GameTable,
    InboxEntry,
    LaneName,
    LinkCode,
    OutboxEntry,
    Player,
    Reader,
)
from telegram_bot.storage.web_models import WebSession
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.views import HandView
from test_support.postgres import PostgresServer
from test_support.screens import screens_of
from tests.telegram_bot.conftest import AUTO_CLOCK, GroupHarness, confirmation_of
from tests.telegram_bot.delivery.conftest import DeliveryHarness, RecordingSender
from tests.telegram_bot.interleaving import Worker, interleaved

DEADLOCK = "40P01"
MOST_AT_ONCE = 3

orders = st.lists(st.integers(0, MOST_AT_ONCE - 1), max_size=80)
SEARCH = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


class Workers:
    """Some workers, each with a service of its own, and a new group for each example."""

    def __init__(self, url: str) -> None:
        self.workers = [Worker(url) for _ in range(MOST_AT_ONCE + 1)]
        self._groups = count(1)
        self._causes = count(1)

    def harnesses(self, rules: Rules | None = None) -> list[GroupHarness]:
        """The same group, seen from each worker. Its people play nowhere else, or their every table would be locked.

        The waiting notices of earlier groups are deleted: they would be compared as well after each step.
        """
        with self.workers[0].database.transaction() as session:
            session.connection().execute(delete(OutboxEntry))
        group = next(self._groups)
        place = i.Place("telegram", -group, 0, "Friends")
        harnesses = []
        for worker in self.workers[:MOST_AT_ONCE]:
            # A seed of its own: codes that other groups have would be looked up one after another.
            harness = GroupHarness(worker.database, seed=group, rules=rules, clock=AUTO_CLOCK)
            harness.group = place
            harness.addresses = 100 * group
            harness._causes = next(self._causes) * 1000
            harnesses.append(harness)
        return harnesses

    def at_once(self, order: list[int], *acts: Callable[[], Awaitable[HandleResult]]) -> list[HandleResult]:
        for worker in self.workers:
            worker.errors.clear()
        outcomes = interleaved(self.workers, acts, order)
        assert DEADLOCK not in [error for worker in self.workers for error in worker.errors], "locks have an order"
        return outcomes

    def close(self) -> None:
        for worker in self.workers:
            worker.close()


@pytest.fixture(scope="module")
def workers(postgresql: PostgresServer) -> Iterator[Workers]:
    with postgresql.fresh() as url:
        workers = Workers(url)
        yield workers
        workers.close()


def table_in(harness: GroupHarness) -> tuple[int, Table]:
    """The group's only live table, or its last one."""
    with harness.database.transaction() as session:
        query = (
            select(GameTable)
            .join(Chat, col(Chat.id) == col(GameTable.chat_id))
            .where(Chat.address == harness.group.address)
            .order_by(col(GameTable.id).desc())
        )
        row = session.exec(query).first()
        assert row is not None
        return row.id, Table.model_validate(row.state)


def live_tables(harness: GroupHarness) -> int:
    with harness.database.transaction() as session:
        query = (
            select(func.count())
            .select_from(GameTable)
            .join(Chat, col(Chat.id) == col(GameTable.chat_id))
            .where(Chat.address == harness.group.address, col(GameTable.live))
        )
        return session.exec(query).one()


async def a_game(harnesses: list[GroupHarness]) -> tuple[int, Table]:
    """Three play in the group, and one bid stands."""
    harness = harnesses[0]
    await harness.lobby("Ana", "Bo", "Cy")
    number, _ = table_in(harness)
    await harness.tap("Ana", Start(), table=number)
    await harness.call("2x3", table=number)
    for other in harnesses:
        other.now = harness.now
    return table_in(harness)


def assert_every_move_counted_once(harness: GroupHarness, number: int) -> None:
    """Replaying the stored actions gives the current game."""
    with harness.database.transaction() as session:
        query = select(GameAction).where(GameAction.table_id == number).order_by(col(GameAction.number))
        actions = list(session.exec(query))
    _, table = table_in(harness)
    assert [row.number for row in actions] == list(range(len(actions)))
    state = new_game(table.rules, [seat.name for seat in table.seats])
    for row in actions:
        state = apply(state, load_action(row.action)).state
    assert state == table.game


def succeeded(outcome: HandleResult) -> bool:
    return isinstance(outcome.toast, ConfirmationNotice)


def why_not(outcome: HandleResult) -> RejectionReason | None:
    return outcome.toast.reason if isinstance(outcome.toast, RejectionNotice) else None


# One worker wins


@given(orders)
@SEARCH
async def test_of_two_calls_for_the_same_step_one_counts(workers: Workers, order: list[int]) -> None:
    harnesses = workers.harnesses()
    number, before = await a_game(harnesses)
    assert before.game is not None
    assert before.game.turn is not None
    name = before.seats[before.game.turn].name
    outcomes = workers.at_once(
        order,
        lambda: harnesses[0].tap(name, MakeBid(3, 3), table=number, step=before.step),
        lambda: harnesses[1].tap(name, MakeBid(4, 4), table=number, step=before.step),
        lambda: harnesses[2].tap(name, CallDudo(), table=number, step=before.step),
    )
    assert sum(map(succeeded, outcomes)) == 1
    assert {why_not(outcome) for outcome in outcomes} - {None} <= {RejectionReason.STALE, RejectionReason.ILLEGAL}
    assert table_in(harnesses[0])[1].step == before.step + 1
    assert_every_move_counted_once(harnesses[0], number)


@given(orders)
@SEARCH
async def test_one_update_that_arrives_at_several_workers_is_acted_on_once(workers: Workers, order: list[int]) -> None:
    harnesses = workers.harnesses()
    number, before = await a_game(harnesses)
    assert before.game is not None
    assert before.game.turn is not None
    name = before.seats[before.game.turn].name
    once = harnesses[0].intent(name, MakeBid(3, 3), by="toast", table=number, step=before.step)
    outcomes = workers.at_once(order, *[lambda harness=harness: harness.service.handle(once) for harness in harnesses])
    assert sorted(outcome.repeated for outcome in outcomes) == [False, True, True]
    assert [succeeded(outcome) for outcome in outcomes if not outcome.repeated] == [True]
    assert_every_move_counted_once(harnesses[0], number)
    with harnesses[0].database.transaction() as session:
        assert len(session.exec(select(InboxEntry).where(InboxEntry.cause == once.cause)).all()) == 1


@given(orders)
@SEARCH
async def test_the_last_seat_is_taken_once(workers: Workers, order: list[int]) -> None:
    harnesses = workers.harnesses(Rules.preset("box_2009").with_options(max_seats=3))
    await harnesses[0].lobby("Ana", "Bo")
    number, _ = table_in(harnesses[0])
    outcomes = workers.at_once(
        order,
        lambda: harnesses[0].tap("Cy", Join(), table=number),
        lambda: harnesses[1].tap("Dee", Join(), table=number),
        lambda: harnesses[2].tap("Eve", Join(), table=number),
    )
    assert sum(map(succeeded, outcomes)) == 1
    assert [why_not(outcome) for outcome in outcomes if not succeeded(outcome)] == [RejectionReason.FULL] * 2
    assert len(table_in(harnesses[0])[1].seats) == 3


@given(orders)
@SEARCH
async def test_who_opens_a_table_at_the_same_moment_finds_the_others(workers: Workers, order: list[int]) -> None:
    harnesses = workers.harnesses()
    newcomers = [harness.person(name) for harness, name in zip(harnesses, ("Ana", "Bo", "Ana"), strict=True)]

    def opens(harness: GroupHarness, person: i.Person) -> Callable[[], Awaitable[HandleResult]]:
        return lambda: harness.service.handle(replace(harness.intent("Ana", OpenLobby()), who=person))

    workers.at_once(order, *map(opens, harnesses, newcomers))
    assert live_tables(harnesses[0]) == 1
    with harnesses[0].database.transaction() as session:
        assert len(session.exec(select(Chat).where(Chat.address == harnesses[0].group.address)).all()) == 1
        people = {person.address for person in newcomers}
        assert len(session.exec(select(Player).where(col(Player.address).in_(people))).all()) == len(people)


# In any order


def anything(number: int, table: Table) -> dict[str, Callable[[GroupHarness], Awaitable[HandleResult]]]:
    """The possible actions of people, clocks and Telegram at one table at the same moment."""
    assert table.game is not None
    assert table.game.turn is not None
    on_turn = table.seats[table.game.turn].name
    other = table.seats[(table.game.turn + 1) % 3].name
    now = {"table": number, "step": table.step}

    def renamed(harness: GroupHarness) -> Awaitable[HandleResult]:
        intent = harness.intent(other, SeeDice(), by="toast", table=number)
        return harness.service.handle(replace(intent, who=replace(intent.who, name=f"{other} the Second")))

    return {
        "bid": lambda harness: harness.tap(on_turn, MakeBid(3, 3), **now),
        "dudo": lambda harness: harness.tap(on_turn, CallDudo(), **now),
        "calza": lambda harness: harness.tap(other, CallCalza(), **now),
        "late": lambda harness: harness.tap(other, MakeBid(2, 3), table=number, step=table.step - 1),
        "leave": lambda harness: harness.tap(other, Leave(confirmed=True), table=number),
        "gone": lambda harness: harness.say(on_turn, i.MemberLeft()),
        "stop": lambda harness: harness.tap("Ana", Stop(confirmed=True), table=number),
        "status": lambda harness: harness.say(other, SeeStatus()),
        "direct": lambda harness: harness.say(on_turn, StartPrivateChat(), where=None),
        "blocked": lambda harness: harness.say(other, i.PrivateChatBlocked(), where=None),
        "stranger": lambda harness: harness.say("Dee", OpenLobby()),
        "rename": renamed,
        "deadline": lambda harness: harness.service.handle(DeadlineReached(number)),
        "lost": lambda harness: harness.say("Ana", i.BotMembershipChanged(present=False, ephemeral_allowed=False)),
        "found": lambda harness: harness.say("Ana", i.BotMembershipChanged(present=True, ephemeral_allowed=False)),
        "moved": lambda harness: harness.say("Ana", i.ChatMoved(harness.group.address - 10**9)),
    }


KINDS = "bid dudo calza late leave gone stop status direct blocked stranger rename deadline lost found moved".split()  # noqa: SIM905


@given(st.lists(st.sampled_from(KINDS), min_size=2, max_size=MOST_AT_ONCE), orders)
@settings(SEARCH, max_examples=40)
async def test_whatever_happens_at_once_no_move_is_lost_or_doubled_and_nothing_locks_up(
    workers: Workers, what: list[str], order: list[int]
) -> None:
    harnesses = workers.harnesses()
    number, before = await a_game(harnesses)
    for harness in harnesses:
        harness.now += AUTO_CLOCK.seconds + 1
    chosen = [anything(number, before)[kind] for kind in what]
    outcomes = workers.at_once(
        order,
        *[lambda act=act, harness=harness: act(harness) for act, harness in zip(chosen, harnesses, strict=False)],
    )
    assert len(outcomes) == len(what)
    with harnesses[0].database.transaction() as session:
        row = session.get_one(GameTable, number)
        after = Table.model_validate(row.state)
        assert row.live == (after.status in (Status.LOBBY, Status.PLAYING))
        actions = session.exec(
            select(GameAction).where(GameAction.table_id == number).order_by(col(GameAction.number))
        ).all()
    calls = sum(map(succeeded, [o for o, kind in zip(outcomes, what, strict=True) if kind in ("bid", "dudo")]))
    assert calls <= 1, "one call a step"
    assert [action.number for action in actions] == list(range(len(actions)))
    state = new_game(after.rules, [seat.name for seat in before.seats])
    for action in actions:
        state = apply(state, load_action(action.action)).state
    assert state == after.game


# Steps of several tables


async def games_in_topics(harnesses: list[GroupHarness]) -> list[int]:
    """Three play in two topics of a forum, and Ana has asked for a code to link her phone."""
    tables = []
    for topic in (1, 2):
        for harness in harnesses:
            harness.group = replace(harness.group, topic=topic)
        await harnesses[0].lobby("Ana", "Bo", "Cy")
        with harnesses[0].database.transaction() as session:
            tables.append(session.exec(select(func.max(GameTable.id))).one())
        await harnesses[0].tap("Ana", Start(), table=tables[-1])
    await harnesses[0].say("Ana", RequestPhoneLink(), where=None)
    for harness in harnesses:
        harness.now = harnesses[0].now + AUTO_CLOCK.seconds + 1
    return tables


SEVERAL = ("linked", "lost", "moved", "left", "first", "second")


@pytest.mark.parametrize("kinds", list(combinations(SEVERAL, 2)), ids=" and ".join)
@pytest.mark.parametrize("ahead", [0, 12])
async def test_steps_that_change_several_tables_never_wait_for_each_other_in_a_circle(
    workers: Workers, kinds: tuple[str, str], ahead: int
) -> None:
    """The first worker is some statements ahead, then they take turns."""
    harnesses = workers.harnesses()
    first, second = await games_in_topics(harnesses)
    forum, ana = harnesses[0].group.address, harnesses[0].person("Ana").address
    with harnesses[0].database.transaction() as session:
        codes = select(LinkCode.code).join(Player, col(Player.id) == col(LinkCode.player_id))
        code = session.exec(codes.where(Player.address == ana)).one()
    links = i.Intent("sms:test", f"link {ana}", i.Person("sms", ana, "Ana", language="en"), LinkPhone(code))
    acts: dict[str, Callable[[GroupHarness], Awaitable[HandleResult]]] = {
        "linked": lambda harness: harness.service.handle(links),
        "lost": lambda harness: harness.say("Ana", i.BotMembershipChanged(present=False, ephemeral_allowed=False)),
        "moved": lambda harness: harness.say("Ana", i.ChatMoved(forum - 10**9)),
        "left": lambda harness: harness.say("Bo", i.MemberLeft()),
        "first": lambda harness: harness.service.handle(DeadlineReached(first)),
        "second": lambda harness: harness.service.handle(DeadlineReached(second)),
    }
    one, other = (acts[kind] for kind in kinds)
    workers.at_once([0] * ahead + [1, 0] * 60, lambda: one(harnesses[0]), lambda: other(harnesses[1]))


# Groups do not wait for each other


async def test_a_group_whose_table_is_locked_keeps_no_other_group_waiting(workers: Workers) -> None:
    here, there = workers.harnesses(), workers.harnesses()
    busy, _ = await a_game(here)
    number, before = await a_game(there)
    with workers.workers[0].database.transaction() as session:
        session.exec(select(GameTable).where(GameTable.id == busy).with_for_update()).one()
        outcome = await there[1].call("3x3", table=number)
        assert confirmation_of(outcome.toast) is Confirmation.BID
        assert table_in(there[1])[1].step == before.step + 1


# Messages


@given(orders, st.sampled_from(((), ("9x6", "dudo"))))
@example([2] * 10, ())
@SEARCH
async def test_messages_are_compared_while_a_step_changes_them(
    workers: Workers, order: list[int], calls: tuple[str, ...]
) -> None:
    harnesses, sender = workers.harnesses(), RecordingSender()
    number, _ = await a_game(harnesses)
    group, *people = chats_of(harnesses[0])
    for call in calls:
        await delivered(harnesses[0], sender, group, *people)
        await harnesses[0].call(call, table=number)
    _, before = table_in(harnesses[0])
    workers.at_once(
        order,
        lambda: delivered(harnesses[0], sender, group),
        lambda: delivered(harnesses[1], sender, *people),
        lambda: harnesses[2].tap(on_turn(before), MakeBid(3, 3), table=number, step=before.step),
    )
    for _ in range(2):  # private chats are told after the group
        await rest_is_delivered(harnesses[0], sender)
    assert bids_shown(sender) == dict.fromkeys((group, *people), 1 if calls else 2)


@pytest.mark.parametrize("statements", range(24, 44))
async def test_a_change_after_a_comparison_is_compared_again(workers: Workers, statements: int) -> None:
    harnesses, sender = workers.harnesses(), RecordingSender()
    number, before = await a_game(harnesses)
    group, *people = chats_of(harnesses[0])
    await delivered(harnesses[0], sender, *people)
    workers.at_once(
        [0] * statements + [1] * 60,
        lambda: delivered(harnesses[0], sender, group),
        lambda: harnesses[1].tap(on_turn(before), MakeBid(3, 3), table=number, step=before.step),
    )
    await rest_is_delivered(harnesses[0], sender)
    assert bids_shown(sender) == dict.fromkeys((group, *people), 2)


def on_turn(table: Table) -> str:
    assert table.game is not None
    assert table.game.turn is not None
    return table.seats[table.game.turn].name


def chats_of(harness: GroupHarness) -> list[int]:
    return [harness.group.address, *(harness.person(name).address for name in ("Ana", "Bo", "Cy"))]


async def delivered(harness: GroupHarness, sender: RecordingSender, *chats: int) -> HandleResult:
    screens = screens_of(harness.database.engine)
    screens.under_way += 1  # a comparison in the middle of another worker's send would see half of it
    await DeliveryHarness(harness, sender).drain(*chats)
    screens.under_way -= 1
    return HandleResult()


async def rest_is_delivered(harness: GroupHarness, sender: RecordingSender) -> None:
    """Deliver what a worker finds that was not woken."""
    with harness.database.transaction() as session:
        found = lanes_with_work(session, ["telegram"], harness.now)
    await delivered(harness, sender, *(chat for chat in chats_of(harness) if LaneName("telegram", chat) in found))


def bids_shown(sender: RecordingSender) -> dict[int, int]:
    """The number of bids in the last message about the round in each chat."""
    bids = {}
    for envelope, _ in sender.sent:
        match envelope.notice:
            case TableNotice(view=view) | HandNotice(view=HandView(table=view)):
                bids[envelope.chat] = len(view.bids)
    return bids


# Pages


@pytest.mark.parametrize("statements", range(11, 28, 2))
async def test_a_page_that_opens_while_a_lobby_opens_shows_the_lobby(workers: Workers, statements: int) -> None:
    opener, reader, *_ = workers.harnesses()
    for harness in (opener, reader):
        harness.service.config = replace(harness.service.config, channels=CHANNELS)
    await opener.lobby("Ana")
    await opener.say("Ana", Stop(confirmed=True))
    with opener.database.transaction() as session:
        chat = session.exec(select(Chat).where(Chat.address == opener.group.address)).one()
        chat.watched = True  # by a page that is closed now
        page = WebSession(token_hash=f"of {chat.id}", chat_id=chat.id, language="en", seen_at=0)
        session.add(page)
        session.flush()
        room = -chat.id
        screen = Page(page.id, "en", None, None, None, chat.id, None, room, None, linked=False)
    sessions = Sessions(reader.service)
    streams = Streams(reader.service, sessions, lambda _: None)

    async def open_page() -> HandleResult:
        await streams._opened(screen)
        return HandleResult()

    workers.at_once([0] * statements + [1] * 20, lambda: opener.say("Ana", OpenLobby()), open_page)
    number, table = table_in(opener)
    assert table.status is Status.LOBBY
    with opener.database.transaction() as session:
        told = select(Reader.table_id).where(Reader.lane == LaneName("web", room), col(Reader.due_at).is_not(None))
        assert set(session.exec(told)) == {number}
