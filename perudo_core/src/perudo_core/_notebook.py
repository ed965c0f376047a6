"""States and observations as a table: in a notebook with pictures of the dice, in a terminal as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from perudo_core._actions import Bid, Seat

__all__ = ["Table", "table_html", "table_text"]

_PIPS: Final = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "023568"}
"""The places of each face's pips, from 0 at the top left to 8 at the bottom right."""


Table: TypeAlias = tuple[str, Sequence[str], Sequence[Sequence[int | None]], Sequence[Bid], Seat | None]
"""A title; for each seat its name and its dice, where None is a die that the reader may not see; the bids; the turn."""


def table_html(
    title: str, names: Sequence[str], dice: Sequence[Sequence[int | None]], bids: Sequence[Bid], turn: Seat | None
) -> str:
    """Return a table with a row for each seat: its name, its dice, its bids in this round."""
    from html import escape  # noqa: PLC0415 - only a notebook needs it

    rows = []
    for seat, (name, hand) in enumerate(zip(names, dice, strict=True)):
        heading = escape(name or f"Seat {seat + 1}") + (" ◂" if seat == turn else "")
        made = " ".join(str(bid) for bid in bids if bid.seat == seat)
        rows.append(f"<tr><th>{heading}</th><td>{''.join(map(_die, hand))}</td><td>{made}</td></tr>")
    return f"<table><caption>{escape(title)}</caption>{''.join(rows)}</table>"


def table_text(
    title: str, names: Sequence[str], dice: Sequence[Sequence[int | None]], bids: Sequence[Bid], turn: Seat | None
) -> str:
    """Return the same table as text; `>` marks whose turn it is, `?` is a die that the reader may not see."""
    named = [name or f"Seat {seat + 1}" for seat, name in enumerate(names)]
    hands = [" ".join(str(face or "?") for face in hand) for hand in dice]
    wide, held = max(map(len, named)), max(map(len, hands))
    rows = [
        f"{'>' if seat == turn else ' '} {name:{wide}}  {hand:{held}}  "
        + " ".join(str(bid) for bid in bids if bid.seat == seat)
        for seat, (name, hand) in enumerate(zip(named, hands, strict=True))
    ]
    return "\n".join([title, *map(str.rstrip, rows)])


def _die(face: int | None) -> str:
    pips = "".join(
        f'<circle cx="{5 + 7 * (place % 3)}" cy="{5 + 7 * (place // 3)}" r="2.2" fill="#222"/>'
        for place in map(int, _PIPS.get(face or 0, ""))
    )
    colour = "#fff" if face else "#bbb"
    square = f'<rect x="1" y="1" width="22" height="22" rx="4" fill="{colour}" stroke="#222"/>'
    return f'<svg width="24" height="24" role="img" aria-label="{face or "hidden"}">{square}{pips}</svg>'
