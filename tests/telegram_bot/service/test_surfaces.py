"""Why does a reader see this message now? The answer follows from stored facts alone."""

from dataclasses import replace
from typing import Any

import pytest

from telegram_bot.screens.facts import Facts, read_facts
from telegram_bot.service.readers import Readers
from telegram_bot.storage.models import DirectMessages, GameTable, LaneName, PrivateView, RoundEnd
from telegram_bot.tables.house_rules import TWIST_BY
from telegram_bot.tables.model import Timings
from test_support.screens import screens_of, wants
from tests.telegram_bot.conftest import GroupHarness

GROUP, ANA, BO = -1001, 101, 102


def facts_of(harness: GroupHarness, table: int = 1) -> Facts:
    with harness.database.transaction() as session:
        facts = read_facts(harness.service.unit_of_work(session, "test"), table)
        assert facts is not None
        session.expunge_all()
    return facts


def wanted(facts: Facts) -> list[tuple[str, str, int]]:
    return [(want.slot, want.notice.kind, want.to.chat) for want in wants(facts)]


async def test_the_lobby_is_shown_after_the_ghost_who_chose_its_twist_is_forgotten(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    state = harness.rows(GameTable)[0].state
    harness.update_row(GameTable, 1, state=state | {"options": state["options"] | {TWIST_BY: "99"}})
    assert wanted(facts_of(harness)) == [("lobby", "lobby", GROUP)]


async def test_until_the_group_has_seen_the_dice_players_see_the_call_and_their_own_dice(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, timings=Timings(reveal_seconds=2))
    await harness.game("22222", "33333", calls="4x2 dudo")
    called = facts_of(harness)
    assert ("deal:1", "call", GROUP) in wanted(called)
    boards: list[Any] = [want.notice for want in wants(called) if want.slot.startswith(("hand:", "reveal:"))]
    assert [(board.kind, board.called, board.deal) for board in boards] == [("hand", "dudo", 1)] * 2
    harness.now += 2
    due = facts_of(harness)
    assert ("deal:1", "reveal", GROUP) in wanted(due), "the group is told first"
    assert not [slot for slot, kind, chat in wanted(due) if kind == "reveal" and chat != GROUP]
    harness.update_row(RoundEnd, (1, 1), seen_at=harness.now)
    seen = wanted(facts_of(harness))
    assert [kind for slot, kind, chat in seen if chat == ANA] == ["reveal", "hand"], "the result, and below it new dice"


async def test_a_message_that_is_not_as_its_reader_should_see_it_is_found(
    harness: GroupHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    await harness.game("22222", "33333", sent=True)
    monkeypatch.setattr(Readers, "_mark", lambda *_: None)
    await harness.call("4x2")
    differences = screens_of(harness.database.engine).differences
    found = {each.slot: each for each in differences}
    assert found.keys() == {"deal:1", "hand:1", "hand:2"}
    assert "deal:1" in str(found["deal:1"])
    assert "view.bids" in found["deal:1"].fields[0]
    differences.clear()


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
