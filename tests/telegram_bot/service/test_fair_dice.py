"""Fair dice as players see them: a seal in the lobby, lucky words, the secret at the end, a file to check it all."""

from __future__ import annotations

import pytest

from perudo_core import FairDice, legal_actions
from perudo_core.fair_record import FairRecord
from telegram_bot.service import intents as i
from telegram_bot.service.notices import RejectionNotice
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import NAMES, GroupHarness


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
    await harness.say("Bo", i.AddLuckyWord("  banana\n split "))
    lobby = harness.notices("lobby")[-1].view

    assert lobby.commitment == first
    assert lobby.words == ("", "banana split")
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
    await harness.say("Cy", i.AddLuckyWord("hello"))
    await harness.tap("Ana", i.Start())
    harness.mark_all_sent()
    await harness.say("Bo", i.AddLuckyWord("hurry up"))

    assert harness.table().seats[1].word == ""
    assert harness.waiting_kinds() == []


async def test_at_the_end_the_secret_and_a_file_prove_every_roll(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo", "Cy")
    seal = harness.notices("lobby")[0].view.commitment
    await harness.say("Cy", i.AddLuckyWord("clover"))
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
    assert fair.salt.endswith(" clover")
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
    await harness.say("Bo", i.AddLuckyWord(word))
    await harness.tap("Ana", i.Start())

    assert harness.table().status is Status.PLAYING
    assert len(harness.table().seats[1].word) <= 32
    assert harness.table().seats[1].word.isprintable()
