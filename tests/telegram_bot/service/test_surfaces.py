"""Why does a reader see this message now, and whom does a step ask? Both follow from facts alone."""

import pytest

from perudo_core import Dudo, Leave
from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.screens.facts import read_facts
from telegram_bot.screens.wants import wants_of
from telegram_bot.service.announcing.asking import WATCHING_SECONDS, Asking, asking_of
from telegram_bot.service.dirty_tables import DirtyTables
from telegram_bot.storage.models import DirectMessages, GameTable, LaneName, PrivateView
from telegram_bot.tables import play, turn_clock
from telegram_bot.tables.events import PlainEvent, TableChange
from telegram_bot.tables.house_rules import TWIST_BY
from telegram_bot.tables.model import Table
from tests.telegram_bot.conftest import AUTO_CLOCK, GROUP, START, GroupHarness, at, lobby_table, parse, running_table


async def test_the_lobby_is_shown_after_the_ghost_who_chose_its_twist_is_forgotten(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    state = harness.rows(GameTable)[0].state
    harness.update_row(GameTable, 1, state=state | {"options": state["options"] | {TWIST_BY: "99"}})
    with harness.database.transaction() as session:
        facts = read_facts(harness.service.unit_of_work(session, "test"), 1)
        assert facts is not None
        (want,) = wants_of(facts, TABLES_CHAT)
        assert (want.slot, want.notice.kind, want.to.chat) == ("lobby", "lobby", -1001)


async def test_a_message_that_should_change_and_whose_reader_is_not_marked_is_found(
    harness: GroupHarness, screens: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await harness.game("22222", "33333", sent=True)
    monkeypatch.setattr(DirtyTables, "mark", lambda *_: None)
    await harness.call("4x2")
    found = sorted(fault.partition(" of table 1 changed for reader ")[0] for fault in screens)
    assert found == ["deal:1", "hand:1", "hand:2"]
    assert all("view.bids" in fault or "view.table.bids" in fault for fault in screens)
    screens.clear()


async def test_what_decides_where_and_how_a_persons_messages_are_shown_has_them_compared(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    changed: dict[str, object] = {
        "view": PrivateView.SHARED,
        "direct": DirectMessages.OPEN,
        "chosen_language": "it",
        "dice_style": "words",
        "pictures": False,
        "asks_twice": True,
        "tips": False,
        "switched_on": ["aloud"],
        "last_tip": {"table": 2, "step": 0, "tip": "dudo"},
        "phone": 5,
    }
    for name, value in changed.items():
        harness.mark_all_sent()
        assert not harness.service.tables.since
        with harness.database.transaction() as session:
            uow = harness.service.unit_of_work(session, "test")
            setattr(uow.player_by_id(1), name, value)
            lanes = uow.finish()
        assert list(harness.service.tables.since) == [1], name
        assert LaneName("telegram", GROUP) in lanes, name


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
ABSENT, AWAY = (three().with_seat(seat, away=True) for seat in (1, 2))
LAST_ABSENT = CALLED.with_seat(2, away=True)
TWO = running_table("2", "3", calls="1x2")
LOST, LOST_LOBBY = (turn_clock.suspend(table, moment=at()).table for table in (three(), lobby_table(2)))
BACK, LOBBY_BACK = (turn_clock.resume(table, moment=at()) for table in (LOST, LOST_LOBBY))
SHOWN = TableChange(dudo(PRACTICE).table, (PlainEvent.ROUND_SHOWN,))
UNTOLD = TableChange(three(), (PlainEvent.TURN_UNDELIVERED,))
ON_BOARD, BELOW = Asking(seats=(1,), on_board=True), Asking(seats=(0,), at_bottom=True)
ALL_BELOW, NOBODY_BELOW = Asking(seats=EVERYBODY, at_bottom=True), Asking(at_bottom=True)
EXAMPLES = {
    "a bid after a quick turn asks the next player on the board": (QUICK, bid(QUICK), ON_BOARD),
    "a bid after a long turn asks the next player in a new message": (SLOW, bid(SLOW), Asking(seats=(1,))),
    "an absent player is asked in no private message": (ABSENT, bid(ABSENT), Asking()),
    "a new round shows all players their dice": (CALLED, dudo(CALLED), Asking(seats=EVERYBODY)),
    "a new round shows an absent player none": (LAST_ABSENT, dudo(LAST_ABSENT), Asking(seats=(0, 1))),
    "a practice round waits for a look at the end of the last one": (PRACTICE, dudo(PRACTICE), Asking()),
    "after that look it shows the dice": (dudo(PRACTICE).table, SHOWN, Asking(seats=EVERYBODY)),
    "a game that is over asks nobody": (TWO, play.advance(TWO, Leave(1), moment=at()), Asking()),
    "a player who returns is asked": (AWAY, play.return_seat(AWAY, 2, moment=at()), Asking(seats=(2,))),
    "a turn whose message was lost is asked again at the end of the chat": (three(), UNTOLD, BELOW),
    "a chat that is back shows everybody their dice": (LOST, BACK, ALL_BELOW),
    "a lobby whose chat is back asks nobody": (LOST_LOBBY, LOBBY_BACK, NOBODY_BELOW),
}


@pytest.mark.parametrize(("before", "step", "asks"), EXAMPLES.values(), ids=EXAMPLES)
def test_a_step_asks(before: Table, step: TableChange, asks: Asking) -> None:
    assert asking_of(before, step, START) == asks
