"""A finished game is analysed before its story is told: by a real process, once, while the chat goes on."""

from __future__ import annotations

import pytest

from perudo_core import Rules
from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.updates import takes_seconds
from telegram_bot.ingress.game_stories import GameStories
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.service import intents as i
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.database import Database
from test_support.side_functions import refuse
from tests.telegram_bot.conftest import ONLY_SQLITE, GroupHarness
from tests.telegram_bot.ingress.conftest import GROUP, PEOPLE, Json
from tests.telegram_bot.service.test_story import play_out


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database, rules=Rules(starting_dice=1, palifico=False))


def tapped(number: int, name: str, word: str) -> Json:
    sender = {"id": PEOPLE[name], "is_bot": False, "first_name": name}
    message = {"message_id": 5, "date": 1, "chat": GROUP}
    query = {"id": str(number), "from": sender, "message": message, "data": callback_data.lobby(1, word)}
    return {"update_id": number, "callback_query": query}


@ONLY_SQLITE
async def test_a_tap_tells_the_story_once(harness: GroupHarness, inbox: InboxWorker) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    await play_out(harness)
    harness.mark_all_sent()
    first, second = [tapped(number, name, "story") for number, name in ((1001, "Bo"), (1002, "Ana"))]
    begun = [await inbox.take("telegram", str(update["update_id"]), update) for update in (first, second)]
    for each in begun:
        assert each is not None
        await each
    (notice,) = harness.notices("story")
    assert sorted(notice.names) == ["Ana", "Bo"]
    assert notice.story.course[0] == (1, 1)


@pytest.mark.parametrize("word", ["story", "again"])
def test_telegram_need_not_wait_for_it(word: str) -> None:
    assert takes_seconds(tapped(1, "Bo", word)) is (word == "story")


@ONLY_SQLITE
async def test_it_is_asked_for_at_no_running_game(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    stories = GameStories(harness.service)
    intent = harness.intent("Bo", i.TellStory(), table=1)
    assert stories.is_needed_for(intent)
    assert await stories.look_up(intent) is None
    assert await stories.look_up(harness.intent("Bo", i.TellStory(), table=77)) is None
    assert stories.add_fact(intent, {"course": "of another version"}).what == i.TellStory()


@ONLY_SQLITE
async def test_what_fails_is_told_without_the_game(harness: GroupHarness, caplog: pytest.LogCaptureFixture) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    await play_out(harness)
    stories = GameStories(harness.service, SideProcess(refuse, seconds=60))
    assert await stories.look_up(harness.intent("Bo", i.TellStory(), table=1)) is None
    assert "the story of a game is not told: NoAnswerError" in caplog.text


@ONLY_SQLITE
async def test_an_analysis_that_is_left_over_does_not_hold_up_the_start(
    harness: GroupHarness, inbox: InboxWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    await play_out(harness)
    harness.mark_all_sent()
    update = tapped(1001, "Bo", "story")
    await harness.service.inbox_store.store_all("telegram", [(str(update["update_id"]), update)])
    monkeypatch.setattr("telegram_bot.ingress.inbox.TAKE_OVER_SECONDS", 0.01)
    await inbox.take_over(all_of_them=True)
    assert harness.notices("story") == []
    await inbox.idle()
    assert len(harness.notices("story")) == 1
