"""A phone stirs the dice by a word, and is shown the seal first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.tables.fair_dice import MOST_STIRS_EACH, commitment_of, stirred
from test_support.sms_world import ANA, BO, CY, SmsWorld, code_in
from tests.telegram_bot.conftest import ONLY_SQLITE

pytestmark = ONLY_SQLITE


@pytest.fixture
def world(database: Database) -> SmsWorld:
    made = SmsWorld(database)
    made.service.config = replace(made.service.config, fair_dice=True)
    return made


async def test_phones_see_the_seal_and_stir_by_a_word(world: SmsWorld) -> None:
    opened = await world.text(ANA, "NEW Ana")
    code = code_in(opened)
    seal = (commitment_of(world.table()) or "")[:6]
    assert f"Dice sealed {seal}. Text STIR and any word." in opened[0]
    joined = await world.text(BO, f"JOIN {code} Bo")
    assert f"Dice sealed {seal}. Text STIR and any word." in joined[0]
    assert await world.text(BO, "STIR two  lamas!") == ["two lamas is in the dice."]
    await world.pass_time(GATHERED_SECONDS)
    assert "Stirred: Bo two lamas" in world.got(ANA)[-1], "the host is told: what only the bot saw proves nothing"
    assert "Stirred: Bo two lamas" in (await world.text(BO, "STATUS"))[0]
    await world.text(ANA, "STIR fox")
    assert [(stir.name, stir.what) for stir in stirred(world.table())] == [("Bo", "two lamas!"), ("Ana", "fox")]


async def test_a_stir_of_which_nobody_was_told_yet_is_told_to_everybody_with_their_dice(world: SmsWorld) -> None:
    """The host starts before the news of the lobby is sent: without this only the bot would have seen the stir."""
    code = code_in(await world.text(ANA, "NEW Ana"))
    for number, name in ((BO, "Bo"), (CY, "Cy")):
        await world.text(number, f"JOIN {code} {name}")
    world.got(ANA)
    await world.text(BO, "STIR llama")
    await world.text(CY, "STIR fox")
    assert world.got(ANA) == []
    for texts in (await world.text(ANA, "GO"), world.got(BO), world.got(CY)):
        assert "Stirred: Bo llama, Cy fox." in texts[-1]
    turn = world.table().game.turn  # type: ignore[union-attr]
    await world.text((ANA, BO, CY)[turn or 0], "1x3")
    assert "Stirred" not in world.got((ANA, BO, CY)[((turn or 0) + 1) % 3])[-1], "once"


async def test_so_is_that_nobody_stirred(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    assert "Nobody stirred the dice." in (await world.text(ANA, "GO"))[-1]
    assert "Nobody stirred the dice." in world.got(BO)[-1]


async def test_who_sleeps_is_told_in_the_morning(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.text(BO, "STIR llama")
    world.now += 11 * 3600  # Ana is up late
    await world.text(ANA, "GO")
    if world.table().game.turn == 0:  # type: ignore[union-attr]
        await world.text(ANA, "1x3")
    world.got(BO)
    await world.pass_time(10 * 3600)
    assert "Stirred: Bo llama." in " ".join(world.got(BO))


async def test_a_phone_is_told_how_and_why_not(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    assert await world.text(BO, "STIR") == ["Text STIR and any word, like STIR llama, and it goes into the dice."]
    for number in range(MOST_STIRS_EACH):
        await world.text(BO, f"STIR {number}")
    assert await world.text(BO, "STIR again") == ["The dice are dizzy already. Let somebody else stir!"]
    await world.text(ANA, "GO")
    world.got(BO)
    assert (await world.text(BO, "STIR late"))[-1].endswith("That game has started already.")
    assert await world.text(CY, "STIR llama") != [], "a stranger is told how to begin"
    assert len(stirred(world.table())) == MOST_STIRS_EACH
