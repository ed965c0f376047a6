"""Computer players through the service: the thinking process, its question, and calls that come late or never."""

from collections.abc import AsyncIterator
from dataclasses import replace
from random import Random

import pytest
from sqlmodel import col, select

from perudo_core import Bid, Calza, Dudo, Observation, Roll, apply, dump_action, load_action, new_game
from perudo_core.agents import Character, Level, Memory, create_agent
from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.intents.intents import CallComputed, DeadlineReached
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.computer_requests import CallRequest, call_request_for, public_memory
from telegram_bot.service.handlers.clock import LEASE_SECONDS
from telegram_bot.service.handlers.game_requests import ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.service.service import HandleResult
from telegram_bot.storage.models import GameAction, GameTable, LaneName, RoundEnd
from telegram_bot.tables import play as play_steps
from telegram_bot.tables import result_views
from telegram_bot.tables.model import ComputerPlayer, Status
from telegram_bot.tables.result_views import Reaction, ReactionTo, RevealView, reaction_to
from tests.telegram_bot.conftest import EN, NAMES, GroupHarness


def seat_computers(harness: GroupHarness, *seats: int) -> None:
    """Give these seats of the running game to computer players, as if the host had added them in the lobby."""
    table = harness.table()
    for seat in seats:
        table = table.with_seat(seat, computer=ComputerPlayer(level=Level.REGULAR), player=-1_000_001 - seat)
    harness.store(table)


async def reach_request(harness: GroupHarness) -> CallRequest:
    """Let time pass until the computer player on turn is due to call; its turn has been announced."""
    think_at = harness.table().running.think_at
    assert think_at is not None
    await harness.run_deadlines(0)
    harness.pass_time(max(think_at - harness.now, 0))
    result = await harness.service.handle(DeadlineReached(1))
    (request,) = result.call_requests
    return request


async def play(harness: GroupHarness, request: CallRequest, call: Bid | Dudo | None = None) -> HandleResult:
    agent = create_agent(request.level, request.character)
    found = call or agent.choose(request.observation, request.memory, Random(request.seed))
    return await harness.service.handle(CallComputed(request.table, request.step, request.seat, found))


async def let_bo_open(harness: GroupHarness) -> None:
    """Put Bo on turn, in a round that begins now."""
    await harness.set_dice("22", "33", "44", opener=1)
    begun = play_steps.start_clock(harness.table(), now=harness.now, timings=harness.service.config.timings).table
    harness.store(begun)
    harness.update_row(GameTable, 1, due_at=begun.running.think_at or begun.running.ends)


async def a_turn(harness: GroupHarness, *hands: str) -> None:
    """A game in which Ana bids, and a computer player on her left is to answer."""
    await harness.game(*hands)
    seat_computers(harness, *range(1, len(hands)))
    await harness.call("1x2")


async def test_its_call_goes_the_way_of_everybodys_and_is_stored_as_its_own(harness: GroupHarness) -> None:
    await a_turn(harness, "22", "33", "44")
    request = await reach_request(harness)
    assert (request.seat, request.step, request.level) == (1, 1, Level.REGULAR)
    result = await play(harness, request, Bid(1, 2, 2))
    assert not result.skipped
    table = harness.table()
    assert table.step == 2
    assert table.begun_game.current_bid == Bid(1, 2, 2)
    causes = [row.cause.partition(":")[0] for row in harness.rows(GameAction)]
    assert causes[-1] == "computer"
    assert "private" not in {envelope.notice.kind for envelope in harness.envelopes()}
    assert all(envelope.chat != -1_000_002 for envelope in harness.envelopes())


async def test_a_thought_has_a_lease_and_is_taken_over_when_it_ends(harness: GroupHarness) -> None:
    await a_turn(harness, "22", "33")
    first = await reach_request(harness)
    assert (await harness.service.handle(DeadlineReached(1))).skipped  # another worker finds nothing to do
    harness.pass_time(LEASE_SECONDS)
    again = await harness.service.handle(DeadlineReached(1))  # the first one was killed
    (second,) = again.call_requests
    assert (second.step, second.observation) == (first.step, first.observation)
    assert not (await play(harness, second, Bid(1, 2, 2))).skipped
    assert (await play(harness, first, Bid(1, 3, 2))).skipped  # it was only slow
    assert harness.table().step == 2


@pytest.mark.parametrize("call", [None, Bid(1, 1, 2)])
async def test_for_an_agent_that_fails_the_bot_plays(
    harness: GroupHarness, call: Bid | None, caplog: pytest.LogCaptureFixture
) -> None:
    await a_turn(harness, "22", "33")
    request = await reach_request(harness)
    await harness.service.handle(CallComputed(1, request.step, 1, call))
    assert harness.table().step == 2
    assert ("the bot plays" in caplog.text) is (call is not None), "the worker has said already why it found none"
    assert harness.table().seats[1].misses == 0


async def test_no_table_is_stuck_when_nobody_thinks(harness: GroupHarness, caplog: pytest.LogCaptureFixture) -> None:
    await a_turn(harness, "22", "33")
    await reach_request(harness)
    for _ in range(2):
        harness.pass_time(LEASE_SECONDS)
        await harness.service.handle(DeadlineReached(1))
    assert harness.table().step == 2
    assert "thought about for too long" in caplog.text


async def test_it_waits_until_its_turn_was_announced(harness: GroupHarness) -> None:
    await a_turn(harness, "22", "33")
    harness.pass_time(5)
    result = await harness.service.handle(DeadlineReached(1))
    assert not result.call_requests
    assert (harness.rows(GameTable)[0].due_at or 0) > harness.now
    think_at = harness.as_shown().running.think_at
    assert think_at is not None
    assert think_at > harness.now


async def test_what_it_decides_on_does_not_depend_on_what_it_may_not_know(harness: GroupHarness) -> None:
    await harness.start_game("Ana", "Bo", "Cy")
    await harness.call("1x2")
    before = harness.table()
    seat = before.begun_game.turn
    assert seat is not None
    with harness.database.transaction() as session:
        request = call_request_for(session, before, seat, seed=1)
        rows = session.exec(select(GameAction).order_by(col(GameAction.number))).all()
        (stored,) = [row for row in rows if isinstance(load_action(row.action), Roll)]
        hands = load_action(stored.action)
        assert isinstance(hands, Roll)
        others = tuple(dice if at == seat else tuple(7 - die for die in dice) for at, dice in enumerate(hands.dice))
        assert others != hands.dice
        stored.action = dump_action(Roll(others))
        session.flush()
        state = new_game(before.rules, list(before.begun_game.seats))
        for row in rows:
            state = apply(state, load_action(row.action)).state
        assert state != before.game
        other = call_request_for(session, before.replace(game=state), seat, seed=1)
    assert other == request
    assert (type(request.observation), type(request.memory)) == (Observation, Memory)
    assert request.memory.bids == before.begun_game.bids  # the stored game was followed


async def test_a_computer_player_remembers_the_rounds_that_are_over(harness: GroupHarness) -> None:
    await harness.start_game("Ana", "Bo", "Cy")
    for call in ("1x2", "2x2", "dudo", "1x3", "1x4", "dudo", "1x5"):
        await harness.call(call)
    with harness.database.transaction() as session:
        remembered = public_memory(session, harness.table())
    assert len(remembered.rounds) == 2
    assert remembered.bids == harness.table().begun_game.bids


async def test_whoever_is_away_is_played_by_a_regular_player_and_back_at_once(harness: GroupHarness) -> None:
    await harness.game("22", "33", "44", calls="1x2")
    await harness.run_deadlines(121)  # Bo's clock runs out: the careful call, at once
    assert harness.table().seats[1].away
    await let_bo_open(harness)
    request = await reach_request(harness)
    assert (request.seat, request.level, request.character) == (1, Level.REGULAR, Character.PLAIN)
    await harness.tap("Bo", ReturnToSeat())
    assert (await play(harness, request)).skipped, "the seat is Bo's again"
    await harness.run_deadlines(121)
    await let_bo_open(harness)
    step = harness.table().step
    assert not (await play(harness, await reach_request(harness), Bid(1, 1, 3))).skipped
    assert (harness.table().step, harness.table().this_step.timed_out) == (step + 1, 1)
    assert harness.rows(GameAction)[-1].cause.startswith("computer")


@pytest.fixture
async def computers(harness: GroupHarness) -> AsyncIterator[ComputerRequestWorker]:
    worker = ComputerRequestWorker(harness.service, lambda _lanes: None)
    yield worker
    await worker.close()


async def test_a_process_plays_as_its_agent_and_once(harness: GroupHarness, computers: ComputerRequestWorker) -> None:
    await a_turn(harness, "222", "333", "444")
    request = await reach_request(harness)
    agent, woken = create_agent(request.level, Character.PLAIN), set[LaneName]()
    computers.wake = woken.update
    computers.begin_call(request)
    computers.begin_call(request)  # it is under way already
    assert len(computers._running) == 1
    await computers.idle()
    assert harness.table().step == 2
    assert LaneName("telegram", -1001) in woken
    assert harness.rows(GameAction)[-1].cause.startswith("computer")
    played = load_action(harness.rows(GameAction)[-1].action)
    assert played == agent.choose(request.observation, request.memory, Random(request.seed))


async def test_a_process_that_cannot_think_leaves_the_call_to_the_bot(
    harness: GroupHarness, computers: ComputerRequestWorker, caplog: pytest.LogCaptureFixture
) -> None:
    await a_turn(harness, "22", "33")
    await computers.thinking[0].close()
    computers.begin_call(await reach_request(harness))
    await computers.idle()
    assert harness.table().step == 2
    assert "the bot plays" in caplog.text


class TestOutOfTurn:
    """Where the rules let other players than the one on turn call, computer players do so too, rarely."""

    @staticmethod
    async def bid(harness: GroupHarness, bid: str, *hands: str, **options: bool) -> None:
        """Ana bids, Bo is on turn, and everyone else is a computer player."""
        await harness.lobby(*NAMES[: len(hands)])
        table = harness.table()
        harness.store(table.replace(rules=table.rules.with_options(**options)))
        await harness.tap("Ana", Start())
        await harness.set_dice(*hands, opener=0)
        seat_computers(harness, *range(2, len(hands)))
        await harness.call(bid)

    @staticmethod
    async def reach(harness: GroupHarness) -> tuple[CallRequest, ...]:
        due = harness.table().timers["interruptions"]
        await harness.run_deadlines(0)
        harness.pass_time(max(due - harness.now, 0))
        return tuple((await harness.service.handle(DeadlineReached(1))).call_requests)

    @pytest.mark.parametrize("late", [False, True])
    async def test_an_impossible_bid_is_doubted_out_of_turn(self, harness: GroupHarness, late: bool) -> None:
        await self.bid(harness, "8x6", "22", "33", "44", out_of_turn_dudo=True)
        (request,) = await self.reach(harness)
        assert (request.seat, request.on_turn) == (2, False)
        assert harness.table().timers == {}, "a worker that dies now keeps no one waiting"
        if late:
            assert not (await harness.call("dudo")).skipped
        assert (await play(harness, request)).skipped is late
        assert (Dudo(2) in [load_action(row.action) for row in harness.rows(GameAction)]) is not late

    async def test_a_likely_bid_is_left_alone_and_the_turn_goes_on(self, harness: GroupHarness) -> None:
        await self.bid(harness, "1x4", "22", "33", "44", out_of_turn_dudo=True)
        (request,) = await self.reach(harness)
        before = harness.table()
        await harness.play_computed_call(request)
        assert harness.table() == before
        assert before.timers == {}
        assert not (await harness.call("2x4")).skipped

    async def test_a_calza_waits_for_its_window_as_anybodys_does(self, harness: GroupHarness) -> None:
        await self.bid(harness, "1x3", "2", "3", "4", calza=True)
        (request,) = await self.reach(harness)
        await harness.service.handle(CallComputed(1, request.step, request.seat, Calza(request.seat)))
        table = harness.table()
        assert table.this_step.claims == (2,)
        assert table.this_step.claims_close is not None
        assert (await harness.service.handle(CallComputed(1, request.step, 2, Calza(2)))).skipped, "once is enough"

    async def test_whoever_cannot_be_sure_is_not_asked(self, harness: GroupHarness) -> None:
        await self.bid(harness, "1x3", "22222", "33333", "44444", calza=True)
        assert harness.table().timers == {}


async def end_a_round(harness: GroupHarness) -> RevealView:
    """Ana has bid two fours, and Bo, a computer player like Cy, doubts them."""
    await harness.game("44456", "22356", "22356")
    seat_computers(harness, 1, 2)
    harness.mark_all_sent()
    await harness.call("2x4")
    await harness.service.handle(CallComputed(1, harness.table().step, 1, Dudo(1)))
    notice, *private = harness.notices("reveal")
    assert all(other.view == notice.view for other in private)
    view: RevealView = notice.view
    return view


async def test_computer_players_say_a_word_in_one_of_two_rounds(harness: GroupHarness) -> None:
    view = await end_a_round(harness)
    assert [notice.seat for notice in harness.notices("reveal")] == [None, 0], "to the group, and to Ana"
    assert view.reaction == reaction_to(view)

    def told(view: RevealView) -> list[Reaction]:
        rounds = (reaction_to(view.model_copy(update={"round": number})) for number in range(1, 201))
        return [each for each in rounds if each is not None]

    assert 60 < len(told(view)) < 140
    assert {(each.seat, each.to) for each in told(view)} == {(1, ReactionTo.LOST_DIE)}
    of_ana = view.model_copy(update={"changes": tuple(each.model_copy(update={"seat": 0}) for each in view.changes)})
    assert told(of_ana) == [], "people are never spoken for"
    assert view.bid is not None
    bluff = view.model_copy(update={"bid": view.bid.model_copy(update={"seat": 2}), "changes": ()})
    assert {(each.seat, each.to) for each in told(bluff)} == {(2, ReactionTo.BLUFF_HELD)}
    notice, _ = harness.notices("reveal")
    before, after = (
        message_html(notice.model_copy(update={"view": view.model_copy(update={"reaction": each})}), EN)
        for each in (None, told(view)[0])
    )
    assert len((after or "").splitlines()) == len((before or "").splitlines()) + 1


@pytest.mark.parametrize("reactions", [True, False])
async def test_a_house_may_do_without_their_words(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch, *, reactions: bool
) -> None:
    monkeypatch.setattr(result_views, "ONE_IN", 1)  # a word in each round
    harness.service.config = replace(harness.service.config, reactions=reactions)
    view = await end_a_round(harness)
    assert (view.reaction is not None) is reactions


async def test_the_reveal_that_puts_the_last_person_out_shows_the_computers_dice(harness: GroupHarness) -> None:
    await harness.game("2", "2222", "33", sent=True)
    await harness.set_dice("2", "2222", "33", opener=2)
    await harness.call("1x3")
    seat_computers(harness, 1, 2)
    await harness.call("dudo")
    (end,) = [RevealView.model_validate(each.view) for each in harness.rows(RoundEnd)]
    assert harness.table().status is Status.FINISHED
    assert (end.out, [seat.out for seat in end.seats]) == ((0,), [True, False, False])
