"""No player uses up the texts of others: lobby news is collected, strangers share a little."""

import pytest

from telegram_bot.channels.sms.budget import STRANGERS_PART, part_of
from telegram_bot.intents.config import TextCaps
from telegram_bot.service.announcing.table_outbox import GATHERED_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.storage.phone_models import TextTally
from telegram_bot.tables.model import Status
from test_support.sms_world import ANA, BO, CY, RecordingGateway, SmsWorld, a_game, a_lobby, on_turn

USUAL = TextCaps(per_phone=100, per_table=500, per_day=2000, spend=10_000_000)
"""The limits of an installation that chooses none."""


@pytest.fixture
def world(database: Database) -> SmsWorld:
    return SmsWorld(database, RecordingGateway(cost=8000), caps=USUAL)


# The lobby


async def test_a_host_is_told_once_in_several_minutes_who_comes_and_goes(world: SmsWorld) -> None:
    code = await a_lobby(world)
    await world.text(CY, f"JOIN {code} Cy")
    await world.confirm(CY, "LEAVE")
    await world.text(CY, f"JOIN {code} Cy")
    assert world.got(ANA) == []
    await world.pass_time(GATHERED_SECONDS)
    [text] = world.got(ANA)
    assert "Ana, Bo, Cy." in text
    await world.pass_time(GATHERED_SECONDS)
    assert world.got(ANA) == []
    await world.confirm(CY, "LEAVE")
    assert [text.partition(". ")[2][:8] for text in world.got(ANA)] == ["Ana, Bo."]


async def test_what_the_host_does_is_answered_at_once_and_tells_what_was_gathered(world: SmsWorld) -> None:
    code = await a_lobby(world)
    await world.text(CY, f"JOIN {code} Cy")
    [text] = await world.text(ANA, "CLOCK 1H")
    assert "Ana, Bo, Cy." in text
    assert "Clock: 1 hour." in text
    for words, seated in (("BOTS 2", "5 players."), ("BOTS 1", "6 players.")):  # while news wait, and after them
        [text] = await world.text(ANA, words)
        assert seated in text
        await world.pass_time(2 * GATHERED_SECONDS)
        assert world.got(ANA) == []


async def test_when_the_game_begins_nobody_is_told_of_the_lobby_any_more(world: SmsWorld) -> None:
    code = await a_lobby(world)
    await world.text(CY, f"JOIN {code} Cy")
    texts = await world.text(ANA, "GO")
    await world.pass_time(2 * GATHERED_SECONDS)
    assert all(text.startswith("R1 ") for text in texts + world.got(ANA))


async def test_comings_and_goings_without_end_silence_nobody(database: Database) -> None:
    vouched = RecordingGateway("vouched", cost=8000, proof=True)  # where LEAVE is not asked about: the quickest attack
    world = SmsWorld(database, RecordingGateway(cost=8000), vouched, caps=USUAL)
    code = await a_lobby(world)
    for act in range(16):
        world.now += 2.1
        await world.text(CY, "LEAVE" if act % 2 else f"JOIN {code} Cy", gateway="vouched")
    assert len(world.got(ANA)) <= 1
    await world.text(ANA, "GO")
    assert world.table().status is Status.PLAYING
    assert any("Your dice:" in text for text in world.got(ANA) + world.every_text(ANA)[-2:])


# Talk and strangers


async def test_talk_leaves_half_of_a_phones_texts_to_dice_and_turns(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_phone=14))
    await a_game(world)
    await world.text(ANA, "GO")  # the first was answered with a warning
    for n in range(15):
        await world.text(BO, ("?", "STATUS", "who is on?", "DICE", "RULES")[n % 5])
    assert len(world.every_text(BO)) == 7 + 1 + 1, "half, the dice of the first round, and that it was all"
    for words in ("1x3", "2x3", "dudo"):
        await world.text(await on_turn(world), words)
    assert "Your dice:" in world.every_text(BO)[-1], "the next round"


async def test_one_players_questions_leave_the_tables_dice(database: Database) -> None:
    world = SmsWorld(database, caps=TextCaps(per_table=40))
    await a_game(world)
    await world.text(ANA, "GO")  # the first was answered with a warning
    for n in range(25):
        await world.text(BO, ("STATUS", "DICE")[n % 2])
    assert world.every_text(BO)[-1].startswith("R1 I answer no more questions today.")
    for words in ("1x3", "2x3", "dudo"):
        await world.text(await on_turn(world), words)
    for number in (ANA, BO, CY):
        assert "Your dice:" in world.every_text(number)[-1], "the next round"


def a_number(n: int) -> str:
    return f"+447400{200000 + n}"


@pytest.mark.parametrize("words", ["hello", "STOP", "?"])
async def test_strangers_share_a_twentieth_of_the_day(world: SmsWorld, words: str) -> None:
    world.sender.budget.caps = TextCaps(per_phone=100, per_table=500, per_day=100, spend=10_000_000)
    await a_game(world)
    for n in range(9):
        await world.text(a_number(n), words)
    assert sum(len(world.every_text(a_number(n))) for n in range(9)) == 100 // 20
    assert len(await world.text(ANA, "1x3")) == 1, "her first bid counts"
    assert world.got(BO) != [], "players are told as ever"
    tallies = {row.scope: row.texts for row in world.rows(TextTally)}
    assert tallies["strangers"] == 5


async def test_nor_can_numbers_that_open_tables_stop_a_running_game(world: SmsWorld) -> None:
    """Each NEW, forged or not, asks for texts: 20 numbers could use up the day's texts of all."""
    world.sender.budget.caps = TextCaps(per_phone=100, per_table=500, per_day=60, spend=10_000_000)
    await a_game(world)
    for n in range(20):
        for words in ("NEW", "?", "STATUS"):
            await world.text(a_number(n), words)
    assert sum(len(world.every_text(a_number(n))) for n in range(20)) <= 30
    for number, words in ((ANA, "1x3"), (BO, "2x3"), (CY, "dudo")):
        await world.text(number, words)
    assert "Your dice:" in world.every_text(BO)[-1], "the next round"
    assert "Your dice:" in world.every_text(ANA)[-1]


@pytest.mark.parametrize(("spend", "part"), [(4_000_000, 200_000), (100_000, 80_000), (0, 0)])
def test_strangers_may_spend_a_twentieth_but_always_one_text_and_without_a_limit_anything(
    spend: int, part: int
) -> None:
    assert part_of(spend, STRANGERS_PART, 80_000) == part


async def test_strangers_do_not_spend_the_days_money(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    world = SmsWorld(database, RecordingGateway(cost=80_000), caps=TextCaps(spend=4_000_000))
    for n in range(9):
        await world.text(a_number(n), "hello")
    assert sum(len(world.every_text(a_number(n))) for n in range(9)) == 2
    assert caplog.text.count("a day's limit for texts is reached: strangers") == 1
    assert await world.text(ANA, "NEW Ana") != []
