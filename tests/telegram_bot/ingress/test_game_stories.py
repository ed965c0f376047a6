"""A finished game is analysed before its story is told: by a real process, once, while the chat goes on."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from perudo_core import Rules
from telegram_bot.analysis.game_stories import GameStories
from telegram_bot.analysis.process import PROGRAM, AnalysisError, GameAnalyst
from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.updates import takes_seconds
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.service import intents as i
from telegram_bot.statistics.story import GameStory
from telegram_bot.storage.database import Database
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.ingress.conftest import GROUP, PEOPLE, Json
from tests.telegram_bot.service.test_story import play_out

GAME = """{"schema": "perudo-record/1", "rules": {"starting_dice": 1}, "seats": ["Ana", "Bo"], "opener": 0,
"rounds": [{"dice": [[2], [3]], "calls": [[0, "2x2"], [1, "dudo"]]}]}"""


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database, rules=Rules(starting_dice=1, palifico=False))


def tapped(number: int, name: str, word: str) -> Json:
    sender = {"id": PEOPLE[name], "is_bot": False, "first_name": name}
    message = {"message_id": 5, "date": 1, "chat": GROUP}
    query = {"id": str(number), "from": sender, "message": message, "data": callback_data.lobby(1, word)}
    return {"update_id": number, "callback_query": query}


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


async def test_it_is_asked_for_at_no_running_game(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    stories = GameStories(harness.service, GameAnalyst(program="nobody.asks.it"))
    intent = harness.intent("Bo", i.TellStory(), table=1)
    assert stories.is_needed_for(intent)
    assert await stories.look_up(intent) is None
    assert await stories.look_up(harness.intent("Bo", i.TellStory(), table=77)) is None
    assert stories.add_fact(intent, {"course": "of another version"}).what == i.TellStory()


async def test_what_fails_is_told_without_the_game(harness: GroupHarness, caplog: pytest.LogCaptureFixture) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.Start())
    await play_out(harness)
    stories = GameStories(harness.service, GameAnalyst(program="telegram_bot.no_such_module"))
    assert await stories.look_up(harness.intent("Bo", i.TellStory(), table=1)) is None
    assert "the story of a game is not told: the analysis failed" in caplog.text


def test_the_process_ends_when_the_bot_does() -> None:
    program = [sys.executable, "-m", PROGRAM]
    ended = subprocess.run(  # noqa: S603 - the bot's own program
        program, input=json.dumps(GAME) + "\n", capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", ""), "nobody held its input open"


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


async def test_the_process_answers_dies_or_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    story = await GameAnalyst().story(GAME)
    assert isinstance(story, GameStory)
    assert [seat.place for seat in story.seats] == [2, 1]
    with pytest.raises(AnalysisError, match="failed"):
        await GameAnalyst().story("{}")
    (tmp_path / "sleeping_program.py").write_text("import time; time.sleep(60)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{':'.join(filter(None, sys.path))}")
    slow = GameAnalyst(seconds=0.3, most_waiting=0, program="sleeping_program")
    waiting = asyncio.ensure_future(slow.story(GAME))
    await asyncio.sleep(0)
    with pytest.raises(AnalysisError, match="too many"):
        await slow.story(GAME)
    with pytest.raises(AnalysisError, match="too long"):
        await waiting
