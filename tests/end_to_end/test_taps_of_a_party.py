"""How many taps a party takes, and that no guest waits."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from test_support.chromium import AT_ONCE
from tests.end_to_end.conftest import OpenWorld
from tests.end_to_end.test_web_seat_in_the_browser import (
    TELEVISION,
    a_bot_with_pages,
    a_page,
    whose,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONE = {"width": 390, "height": 664}
SCANNED_LINK = """
async () => {
  const headers = { "Content-Type": "application/json" };
  const room = await fetch("/seat/room", { method: "POST", headers, body: JSON.stringify({ do: "show" }) });
  return (await room.json()).link;
}
"""
"""The link in the QR code that the television of a party shows."""
MOST_TAPS_OF_A_HOST = 5
"""To the first bid, with the cup and the bid, which the opener taps."""
MOST_TAPS_OF_A_GUEST = 2


class Taps:
    """A person who taps one phone; typing is no tap."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.made: list[str] = []

    async def tap(self, what: Locator) -> None:
        await what.click()
        self.made.append(str(what))

    async def type_name(self, name: str) -> None:
        await self.tap(self.page.get_by_label("Your name"))
        await self.page.keyboard.type(name)


async def test_a_host_makes_five_taps_to_the_first_bid_and_a_guest_two_to_a_seat_without_a_wait(
    open_world: OpenWorld, tmp_path: Path, browser: Browser
) -> None:
    async with a_bot_with_pages(open_world, tmp_path) as (_, address):
        screen, phone, other = [await a_page(browser, size) for size in (TELEVISION, PHONE, PHONE)]
        host, guest = Taps(phone), Taps(other)
        await screen.goto(f"{address}/tv")
        letters = await screen.get_by_label("The letters on the television").text_content()
        await phone.goto(f"{address}/t#tv={letters}")
        await host.type_name("Ana")
        await host.tap(phone.get_by_role("button", name="Open a table"))
        await expect(screen.get_by_text("At the table: 1 of 6")).to_be_visible()
        await other.goto(await phone.evaluate(SCANNED_LINK))
        await guest.type_name("Bo")
        await guest.tap(other.get_by_role("button", name="Come in"))
        await expect(screen.get_by_text("At the table: 2 of 6")).to_be_visible()
        await host.tap(phone.get_by_role("button", name="Start"))
        await phone.evaluate(AT_ONCE)
        opens = await whose("Bid ", phone, other)
        opener = Taps(opens)
        await opener.tap(opens.locator(".cup"))
        await opener.tap(opens.get_by_role("button", name="Bid "))
        await expect(screen.locator(".said")).to_be_visible()
        assert len(host.made) + len(opener.made) <= MOST_TAPS_OF_A_HOST, host.made
        assert len(guest.made) <= MOST_TAPS_OF_A_GUEST, guest.made
