"""The draw on a television: name after name in ten seconds, once a stage, from cards alone: there is no bot."""

import pytest
from playwright.async_api import expect

from telegram_bot.features.tournament.notices import Phase, SeatLine, TableLine, TournamentNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import TableRules
from tests.end_to_end.test_web_seat_in_the_browser import MEASURING
from tests.telegram_bot.channels.web.stored_pages import EN, Site
from tests.telegram_bot.channels.web.test_television_as_host import TAKE, a_television
from tests.telegram_bot.conftest import lobby_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAMES = ("Ana", "Bartholomew the Great", "Cy", "Dee", "Eve", "Fay")


def rules() -> TableRules:
    return lobby_table(2).rules


def a_stage(stage: int = 1, *, tables: int = 2, seats: int = 5, lost: int = 0) -> Card:
    """The panel of a stage; `lost`: dice that the first player has lost."""
    lines = [
        TableLine(
            number=number + 1,
            seats=tuple(
                SeatLine(name=f"{NAMES[seat]} {number}", face=list(Face)[seat], dice=5 - lost * (seat + number == 0))
                for seat in range(seats)
            ),
        )
        for number in range(tables)
    ]
    notice = TournamentNotice(tournament=1, phase=Phase.TABLES, rules=rules(), stage=stage, tables=tuple(lines))
    return card_of(notice, -1, None, EN)


def the_final() -> Card:
    finalists = tuple(SeatLine(name=name, face=face) for name, face in zip(NAMES, Face, strict=False))
    notice = TournamentNotice(tournament=1, phase=Phase.FINAL, rules=rules(), stage=1, names=NAMES, finalists=finalists)
    return card_of(notice, -1, None, EN)


async def test_the_draw_fills_all_tables_name_after_name_and_ends_after_ten_seconds(site: Site) -> None:
    page = await a_television(site, script=MEASURING)
    for stage, (tables, seats) in enumerate([(2, 6), (3, 6), (4, 6), (6, 6), (8, 5)], start=1):
        await page.evaluate("outside.clear()")
        await page.evaluate(TAKE, a_stage(stage, tables=tables, seats=seats))
        await expect(page.get_by_role("heading", name="The draw")).to_be_visible()
        drawn = page.locator(".draw li:not(.undrawn)")
        await expect(drawn).to_have_count(1)
        await page.clock.run_for(3500)
        assert 0 < await drawn.count() < tables * seats
        await page.clock.run_for(3500)
        await expect(drawn).to_have_count(tables * seats)
        assert await page.evaluate("[...outside]") == [], stage
        if tables == 8:
            await site.without_barrier(page)
        await page.clock.run_for(3300)
        await expect(page.locator(".draw")).to_have_count(0)
        await expect(page.locator(".bracket")).to_be_visible()


async def test_a_stage_is_drawn_once_and_not_by_a_page_that_comes_in_the_middle(site: Site) -> None:
    late = await a_television(site)
    await late.evaluate(TAKE, a_stage(lost=1))
    await expect(late.locator(".bracket")).to_be_visible()
    await expect(late.locator("header")).to_contain_text("Tournament, stage 1")
    page = await a_television(site)
    await page.evaluate(TAKE, a_stage())
    await page.clock.run_for(10_500)
    await page.evaluate(TAKE, a_stage())
    await expect(page.locator(".draw")).to_have_count(0)
    await page.evaluate(TAKE, a_stage(2))
    await expect(page.locator(".draw")).to_be_visible()


async def test_the_finalists_are_called_before_the_final_whose_title_stays_on_the_screen(site: Site) -> None:
    page = await a_television(site, script=MEASURING)
    await page.evaluate(TAKE, a_stage())
    await page.clock.run_for(10_500)
    await page.evaluate(TAKE, the_final())
    await expect(page.get_by_role("heading", name="The grand final")).to_be_visible()
    await page.clock.run_for(7000)
    await expect(page.locator(".finalists li:not(.undrawn)")).to_have_count(len(NAMES))
    await expect(page.locator(".finalists .face")).to_have_count(len(NAMES))
    assert await page.evaluate("[...outside]") == []
    await page.clock.run_for(3300)
    await expect(page.locator(".draw")).to_have_count(0)
    await expect(page.get_by_text("🏆 The grand final").first).to_be_visible()
