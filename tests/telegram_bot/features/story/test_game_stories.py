"""A finished game is analysed by a process before its story is told: when a person asks, or unasked on a television."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from perudo_core import Rules
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.channels.web.streams import GRACE_SECONDS
from telegram_bot.features.story import announcing
from telegram_bot.features.story.analysis import GameStory, tell_story
from telegram_bot.features.story.announcing import AGAIN, LEASE_SECONDS, UNASKED, story_key
from telegram_bot.features.story.notices import StoryAnswer, StoryAnswerNotice, StoryNotice
from telegram_bot.features.story.requests import GameStories, TellStory
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.intents import ComputationDone, DeadlineReached
from telegram_bot.operations.pruning import Pruning
from telegram_bot.service.computer_requests import Computation
from telegram_bot.service.service import Service
from telegram_bot.settings.sections import FeatureSettings
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, KeyValue
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from test_support.side_functions import no_json, refuse
from test_support.sms_world import ANA, BO, SmsWorld, code_in, on_turn
from test_support.web_world import Browser, WebWorld, a_room, a_screen, bid_and_doubt
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness, rejection_of
from tests.telegram_bot.delivery.conftest import until
from tests.telegram_bot.features.story.test_story import answer_of
from tests.telegram_bot.ingress.conftest import tapped
from tests.telegram_bot.service.test_seats_by_text import ANA as LINKED_PHONE
from tests.telegram_bot.service.test_seats_by_text import kinds, linked


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    made = GroupHarness(database, rules=Rules(starting_dice=1, palifico=False))
    channels = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS))
    made.service.config = replace(made.service.config, channels=channels)
    return made


async def test_a_tap_tells_the_story_once_in_the_operator_s_colours(harness: GroupHarness, inbox: InboxWorker) -> None:
    light = FeatureSettings.model_validate({"story": {"theme": "light"}})
    harness.service.config = replace(harness.service.config, features=light)
    await finished(harness)
    harness.mark_all_sent()
    first, second = tapped(1001, "Bo", "l:1:story", "q1"), tapped(1002, "Ana", "l:1:story", "q2")
    for each in [await inbox.take("telegram", str(update["update_id"]), update) for update in (first, second)]:
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


async def finished(harness: GroupHarness) -> tuple[GameStories, CountingAnalyst]:
    """A finished game of Ana and Bo, and the worker that makes its story."""
    await harness.start_game("Ana", "Bo")
    await harness.play_out()
    analyst = CountingAnalyst()
    return GameStories(harness.service, analyst), analyst


@pytest.mark.parametrize("chat", ["another group", "private"])
async def test_a_strangers_forged_tap_has_nothing_analysed(harness: GroupHarness, chat: str) -> None:
    stories, analyst = await finished(harness)
    where = None if chat == "private" else i.Place("telegram", -2002, title="Strangers")
    forged = [harness.intent("Cy", TellStory(), by="toast", table=1, where=where) for _ in range(50)]
    assert await asyncio.gather(*map(stories.look_up, forged)) == [None] * 50
    for each in forged[:2]:  # as before and after the person has a row
        assert rejection_of((await harness.service.handle(each)).toast) is RejectionReason.NO_TABLE
        assert await stories.look_up(each) is None
    assert analyst.asked == 0


async def test_a_game_drawn_out_is_never_analysed(harness: GroupHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tap would cost the time of a whole analysis, and delay real stories."""
    stories, analyst = await finished(harness)
    harness.mark_all_sent()
    monkeypatch.setattr(announcing, "MOST_ACTIONS", 2)
    asked = harness.intent("Bo", TellStory(), by="toast", table=1)
    assert await stories.look_up(asked) is None
    assert analyst.asked == 0
    assert (await harness.service.handle(asked)).toast == StoryAnswerNotice(table=1, answer=StoryAnswer.TOO_LONG)


async def test_people_ask_in_private_or_in_their_chat_for_a_new_analysis(harness: GroupHarness) -> None:
    stories, analyst = await finished(harness)
    analyst.done.set()
    await harness.service.key_values.put(story_key(1), '{"course": "of another version"}')
    told = [
        await stories.look_up(harness.intent(name, TellStory(), table=1, where=where))
        for name, where in (("Bo", None), ("Cy", harness.group))
    ]
    assert told[0] == told[1]
    assert told[0] is not None
    assert analyst.asked == 1


async def test_all_who_ask_for_a_story_share_one_analysis_and_it_is_kept(harness: GroupHarness) -> None:
    stories, analyst = await finished(harness)
    asking = [
        asyncio.create_task(stories.look_up(harness.intent(name, TellStory(), table=1)))
        for name in ("Ana", "Bo", "Ana", "Bo")
    ]
    await until(lambda: analyst.asked == 1)
    asking[0].cancel()  # its time is up: the others still wait
    analyst.done.set()
    _, *told = await asyncio.gather(*asking, return_exceptions=True)
    assert told[0] is not None
    restarted = GameStories(harness.service, other := CountingAnalyst())
    told.append(await restarted.look_up(harness.intent("Bo", TellStory(), table=1)))
    assert told == [told[0]] * 4
    assert (analyst.asked, other.asked) == (1, 0)
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


async def test_no_running_game_is_analysed_and_what_fails_is_told_without_the_game(
    harness: GroupHarness, caplog: pytest.LogCaptureFixture
) -> None:
    await harness.start_game("Ana", "Bo")
    stories = GameStories(harness.service, SideProcess(refuse, seconds=60))
    intents = [harness.intent("Bo", TellStory(), table=table) for table in (1, 77)]
    caplog.clear()
    assert [await stories.look_up(intent) for intent in intents] == [None, None]
    assert stories.add_fact(intents[0], {"course": "of another version"}).request == TellStory()
    assert caplog.text == ""
    await harness.play_out()
    assert await stories.look_up(intents[0]) is None
    assert "the story of a game is not told: FunctionFailedError" in caplog.text


async def test_an_analysis_that_is_left_over_does_not_hold_up_the_start(
    harness: GroupHarness, inbox: InboxWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    await finished(harness)
    harness.mark_all_sent()
    update = tapped(1001, "Bo", "l:1:story")
    await harness.service.inbox_store.store_all("telegram", [(str(update["update_id"]), update)])
    monkeypatch.setattr("telegram_bot.ingress.inbox.TAKE_OVER_SECONDS", 0.01)
    await inbox.take_over()
    assert harness.notices("story") == []
    await inbox.idle()
    assert len(harness.notices("story")) == 1


async def test_a_phone_that_texts_for_the_story_gets_it_three_times_and_nobody_else_pays(phones: SmsWorld) -> None:
    code = code_in(await phones.text(ANA, "NEW Ana"))
    await phones.text(BO, f"JOIN {code} Bo")
    await phones.text(ANA, "GO")
    while phones.table().status is Status.PLAYING:
        bid = phones.table().begun_game.current_bid
        call = "1x2" if bid is None else "dudo" if bid.quantity > 2 else f"{bid.quantity + 1} {bid.face}"
        await phones.text(await on_turn(phones), call)
    for number in (ANA, BO):
        assert "Text AGAIN for another, STORY for how it went." in phones.every_text(number)[-1]
        phones.got(number)
    (story,) = await phones.text(BO, "STORY")
    assert all(word in story for word in ("Luck in dice: ", "Ana", "Bo"))
    assert len(story) <= 160
    assert phones.got(ANA) == []
    answers = [await phones.text(ANA, asked) for asked in ("how did it go?", *["STORY"] * 4)]
    assert answers == [[story]] * 4 + [[]], "a machine asks again and again"


async def due(service: Service) -> Sequence[Computation]:
    """Handle the deadline of the finished game; return the computation that this worker gets, if any."""
    return (await service.handle(DeadlineReached(1))).computations


def story_of_game(story: Computation) -> GameStory:
    return GameStory.model_validate_json(tell_story(*story.arguments))


async def hand_in(service: Service, story: Computation, found: bytes | None = None) -> bool:
    """Hand in what a worker has found, or else the story; True if there was something to do."""
    told = tell_story(*story.arguments) if found is None else found
    return not (await service.handle(ComputationDone(lambda uow: story.hand_in(uow, told)))).skipped


async def played(world: WebWorld, *, seconds: float | None = 0) -> tuple[list[Browser], Browser]:
    """A finished game of Ana and Bo, and a screen that was open so many seconds ago, or never."""
    guests = await a_room(world, "Ana", "Bo")
    await guests[0].act("option", option="starting_dice", value="1")
    await guests[0].act("start")
    screen = await a_screen(world, guests[0])
    if seconds is not None:
        await screen.cards()
        world.now += seconds
    await bid_and_doubt(*guests)
    return guests, screen


@pytest.mark.parametrize("seconds", [None, GRACE_SECONDS + 1])
async def test_a_table_without_a_television_waits_until_somebody_asks(world: WebWorld, seconds: float | None) -> None:
    await played(world, seconds=seconds)
    assert not await due(world.service)
    assert world.rows(GameTable)[0].due_at is None


async def test_with_a_television_it_comes_unasked_to_the_screen_and_to_the_pages(world: WebWorld) -> None:
    guests, screen = await played(world)
    (story,) = await due(world.service)
    assert await hand_in(world.service, story)
    await world.settle()
    told = [await page.card("story") for page in (screen, *guests)]
    assert told == [told[0]] * 3
    assert told[0]["course"][0] == [1, 1]
    assert not await hand_in(world.service, story), "told once"


async def test_a_room_that_plays_again_is_not_told_of_the_game_before(world: WebWorld) -> None:
    guests, screen = await played(world)
    (story,) = await due(world.service)
    await guests[0].act("again", table=1)
    assert await hand_in(world.service, story)
    await world.settle()
    cards = [card["card"] for card in await screen.cards(anew=True)]
    assert cards[-1] == "lobby"
    assert "story" not in cards
    assert story_key(1) in {row.key for row in world.rows(KeyValue)}, "kept for a person who asks"


async def due_again(harness: GroupHarness) -> Sequence[Computation]:
    harness.update_row(GameTable, 1, due_at=harness.now)
    harness.store(harness.table().with_timer(UNASKED, harness.now))
    return await due(harness.service)


async def begun(harness: GroupHarness) -> Computation:
    await finished(harness)
    (story,) = await due_again(harness)
    return story


def told_on(harness: GroupHarness) -> list[str]:
    return [each.channel for each in harness.envelopes() if isinstance(each.notice, StoryNotice)]


async def test_a_worker_that_died_is_followed_by_another_one(harness: GroupHarness) -> None:
    story = await begun(harness)
    assert not await due(harness.service), "one worker at a time"
    harness.pass_time(LEASE_SECONDS)
    (again,) = await due(harness.service)
    assert not await hand_in(harness.service, story)
    assert await hand_in(harness.service, again)
    assert told_on(harness) == ["web"], "the group, which has a key for it, is not told"
    assert not await due(harness.service)


async def test_it_is_not_told_again_if_somebody_has_asked_meanwhile(harness: GroupHarness) -> None:
    story = await begun(harness)
    await harness.tap("Bo", TellStory(story_of_game(story)))
    harness.mark_all_sent()
    assert await hand_in(harness.service, story)
    assert harness.notices("story") == []
    assert not await due_again(harness)


@pytest.mark.parametrize("is_found", [True, False])
async def test_a_story_that_is_not_found_in_time_is_tried_once_more_and_not_again(
    harness: GroupHarness, caplog: pytest.LogCaptureFixture, *, is_found: bool
) -> None:
    assert await hand_in(harness.service, await begun(harness), no_json())
    (again,) = await due(harness.service)
    assert await hand_in(harness.service, again, None if is_found else no_json())
    assert told_on(harness) == (["web"] if is_found else [])
    assert ("the story of a game is not told" in caplog.text) is not is_found
    assert not {UNASKED, AGAIN} & set(harness.table().timers)


async def test_it_costs_no_message_and_whoever_texts_for_it_still_gets_it(harness: GroupHarness) -> None:
    story = await begun(harness)
    await linked(harness)
    harness.mark_all_sent()
    await hand_in(harness.service, story)
    assert kinds(harness, LINKED_PHONE) == []
    harness.mark_all_sent()
    await harness.text("Ana", TellStory(story_of_game(story)), table=1)
    assert kinds(harness, LINKED_PHONE) == ["story"]
    assert answer_of((await harness.tap("Bo", TellStory(None))).toast).value == "above"
