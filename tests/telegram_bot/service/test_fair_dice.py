"""Fair dice as players see them: a seal in the lobby, lucky words, the secret at the end, a file to check it all."""

from __future__ import annotations

import pytest

from perudo_core import FairDice, legal_actions
from perudo_core.fair_record import FairRecord
from telegram_bot.service import intents as i
from telegram_bot.service.notices import DeniedNotice
from telegram_bot.tables.events import Denial
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import NAMES, Room


async def play_out(room: Room) -> None:
    """Bid as low and doubt as soon as the rules allow, until somebody has won."""
    while (table := room.table()).status is Status.PLAYING:
        game = table.game
        assert game is not None
        assert game.turn is not None
        calls = legal_actions(game, game.turn)
        name = NAMES[table.seats[game.turn].player - 1]
        bid = game.current_bid
        what: i.What = i.SayDudo() if bid is not None else i.MakeBid(calls[0].quantity, calls[0].face)  # type: ignore[union-attr]
        await room.tap(name, what, table=table.id, step=table.step)


async def test_the_seal_is_in_the_lobby_before_anybody_says_a_word_and_stays(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    first = room.notices("lobby")[0].view.commitment
    await room.say("Bo", i.StirDice("  banana\n split "))
    lobby = room.notices("lobby")[-1].view

    assert lobby.commitment == first
    assert lobby.words == ("", "banana split")
    secret = room.table().secret
    assert secret is not None
    assert first == FairDice(bytes.fromhex(secret)).commitment


async def test_nothing_shown_before_the_end_tells_the_secret(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.tap("Ana", i.Start())
    secret = room.table().secret
    assert secret is not None

    assert all(secret not in envelope.model_dump_json() for envelope in room.envelopes())


async def test_banter_is_no_lucky_word_once_the_game_runs_or_from_who_is_not_in(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.say("Cy", i.StirDice("hello"))
    await room.tap("Ana", i.Start())
    room.flush()
    await room.say("Bo", i.StirDice("hurry up"))

    assert room.table().seats[1].word == ""
    assert room.told() == []


async def test_at_the_end_the_secret_and_a_file_prove_every_roll(room: Room) -> None:
    await room.lobby("Ana", "Bo", "Cy")
    seal = room.notices("lobby")[0].view.commitment
    await room.say("Cy", i.StirDice("clover"))
    await room.tap("Ana", i.Start())
    number = room.table().id
    await play_out(room)
    (over,) = room.notices("game_over")
    await room.tap("Bo", i.SeeRecord(), table=number)
    (record,) = room.notices("record")

    fair = FairRecord.from_json(record.document)
    assert fair.commitment == seal
    assert fair.secret is not None
    assert fair.secret.hex() == over.view.secret
    assert fair.salt == over.view.salt
    assert fair.salt.endswith(" clover")
    verified = fair.verify(seal)
    assert verified.opener
    assert verified.rolls == over.view.rounds


async def test_the_record_of_a_running_game_is_not_to_be_had(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.tap("Ana", i.Start())
    outcome = await room.tap("Bo", i.SeeRecord(), table=room.table().id)

    assert isinstance(outcome.toast, DeniedNotice)
    assert outcome.toast.denial is Denial.NO_GAME


@pytest.mark.parametrize("word", ["", "   ", "x" * 500, "\u202e\x00evil", "🍀"])
async def test_any_word_is_tidied_and_does_no_harm(room: Room, word: str) -> None:
    await room.lobby("Ana", "Bo")
    await room.say("Bo", i.StirDice(word))
    await room.tap("Ana", i.Start())

    assert room.table().status is Status.PLAYING
    assert len(room.table().seats[1].word) <= 32
    assert room.table().seats[1].word.isprintable()
