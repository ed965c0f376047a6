"""The players that a step asks, as a value: no database, and no messages."""

import pytest

from perudo_core import Dudo, Leave
from telegram_bot.service.announcing.asking import WATCHING_SECONDS, Asking, asking_of
from telegram_bot.tables import play, turn_clock
from telegram_bot.tables.events import PlainEvent, TableChange
from telegram_bot.tables.model import Table
from tests.telegram_bot.conftest import AUTO_CLOCK, START, at, lobby_table, parse, running_table

EVERYBODY = (0, 1, 2)


def three(*, calls: str = "", **changes: object) -> Table:
    """A game of three, whose first player opens."""
    return running_table("22222", "33333", "44444", calls=calls, clock=AUTO_CLOCK).replace(**changes)


def bid(table: Table) -> TableChange:
    return play.make_call(table, parse(table, "4x2"), step=None, moment=at())


def dudo(table: Table) -> TableChange:
    return play.make_call(table, Dudo(1), step=None, moment=at())


QUICK, SLOW = (three(turn_since=START - WATCHING_SECONDS + seconds) for seconds in (1, -1))
CALLED, PRACTICE = three(calls="4x2"), three(calls="4x2", practice=True)
ABSENT, AWAY, LAST_ABSENT = (
    three().with_seat(1, away=True),
    three().with_seat(2, away=True),
    CALLED.with_seat(2, away=True),
)
TWO = running_table("2", "3", calls="1x2")
LOST = turn_clock.suspend(three(), moment=at()).table
LOST_LOBBY = turn_clock.suspend(lobby_table(2), moment=at()).table
SHOWN = TableChange(dudo(PRACTICE).table, (PlainEvent.ROUND_SHOWN,))
EXAMPLES = {
    "a bid after a quick turn asks the next player on the board": (
        QUICK,
        bid(QUICK),
        Asking(seats=(1,), on_board=True),
    ),
    "a bid after a long turn asks the next player in a new message": (SLOW, bid(SLOW), Asking(seats=(1,))),
    "an absent player is asked in no private message": (ABSENT, bid(ABSENT), Asking()),
    "a new round shows all players their dice": (CALLED, dudo(CALLED), Asking(seats=EVERYBODY)),
    "a new round shows an absent player none": (LAST_ABSENT, dudo(LAST_ABSENT), Asking(seats=(0, 1))),
    "a practice round waits for a look at the end of the last one": (PRACTICE, dudo(PRACTICE), Asking()),
    "after that look it shows the dice": (dudo(PRACTICE).table, SHOWN, Asking(seats=EVERYBODY)),
    "a game that is over asks nobody": (TWO, play.advance(TWO, Leave(1), moment=at()), Asking()),
    "a player who returns is asked": (AWAY, play.return_seat(AWAY, 2, moment=at()), Asking(seats=(2,))),
    "a turn whose message was lost is asked again at the end of the chat": (
        three(),
        TableChange(three(), (PlainEvent.TURN_UNDELIVERED,)),
        Asking(seats=(0,), at_bottom=True),
    ),
    "a chat that is back shows everybody their dice": (
        LOST,
        turn_clock.resume(LOST, moment=at()),
        Asking(seats=EVERYBODY, at_bottom=True),
    ),
    "a lobby whose chat is back asks nobody": (
        LOST_LOBBY,
        turn_clock.resume(LOST_LOBBY, moment=at()),
        Asking(at_bottom=True),
    ),
}


@pytest.mark.parametrize(("before", "step", "asks"), EXAMPLES.values(), ids=EXAMPLES)
def test_a_step_asks(before: Table, step: TableChange, asks: Asking) -> None:
    assert asking_of(before, step, START) == asks
