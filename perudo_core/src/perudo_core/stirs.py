"""A salt that says who stirred what into the dice, in which order, so that every reader of salts can read it.

The first line names the form and the table. Each further line is one stir: the player's seat, from 1, or `-` for
somebody who left before the game, a space, and what they stirred in::

    perudo-stirs/1 ABC234
    1 🍀
    2 llama
    - 🦊

Where nobody stirred, `nobody stirred` is the second line and the last. Any other salt says nothing about stirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from perudo_core.actions import Seat
from perudo_core.errors import abbreviated

__all__ = ["Stir", "salt_from_stirs", "stirs_in_salt"]

SCHEMA: Final = "perudo-stirs/1"
_NOBODY: Final = "nobody stirred"
_HEAD: Final = re.compile(rf"{SCHEMA} [^\n]+")
_STIR: Final = re.compile(r"(-|[1-9]\d{0,3}) ([^\n]+)")


class Stir(NamedTuple):
    """One player's addition to the salt."""

    seat: Seat | None
    """From 0; None: the player left before the game."""
    what: str


def salt_from_stirs(table: str, stirs: Iterable[Stir]) -> str:
    r"""The salt of a table with these stirs, in this order.

    >>> salt_from_stirs("ABC234", [Stir(0, "clover"), Stir(None, "llama")])
    'perudo-stirs/1 ABC234\n1 clover\n- llama'
    """
    lines = [f"{SCHEMA} {table}", *(f"{'-' if seat is None else seat + 1} {what}" for seat, what in stirs)]
    for line, form in zip(lines, [_HEAD, *(_STIR for _ in lines[1:])], strict=True):
        if not form.fullmatch(line):
            raise ValueError(f"no line of a salt with stirs: {abbreviated(line)}")
    return "\n".join(lines if len(lines) > 1 else [*lines, _NOBODY])


def stirs_in_salt(salt: str) -> tuple[Stir, ...] | None:
    r"""Who stirred what, in order; None if the salt has another form.

    >>> stirs_in_salt("perudo-stirs/1 ABC234\n2 llama")
    (Stir(seat=1, what='llama'),)
    """
    head, *lines = salt.split("\n")
    if not _HEAD.fullmatch(head) or not lines:
        return None
    if lines == [_NOBODY]:
        return ()
    found = [_STIR.fullmatch(line) for line in lines]
    read = tuple(Stir(None if line[1] == "-" else int(line[1]) - 1, line[2]) for line in found if line is not None)
    return read if len(read) == len(lines) else None
