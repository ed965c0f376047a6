"""Faces of players: an animal for each person and a colour for each seat, distinct at a table."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

COLOURS: Final = 10
"""The number of colours on pages and in pictures."""


class Face(StrEnum):
    """An animal; no sign for stirs is among them."""

    LLAMA = "llama"
    FROG = "frog"
    LION = "lion"
    WHALE = "whale"
    PIG = "pig"
    PENGUIN = "penguin"
    TIGER = "tiger"
    TURTLE = "turtle"
    UNICORN = "unicorn"
    BEAR = "bear"
    RABBIT = "rabbit"
    PARROT = "parrot"
    PANDA = "panda"
    BUTTERFLY = "butterfly"
    HEDGEHOG = "hedgehog"
    KOALA = "koala"
    CAT = "cat"
    SNAIL = "snail"
    DOG = "dog"
    COW = "cow"

    @property
    def sign(self) -> str:
        """The animal as an emoji."""
        return _SIGNS[self]


_SIGNS: Final = dict(zip(Face, "🦙🐸🦁🐳🐷🐧🐯🐢🦄🐻🐰🦜🐼🦋🦔🐨🐱🐌🐶🐮", strict=True))


def face_of(player: int, chosen: str | None) -> Face:
    """Return the face that a player has chosen, or the one that follows from their number if that is None."""
    return tuple(Face)[player % len(Face)] if chosen is None else Face(chosen)


def next_face(face: Face) -> Face:
    """Return the face after this one, around."""
    faces = tuple(Face)
    return faces[(faces.index(face) + 1) % len(faces)]


def free_face(wanted: Face, taken: Iterable[Face | None]) -> Face:
    """Return the wanted face, or the next one that no player at the table has; with all taken, the wanted one."""
    others, face = set(taken), wanted
    while face in others:
        face = next_face(face)
        if face is wanted:
            break
    return face


def colours_of(faces: Sequence[Face | None]) -> tuple[int, ...]:
    """Return the colour of each seat, from 0: that of its face if no earlier seat has it, otherwise the next free one.

    With more seats than `COLOURS`, colours repeat.
    """
    colours: list[int] = []
    order = tuple(Face)
    for seat, face in enumerate(faces):
        wanted = seat if face is None else order.index(face)
        around = [(wanted + step) % COLOURS for step in range(COLOURS)]
        colours.append(next((colour for colour in around if colour not in colours), around[0]))
    return tuple(colours)
