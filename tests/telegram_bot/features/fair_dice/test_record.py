"""The file of a finished game: when it is sent, how, and what its words say of dice that were changed."""

import json

from perudo_core.stirs import SIGNS
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.delivery.sender import InvalidError, SendResult
from telegram_bot.features.fair_dice import FairDiceAnswer, FairDiceAnswerNotice, RecordNotice, SeeRecord, StirDice
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.storage.models import GameAction
from telegram_bot.tables.events import RejectionReason
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi
from tests.telegram_bot.channels.telegram.test_sender import to, trouble
from tests.telegram_bot.conftest import GroupHarness, rejection_of
from tests.telegram_bot.delivery.conftest import GROUP
from tests.telegram_bot.features.fair_dice.test_fair_dice import shaken_lobby, words


async def test_the_record_of_a_finished_game_is_not_sent_again_while_it_stands_right_above(
    harness: GroupHarness,
) -> None:
    above = FairDiceAnswerNotice(answer=FairDiceAnswer.RECORD_ABOVE)
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
    assert rejection_of((await harness.tap("Ana", SeeRecord())).toast) is RejectionReason.NO_GAME
    await harness.tap("Bo", Leave(confirmed=True))
    harness.mark_all_sent()
    assert (await harness.tap("Cy", SeeRecord())).toast is None
    assert (await harness.tap("Cy", SeeRecord())).toast == above
    assert harness.waiting_kinds() == [("record", GROUP)]
    assert "Ana" in harness.notices("record")[0].document
    harness.mark_all_sent()
    assert (await harness.tap("Bo", SeeRecord())).toast == above
    assert harness.waiting_kinds() == []
    harness.now += 601
    await harness.tap("Bo", SeeRecord())
    assert harness.waiting_kinds() == [("record", GROUP)]


async def test_a_check_that_fails_is_told_as_such(harness: GroupHarness) -> None:
    await shaken_lobby(harness, "Ana", "Bo", "Cy")
    await harness.tap("Bo", StirDice(SIGNS[0]))
    await harness.tap("Ana", Start())
    roll = max((row for row in harness.rows(GameAction) if row.action["type"] == "roll"), key=lambda row: row.number)
    tampered = json.loads(json.dumps(roll.action))
    hand = next(hand for hand in tampered["dice"] if hand)
    hand[0] = hand[0] % 6 + 1
    harness.update_row(GameAction, (roll.table_id, roll.number), action=tampered)
    await harness.play_out()
    over = next(notice for notice in harness.notices("game_over") if notice.seat is None)
    assert "⚠️ The dice don't fit their seal. Tap <b>Check the dice</b>." in words(over)
    harness.mark_all_sent()
    await harness.tap("Bo", SeeRecord())
    (record,) = harness.notices("record")
    assert isinstance(record, RecordNotice)
    assert (record.failed, record.rolls) == (True, None)
    assert "The check failed" in words(record)
    assert str(tampered["dice"][0]).replace(" ", "") in record.document.replace(" ", "").replace("\n", "")


async def test_the_file_is_sent_as_a_file(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    telegram.grant({"message_id": 78, "date": 1, "chat": {"id": GROUP, "type": "supergroup"}})
    record = RecordNotice(document='{"schema": "x"}', name="perudo-CODE22.json")
    assert await sender.send(to(GROUP, record, topic=5), None) == SendResult(78)
    assert [method for method, _ in telegram.calls] == ["sendDocument"]


async def test_a_group_closed_to_files_can_still_be_written_to(
    telegram: ScriptedBotApi, sender: TelegramSender
) -> None:
    telegram.refuse(400, "Bad Request: not enough rights to send documents to the chat")
    assert type(await trouble(sender, to(GROUP, RecordNotice(document="{}", name="x.json")))) is InvalidError


async def test_a_file_that_waits_is_not_sent_once_a_player_of_its_game_is_forgotten(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
    await harness.tap("Bo", Leave(confirmed=True))
    harness.mark_all_sent()
    await harness.tap("Ana", SeeRecord())
    await PersonDeletion(harness.service).forget(harness.player("Bo").id)
    assert harness.notices("record") == []
