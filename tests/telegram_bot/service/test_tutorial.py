"""The tutorial in the private chat: one message from step to step, and nothing that a tap could spoil."""

from __future__ import annotations

from telegram_bot.service import intents as i
from telegram_bot.service.notices import Envelope, MessageRef, SendMode, TutorialNotice
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.tutorial import lesson
from tests.telegram_bot.conftest import ONLY_SQLITE, GroupHarness, rejection_of

pytestmark = ONLY_SQLITE

LESSON = MessageRef(5)


async def answer(harness: GroupHarness, step: int, number: int | None) -> TutorialNotice:
    """Tap an answer in the tutorial's message; return what the message then shows."""
    harness.mark_all_sent()
    await harness.tap("Ana", i.TakeTutorial(step, number), table=None, where=None, tapped=LESSON)
    (envelope,) = harness.envelopes()
    assert isinstance(envelope, Envelope)
    assert (envelope.mode, envelope.target, envelope.chat) == (SendMode.TARGET, LESSON, harness.person("Ana").address)
    assert isinstance(envelope.notice, TutorialNotice)
    return envelope.notice


def answers_to(harness: GroupHarness, step: int) -> tuple[int, int]:
    """The numbers of a right and of a wrong answer."""
    answers = lesson(harness.service.config.rules)[step].answers
    right = [answer.right for answer in answers]
    return right.index(True), right.index(False)


async def test_right_answers_lead_to_the_end_in_one_message(harness: GroupHarness) -> None:
    await harness.say("Ana", i.TakeTutorial(), where=None)
    assert [(notice.step, notice.wrong) for notice in harness.notices("tutorial")] == [(0, None)]
    for step in range(6):
        right, wrong = answers_to(harness, step)
        hint = await answer(harness, step, wrong)
        assert (hint.step, hint.wrong) == (step, wrong)
        following = await answer(harness, step, right)
        assert (following.step, following.wrong) == (step + 1, None)
    assert harness.rows(GameTable) == []


async def test_a_second_tap_and_an_old_or_forged_button_do_no_harm(harness: GroupHarness) -> None:
    right, _ = answers_to(harness, 2)
    assert await answer(harness, 2, right) == await answer(harness, 2, right)
    assert (await answer(harness, 0, None)).step == 0
    unknown = await answer(harness, 2, 9)
    assert (unknown.step, unknown.wrong) == (2, None)
    assert (await answer(harness, 9, 9)).step == 6
    result = await harness.tap("Ana", i.TakeTutorial(0, 0), table=None, tapped=LESSON)
    assert rejection_of(result.toast) is RejectionReason.IN_PRIVATE


async def test_it_teaches_the_rules_of_the_table_where_its_reader_sits_and_leaves_the_table_alone(
    harness: GroupHarness,
) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.ChangeOption("calza"))
    before = harness.table()
    shown = await answer(harness, 0, 0)
    assert shown.rules.calza
    assert not harness.service.config.rules.calza
    assert harness.table() == before


async def test_a_phone_gets_the_game_in_one_text(harness: GroupHarness) -> None:
    await harness.text("Bo", i.TakeTutorial())
    assert [notice.step for notice in harness.notices("tutorial")] == [0]
