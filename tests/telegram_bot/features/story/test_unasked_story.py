"""The story of a game that a television shows comes unasked: once, while the room is still at that game."""

from dataclasses import replace

import pytest

from perudo_core import Rules
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.channels.web.streams import GRACE_SECONDS
from telegram_bot.features.story.analysis import GameStory, tell_story
from telegram_bot.features.story.announcing import AGAIN, LEASE_SECONDS, UNASKED, story_key
from telegram_bot.features.story.notices import StoryNotice
from telegram_bot.features.story.requests import TellStory
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.intents import ComputationDone, DeadlineReached
from telegram_bot.service.computer_requests import Computation
from telegram_bot.service.service import Service
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, KeyValue
from test_support.side_functions import no_json
from test_support.web_world import Browser, WebWorld, a_room, keys_of
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.features.story.test_story import answer_of, finished
from tests.telegram_bot.service.test_seats_by_text import ANA, kinds, linked


@pytest.fixture
def world(database: Database) -> WebWorld:
    return WebWorld(database)


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    made = GroupHarness(database, rules=Rules(starting_dice=1, palifico=False))
    channels = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS))
    made.service.config = replace(made.service.config, channels=channels)
    return made


async def due(service: Service) -> Computation | None:
    """Handle the deadline of the finished game; return the computation that this worker gets."""
    return next(iter((await service.handle(DeadlineReached(1))).computations), None)


def story_of_game(story: Computation) -> GameStory:
    return GameStory.model_validate_json(tell_story(*story.arguments))


async def hand_in(service: Service, story: Computation, found: bytes | None = None) -> bool:
    """Hand in what a worker has found, or else the story; True if there was something to do."""
    told = tell_story(*story.arguments) if found is None else found
    return not (await service.handle(ComputationDone(lambda uow: story.hand_in(uow, told)))).skipped


async def played(world: WebWorld, *, seconds: float | None = 0) -> tuple[list[Browser], Browser]:
    """A finished game of Ana and Bo, and a screen that was open so many seconds ago, or never."""
    guests = await a_room(world, "Ana", "Bo")
    code, (_, key) = (await guests[0].card("lobby"))["code"], await keys_of(guests[0])
    await guests[0].act("option", option="starting_dice", value="1")
    await guests[0].act("start")
    screen = world.browser("192.0.2.60")
    await screen.ask("screen", code=code, key=key)
    if seconds is not None:
        await screen.cards()
        world.now += seconds
    for act, bid in (("bid", {"quantity": 1, "face": 2}), ("dudo", {})):
        card = await guests[0].card("round")
        assert (await guests[card["turn"]].act(act, table=1, step=card["step"], **bid))["done"]
    return guests, screen


@pytest.mark.parametrize("seconds", [None, GRACE_SECONDS + 1])
async def test_a_table_without_a_television_waits_until_somebody_asks(world: WebWorld, seconds: float | None) -> None:
    await played(world, seconds=seconds)
    assert await due(world.service) is None
    with world.database.transaction() as session:
        assert session.get_one(GameTable, 1).due_at is None


async def test_with_a_television_it_comes_unasked_to_the_screen_and_to_the_pages(world: WebWorld) -> None:
    guests, screen = await played(world)
    story = await due(world.service)
    assert story is not None
    assert await hand_in(world.service, story)
    await world.settle()
    told = [await page.card("story") for page in (screen, *guests)]
    assert told == [told[0]] * 3
    assert told[0]["course"][0] == [1, 1]
    assert not await hand_in(world.service, story), "told once"


async def test_a_room_that_plays_again_is_not_told_of_the_game_before(world: WebWorld) -> None:
    guests, screen = await played(world)
    story = await due(world.service)
    assert story is not None
    await guests[0].act("again", table=1)
    assert await hand_in(world.service, story)
    await world.settle()
    cards = [card["card"] for card in await screen.cards(anew=True)]
    assert cards[-1] == "lobby"
    assert "story" not in cards
    with world.database.transaction() as session:
        assert session.get(KeyValue, story_key(1)) is not None, "kept for a person who asks"


async def begun(harness: GroupHarness) -> Computation:
    """A finished game whose story is due, and the computation."""
    await finished(harness)
    harness.update_row(GameTable, 1, due_at=harness.now)
    harness.store(harness.table().with_timer(UNASKED, harness.now))
    story = await due(harness.service)
    assert story is not None
    return story


async def test_a_worker_that_died_is_followed_by_another_one(harness: GroupHarness) -> None:
    story = await begun(harness)
    assert await due(harness.service) is None, "one worker at a time"
    harness.pass_time(LEASE_SECONDS)
    again = await due(harness.service)
    assert again is not None
    assert not await hand_in(harness.service, story)
    assert await hand_in(harness.service, again)
    (envelope,) = [each for each in harness.envelopes() if isinstance(each.notice, StoryNotice)]
    assert envelope.channel == "web", "the group, which has a key for it, is not told"
    assert await due(harness.service) is None


async def test_it_is_not_told_again_if_somebody_has_asked_meanwhile(harness: GroupHarness) -> None:
    story = await begun(harness)
    await harness.tap("Bo", TellStory(story_of_game(story)))
    harness.mark_all_sent()
    assert await hand_in(harness.service, story)
    assert harness.notices("story") == []
    harness.update_row(GameTable, 1, due_at=harness.now)
    harness.store(harness.table().with_timer(UNASKED, harness.now))
    assert await due(harness.service) is None


async def test_a_story_that_is_not_found_in_time_is_tried_once_more(
    harness: GroupHarness, caplog: pytest.LogCaptureFixture
) -> None:
    story = await begun(harness)
    assert await hand_in(harness.service, story, no_json())
    again = await due(harness.service)
    assert again is not None
    assert await hand_in(harness.service, again)
    (envelope,) = [each for each in harness.envelopes() if isinstance(each.notice, StoryNotice)]
    assert envelope.channel == "web"
    assert "the story of a game is not told" not in caplog.text


async def test_two_failures_tell_nothing_and_are_not_tried_again(
    harness: GroupHarness, caplog: pytest.LogCaptureFixture
) -> None:
    story = await begun(harness)
    assert await hand_in(harness.service, story, no_json())
    again = await due(harness.service)
    assert again is not None
    assert await hand_in(harness.service, again, no_json())
    assert "the story of a game is not told" in caplog.text
    assert harness.notices("story") == []
    assert not {UNASKED, AGAIN} & set(harness.table().timers)


async def test_it_costs_no_message_and_whoever_texts_for_it_still_gets_it(harness: GroupHarness) -> None:
    story = await begun(harness)
    await linked(harness)
    harness.mark_all_sent()
    await hand_in(harness.service, story)
    assert kinds(harness, ANA) == []
    harness.mark_all_sent()
    await harness.text("Ana", TellStory(story_of_game(story)), table=1)
    assert kinds(harness, ANA) == ["story"]
    assert answer_of((await harness.tap("Bo", TellStory(None))).toast).value == "above"
