"""Fair dice for players: a seal in the lobby, signs stirred in, the secret at the end, a file."""

import random
from collections.abc import Callable, Iterator
from typing import cast

import pytest

from perudo_core import PRESETS, Calza, FairDice, FairRecord, RecordError, Roll, Rules, legal_calls, new_game
from perudo_core.agents import create_agent
from perudo_core.fair import seal_digits
from perudo_core.stirs import SIGNS
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.fair_dice import (
    GATHER_STIRS_SECONDS,
    DiceCheckNotice,
    FairDiceAnswerNotice,
    RecordNotice,
    SealDice,
    SealNotice,
    SeeRecord,
    StirDice,
)
from telegram_bot.intents.intents import CallComputed, DeadlineReached
from telegram_bot.notices import GameOverNotice, Notice, OutdatedNotice
from telegram_bot.notices.rendering import message_html, toast_text
from telegram_bot.presentation.cards import card_of
from telegram_bot.service.handlers.lobby_requests import AddComputers, ChangeOption, Start
from telegram_bot.service.results.game_record import game_record
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.sealed_dice import MOST_STIRS_EACH, StirView, dice_of
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from test_support.features import features_off
from tests.telegram_bot.conftest import GroupHarness

SECRET = "5e" * 32


async def shaken_lobby(harness: GroupHarness, *names: str) -> str:
    """Publish the seal of a lobby; return the seal."""
    await harness.lobby(*names)
    await harness.tap(names[0], SealDice())
    return cast("SealNotice", harness.notices("seal")[-1]).commitment


async def test_the_seal_is_a_message_of_its_own_which_is_posted_once_and_never_edited(harness: GroupHarness) -> None:
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
    await harness.tap("Ana", Start())
    assert harness.notices("seal") == [], "it is not posted again"


async def end(harness: GroupHarness) -> tuple[GameOverNotice, RecordNotice]:
    """Play a game to its end; return the group's last message and the file."""
    await harness.tap("Ana", Start())
    await harness.play_out()
    over = next(notice for notice in harness.notices("game_over") if notice.seat is None)
    harness.mark_all_sent()
    await harness.tap("Bo", SeeRecord())
    (record,) = harness.notices("record")
    return over, record


def words(notice: Notice) -> str:
    return message_html(notice, catalogue("en")) or ""


def check_in(over: GameOverNotice) -> DiceCheckNotice | None:
    return next((part for part in over.parts if isinstance(part, DiceCheckNotice)), None)


async def test_at_the_end_the_secret_and_a_file_prove_every_roll(harness: GroupHarness) -> None:
    seal = await shaken_lobby(harness, "Ana", "Bo", "Cy")
    await harness.tap("Cy", StirDice(SIGNS[0]))
    await harness.tap("Ana", StirDice(SIGNS[3]))
    over, record = await end(harness)
    fair = FairRecord.from_json(record.document)
    assert fair.commitment == seal
    assert fair.secret is not None
    assert fair.secret.hex() == over.view.secret
    assert fair.salt == f"perudo-stirs/3\n{SIGNS[0]}\n{SIGNS[3]}"
    check = check_in(over)
    assert check is not None
    assert check.passed
    assert [(stir.name, stir.what) for stir in record.stirs or ()] == [("Cy", SIGNS[0]), ("Ana", SIGNS[3])]
    assert fair.verify(seal).rolls == over.view.rounds
    assert "🎲 Dice checked: no one chose them · how?" in words(over)
    assert card_of(over, 0, None, catalogue("en"))["dice"] == "🎲 Dice checked: no one chose them"
    assert f"Shaken in: Cy {SIGNS[0]} · Ana {SIGNS[3]}" in words(record)
    assert "Ana shook last. Only together with the person who runs me could they have chosen the dice." in words(record)


async def test_no_channel_claims_fair_dice_at_a_table_where_no_player_shook(harness: GroupHarness) -> None:
    """The winner is celebrated without a reproach; *Check the dice* names the limits of the proof."""
    await harness.lobby("Ana", "Bo")
    over, record = await end(harness)
    assert check_in(over) is None
    assert "dice" not in card_of(over, 0, None, catalogue("en"))
    assert "dice" not in words(over).lower()
    assert "No one shook these dice: you have only my word for them." in words(record)
    assert "No one chose" not in words(record), "no line says the opposite of another"
    assert FairRecord.from_json(record.document).stirs == ()


async def test_the_end_of_a_final_leaves_the_check_of_its_dice_to_the_key_for_the_whole_tournament(
    harness: GroupHarness,
) -> None:
    await harness.lobby("Ana", "Bo")
    over, _ = await end(harness)
    for again, checks in ((True, True), (False, False)):
        view = over.view.model_copy(update={"again": again})
        ended = over.model_copy(update={"view": view, "unfolded": True})
        keys = [key["text"] for row in keyboard(ended, catalogue("en"), bot="bot") for key in row]
        assert ("🔐 Check the dice" in keys) is checks


async def test_the_lobby_on_pages_offers_the_seal_until_the_feature_is_off(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    lobby = harness.notices("lobby")[-1]
    assert card_of(lobby, 0, None, catalogue("en"))["acts"] == [{"act": "seal", "text": "Seal the secret"}]
    with features_off(("fair_dice",)):
        assert card_of(lobby, 0, None, catalogue("en"))["acts"] == []


async def test_where_nobody_can_shake_or_check_the_dice_they_are_sealed_all_the_same(database: Database) -> None:
    with features_off(("fair_dice",)):
        harness = GroupHarness(database)
        await harness.lobby("Ana", "Bo")
        await harness.tap("Ana", Start())
        await harness.play_out()
    table = harness.table()
    assert table.status is Status.FINISHED
    with database.transaction() as session:
        record = game_record(harness.service.unit_of_work(session, "test"), table)
    assert FairRecord.from_json(record.document).verify().rolls == record.rolls


@pytest.mark.parametrize("language", LANGUAGES)
def test_seal_and_proof_are_one_line_until_they_are_unfolded(language: str) -> None:
    w = catalogue(language)
    check = DiceCheckNotice(passed=True, secret=SECRET, stirs=(StirView(name="Ana", what="llama"),))
    checked = f"🎲 {w.say('Dice checked: no one chose them')} · {w.say('how?')}"
    for notice, title in ((SealNotice(table=1, commitment=SECRET), w.say("how?")), (check, checked)):
        html = message_html(notice, w) or ""
        assert f"<blockquote expandable>{title}\n" in html
        assert SECRET not in html.split("<blockquote expandable>")[0]
        assert SECRET in html


# Signs


async def test_a_tap_stirs_is_answered_at_once_and_shown_in_order(harness: GroupHarness) -> None:
    seal = await shaken_lobby(harness, "Ana", "Bo")
    for name, sign in (("Ana", SIGNS[0]), ("Ana", SIGNS[1]), ("Bo", SIGNS[2])):
        toast = cast("FairDiceAnswerNotice", (await harness.tap(name, StirDice(sign))).toast)
        told = toast_text(toast, catalogue("en"))
        assert told == f"{sign} is in the dice. Seal: {seal_digits(seal)}"
    text = message_html(harness.notices("lobby")[-1], catalogue("en")) or ""
    assert f"Shaken in: Ana {SIGNS[0]}{SIGNS[1]} · Bo {SIGNS[2]}" in text
    await harness.tap("Ana", Start())
    started = message_html(harness.notices("started")[-1], catalogue("en")) or ""
    assert f"Shaken in: Ana {SIGNS[0]}{SIGNS[1]} · Bo {SIGNS[2]}" in started


async def test_many_taps_are_one_edit_that_is_not_put_off_for_ever(harness: GroupHarness) -> None:
    await shaken_lobby(harness, "Ana", "Bo")
    harness.mark_all_sent()
    first = harness.now
    for tap in range(MOST_STIRS_EACH):
        await harness.tap("Bo", StirDice(SIGNS[tap]))
        harness.now += 0.1
    (row,) = harness.waiting()
    assert row.not_before == first + GATHER_STIRS_SECONDS
    assert len(harness.notices("lobby")[0].view.stirs) == MOST_STIRS_EACH


async def play_with_a_computer(harness: GroupHarness, *, forge_calza: bool = False) -> FairRecord:
    """The file of a game in which the computer player calls what the seed of its thought gives.

    `forge_calza`: when someone who is not a computer is on turn over a bid, a calza is handed in for the computer.
    """
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", ChangeOption("calza"))
    await harness.tap("Ana", SealDice())
    await harness.tap("Ana", AddComputers(1))
    await harness.tap("Ana", Start())
    number = harness.table().id
    while (table := harness.table(number)).status is Status.PLAYING:
        assert table.game is not None
        assert table.game.turn is not None
        if not table.is_computer(table.game.turn):
            calls = legal_calls(table.game, table.game.turn)
            bid = table.game.current_bid
            if forge_calza and bid is not None and table.game.bids[-1].seat != 2:
                forge_calza = False
                await harness.service.handle(CallComputed(number, table.step, 2, Calza(2)))
                await harness.run_deadlines(3)
            else:
                await harness.call("dudo" if bid else str(calls[0]), table=number)
            continue
        assert table.running.think_at is not None
        await harness.run_deadlines(0)
        harness.pass_time(max(table.running.think_at - harness.now, 0))
        (request,) = (await harness.service.handle(DeadlineReached(number))).call_requests
        rng = random.Random(request.seed)
        call = create_agent(request.level, request.character).choose(request.observation, request.memory, rng)
        await harness.service.handle(CallComputed(number, table.step, request.seat, call))
    harness.mark_all_sent()
    await harness.tap("Bo", SeeRecord(), table=number)
    return FairRecord.from_json(harness.notices("record")[0].document)


async def test_computers_follow_from_the_seal_too(harness: GroupHarness) -> None:
    record = await play_with_a_computer(harness)
    assert record.computer_calls
    assert record.verify().computer_calls == len(record.computer_calls)


async def test_a_calza_which_the_computer_player_did_not_decide_is_found_out(harness: GroupHarness) -> None:
    record = await play_with_a_computer(harness, forge_calza=True)
    with pytest.raises(RecordError, match=r"called .*, the secret gives nothing"):
        record.verify()


# Attempts of an operator


def ones_of_ana(dice: FairDice) -> int:
    roll = dice.roll(new_game(dice.rules, ["Ana", "Bo"], opener=0))
    assert isinstance(roll, Roll)
    return roll.dice[0].count(1)


RNG = random.Random(5)
FORGERIES: dict[str, Callable[[Table], Iterator[Table]]] = {
    "another secret": lambda table: (table.replace(secret=RNG.randbytes(32).hex()) for _ in range(99)),
    "another code of the table": lambda table: (table.replace(code=f"CODE{number}") for number in range(99)),
    "other rules": lambda table: (table.replace(rules=rules) for rules in map(Rules.preset, PRESETS[1:])),
    "a stir that looks like the shown one": lambda table: (
        table.replace(stirs=(table.stirs[0].model_copy(update={"what": SIGNS[0] + chr(0xFE00 + number)}),))
        for number in range(16)
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_nothing_can_be_tried_after_the_last_honest_stir(harness: GroupHarness, forgery: str) -> None:
    """The operator knows every secret once Bo has stirred, and may write anything into the database."""
    seal = await shaken_lobby(harness, "Ana", "Bo")
    await harness.tap("Bo", StirDice(SIGNS[0]))
    honest = harness.table()

    def pleases(table: Table) -> int:
        try:
            dice = dice_of(table)
        except ValueError:
            return 9  # the attack needs no dice: the file must not even be readable
        assert dice is not None
        return ones_of_ana(dice)

    pleasing = max(FORGERIES[forgery](honest), key=pleases)
    with harness.database.transaction() as session:
        row = session.get_one(GameTable, honest.id)
        row.state = row.state | pleasing.model_dump(mode="json", include={"secret", "code", "rules", "stirs"})
    with pytest.raises(ValueError, match=r"commitment|salt with stirs"):  # noqa: PT012 - the game, too, may refuse it
        await harness.tap("Ana", Start())
        await harness.play_out()
        harness.mark_all_sent()
        await harness.tap("Bo", SeeRecord(), table=honest.id)
        FairRecord.from_json(harness.notices("record")[0].document).verify(seal)


async def test_the_signs_of_a_seal_go_at_the_start(harness: GroupHarness) -> None:
    await shaken_lobby(harness, "Ana", "Bo")
    harness.mark_all_sent()
    harness.shows("seal", 44, keyboard=True)
    await harness.tap("Ana", Start())
    (signs,) = [each for each in harness.envelopes() if each.target is not None and each.target.message == 44]
    assert (signs.notice, signs.target is None) == (OutdatedNotice(), False)
