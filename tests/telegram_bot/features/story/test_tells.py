"""The tell of a player: told in the room when their own bids of the evening prove it, and of no one who objects."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

import pytest
from sqlalchemy import update

from perudo_core import Bid, Rules, legal_calls
from telegram_bot.features.story import significance
from telegram_bot.features.story.analysis import GameStory, StorySeat
from telegram_bot.features.story.announcing import prune, send_to_all, story_key, story_notice
from telegram_bot.features.story.notices import StoryNotice
from telegram_bot.features.story.significance import LEAST, Measure, Measured, Tell, chances_of, clearest_tell
from telegram_bot.features.story.tells import BIDS_KEYS, NotedBids, find_tell
from telegram_bot.operations.evening_file import evening_page
from telegram_bot.presentation.cards import card_of
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.storage.key_value import kept
from telegram_bot.storage.models import GameTable, KeyValue, Player
from telegram_bot.words.catalogue import LANGUAGES
from telegram_bot.words.page import page_catalogue
from test_support.web_world import Browser, WebWorld, a_room
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.words.notice_examples import words

Way = Callable[[bool, random.Random], tuple[float, int]]
"""The seconds before a bid and the lifts for it, by whether it is a lie."""

SLOW_LIAR: Way = lambda is_lie, chance: ((12 if is_lie else 4) + chance.random(), 1)  # noqa: E731
PEEKING_LIAR: Way = lambda is_lie, chance: (4 + chance.random(), 3 if is_lie else 0)  # noqa: E731
EVEN: Way = lambda _, chance: (4 + chance.random(), 1)  # noqa: E731


def bids_of(lies: Sequence[float], others: Sequence[float], place: str = "first") -> list[Measured]:
    return [Measured(place, value, is_lie=is_lie) for is_lie in (True, False) for value in (lies, others)[not is_lie]]


RULES = Rules(wild_ones=False, palifico=False, calza=False)
"""Everyone can lie with nearly every hand: none counts for all faces."""


async def evening(world: WebWorld, ways: dict[str, Way]) -> list[Browser]:
    """A finished game of guests, in which each bid is as often a lie as the truth."""
    world.service.config = replace(world.service.config, rules=RULES)
    chance = random.Random(7)
    guests = await a_room(world, *ways)
    await guests[0].act("start")
    lifted: dict[tuple[int, int], int] = {}
    while (game := (table := world.table()).begun_game).turn is not None:
        seat, acts, more = game.turn, "dudo", dict[str, int]()
        raises = [bid for bid in legal_calls(game) if isinstance(bid, Bid)]
        if raises and len(game.bids) < 5:
            wants_lie = chance.random() < 0.5
            call = min(raises, key=lambda bid: (is_lie(game.dice[seat], bid) != wants_lie, bid.quantity, bid.face))
            seconds, lifts = ways[table.seats[seat].name](is_lie(game.dice[seat], call), chance)
            world.now += seconds
            lifted[table.deals, seat] = lifts = lifted.get((table.deals, seat), 0) + lifts
            acts, more = "bid", {"quantity": call.quantity, "face": call.face, "lifts": lifts}
        assert (await guests[seat].act(acts, table=1, step=table.step, **more))["done"]
    return guests


def is_lie(hand: tuple[int, ...], bid: Bid) -> bool:
    return bid.face not in hand


def found(world: WebWorld) -> Tell | None:
    with world.database.transaction() as session:
        row = session.get_one(GameTable, 1)
        return find_tell(world.service.unit_of_work(session, ""), row, load_table(row))


def file_of(world: WebWorld) -> str:
    with world.database.transaction() as session:
        return evening_page(world.service.unit_of_work(session, ""), datetime.fromtimestamp(0, UTC)) or ""


@pytest.mark.parametrize("seed", range(6))
def test_the_chances_are_those_of_all_choices_of_lies_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    lies = [chance.randrange(6) for _ in range(4)]
    others = [chance.randrange(5) for _ in range(5)]
    bids = bids_of(lies, others)
    values = sorted([*lies, *others])
    rank = {value: values.index(value) * 2 + values.count(value) + 1 for value in values}
    seen = sum(rank[value] for value in lies)
    sums = [sum(chosen) for chosen in combinations([rank[value] for value in values], len(lies))]
    expected = (sum(each <= seen for each in sums) / len(sums), sum(each >= seen for each in sums) / len(sums))
    assert chances_of(bids) == pytest.approx(expected)
    twice = chances_of([*bids, *bids_of([9], [9], "later")])
    assert twice == pytest.approx(expected), "two equal bids in another place say nothing"


def test_a_bid_is_compared_with_bids_in_the_same_place_of_a_round() -> None:
    late_lies = [*bids_of([], range(10)), *bids_of([20] * 8, [20] * 2, "later")]
    assert clearest_tell({(0, Measure.SECONDS): late_lies}) is None


def test_few_lies_are_not_enough_however_clear() -> None:
    enough = {(0, Measure.SECONDS): bids_of([9] * LEAST, [2] * 50)}
    few = {(0, Measure.SECONDS): bids_of([9] * (LEAST - 1), [2] * 50)}
    assert clearest_tell(enough) == Tell(seat=0, measure=Measure.SECONDS, more=True, twice=True)
    assert clearest_tell(few) is None


def test_the_more_people_and_measures_the_clearer_it_must_be() -> None:
    alone = {(0, Measure.SECONDS): bids_of([4, 5, 6, 7, 8], [1, 2, 3, 3.5, 4.5, 5.5])}
    even = {(seat, measure): bids_of(range(1, 6), range(1, 6)) for seat in range(1, 5) for measure in Measure}
    assert clearest_tell(alone) is not None
    assert clearest_tell(alone | even) is None


def false_tells() -> int:
    """How many of a hundred evenings of six people without a tell end with one."""
    told = 0
    for seed in range(100):
        chance = random.Random(seed)
        samples = {
            (seat, measure): [Measured("later", chance.randrange(30), is_lie=chance.random() < 0.4) for _ in range(24)]
            for seat in range(6)
            for measure in Measure
        }
        told += clearest_tell(samples) is not None
    return told


def test_people_without_a_tell_are_hardly_ever_said_to_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert false_tells() <= 8, "five are expected"
    for name, planted in (
        ("LIMIT", significance.LIMIT * 12),  # a test that forgets how often it tried is found out
        ("chances_of", lambda bids: tuple(each / 8 for each in chances_of(bids))),  # and one that is too sure
    ):
        with monkeypatch.context() as patch:
            patch.setattr(significance, name, planted)
            assert false_tells() > 20, name


async def test_a_player_who_takes_long_over_lies_is_found_out_and_told_until_they_object(world: WebWorld) -> None:
    ana, bo = await evening(world, {"Ana": SLOW_LIAR, "Bo": EVEN})
    tell = Tell(seat=0, measure=Measure.SECONDS, more=True, twice=True)
    assert found(world) == tell
    with world.database.transaction() as session:
        uow, row = world.service.unit_of_work(session, ""), session.get_one(GameTable, 1)
        table = load_table(row)
        send_to_all(TableOutbox(uow, row, uow.chat_of(row)), table, story_notice(uow, row, table, STORY), "story")
        session.add(KeyValue(key=story_key(1), value=STORY.model_dump_json()))
    await world.settle()
    in_file = f"👀 Ana {TAKES_LONG}"
    assert file_of(world).count(in_file) == 1
    told = await bo.card("story")
    assert told["beats"][-1]["about"] == "tell"
    await bo.act("switch", name="no_tells", value=True)
    assert await bo.card("story") == told, "it is not about Bo"
    answer = await ana.act("switch", name="no_tells", value=True)
    assert answer["text"] == "I tell no one how long you think or how often you look at your dice."
    assert (await ana.client.get("/seat/me")).json()["on"] == ["no_tells"]
    untold = await bo.card("story")
    assert [beat["about"] for beat in untold["beats"]] == [beat["about"] for beat in told["beats"][:-1]]
    assert not any(line.startswith("👀") for line in untold["lines"])
    assert in_file not in file_of(world)
    await bo.act("switch", name="no_tells", value=False)
    assert found(world) is None, "Bo has no tell"
    await ana.act("switch", name="no_tells", value=False)
    assert found(world) == tell
    with world.database.transaction() as session:
        session.get_one(Player, table.seats[0].player).hidden = True
    assert found(world) is None, "hidden from comparisons"


async def test_a_player_who_looks_again_before_lies_is_found_out(world: WebWorld) -> None:
    await evening(world, {"Ana": EVEN, "Bo": PEEKING_LIAR})
    assert found(world) == Tell(seat=1, measure=Measure.LIFTS, more=True)
    with world.database.transaction() as session:
        row = session.get_one(GameTable, 1)
        seats = row.state["seats"]
        computer = seats[1] | {"player": -1, "computer": {"level": "regular"}}
        row.state = row.state | {"seats": [seats[0], computer]}
    assert found(world) is None, "a computer player has no tell"


@pytest.mark.parametrize("objects", [{"hidden": True}, {"switched_on": ["no_tells"]}])
async def test_of_a_player_who_objects_nothing_is_noted(world: WebWorld, objects: dict[str, object]) -> None:
    guests = await a_room(world, "Ana", "Bo")
    with world.database.transaction() as session:
        session.execute(update(Player).values(**objects))
    await guests[0].act("start")
    card = await guests[0].card("round")
    await guests[card["turn"]].act("bid", table=1, step=card["step"], quantity=1, face=3, lifts=1)
    assert not noted(world.rows(KeyValue))


def noted(rows: list[KeyValue]) -> list[str]:
    return [row.key.removeprefix(BIDS_KEYS) for row in rows if row.key.startswith(BIDS_KEYS)]


async def test_bids_elsewhere_and_of_the_bot_are_not_noted(harness: GroupHarness) -> None:
    await harness.game("22345", "13456", calls="2x3 3x3")
    assert not noted(harness.rows(KeyValue))


async def test_a_bid_is_noted_with_its_time_in_the_turn_and_without_odd_lifts(world: WebWorld) -> None:
    guests = await a_room(world, "Ana", "Bo")
    await guests[0].act("start")
    card = await guests[0].card("round")
    for lifts in (-1, 51, 1.5, "2", True, [1], 10**30):
        bid = {"table": 1, "step": card["step"], "quantity": 1, "face": 3, "lifts": lifts}
        assert (await guests[card["turn"]].refused("act", id="odd", act="bid", **bid))[0] == 400, lifts
    assert world.table().step == card["step"]
    for seconds, lifts in ((3, 1), (7.5, 2)):
        card = await guests[0].card("round")
        world.now += seconds
        quantity, face = card["raises"][0]
        bid = {"quantity": quantity, "face": face, "lifts": lifts}
        await guests[card["turn"]].act("bid", table=1, step=card["step"], **bid)
    with world.database.transaction() as session:
        bids = kept(session, f"{BIDS_KEYS}1", NotedBids)
        assert bids is not None
        assert [(bid.deal, bid.number, bid.seconds, bid.lifts) for bid in bids.bids] == [(1, 0, 3, 1), (1, 1, 7.5, 2)]
        session.merge(KeyValue(key=f"{BIDS_KEYS}77", value="{}"))
        session.flush()
        prune(session, world.now)
    assert noted(world.rows(KeyValue)) == ["1"], "not those of a game that was deleted"


TAKES_LONG = "takes at least twice as long over a lie."
STORY = GameStory(course=((1, 1),), seats=(StorySeat(place=1, luck=0, skill=0), StorySeat(place=2, luck=0, skill=0)))
TELLS = {
    "Bo lifts the cup more often over a lie.": Tell(seat=1, measure=Measure.LIFTS, more=True),
    "Bo lifts the cup less often over a lie.": Tell(seat=1, measure=Measure.LIFTS, more=False),
    "Bo is quicker with a lie than with the truth.": Tell(seat=1, measure=Measure.SECONDS, more=False),
    "Bo takes longer over a lie than over the truth.": Tell(seat=1, measure=Measure.SECONDS, more=True),
    f"Bo {TAKES_LONG}": Tell(seat=1, measure=Measure.SECONDS, more=True, twice=True),
}


@pytest.mark.parametrize("said", TELLS)
def test_the_tell_is_the_last_beat_and_a_line_on_pages_but_in_no_chat(said: str) -> None:
    notice = StoryNotice(table=1, story=STORY, names=("Ana", "Bo"), tell=TELLS[said])
    card = card_of(notice, -1, 1, page_catalogue("en"))
    assert card["beats"][-1] == {"about": "tell", "seat": 1, "title": "A tell", "text": said}
    assert card["lines"][-4:-2] == [f"👀 {said}", "⚖️ Luck and skill, in dice:"]
    assert said not in words(notice)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_own_words_for_tells(language: str) -> None:
    notices = [StoryNotice(table=1, story=STORY, names=("Ana", "Bo"), tell=tell) for tell in TELLS.values()]
    texts = {card_of(each, -1, 1, page_catalogue(language))["beats"][-1]["text"] for each in notices}
    assert len(texts) == len(TELLS)
    assert language == "en" or not texts & set(TELLS)
