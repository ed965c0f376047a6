"""People are told apart at a table by an animal for each, a colour for each seat, and names that do not look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perudo_core.stirs import SIGNS
from telegram_bot.tables.faces import COLOURS, Face, colours_of, face_of, free_face, next_face
from telegram_bot.tables.names import told_apart


def test_animals_differ_from_each_other_and_from_the_signs_for_stirs() -> None:
    signs = {face.sign for face in Face}
    assert len(signs) == len(Face)
    assert signs.isdisjoint(SIGNS)


@given(st.integers(1, 10**9))
def test_a_player_without_a_choice_always_has_the_same_face(player: int) -> None:
    assert face_of(player, None) is face_of(player, None)
    assert face_of(player, "frog") is Face.FROG


@given(st.sampled_from(Face), st.sets(st.sampled_from(Face), max_size=len(Face) - 1))
def test_a_face_that_another_player_has_gives_way_to_the_next_free_one(wanted: Face, taken: set[Face]) -> None:
    face = free_face(wanted, taken)
    assert face not in taken
    assert (face is wanted) is (wanted not in taken)
    assert free_face(wanted, Face) is wanted, "with all faces taken two players share one"


def test_asking_for_another_face_again_and_again_shows_all() -> None:
    face, seen = Face.LLAMA, set[Face]()
    for _ in Face:
        face = next_face(face)
        seen.add(face)
    assert seen == set(Face)


@given(st.lists(st.none() | st.sampled_from(Face), max_size=2 * COLOURS))
def test_the_first_ten_seats_have_ten_colours(faces: list[Face | None]) -> None:
    colours = colours_of(faces)
    assert len(set(colours[:COLOURS])) == len(faces[:COLOURS])
    assert all(0 <= colour < COLOURS for colour in colours)


@pytest.mark.parametrize(
    "name",
    [
        "Ana", "ana", "A\u200bna", "Ana\u2060", "\u0410n\u0430", "\uff21na", "A\u0301na", "\U0001d400na", "An\u0251",
        "Ana ", "Ana\u2800", "\u115fAna", "Ana\u3164", "Ana 👑", "Ana 👍🏽", "Ana\U000e0fff",
    ],
)  # fmt: skip
def test_a_name_that_looks_like_another_one_gets_a_number(name: str) -> None:
    assert told_apart(name, ["Bo", "Ana"]) == f"{name} 2"
    assert told_apart(name, ["Ana", "Ana 2"]) == f"{name} 3"
    assert told_apart("Ilsa", ["llsa"]) == "Ilsa 2"


@pytest.mark.parametrize(
    ("name", "other"),
    [("Ana", "Anna"), ("Анна", "Ana"), ("Bo", "Bo 2"), ("🤖 Ana", "Ana"), ("李", "王"), ("🌸", "🌻"), ("🌸", "Ana")],
)
def test_another_name_stays_as_it_is(name: str, other: str) -> None:
    assert told_apart(name, [other]) == name
