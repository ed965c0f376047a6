"""The review after a round: each player in private, judged by their knowledge at the time."""

import json
import pickle
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import select

from perudo_core import Bid, Dudo, Rules, observe, set_up
from perudo_core.agents import new_memory
from telegram_bot.features.coach import LEASE_SECONDS, REVIEW
from telegram_bot.features.coach.advice import judge
from telegram_bot.features.coach.notices import JudgedDecision, RoundReviewNotice
from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.intents.intents import ComputationDone, DeadlineReached
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.computer_requests import Computation
from telegram_bot.service.handlers.lobby_requests import ChangeOption, Start, StartPrivateChat
from telegram_bot.storage.models import GameAction, GameTable
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from telegram_bot.words.catalogue import catalogue
from test_support.features import features_off
from test_support.side_functions import no_json, refuse
from tests.telegram_bot.conftest import GroupHarness

EN = catalogue("en")

HANDS = ("33456", "22344", "55566")
ANA = JudgedDecision(seat=0, call="2x3", lost=4, better="dudo")
BO = JudgedDecision(seat=1, call="9x3", lost=14, better="dudo")


@pytest.fixture
async def computers(harness: GroupHarness) -> AsyncIterator[ComputerRequestWorker]:
    worker = ComputerRequestWorker(harness.service, lambda _lanes: None)
    yield worker
    await worker.close()


async def reviewed_game(harness: GroupHarness, *hands: str) -> None:
    """Ana is to open, with these dice on the table and in the stored actions."""
    await harness.lobby("Ana", "Bo", "Cy")
    for name in ("Ana", "Bo", "Cy"):
        await harness.say(name, StartPrivateChat(), where=None)
    await harness.tap("Ana", ChangeOption("hints"))
    await harness.tap("Ana", Start())
    await harness.set_dice(*hands)
    dice = [[int(die) for die in hand] for hand in hands]
    with harness.database.transaction() as session:
        for row in session.exec(select(GameAction)):
            row.action = {"opener_draw": row.action | {"seat": 0}, "roll": row.action | {"dice": dice}}[
                row.action["type"]
            ]


async def end_round(harness: GroupHarness) -> Computation | None:
    """Two threes, nine threes, dudo; return the computation that a worker gets."""
    for call in ("2x3", "9x3", "dudo"):
        await harness.call(call)
    harness.mark_all_sent()
    return await reach(harness)


async def reach(harness: GroupHarness) -> Computation | None:
    """Handle the table's deadline; return the computation that a worker gets."""
    return next(iter((await harness.service.handle(DeadlineReached(1))).computations), None)


def decisions_of(review: Computation) -> list[tuple[Any, ...]]:
    """The arguments of the judge: what a player knew, the public events, the call, a seed."""
    (decisions,) = review.arguments
    return list(decisions)


async def hand_in(harness: GroupHarness, review: Computation, *judged: JudgedDecision) -> bool:
    """Hand in these judgements; True if they were used."""
    found = json.dumps([each.model_dump() for each in judged]).encode()
    return not (await harness.service.handle(ComputationDone(lambda uow: review.hand_in(uow, found)))).skipped


def lines(harness: GroupHarness) -> dict[int, str]:
    """The coach's reviews after the round, by private chat."""
    told = [envelope for envelope in harness.envelopes() if envelope.notice.kind == "round_review"]
    return {each.chat: message_html(each.notice, catalogue("en")) or "" for each in told}


async def test_who_gave_away_half_a_die_is_told_in_private_and_nobody_else(
    harness: GroupHarness, computers: ComputerRequestWorker
) -> None:
    await reviewed_game(harness, *HANDS)
    review = await end_round(harness)
    assert review is not None
    assert [str(call) for _, _, call, _ in decisions_of(review)] == ["2x3", "9x3", "dudo"]
    before = harness.table()
    computers.begin_computation(review)
    await computers.idle()
    (told,) = lines(harness).items()
    assert told[0] == harness.person("Bo").address
    assert told[1].startswith("🎓 Round 1: you said <b>9 × 3️⃣</b>, but <b>")
    assert "was better. On average that saves about a die. It was right with " in told[1], "and why"
    (waiting,) = [row for row in harness.waiting() if (row.notice or {})["notice"]["kind"] == "round_review"]
    assert waiting.not_before == harness.table().turn_since + ANIMATION_SECONDS, "the dice are counted first"
    assert harness.table() == before.with_timer(REVIEW, None), "no move"
    harness.mark_all_sent()
    assert not await hand_in(harness, review, BO), "told once"
    assert lines(harness) == {}


async def test_nothing_that_the_reveal_has_shown_counts(harness: GroupHarness) -> None:
    """Bo's decision is the same question with any dice of the others."""
    await reviewed_game(harness, *HANDS)
    review = await end_round(harness)
    assert review is not None
    of_bo = pickle.dumps(decisions_of(review)[1])
    for others in (("22222", "44444"), ("13131", "33333")):
        hands = (others[0], HANDS[1], others[1])
        dice = [[int(die) for die in hand] for hand in hands]
        with harness.database.transaction() as session:
            for row in session.exec(select(GameAction).where(GameAction.number == 1)):
                row.action = row.action | {"dice": dice}
        state = harness.table().with_timer(REVIEW, harness.now).model_dump(mode="json")
        harness.update_row(GameTable, 1, state=state, due_at=harness.now)
        again = await reach(harness)
        assert again is not None
        assert pickle.dumps(decisions_of(again)[1]) == of_bo


async def test_a_worker_that_died_is_followed_by_another_and_the_table_waits_for_none(harness: GroupHarness) -> None:
    await reviewed_game(harness, *HANDS)
    assert await end_round(harness) is not None
    assert await reach(harness) is None, "one worker at a time"
    harness.pass_time(LEASE_SECONDS)
    assert await reach(harness) is not None
    await harness.call("2x3")
    assert harness.table().step == 4


async def test_below_half_a_die_and_after_the_next_round_the_coach_is_silent(harness: GroupHarness) -> None:
    await reviewed_game(harness, *HANDS)
    review = await end_round(harness)
    assert review is not None
    assert await hand_in(harness, review, ANA)
    assert (lines(harness), harness.table().timers) == ({}, {})
    harness.now = harness.table().turn_since + 1
    await harness.call("1x2")
    await harness.call("dudo")
    harness.mark_all_sent()
    assert not await hand_in(harness, review, ANA, BO)
    assert lines(harness) == {}


async def test_nobody_hears_of_calls_that_the_bot_made_for_them_or_without_a_coach(harness: GroupHarness) -> None:
    await reviewed_game(harness, *HANDS)
    for call in ("2x3", "9x3", "dudo"):
        await harness.call(call)
    missing = harness.table().with_seat(1, misses=1).with_seat(2, away=True)
    harness.store(missing)
    review = await reach(harness)
    assert review is not None
    assert [call.seat for _, _, call, _ in decisions_of(review)] == [0]
    harness.store(missing.replace(options={}, timers={}))
    await harness.set_dice(*HANDS)
    assert await end_round(harness) is None
    assert harness.table().timers == {}


@pytest.mark.parametrize("failing", [no_json, refuse])
async def test_a_failure_tells_nothing_and_is_not_tried_again(
    harness: GroupHarness, computers: ComputerRequestWorker, failing: Callable[..., bytes]
) -> None:
    await reviewed_game(harness, *HANDS)
    review = await end_round(harness)
    assert review is not None
    computers.begin_computation(replace(review, function=failing))
    await computers.idle()
    assert lines(harness) == {}
    assert harness.table().timers == {}


CLASSIC = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")


def test_after_a_dudo_the_lesson_says_why_another_call_was_better() -> None:
    state = set_up(CLASSIC, ((3, 4, 5), (1, 1, 2)), [Bid(0, 2, 2)], opener=0)
    (judged,) = json.loads(judge([(observe(state, 1), new_memory(CLASSIC, 2), Dudo(1), 5)]))
    worst = JudgedDecision.model_validate(judged)
    lesson = message_html(RoundReviewNotice(round=1, worst=worst), EN) or ""
    assert lesson.endswith("Your own dice proved <b>2 × 2️⃣</b>.")


async def test_a_bot_without_hints_reviews_no_round(harness: GroupHarness) -> None:
    await reviewed_game(harness, *HANDS)
    with features_off(["coach"]):
        assert await end_round(harness) is None
        assert harness.table().timers == {}, "none begins"
        state = harness.table().with_timer(REVIEW, harness.now).model_dump(mode="json")
        harness.update_row(GameTable, 1, state=state, due_at=harness.now)
        assert await reach(harness) is None, "one that has begun is stopped"
    assert harness.table().timers == {}
