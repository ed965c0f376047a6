"""The story of a finished game: told once, to all players, without the names of hidden players."""

import re
from html import unescape

import pytest

from perudo_core import Action, Bid, Dudo, OpenerDraw, Roll, Rules, record_of
from perudo_core.agents import Level
from perudo_core.fair_record import FairRecord
from telegram_bot.channels.telegram.updates import takes_seconds
from telegram_bot.features.story.analysis import GameStory, story_of
from telegram_bot.features.story.notices import StoryAnswer, StoryAnswerNotice
from telegram_bot.features.story.requests import TellStory
from telegram_bot.notices import Toast
from telegram_bot.notices.rendering import message_html, sms_text
from telegram_bot.service.handlers.lobby_requests import AddComputers, Start
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.results.game_record import game_record
from telegram_bot.statistics.game_facts import PlayedAction, facts_of
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.tables.computer_players import FIRST_COMPUTER
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.sms.layout import TextReader
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.service.test_seats_by_text import ANA, kinds, linked


async def story(harness: GroupHarness) -> GameStory:
    """The story of the game that is over."""
    table = harness.table()
    document = await harness.service.database.run(
        lambda session: game_record(harness.service.unit_of_work(session, ""), table).document
    )
    return story_of(FairRecord.from_json(document))


async def finished(harness: GroupHarness) -> GameStory:
    """A short game of Ana, Bo and Cy, and its story."""
    await harness.lobby("Ana", "Bo", "Cy")
    await harness.tap("Ana", Start())
    await harness.play_out()
    harness.mark_all_sent()
    return await story(harness)


@pytest.mark.parametrize(("bid", "is_bold"), [(4, False), (5, True)])
def test_a_bluff_that_is_likely_to_be_true_is_not_bold(bid: int, is_bold: bool) -> None:
    rules = Rules(starting_dice=5, sudden_death=True, palifico=False)
    actions: list[Action] = [
        Roll(((3, 4, 4, 5, 6), (2, 2, 3, 3, 6), (2, 2, 3, 5, 6))),
        *(Bid(0, bid, 2), Bid(1, bid + 1, 2), Dudo(2)),
        *(Roll(((3, 4, 4, 5, 6), (), (2, 3, 4, 5, 6))), Bid(2, 9, 3), Dudo(0)),
    ]
    told = story_of(record_of(rules, ["Ana", "Bo", "Cy"], actions, opener=0))
    assert (told.bluff is not None) is is_bold
    counted = facts_of(rules, 3, [PlayedAction(action, automatic=False) for action in [OpenerDraw(0), *actions]])
    bluffs = [(seat.bluffs, seat.bluffs_through) for seat in told.seats]
    assert bluffs == [(seat.bluffs, seat.bluffs_held) for seat in counted], "a card and the statistics count the same"


def answer_of(toast: Toast | None) -> StoryAnswer:
    assert isinstance(toast, StoryAnswerNotice)
    return toast.answer


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database, rules=Rules(starting_dice=1, palifico=False))


async def test_the_story_is_told_once_after_the_game(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo", "Cy")
    await harness.tap("Ana", Start())
    assert answer_of((await harness.tap("Bo", TellStory())).toast) is StoryAnswer.LATER
    await harness.play_out()
    harness.mark_all_sent()
    told = await story(harness)
    harness.update_row(Player, harness.player("Cy").id, guest=True)  # guests are named as everyone is
    assert sum(seat.luck for seat in told.seats) == pytest.approx(0, abs=0.02)
    unknown = await harness.tap("Bo", TellStory())
    assert answer_of(unknown.toast) is StoryAnswer.UNKNOWN, "without an analysis, and later it can be told"
    assert harness.notices("story") == []
    assert answer_of((await harness.tap("Bo", TellStory(told))).toast) is StoryAnswer.TOLD
    assert answer_of((await harness.tap("Cy", TellStory(told))).toast) is StoryAnswer.ABOVE
    (notice,) = harness.notices("story")
    assert notice.story == told
    assert set(notice.names) == {seat.name for seat in harness.table().seats}
    harness.mark_all_sent()
    assert answer_of((await harness.tap("Ana", TellStory(told))).toast) is StoryAnswer.ABOVE
    assert harness.notices("story") == []  # it was sent before


def test_neither_the_chat_nor_telegram_waits_for_a_story() -> None:
    assert takes_seconds({"callback_query": {"data": "l:1:story"}})


async def test_a_linked_phone_gets_the_story_as_well(harness: GroupHarness) -> None:
    story = await finished(harness)
    await linked(harness)
    harness.mark_all_sent()
    await harness.tap("Bo", TellStory(story))
    assert kinds(harness, ANA) == ["story"]


async def test_computer_players_are_named_as_at_the_table(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    await harness.tap("Ana", AddComputers(2, Level.NOVICE))
    await harness.tap("Ana", Start())
    await harness.play_out()
    harness.mark_all_sent()
    table = harness.table()
    assert sum(seat.player <= FIRST_COMPUTER for seat in table.seats) == 2
    await harness.say("Ana", Choose("hidden", value=True), where=None)
    harness.mark_all_sent()
    await harness.say("Ana", TellStory(await story(harness)), table=table.id)
    assert harness.notices("story_answer") == [], "asked for in words, it arrives without another word"
    (notice,) = harness.notices("story")
    named = {seat.name for seat in table.seats if seat.computer is not None}
    assert set(notice.names) == {"", *named}
    told = message_html(notice, catalogue("en"))
    assert told is not None
    assert all(name in told for name in named)
    assert "Ana" not in told


async def test_the_last_call_that_cost_a_die_is_told_with_what_the_expert_would_have_called(
    harness: GroupHarness,
) -> None:
    story = await finished(harness)
    decider = story.decider
    assert decider is not None
    assert decider.round == len(story.course) - 1
    assert story.course[-1][decider.seat] == 0, "it cost the last die"
    await harness.tap("Ana", TellStory(story))
    (notice,) = harness.notices("story")
    told = message_html(notice, catalogue("en"))
    assert told is not None
    assert "The turning point" in told
    assert ("would have called the same" in told) == (story.instead is None)
    better = story.model_copy(update={"instead": "dudo"})
    told = message_html(notice.model_copy(update={"story": better}), catalogue("en"))
    assert told is not None
    assert "The expert's call: Dudo!" in told


async def test_who_hides_is_somebody(harness: GroupHarness) -> None:
    story = await finished(harness)
    await harness.say("Bo", Choose("hidden", value=True), where=None)
    await harness.tap("Ana", TellStory(story))
    (notice,) = harness.notices("story")
    assert "Bo" not in notice.names
    assert notice.names.count("") == 1
    for language in LANGUAGES:
        w = catalogue(language)
        told = message_html(notice, w)
        assert told is not None
        named = re.findall("<b>(.*?)</b>", unescape(told))
        assert {w.say("someone"), "Ana", "Cy"} <= set(named)
        assert "Bo" not in named
        text = sms_text(notice, w, TextReader())
        assert text is not None
        assert "Ana" in text
        assert len(text) <= 160
