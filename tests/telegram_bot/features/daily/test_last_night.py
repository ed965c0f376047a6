"""Last night's hand: the next /daily in a group asks about a bid of its evening, and everyone there may guess."""

from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.daily import PlayDaily
from telegram_bot.features.daily.last_night import OVER, GuessLastNight, LastNightAnswerNotice, LastNightNotice
from telegram_bot.intents.intents import Place
from telegram_bot.notices import RejectionNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.models import RoundEnd
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.result_views import RevealView
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame

EN = catalogue("en")
NIGHT = 10 * 3600


async def the_daily(harness: GroupHarness, name: str = "Ana") -> LastNightNotice | None:
    """The group's answer to /daily: the question about last night, or None for the link alone."""
    harness.mark_all_sent()
    await harness.say(name, PlayDaily())
    (envelope,) = harness.envelopes()
    assert envelope.chat == harness.group.address
    assert envelope.notice.kind in ("last_night", "daily_link")
    return envelope.notice if isinstance(envelope.notice, LastNightNotice) else None


async def the_question(harness: GroupHarness, name: str = "Ana") -> LastNightNotice:
    asked = await the_daily(harness, name)
    assert asked is not None
    return asked


def the_round(harness: GroupHarness, asked: LastNightNotice) -> RevealView:
    (end,) = (row for row in harness.rows(RoundEnd) if (row.table_id, row.deal) == (asked.table, asked.deal))
    return RevealView.model_validate(end.view)


async def an_evening(harness: GroupHarness, play_game: PlayGame, *names: str) -> None:
    await play_game(*names, seed=1)
    harness.mark_all_sent()
    harness.now += NIGHT


async def test_the_next_daily_of_a_group_asks_about_a_bid_that_was_called_there(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    await an_evening(harness, play_game, "Ana", "Bo", "Cy")
    asked = await the_question(harness)
    view = the_round(harness, asked)
    assert asked.bids == view.bids
    assert view.call in ("dudo", "calza")
    assert asked.dice == len(view.dice[asked.bids[-1].seat])
    said = message_html(asked, EN) or ""
    assert f"{view.seats[asked.bids[-1].seat].name}</b> says " in said
    hand = ",".join(map(str, view.dice[asked.bids[-1].seat]))
    assert f"[{hand}]" not in asked.model_dump_json()
    assert await the_question(harness, "Bo") == asked, "the same on the whole day"


async def test_someone_who_was_absent_guesses_too_and_sees_the_dice(harness: GroupHarness, play_game: PlayGame) -> None:
    await an_evening(harness, play_game, "Ana", "Bo")
    asked = await the_question(harness)
    view = the_round(harness, asked)
    dice = view.dice[asked.bids[-1].seat]
    counted = sum(map(view.counts, dice))
    row = keyboard(asked, EN, bot="bot")[0]
    assert [key["text"] for key in row] == [str(n) for n in range(asked.dice + 1)]
    for guess in range(asked.dice + 1):
        toast = (await harness.tap("Cy", GuessLastNight(asked.table, asked.deal, guess), table=None)).toast
        assert isinstance(toast, LastNightAnswerNotice)
        assert toast.dice == dice
        assert (toast.guess == toast.counted) is (guess == counted)


async def test_a_hidden_person_is_never_asked_about_and_has_no_name(harness: GroupHarness, play_game: PlayGame) -> None:
    await harness.say("Ana", Choose("hidden", value=True))
    await an_evening(harness, play_game, "Ana", "Bo")
    for _ in range(5):
        asked = await the_question(harness)
        assert asked.seats[asked.bids[-1].seat].name == "Bo"
        assert {seat.name for seat in asked.seats} == {"", "Bo"}
        harness.now += 3600
    await harness.say("Bo", Choose("hidden", value=True))
    assert await the_daily(harness) is None
    toast = (await harness.tap("Cy", GuessLastNight(asked.table, asked.deal, 0), table=None)).toast
    assert toast == OVER, "also under a question that is still in the chat"


async def test_a_forgotten_person_is_not_asked_about(harness: GroupHarness, play_game: PlayGame) -> None:
    await an_evening(harness, play_game, "Ana", "Bo")
    await PersonDeletion(harness.service).forget(harness.player("Ana").id)
    asked = await the_question(harness, "Bo")
    assert asked.seats[asked.bids[-1].seat].name == "Bo"


async def test_another_group_gets_no_answer(harness: GroupHarness, play_game: PlayGame) -> None:
    await an_evening(harness, play_game, "Ana", "Bo")
    asked = await the_question(harness)
    guess = GuessLastNight(asked.table, asked.deal, 0)
    for where in (Place("telegram", -1002), None):
        assert (await harness.tap("Cy", guess, table=None, where=where)).toast == OVER


async def test_during_an_evening_and_long_after_it_the_daily_is_as_ever(
    harness: GroupHarness, play_game: PlayGame
) -> None:
    assert await the_daily(harness) is None, "without an evening"
    await play_game("Ana", "Bo", seed=1)
    assert await the_daily(harness) is None, "the evening goes on"
    harness.now += 40 * 3600
    assert await the_daily(harness) is None


async def test_a_guess_waits_for_dice_that_the_group_has_not_seen(harness: GroupHarness, play_game: PlayGame) -> None:
    await an_evening(harness, play_game, "Ana", "Bo")
    asked = await the_question(harness)
    harness.update_row(RoundEnd, (asked.table, asked.deal), seen_at=None)
    toast = (await harness.tap("Cy", GuessLastNight(asked.table, asked.deal, 0), table=None)).toast
    assert isinstance(toast, RejectionNotice)
    assert toast.reason is RejectionReason.REVEALING
