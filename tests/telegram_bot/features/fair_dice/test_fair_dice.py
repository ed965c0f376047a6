"""Fair dice for players: a seal in the lobby, signs stirred in, also by text, the secret at the end, a file."""

import json
from dataclasses import replace
from typing import cast

import pytest

from perudo_core import Calza, FairDice, FairRecord, RecordError, legal_calls
from perudo_core.fair import seal_digits
from perudo_core.stirs import SIGNS
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.delivery.sender import InvalidError, SendResult
from telegram_bot.features import fair_dice
from telegram_bot.features.fair_dice import FairDiceAnswerNotice, SealDice, SealNotice, SeeRecord, StirDice
from telegram_bot.intents.intents import CallComputed
from telegram_bot.notices import GameOverNotice, OutdatedNotice
from telegram_bot.notices.rendering import toast_text
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.presentation.cards import card_of
from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.lobby_requests import AddComputers, ChangeOption, Start
from telegram_bot.service.results.game_record import game_record
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameAction
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from telegram_bot.tables.sealed_dice import MOST_STIRS_EACH, StirView, seal_of, stirred
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from test_support.features import features_off
from test_support.sms_world import ANA, BO, CY, SmsWorld, code_in
from tests.telegram_bot.channels.telegram.scripted_bot_api import ScriptedBotApi
from tests.telegram_bot.channels.telegram.test_sender import to, trouble
from tests.telegram_bot.conftest import EN, GROUP, GroupHarness, game_of, rejection_of
from tests.telegram_bot.words.notice_examples import words

SECRET = "5e" * 32


async def shaken_lobby(harness: GroupHarness, *names: str) -> str:
    """Publish the seal of a lobby; return the seal."""
    await harness.lobby(*names)
    await harness.tap(names[0], SealDice())
    return cast("SealNotice", harness.notices("seal")[-1]).commitment


async def test_the_seal_is_a_message_which_is_posted_once_and_loses_only_its_keys(harness: GroupHarness) -> None:
    seal = await shaken_lobby(harness, "Ana", "Bo")
    table = harness.table()
    assert table.secret is not None
    assert seal == FairDice(bytes.fromhex(table.secret), table.rules, table.code).commitment
    (row,) = [row for row in harness.waiting() if row.notice and row.notice["notice"]["kind"] == "seal"]
    assert (row.notice or {})["key"] is None, "an edit of its slot never changes its words"
    harness.mark_all_sent()
    for what in (SealDice(), StirDice(SIGNS[0])):
        toast = cast("FairDiceAnswerNotice", (await harness.tap("Bo", what)).toast)
        assert toast.seal == seal_digits(seal), "every answer repeats it"
    harness.shows("seal", 44, keyboard=True)
    await harness.tap("Ana", Start())
    assert harness.notices("seal") == [], "it is not posted again"
    (signs,) = [each for each in harness.envelopes() if each.target is not None and each.target.message == 44]
    assert signs.notice == OutdatedNotice(), "its keys go at the start"


async def end(harness: GroupHarness) -> tuple[GameOverNotice, fair_dice.RecordNotice]:
    await harness.tap("Ana", Start())
    await harness.play_out()
    over = next(notice for notice in harness.notices("game_over") if notice.seat is None)
    harness.mark_all_sent()
    await harness.tap("Bo", SeeRecord())
    (record,) = harness.notices("record")
    return over, record


async def test_at_the_end_the_secret_and_a_file_prove_every_roll(harness: GroupHarness) -> None:
    seal = await shaken_lobby(harness, "Ana", "Bo", "Cy")
    await harness.tap("Cy", StirDice(SIGNS[0]))
    await harness.tap("Ana", StirDice(SIGNS[3]))
    over, record = await end(harness)
    fair = FairRecord.from_json(record.document)
    assert (fair.commitment, fair.secret and fair.secret.hex()) == (seal, over.view.secret)
    assert fair.salt == f"perudo-stirs/3\n{SIGNS[0]}\n{SIGNS[3]}"
    assert [part.passed for part in over.parts if isinstance(part, fair_dice.DiceCheckNotice)] == [True]
    assert [(stir.name, stir.what) for stir in record.stirs or ()] == [("Cy", SIGNS[0]), ("Ana", SIGNS[3])]
    assert fair.verify(seal).rolls == over.view.rounds
    assert "🎲 Dice checked: no one chose them · how?" in words(over)
    assert card_of(over, 0, None, EN)["dice"] == "🎲 Dice checked: no one chose them"
    assert f"Shaken in: Cy {SIGNS[0]} · Ana {SIGNS[3]}" in words(record)
    assert "Ana shook last. Only together with the person who runs me could they have chosen the dice." in words(record)


async def test_no_channel_claims_fair_dice_at_a_table_where_no_player_shook(harness: GroupHarness) -> None:
    """The winner is celebrated without a reproach; *Check the dice* names the limits of the proof."""
    await harness.lobby("Ana", "Bo")
    over, record = await end(harness)
    assert not any(isinstance(part, fair_dice.DiceCheckNotice) for part in over.parts)
    assert "dice" not in card_of(over, 0, None, EN)
    assert "dice" not in words(over).lower()
    assert "No one shook these dice: you have only my word for them." in words(record)
    assert "No one chose" not in words(record), "no line says the opposite of another"
    assert FairRecord.from_json(record.document).stirs == ()
    for again in (True, False):
        ended = over.model_copy(update={"view": over.view.model_copy(update={"again": again}), "unfolded": True})
        keys = [key["text"] for row in keyboard(ended, EN, bot="bot") for key in row]
        assert ("🔐 Check the dice" in keys) is again, "a final leaves it to the key for the whole tournament"


async def test_where_nobody_can_shake_or_check_the_dice_they_are_sealed_all_the_same(database: Database) -> None:
    with features_off(("fair_dice",)):
        harness = GroupHarness(database)
        await harness.lobby("Ana", "Bo")
        lobby = harness.notices("lobby")[-1]
        assert card_of(lobby, 0, None, EN)["acts"] == []
        await harness.tap("Ana", Start())
        await harness.play_out()
    assert card_of(lobby, 0, None, EN)["acts"] == [{"act": "seal", "text": "Seal the secret"}], "on pages with it"
    table = harness.table()
    assert table.status is Status.FINISHED
    with database.transaction() as session:
        record = game_record(harness.service.unit_of_work(session, "test"), table)
    assert FairRecord.from_json(record.document).verify().rolls == record.rolls


@pytest.mark.parametrize("language", LANGUAGES)
def test_seal_and_proof_are_one_line_until_they_are_unfolded(language: str) -> None:
    w = catalogue(language)
    check = fair_dice.DiceCheckNotice(passed=True, secret=SECRET, stirs=(StirView(name="Ana", what="llama"),))
    checked = f"🎲 {w.say('Dice checked: no one chose them')} · {w.say('how?')}"
    for notice, title in ((SealNotice(table=1, commitment=SECRET), w.say("how?")), (check, checked)):
        html = words(notice, w)
        assert f"<blockquote expandable>{title}\n" in html
        assert SECRET not in html.split("<blockquote expandable>")[0]
        assert SECRET in html


async def test_each_tap_stirs_and_is_answered_and_many_are_one_edit_that_comes_in_time(harness: GroupHarness) -> None:
    seal = await shaken_lobby(harness, "Ana", "Bo")
    harness.mark_all_sent()
    first = harness.now
    for name, sign in (("Ana", SIGNS[0]), ("Ana", SIGNS[1]), *(("Bo", sign) for sign in SIGNS[:MOST_STIRS_EACH])):
        toast = cast("FairDiceAnswerNotice", (await harness.tap(name, StirDice(sign))).toast)
        assert toast_text(toast, EN) == f"{sign} is in the dice. Seal: {seal_digits(seal)}"
        harness.now += 0.1
    (row,) = harness.waiting()
    assert row.not_before == first + fair_dice.GATHER_STIRS_SECONDS
    shaken = f"Shaken in: Ana {SIGNS[0]}{SIGNS[1]} · Bo {''.join(SIGNS[:MOST_STIRS_EACH])}"
    assert shaken in words(harness.notices("lobby")[-1])
    await harness.tap("Ana", Start())
    assert shaken in words(harness.notices("started")[-1])


async def play_with_a_computer(harness: GroupHarness, *, forge_calza: bool = False) -> FairRecord:
    """The file of a game in which the computer player calls what the seed of its thought gives.

    `forge_calza`: when someone who is not a computer is on turn over a bid, a calza is handed in for the computer.
    """
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", ChangeOption("calza"))
    await harness.tap("Ana", SealDice())
    await harness.tap("Ana", AddComputers(1))
    await harness.tap("Ana", Start())
    while (table := harness.table()).status is Status.PLAYING:
        game = game_of(table)
        bid = game.current_bid
        if table.running.think_at is not None:
            await harness.run_deadlines(0)
            await harness.run_deadlines(max(table.running.think_at - harness.now, 0))
        elif forge_calza and bid is not None and bid.seat != 2:
            forge_calza = False
            await harness.service.handle(CallComputed(table.id, table.step, 2, Calza(2)))
            await harness.run_deadlines(3)
        else:
            await harness.call("dudo" if bid else str(legal_calls(game)[0]))
    harness.mark_all_sent()
    await harness.tap("Bo", SeeRecord())
    return FairRecord.from_json(harness.notices("record")[0].document)


async def test_computers_follow_from_the_seal_too(harness: GroupHarness) -> None:
    record = await play_with_a_computer(harness)
    assert record.computer_calls
    assert record.verify().computer_calls == len(record.computer_calls)


async def test_a_calza_which_the_computer_player_did_not_decide_is_found_out(harness: GroupHarness) -> None:
    record = await play_with_a_computer(harness, forge_calza=True)
    with pytest.raises(RecordError, match=r"called .*, the secret gives nothing"):
        record.verify()


@pytest.fixture
async def world(database: Database) -> SmsWorld:
    """Ana and Bo in a lobby whose dice can be sealed."""
    made = SmsWorld(database)
    made.service.config = replace(made.service.config, sealed_dice=True)
    await made.text(BO, f"JOIN {code_in(await made.text(ANA, 'NEW Ana'))} Bo")
    return made


async def test_a_phone_sees_the_seal_in_digits_before_it_stirs_and_is_told_how_and_why_not(world: SmsWorld) -> None:
    seal = await world.text(BO, "STIR 7")
    how = "To shake them text STIR and a number from 1 to 12."
    sealed = f"Dice sealed: {seal_of(world.table())}. {how}"
    assert seal == [sealed], "what comes before the seal does not count"
    assert len(seal_of(world.table()).replace(" ", "")) == 15, "49 bits, which no one finds again by trying"
    assert how in (await world.text(BO, "STIR"))[0]
    for wrong in ("STIR 0", "STIR 13", "STIR llama"):
        assert "a number from 1 to 12" in (await world.text(BO, wrong))[0]
    assert await world.text(BO, "STIR 7.") == [f"7 is in the dice. Seal: {seal_of(world.table())}"]
    assert "Shaken in: Bo 7" in (await world.text(BO, "STATUS"))[0]
    await world.text(ANA, "STIR 2")
    assert [(stir.name, stir.what) for stir in stirred(world.table())] == [("Bo", "🍋"), ("Ana", "🦊")]
    for number in range(1, MOST_STIRS_EACH):
        await world.text(BO, f"STIR {number}")
    assert await world.text(BO, "STIR 1") == ["The dice are dizzy already. Let someone else shake!"]
    await world.text(ANA, "GO")
    world.got(BO)
    assert (await world.text(BO, "STIR 3"))[-1].endswith("That game has started already.")
    assert await world.text(CY, "STIR 12") != [], "a stranger is told how to begin"
    assert len(stirred(world.table())) == MOST_STIRS_EACH + 1


async def test_no_phone_is_texted_of_dice_that_others_shake(world: SmsWorld) -> None:
    await world.pass_time(GATHERED_SECONDS)
    world.got(ANA)
    for said in ("STIR", "STIR 12"):
        await world.text(BO, said)
    await world.pass_time(GATHERED_SECONDS)
    assert world.got(ANA) == []
    [welcome] = await world.text(CY, f"JOIN {world.table().code} Cy")
    assert welcome.startswith("You're in, at Ana's table!")
    for texts in (await world.text(ANA, "GO"), world.got(BO), world.got(CY)):
        assert "R1" in texts[-1]
        assert "Shaken" not in texts[-1]


async def test_the_record_is_not_sent_again_while_it_stands_right_above(harness: GroupHarness) -> None:
    above = FairDiceAnswerNotice(answer=fair_dice.FairDiceAnswer.RECORD_ABOVE)
    await harness.start_game("Ana", "Bo")
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
    await PersonDeletion(harness.service).forget(harness.player("Bo").id)
    assert harness.notices("record") == [], "a player of its game is forgotten while it waits"


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
    assert (record.failed, record.rolls) == (True, None)
    assert "The check failed" in words(record)
    assert str(tampered["dice"][0]).replace(" ", "") in record.document.replace(" ", "").replace("\n", "")


async def test_the_file_is_sent_and_a_group_may_refuse_files(telegram: ScriptedBotApi, sender: TelegramSender) -> None:
    telegram.grant({"message_id": 78, "date": 1, "chat": {"id": GROUP, "type": "supergroup"}})
    record = fair_dice.RecordNotice(document='{"schema": "x"}', name="perudo-CODE22.json")
    assert await sender.send(to(GROUP, record, topic=5), None) == SendResult(78)
    assert [method for method, _ in telegram.calls] == ["sendDocument"]
    telegram.refuse(400, "Bad Request: not enough rights to send documents to the chat")
    assert type(await trouble(sender, to(GROUP, record))) is InvalidError
