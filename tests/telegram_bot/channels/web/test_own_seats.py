"""A seat is a person's, not a browser's: its player takes it back on another device, and no other person can."""

from typing import Any

import pytest

from telegram_bot.channels.web.streams import OPEN_SECONDS
from telegram_bot.intents import intents as i
from telegram_bot.notices import GuestNotice, SeatOpenedNotice
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.pages import AnswerKnock, EndPages, TextSeatLink
from telegram_bot.storage.models import OutboxEntry
from telegram_bot.storage.web_models import WebEntry
from test_support.web_world import GROUP, Browser, WebWorld, a_room, from_group, init_data, keys_of

ANA, BO = 11, 12


async def own_key(browser: Browser) -> str:
    link: str = (await browser.room("keep_seat"))["seat"]["link"]
    return link.partition("#seat=")[2]


async def looking_on(*browsers: Browser) -> None:
    for browser in browsers:
        await browser.cards(anew=True)


async def a_game(world: WebWorld, *names: str) -> list[Browser]:
    guests = await a_room(world, *names)
    assert (await guests[0].act("start"))["done"]
    return guests


async def gone(world: WebWorld, *still: Browser) -> None:
    world.now += OPEN_SECONDS + 1
    await looking_on(*still)


def player_of(world: WebWorld, name: str) -> int:
    return next(seat.player for seat in world.table().seats if seat.name == name)


async def claim(world: WebWorld, browser: Browser, name: str = "Bo") -> int:
    """Say at the door that a guest's seat is mine; return the number on the page."""
    code = world.code
    player = next(s["player"] for s in (await browser.ask("door", code=code))["absent"] if s["name"] == name)
    state = await browser.ask("enter", code=code, claims=player, language="en")
    assert state["state"] == "asked"
    assert state["claim"]["name"] == name
    assert await browser.cards(anew=True) == [], "no dice, and nothing else of the room, before the answer"
    number: int = state["claim"]["number"]
    return number


async def claimant(judge: Browser) -> Any:
    """The only person who wants a seat back, as a page that has to answer shows them."""
    (asked,) = (await judge.room())["claims"]
    return asked


async def settle_claim(judge: Browser, do: str = "admit") -> None:
    """Say whether the only person who wants a seat back is its guest."""
    assert (await judge.room(do, player=(await claimant(judge))["player"]))["claims"] == []


async def next_deal(world: WebWorld, *players: Browser) -> None:
    """Have the round doubted; the players are in the order of their seats."""
    deals = world.table().deals
    while world.table().deals == deals:
        table = world.table()
        turn = table.begun_game.turn
        assert turn is not None
        if table.seats[turn].away:
            world.now += 10
            await world.service.handle(i.DeadlineReached(1))
            await world.settle()
        else:
            call = "dudo" if table.begun_game.bids else "bid"
            assert (await players[turn].act(call, table=1, step=table.step, quantity=1, face=2))["done"]


async def test_a_claimed_seat_has_the_next_dice_and_its_first_browser_comes_back_unasked(world: WebWorld) -> None:
    ana, bo, cy = await a_game(world, "Ana", "Bo", "Cy")
    hand = await bo.card("hand")
    await gone(world, ana, cy)
    phone = world.browser("192.0.2.50")
    number = await claim(world, phone)
    asked = await claimant(ana)
    assert (asked["name"], asked["number"]) == ("Bo", number)
    assert (await ana.card("knock"))["text"] == f"Bo on another phone? It shows the number {number}."
    await settle_claim(ana)
    state = await phone.state()
    assert (state["state"], state["claim"]["name"]) == ("in", "Bo")
    for act in ("back", "coach", "reroll", "dudo", "calza", "bid"):
        told = await phone.act(act, table=1, step=world.table().step, quantity=1, face=2)
        assert told["reason"] == "not_seated", act
    assert {card["card"] for card in await phone.cards(anew=True)} == {"round", "news", "admitted"}, "no hand, no hint"
    assert (await cy.card("news"))["text"] == "Bo's seat opens on another phone in the next round. Until then I play."
    for page in (phone, cy):
        seat = (await page.card("round"))["seats"][1]
        assert (seat["away"], seat["taken_by"]) == (True, seat["player"]), "no page offers to play on for Bo"
    await next_deal(world, ana, bo, cy)
    state = await phone.state()
    assert (state["name"], state["claim"], world.table().seats[1].away) == ("Bo", None, False)
    assert (await phone.card("hand"))["deal"] == hand["deal"] + 1
    old = await bo.client.get("/seat/me")
    assert (old.status_code, old.json()["error"]) == (401, "seat_moved")
    assert old.json()["text"] == "Your seat is open on another device now."
    code = world.code
    assert (await phone.ask("door", code=code))["mine"] is None
    mine = (await bo.ask("door", code=code))["mine"]
    assert mine["name"] == "Bo"
    assert (await bo.ask("enter", code=code, claims=mine["player"]))["state"] == "in"
    assert "hand" not in {card["card"] for card in await bo.cards(anew=True)}, "the phone has seen these dice"
    await gone(world, ana, cy)
    await next_deal(world, ana, phone, cy)
    assert (await bo.card("hand"))["deal"] == hand["deal"] + 2
    assert (await phone.state())["error"] == "seat_moved"
    assert (await phone.ask("door", code=code))["mine"] is None, "it was no guest's first browser"


async def test_an_own_link_is_good_once_and_ends_another_page(
    world: WebWorld, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    ana, bo = await a_game(world, "Ana", "Bo")
    replaced, key = await own_key(bo), await own_key(bo)
    assert [row.seat_key == key for row in world.rows(WebEntry) if row.seat_key] == [False]
    events, code = await bo.listen(), world.code
    assert (await world.browser().ask("door", code=code, seat=key))["mine"]["name"] == "Bo"
    phone, thief = world.browser("192.0.2.50"), world.browser("192.0.2.51")
    assert await thief.error("enter", code=code, seat=replaced) == "seat_used"
    assert (await phone.ask("enter", code=code, seat=key, language="en"))["name"] == "Bo"
    for used in (key, replaced, key[:-1] + "x"):
        assert await thief.refused("enter", code=code, seat=used) == (403, "seat_used")
    assert (await thief.ask("door", code=code, seat=key))["mine"] is None
    assert (await phone.card("hand"))["dice"]
    assert (await ana.state())["state"] == "in"
    await world.channel.streams.sweep()
    assert await anext(events) == 'event: end\ndata: {"why":"moved"}\n\n'
    card = await ana.card("round")
    for act in ("bid", "dudo", "leave"):
        sent = {"id": f"x{act}", "act": act, "table": 1, "step": card["step"], "quantity": 1, "face": 2}
        assert (await bo.post("act", **sent)).status_code == 401
    assert key not in caplog.text


async def test_two_who_ask_for_one_seat_show_different_numbers_and_the_other_one_stays_out(world: WebWorld) -> None:
    ana, _, _ = await a_game(world, "Ana", "Bo", "Cy")
    await gone(world, ana)
    bo, thief = world.browser("192.0.2.50"), world.browser("192.0.2.51")
    numbers = [await claim(world, browser) for browser in (thief, bo)]
    assert numbers[0] != numbers[1]
    theirs = next(c for c in (await ana.room())["claims"] if c["number"] == numbers[1])
    assert (await ana.room("admit", player=theirs["player"]))["claims"] == []
    assert (await bo.state())["name"] == "Bo"
    assert (await thief.state())["state"] == "nowhere"
    assert (await thief.post("act", id="x", act="dudo", table=1)).status_code == 403


async def test_who_asks_for_a_seat_is_not_let_in_with_all_others_and_once_refused_asks_no_more(world: WebWorld) -> None:
    ana, _ = await a_game(world, "Ana", "Bo")
    await gone(world, ana)
    stranger = world.browser("192.0.2.50")
    await claim(world, stranger)
    await ana.post("room", do="admit", player=0)
    assert (await stranger.state())["state"] == "asked"
    await settle_claim(ana, "refuse")
    assert [card["card"] for card in await stranger.cards(anew=True)] == ["refused"]
    claims = player_of(world, "Bo")
    assert await stranger.refused("enter", code=world.code, claims=claims) == (429, "refused")


async def test_players_answer_only_while_the_host_is_away_and_then_two_of_three(world: WebWorld) -> None:
    ana, bo, cy, dee = await a_game(world, "Ana", "Bo", "Cy", "Dee")
    await gone(world, ana, bo, cy)
    await claim(world, world.browser("192.0.2.49"), "Dee")
    assert (await bo.room())["claims"] == []
    assert await bo.error("room", do="admit", player=(await claimant(ana))["player"]) == "not_host"
    await settle_claim(ana, "refuse")
    await gone(world, bo, cy, dee)
    phone = world.browser("192.0.2.50")
    number = await claim(world, phone, "Ana")
    assert (await cy.card("knock"))["text"] == f"Ana on another phone? It shows the number {number}."
    for judge, state in ((bo, "asked"), (cy, "in")):
        await settle_claim(judge)
        assert (await phone.state())["state"] == state
    assert (await dee.room())["claims"] == []


async def test_one_opponent_alone_opens_no_seat_of_an_absent_host(world: WebWorld) -> None:
    _, bo = await a_game(world, "Ana", "Bo")
    await gone(world, bo)
    stranger, claims = world.browser("192.0.2.50"), player_of(world, "Ana")
    assert await stranger.refused("enter", code=world.code, claims=claims) == (403, "no_judges")


async def test_a_guest_who_is_here_keeps_the_seat_also_if_someone_asked_for_it_meanwhile(world: WebWorld) -> None:
    ana, bo = await a_game(world, "Ana", "Bo")
    await gone(world, ana)
    stranger = world.browser("192.0.2.50")
    await claim(world, stranger)
    await looking_on(ana, bo)
    asked = await claimant(ana)
    assert await ana.error("room", do="admit", player=asked["player"]) == "no_guest"
    assert (await bo.state())["state"] == "in"
    assert (await stranger.state())["state"] == "nowhere"
    late, claims = world.browser("192.0.2.51"), player_of(world, "Bo")
    assert await late.refused("enter", code=world.code, claims=claims) == (404, "no_seat")


async def test_guests_whom_the_host_has_removed_or_of_another_table_get_no_seat(world: WebWorld) -> None:
    ana, bo, cy = await a_room(world, "Ana", "Bo", "Cy")
    key, key_of_bo, code = await own_key(cy), await own_key(bo), world.code
    seat_of_bo, removed = player_of(world, "Bo"), player_of(world, "Cy")
    await ana.act("kick", player=removed)
    phone, eve = world.browser("192.0.2.50"), world.browser("192.0.2.40")
    assert await phone.error("enter", code=code, seat=key) == "seat_used"
    other = (await eve.ask("open", name="Eve", language="en"))["code"]
    assert await eve.error("enter", code=other, seat=key_of_bo) == "seat_used"
    assert await eve.error("enter", code=code, seat=key_of_bo) == "has_seat"
    await gone(world, ana)
    assert await cy.error("enter", code=code, claims=seat_of_bo) == "kicked"
    assert await phone.error("enter", code=code, claims=removed) == "no_seat"
    assert await eve.error("enter", code=code, claims=seat_of_bo) == "has_seat"
    await claim(world, phone)
    asked = await claimant(ana)
    assert (await eve.post("room", do="admit", player=asked["player"])).status_code == 404


async def test_a_closed_door_and_a_new_link_keep_no_player_out_of_their_seat(world: WebWorld) -> None:
    ana, bo = await a_game(world, "Ana", "Bo")
    key = await own_key(bo)
    for change in ("renew", "lock"):
        await ana.room(change)
    await gone(world, ana)
    await claim(world, world.browser("192.0.2.49"))
    phone = world.browser("192.0.2.50")
    assert (await phone.ask("enter", code=world.code, seat=key))["state"] == "in"


async def the_app(world: WebWorld, code: str = "") -> Browser:
    """Ana's Mini App, opened at her group's first table or at another one."""
    app = world.browser()
    await app.ask("app", init_data=init_data(ANA, world.now, **from_group(world.code)), code=code or None)
    return app


async def test_a_telegram_players_seat_opens_on_a_second_device_and_they_can_close_it(world: WebWorld) -> None:
    await world.lobby_in_telegram(ANA, BO)
    app = await the_app(world)
    await looking_on(app)
    key = await own_key(app)
    laptop = world.browser("192.0.2.50")
    state = await laptop.ask("enter", code=world.code, seat=key, language="en")
    assert (state["state"], state["kind"], state["player"]) == ("in", "telegram", world.table().host)
    assert [sent.chat for sent in world.telegram.sent if isinstance(sent.notice, SeatOpenedNotice)] == [ANA]
    await world.telegram_asks(ANA, Start(), table=1)
    assert (await laptop.card("hand"))["dice"]
    await world.telegram_asks(ANA, EndPages(), where=None)
    assert (await laptop.state())["error"] == "seat_moved"
    assert (await app.ask("app", init_data=init_data(ANA, world.now)))["state"] == "in"


@pytest.mark.parametrize(("closed", "hours"), [(True, 3), (False, 13)])
async def test_an_own_link_ends_with_its_evening_or_in_12_hours(world: WebWorld, *, closed: bool, hours: float) -> None:
    ana, bo = await a_game(world, "Ana", "Bo")
    key, code = await own_key(bo), world.code
    if closed:
        assert (await ana.act("stop", table=1, confirmed=True))["done"]
    world.now += hours * 3600
    phone = world.browser("192.0.2.50")
    assert (await phone.ask("door", code=code, seat=key))["mine"] is None
    assert await phone.error("enter", code=code, seat=key) == "seat_used"


async def test_the_page_of_an_own_link_is_for_its_room_and_its_evening_alone(world: WebWorld) -> None:
    await world.telegram_asks(ANA, StartPrivateChat(greeted=False), where=None)
    elsewhere = i.Place("telegram", GROUP - 1, title="Others")
    for number, place in enumerate((None, elsewhere), 1):
        where = {} if place is None else {"where": place}
        await world.telegram_asks(ANA, OpenLobby(), **where)
        await world.telegram_asks(BO, Join(), table=number, **where)
        await world.telegram_asks(ANA, Start(), table=number, **where)
    here, there = world.table(1), world.table(2)
    app = await the_app(world)
    key = await own_key(app)
    elsewhere_open = await the_app(world, there.code)
    laptop = world.browser("192.0.2.50")
    state = await laptop.ask("enter", code=here.code, seat=key, language="en")
    assert await elsewhere_open.ask("look", code=there.code), "the pages of other rooms stay"
    assert await app.error("look", code=here.code) == "seat_moved"
    assert (state["linked"], [each["code"] for each in state["tables"]]) == (True, [here.code])
    app_again = await the_app(world, there.code)
    await looking_on(app_again, laptop)
    assert {card["table"] for card in await app_again.cards(anew=True) if card["card"] == "hand"} == {2}
    assert {card["table"] for card in await laptop.cards(anew=True)} == {1}
    refused = [
        await laptop.post("look", code=there.code),
        await laptop.post("act", id="a", act="stop", table=2, confirmed=True),
        await laptop.post("act", id="b", act="language", value="it"),
        await laptop.post("act", id="c", act="twist", game=2, twist="more"),
        await laptop.post("room", do="keep_seat"),
    ]
    assert [(each.status_code, each.json()["error"]) for each in refused] == [(403, "this_seat")] * 5
    assert (await laptop.act("stop", confirmed=True))["done"], "without a table it is about that of the room"
    assert [world.table(number).status for number in (1, 2)] == ["closed", "playing"]
    world.now += 3 * 3600
    assert (await laptop.state())["error"] == "no_session"
    assert (await app_again.state())["code"] == there.code, "the Mini App's session goes on"
    assert (await app_again.ask("app", init_data=init_data(ANA, world.now)))["code"] == there.code


async def test_a_host_in_telegram_is_asked_there(world: WebWorld) -> None:
    await world.lobby_in_telegram(ANA)
    key, _ = await keys_of(await the_app(world))
    bo = world.browser("192.0.2.2")
    await bo.enter("Bo", key=key)
    await bo.act("join")
    await gone(world)
    await world.channel.streams.sweep()
    phone = world.browser("192.0.2.50")
    await claim(world, phone)
    knock = world.telegram.sent[-1]
    assert isinstance(knock.notice, GuestNotice)
    assert (knock.chat, [each.name for each in knock.notice.claims]) == (ANA, ["Bo"])
    request = AnswerKnock(knock.notice.claims[0].player, admit=True)
    await world.telegram_asks(ANA, request, where=None, table=1)
    assert (await phone.state())["name"] == "Bo"


async def test_a_phone_gets_a_link_to_its_seat_by_text(world: WebWorld) -> None:
    await world.telegram_asks(ANA, OpenLobby())
    who = i.Person("sms", 39347, "Cy")
    for number, request in enumerate((Join(world.code), TextSeatLink())):
        await world.service.handle(i.Intent("sms", f"s{number}", who, request))
    texts = [entry.notice["notice"] for entry in world.rows(OutboxEntry) if entry.notice is not None]
    text = next(notice for notice in texts if notice["kind"] == "seat_link")
    key = text["url"].partition("#seat=")[2]
    page = world.browser("192.0.2.50")
    state = await page.ask("enter", code=world.code, seat=key, language="en")
    assert (state["state"], state["kind"], state["name"]) == ("in", "sms", "Cy")
    await looking_on(page)
    await world.telegram_asks(ANA, Start(), table=1)
    assert (await page.card("hand"))["dice"]
