"""Fair dice as players see them: a seal in the lobby, signs and words stirred in, the secret at the end, a file."""

from __future__ import annotations

import random
from typing import cast

import pytest

from perudo_core import FairDice, RecordError, Roll, legal_actions, new_game
from perudo_core.fair_record import FairRecord
from telegram_bot.service import intents as i
from telegram_bot.service.config import CODE_LENGTH
from telegram_bot.service.lobby_news import GATHER_STIRS_SECONDS
from telegram_bot.service.notices import Confirmation, ConfirmationNotice, RejectionNotice
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.fair_dice import MOST_STIRS_EACH, SIGNS, salt_of, with_stir
from telegram_bot.tables.model import Status, Table
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html
from telegram_bot.words.replies import done_text
from tests.telegram_bot.conftest import NAMES, GroupHarness, confirmation_of, rejection_of


async def play_out(harness: GroupHarness) -> None:
    """Bid as low and doubt as soon as the rules allow, until somebody has won."""
    while (table := harness.table()).status is Status.PLAYING:
        game = table.game
        assert game is not None
        assert game.turn is not None
        calls = legal_actions(game, game.turn)
        name = NAMES[table.seats[game.turn].player - 1]
        bid = game.current_bid
        what: i.What = i.CallDudo() if bid is not None else i.MakeBid(calls[0].quantity, calls[0].face)  # type: ignore[union-attr]
        await harness.tap(name, what, table=table.id, step=table.step)


async def test_the_seal_is_in_the_lobby_before_anybody_says_a_word_and_stays(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    first = harness.notices("lobby")[0].view.commitment
    await harness.say("Bo", i.StirDice("  banana\n split "))
    lobby = harness.notices("lobby")[-1].view

    assert lobby.commitment == first
    assert [(stir.name, stir.what) for stir in lobby.stirs] == [("Bo", "banana split")]
    secret = harness.table().secret
    assert secret is not None
    assert first == FairDice(bytes.fromhex(secret)).commitment


async def test_nothing_shown_before_the_end_tells_the_secret(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    secret = harness.table().secret
    assert secret is not None

    assert all(secret not in envelope.model_dump_json() for envelope in harness.envelopes())


async def test_banter_is_no_lucky_word_once_the_game_runs_or_from_who_is_not_in(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.say("Cy", i.StirDice("hello"), by="nothing")
    await harness.tap("Ana", i.Start())
    harness.mark_all_sent()
    await harness.say("Bo", i.StirDice("hurry up"), by="nothing")

    assert harness.table().stirs == ()
    assert harness.waiting_kinds() == []


async def test_at_the_end_the_secret_and_a_file_prove_every_roll(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo", "Cy")
    seal = harness.notices("lobby")[0].view.commitment
    await harness.say("Cy", i.StirDice("clover"))
    await harness.tap("Ana", i.Start())
    number = harness.table().id
    await play_out(harness)
    over = harness.notices("game_over")[0]
    await harness.tap("Bo", i.SeeRecord(), table=number)
    (record,) = harness.notices("record")

    fair = FairRecord.from_json(record.document)
    assert fair.commitment == seal
    assert fair.secret is not None
    assert fair.secret.hex() == over.view.secret
    assert fair.salt == over.view.salt
    assert fair.salt == f"perudo-stirs/1 {harness.table(number).code}\n3 clover"
    assert [(stir.name, stir.what) for stir in record.stirs] == [("Cy", "clover")]
    verified = fair.verify(seal)
    assert verified.opener
    assert verified.rolls == over.view.rounds


async def test_the_record_of_a_running_game_is_not_to_be_had(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    outcome = await harness.tap("Bo", i.SeeRecord(), table=harness.table().id)

    assert isinstance(outcome.toast, RejectionNotice)
    assert outcome.toast.denial is RejectionReason.NO_GAME


@pytest.mark.parametrize("word", ["", "   ", "x" * 500, "\u202e\x00evil", "🍀"])
async def test_any_word_is_tidied_and_does_no_harm(harness: GroupHarness, word: str) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.say("Bo", i.StirDice(word))
    await harness.tap("Ana", i.Start())

    assert harness.table().status is Status.PLAYING
    assert all(len(stir.what) <= 32 and stir.what.isprintable() for stir in harness.table().stirs or ())


# Signs


async def test_a_tap_stirs_is_answered_at_once_and_shown_in_order(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    for name, sign in (("Ana", SIGNS[0]), ("Ana", SIGNS[1]), ("Bo", SIGNS[2])):
        toast = (await harness.tap(name, i.StirDice(sign))).toast
        assert confirmation_of(toast) is Confirmation.STIRRED
        assert done_text(cast("ConfirmationNotice", toast), catalogue("en")) == f"{sign} is in the dice."
    text = message_html(harness.notices("lobby")[-1], catalogue("en")) or ""
    assert f"Stirred: Ana {SIGNS[0]}{SIGNS[1]} · Bo {SIGNS[2]}" in text
    await harness.tap("Ana", i.Start())
    started = message_html(harness.notices("started")[-1], catalogue("en")) or ""
    assert f"Stirred: Ana {SIGNS[0]}{SIGNS[1]} · Bo {SIGNS[2]}" in started


async def test_many_taps_are_one_edit_that_is_not_put_off_for_ever(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    harness.mark_all_sent()
    first = harness.now
    for tap in range(MOST_STIRS_EACH):
        await harness.tap("Bo", i.StirDice(SIGNS[tap]))
        harness.now += 0.1
    (row,) = harness.waiting()
    assert row.not_before == first + GATHER_STIRS_SECONDS
    assert len(harness.notices("lobby")[0].view.stirs) == MOST_STIRS_EACH


async def test_strangers_late_and_tireless_taps_are_told_why_not(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    stranger = (await harness.tap("Cy", i.StirDice(SIGNS[0]))).toast
    assert rejection_of(stranger) is RejectionReason.JOIN_FIRST
    for _ in range(MOST_STIRS_EACH):
        await harness.tap("Bo", i.StirDice(SIGNS[0]))
    tireless = (await harness.tap("Bo", i.StirDice(SIGNS[0]))).toast
    assert rejection_of(tireless) is RejectionReason.STIRRED_ENOUGH
    await harness.tap("Ana", i.Start())
    late = (await harness.tap("Ana", i.StirDice(SIGNS[0]))).toast
    assert rejection_of(late) is RejectionReason.ALREADY_RUNNING
    assert len(harness.table().stirs or ()) == MOST_STIRS_EACH


async def test_a_table_where_nobody_stirred_is_told_so(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    lobby = message_html(harness.notices("lobby")[-1], catalogue("en")) or ""
    assert "rest on my word" not in lobby, "it is not too late yet"
    await harness.tap("Ana", i.Start())
    number = harness.table().id
    nobody = "Nobody stirred: these dice rest on my word."
    assert nobody in (message_html(harness.notices("started")[-1], catalogue("en")) or "")
    await play_out(harness)
    assert nobody in (message_html(harness.notices("game_over")[-1], catalogue("en")) or "")
    await harness.tap("Bo", i.SeeRecord(), table=number)
    (record,) = harness.notices("record")
    assert nobody in (message_html(record, catalogue("en")) or "")
    assert FairRecord.from_json(record.document).stirs == ()
    assert "nobody stirred" in record.document


async def test_the_check_tells_who_stirred_what_and_who_was_last(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.say("Bo", i.StirDice("<b>llama"), by="nothing")
    await harness.tap("Ana", i.StirDice(SIGNS[3]))
    await harness.tap("Ana", i.Start())
    number = harness.table().id
    await play_out(harness)
    await harness.tap("Bo", i.SeeRecord(), table=number)
    (record,) = harness.notices("record")
    text = message_html(record, catalogue("en")) or ""
    assert f"Stirred: Bo &lt;b&gt;llama · Ana {SIGNS[3]}" in text
    assert "Ana stirred last: only in league with whoever runs me could they have chosen." in text


# What an operator can try


class RecordingRandom(random.Random):
    """Notes when a secret is drawn."""

    def __init__(self, drawn: list[str]) -> None:
        super().__init__(1)
        self.drawn = drawn

    def randbytes(self, n: int) -> bytes:
        self.drawn.append("secret")
        return super().randbytes(n)


@pytest.mark.parametrize("rematch", [False, True])
async def test_the_secret_is_drawn_before_the_code_and_before_anybody_joins(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch, *, rematch: bool
) -> None:
    if rematch:
        await harness.lobby("Ana", "Bo")
        await harness.tap("Ana", i.Start())
        await harness.tap("Ana", i.Stop(confirmed=True))
    drawn: list[str] = []
    codes = harness.service.config.codes
    choose = codes.choice

    def draw_code(letters: str) -> str:
        drawn.append("code")
        return choose(letters)

    monkeypatch.setattr(codes, "choice", draw_code)
    harness.service.rng = RecordingRandom(drawn)
    await (harness.tap("Ana", i.PlayAgain(), table=1) if rematch else harness.say("Ana", i.OpenLobby()))
    assert drawn == ["secret", *["code"] * CODE_LENGTH]
    number = max(row.id or 0 for row in harness.rows(GameTable))
    seal, secret = harness.notices("lobby")[-1].view.commitment, harness.table(number).secret
    await harness.tap("Cy", i.Join(), table=number)
    await harness.tap("Cy", i.StirDice(SIGNS[0]), table=number)
    await harness.tap("Ana", i.Start(), table=number)
    assert drawn.count("secret") == 1, "nothing that players do draws another one"
    assert harness.table(number).secret == secret
    assert harness.notices("started")[-1].view.commitment == seal


async def test_a_secret_that_is_drawn_anew_until_it_pleases_does_not_fit_the_seal(harness: GroupHarness) -> None:
    """The attack of the review: tries of the secret, once code and stirs are known, for a friend's good hand."""
    await harness.lobby("Ana", "Bo")
    seal = harness.notices("lobby")[0].view.commitment
    await harness.tap("Bo", i.StirDice(SIGNS[0]))
    table = harness.table()
    start = new_game(table.rules, ["Ana", "Bo"], opener=0)

    def ones_of_ana(secret: bytes) -> int:
        roll = FairDice(secret, salt_of(table)).roll(start)
        assert isinstance(roll, Roll)
        return roll.dice[0].count(1)

    rng = random.Random(5)
    pleasing = max((rng.randbytes(32) for _ in range(99)), key=ones_of_ana)
    assert ones_of_ana(pleasing) >= 2, "a few tries are enough for better dice"
    with harness.database.transaction() as session:
        row = session.get_one(GameTable, table.id)
        row.state = row.state | {"secret": pleasing.hex()}
    await harness.tap("Ana", i.Start())
    await play_out(harness)
    await harness.tap("Bo", i.SeeRecord(), table=table.id)
    record = FairRecord.from_json(harness.notices("record")[0].document)
    assert record.verify(), "on its own terms the file is whole"
    with pytest.raises(RecordError, match=r"^the commitment is "):
        record.verify(seal)


async def test_a_secret_chosen_before_the_stirs_pleases_nobody(harness: GroupHarness) -> None:
    """Nine secrets tried for the table as it was sealed: after one stir the chosen one is like any other."""
    await harness.lobby("Ana", "Bo")
    table = harness.table()
    start = new_game(table.rules, ["Ana", "Bo"], opener=0)

    def ones_of_ana(secret: bytes, stirred: Table) -> int:
        roll = FairDice(secret, salt_of(stirred)).roll(start)
        assert isinstance(roll, Roll)
        return roll.dice[0].count(1)

    rng = random.Random(7)
    chosen, after = [], []
    for _ in range(300):
        secret = max((rng.randbytes(32) for _ in range(9)), key=lambda one: ones_of_ana(one, table))
        chosen.append(ones_of_ana(secret, table))
        after.append(ones_of_ana(secret, with_stir(table, 2, rng.choice(SIGNS))))
    assert sum(chosen) / 300 > 1.8, "the attack works where nobody stirs"
    assert 0.65 < sum(after) / 300 < 1.02, "five fair dice show 5/6 ones: four standard errors around it"
