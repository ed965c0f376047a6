"""The coach after a round: who is told, that only what they could know counts, and what happens if it fails."""

import pickle
from collections.abc import AsyncIterator, Callable

import pytest
from sqlmodel import select

from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.service import intents as i
from telegram_bot.service.computer_requests import RoundToReview
from telegram_bot.service.handlers.coach import LEASE_SECONDS
from telegram_bot.service.intents import DeadlineReached, RoundReviewed
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.models import GameAction, GameTable
from telegram_bot.tables.advice import JudgedDecision
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html
from test_support.side_functions import no_json, refuse
from tests.telegram_bot.conftest import GroupHarness

HANDS = ("33456", "22344", "55566")
ANA = JudgedDecision(seat=0, call="2x3", lost=4, better="dudo")
BO = JudgedDecision(seat=1, call="9x3", lost=14, better="dudo")


@pytest.fixture
async def computers(harness: GroupHarness) -> AsyncIterator[ComputerRequestWorker]:
    worker = ComputerRequestWorker(harness.service, lambda _lanes: None)
    yield worker
    await worker.close()


async def coached_game(harness: GroupHarness, *hands: str, hints: bool = True) -> None:
    """Ana is to open, with these dice on the table and in the stored actions."""
    await harness.lobby("Ana", "Bo", "Cy")
    for name in ("Ana", "Bo", "Cy"):
        await harness.say(name, i.StartPrivateChat(), where=None)
    if hints:
        await harness.tap("Ana", i.ChangeOption("hints"))
    await harness.tap("Ana", i.Start())
    await harness.set_dice(*hands)
    dice = [[int(die) for die in hand] for hand in hands]
    with harness.database.transaction() as session:
        for row in session.exec(select(GameAction)):
            row.action = {"opener_draw": row.action | {"seat": 0}, "roll": row.action | {"dice": dice}}[
                row.action["type"]
            ]


async def end_round(harness: GroupHarness) -> RoundToReview | None:
    """Two threes, nine threes, dudo; then what a worker gets to judge."""
    for call in ("2x3", "9x3", "dudo"):
        await harness.call(call)
    harness.mark_all_sent()
    return (await harness.service.handle(DeadlineReached(1))).review


def lines(harness: GroupHarness) -> dict[int, str]:
    """What the coach says after the round, by private chat."""
    told = [envelope for envelope in harness.envelopes() if envelope.notice.kind == "round_review"]
    return {each.chat: message_html(each.notice, catalogue("en")) or "" for each in told}


async def test_who_gave_away_half_a_die_is_told_in_private_and_nobody_else(
    harness: GroupHarness, computers: ComputerRequestWorker
) -> None:
    await coached_game(harness, *HANDS)
    review = await end_round(harness)
    assert review is not None
    assert [str(each.call) for each in review.decisions] == ["2x3", "9x3", "dudo"]
    before = harness.table()
    computers.begin_review(review)
    await computers.idle()
    (told,) = lines(harness).items()
    assert told[0] == harness.person("Bo").address
    assert told[1].startswith("🎓 Round 1: you said <b>9 × 3️⃣</b>, but <b>")
    assert told[1].endswith("was better. On average that saves about a die.")
    assert harness.table() == before.replace(review_at=None), "no move"
    harness.mark_all_sent()
    assert (await harness.service.handle(RoundReviewed(1, 1, None, (BO,)))).skipped, "told once"
    assert lines(harness) == {}


async def test_below_half_a_die_the_coach_is_silent(harness: GroupHarness) -> None:
    await coached_game(harness, *HANDS)
    await end_round(harness)
    await harness.service.handle(RoundReviewed(1, 1, None, (ANA,)))
    assert lines(harness) == {}
    assert harness.table().review_at is None


async def test_nothing_that_the_reveal_has_shown_counts(harness: GroupHarness) -> None:
    """Bo's decision is the same question, whatever the others turn out to have held."""
    await coached_game(harness, *HANDS)
    review = await end_round(harness)
    assert review is not None
    of_bo = pickle.dumps(review.decisions[1])
    for others in (("22222", "44444"), ("13131", "33333")):
        hands = (others[0], HANDS[1], others[1])
        dice = [[int(die) for die in hand] for hand in hands]
        with harness.database.transaction() as session:
            for row in session.exec(select(GameAction).where(GameAction.number == 1)):
                row.action = row.action | {"dice": dice}
        state = harness.table().replace(review_at=harness.now).model_dump(mode="json")
        harness.update_row(GameTable, 1, state=state, due_at=harness.now)
        again = (await harness.service.handle(DeadlineReached(1))).review
        assert again is not None
        assert pickle.dumps(again.decisions[1]) == of_bo


async def test_a_worker_that_died_is_followed_by_another_and_the_table_waits_for_none(harness: GroupHarness) -> None:
    await coached_game(harness, *HANDS)
    assert await end_round(harness) is not None
    assert (await harness.service.handle(DeadlineReached(1))).review is None, "one worker at a time"
    harness.pass_time(LEASE_SECONDS)
    assert (await harness.service.handle(DeadlineReached(1))).review is not None
    await harness.call("2x3")
    assert harness.table().step == 4


async def test_what_comes_after_the_next_round_is_dropped(harness: GroupHarness) -> None:
    await coached_game(harness, *HANDS)
    await end_round(harness)
    harness.now = harness.table().reveal_at + 1
    await harness.call("1x2")
    await harness.call("dudo")
    harness.mark_all_sent()
    assert (await harness.service.handle(RoundReviewed(1, 1, None, (ANA, BO)))).skipped
    assert lines(harness) == {}


async def test_a_table_without_a_coach_hears_nothing(harness: GroupHarness) -> None:
    await coached_game(harness, *HANDS, hints=False)
    assert await end_round(harness) is None
    assert harness.table().review_at is None


async def test_nobody_hears_of_calls_that_the_bot_made_for_them(harness: GroupHarness) -> None:
    await coached_game(harness, *HANDS)
    for call in ("2x3", "9x3", "dudo"):
        await harness.call(call)
    missing = harness.table().with_seat(1, misses=1).with_seat(2, away=True)
    harness.update_row(GameTable, 1, state=missing.model_dump(mode="json"))
    review = (await harness.service.handle(DeadlineReached(1))).review
    assert review is not None
    assert [each.call.seat for each in review.decisions] == [0]


@pytest.mark.parametrize("failing", [no_json, refuse])
async def test_a_failure_tells_nothing_and_is_not_tried_again(
    harness: GroupHarness, computers: ComputerRequestWorker, failing: Callable[..., bytes]
) -> None:
    await coached_game(harness, *HANDS)
    review = await end_round(harness)
    assert review is not None
    computers.judging = SideProcess(failing, seconds=60)
    computers.begin_review(review)
    await computers.idle()
    assert lines(harness) == {}
    assert harness.table().review_at is None
