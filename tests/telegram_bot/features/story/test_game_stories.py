"""A finished game is analysed before its story is told: by a real process, once, while the chat continues."""

import asyncio
from dataclasses import replace

import pytest

from perudo_core import Rules
from telegram_bot.features.story import announcing
from telegram_bot.features.story.analysis import tell_story
from telegram_bot.features.story.announcing import story_key
from telegram_bot.features.story.notices import StoryAnswer, StoryAnswerNotice
from telegram_bot.features.story.requests import GameStories, TellStory
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents import intents as i
from telegram_bot.notices import RejectionNotice
from telegram_bot.operations.pruning import Pruning
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.settings.sections import FeatureSettings
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import KeyValue
from telegram_bot.tables.events import RejectionReason
from test_support.side_functions import refuse
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness
from tests.telegram_bot.ingress.conftest import GROUP, PEOPLE, Json, until


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database, rules=Rules(starting_dice=1, palifico=False))


def tapped(number: int, name: str, word: str) -> Json:
    sender = {"id": PEOPLE[name], "is_bot": False, "first_name": name}
    message = {"message_id": 5, "date": 1, "chat": GROUP}
    query = {"id": str(number), "from": sender, "chat_instance": "1", "message": message}
    query["data"] = f"l:1:{word}"
    return {"update_id": number, "callback_query": query}


async def test_a_tap_tells_the_story_once_in_the_operator_s_colours(harness: GroupHarness, inbox: InboxWorker) -> None:
    light = FeatureSettings.model_validate({"story": {"theme": "light"}})
    harness.service.config = replace(harness.service.config, features=light)
    await finished(harness)
    harness.mark_all_sent()
    first, second = [tapped(number, name, "story") for number, name in ((1001, "Bo"), (1002, "Ana"))]
    begun = [await inbox.take("telegram", str(update["update_id"]), update) for update in (first, second)]
    for each in begun:
        assert each is not None
        await each
    (notice,) = harness.notices("story")
    assert sorted(notice.names) == ["Ana", "Bo"]
    assert notice.story.course[0] == (1, 1)
    assert notice.theme == "light"


class CountingAnalyst(SideProcess[[str]]):
    """Makes stories once a test permits it, and counts the requests."""

    def __init__(self) -> None:
        super().__init__(tell_story, seconds=60)
        self.asked = 0
        self.done = asyncio.Event()

    async def ask(self, record: str) -> bytes:
        self.asked += 1
        await self.done.wait()
        return tell_story(record)


async def finished(harness: GroupHarness) -> GameStories:
    """A finished game of Ana and Bo, and the worker that makes its story."""
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
    await harness.play_out()
    return GameStories(harness.service, CountingAnalyst())


def analyst_of(stories: GameStories) -> CountingAnalyst:
    assert isinstance(stories.analyst, CountingAnalyst)
    return stories.analyst


@pytest.mark.parametrize("chat", ["another group", "private"])
async def test_a_strangers_forged_tap_has_nothing_analysed(harness: GroupHarness, chat: str) -> None:
    stories = await finished(harness)
    where = None if chat == "private" else i.Place("telegram", -2002, title="Strangers")
    forged = [harness.intent("Cy", TellStory(), by="toast", table=1, where=where) for _ in range(50)]
    assert await asyncio.gather(*map(stories.look_up, forged)) == [None] * 50
    assert analyst_of(stories).asked == 0
    for each in forged[:2]:  # as before and after the person has a row
        toast = (await harness.service.handle(each)).toast
        assert isinstance(toast, RejectionNotice)
        assert toast.reason is RejectionReason.NO_TABLE
        assert await stories.look_up(each) is None
    assert analyst_of(stories).asked == 0


async def test_a_game_drawn_out_so_that_no_analysis_ends_in_time_is_never_analysed(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each tap would cost the time of a whole analysis, and delay real stories."""
    stories = await finished(harness)
    harness.mark_all_sent()
    monkeypatch.setattr(announcing, "MOST_ACTIONS", 2)
    asked = harness.intent("Bo", TellStory(), by="toast", table=1)
    assert await stories.look_up(asked) is None
    assert analyst_of(stories).asked == 0
    answer = StoryAnswerNotice(table=1, answer=StoryAnswer.TOO_LONG)
    assert (await harness.service.handle(asked)).toast == answer


async def test_who_played_may_ask_in_private_and_whoever_is_in_the_chat_there(harness: GroupHarness) -> None:
    stories = await finished(harness)
    analyst_of(stories).done.set()
    told = [
        await stories.look_up(harness.intent(name, TellStory(), table=1, where=where))
        for name, where in (("Bo", None), ("Cy", harness.group))
    ]
    assert told[0] == told[1]
    assert told[0] is not None


async def test_all_who_ask_for_a_story_share_one_analysis_and_it_is_kept(harness: GroupHarness) -> None:
    stories = await finished(harness)
    asking = [
        asyncio.create_task(stories.look_up(harness.intent(name, TellStory(), table=1)))
        for name in ("Ana", "Bo", "Ana", "Bo")
    ]
    await until(lambda: analyst_of(stories).asked == 1)
    asking[0].cancel()  # its time is up: the others still wait
    analyst_of(stories).done.set()
    _, *told = await asyncio.gather(*asking, return_exceptions=True)
    assert told[0] is not None
    restarted = GameStories(harness.service, CountingAnalyst())
    told.append(await restarted.look_up(harness.intent("Bo", TellStory(), table=1)))
    assert told == [told[0]] * 4
    assert (analyst_of(stories).asked, analyst_of(restarted).asked) == (1, 0)
    (kept,) = (row.value for row in harness.rows(KeyValue) if row.key == story_key(1))
    assert not any(name in kept for name in ("Ana", "Bo"))


@BOTH_DATABASES
async def test_a_story_is_kept_as_long_as_its_game(harness: GroupHarness) -> None:
    await finished(harness)
    for table in (1, 2):
        await harness.service.key_values.put(story_key(table), "a story")
    harness.mark_all_sent()
    await Pruning(harness.database, lambda: harness.now).run()
    assert [row.key for row in harness.rows(KeyValue) if row.value == "a story"] == [story_key(1)]


async def test_a_story_that_another_version_has_kept_is_found_out_anew(harness: GroupHarness) -> None:
    stories = await finished(harness)
    analyst_of(stories).done.set()
    await harness.service.key_values.put(story_key(1), '{"course": "of another version"}')
    assert await stories.look_up(harness.intent("Bo", TellStory(), table=1)) is not None
    assert analyst_of(stories).asked == 1


async def test_it_is_asked_for_at_no_running_game(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
    stories = GameStories(harness.service)
    intent = harness.intent("Bo", TellStory(), table=1)
    assert await stories.look_up(intent) is None
    assert await stories.look_up(harness.intent("Bo", TellStory(), table=77)) is None
    assert stories.add_fact(intent, {"course": "of another version"}).request == TellStory()


async def test_what_fails_is_told_without_the_game(harness: GroupHarness, caplog: pytest.LogCaptureFixture) -> None:
    await finished(harness)
    stories = GameStories(harness.service, SideProcess(refuse, seconds=60))
    assert await stories.look_up(harness.intent("Bo", TellStory(), table=1)) is None
    assert "the story of a game is not told: FunctionFailedError" in caplog.text


async def test_an_analysis_that_is_left_over_does_not_hold_up_the_start(
    harness: GroupHarness, inbox: InboxWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await finished(harness)
    harness.mark_all_sent()
    update = tapped(1001, "Bo", "story")
    await harness.service.inbox_store.store_all("telegram", [(str(update["update_id"]), update)])
    monkeypatch.setattr("telegram_bot.ingress.inbox.TAKE_OVER_SECONDS", 0.01)
    await inbox.take_over()
    assert harness.notices("story") == []
    await inbox.idle()
    assert len(harness.notices("story")) == 1
