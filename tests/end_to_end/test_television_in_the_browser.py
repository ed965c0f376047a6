"""The television in a real browser: it draws cards as the bot writes them."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from telegram_bot.features.tournament.notices import (
    Phase,
    SeatLine,
    TableLine,
    TelevisedRoundNotice,
    TournamentNotice,
)
from telegram_bot.presentation.cards import card_of
from telegram_bot.presentation.features import Card
from telegram_bot.service.notices import LobbyNotice, Notice, TableNotice
from telegram_bot.tables.views import lobby_view, table_view
from telegram_bot.words.catalogue import catalogue
from tests.end_to_end.conftest import OpenWorld
from tests.end_to_end.test_web_seat_in_the_browser import (
    PHONE,
    TELEVISION,
    a_bot_with_pages,
    a_page,
    boxes,
    link_of_the_screen,
    open_table,
)
from tests.telegram_bot.conftest import lobby_table, running_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

LATER = 10**6
"""The number of a table that begins after every table of the bot."""
EN = catalogue("en")
TAKE = "async (card) => (await import('/seat/static/tv.js')).take(card)"


async def a_television(browser: Browser, address: str, size: dict[str, int], script: str = "") -> Page:
    """A television that shows the table of a guest."""
    phone, screen = await a_page(browser, PHONE), await a_page(browser, size, script)
    await open_table(phone, address, "Rimaq")
    await screen.goto(await link_of_the_screen(phone))
    await expect(screen.get_by_text("At the table: 1 of 6")).to_be_visible()
    return screen


async def show(screen: Page, shown: Iterable[Notice], language: str = "en") -> None:
    for notice in shown:
        card: Card = card_of(notice, -1, LATER, catalogue(language))
        await screen.evaluate(TAKE, card)


async def test_a_tournament_has_the_television_while_its_tables_play_though_a_game_runs_in_the_group(
    open_world: OpenWorld, tmp_path: Path, browser: Browser
) -> None:
    own, other = running_table("112", "34", calls="2x3"), running_table("55", "66", calls="1x2")
    own = own.with_seat(0, name="Zoe")
    game = TableNotice(view=table_view(own).model_copy(update={"table": LATER}), shared=False, unreachable=False)
    seats = (SeatLine(name="Ana", dice=2), SeatLine(name="Bo", dice=2))
    tables = (TableLine(number=1, seats=seats), TableLine(number=2, seats=seats))
    list_of = TournamentNotice(tournament=1, phase=Phase.OPEN, rules=own.rules, names=("Ana",), code="ABC234")
    running = list_of.model_copy(update={"phase": Phase.TABLES, "stage": 1, "tables": tables})
    televised = TelevisedRoundNotice(number=2, view=table_view(other).model_copy(update={"table": LATER + 1}))
    final_waits = list_of.model_copy(update={"phase": Phase.FINAL_WAITS, "names": ("Ana", "Bo")})
    async with a_bot_with_pages(open_world, tmp_path) as (_, address):
        screen = await a_television(browser, address, TELEVISION)
        await show(screen, [list_of])
        title, felt = await boxes(screen, ".panel > h2", ".panel > .felt")
        assert felt["top"] - title["bottom"] < TELEVISION["height"] / 10, "the list is below its title"
        await show(screen, [game])
        await expect(screen.locator("#page").get_by_text("Zoe").first).to_be_visible()
        await show(screen, [running, televised])
        await expect(screen.get_by_text("Tournament, stage 1 · Table 2")).to_be_visible()
        await expect(screen.locator("#page").get_by_text("Zoe")).to_have_count(0)
        await show(screen, [game])
        await expect(screen.locator("#page").get_by_text("Zoe")).to_have_count(0)
        await show(screen, [final_waits])
        await expect(screen.locator("#page").get_by_text("Zoe").first).to_be_visible()


KEYS = """
async ([cards, me, wanted]) => {
  const { SeatPage } = await import("/seat/static/page.js");
  const { loadWords } = await import("/seat/static/words.js");
  await loadWords("en");
  document.body.innerHTML = '<div id="page"></div><div id="live"></div>';
  const page = new SeatPage({ enter: async () => {} });
  page.wanted = wanted;
  page.state = { state: "in", title: "Friends", code: "TABLE2", list: "LIST34", name: "Bo", player: me, tables: [] };
  page.room.hello({ now: Date.now() / 1000, player: me });
  for (const card of cards) page.room.put(card);
  page.room.live = true;
  page.draw();
  const keys = [...document.querySelectorAll("main button")].map((key) => key.innerText);
  return keys.filter((key) => /Join|Leave/.test(key));
}
"""
"""The keys of a seat's page by which people join and leave."""


async def test_a_page_has_one_key_to_join_and_it_is_the_right_one_for_its_reader(
    open_world: OpenWorld, tmp_path: Path, browser: Browser
) -> None:
    table = lobby_table(2)
    lobby = card_of(LobbyNotice(view=lobby_view(table)), -1, table.id, EN)
    seated, listed, stranger = table.seats[0].player, 8, 9
    notice = TournamentNotice(
        tournament=1, phase=Phase.OPEN, rules=table.rules, names=("Ana",), players=(listed,), code="LIST34"
    )
    panel = card_of(notice, -1, None, EN)
    with_lobby, alone = [lobby, panel], [panel]
    async with a_bot_with_pages(open_world, tmp_path) as (_, address):
        page = await a_page(browser, PHONE)
        await page.goto(f"{address}/t")
        for cards, me, wanted, keys in (
            (alone, stranger, "LIST34", ["Join the tournament"]),
            (alone, listed, "LIST34", ["Leave"]),
            (with_lobby, stranger, "LIST34", ["Join the tournament"]),
            (with_lobby, stranger, "", ["Join the tournament"]),
            (with_lobby, stranger, "TABLE2", ["Join"]),
            (with_lobby, listed, "LIST34", ["Join", "Leave"]),
            (with_lobby, seated, "TABLE2", ["Join the tournament"]),
        ):
            assert await page.evaluate(KEYS, [cards, me, wanted]) == keys, (me, wanted)
