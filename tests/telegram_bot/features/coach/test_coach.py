"""The coach: only the player on turn hears it, and it knows no more than the player."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from perudo_core import Bid, LostDice, Rules, apply, legal_calls, observe, set_up
from perudo_core.agents import new_memory
from telegram_bot.channels.telegram.callback_data import parse_callback
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.coach import IN_PRIVATE, NO_ADVICE, AskCoach, CoachAdvice, advice_question, are_allowed
from telegram_bot.features.coach.advice import advise, expected_for, judge
from telegram_bot.features.coach.notices import Advice, CoachNotice
from telegram_bot.notices import ConfirmationNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.handlers.lobby_requests import ChangeOption, PlayAgain, Start, StartPrivateChat
from telegram_bot.service.service import HandleResult
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.events import RejectionReason
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.dice import call_label
from test_support.side_functions import no_json, refuse
from tests.telegram_bot.conftest import GroupHarness, rejection_of

EN = catalogue("en")


async def coached_game(harness: GroupHarness, *hands: str) -> None:
    """A game in which Ana has opened with two threes, and whose host has allowed hints."""
    await harness.lobby("Ana", "Bo", "Cy")
    await harness.tap("Ana", ChangeOption("hints"))
    await harness.tap("Ana", Start())
    await harness.set_dice(*hands)
    await harness.call("2x3")
    harness.mark_all_sent()


async def ask(
    harness: GroupHarness, name: str = "Bo", coach: SideProcess[...] | None = None, step: int = 1
) -> HandleResult:
    """Tap the button in the private chat, as the inbox does: first the enricher, then the step."""
    enricher = CoachAdvice(harness.service, coach)
    intent = harness.intent(name, AskCoach(), by="toast", where=None, table=1, step=step)
    fact = await enricher.look_up(intent)
    return await harness.service.handle(enricher.add_fact(intent, json.loads(json.dumps(fact))))


async def test_the_player_on_turn_gets_one_call_with_a_button_in_private(harness: GroupHarness) -> None:
    await coached_game(harness, "33456", "22344", "55566")
    before = harness.table()
    assert (await ask(harness)).toast is None
    (envelope,) = harness.envelopes()
    assert (envelope.chat, envelope.notice.kind) == (harness.person("Bo").address, "coach")
    (notice,) = harness.notices("coach")
    assert harness.table() == before, "a hint is no move"
    told = message_html(notice, EN) or ""
    assert told.startswith(f"💡 I would say <b>{call_label(notice.advice.best.call, EN, notice.wild_by)}</b>.\n")
    assert "Why not something else?" in told.split("<blockquote expandable>")[1]
    (row,) = keyboard(notice, EN, bot="bot")
    tap = parse_callback(row[0]["callback_data"])
    assert tap is not None
    harness.mark_all_sent()
    harness.shows("answer:2", 55, chat=envelope.chat, keyboard=True)
    await harness.tap("Bo", tap.request, where=None, table=tap.table, step=tap.step)
    assert harness.table().step == 2
    assert ("outdated", envelope.chat) in harness.waiting_kinds(), "the button goes with the turn"


async def test_of_two_hints_only_the_newer_has_the_button(harness: GroupHarness) -> None:
    await coached_game(harness, "33456", "22344", "55566")
    await ask(harness)
    harness.mark_all_sent()
    chat = harness.person("Bo").address
    harness.shows("answer:2", 55, chat=chat, keyboard=True)
    await ask(harness)
    assert set(harness.waiting_kinds()) == {("outdated", chat), ("coach", chat)}


def test_a_third_of_the_hidden_dice_count_where_ones_are_wild() -> None:
    hands = ((4, 4, 2, 3, 6), (2,) * 5, (3,) * 5, (5,) * 5)
    for wild, face, more in ((True, 4, 5), (True, 1, 2), (False, 4, 2)):
        rules = Rules(wild_ones=wild, lost_dice=LostDice.VISIBLE)
        state = set_up(rules, hands, opener=0)
        assert expected_for(observe(state, 0), Bid(0, 5, face)) == (15, more)


async def test_the_hint_is_the_same_whatever_the_others_hold(harness: GroupHarness) -> None:
    await coached_game(harness, "33456", "22344", "55566")
    state = harness.table().model_dump(mode="json")
    hints: set[str] = set()
    for others in (("33456", "55566"), ("22222", "44444"), ("11111", "13131")):
        state["game"]["dice"] = [[int(die) for die in hand] for hand in (others[0], "22344", others[1])]
        harness.update_row(GameTable, 1, state=state)
        harness.mark_all_sent()
        await ask(harness)
        hints.add(harness.notices("coach")[0].model_dump_json())
    assert len(hints) == 1


async def test_where_nobody_allowed_hints_it_is_silent_and_the_game_counts(harness: GroupHarness) -> None:
    await harness.game("33", "22")
    await harness.call("2x3")
    with harness.database.transaction() as session:
        uow = harness.service.unit_of_work(session, "")
        assert advice_question(uow, harness.table(), harness.player("Bo").id, 1) is None
    assert rejection_of((await ask(harness)).toast) is RejectionReason.UNKNOWN_OPTION
    assert harness.table().counts_for_league


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


async def test_the_next_game_of_the_same_players_has_hints_too_and_does_not_count(harness: GroupHarness) -> None:
    await coached_game(harness, "2", "33", "44")
    await harness.play_out(sent=True)
    harness.mark_all_sent()
    await harness.tap("Ana", PlayAgain())
    table = harness.table(2)
    assert are_allowed(table)
    assert not table.counts_for_league


@pytest.mark.parametrize("function", [advise, judge])
def test_the_process_of_the_coach_starts_without_the_rest_of_the_bot(function: Callable[..., bytes]) -> None:
    name = f"{function.__module__}:{function.__qualname__}"
    program = f"import sys; from telegram_bot.side_process import _function; _function({name!r}); print(*sys.modules)"
    started = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)  # noqa: S603 - from above
    folder, imported = advise.__module__.rpartition(".")[0], set(started.stdout.split())
    parts = {each for each in imported if each.startswith("telegram_bot.")}
    expected = {"telegram_bot.features", "telegram_bot.side_process", "telegram_bot.confinement"}
    assert {each for each in parts if not each.startswith(folder)} == expected
    assert not imported & {"pydantic", "sqlalchemy"}


async def test_others_and_old_buttons_get_no_advice_and_in_the_group_it_goes_to_the_private_chat_only(
    harness: GroupHarness,
) -> None:
    await coached_game(harness, "33456", "22344", "55566")
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
    assert told.toast == IN_PRIVATE
    assert harness.waiting_kinds() == [("coach", harness.person("Bo").address)]


@pytest.mark.parametrize("failing", [no_json, refuse])
async def test_without_advice_a_short_sentence_and_the_game_goes_on(
    harness: GroupHarness, failing: Callable[..., bytes]
) -> None:
    await coached_game(harness, "33456", "22344", "55566")
    coach = SideProcess(failing, seconds=60)
    assert (await ask(harness, coach=coach)).toast == NO_ADVICE
    await harness.call("3x3")
    assert harness.table().step == 2


# The coach's advice contradicts none of its figures


CLASSIC = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")


def test_no_figure_contradicts_the_recommendation() -> None:
    """For any hands and bids, no shown alternative has a lower risk."""
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


def told(advice: Advice) -> str:
    return message_html(CoachNotice(table=1, step=1, advice=advice), EN) or ""


def test_what_their_own_dice_prove_is_said_as_proven() -> None:
    words = told(advised(("345", "112"), "1x2"))
    assert "1 × 2️⃣</b> is surely true: your own dice prove it." in words
    assert "The bids so far count too" not in words, "nothing else counts"
    best = advised(("345", "112"), "1x2").best
    bid = best.model_copy(update={"call": "3x2", "right": 100, "held": 3, "proven": True, "risk": 20})
    assert told(Advice(best=bid)) == "💡 I would say <b>3 × 2️⃣</b>.\nIt's surely true: you hold 3."
    wrong = advised(("34", "55"), "4x3")
    assert wrong.best.call == "dudo"
    assert told(wrong).splitlines()[1] == "There can't be that many: your own dice prove it."


@pytest.mark.parametrize(
    ("hand", "bid", "proof"), [("112", "3x2", (100, True)), ("345", "6x3", (0, True)), ("345", "2x3", None)]
)
def test_only_what_is_proven_is_certain(hand: str, bid: str, proof: tuple[int, bool] | None) -> None:
    standing = advised(("3456", hand), bid).standing
    assert standing is not None
    if proof is None:
        assert not standing.proven
        assert 5 <= standing.right <= 95
    else:
        assert (standing.right, standing.proven) == proof
