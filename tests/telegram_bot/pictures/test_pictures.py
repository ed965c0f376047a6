"""The pictures of dice: a player can count the dice in them, and their size is limited."""

import subprocess
import sys
from importlib.resources import files
from io import BytesIO
from itertools import combinations_with_replacement, zip_longest

import numpy as np
import pytest
from PIL import Image, ImageSequence

from telegram_bot.pictures import canvas
from telegram_bot.pictures.hand import hand_picture
from telegram_bot.pictures.reveal import RevealLabels, reveal_animation, reveal_picture
from telegram_bot.tables.faces import Face
from telegram_bot.tables.result_views import ANIMATION_SECONDS, DiceChange, RevealView
from telegram_bot.tables.views import BidView, SeatView

LABELS = RevealLabels(bid="Bid", counted="Counted")
BID = BidView(seat=0, quantity=3, face=5)


def image(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


def blobs(picture: Image.Image, wanted: tuple[canvas.Color, ...], box: tuple[int, int, int, int]) -> int:
    """How many separate spots of these colours a part of the picture shows."""
    part = np.asarray(picture.crop(box), dtype=int)
    is_near = np.any([np.abs(part - color).sum(axis=2) < 60 for color in wanted], axis=0)
    near = set(zip(*(places.tolist() for places in is_near.nonzero()), strict=True))
    found = 0
    while near:
        found += 1
        open_spots = [near.pop()]
        while open_spots:
            x, y = open_spots.pop()
            for beside in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if beside in near:
                    near.remove(beside)
                    open_spots.append(beside)
    return found


def round_end(
    dice: tuple[tuple[int, ...], ...],
    *,
    names: tuple[str, ...] = ("Ana", "Bo"),
    ones_wild: bool = True,
    faces: tuple[Face | None, ...] = (None, None),
) -> RevealView:
    counting = sum(face == BID.face or (ones_wild and face == 1) for hand in dice for face in hand)
    return RevealView(
        table=1,
        round=2,
        seats=tuple(
            SeatView(player=number, name=name, colour=number + 1, face=face)
            for number, (name, face) in enumerate(zip_longest(names, faces[: len(names)]))
        ),
        bids=(BID,),
        call="dudo",
        caller=1,
        dice=dice,
        bid=BID,
        count=counting,
        ones_wild=ones_wild,
        changes=(DiceChange(seat=1, dice=-1),),
        out=(),
        next_opener=1,
        next_palifico=False,
        timed_out=False,
    )


def lit_dice(picture: Image.Image, row: int) -> int:
    """How many dice of a row have a golden edge; the count after them is golden too and left out."""
    top = 132 + 92 * row
    return blobs(picture, (canvas.GOLD,), (250, top + 6, 632, top + 86))


@pytest.mark.parametrize("hand", [(1,), (2, 3), (4, 5, 6), (1, 1, 6, 6), (2, 3, 4, 5, 6), (1, 2, 3, 4, 5, 6, 6, 6)])
def test_the_pips_of_a_hand_can_be_counted(hand: tuple[int, ...]) -> None:
    picture = image(hand_picture(hand))
    assert blobs(picture, ((30, 34, 40), (200, 30, 36)), (0, 0, *picture.size)) == sum(hand)


def test_any_two_hands_are_told_apart_and_the_order_of_the_dice_makes_no_other_picture() -> None:
    hands = [hand for dice in range(1, 4) for hand in combinations_with_replacement(range(1, 7), dice)]
    assert len({hand_picture(hand) for hand in hands}) == len(hands) == 83
    assert hand_picture((6, 1, 3)) == hand_picture((1, 3, 6))


def test_only_ones_are_marked_and_only_where_they_are_wild() -> None:
    def golden(hand: tuple[int, ...], *, ones_wild: bool) -> int:
        picture = image(hand_picture(hand, ones_wild=ones_wild))
        return blobs(picture, (canvas.GOLD,), (0, 0, *picture.size))

    assert golden((1, 1, 3, 5, 6), ones_wild=True) == 2
    assert golden((1, 1, 3, 5, 6), ones_wild=False) == 0
    assert hand_picture((2, 3), ones_wild=True) == hand_picture((2, 3)), "uploaded once"


def test_what_is_no_hand_has_no_picture() -> None:
    for wrong in ((), (0,), (7,), (1, 2, -1)):
        with pytest.raises(ValueError, match=r"dice|face"):
            hand_picture(wrong)


def test_the_dice_that_count_are_lit_only_the_loser_has_a_red_frame_and_who_is_out_has_no_row() -> None:
    picture = image(reveal_picture(round_end(((5, 1, 2, 3, 5), (4, 4, 6))), LABELS))
    assert (lit_dice(picture, 0), lit_dice(picture, 1)) == (3, 0)
    two = image(reveal_picture(round_end(((5, 1), (1, 4)), ones_wild=False), LABELS))
    assert (lit_dice(two, 0), lit_dice(two, 1)) == (1, 0), "ones are lit only where they are wild"
    assert [blobs(two, (canvas.RED,), (0, top, 40, top + 92)) > 0 for top in (132, 132 + 92)] == [False, True]
    three = round_end(((5, 1), (1, 4), ()), names=("Ana", "Bo", "Cy"), ones_wild=False)
    assert image(reveal_picture(three, LABELS)).size == two.size


def test_the_largest_table_fits_into_60_kilobytes() -> None:
    names = tuple(f"Maximiliane-Friederike {number}" for number in range(10))
    hands = tuple(tuple((seat + place) % 6 + 1 for place in range(10)) for seat in range(10))
    assert len(reveal_picture(round_end(hands, names=names, faces=tuple(Face)), LABELS)) < 60_000


def test_a_bot_that_draws_nothing_loads_no_library_for_it() -> None:
    program = "import sys, telegram_bot.app, telegram_bot.cli; sys.exit('PIL' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603 - a program of this file


def test_a_round_without_a_count_has_no_picture() -> None:
    ended = round_end(((5,), (4,))).model_copy(update={"bid": None, "count": None})
    with pytest.raises(ValueError, match="without a count"):
        reveal_picture(ended, LABELS)


def test_the_cups_lift_the_dice_that_count_light_up_one_by_one_and_the_last_picture_stays() -> None:
    animation = Image.open(BytesIO(reveal_animation(round_end(((5, 1, 2), (5, 4, 6))), LABELS)))
    seen = [(frame.convert("RGB"), frame.info["duration"] / 1000) for frame in ImageSequence.Iterator(animation)]
    *moving, (last, seconds) = seen
    first, _ = seen[0]
    assert blobs(first, ((30, 34, 40), (200, 30, 36)), (0, 132, *first.size)) == 0, "no die can be seen before"
    shown = [sum(lit_dice(picture, row) for row in (0, 1)) for picture, _ in seen]
    assert shown[0] == 0
    assert [lit for lit, before in zip(shown[1:], shown, strict=False) if lit != before] == [1, 2, 3]
    assert blobs(last, (canvas.RED,), (0, 132 + 92, 40, 132 + 2 * 92)) > 0, "who loses"
    assert sum(each for _, each in moving) <= ANIMATION_SECONDS
    assert seconds >= 30


def test_an_animation_for_six_is_at_most_150_kilobytes() -> None:
    hands = tuple(tuple((seat + place) % 6 + 1 for place in range(5)) for seat in range(6))
    ended = round_end(hands, names=tuple(f"Player {number}" for number in range(6)), faces=tuple(Face))
    assert len(reveal_animation(ended, LABELS)) <= 150_000


def test_every_face_that_players_choose_is_drawn_in_front_of_the_name_and_no_two_are_alike() -> None:
    drawn = {reveal_picture(round_end(((5,), (4,)), faces=(face, None)), LABELS) for face in (None, *Face)}
    assert len(drawn) == len(Face) + 1


def test_the_faces_weigh_less_than_200_kilobytes_and_have_their_licence_next_to_them() -> None:
    folder = files("telegram_bot.pictures").joinpath("faces")
    pictures = {file.name: file.read_bytes() for file in folder.iterdir() if file.name.endswith(".png")}
    assert set(pictures) == {f"{face}.png" for face in Face}
    assert sum(map(len, pictures.values())) < 200_000
    assert "SIL OPEN FONT LICENSE" in folder.joinpath("LICENSE_NOTO_EMOJI").read_text(encoding="utf-8")


def test_names_in_many_scripts_can_be_drawn_without_their_emoji_and_end_before_the_dice() -> None:
    for name in ("Zoë", "Дмитрий", "Ελένη", "محمد", "O'Neil & Søn"):
        assert canvas.drawable(name) == name
    assert canvas.drawable("🎲 Ana 🦊") == "Ana"
    assert canvas.drawable("Gran 📱: 5%, Bo\u00a0🦊🎲. 🌸Kim") == "Gran: 5%, Bo. Kim"
    foxes, first = (reveal_picture(round_end(((5,), (4,)), names=(name, "Bo")), LABELS) for name in ("🦊🦊", "#1"))
    assert foxes == first, "a name of emoji alone is the number of the seat"
    shown = canvas.shortened("Maximiliane-Friederike", 28, 210)
    assert shown.endswith("…")
    assert canvas.font(28).getlength(shown) <= 210


@pytest.mark.parametrize("space", ["\u00a0", "\u202f"])
def test_no_line_ends_between_a_number_and_its_sign(space: str) -> None:
    words = canvas.drawable(f" Sonne über Bo:\n27{space}%  Einsen ")
    assert words == f"Sonne über Bo: 27{space}% Einsen"
    lines = [line for width in range(40, 400, 10) for line in canvas.wrapped(words, 22, width)]
    assert f"27{space}%" in lines
    assert not any(line.endswith("27") for line in lines)


def contrast(one: canvas.Color, other: canvas.Color) -> float:
    """The contrast of two colours as WCAG 2 defines it: 1 to 21."""

    def luminance(color: canvas.Color) -> float:
        parts = [part / 255 for part in color]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_what_is_written_stands_out_from_the_felt() -> None:
    # The levels 4.5 for letters below 24 pixels (the two labels) and 3 for larger ones are WCAG's "AA".
    for ground in (canvas.FELT, canvas.PANEL):
        assert contrast(canvas.RED, ground) >= 3
        for ink in (canvas.WHITE, canvas.SOFT, canvas.GOLD, canvas.GREEN):
            assert contrast(ink, ground) >= 4.5
