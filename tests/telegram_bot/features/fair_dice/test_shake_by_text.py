"""A phone stirs the dice by the number of a sign, after it got the seal."""

from dataclasses import replace

import pytest

from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.tables.sealed_dice import MOST_STIRS_EACH, seal_of, stirred
from test_support.sms_world import ANA, BO, CY, SmsWorld, code_in


@pytest.fixture
def world(database: Database) -> SmsWorld:
    made = SmsWorld(database)
    made.service.config = replace(made.service.config, sealed_dice=True)
    return made


async def test_a_phone_sees_the_seal_in_digits_before_it_stirs(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    seal = await world.text(BO, "STIR 7")
    sealed = f"Dice sealed: {seal_of(world.table())}. To shake them text STIR and a number from 1 to 12."
    assert seal == [sealed], "what comes before the seal does not count"
    assert len(seal_of(world.table()).replace(" ", "")) == 15, "49 bits, which no one finds again by trying"
    assert await world.text(BO, "STIR 7.") == [f"7 is in the dice. Seal: {seal_of(world.table())}"]
    assert "Shaken in: Bo 7" in (await world.text(BO, "STATUS"))[0]
    await world.text(ANA, "STIR 2")
    assert [(stir.name, stir.what) for stir in stirred(world.table())] == [("Bo", "🍋"), ("Ana", "🦊")]


async def test_no_phone_is_texted_of_dice_that_others_shake(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.pass_time(GATHERED_SECONDS)
    world.got(ANA)
    for words in ("STIR", "STIR 12"):
        await world.text(BO, words)
    await world.pass_time(GATHERED_SECONDS)
    assert world.got(ANA) == []
    [welcome] = await world.text(CY, f"JOIN {code} Cy")
    assert welcome.startswith("You're in, at Ana's table!")
    for texts in (await world.text(ANA, "GO"), world.got(BO), world.got(CY)):
        assert "R1" in texts[-1]
        assert "Shaken" not in texts[-1]


async def test_a_phone_is_told_how_and_why_not(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    assert "To shake them text STIR and a number from 1 to 12." in (await world.text(BO, "STIR"))[0]
    for wrong in ("STIR 0", "STIR 13", "STIR llama"):
        assert "a number from 1 to 12" in (await world.text(BO, wrong))[0]
    for number in range(MOST_STIRS_EACH):
        await world.text(BO, f"STIR {number + 1}")
    assert await world.text(BO, "STIR 1") == ["The dice are dizzy already. Let someone else shake!"]
    await world.text(ANA, "GO")
    world.got(BO)
    assert (await world.text(BO, "STIR 3"))[-1].endswith("That game has started already.")
    assert await world.text(CY, "STIR 12") != [], "a stranger is told how to begin"
    assert len(stirred(world.table())) == MOST_STIRS_EACH
