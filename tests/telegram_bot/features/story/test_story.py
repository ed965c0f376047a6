"""The story of a finished game: told once, with a ceremony, a card of each player and a picture, no hidden names."""

import re
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from perudo_core import Action, Bid, Concede, Dudo, Leave, OpenerDraw, Roll, Rules, record_of
from perudo_core.agents import Level
from perudo_core.fair_record import FairRecord
from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.channels.telegram.updates import takes_seconds
from telegram_bot.features.story import notices as n
from telegram_bot.features.story.analysis import GameStory, StoryCall, StorySeat, story_of
from telegram_bot.features.story.notices import BluffCardNotice, StoryAnswer, StoryNotice, Title
from telegram_bot.features.story.requests import TellStory
from telegram_bot.features.story.story_picture import THEMES
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import GameOverNotice, Toast
from telegram_bot.notices.rendering import sms_text
from telegram_bot.pictures import canvas
from telegram_bot.presentation.cards import card_of
from telegram_bot.service.handlers.lobby_requests import AddComputers, Start
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.results.game_record import game_record
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.statistics.game_facts import PlayedAction, facts_of
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.tables.faces import Face
from telegram_bot.tables.result_views import GameOverView
from telegram_bot.tables.views import SeatView
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.page import page_catalogue
from telegram_bot.words.sms.layout import TextReader
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.pixels import is_near
from tests.telegram_bot.service.test_seats_by_text import ANA, kinds, linked
from tests.telegram_bot.words.notice_examples import words


async def story(harness: GroupHarness, game: int = 1) -> GameStory:
    table = harness.table(game)
    document = await harness.service.database.run(
        lambda session: game_record(harness.service.unit_of_work(session, ""), table).document
    )
    return story_of(FairRecord.from_json(document))


async def finished(harness: GroupHarness) -> GameStory:
    await harness.start_game("Ana", "Bo", "Cy")
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
    assert isinstance(toast, n.StoryAnswerNotice)
    return toast.answer


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database, rules=Rules(starting_dice=1, palifico=False))


async def test_the_story_is_told_once_after_the_game(harness: GroupHarness) -> None:
    async def tells(name: str, story: GameStory | None = None) -> StoryAnswer:
        return answer_of((await harness.tap(name, TellStory(story))).toast)

    await harness.start_game("Ana", "Bo", "Cy")
    assert await tells("Bo") is StoryAnswer.LATER
    await harness.play_out()
    harness.mark_all_sent()
    told = await story(harness)
    harness.update_row(Player, harness.player("Cy").id, guest=True)  # guests are named as everyone is
    assert sum(seat.luck for seat in told.seats) == pytest.approx(0, abs=0.02)
    assert await tells("Bo") is StoryAnswer.UNKNOWN, "without an analysis, and later it can be told"
    assert harness.notices("story") == []
    assert await tells("Bo", told) is StoryAnswer.TOLD
    assert await tells("Cy", told) is StoryAnswer.ABOVE
    (notice,) = harness.notices("story")
    assert (notice.story, sorted(notice.names)) == (told, ["Ana", "Bo", "Cy"])
    harness.mark_all_sent()
    assert await tells("Ana", told) is StoryAnswer.ABOVE
    assert harness.notices("story") == []  # it was sent before


def test_neither_the_chat_nor_telegram_waits_for_a_story() -> None:
    assert takes_seconds({"callback_query": {"data": "l:1:story"}})


async def test_computer_players_are_named_as_at_the_table(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    await harness.tap("Ana", AddComputers(2, Level.NOVICE))
    await harness.tap("Ana", Start())
    await harness.play_out()
    await harness.say("Ana", Choose("hidden", value=True), where=None)
    harness.mark_all_sent()
    table = harness.table()
    await harness.say("Ana", TellStory(await story(harness)), table=table.id)
    assert harness.notices("story_answer") == [], "asked for in words, it arrives without another word"
    (notice,) = harness.notices("story")
    named = {seat.name for seat in table.seats if seat.computer is not None}
    assert (len(named), {*notice.names}) == (2, {"", *named})
    assert [name in words(notice) for name in ("Ana", *named)] == [False, True, True]


async def test_the_call_that_cost_the_last_die_is_told_with_the_experts_call(harness: GroupHarness) -> None:
    story = await finished(harness)
    decider = story.decider
    assert decider is not None
    assert (decider.round, story.course[-1][decider.seat]) == (len(story.course) - 1, 0), "it cost the last die"
    await linked(harness)
    harness.mark_all_sent()
    await harness.tap("Bo", TellStory(story))
    assert kinds(harness, ANA) == ["story"], "a linked phone gets it as well"
    notice, _ = harness.notices("story")
    assert "The turning point" in words(notice)
    assert ("would have called the same" in words(notice)) == (story.instead is None)
    better = notice.model_copy(update={"story": story.model_copy(update={"instead": "dudo"})})
    assert "The expert's call: Dudo!" in words(better)


async def test_who_hides_is_somebody(harness: GroupHarness) -> None:
    story = await finished(harness)
    await harness.say("Bo", Choose("hidden", value=True), where=None)
    await harness.tap("Ana", TellStory(story))
    (notice,) = harness.notices("story")
    assert sorted(notice.names) == ["", "Ana", "Cy"]
    for language in LANGUAGES:
        w = catalogue(language)
        named = {*re.findall("<b>(.*?)</b>", unescape(words(notice, w)))}
        assert {w.say("someone"), "Ana", "Cy"} == named & {w.say("someone"), "Ana", "Bo", "Cy"}
        text = sms_text(notice, w, TextReader()) or ""
        assert "Ana" in text
        assert len(text) <= 160


RULES = Rules(starting_dice=2, sudden_death=True, palifico=False)
Hands = tuple[tuple[int, ...], ...]


def story_card(story: GameStory, names: tuple[str, ...], language: str = "en") -> dict[str, Any]:
    return card_of(StoryNotice(table=1, story=story, names=names), -1, 1, page_catalogue(language))


def played(conceded: Hands, void: Hands) -> GameStory:
    """The story of a game whose first round is conceded after a bluff, and whose second one is void."""
    actions: list[Action] = [
        *(Roll(conceded), Bid(0, 1, 6), Bid(1, 4, 6), Concede(2)),
        *(Roll(void), Bid(3, 2, 5), Bid(0, 5, 5), Leave(1)),
        *(Roll(((2, 3), (), (), (4, 4))), Bid(3, 2, 4), Bid(0, 3, 4), Dudo(3)),
    ]
    return story_of(record_of(RULES, ["Ana", "Bo", "Cy", "Dee"], actions, opener=0))


def test_dice_that_no_reveal_has_shown_change_nothing() -> None:
    one = played(((2, 2), (3, 3), (4, 5), (1, 6)), ((5, 5), (1, 1), (), (3, 5)))
    assert one == played(((6, 5), (6, 6), (6, 1), (2, 3)), ((2, 3), (5, 1), (), (4, 6)))
    assert [seat.bluffs for seat in one.seats] == [1, 0, 0, 0], "of the round that was counted"
    assert one.decider is not None


def call(seat: int, what: Any = "bid", face: int = 4, *, wild: bool = True) -> StoryCall:
    dice = (1, 2, face)
    return StoryCall(seat=seat, round=2, call=what, quantity=5, face=face, dice=dice, chance=12, ones_wild=wild)


def seats(*luck: float) -> tuple[StorySeat, ...]:
    return tuple(StorySeat(place=place, luck=each, skill=0) for place, each in enumerate(luck, 1))


def test_the_finale_draws_the_dice_round_by_round_and_the_boldest_moment() -> None:
    card = story_card(GameStory(course=((2, 2), (2, 1), (2, 0)), seats=seats(0.5, -0.5)), ("Ana", ""))
    assert (card["course"], card["names"], card["places"]) == ([[2, 2], [2, 1], [2, 0]], ["Ana", "someone"], [1, 2])
    moment = BluffCard(feat=Feat.BLUFF, seat=0, total=10, chance=12, quantity=4, face=1)
    over = GameOverView(table=1, seats=(SeatView(player=1, name="Ana", place=1),), winner=0, rounds=3)
    ended = GameOverNotice(view=over, parts=(BluffCardNotice(card=moment, name="Ana"),))
    wonder = card_of(ended, -1, 1, page_catalogue("en"))["wonder"]
    assert wonder["sentence"] == "Ana bid 4 ones with none of them, and got away with it."
    assert wonder["bid"] == {"quantity": 4, "face": 1}


def test_the_ceremony_has_four_beats_in_order_and_leaves_out_those_with_nothing_to_tell() -> None:
    story = GameStory(
        course=((2, 2), (2, 0)), seats=seats(1.5, -1.5), bluff=call(0), best=call(1, "dudo"), decider=call(1, "calza")
    )
    beats = story_card(story, ("Ana", "🤖 Bo"))["beats"]
    assert [(beat["about"], beat["seat"], beat["title"], beat["text"]) for beat in beats] == [
        ("liar", 0, "Best liar", "Ana bid 5 fours, and got away with it."),
        ("nose", 1, "Best nose", "Bo doubted 5 fours, and was right."),
        ("unlucky", 1, "Unluckiest", "Bad luck cost Bo 1.5 dice."),
        ("decider", 1, "The turning point", "Bo called calza on 5 fours, and was wrong."),
    ]
    assert beats[0]["bid"] == {"quantity": 5, "face": 4}
    assert story_card(GameStory(course=(), seats=seats(0.4, -0.4)), ("Ana", "Bo"))["beats"] == []


@pytest.mark.parametrize(("wild", "counted"), [(True, [1, 4]), (False, [4])])
def test_below_the_liars_cup_the_dice_that_counted_are_marked(wild: bool, counted: list[int]) -> None:
    (beat,) = story_card(GameStory(course=(), seats=seats(0, 0), bluff=call(0, wild=wild)), ("Ana", "Bo"))["beats"]
    assert [die["face"] for die in beat["dice"] if die["counts"]] == counted


def test_a_title_goes_to_the_player_whom_it_fits_best_and_to_no_other() -> None:
    own = {
        Title.FOX: StorySeat(place=1, luck=0, skill=0, bluffs=9, bluffs_through=8),
        Title.GAMBLER: StorySeat(place=2, luck=0, skill=0, bluffs=7, bluffs_through=3),
        Title.HOUND: StorySeat(place=3, luck=0, skill=0, doubts=6, right_doubts=5),
        Title.NERVES: StorySeat(place=4, luck=0, skill=0),
        Title.LUCKY: StorySeat(place=5, luck=3, skill=0),
        Title.UNLUCKY: StorySeat(place=6, luck=-3, skill=0),
        Title.EXPERT: StorySeat(place=7, luck=0, skill=2),
        Title.SPORT: StorySeat(place=8, luck=0.2, skill=0.2, bluffs=2, bluffs_through=2, doubts=2, right_doubts=1),
    }
    story = GameStory(course=(), seats=(*own.values(), own[Title.FOX]), steady=3, steady_rounds=3)
    assert n.titles_of(story) == [*own, Title.SPORT]


@pytest.mark.parametrize(
    ("figures", "title"),
    [
        ({"bluffs": 4, "bluffs_through": 2}, Title.GAMBLER),
        ({"bluffs": 8, "bluffs_through": 4}, Title.FOX),
        ({"doubts": 8, "right_doubts": 4}, Title.HOUND),
        ({"doubts": 5, "right_doubts": 2, "skill": 2}, Title.EXPERT),
    ],
)
def test_no_title_contradicts_its_figures(figures: dict[str, float], title: Title) -> None:
    seat = StorySeat.model_validate({"place": 1, "luck": 0, "skill": 0} | figures)
    assert n.titles_of(GameStory(course=(), seats=(seat,))) != [title]


def test_each_player_has_a_title_three_numbers_and_a_text_to_share() -> None:
    fox = StorySeat(place=1, luck=1.25, skill=0, bluffs=5, bluffs_through=4, doubts=3, right_doubts=2)
    (card, _) = story_card(GameStory(course=(), seats=(fox, *seats(-1.25))), ("Ana", "Bo"))["own"]
    assert (card["title"], card["why"]) == ("The Fox", "You bluffed, and they believed you.")
    assert card["figures"] == [
        {"label": "Bluffs that held", "n": "4 of 5"},
        {"label": "Right calls", "n": "2 of 3"},
        {"label": "Luck, in dice", "n": "+1.2"},
    ]
    said = "🎲 At Perudo I was: The Fox\nBluffs that held: 4 of 5\nRight calls: 2 of 3\nLuck, in dice: +1.2"
    assert card["share"] == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hidden_player_is_somebody_in_every_language(language: str) -> None:
    story = GameStory(course=(), seats=seats(0, 0), bluff=call(0), decider=call(0, "dudo"))
    card = story_card(story, ("", "Bo"), language)
    someone = page_catalogue(language).say("someone").capitalize()
    assert all(beat["text"].startswith(someone) for beat in card["beats"])


PICTURED = ("Ana", "Bo", "Maximiliane-Charlotte von Hohenzollern", "דנה כהן", "🎲 محمد 🎲", "🎲", "Cy", "", "Ed", "Flo")


def a_story(players: int, *, is_plain: bool = False) -> GameStory:
    dice = [5] * players
    course = [tuple(dice)]
    for number in range(4 * players):
        loser = number % players
        if loser or players == 1:
            dice[loser] = max(0, dice[loser] - 1)
            course.append(tuple(dice))
    seats = tuple(StorySeat(place=seat + 1, luck=3.4 - 5 * seat, skill=seat - 1.1) for seat in range(players))
    if is_plain:
        return GameStory(course=tuple(course), seats=seats)
    bluff = StoryCall(seat=players - 1, round=2, call="bid", quantity=9, face=4, dice=(2, 2, 3, 5, 6), chance=3)
    best = StoryCall(seat=0, round=3, call="dudo", quantity=3, face=1, dice=(6,), chance=81)
    return GameStory(course=tuple(course), seats=seats, bluff=bluff, best=best, steady=1, steady_rounds=4)


def drawn(players: int, language: str = "en", *, is_plain: bool = False, **more: Any) -> bytes:
    notice = StoryNotice(table=1, story=a_story(players, is_plain=is_plain), names=PICTURED[:players], **more)
    return notice.picture(catalogue(language)).draw()


@pytest.mark.parametrize(("players", "language"), [(2, "en"), (6, "en"), *((10, each) for each in LANGUAGES)])
def test_it_is_small_whoever_plays(players: int, language: str) -> None:
    for theme in THEMES:
        png = drawn(players, language, theme=theme, faces=tuple(Face)[:players])
        assert len(png) < 200_000
        picture = Image.open(BytesIO(png))
        assert picture.width == canvas.WIDTH
        assert picture.height < 2 * canvas.WIDTH


@pytest.mark.parametrize("theme", THEMES)
def test_each_player_has_a_line_in_their_colour(theme: str) -> None:
    picture = Image.open(BytesIO(drawn(6, theme=theme))).convert("RGB")
    chart = picture.crop((40, 90, 760, 350))
    seen = chart.getcolors(chart.width * chart.height)
    assert seen
    for wanted in THEMES[theme].players[:6]:
        assert any(is_near(color, wanted) for _, color in seen), wanted
    assert is_near(picture.getpixel((2, 2)), THEMES[theme].background)


def test_the_faces_of_the_players_stand_in_front_of_their_names() -> None:
    faces = (Face.TIGER, Face.PIG)
    pictures = {drawn(2, faces=each) for each in ((), (None, None), faces, faces[::-1])}
    assert len(pictures) == 3, "without faces, and in two orders"


def test_luck_goes_to_the_right_bad_luck_to_the_left_and_what_did_not_happen_takes_no_room() -> None:
    plain, full = (Image.open(BytesIO(drawn(2, is_plain=plain))) for plain in (True, False))
    assert full.height - plain.height > 300
    picture, second = plain.convert("RGB"), plain.height - canvas.MARGIN - 27
    places = [(x, y) for y in (second - 54, second) for x in (450, 470)]
    assert [is_near(picture.getpixel(at), THEMES["dark"].luck) for at in places] == [False, True, True, False]


def test_luck_that_rounds_to_zero_has_no_sign() -> None:
    stories = [a_story(2, is_plain=True).model_copy(update={"seats": seats(luck, luck)}) for luck in (-0.0, 0.0)]
    notices = [StoryNotice(table=1, story=story, names=PICTURED[:2]) for story in stories]
    assert len({notice.picture(catalogue("en")).draw() for notice in notices}) == 1


def test_story_and_card_are_pictures_for_a_reader_who_has_not_turned_them_off() -> None:
    card = BluffCard(feat=Feat.BLUFF, seat=0, total=10, chance=4, quantity=7, face=5)
    for notice in (
        StoryNotice(table=1, story=a_story(2), names=PICTURED[:2]),
        BluffCardNotice(card=card, name="Bo", bot="perudo_bot"),
    ):
        for_reader = Envelope(channel="telegram", chat=-1, pictures=True, notice=notice)
        assert picture_of(for_reader.model_copy(update={"pictures": False}), catalogue("en")) is None
        assert (picture := picture_of(for_reader, catalogue("en"))) is not None
        assert Image.open(BytesIO(picture.draw())).width == canvas.WIDTH
