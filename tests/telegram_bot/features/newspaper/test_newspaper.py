"""The newspaper: the group's evening in one message at nine, and a key with which a revenge is arranged."""

from dataclasses import replace
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from perudo_core import Action, Bid, Dudo, OpenerDraw, Roll, Rules
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.newspaper import printing
from telegram_bot.features.newspaper.edition import Evening, next_friday, next_nine
from telegram_bot.features.newspaper.requests import NO_MORE, PASSED, TAKEN, WANTED, EndNewspaper, WantRevenge
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.operations.evening_file import evening_page
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.pictures import canvas
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.statistics.game_facts import PlayedAction
from telegram_bot.storage.models import FORGOTTEN_SPAN, Chat, GameTable, KeyValue, RoundEnd
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from telegram_bot.tables.quiet_hours import USUAL_NIGHT, QuietHours
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from tests.telegram_bot.conftest import EN, START, GroupHarness, lobby_table, rejection_of
from tests.telegram_bot.features.newspaper.examples import a_newspaper
from tests.telegram_bot.statistics.conftest import PlayGame
from tests.telegram_bot.words.notice_examples import words

HOUR = 3600
UTC = "UTC"
NINE = next_nine(START, UTC)


async def at(harness: GroupHarness, moment: float) -> list[Any]:
    harness.mark_all_sent()
    await harness.run_deadlines(moment - harness.now)
    sent = [envelope for envelope in harness.envelopes() if envelope.notice.kind == "newspaper"]
    assert all(envelope.chat == harness.group.address and envelope.silent for envelope in sent)
    return harness.notices("newspaper")


async def the_newspaper(harness: GroupHarness) -> Any:
    (paper,) = await at(harness, NINE)
    return paper


async def test_the_group_gets_one_at_nine_about_its_evening(harness: GroupHarness, play_game: PlayGame) -> None:
    games = [await play_game("Ana", "Bo", "Cy", seed=seed) for seed in (1, 2)]
    assert await at(harness, NINE - 60) == []
    paper = await the_newspaper(harness)
    assert paper.table == games[-1]
    assert not set(paper.lie.dice) & {1, paper.lie.bid_face}
    assert sum(fall.times for fall in paper.falls) > 2, "of both games"
    assert paper.catches
    assert f"{paper.lie.name} says " in words(paper)
    harness.now = NINE + 60
    await harness.lobby("Ana", "Bo")
    assert harness.rows(Chat)[0].plays_since == harness.now, "it makes the evening no longer"
    for later in (120, 24 * HOUR, 48 * HOUR):
        assert await at(harness, NINE + later) == [], "no other game began"


async def test_the_file_of_the_evening_begins_with_it(harness: GroupHarness, play_game: PlayGame) -> None:
    for seed in (1, 2):
        await play_game("Ana", "Bo", "Cy", seed=seed)
    harness.mark_all_sent()
    with harness.database.transaction() as session:
        page = evening_page(harness.service.unit_of_work(session, ""), datetime.fromtimestamp(START, ZoneInfo(UTC)))
    front, _, games = (page or "").partition("<h2>")
    assert front.count("The morning paper") == front.count("data:image/png") == 1, "no fact twice"
    assert "caught" in front
    assert "owes" not in front, "it has no key"
    assert "The morning paper" not in games


async def test_a_restore_prints_no_second_one(harness: GroupHarness, play_game: PlayGame) -> None:
    await play_game("Ana", "Bo")
    harness.now = NINE + HOUR
    with harness.database.transaction() as session:
        session.add(KeyValue(key=FORGOTTEN_SPAN, value=f"{NINE - HOUR} {harness.now - 60}"))
    assert await at(harness, NINE + HOUR) == []


@pytest.mark.parametrize(
    ("zone", "hours", "papers"), [(UTC, (2, 24), [1, 0]), (UTC, (4, 24), [0, 1]), ("America/Lima", (0, 5), [0, 1])]
)
async def test_it_comes_from_nine_of_the_operators_zone_until_noon(
    harness: GroupHarness, play_game: PlayGame, zone: str, hours: tuple[int, int], papers: list[int]
) -> None:
    harness.service.config = replace(harness.service.config, night=QuietHours(*USUAL_NIGHT, zone))
    await play_game("Ana", "Bo", seed=2)
    assert [len(await at(harness, NINE + each * HOUR)) for each in hours] == papers


async def test_without_anyone_who_may_be_named_none_comes(harness: GroupHarness, play_game: PlayGame) -> None:
    for name in ("Ana", "Bo"):
        await harness.say(name, Choose("hidden", value=True))
    await play_game("Ana", "Bo", computers=2)
    assert await at(harness, NINE) == []


async def test_it_names_no_hidden_and_no_forgotten_person(harness: GroupHarness, play_game: PlayGame) -> None:
    await harness.say("Cy", Choose("hidden", value=True))
    await play_game("Ana", "Bo", "Cy")
    await play_game("Bo", "Cy", seed=2)
    paper = (await the_newspaper(harness)).model_dump_json()
    assert [name in paper for name in ("Ana", "Bo", "Cy")] == [True, True, False], "Cy is hidden"
    await PersonDeletion(harness.service).forget(harness.player("Ana").id)
    assert "Ana" not in "".join(envelope.model_dump_json() for envelope in harness.envelopes())


async def test_the_headline_says_that_the_lie_was_a_voice_note(harness: GroupHarness, play_game: PlayGame) -> None:
    game = await play_game("Ana", "Bo", "Cy")
    for end in harness.rows(RoundEnd):
        view = end.view | {"spoken": [[number, 33] for number in range(len(end.view["bids"]))]}
        harness.update_row(RoundEnd, (game, end.deal), view=view)
    assert " out loud, holds none" in words(await the_newspaper(harness))


def test_calls_that_the_bot_made_for_an_absent_player_are_not_told() -> None:
    rules = Rules(starting_dice=1, palifico=False)
    calls: list[Action] = [OpenerDraw(0), Roll(((2,), (3,))), Bid(0, 2, 6), Dudo(1)]
    for by_bot in (None, 2, 3):
        evening = Evening()
        played = [PlayedAction(call, number == by_bot) for number, call in enumerate(calls)]
        evening.read(lobby_table(2, rules), played, [0, 1])
        assert bool(evening.catches) == bool(evening.falls) == (by_bot is None)


@pytest.mark.parametrize("plays", [False, True])
async def test_a_key_opens_the_table_of_a_revenge(harness: GroupHarness, play_game: PlayGame, *, plays: bool) -> None:
    await play_game("Ana", "Bo", seed=2)
    paper = await the_newspaper(harness)
    assert {paper.revenge.name, paper.revenge.other} == {"Ana", "Bo"}
    (key,) = keyboard(paper, EN, bot="bot")[0]
    assert key["text"] == "⚔️ Friday\u00a020:00"
    wish = WantRevenge(paper.table, int(paper.revenge.at))
    harness.mark_all_sent()
    assert (await harness.tap("Bo", wish, table=None, tapped=MessageRef(5, None, True))).toast == WANTED
    (edited,) = harness.notices("newspaper")
    assert "Bo wants it: I'll open the table on Friday\u00a020:00." in words(edited)
    assert len(keyboard(edited, EN, bot="bot")) == 1
    assert (await harness.tap("Cy", wish, table=None)).toast == TAKEN
    if plays:
        harness.now = paper.revenge.at - 60
        await harness.lobby("Ana", "Cy")
    await at(harness, paper.revenge.at)
    _, opened = harness.rows(GameTable)
    assert opened.status == Status.LOBBY
    assert harness.table(opened.id).host == harness.player("Ana" if plays else "Bo").id
    assert (await harness.tap("Cy", wish, table=None)).toast == PASSED


@pytest.mark.parametrize(("name", "is_admin", "back"), [("Ana", None, True), ("Cy", True, False)])
async def test_the_host_or_an_admin_ends_it_with_one_key_and_the_settings_of_the_group_bring_it_back(
    harness: GroupHarness, play_game: PlayGame, name: str, *, is_admin: bool | None, back: bool
) -> None:
    await play_game("Ana", "Bo", seed=2)
    for known, refused in ((False, RejectionReason.NOT_ALLOWED), (None, RejectionReason.CANNOT_TELL)):
        assert rejection_of((await harness.tap("Cy", EndNewspaper(is_admin=known), table=None)).toast) is refused
    assert (await harness.tap(name, EndNewspaper(is_admin=is_admin), table=None)).toast == NO_MORE
    if back:
        await harness.tap("Ana", Choose(printing.ENDED.name, value=False, to_all=True), table=None)
    assert len(await at(harness, NINE)) == back


def test_the_next_friday_is_never_now() -> None:
    friday = next_friday(START, UTC)
    assert next_friday(friday, UTC) == friday + 7 * 24 * HOUR
    assert next_friday(friday - 1, UTC) == friday
    eve = datetime(2027, 3, 26, 20, tzinfo=ZoneInfo("Europe/Rome"))
    assert next_friday(eve.timestamp(), "Europe/Rome") == (eve + timedelta(days=7)).timestamp(), "the clocks change"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_picture_is_a_page_of_paper_in_every_language(language: str) -> None:
    paper = a_newspaper(lambda number: ("Kim", "Nonna", "Maximilian der Große")[number])
    drawn = Image.open(BytesIO(paper.picture(catalogue(language)).draw()))
    assert drawn.width == canvas.WIDTH
    assert 700 < drawn.height < 1300
