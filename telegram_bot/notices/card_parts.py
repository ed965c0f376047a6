"""Parts of several cards."""

import re
from collections.abc import Iterable, Sequence
from html import unescape
from typing import Final

from telegram_bot.notices import card_types as c
from telegram_bot.tables.model import ComputerPlayer
from telegram_bot.tables.views import BidView, SeatView
from telegram_bot.words.phrases import plain_name

_TAG: Final = re.compile(r"<[^>]*>")


def _seat(seat: SeatView) -> c.SeatField:
    return {
        "player": seat.player,
        "name": plain_name(seat.name),
        "face": None if seat.face is None else seat.face.sign,
        "colour": seat.colour,
        "dice": seat.dice,
        "out": seat.out,
        "place": seat.place,
        "away": seat.away,
        "left_to_bot": seat.left_to_bot,
        "taken_by": seat.taken_by,
        "owner": seat.owner,
        "by_text": seat.by_text,
        "guest": seat.guest,
        "computer": None if seat.computer is None else _computer(seat.computer),
    }


def _computer(computer: ComputerPlayer) -> c.ComputerField:
    return {"level": computer.level.value, "character": computer.character.value, "engine": computer.engine}


def seat_fields(seats: Sequence[SeatView]) -> list[c.SeatField]:
    """Return the seats in public form."""
    return [_seat(seat) for seat in seats]


def bid_field(bid: BidView) -> c.BidField:
    """Return a bid."""
    return {"seat": bid.seat, "quantity": bid.quantity, "face": bid.face}


def bid_fields(bids: Sequence[BidView]) -> list[c.BidField]:
    """Return the bids."""
    return [bid_field(bid) for bid in bids]


def plain_text(html: str) -> str:
    """Return a text without tags."""
    return unescape(_TAG.sub("", html))


def plain_lines(lines: Iterable[str]) -> list[str]:
    """Return lines in HTML as plain text, without empty ones."""
    return [line for line in (plain_text(each).strip() for each in lines) if line]
