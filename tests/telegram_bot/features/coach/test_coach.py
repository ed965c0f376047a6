"""The coach: its hints and its reviews of rounds are private, and it knows no more than the player did."""

import json
import pickle
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlmodel import select

from perudo_core import Bid, Dudo, LostDice, Rules, apply, legal_calls, observe, set_up
from perudo_core.agents import new_memory
from telegram_bot.channels.telegram.callback_data import parse_callback
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features import coach as coaching
from telegram_bot.features.coach import REVIEW, AskCoach, CoachAdvice
from telegram_bot.features.coach.advice import advise, expected_for, judge
from telegram_bot.features.coach.notices import Advice, JudgedDecision, RoundReviewNotice
from telegram_bot.ingress.computer_requests import ComputerRequestWorker
from telegram_bot.intents.intents import ComputationDone, DeadlineReached
from telegram_bot.notices import ConfirmationNotice
from telegram_bot.service.computer_requests import Computation
from telegram_bot.service.handlers.lobby_requests import ChangeOption, PlayAgain, Start, StartPrivateChat
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameAction, GameTable
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from telegram_bot.words.dice import call_label
from test_support.features import features_off
from test_support.side_functions import no_json, refuse
from test_support.web_world import WebWorld, a_room, bid_and_doubt
from tests.telegram_bot.conftest import EN, GroupHarness, rejection_of
from tests.telegram_bot.words.notice_examples import words

HANDS = ("33456", "22344", "55566")


async def coached_game(harness: GroupHarness, *hands: str) -> None:
    """A game in which Ana has opened with two threes, and whose host has allowed hints."""
    await begin(harness, *(hands or HANDS))
    await harness.call("2x3")
    harness.mark_all_sent()


async def begin(harness: GroupHarness, *hands: str) -> None:
    """Ana is to open a game with hints, with these dice on the table and in the stored actions."""
    await harness.lobby("Ana", "Bo", "Cy")
    await harness.tap("Ana", ChangeOption("hints"))
    await harness.tap("Ana", Start())
    await harness.set_dice(*hands)
    store_roll(harness, *hands)


def store_roll(harness: GroupHarness, *hands: str) -> None:
    dice = [[int(die) for die in hand] for hand in hands]
    with harness.database.transaction() as session:
        for row in session.exec(select(GameAction).where(GameAction.number <= 1)):
            row.action = row.action | ({"dice": dice} if row.action["type"] == "roll" else {"seat": 0})


async def ask(harness: GroupHarness, name: str = "Bo", coach: SideProcess[...] | None = None, step: int = 1) -> Any:
    """Tap the button in the private chat, as the inbox does: first the enricher, then the step."""
    enricher = CoachAdvice(harness.service, coach)
    intent = harness.intent(name, AskCoach(), by="toast", where=None, table=1, step=step)
    fact = await enricher.look_up(intent)
    return await harness.service.handle(enricher.add_fact(intent, json.loads(json.dumps(fact))))


async def test_the_player_on_turn_gets_one_call_in_private_and_the_newest_has_a_button(harness: GroupHarness) -> None:
    await coached_game(harness)
    before, chat = harness.table(), harness.person("Bo").address
    assert (await ask(harness)).toast is None
    assert harness.waiting_kinds() == [("coach", chat)]
    (notice,) = harness.notices("coach")
    assert harness.table() == before, "a hint is no move"
    told = words(notice)
    assert told.startswith(f"💡 I would say <b>{call_label(notice.advice.best.call, EN, notice.wild_by)}</b>.\n")
    assert "Why not something else?" in told.split("<blockquote expandable>")[1]
    ((key,),) = keyboard(notice, EN, bot="bot")
    tap = parse_callback(key["callback_data"])
    assert tap is not None
    harness.mark_all_sent()
    harness.shows("answer:2", 55, chat=chat, keyboard=True)
    await ask(harness)
    assert {*harness.waiting_kinds()} == {("outdated", chat), ("coach", chat)}, "the newer has it"
    harness.mark_all_sent()
    harness.shows("answer:2", 56, chat=chat, keyboard=True)
    await harness.tap("Bo", tap.request, where=None, table=tap.table, step=tap.step)
    assert harness.table().step == 2
    assert ("outdated", chat) in harness.waiting_kinds(), "the button goes with the turn"


def test_a_third_of_the_hidden_dice_count_where_ones_are_wild() -> None:
    hands = ((4, 4, 2, 3, 6), (2,) * 5, (3,) * 5, (5,) * 5)
    for wild, face, more in ((True, 4, 5), (True, 1, 2), (False, 4, 2)):
        state = set_up(Rules(wild_ones=wild, lost_dice=LostDice.VISIBLE), hands, opener=0)
        assert expected_for(observe(state, 0), Bid(0, 5, face)) == (15, more)


async def test_the_hint_is_the_same_whatever_the_others_hold(harness: GroupHarness) -> None:
    await coached_game(harness)
    state = harness.table().model_dump(mode="json")
    hints: set[str] = set()
    for ana, cy in (("33456", "55566"), ("22222", "44444"), ("11111", "13131")):
        state["game"]["dice"] = [[int(die) for die in hand] for hand in (ana, HANDS[1], cy)]
        harness.update_row(GameTable, 1, state=state)
        harness.mark_all_sent()
        await ask(harness)
        hints.add(harness.notices("coach")[0].model_dump_json())
    assert len(hints) == 1


async def test_only_the_host_allows_hints_and_only_before_the_game(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    refused = await harness.tap("Bo", ChangeOption("hints"))
    assert rejection_of(refused.toast) is RejectionReason.NOT_HOST
    for value, counts in (("on", False), ("off", True)):
        toast = (await harness.tap("Ana", ChangeOption("hints"))).toast
        assert isinstance(toast, ConfirmationNotice)
        assert (toast.value, harness.table().counts_for_league) == (value, counts)
    await harness.tap("Ana", Start())
    refused = await harness.tap("Ana", ChangeOption("hints"))
    assert rejection_of(refused.toast) is RejectionReason.ALREADY_RUNNING
    await harness.set_dice("33", "22")
    await harness.call("2x3")
    with harness.database.transaction() as session:
        uow = harness.service.unit_of_work(session, "")
        assert coaching.advice_question(uow, harness.table(), harness.player("Bo").id, 1) is None, (
            "no one has allowed hints"
        )
    assert rejection_of((await ask(harness)).toast) is RejectionReason.UNKNOWN_OPTION


def test_the_process_of_the_coach_starts_without_the_rest_of_the_bot() -> None:
    assert advise.__module__ == judge.__module__
    name = f"{advise.__module__}:{advise.__qualname__}"
    program = f"import sys; from telegram_bot.side_process import _function; _function({name!r}); print(*sys.modules)"
    started = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)  # noqa: S603 - from above
    folder, imported = advise.__module__.rpartition(".")[0], set(started.stdout.split())
    parts = {each for each in imported if each.startswith("telegram_bot.")}
    expected = {"telegram_bot.features", "telegram_bot.side_process", "telegram_bot.confinement"}
    assert {each for each in parts if not each.startswith(folder)} == expected
    assert not imported & {"pydantic", "sqlalchemy"}


async def test_only_the_player_on_turn_gets_advice_and_only_in_private(harness: GroupHarness) -> None:
    await coached_game(harness)
    assert rejection_of((await ask(harness, "Cy")).toast) is RejectionReason.ILLEGAL
    assert rejection_of((await ask(harness, step=0)).toast) is RejectionReason.STALE
    enricher = CoachAdvice(harness.service)
    intent = harness.intent("Bo", AskCoach(), by="toast", table=1, step=1)
    fact = await enricher.look_up(intent)
    refused = await harness.service.handle(enricher.add_fact(intent, fact))
    assert rejection_of(refused.toast) is RejectionReason.IN_PRIVATE
    assert harness.notices("coach") == []
    await harness.say("Bo", StartPrivateChat(), where=None)
    harness.mark_all_sent()
    told = await harness.service.handle(replace(enricher.add_fact(intent, fact), cause="again"))
    assert told.toast == coaching.IN_PRIVATE
    assert harness.waiting_kinds() == [("coach", harness.person("Bo").address)]


async def test_without_advice_this_game_and_the_next_one_with_hints_go_on(harness: GroupHarness) -> None:
    await coached_game(harness, "2", "33", "44")
    for failing in (no_json, refuse):
        assert (await ask(harness, coach=SideProcess(failing, seconds=60))).toast == coaching.NO_ADVICE
    await harness.play_out(sent=True)
    harness.mark_all_sent()
    await harness.tap("Ana", PlayAgain())
    table = harness.table(2)
    assert coaching.are_allowed(table)
    assert not table.counts_for_league


CLASSIC = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")


def test_no_figure_contradicts_the_recommendation() -> None:
    rng = random.Random(5)
    for seed in range(12):
        hands = tuple(tuple(rng.choices(range(1, 7), k=rng.randint(1, 5))) for _ in range(rng.randint(2, 4)))
        state = set_up(CLASSIC, hands, [], opener=0)
        for _ in range(seed % 4):
            raises = [call for call in legal_calls(state, state.turn) if isinstance(call, Bid)]
            state = apply(state, rng.choice(raises[:9])).state
        assert state.turn is not None
        advice = Advice.model_validate_json(advise(observe(state, state.turn), new_memory(CLASSIC, len(hands)), seed))
        assert advice.best.risk is not None
        assert all(advice.best.risk <= (other.risk or 0) for other in advice.others), (hands, state.bids)


def advised(hands: tuple[str, ...], calls: str = "") -> Advice:
    """The coach's advice to the player on turn, who has the last of these hands."""
    dice = tuple(tuple(map(int, hand)) for hand in hands)
    bids = [Bid(seat, *map(int, call.split("x"))) for seat, call in enumerate(calls.split())]
    state = set_up(CLASSIC, dice, bids, opener=0 if bids else len(hands) - 1)
    assert state.turn == len(hands) - 1
    return Advice.model_validate_json(advise(observe(state, state.turn), new_memory(CLASSIC, len(hands)), 5))


@pytest.mark.parametrize(
    ("hand", "bid", "proof"), [("112", "3x2", (100, True)), ("345", "6x3", (0, True)), ("345", "2x3", None)]
)
def test_only_what_is_proven_is_certain(hand: str, bid: str, proof: tuple[int, bool] | None) -> None:
    advice = advised(("3456", hand), bid)
    standing = advice.standing
    assert standing is not None
    assert (advice.best.call == "dudo") >= (proof == (0, True)), "there can't be that many"
    if proof is None:
        assert not standing.proven
        assert 5 <= standing.right <= 95
    else:
        assert (standing.right, standing.proven) == proof


ANA = JudgedDecision(seat=0, call="2x3", lost=4, better="dudo")
BO = JudgedDecision(seat=1, call="9x3", lost=14, better="dudo")


@pytest.fixture
async def computers(harness: GroupHarness) -> AsyncIterator[ComputerRequestWorker]:
    worker = ComputerRequestWorker(harness.service, lambda _lanes: None)
    yield worker
    await worker.close()


async def reviewed_game(harness: GroupHarness) -> None:
    """Ana is to open a game of people with private chats."""
    for name in ("Ana", "Bo", "Cy"):
        await harness.say(name, StartPrivateChat(), where=None)
    await begin(harness, *HANDS)


async def end_round(harness: GroupHarness) -> Sequence[Computation]:
    """Two threes, nine threes, dudo; return the computation that a worker gets, if any."""
    for call in ("2x3", "9x3", "dudo"):
        await harness.call(call)
    harness.mark_all_sent()
    return await reach(harness)


async def reach(harness: GroupHarness) -> Sequence[Computation]:
    """Handle the table's deadline; return the computation that a worker gets, if any."""
    return (await harness.service.handle(DeadlineReached(1))).computations


def decisions_of(review: Computation) -> list[tuple[Any, ...]]:
    """The arguments of the judge: what a player knew, the public events, the call, a seed."""
    (decisions,) = review.arguments
    return list(decisions)


async def hand_in(harness: GroupHarness, review: Computation, *judged: JudgedDecision) -> bool:
    found = json.dumps([each.model_dump() for each in judged]).encode()
    return not (await harness.service.handle(ComputationDone(lambda uow: review.hand_in(uow, found)))).skipped


def lines(harness: GroupHarness) -> dict[int, str]:
    told = [envelope for envelope in harness.envelopes() if envelope.notice.kind == "round_review"]
    return {each.chat: words(each.notice) for each in told}


async def test_half_a_lost_die_is_told_its_player(harness: GroupHarness, computers: ComputerRequestWorker) -> None:
    await reviewed_game(harness)
    (review,) = await end_round(harness)
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
    await reviewed_game(harness)
    (review,) = await end_round(harness)
    of_bo = pickle.dumps(decisions_of(review)[1])
    for ana, cy in (("22222", "44444"), ("13131", "33333")):
        store_roll(harness, ana, HANDS[1], cy)
        state = harness.table().with_timer(REVIEW, harness.now).model_dump(mode="json")
        harness.update_row(GameTable, 1, state=state, due_at=harness.now)
        (again,) = await reach(harness)
        assert pickle.dumps(decisions_of(again)[1]) == of_bo


async def test_below_half_a_die_and_after_the_next_round_the_coach_is_silent(harness: GroupHarness) -> None:
    await reviewed_game(harness)
    assert await end_round(harness)
    assert not await reach(harness), "one worker at a time"
    harness.pass_time(coaching.LEASE_SECONDS)
    (review,) = await reach(harness)
    assert await hand_in(harness, review, ANA)
    assert (lines(harness), harness.table().timers) == ({}, {})
    harness.now = harness.table().turn_since + 1
    await harness.call("1x2")
    await harness.call("dudo")
    harness.mark_all_sent()
    assert harness.table().deals == 3, "the table waits for no review"
    assert not await hand_in(harness, review, ANA, BO)
    assert lines(harness) == {}


async def test_nobody_hears_of_calls_that_the_bot_made_for_them_or_without_a_coach(harness: GroupHarness) -> None:
    await reviewed_game(harness)
    for call in ("2x3", "9x3", "dudo"):
        await harness.call(call)
    missing = harness.table().with_seat(1, misses=1).with_seat(2, away=True)
    harness.store(missing)
    (review,) = await reach(harness)
    assert [call.seat for _, _, call, _ in decisions_of(review)] == [0]
    harness.store(missing.replace(options={}, timers={}))
    await harness.set_dice(*HANDS)
    assert not await end_round(harness)
    assert harness.table().timers == {}


@pytest.mark.parametrize("failing", [no_json, refuse])
async def test_a_failure_tells_nothing_and_is_not_tried_again(
    harness: GroupHarness, computers: ComputerRequestWorker, failing: Callable[..., bytes]
) -> None:
    await reviewed_game(harness)
    (review,) = await end_round(harness)
    computers.begin_computation(replace(review, function=failing))
    await computers.idle()
    assert lines(harness) == {}
    assert harness.table().timers == {}


def test_after_a_dudo_the_lesson_says_why_another_call_was_better() -> None:
    state = set_up(CLASSIC, ((3, 4, 5), (1, 1, 2)), [Bid(0, 2, 2)], opener=0)
    (judged,) = json.loads(judge([(observe(state, 1), new_memory(CLASSIC, 2), Dudo(1), 5)]))
    worst = JudgedDecision.model_validate(judged)
    assert words(RoundReviewNotice(round=1, worst=worst)).endswith("Your own dice proved <b>2 × 2️⃣</b>.")


async def test_a_bot_without_hints_reviews_no_round(harness: GroupHarness) -> None:
    await reviewed_game(harness)
    with features_off(["coach"]):
        assert not await end_round(harness)
        assert harness.table().timers == {}, "none begins"
        state = harness.table().with_timer(REVIEW, harness.now).model_dump(mode="json")
        harness.update_row(GameTable, 1, state=state, due_at=harness.now)
        assert not await reach(harness), "one that has begun is stopped"
    assert harness.table().timers == {}


async def test_a_guest_reads_on_the_page_how_they_have_decided(database: Database) -> None:
    world = WebWorld(database)
    ana, cy = await a_room(world, "Ana", "Cy")
    await ana.act("option", option="hints")
    await ana.act("start")
    assert "coach" in [act["act"] for act in (await ana.card("round"))["acts"]]
    await bid_and_doubt(ana, cy)
    judged = [JudgedDecision(seat=seat, call="9x3", lost=14, better="dudo").model_dump() for seat in (0, 1)]
    found = json.dumps(judged).encode()
    (review,) = (await world.service.handle(DeadlineReached(1))).computations
    await world.service.handle(ComputationDone(lambda uow: review.hand_in(uow, found)))
    world.now += ANIMATION_SECONDS
    await world.settle()
    for guest in (ana, cy):
        assert (await guest.card("review"))["lines"]
