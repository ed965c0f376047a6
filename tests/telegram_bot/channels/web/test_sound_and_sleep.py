"""Sound after a call on an iPhone, and a television whose browser may put its screen to sleep."""

import pytest
from playwright.async_api import Page, expect

from telegram_bot.notices import LobbyNotice
from telegram_bot.presentation.cards import card_of
from telegram_bot.tables.views import lobby_view
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, PHONE
from tests.telegram_bot.channels.web.stored_pages import EN, HELLO, ORIGIN, Site, serve
from tests.telegram_bot.conftest import lobby_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOBBY = card_of(LobbyNotice(view=lobby_view(lobby_table(3))), -1, 7, EN)
AN_IPHONE = """
localStorage.setItem("perudo-sound", "on");
window.resumed = 0;
class Sound extends AudioContext {
  get state() { return window.interrupted ? "interrupted" : "running"; }
  resume() { resumed += 1; window.interrupted = false; }
}
delete window.AudioContext;
window.webkitAudioContext = Sound;
"""
"""Sound by the old name, which a call interrupts."""
COUNTED = """
window.locks = 0;
class Lock extends EventTarget {
  async release() {
    locks -= 1;
    this.dispatchEvent(new Event("release"));
  }
}
const request = async () => {
  locks += 1;
  return new Lock();
};
Object.defineProperty(navigator, "wakeLock", { value: { request } });
"""
"""A browser that keeps the screen awake, and counts how often it has to."""
AWAKE = "Object.defineProperty(navigator, 'wakeLock', { value: { request: async () => new EventTarget() } });"
MAY_SLEEP = "This screen may fall asleep during the game. Turn off its screen saver."


async def test_sound_comes_back_with_the_first_tap_after_a_call(site: Site) -> None:
    phone = await site.page(PHONE, script=AN_IPHONE)
    await phone.goto(f"{ORIGIN}/t")
    await phone.evaluate("import('/seat/static/sound.js').then(({ play }) => play('turn'))")
    assert await phone.evaluate("resumed") == 0
    await phone.evaluate("window.interrupted = true")
    await phone.mouse.click(10, 10)
    assert await phone.evaluate("resumed") == 1


async def a_television(site: Site, script: str) -> Page:
    screen = await site.page(LARGE_TELEVISION, script=script)
    serve(screen, ("hello", HELLO), ("card", LOBBY))
    await screen.goto(f"{ORIGIN}/tv/TABLE2#KEY")
    await expect(screen.get_by_text("At the table: 3 of 6")).to_be_visible()
    return screen


@pytest.mark.parametrize("script", ["", AWAKE])
async def test_a_television_says_before_a_game_that_its_screen_may_fall_asleep(site: Site, script: str) -> None:
    screen = await a_television(site, script)
    await expect(screen.get_by_text(MAY_SLEEP)).to_have_count(0 if script else 1)


async def test_a_television_that_is_loaded_again_with_sound_on_asks_for_a_press_until_there_was_one(site: Site) -> None:
    screen = await a_television(site, 'localStorage.setItem("perudo-sound", "on");')
    prompt = screen.get_by_role("button", name="Turn the sound on")
    await expect(prompt).to_be_visible()
    await screen.get_by_text("At the table: 3 of 6").click()
    await expect(prompt).to_have_count(0)
    await expect(screen.get_by_role("button", name="Sound", pressed=True)).to_be_visible()


@pytest.mark.parametrize(("player", "locks"), [(1, 1), (None, 0)])
async def test_a_phone_stays_awake_for_its_players_game_alone(site: Site, player: int | None, locks: int) -> None:
    phone = await site.page(PHONE, script=COUNTED, clock=True)
    serve(phone, ("hello", HELLO | {"player": player}), ("card", LOBBY))
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    await expect(phone.get_by_text("Ana").first).to_be_visible()
    await phone.clock.run_for(3000)
    assert await phone.evaluate("locks") == locks
    await phone.evaluate("import('/seat/static/guest.js').then(({ page }) => { page.state = null; })")
    await phone.clock.run_for(3000)
    assert await phone.evaluate("locks") == 0
