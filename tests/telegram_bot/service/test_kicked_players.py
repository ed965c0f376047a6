"""Whom the host sent out of a lobby stays out, whichever old button, link or word they try."""

import pytest

from telegram_bot.service import intents as i
from telegram_bot.storage.models import GameTable, OutboxEntry
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import GroupHarness

PRIVATE = None
ELSEWHERE = i.Place("telegram", -2002, 0, "Another group")


async def bo_is_sent_out(harness: GroupHarness) -> str:
    """Bo played a game with Ana and Cy, sits in the next lobby, and is sent out of it. Returns the lobby's code."""
    await harness.lobby("Ana", "Bo", "Cy")
    await harness.tap("Ana", i.Start())
    await harness.tap("Ana", i.Stop(confirmed=True), table=1)
    await harness.tap("Ana", i.PlayAgain(), table=1)
    bo = harness.player("Bo").id
    assert bo is not None
    await harness.tap("Ana", i.Kick(bo), table=2)
    assert names(harness) == ["Ana", "Cy"]
    return harness.table(2).code


def names(harness: GroupHarness) -> list[str]:
    return [seat.name for seat in harness.table(2).seats]


WAYS: dict[str, tuple[str, i.What, dict[str, object]]] = {
    "the lobby's Join": ("tap", i.Join(), {"table": 2}),
    "an older lobby's Join": ("tap", i.Join(), {"table": 1}),
    "Join in private": ("tap", i.Join(), {"table": 2, "where": PRIVATE}),
    "Play again in the group": ("tap", i.PlayAgain(), {"table": 1}),
    "Play again in private": ("tap", i.PlayAgain(), {"table": 1, "where": PRIVATE}),
    "Play again, of the lobby itself": ("tap", i.PlayAgain(), {"table": 2, "where": PRIVATE}),
    "/join": ("say", i.Join(), {}),
    "a code": ("say", i.Join("CODE"), {"where": PRIVATE}),
    "a link": ("say", i.StartPrivateChat(code="CODE"), {"where": PRIVATE}),
    "a link in small letters": ("say", i.StartPrivateChat(code="code"), {"where": PRIVATE}),
    "another name": ("say", i.Join("CODE", name="Robert"), {"where": PRIVATE}),
    "the button in another group": ("tap", i.Join(), {"table": 2, "where": ELSEWHERE}),
    "the wish for the next game": ("tap", i.WishNextGame(), {}),
    "another lobby in the same place": ("say", i.OpenLobby(), {}),
    "their seat back": ("tap", i.ReturnToSeat(), {"table": 2, "where": PRIVATE}),
    "a stir": ("tap", i.StirDice("🍀"), {"table": 2, "where": PRIVATE}),
    "a start": ("tap", i.Start(), {"table": 2, "where": PRIVATE}),
    "a posted call": ("say", i.MakeBid(1, 2), {"table": 2}),
    "a rulebook": ("tap", i.ChangeOption("rulebook", "azteca"), {"table": 2, "where": PRIVATE}),
    "the end of the table": ("tap", i.Stop(confirmed=True, is_admin=False), {"table": 2, "where": PRIVATE}),
    "their dice": ("tap", i.SeeDice(), {"table": 2, "where": PRIVATE}),
}


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_brings_back_whom_the_host_sent_out(harness: GroupHarness, way: str) -> None:
    code = await bo_is_sent_out(harness)
    how, what, more = WAYS[way]
    if isinstance(what, i.Join | i.StartPrivateChat) and what.code is not None:
        given = code if what.code.isupper() else code.lower()
        what = i.StartPrivateChat(given) if isinstance(what, i.StartPrivateChat) else i.Join(given, what.name)
    before = harness.table(2)
    await (harness.tap if how == "tap" else harness.say)("Bo", what, **more)  # type: ignore[arg-type]
    table = harness.table(2)
    assert [seat.name for seat in table.seats] == ["Ana", "Cy"]
    assert (table.stirs, table.rules, table.status, table.host) == (
        before.stirs,
        before.rules,
        Status.LOBBY,
        before.host,
    )
    await harness.tap("Ana", i.Start(), table=2)
    bo = harness.player("Bo").id
    hands = [row.notice["notice"] for row in harness.rows(OutboxEntry) if row.notice and row.table_id == 2]
    assert not any(notice["kind"] == "hand" and notice["player"] == bo for notice in hands)


async def test_the_next_lobby_takes_them_again(harness: GroupHarness) -> None:
    await bo_is_sent_out(harness)
    await harness.tap("Ana", i.Stop(confirmed=True), table=2)
    await harness.say("Ana", i.OpenLobby())
    await harness.say("Bo", i.Join())
    assert len(harness.rows(GameTable)) == 3
    assert [seat.name for seat in harness.table(3).seats] == ["Ana", "Bo"]
