"""Bubbles on the television, and the keys on phones, from cards alone: there is no bot."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from telegram_bot.features.shouts import ShoutNotice, Word
from telegram_bot.features.shouts import page_words as shout_words
from telegram_bot.notices import LobbyNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.views import lobby_view
from telegram_bot.words.page import page_words
from tests.end_to_end.test_web_seat_in_the_browser import MEASURING, OUT_OF_REACH, without_findings
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, ROOM, Site, answers, asked, serve
from tests.telegram_bot.channels.web.test_television_as_host import (
    a_table,
    a_television,
    reveal_card,
    take,
    the_end,
    the_round,
)
from tests.telegram_bot.conftest import EN, lobby_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONES = [{"width": 375, "height": 553}, {"width": 360, "height": 640}]


def lobby_card(table: int) -> Card:
    return card_of(LobbyNotice(view=lobby_view(lobby_table(3))), -1, table, EN)


def shout(**fields: Any) -> Card:
    return card_of(ShoutNotice(**fields), -1, 7, EN)


@pytest.mark.parametrize("people", [2, 6])
async def test_a_bubble_stays_four_seconds_at_its_players_seat_or_on_the_felt(site: Site, people: int) -> None:
    page = await a_television(site, the_round(a_table(people)), script=MEASURING)
    await take(page, shout(player=2, name="Bo", word=Word.NO_WAY))
    bubble = page.locator(".seat", has_text="Bo").locator(".shouted")
    await expect(bubble).to_have_text("No way!")
    await take(page, shout(player=1, name="Ana", text="5 x 4"))
    await expect(page.locator(".seat", has_text="Ana").locator(".shouted")).to_have_text("5 x 4")
    assert await page.evaluate("[...outside]") == []
    await page.clock.run_for(3900)
    await expect(bubble).to_be_visible()
    await page.clock.run_for(200)
    await expect(page.locator(".shouted")).to_have_count(0)
    await take(page, shout(player=99, name="Zoe", word=Word.BRAVO))
    await expect(page.locator(".felt .shouted")).to_have_text("Zoe: Bravo!")
    assert await page.evaluate("[...outside]") == []


async def test_the_sign_of_a_shout_flies_over_the_table_in_200_pixels_and_words_by_text_do_not(site: Site) -> None:
    page = await a_television(site, the_round(a_table()), shout(player=2, name="Bo", text="5 x 4"))
    await expect(page.locator(".shouted")).to_have_text("5 x 4")
    await expect(page.locator(".flying")).to_have_count(0)
    await take(page, shout(player=3, name="Cy", word=Word.NO_WAY))
    await expect(page.locator(".flying")).to_have_text("😱")
    size = "() => parseFloat(getComputedStyle(document.querySelector('.flying')).fontSize)"
    assert await page.evaluate(size) >= 200
    await page.clock.run_for(2500)
    await expect(page.locator(".flying")).to_have_count(0)
    await expect(page.locator(".seat", has_text="Cy").locator(".shouted")).to_be_visible()


async def test_a_shout_in_the_lobby_has_its_sign_and_its_bubble_too(site: Site) -> None:
    lobby = lobby_card(7)
    page = await a_television(site, lobby, calm=True, script=MEASURING)
    first = lobby["seats"][0]
    await take(page, shout(player=first["player"], name=first["name"], word=Word.GOOD_LUCK))
    await expect(page.locator(".people li", has_text=first["name"]).locator(".shouted")).to_have_text("Good luck!")
    await expect(page.locator(".flying")).to_have_text("🍀")
    assert await page.evaluate("[...outside]") == []


async def test_a_shout_does_not_wait_for_the_dice(site: Site) -> None:
    view, after = the_end(a_table(), "dudo")
    page = await a_television(site, the_round(a_table()), reveal_card(view), after)
    await page.clock.run_for(2500)
    assert await page.locator(".die.back").count() > 0
    await take(page, shout(player=2, name="Bo", word=Word.LIAR))
    await expect(page.locator(".seat", has_text="Bo").locator(".shouted")).to_have_text("Liar!")
    assert await page.locator(".die.back").count() > 0, "it shows nothing of the dice"


async def a_phone(
    site: Site, size: dict[str, int], player: int, *cards: Card, screen: bool = True
) -> tuple[Page, list[Any]]:
    """A phone in a room with a television, and the acts that it sends."""
    phone, hello = await site.page(size), ("hello", HELLO | {"player": player})
    answers(phone, "room", ROOM | {"host": player == 1})
    answers(phone, "words", {**page_words(EN), **shout_words(EN)})
    serve(phone, hello, ("door", {"screen": screen}), *(("card", card) for card in cards))
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")
    return phone, asked(phone)


async def test_a_phone_shouts_with_one_tap_and_without_scrolling(site: Site) -> None:
    phone, sent = await a_phone(site, PHONES[0], 3, the_round(a_table(6)))
    keys = phone.get_by_role("group", name="Shout on the television")
    for size in PHONES:
        await phone.set_viewport_size(size)  # type: ignore[arg-type] # a TypedDict
        assert await phone.evaluate(OUT_OF_REACH, ".shouts button") == [], size
    for name, word in (("Bravo!", "bravo"), ("Hurry up!", "hurry")):
        async with phone.expect_response("**/seat/act"):
            await keys.get_by_role("button", name=name).click()
        assert (sent[-1]["act"], sent[-1]["word"]) == ("shout", word)
    await expect(keys.get_by_role("button")).to_have_count(6)
    await without_findings(phone)


async def test_a_phone_shouts_in_the_lobby(site: Site) -> None:
    phone, sent = await a_phone(site, {"width": 320, "height": 568}, 1, lobby_card(7))
    await phone.get_by_text("👏").first.click()
    keys = phone.locator(".shouts button")
    await expect(keys).to_have_count(7)
    assert min(await keys.evaluate_all("keys => keys.map((key) => key.offsetWidth)")) >= 44
    async with phone.expect_response("**/seat/act"):
        await phone.get_by_role("button", name="Good luck!").click()
    assert (sent[-1]["act"], sent[-1]["word"]) == ("shout", "good_luck")
    await without_findings(phone)


async def test_the_host_has_a_key_that_mutes_all(site: Site) -> None:
    phone, sent = await a_phone(site, PHONES[1], 1, {**the_round(a_table()), "turn": 2})
    async with phone.expect_response("**/seat/act"):
        await phone.get_by_role("button", name="Mute shouts").click()
    assert (sent[-1]["act"], sent[-1]["muted"]) == ("mute_shouts", True)
    muted, sent = await a_phone(site, PHONES[1], 1, {**the_round(a_table()), "turn": 2}, shout(muted=True))
    async with muted.expect_response("**/seat/act"):
        await muted.get_by_role("button", name="Mute shouts", pressed=True).click()
    await expect(muted.get_by_role("button", name="Bravo!")).to_have_count(0)
    assert (sent[-1]["act"], sent[-1]["muted"]) == ("mute_shouts", False)


async def test_there_are_no_keys_without_a_television_and_none_for_the_player_on_turn(site: Site) -> None:
    for player, screen, shown in ((3, False, "It's Bo's turn."), (2, True, "Your turn")):
        phone, _ = await a_phone(site, PHONES[0], player, the_round(a_table()), screen=screen)
        await expect(phone.get_by_text(shown).first).to_be_visible()
        await expect(phone.get_by_role("button", name="Bravo!")).to_have_count(0)
