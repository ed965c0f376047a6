"""The coach: where it may be asked, that it knows no more than the player, and what happens if it knows nothing."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from telegram_bot.channels.telegram.callback_data import parse_callback
from telegram_bot.channels.telegram.enrichers import CoachAdvice
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.service import intents as i
from telegram_bot.service.handlers.coach import question_of
from telegram_bot.service.service import HandleResult
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.models import GameTable, SentMessage
from telegram_bot.storage.statistics_models import GameResult
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Table
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html
from telegram_bot.words.dice import call_label
from test_support.side_functions import no_json, refuse
from tests.telegram_bot.conftest import ONLY_SQLITE, GroupHarness, confirmation_of, rejection_of

pytestmark = ONLY_SQLITE
EN = catalogue("en")


async def coached_game(harness: GroupHarness, *hands: str) -> None:
    """A game in which Ana has opened with two threes, and whose host has allowed hints."""
    await harness.lobby("Ana", "Bo", "Cy")
    await harness.tap("Ana", i.ChangeOption("hints"))
    await harness.tap("Ana", i.Start())
    await harness.set_dice(*hands)
    await harness.call("2x3")
    harness.mark_all_sent()


async def ask(
    harness: GroupHarness, name: str = "Bo", coach: SideProcess[...] | None = None, step: int = 1
) -> HandleResult:
    """Tap the button in the private chat, as the inbox serves it: first the enricher, then the step."""
    enricher = CoachAdvice(harness.service, coach)
    intent = harness.intent(name, i.AskCoach(), by="toast", where=None, table=1, step=step)
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
    with harness.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="hint:2", chat=envelope.chat, message=55, keyboard=True))
    await harness.tap("Bo", tap.what, where=None, table=tap.table, step=tap.step)
    assert harness.table().step == 2
    assert ("outdated", envelope.chat) in harness.waiting_kinds(), "the button goes with the turn"


async def test_the_hint_is_the_same_whatever_the_others_hold(harness: GroupHarness) -> None:
    hints: list[str] = []
    for others in (("33456", "55566"), ("22222", "44444"), ("11111", "13131")):
        if not hints:
            await coached_game(harness, others[0], "22344", others[1])
        with harness.database.transaction() as session:
            row = session.get_one(GameTable, 1)
            table = Table.model_validate(row.state)
            assert table.game is not None
            state = json.loads(json.dumps(row.state))
            state["game"]["dice"] = [[int(die) for die in hand] for hand in (others[0], "22344", others[1])]
            row.state = state
        harness.mark_all_sent()
        await ask(harness)
        (notice,) = harness.notices("coach")
        hints.append(notice.model_dump_json())
    assert len(set(hints)) == 1


async def test_where_nobody_allowed_hints_it_is_silent_and_the_game_counts(harness: GroupHarness) -> None:
    await harness.game("33456", "22344")
    await harness.call("2x3")
    with harness.database.transaction() as session:
        uow = harness.service.unit_of_work(session, "")
        assert question_of(uow, harness.table(), harness.player("Bo").id, 1) is None
    assert rejection_of((await ask(harness)).toast) is RejectionReason.UNKNOWN_OPTION
    assert harness.table().counts_for_league
    assert not harness.table().replace(hints=True).counts_for_league
    assert not harness.table().replace(practice=True).counts_for_league


async def test_only_the_host_allows_hints_and_only_before_the_game(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    refused = await harness.tap("Bo", i.ChangeOption("hints"))
    assert rejection_of(refused.toast) is RejectionReason.NOT_HOST
    assert confirmation_of((await harness.tap("Ana", i.ChangeOption("hints"))).toast) == "hints_allowed"
    assert harness.notices("lobby")[-1].view.hints
    assert confirmation_of((await harness.tap("Ana", i.ChangeOption("hints"))).toast) == "no_hints"
    await harness.tap("Ana", i.Start())
    refused = await harness.tap("Ana", i.ChangeOption("hints"))
    assert rejection_of(refused.toast) is RejectionReason.ALREADY_RUNNING


async def test_others_and_old_buttons_get_no_advice(harness: GroupHarness) -> None:
    await coached_game(harness, "33456", "22344", "55566")
    assert rejection_of((await ask(harness, "Cy")).toast) is RejectionReason.ILLEGAL
    assert rejection_of((await ask(harness, step=0)).toast) is RejectionReason.STALE
    assert harness.notices("coach") == []


@pytest.mark.parametrize("failing", [no_json, refuse])
async def test_without_advice_a_short_sentence_and_the_game_goes_on(
    harness: GroupHarness, failing: Callable[..., bytes]
) -> None:
    await coached_game(harness, "33456", "22344", "55566")
    coach = SideProcess(failing, seconds=60)
    assert confirmation_of((await ask(harness, coach=coach)).toast) == "no_advice"
    await harness.call("3x3")
    assert harness.table().step == 2


async def test_a_game_with_hints_is_stored_without_counting(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.ChangeOption("hints"))
    await harness.tap("Ana", i.Start())
    for _ in range(400):
        table = harness.table()
        if table.status != "playing":
            break
        harness.now = max(harness.now, table.reveal_at) + 1
        await harness.call("dudo" if table.game is not None and table.game.bids else "1x2")
    assert [result.counted for result in harness.rows(GameResult)] == [False]


async def test_in_the_group_it_sends_the_hint_to_the_private_chat_only(harness: GroupHarness) -> None:
    await coached_game(harness, "33456", "22344", "55566")
    enricher = CoachAdvice(harness.service)
    intent = harness.intent("Bo", i.AskCoach(), by="toast", table=1, step=1)
    fact = await enricher.look_up(intent)
    refused = await harness.service.handle(enricher.add_fact(intent, fact))
    assert rejection_of(refused.toast) is RejectionReason.IN_PRIVATE
    await harness.say("Bo", i.StartPrivateChat(), where=None)
    harness.mark_all_sent()
    told = await harness.service.handle(replace(enricher.add_fact(intent, fact), cause="again"))
    assert confirmation_of(told.toast) == "hint_sent"
    assert [(envelope.chat, envelope.notice.kind) for envelope in harness.envelopes()] == [
        (harness.person("Bo").address, "coach")
    ]
