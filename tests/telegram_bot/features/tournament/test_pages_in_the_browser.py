"""The tournament on pages, from cards alone: a television from the draw to the finale, and phones. There is no bot."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from playwright.async_api import expect

from telegram_bot.features.tournament import notices
from telegram_bot.features.tournament.draw import MOST, draw_tables, going_on
from telegram_bot.features.tournament.notices import Phase, SeatLine, TableLine
from telegram_bot.notices import GameOverNotice, LobbyNotice
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.tables.faces import Face
from telegram_bot.tables.result_views import GameOverView
from telegram_bot.tables.views import SeatView, TableView, lobby_view, table_view
from telegram_bot.words.catalogue import Catalogue, catalogue
from tests.end_to_end import test_web_seat_in_the_browser as browser
from tests.end_to_end.test_web_seat_in_the_browser import LARGE_TELEVISION, MEASURING, TELEVISION
from tests.telegram_bot.channels.web.stored_pages import ORIGIN, Site
from tests.telegram_bot.channels.web.test_television_as_host import a_television, take, the_end, the_round
from tests.telegram_bot.conftest import EN, lobby_table, running_table

pytestmark = pytest.mark.asyncio(loop_scope="session")

LATER = 10**6
"""The number of a table that begins after every table of the television's group."""
LIST = notices.TournamentNotice(
    tournament=1, phase=Phase.OPEN, rules=lobby_table(2).rules, names=("Ana",), players=(8,), code="LIST34"
)
LINK = {"link": f"{ORIGIN}/t/LIST34#KEY", "qr": ["10", "01"]}
ROOM = LINK | {"asking": [], "list": LINK | {"code": "LIST34"}}
BLUFF = BluffCard(feat=Feat.BLUFF, seat=1, total=25, chance=3, quantity=9, face=4)
SMALL_TELEVISION = {"width": 1366, "height": 768}
NAMES = ("Ana", "Bartholomew the Great", "Wolfeschlegelsteinhausenbergerdorff", "Dee", "Eve", "Fay")


def a_table(number: int, seats: int, *, over: bool = False, dice: Sequence[int] = (5, 4, 3, 2, 1, 0)) -> TableLine:
    """A table of a stage, where half of the players go on."""
    on = (seats + 1) // 2
    people = tuple(
        SeatLine(name=f"{NAMES[seat]} {number}", face=list(Face)[seat], dice=dice[seat], goes_on=over and seat < on)
        for seat in range(seats)
    )
    return TableLine(number=number, seats=people, over=over, going_on=on)


def at_first(tables: int, seats: int) -> list[TableLine]:
    return [a_table(number, seats, dice=(5,) * seats) for number in range(1, tables + 1)]


def the_list(*, table: int | None = LATER, **fields: Any) -> Card:
    return card_of(LIST.model_copy(update=fields), -1, table, EN)


def a_stage(stage: int = 1, *tables: TableLine, table: int | None = None, late: tuple[str, ...] | None = None) -> Card:
    tables = tables or tuple(at_first(2, 5))
    return the_list(table=table, phase=Phase.TABLES, stage=stage, tables=tables, late=late)


@pytest.mark.parametrize("size", [TELEVISION, LARGE_TELEVISION], ids=["1280", "1920"])
async def test_the_draw_fills_all_tables_one_by_one_for_ten_seconds(site: Site, size: dict[str, int]) -> None:
    page = await a_television(site, size=size, script=MEASURING)
    for stage, (tables, seats) in enumerate([(2, 6), (3, 6), (4, 6), (6, 6), (8, 5)], start=1):
        await page.evaluate("outside.clear()")
        await take(page, a_stage(stage, *at_first(tables, seats)))
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


async def test_a_stage_is_drawn_once_and_the_finalists_are_called_before_the_final(site: Site) -> None:
    late = await a_television(site, a_stage(1, a_table(1, 5), a_table(2, 5)))
    await expect(late.locator(".bracket")).to_be_visible()
    await expect(late.locator("header")).to_contain_text("Tournament, stage 1")
    page = await a_television(site, a_stage(), script=MEASURING)
    await page.clock.run_for(10_500)
    await take(page, a_stage())
    await expect(page.locator(".draw")).to_have_count(0)
    await take(page, a_stage(2))
    await expect(page.locator(".draw")).to_be_visible()
    await page.clock.run_for(10_500)
    finalists = tuple(SeatLine(name=name, face=face) for name, face in zip(NAMES, Face, strict=False))
    await take(page, the_list(table=None, phase=Phase.FINAL, stage=2, names=NAMES, finalists=finalists))
    await expect(page.get_by_role("heading", name="The grand final")).to_be_visible()
    await page.clock.run_for(7000)
    await expect(page.locator(".finalists li:not(.undrawn)")).to_have_count(len(NAMES))
    await expect(page.locator(".finalists .face")).to_have_count(len(NAMES))
    assert await page.evaluate("[...outside]") == []
    await page.clock.run_for(3300)
    await expect(page.locator(".draw")).to_have_count(0)
    await expect(page.get_by_text("🏆 The grand final").first).to_be_visible()


def televised(number: int, view: TableView, table: int) -> Card:
    return card_of(notices.TelevisedRoundNotice(number=number, view=view), -1, table, EN)


@pytest.mark.parametrize("size", [TELEVISION, LARGE_TELEVISION], ids=["1280", "1920"])
async def test_all_tables_of_a_stage_fit_next_to_the_large_table(site: Site, size: dict[str, int]) -> None:
    page = await a_television(site, size=size, script=MEASURING, calm=True, room=ROOM)
    a_large_table = running_table("112", "34", "556", "222", "4", "6", calls="2x3")
    for seat, name in enumerate(NAMES):
        a_large_table = a_large_table.with_seat(seat, name=name)
    for stage, (tables, seats, over) in enumerate([(2, 5, 0), (3, 6, 1), (4, 6, 2), (7, 6, 3), (8, 5, 7)], start=1):
        lines = tuple(a_table(number, seats, over=number <= over) for number in range(1, tables + 1))
        large = a_large_table.replace(id=LATER + stage)
        reveal, _ = the_end(large, "dudo")
        await page.evaluate("outside.clear()")
        await take(
            page,
            a_stage(stage, *lines, late=None if over else ("Zed",)),
            televised(tables, table_view(large), large.id),
        )
        await page.clock.run_for(3500)  # the draw
        await expect(page.locator(".bracket .large")).to_contain_text(f"Table {tables}")
        await take(page, card_of(notices.TelevisedRevealNotice(number=tables, view=reveal), -1, large.id, EN))
        await page.clock.run_for(1300)
        await expect(page.locator(".table .die").first).to_be_visible()
        await expect(page.locator(".bracket .tables > .felt")).to_have_count(tables)
        on = (seats + 1) // 2
        await expect(page.locator(".next .face:not(:empty)")).to_have_count(over * on)
        await expect(page.locator(".next .face")).to_have_count(tables * on)
        title = "The grand final" if tables * on <= 6 else f"Tournament, stage {stage + 1}"
        await expect(page.locator(".next h3")).to_have_text(title)
        assert await page.evaluate("[...outside]") == [], stage
        await expect(page.locator(".bracket .code")).to_have_count(0 if over else 1)
        parts = ".bracket .felt, .bracket aside, .next, .table .felt, .table .seat"
        assert await page.evaluate(browser.OVERLAPS, parts) == [], stage
        assert await page.evaluate(browser.OVERLAPS, ".bracket h3, .bracket li") == [], stage
        await page.clock.run_for(20_000)  # the end of the reveal


@pytest.mark.parametrize("size", [TELEVISION, LARGE_TELEVISION], ids=["1280", "1920"])
async def test_the_list_fills_the_television_with_the_faces_of_all_who_join(site: Site, size: dict[str, int]) -> None:
    page = await a_television(site, size=size, script=MEASURING, calm=True, room=ROOM)
    for people in (1, 10, 20, MOST):
        names = tuple(f"{NAMES[number % 6]} {number}" for number in range(people))
        faces = tuple(list(Face)[number % len(Face)] for number in range(people))
        await page.evaluate("outside.clear()")
        await take(page, the_list(names=names, faces=faces, host=names[0]))
        await expect(page.locator(".panel .people li")).to_have_count(people)
        await expect(page.locator(".panel .people .face").first).to_have_text(faces[0].sign)
        await expect(page.locator(".panel .felt > p").get_by_text(f"/{MOST}")).to_have_count(0)
        assert await page.evaluate("[...outside]") == [], people
        assert await page.evaluate(browser.OVERLAPS, ".panel .people li, .panel .felt > p, .panel aside") == [], people


async def test_a_tournament_has_the_television_while_its_tables_play_though_a_game_runs_here(
    site: Site,
) -> None:
    page = await a_television(site, the_list(), size=TELEVISION, calm=True)
    own = running_table("112", "34", calls="2x3").replace(id=LATER).with_seat(0, name="Zoe")
    zoe = page.locator("#page").get_by_text("Zoe")
    other = televised(2, table_view(running_table("55", "66", calls="1x2").replace(id=LATER + 1)), LATER)
    title, felt = await browser.boxes(page, ".panel > h2", ".panel > .felt")
    assert felt["top"] - title["bottom"] < TELEVISION["height"] / 10, "the list is below its title"
    await take(page, the_round(own))
    await expect(zoe.first).to_be_visible()
    await take(page, a_stage(1, a_table(1, 2), a_table(2, 2), table=LATER), other)
    await page.clock.run_for(3500)
    await expect(page.get_by_text("Tournament, stage 1 · Table 2")).to_be_visible()
    await take(page, the_round(own))
    await expect(zoe).to_have_count(0)
    await take(page, the_list(phase=Phase.FINAL_WAITS, names=("Ana", "Bo")))
    await expect(zoe.first).to_be_visible()


async def test_the_final_asks_nobody_on_the_television_to_join(site: Site) -> None:
    lobby = card_of(LobbyNotice(view=lobby_view(lobby_table(2))), -1, 7, EN)
    final = the_round(running_table("112", "34", calls="2x3").replace(id=LATER))
    page = await a_television(site, lobby, final, calm=True, room=ROOM)
    join = page.get_by_text("Scan to join")
    await expect(join).to_be_visible()
    for phase in (Phase.FINAL_WAITS, Phase.FINAL, Phase.OVER):
        await take(page, the_list(phase=phase))
        await expect(join).to_have_count(int(phase is Phase.OVER))
    await expect(join).to_be_visible()


SEAT = """
async ([cards, me, wanted, language]) => {
  const { SeatPage } = await import("/seat/static/seat_page.js");
  const { loadWords } = await import("/seat/static/words.js");
  await Promise.all([loadWords(language), (await import("/seat/static/features.js")).loaded]);
  document.body.innerHTML = '<div id="page"></div><div id="live"></div>';
  const page = new SeatPage({ enter: async () => {} });
  page.wanted = wanted;
  page.state = { state: "in", title: "Friends", code: "TABLE2", list: "LIST34", name: "Bo", player: me, tables: [] };
  page.info = { qr: ["10", "01"] };
  page.room.hello({ now: Date.now() / 1000, player: me });
  for (const card of cards) page.room.put(card);
  page.room.live = true;
  page.draw();
}
"""
"""A seat's page with these cards."""
KEYS = """
() => {
  const keys = [...document.querySelectorAll("main button")].map((key) => key.innerText);
  return [keys.filter((key) => /Join|Leave/.test(key)), document.querySelectorAll(".panel .legend .face").length];
}
"""
"""The keys by which people join and leave, and how many faces the list shows."""


async def test_a_page_has_one_key_to_join_and_it_is_the_right_one_for_its_reader(site: Site) -> None:
    table = lobby_table(2)
    lobby = card_of(LobbyNotice(view=lobby_view(table)), -1, table.id, EN)
    seated, listed, stranger = table.seats[0].player, 8, 9
    panel = card_of(LIST.model_copy(update={"faces": (Face.FROG,)}), -1, None, EN)
    with_lobby, alone = [lobby, panel], [panel]
    page = await site.without_scripts(browser.PHONE)
    for cards, me, wanted, keys in (
        (alone, stranger, "LIST34", ["Join the tournament"]),
        (alone, listed, "LIST34", ["Leave"]),
        (with_lobby, stranger, "LIST34", ["Join the tournament"]),
        (with_lobby, stranger, "", ["Join the tournament"]),
        (with_lobby, stranger, "TABLE2", ["Join"]),
        (with_lobby, listed, "LIST34", ["Join", "Leave"]),
        (with_lobby, seated, "TABLE2", ["Join the tournament"]),
    ):
        await page.evaluate(SEAT, [cards, me, wanted, "en"])
        assert await page.evaluate(KEYS) == [keys, 1], (me, wanted)


def finale(people: int) -> notices.FinaleNotice:
    """A tournament in which the first of each table go on, and the first person wins."""
    faces, rng = list(Face), Random(1)
    left = [SeatLine(name=f"{NAMES[n % 6]} {n}"[-32:], face=faces[n % len(faces)]) for n in range(people)]
    stages: list[tuple[TableLine, ...]] = []
    out: list[SeatLine] = []
    while len(left) > 1:
        tables = draw_tables(left, rng) if len(left) > 6 else (tuple(left),)
        lucky = [seat for seats in tables for seat in seats[: going_on(len(seats)) if len(tables) > 1 else 1]]
        out = [*(seat for seats in tables for seat in seats if seat not in lucky), *out]
        drawn = [[seat.model_copy(update={"goes_on": seat in lucky}) for seat in seats] for seats in tables]
        stages.append(tuple(TableLine(number=n, over=True, seats=tuple(seats)) for n, seats in enumerate(drawn, 1)))
        left = lucky
    ranked = tuple(seat.model_copy(update={"place": at}) for at, seat in enumerate([*left, *out], start=1))
    named = {"winner": ranked[0].name, "bluffer": ranked[1].name}
    return notices.FinaleNotice(
        tournament=1, title="Friends", people=people, stages=tuple(stages), places=ranked, bluff=BLUFF, **named
    )


def end_card(people: int, w: Catalogue = EN) -> Card:
    whole = finale(people)
    seats = tuple(
        SeatView(player=at, name=seat.name, face=seat.face, place=at)
        for at, seat in enumerate(whole.places[: len(whole.stages[-1][0].seats)], start=1)
    )
    view = GameOverView(table=LATER, winner=0, seats=seats, rounds=12, again=False)
    return card_of(GameOverNotice(view=view, parts=(whole,), in_group=True), -1, LATER, w)


async def test_after_the_final_the_screen_shows_the_winner_then_all_faces_and_places(site: Site) -> None:
    for people, size in ((7, LARGE_TELEVISION), (7, SMALL_TELEVISION), (22, SMALL_TELEVISION), (40, SMALL_TELEVISION)):
        card = end_card(people)
        page = await a_television(site, card, size=size, script=MEASURING)
        whole = card["finale"]
        await expect(page.locator(".on-cup .shout")).to_contain_text(whole["title"])
        await page.clock.run_for(6500)
        await expect(page.locator(".finale h2")).to_contain_text(whole["title"])
        await expect(page.locator(".finale .places li")).to_have_count(people)
        assert await page.locator(".stage li").count() == sum(len(t) for s in whole["stages"] for t in s["tables"])
        assert await page.locator(".stage li .face").count() == await page.locator(".stage li").count()
        assert await page.evaluate("[...outside]") == [], people
        assert "play again" not in (await page.locator("main").inner_text()).lower()
        assert await page.locator("main button, main .qr").count() == 0
        if people == 40:
            await site.without_barrier(page)
        await site.close(page)


@pytest.mark.parametrize(("size", "language"), [((320, 568), "de"), ((375, 553), "fr"), ((360, 640), "it")])
async def test_a_phone_shows_all_places_after_the_final_once(site: Site, size: tuple[int, int], language: str) -> None:
    w = catalogue(language)
    width, height = size
    page = await site.without_scripts({"width": width, "height": height})
    card = end_card(10, w)
    await page.evaluate(SEAT, [[card], 1, "", language])
    await expect(page.locator(".trophy + p")).to_contain_text(card["finale"]["title"])
    await expect(page.locator("main .places")).to_have_count(1)
    places = await page.locator(".places li b").all_inner_texts()
    assert list(map(int, places)) == [each["place"] for each in card["finale"]["places"]]
    await expect(page.locator("main .qr, main .actions .primary")).to_have_count(0)
    assert await page.evaluate("document.documentElement.scrollWidth") == width
