"""Why does a reader see this message now? The answer follows from stored facts alone."""

import pytest

from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.screens.facts import read_facts
from telegram_bot.screens.wants import wants_of
from telegram_bot.service.readers import Readers
from telegram_bot.storage.models import DirectMessages, GameTable, LaneName, PrivateView
from telegram_bot.tables.house_rules import TWIST_BY
from test_support.screens import Screens
from tests.telegram_bot.conftest import GroupHarness

ANA = 101


async def test_the_lobby_is_shown_after_the_ghost_who_chose_its_twist_is_forgotten(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    state = harness.rows(GameTable)[0].state
    harness.update_row(GameTable, 1, state=state | {"options": state["options"] | {TWIST_BY: "99"}})
    with harness.database.transaction() as session:
        facts = read_facts(harness.service.unit_of_work(session, "test"), 1)
        assert facts is not None
        assert [(want.slot, want.notice.kind, want.to.chat) for want in wants_of(facts, TABLES_CHAT)] == [
            ("lobby", "lobby", -1001)
        ]


async def test_a_message_that_should_change_and_whose_reader_is_not_marked_is_found(
    harness: GroupHarness, screens: Screens, monkeypatch: pytest.MonkeyPatch
) -> None:
    await harness.game("22222", "33333", sent=True)
    monkeypatch.setattr(Readers, "_mark", lambda *_: None)
    await harness.call("4x2")
    found = sorted(fault.partition(" of table 1 changed for reader ")[0] for fault in screens.faults)
    assert found == ["deal:1", "hand:1", "hand:2"]
    assert all("view.bids" in fault or "view.table.bids" in fault for fault in screens.faults)
    screens.faults.clear()


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
        assert {reader.due_at for reader in harness.service.readers.of()} == {None}
        with harness.database.transaction() as session:
            uow = harness.service.unit_of_work(session, "test")
            setattr(uow.player_by_id(1), name, value)
            lanes = uow.finish()
        assert {reader.due_at for reader in harness.service.readers.of()} == {0}, name
        assert LaneName("telegram", ANA) in lanes, name
