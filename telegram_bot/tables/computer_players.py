"""Computer players in the lobby: add, change and name them. They leave like people, when the host removes them."""

import random
from typing import Final, Literal

from perudo_core.agents import Character, Level
from telegram_bot.tables.events import RejectedError, RejectionReason, TableChange
from telegram_bot.tables.lobby_rules import lobby_changed, require_host
from telegram_bot.tables.model import COMPUTER_MARK, ComputerPlayer, Moment, Seat, Table

FIRST_COMPUTER: Final = -1_000_001
"""The player number of a table's first computer player; the next ones are below. No person has such a number."""
NAMES: Final = (
    "Amaru", "Chaska", "Illari", "Inti", "Killa", "Kusi", "Nayra", "Nina", "Pakari", "Quri",
    "Rimaq", "Sami", "Sayri", "Sisa", "Sumaq", "Tika", "Urpi", "Wara", "Wayra", "Yana",
)  # fmt: skip
"""Names from the Andes, where dudo comes from; more than a table has seats."""


def add(
    table: Table,
    by: int,
    count: int | None = 1,
    level: Level = Level.REGULAR,
    engine: str = "",
    *,
    moment: Moment,
) -> TableChange:
    """Add computer players, for the host only, each with a random name and character.

    `count`: None fills the table; fewer are added if there is no room for all. `engine`: the program that calls for
    them.

    Raises:
        RejectedError: there is room for none.
    """
    require_host(table, by)
    room = table.max_seats - len(table.seats)
    if room <= 0:
        raise RejectedError(RejectionReason.FULL, number=table.max_seats)
    seats = list(table.seats)
    for _ in range(room if count is None else min(count, room)):
        seats.append(_new_seat(seats, level, engine, moment.rng))
    return lobby_changed(table.replace(seats=tuple(seats)), moment)


def _new_seat(seats: list[Seat], level: Level, engine: str, rng: random.Random) -> Seat:
    names = {seat.name.removeprefix(COMPUTER_MARK).casefold() for seat in seats}
    free = [name for name in NAMES if name.casefold() not in names]
    lowest = min((seat.player for seat in seats if seat.computer is not None), default=FIRST_COMPUTER + 1)
    number = lowest - 1
    name = rng.choice(free) if free else f"{NAMES[0]} {FIRST_COMPUTER - number + 1}"
    sitting = {seat.computer.character for seat in seats if seat.computer is not None}
    unlike = [character for character in Character if character not in sitting] or list(Character)
    computer = ComputerPlayer(level=level, character=rng.choice(unlike), engine=engine)
    return Seat(player=number, name=COMPUTER_MARK + name, computer=computer)


def change(table: Table, by: int, player: int, trait: Literal["level", "character"], *, moment: Moment) -> TableChange:
    """Change a computer player to the next level or character, for the host only."""
    require_host(table, by)
    seat = table.seat_of(player)
    computer = None if seat is None else table.seats[seat].computer
    if seat is None or computer is None or computer.engine:
        raise RejectedError(RejectionReason.NOBODY)
    value: Level | Character = getattr(computer, trait)
    values = list(type(value))
    following = values[(values.index(value) + 1) % len(values)]
    changed = table.with_seat(seat, computer=computer.model_copy(update={trait: following}))
    return lobby_changed(changed, moment)
