"""Ghosts on a television and on the phones of readers without dice, from cards alone: there is no bot."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from telegram_bot.features.predictions.notices import Ghost, GhostsNotice, Guesser, GuessersNotice, TwistOfferNotice
from telegram_bot.features.predictions.notices import page_words as ghost_words
from telegram_bot.notices import GameOverNotice, LobbyNotice, RevealNotice, call_notice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables import play
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import TWIST, TWIST_BY
from telegram_bot.tables.model import Table
from telegram_bot.tables.result_views import game_over_view
from telegram_bot.tables.views import lobby_view
from telegram_bot.words.page import page_catalogue, page_words
from tests.end_to_end.test_web_seat_in_the_browser import MEASURING, OUT_OF_REACH, boxes, without_findings
from tests.telegram_bot.channels.web import test_television_as_host as tv
from tests.telegram_bot.channels.web.stored_pages import HELLO, ORIGIN, ROOM, Site, answers, asked, serve
from tests.telegram_bot.channels.web.test_television_as_host import a_table, a_television, take, the_end, the_round
from tests.telegram_bot.conftest import EN, at, lobby_table, parse, running_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONES = [{"width": 320, "height": 568}, {"width": 375, "height": 553}, {"width": 360, "height": 640}]
SHOWN_MS = tv.CALL_MS + tv.DRUM_MS + 6000
GHOSTS = GhostsNotice(
    knew=2,
    guessed=3,
    ghosts=(
        Ghost(player=7, name="Dee", face=Face.FROG, right=True, streak=3, haunts=0, haunted="Ana"),
        Ghost(player=8, name="Eve", face=Face.LION, right=True),
        Ghost(player=9, name="Fay", face=Face.PANDA, right=False),
    ),
)
WRONG = GhostsNotice(knew=0, guessed=1, ghosts=(Ghost(player=7, name="Dee", face=Face.FROG, right=False),))
KNEW, HAUNTS = "👻 2 of 3 ghosts knew.", "👻 Three right in a row: Dee haunts Ana!"
COVERED = """
() => {
  const over = document.querySelector(".ghosts").getBoundingClientRect();
  return [...document.querySelectorAll(".loud, .score, .pile, .seat .name, .seat .row")].filter((part) => {
    const { left, top, right, bottom } = part.getBoundingClientRect();
    return left < over.right && right > over.left && top < over.bottom && bottom > over.top;
  }).map((part) => part.outerHTML);
}
"""
"""The words and dice of the television that the ghosts cover."""


def the_reveal(table: Table, ghosts: GhostsNotice) -> tuple[Card, Card, Card]:
    """The call, the dice with the ghosts, and the next round."""
    view, after = the_end(table, "dudo")
    call = call_notice(view)
    assert call is not None
    return card_of(call, -1, table.id, EN), card_of(RevealNotice(view=view, parts=(ghosts,)), -1, table.id, EN), after


async def hidden_looks(page: Page, ghosts: str, more: str = ".no-such") -> int:
    """How often the television shows closed dice and no ghosts; each time without `more`, until the dice are shown."""
    looks = 0
    while await page.locator(".die.back").count() or not await page.locator(".table").count():
        assert await page.locator(ghosts).count() == await page.locator(more).count()
        looks += 1
        await page.clock.run_for(600)
    await page.clock.run_for(300)
    return looks


@pytest.mark.parametrize("people", [3, 6])
async def test_the_television_shows_ghosts_after_the_last_die_alone(site: Site, people: int) -> None:
    table = a_table(people)
    page = await a_television(site, the_round(table), *the_reveal(table, GHOSTS), script=MEASURING)
    assert await hidden_looks(page, ".ghost") > 5
    assert await page.evaluate(COVERED) == []
    await expect(page.locator(".ghosts")).to_contain_text(KNEW)
    await expect(page.locator(".ghosts")).to_contain_text(HAUNTS)
    assert await page.locator(".bench .state").all_inner_texts() == ["✅", "✅"]
    await expect(page.locator(".seat", has_text="Ana").get_by_role("img", name="👻 Dee")).to_be_visible()
    await page.clock.run_for(SHOWN_MS)
    await expect(page.locator(".bench .ghost")).to_have_count(3)
    await expect(page.locator(".ghosts")).to_have_count(0)
    await expect(page.locator(".bench li", has_text="Dee")).to_contain_text("🔥 3")
    await expect(page.locator(".haunting .ghost")).to_have_count(1)
    assert await page.evaluate("[...outside]") == []
    call, reveal, _ = the_reveal(table, WRONG)
    await take(page, {**call, "round": 2}, {**reveal, "round": 2})
    await hidden_looks(page, ".haunting", ".table")
    await expect(page.locator(".ghosts")).to_contain_text("👻 The ghost was wrong.")
    await expect(page.locator(".haunting")).to_have_count(0)
    await site.without_barrier(page)


CUT = """
() => [...document.querySelectorAll(".ghosts p")]
  .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.innerText)
"""


async def test_long_sentences_about_ghosts_and_a_loser_are_whole_on_the_television(site: Site) -> None:
    w, table = page_catalogue("de"), a_table(6).with_seat(1, name="Bartholomew")
    reveal = card_of(RevealNotice(view=the_end(table, "dudo")[0], parts=(GHOSTS,)), -1, table.id, w)
    page = await a_television(site, the_round(table), reveal, calm=True)
    while not await page.locator(".verdict").count():
        await page.clock.run_for(300)
    await expect(page.locator(".reveal")).to_contain_text("Bartholomew verliert einen Würfel.")
    assert await page.evaluate(CUT) == []
    assert await page.evaluate(COVERED) == []


async def test_ghosts_sit_on_a_bench_in_100_pixels_with_a_sign_as_they_guess(site: Site) -> None:
    table = a_table(6)
    card = the_round(table)
    card["seats"][1] |= {"out": True, "dice": 0, "face": Face.PANDA.sign}
    card["seats"][2] |= {"out": True, "dice": 0, "computer": {"level": "regular"}}
    page = await a_television(site, card, script=MEASURING)
    await expect(page.locator(".bench li")).to_have_count(1)
    await expect(page.locator(".bench").get_by_role("img", name="👻 Bo")).to_be_visible()
    await take(page, {**card, "acts": []})
    await expect(page.locator(".bench")).to_have_count(0)  # the host has turned ghosts off
    await take(page, card)
    await expect(page.locator(".bench .state")).to_have_count(0)
    bo, late = Guesser(player=2, name="Bo", face=Face.PANDA), Guesser(player=77, name="Zoe", face=Face.LION)
    await take(page, card_of(GuessersNotice(round=card["round"], guessed=(bo, late)), -1, table.id, EN))
    await expect(page.locator(".bench li")).to_have_count(2)
    assert await page.locator(".bench .state").all_inner_texts() == ["🗳", "🗳"]
    assert min(await page.locator(".bench .ghost").evaluate_all("all => all.map((face) => face.offsetWidth)")) >= 100
    assert await page.evaluate("[...outside]") == []
    await take(page, {**card, "round": card["round"] + 1})
    await expect(page.locator(".bench .state")).to_have_count(0)


async def test_a_ghost_who_plays_on_for_another_has_left_the_bench(site: Site) -> None:
    _, reveal, after = the_reveal(a_table().with_seat(1, player=GHOSTS.ghosts[0].player), GHOSTS)
    page = await a_television(site, reveal, after)
    await page.clock.run_for(2 * SHOWN_MS)
    assert await page.locator(".bench bdi").all_inner_texts() == ["Eve", "Fay"]


async def a_phone(
    site: Site, size: dict[str, int], player: int, *cards: Card, has_screen: bool = False
) -> tuple[Page, list[dict[str, Any]]]:
    """A phone with these cards, perhaps below a television, and the acts that it sends."""
    phone = await site.page(size)
    answers(phone, "words", {**page_words(EN), **ghost_words(EN)})
    answers(phone, "act", {"done": True, "text": "👻 Noted."})
    await a_stream(phone, player, *cards, has_screen=has_screen)
    return phone, asked(phone)


async def a_stream(phone: Page, player: int, *cards: Card, has_screen: bool = False) -> None:
    door = ("door", {"screen": has_screen, "gone": [], "claims": 0})
    serve(phone, ("hello", HELLO | {"player": player}), *(("card", card) for card in cards), door)
    await phone.goto("about:blank")
    await phone.goto(f"{ORIGIN}/t/TABLE2#KEY")


async def test_a_phone_without_dice_guesses_with_three_keys_at_its_bottom_and_reads_their_worth(site: Site) -> None:
    table = a_table(6)
    _, reveal, _ = the_reveal(table, GHOSTS)
    phone, sent = await a_phone(site, PHONES[0], 99, reveal, {**the_round(table), "round": 2})
    await expect(phone.get_by_text("Is the bid a bluff, exact, or are there more?")).to_be_visible()
    await expect(phone.get_by_text("Three right guesses in a row, and you haunt a player.")).to_be_visible()
    for name, guess in (("Bluff", "bluff"), ("More", "more")):
        key = phone.get_by_role("button", name=name, exact=True)
        for size in PHONES:
            await phone.set_viewport_size(size)  # type: ignore[arg-type] # a TypedDict
            box = await key.bounding_box()
            assert box is not None
            assert size["height"] / 2 <= box["y"] <= size["height"] - box["height"] <= size["height"] - 64, size
        await key.click()
        await expect(phone.get_by_role("button", name=name, exact=True, pressed=True)).to_be_visible()
        await expect(phone.get_by_role("status").get_by_text("👻 Noted.")).to_be_visible()
        await expect(phone.locator(".toasts")).not_to_contain_text("👻")
        assert (sent[-1]["act"], sent[-1]["guess"], sent[-1]["step"]) == ("guess", guess, 1)
    await expect(phone.get_by_role("button", pressed=True, name="Bluff")).to_have_count(0)
    await expect(phone.locator(".seat", has_text="Ana").locator(".haunting")).to_be_visible()
    await without_findings(phone)


async def test_a_phone_reads_how_many_knew_below_the_result(site: Site) -> None:
    _, reveal, after = the_reveal(a_table(), GHOSTS)
    phone, _ = await a_phone(site, PHONES[0], 9, reveal, after)
    for told in (KNEW, HAUNTS):
        await expect(phone.get_by_text(told)).to_be_visible()
    await without_findings(phone)


async def test_below_a_television_each_key_of_a_ghost_is_whole_and_as_wide_as_a_thumb(site: Site) -> None:
    phone, _ = await a_phone(site, PHONES[0], 99, {**the_round(a_table(6)), "round": 2}, has_screen=True)
    keys = phone.locator(".looks-up .ghost-box button")
    await expect(keys).to_have_count(3)
    for size in PHONES:
        await phone.set_viewport_size(size)  # type: ignore[arg-type] # a TypedDict
        assert await phone.evaluate(OUT_OF_REACH, ".ghost-box button, .shouts button") == [], size
        assert min(await keys.evaluate_all("keys => keys.map((key) => key.getBoundingClientRect().width)")) >= 80


async def test_a_player_with_dice_has_no_keys_and_a_player_who_is_out_has_them(site: Site) -> None:
    card, no_bid = the_round(a_table()), the_round(running_table("22", "33", "44"))
    out = {"out": True, "dice": 0}
    phone, _ = await a_phone(site, PHONES[1], 2, card)
    exact = phone.get_by_role("button", name="Exact")
    await expect(phone.get_by_role("button", name="Dudo!")).to_be_visible()
    await expect(exact).to_have_count(0)
    for shown, keys in ((card, 1), (no_bid, 0)):
        shown["seats"][1] |= out
        await a_stream(phone, 2, shown)
        await expect(phone.get_by_text("You can guess as soon as there's a bid.")).to_have_count(1 - keys)
        await expect(exact).to_have_count(keys)


def a_lobby_with_a_twist(people: int) -> tuple[Table, Card]:
    table = lobby_table(people)
    rules = table.rules.with_options(first_out_wins=True)
    table = table.replace(rules=rules, options={TWIST: "first_out_wins", TWIST_BY: str(table.seats[1].player)})
    return table, card_of(LobbyNotice(view=lobby_view(table), numbers=("+44 7700 900123",)), -1, table.id, EN)


async def test_a_lobby_on_the_television_says_a_ghosts_twist_until_the_host_refuses_it(site: Site) -> None:
    _, card = a_lobby_with_a_twist(5)
    television = await a_television(site, card, room=ROOM)
    await expect(television.locator(".hall .qr")).to_be_visible()
    await expect(television.locator(".felt .twist")).to_contain_text("Bo's twist: the first player without dice wins")
    said, felt = await boxes(television, ".twist", ".felt")
    assert said["bottom"] < felt["bottom"]
    await take(television, {**card, "acts": []})
    await expect(television.locator(".twist")).to_have_count(0)


async def test_a_lobby_with_a_ghosts_twist_says_it_and_its_host_refuses_with_one_key(site: Site) -> None:
    table, card = a_lobby_with_a_twist(3)
    host, sent = await a_phone(site, PHONES[0], table.host, card)
    said = "Bo's twist: the first player without dice wins"
    await expect(host.locator(".twist")).to_contain_text(said)
    start, twist, others = await boxes(host, ".lobby > .actions", ".lobby > .twist", ".lobby > .box")
    assert start["bottom"] <= twist["top"] < twist["bottom"] <= others["top"], "a host who starts has read it"
    await host.get_by_role("button", name="Without the twist").click()
    await expect(host.locator(".toasts")).to_contain_text("👻")
    assert [one["act"] for one in sent] == ["no_twist"]
    await without_findings(host)
    guest, _ = await a_phone(site, PHONES[0], table.seats[1].player, card)
    await expect(guest.locator(".twist")).to_contain_text(said)
    await expect(guest.get_by_role("button", name="Without the twist")).to_have_count(0)


async def test_the_best_ghost_chooses_a_twist_below_the_end_of_the_game(site: Site) -> None:
    table = running_table("22345", "3", opener=1, calls="1x6")
    offer = TwistOfferNotice(table=table.id, title="Friends", right=3, twists=("first_out_wins", "starting_dice"))
    step = play.make_call(table, parse(table, "dudo"), step=table.step, moment=at())
    view = game_over_view(step.table, step.game_events)
    assert view is not None
    over = card_of(GameOverNotice(view=view), -1, table.id, EN)
    phone, sent = await a_phone(site, PHONES[0], 99, over, card_of(offer, 99, table.id, EN))
    await expect(phone.locator(".twist")).not_to_contain_text("Friends")
    offered = await phone.locator(".twist").bounding_box()
    others = [await each.bounding_box() for each in await phone.locator(".moments > :not(.twist)").all()]
    assert offered is not None
    assert all(each is None or each["y"] > offered["y"] for each in others), "before the story, which may be long"
    async with phone.expect_response("**/seat/act"):
        await phone.get_by_role("button", name="First out wins").click()
    assert (sent[-1]["act"], sent[-1]["game"], sent[-1]["twist"]) == ("twist", table.id, "first_out_wins")
    await without_findings(phone)
    earlier = offer.model_copy(update={"table": table.id - 1, "is_chosen": True})
    later, _ = await a_phone(site, PHONES[0], 99, over, card_of(earlier, 99, table.id - 1, EN))
    await expect(later.get_by_role("button", name="Play again")).to_be_visible()
    await expect(later.locator(".twist")).to_have_count(0)
