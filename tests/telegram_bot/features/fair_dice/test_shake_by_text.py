"""A phone stirs the dice by the number of a sign, after it got the seal."""

from dataclasses import replace

import pytest

from telegram_bot.channels.sms.text_parser import parse_message
from telegram_bot.features.fair_dice import SealDice, SealNotice, StirDice
from telegram_bot.notices.rendering import sms_text
from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.tables.sealed_dice import MOST_STIRS_EACH, seal_of, stirred
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from test_support.sms_world import ANA, BO, CY, SmsWorld, code_in
from tests.telegram_bot.words.test_every_notice_by_text import READER, in_one_message


@pytest.fixture
def world(database: Database) -> SmsWorld:
    made = SmsWorld(database)
    made.service.config = replace(made.service.config, sealed_dice=True)
    return made


async def test_phones_see_the_seal_in_digits_before_they_stir(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.pass_time(GATHERED_SECONDS)
    world.got(ANA)
    seal = await world.text(BO, "STIR 7")
    sealed = f"Dice sealed: {seal_of(world.table())}. To shake them text STIR and a number from 1 to 12."
    assert seal == [sealed], "what comes before the seal does not count"
    assert world.got(ANA) == [sealed]
    assert len(seal_of(world.table()).replace(" ", "")) == 15, "49 bits, which no one finds again by trying"
    assert sealed in await world.text(CY, f"JOIN {code} Cy"), "who comes later is shown it as well"
    assert await world.text(BO, "STIR 7.") == [f"7 is in the dice. Seal: {seal_of(world.table())}"]
    await world.pass_time(GATHERED_SECONDS)
    assert "Shaken in: Bo 7" in world.got(ANA)[-1], "the host is told: what only the bot saw proves nothing"
    assert "Shaken in: Bo 7" in (await world.text(BO, "STATUS"))[0]
    await world.text(ANA, "STIR 2")
    assert [(stir.name, stir.what) for stir in stirred(world.table())] == [("Bo", "🍋"), ("Ana", "🦊")]


async def test_a_stir_of_which_nobody_was_told_yet_is_told_to_everybody_with_their_dice(world: SmsWorld) -> None:
    """The host starts before the lobby's news is sent; else only the stirrer would have seen the stir."""
    code = code_in(await world.text(ANA, "NEW Ana"))
    for number, name in ((BO, "Bo"), (CY, "Cy")):
        await world.text(number, f"JOIN {code} {name}")
    await world.text(BO, "STIR")
    await world.text(BO, "STIR 12")
    world.got(ANA)
    world.got(CY)
    await world.text(CY, "STIR 2")
    assert world.got(ANA) == []
    for texts in (await world.text(ANA, "GO"), world.got(BO), world.got(CY)):
        assert "Shaken in: Bo 12, Cy 2." in texts[-1]
    turn = world.table().game.turn  # type: ignore[union-attr]
    await world.text((ANA, BO, CY)[turn or 0], "1x3")
    assert "Shaken" not in world.got((ANA, BO, CY)[((turn or 0) + 1) % 3])[-1], "once"


async def test_a_phone_reads_nothing_about_dice_that_no_player_shook(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    assert "shook" not in (await world.text(ANA, "GO"))[-1]
    assert "shook" not in world.got(BO)[-1]


async def test_who_sleeps_is_told_in_the_morning(world: SmsWorld) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.text(BO, "STIR")
    await world.text(BO, "STIR 12")
    world.now += 11 * 3600  # Ana is up late
    await world.text(ANA, "GO")
    if world.table().game.turn == 0:  # type: ignore[union-attr]
        await world.text(ANA, "1x3")
    world.got(BO)
    await world.pass_time(10 * 3600)
    assert "Shaken in: Bo 12." in " ".join(world.got(BO))


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


@pytest.mark.parametrize(
    ("text", "language", "meant"),
    [
        ("Stir 1", "en", StirDice("🍀")),
        ("mescola 12!", "it", StirDice("🌊")),
        ("mélange 13", "fr", SealDice()),
        ("mezcla llama", "es", SealDice()),
        ("roer", "nl", SealDice()),
    ],
)
def test_each_language_has_words_for_it(text: str, language: str, meant: SealDice | StirDice) -> None:
    assert getattr(parse_message(text, language, "Europe/Rome"), "request", None) == meant


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_seal_is_a_text_that_says_how_to_stir(language: str) -> None:
    text = sms_text(SealNotice(table=1, commitment="ff" * 32), catalogue(language), READER)
    assert text is not None
    assert "007 913 129 639 935" in text
    assert " STIR " in text
    in_one_message(text)
