"""Pages that were loaded again, come late or slept: they show what is now, and no reveal whose time is over."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from telegram_bot.notices import HandNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.views import hand_view
from tests.end_to_end.test_web_seat_in_the_browser import PHONE
from tests.telegram_bot.channels.web.stored_pages import EN, HELLO, ORIGIN, Site, serve
from tests.telegram_bot.channels.web.test_television_as_host import reveal_card, the_end, the_round
from tests.telegram_bot.conftest import START, running_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

BEFORE = running_table("22345", "33456", calls="4x2")
"""Ana has bid, and Bo doubts: she loses a die and opens the next round."""
ALL_DICE_OPEN = 6.1
"""Seconds from the call to the result of ten dice."""


def after_the_reveal(seconds: float) -> list[Card]:
    """The reveal, some seconds ago, the next round, and the hand of Ana, who opens it."""
    view, after = the_end(BEFORE, "dudo")
    table = running_table("2234", "33456")
    hand = HandNotice(view=hand_view(table, 0), player=1, title="", deal=2)
    mine = card_of(hand, 1, BEFORE.id, EN) | {"round": after["round"], "step": after["step"], "on_turn": True}
    return [reveal_card(view) | {"at": START - seconds}, after, mine]


async def a_phone(site: Site, player: int, *events: tuple[str, Any]) -> Page:
    phone = await site.page(PHONE, calm=False, clock=True)
    serve(phone, ("hello", HELLO | {"player": player}), *events)
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    await expect(phone.locator(".seat").first).to_be_visible()
    return phone


def loaded(cards: list[Card]) -> list[tuple[str, Any]]:
    return [("card", card) for card in cards]


def awoken(cards: list[Card]) -> list[tuple[str, Any]]:
    """The page has shown the round before, and now reads all that it missed."""
    return [("card", the_round(BEFORE)), ("ready", {}), *loaded(cards)]


@pytest.mark.parametrize(
    ("known", "seconds", "has_keys"),
    [(loaded, 90, True), (loaded, 4, False), (awoken, ALL_DICE_OPEN, True), (awoken, 4, False)],
)
async def test_a_phone_that_was_loaded_again_or_slept_has_its_keys_once_the_others_have_seen_the_dice(
    site: Site, known: Any, seconds: float, has_keys: bool
) -> None:
    phone = await a_phone(site, 1, *known(after_the_reveal(seconds)))
    await expect(phone.get_by_role("button", name="Bid ")).to_have_count(int(has_keys))
    await expect(phone.locator(".die.back")).to_have_count(0 if has_keys else 5)
    await phone.clock.run_for(int(1000 * (ALL_DICE_OPEN - 4)))
    await expect(phone.get_by_role("button", name="Bid ")).to_be_visible()


@pytest.mark.parametrize("known", [loaded, awoken])
async def test_a_player_who_is_not_on_turn_sees_the_rest_of_a_reveal_and_none_whose_time_is_over(
    site: Site, known: Any
) -> None:
    for seconds, shown in ((7, 1), (90, 0)):
        phone = await a_phone(site, 2, *known(after_the_reveal(seconds)[:2]))
        await expect(phone.get_by_text("counted")).to_have_count(shown)
        await expect(phone.get_by_role("button", name="Continue")).to_have_count(shown)
        await phone.clock.run_for(4_000)
        await expect(phone.locator(".opens")).to_be_visible()
        await site.close(phone)


async def test_a_television_that_was_loaded_again_after_a_reveal_says_who_opens(site: Site) -> None:
    screen = await site.page(PHONE)
    serve(screen, ("hello", HELLO), *loaded(after_the_reveal(30)[:2]))
    await screen.goto(f"{ORIGIN}/tv/TABLE2#KEY")
    await expect(screen.get_by_text("Ana opens")).to_be_visible()
    await expect(screen.get_by_text("counted")).to_have_count(0)
