from io import BytesIO

import pytest
from PIL import Image

from telegram_bot.features.tournament.notices import BracketNotice, SeatLine, TableLine
from telegram_bot.pictures import canvas
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.tables.faces import Face
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from tests.telegram_bot.pixels import is_near

NAMES = ("Maximiliane-Charlotte von Hohenzollern", "דנה כהן", "🎲 محمد 🎲", "🎲", "Zoë", "WWWWWWWWWWWWWWWWWWWWWWWW")


def table(number: int, seats: int, going_on: int, faces: tuple[Face, ...] = tuple(Face)) -> TableLine:
    shown = faces or (None,) * seats
    lines = tuple(
        SeatLine(name=NAMES[seat], goes_on=seat < going_on, place=35 + seat, face=shown[seat]) for seat in range(seats)
    )
    return TableLine(number=number, seats=lines, over=True)


def notice(*tables: int, going_on: int = 3) -> BracketNotice:
    stages = tuple(tuple(table(at, 6, going_on) for at in range(1, number + 1)) for number in tables)
    bluff = BluffCard(feat=Feat.BLUFF, seat=1, total=30, chance=3, quantity=9, face=4)
    return BracketNotice(
        tournament=1,
        title=NAMES[0],
        winner=NAMES[5],
        people=40,
        stages=stages,
        bluffer=NAMES[0],
        bluff=bluff,
        bot="a_perudo_bot",
    )


def drawn(told: BracketNotice, language: str = "en") -> tuple[bytes, Image.Image]:
    png = told.picture(catalogue(language)).draw()
    return png, Image.open(BytesIO(png)).convert("RGB")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tables", [(2, 1), (7, 4, 2, 1)])
def test_it_is_small_and_nothing_leaves_it_whoever_plays(language: str, tables: tuple[int, ...]) -> None:
    png, picture = drawn(notice(*tables), language)
    assert len(png) < 200_000
    assert picture.width == canvas.WIDTH
    assert picture.height < 3 * canvas.WIDTH
    for edge in (
        (0, 80, canvas.MARGIN - 2, picture.height),
        (canvas.WIDTH - canvas.MARGIN + 2, 80, canvas.WIDTH, picture.height),
    ):
        assert len(picture.crop(edge).getcolors() or ()) == 1, "only felt"


def test_the_faces_of_the_players_stand_in_front_of_their_names() -> None:
    orders = ((), tuple(Face)[:6], tuple(Face)[5::-1])
    told = [notice().model_copy(update={"stages": ((table(1, 6, 3, faces),),)}) for faces in orders]
    assert len({drawn(each)[0] for each in told}) == len(orders)


def test_people_who_went_on_are_marked() -> None:
    marks = []
    for going_on in (1, 3):
        _, picture = drawn(notice(2, 1, going_on=going_on))
        marks.append(sum(count for count, color in picture.getcolors() or () if is_near(color, canvas.GREEN)))
    assert marks[1] == 3 * marks[0] > 0


def test_a_name_without_a_letter_that_the_font_has_is_replaced_by_the_place() -> None:
    pictures = [drawn(notice(2, 1).model_copy(update={"winner": name, "bluffer": name}))[0] for name in ("🎲", "#38")]
    assert pictures[0] == pictures[1]
