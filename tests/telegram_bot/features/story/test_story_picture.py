"""The picture of a finished game: its contents, in every language and both themes, and its size."""

from io import BytesIO

import pytest
from PIL import Image

from telegram_bot.channels.telegram.pictures import picture_of
from telegram_bot.features.story.analysis import GameStory, StoryCall, StorySeat
from telegram_bot.features.story.notices import (
    BluffCardNotice,
    StoryNotice,
    seat_colours,
    story_figures,
    story_labels,
    story_names,
)
from telegram_bot.features.story.story_picture import THEMES, StoryLabels, story_picture
from telegram_bot.intents.envelope import Envelope
from telegram_bot.pictures import canvas
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.tables.faces import Face
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from tests.telegram_bot.pixels import is_near

NAMES = ("Ana", "Bo", "Maximiliane-Charlotte von Hohenzollern", "דנה כהן", "🎲 محمد 🎲", "🎲", "Cy", "", "Ed", "Flo")
LARGEST = 200_000


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


def drawn(
    players: int, language: str, theme: str, *, is_plain: bool = False, faces: tuple[Face | None, ...] = ()
) -> bytes:
    notice = StoryNotice(table=1, story=a_story(players, is_plain=is_plain), names=NAMES[:players], faces=faces)
    w = catalogue(language)
    labels = StoryLabels(*story_labels(notice, w))
    figures = story_figures(notice, w)
    names, colours = story_names(notice, w), seat_colours(notice)
    return story_picture(notice.story, names, colours, labels, theme, figures=figures, faces=notice.faces)


@pytest.mark.parametrize("players", [2, 6, 10])
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_small_whoever_plays(players: int, language: str) -> None:
    for theme in THEMES:
        png = drawn(players, language, theme, faces=tuple(Face)[:players])
        assert len(png) < LARGEST
        picture = Image.open(BytesIO(png))
        assert picture.width == canvas.WIDTH
        assert picture.height < 2 * canvas.WIDTH


@pytest.mark.parametrize("theme", THEMES)
def test_each_player_has_a_line_in_their_colour(theme: str) -> None:
    picture = Image.open(BytesIO(drawn(6, "en", theme))).convert("RGB")
    chart = picture.crop((40, 90, 760, 350))
    seen = chart.getcolors(chart.width * chart.height)
    assert seen
    for wanted in THEMES[theme].players[:6]:
        assert any(is_near(color, wanted) for _, color in seen), wanted
    assert is_near(picture.getpixel((2, 2)), THEMES[theme].background)


def test_the_faces_of_the_players_stand_in_front_of_their_names() -> None:
    faces = (Face.TIGER, Face.PIG)
    pictures = {drawn(2, "en", "dark", faces=each) for each in ((), (None, None), faces, faces[::-1])}
    assert len(pictures) == 3, "without faces, and in two orders"


def test_what_did_not_happen_takes_no_room() -> None:
    plain, full = (Image.open(BytesIO(drawn(2, "en", "dark", is_plain=plain))) for plain in (True, False))
    assert full.height - plain.height > 300


def test_luck_goes_to_the_right_and_bad_luck_to_the_left() -> None:
    picture = Image.open(BytesIO(drawn(2, "en", "dark", is_plain=True))).convert("RGB")
    luck = THEMES["dark"].luck

    def is_luck(x: int, y: int) -> bool:
        return is_near(picture.getpixel((x, y)), luck)

    second = picture.height - canvas.MARGIN - 27
    first = second - 54
    assert [is_luck(x, first) for x in (450, 470)] == [False, True]
    assert [is_luck(x, second) for x in (450, 470)] == [True, False]


def picture(notice: StoryNotice | BluffCardNotice, *, pictures: bool = True) -> bytes | None:
    """The picture that a reader of a chat gets, or None."""
    found = picture_of(Envelope(channel="telegram", chat=-1, pictures=pictures, notice=notice), catalogue("en"))
    return None if found is None else found.draw()


def test_luck_that_rounds_to_zero_has_no_sign() -> None:
    pictures = []
    for luck in (-0.0, 0.0):
        seats = tuple(StorySeat(place=seat + 1, luck=luck, skill=0) for seat in range(2))
        story = a_story(2, is_plain=True).model_copy(update={"seats": seats})
        pictures.append(picture(StoryNotice(table=1, story=story, names=NAMES[:2])))
    assert pictures[0] == pictures[1]


def test_story_and_card_are_pictures_for_a_reader_who_has_not_turned_them_off() -> None:
    notice = StoryNotice(table=1, story=a_story(2), names=NAMES[:2])
    assert picture(notice) == drawn(2, "en", "dark")
    assert picture(notice, pictures=False) is None
    card = BluffCard(feat=Feat.BLUFF, seat=0, total=10, chance=4, quantity=7, face=5)
    shown = picture(BluffCardNotice(card=card, name="Bo", bot="perudo_bot"))
    assert Image.open(BytesIO(shown or b"")).width == canvas.WIDTH
