"""The finale of a tournament on a television, from cards alone: there is no bot."""

from random import Random

import pytest
from playwright.async_api import expect

from telegram_bot.features.tournament.draw import draw_tables, going_on
from telegram_bot.features.tournament.notices import FinaleNotice, SeatLine, TableLine
from telegram_bot.notices import GameOverNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.tables.faces import Face
from telegram_bot.tables.result_views import GameOverView
from telegram_bot.tables.views import SeatView
from telegram_bot.words.catalogue import Catalogue, catalogue
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, MEASURING
from tests.telegram_bot.channels.web.stored_pages import EN, ORIGIN, Site
from tests.telegram_bot.channels.web.test_television_as_host import (
    TAKE,
    a_television,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL_TELEVISION = {"width": 1366, "height": 768}
NAMES = ("Ana", "Bartholomew the Great", "Wolfeschlegelsteinhausenbergerdorff", "Dee", "Eve", "Fay", "Gus")
BLUFF = BluffCard(feat=Feat.BLUFF, seat=1, total=25, chance=3, quantity=9, face=4)
TABLE = 7


def finale(people: int) -> FinaleNotice:
    """A tournament in which the first of each table go on, and the first person wins."""
    faces = list(Face)
    rng = Random(1)
    left = [SeatLine(name=f"{NAMES[n % 7]} {n}"[-32:], face=faces[n % len(faces)]) for n in range(people)]
    stages: list[tuple[TableLine, ...]] = []
    places: list[SeatLine] = []
    while len(left) > 1:
        tables = draw_tables(left, rng) if len(left) > 6 else (tuple(left),)
        on = [seats[: going_on(len(seats)) if len(tables) > 1 else 1] for seats in tables]
        out = [seat for seats, lucky in zip(tables, on, strict=True) for seat in seats[len(lucky) :]]
        places = [*out, *places]
        stages.append(
            tuple(
                TableLine(
                    number=number,
                    over=True,
                    seats=tuple(seat.model_copy(update={"goes_on": seat in lucky}) for seat in seats),
                )
                for number, (seats, lucky) in enumerate(zip(tables, on, strict=True), start=1)
            )
        )
        left = [seat for lucky in on for seat in lucky]
    ranked = tuple(seat.model_copy(update={"place": at}) for at, seat in enumerate([*left, *places], start=1))
    return FinaleNotice(
        tournament=1,
        title="Friends",
        winner=ranked[0].name,
        people=people,
        stages=tuple(stages),
        places=ranked,
        bluffer=ranked[1].name,
        bluff=BLUFF,
    )


def the_end(people: int, w: Catalogue = EN) -> Card:
    """The end of the final, with its tournament."""
    whole = finale(people)
    seats = tuple(
        SeatView(player=at, name=seat.name, face=seat.face, place=at)
        for at, seat in enumerate(whole.places[: len(whole.stages[-1][0].seats)], start=1)
    )
    view = GameOverView(table=TABLE, winner=0, seats=seats, rounds=12, again=False)
    return card_of(GameOverNotice(view=view, parts=(whole,), in_group=True), -1, TABLE, w)


async def test_after_the_final_the_screen_shows_the_winner_then_all_faces_and_places(site: Site) -> None:
    for people, size in ((7, LARGE_TELEVISION), (7, SMALL_TELEVISION), (22, SMALL_TELEVISION), (40, SMALL_TELEVISION)):
        page = await a_television(site, size=size, script=MEASURING)
        card = the_end(people)
        await page.evaluate(TAKE, card)
        whole = card["finale"]
        await expect(page.locator(".on-cup .shout")).to_contain_text(whole["title"])
        await page.clock.run_for(6500)
        await expect(page.locator(".finale h2")).to_contain_text(whole["title"])
        await expect(page.locator(".finale .places li")).to_have_count(people)
        assert await page.locator(".stage li").count() == sum(len(t) for s in whole["stages"] for t in s["tables"])
        assert await page.locator(".stage li .face").count() == await page.locator(".stage li").count()
        assert await page.evaluate("[...outside]") == [], people
        text = await page.locator("main").inner_text()
        assert "play again" not in text.lower()
        assert await page.locator("main button, main .qr").count() == 0
        if people == 40:
            await site.without_barrier(page)
        await site.close(page)


END = """
async ([card, language]) => {
  const { SeatPage } = await import("/seat/static/seat_page.js");
  const { loadWords } = await import("/seat/static/words.js");
  await Promise.all([loadWords(language), (await import("/seat/static/features.js")).loaded]);
  document.body.innerHTML = '<div id="page"></div><div id="live"></div>';
  const page = new SeatPage({ enter: async () => {} });
  page.state = { state: "in", title: "Friends", code: "TABLE2", list: null, name: "Bo", player: 1, tables: [] };
  page.info = { qr: ["10", "01"] };
  page.room.hello({ now: Date.now() / 1000, player: 1 });
  page.room.table = card.table;
  page.room.cards.set(card.slot, card);
  page.room.live = true;
  page.draw();
  for (const script of document.querySelectorAll("script")) script.remove();
  return document.documentElement.outerHTML;
}
"""
"""The end of a game on a seat's page."""


@pytest.mark.parametrize(("size", "language"), [((320, 568), "de"), ((375, 553), "fr"), ((360, 640), "it")])
async def test_after_the_final_a_phone_shows_all_places_in_one_list_and_no_way_to_play_again(
    site: Site, size: tuple[int, int], language: str
) -> None:
    w = catalogue(language)
    width, height = size
    page = await site.page({"width": width, "height": height})
    await page.goto(f"{ORIGIN}/t")
    card = the_end(10, w)
    await page.set_content(await page.evaluate(END, [card, language]))
    await expect(page.locator(".trophy + p")).to_contain_text(card["finale"]["title"])
    await expect(page.locator("main .places")).to_have_count(1)
    places = await page.locator(".places li b").all_inner_texts()
    assert list(map(int, places)) == [each["place"] for each in card["finale"]["places"]]
    await expect(page.locator("main .qr, main .actions .primary")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth") == width
