"""A television shows a table by a code of four letters, and only with the host's consent."""

import secrets

import pytest

from telegram_bot.channels.web import pairing
from telegram_bot.channels.web.limits import A_HOUSEHOLD, MOST
from telegram_bot.channels.web.pairing import LENGTH, LETTERS, PAIRING_SECONDS
from telegram_bot.channels.web.streams import GRACE_SECONDS
from telegram_bot.service.handlers.lobby_requests import OpenLobby
from telegram_bot.storage.web_models import WebRoom, WebSession
from test_support.web_world import Browser, WebWorld, a_room, a_screen, init_data, keys_of


async def a_television(world: WebWorld, address: str = "192.0.2.50") -> tuple[Browser, str]:
    screen = world.browser(address)
    return screen, (await screen.ask("pair"))["pairing"]["code"]


async def type_code(browser: Browser, code: str) -> tuple[int, str]:
    """The status and the error of the answer to a page."""
    answer = await browser.post("room", do="pair", code=code)
    return answer.status_code, answer.json().get("error", "")


async def a_paired_room(world: WebWorld, *names: str) -> tuple[list[Browser], Browser]:
    """Guests in the room of the first one, who has typed the letters of a television."""
    guests = await a_room(world, *names)
    screen, code = await a_television(world)
    assert await type_code(guests[0], code) == (200, "")
    return guests, screen


async def shows_nothing(screen: Browser) -> None:
    told = await screen.state()
    assert (told["state"], told["table"], told["code"], told["title"]) == ("nowhere", None, None, "")
    assert await screen.cards(anew=True) == []
    assert await screen.error("room", do="show") == "no_table"
    assert await screen.error("act", id="x", act="join") == "no_table"


async def test_the_host_types_the_letters_and_the_television_shows_the_table(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    screen, code = await a_television(world)
    assert len(code) == LENGTH
    assert set(code) <= set(LETTERS)
    await shows_nothing(screen)
    waiting = await screen.stream()
    assert await type_code(ana, f" {code.lower()} ") == (200, "")
    assert waiting.woken.is_set(), "the television need not wait for the next look"
    world.channel.streams.leave(waiting)
    told = await screen.state()
    assert (told["state"], told["code"], told["pairing"]) == ("in", world.code, None)
    assert [card["card"] for card in await screen.cards(anew=True)] == ["lobby"]
    assert (await screen.room())["link"] == (await ana.room())["link"]
    assert await screen.error("act", id="x", act="join") == "no_table"
    eve = world.browser("198.51.100.7")
    await eve.ask("open", name="Eve", language="en")
    assert await type_code(eve, code) == (404, "no_screen"), "letters are good once"
    assert (await screen.state())["code"] == world.code


async def test_a_telegram_host_brings_the_table_from_the_mini_app(world: WebWorld) -> None:
    await world.telegram_asks(11, OpenLobby())
    ana = world.browser()
    await ana.ask("app", init_data=init_data(11, world.now), code=world.code)
    screen, code = await a_television(world)
    assert await type_code(ana, code) == (200, "")
    assert (await screen.state())["title"] == "Friends"
    assert "#" not in (await screen.room())["link"], "in a group the host is asked"
    assert (await ana.room("ask_nobody"))["asks_first"] is False
    assert (await screen.room())["link"].endswith(f"#{(await keys_of(ana))[0]}")


async def by_the_screen(world: WebWorld, screen: Browser, name: str, address: str) -> str:
    """The state of a guest who scans the code on the television."""
    path, _, key = (await screen.room())["link"].partition("#")
    return await world.browser(address).enter(name, code=path.rpartition("/")[2], key=key or None)


async def test_guests_who_scan_a_partys_television_come_in_until_the_host_says_otherwise(world: WebWorld) -> None:
    (ana, eve), screen = await a_paired_room(world, "Ana", "Eve")
    for what in ("ask_first", "ask_nobody"):
        assert await eve.error("room", do=what) == "not_host"
    assert await by_the_screen(world, screen, "Bo", "192.0.2.61") == "in"
    seen = (await screen.room())["link"].partition("#")[2]
    assert (await ana.room("ask_first"))["asks_first"] is True
    assert seen not in (await ana.room())["link"], "who has photographed the screen has to ask as well"
    assert await by_the_screen(world, screen, "Cy", "192.0.2.62") == "asked"
    await ana.room("ask_nobody")
    assert await by_the_screen(world, screen, "Dee", "192.0.2.63") == "in"
    await ana.room("lock")
    assert "#" not in (await screen.room())["link"], "a closed door needs no key"
    await ana.room("unlock")
    old = (await screen.room())["link"].partition("#")[2]
    await ana.room("renew")
    assert await world.browser("192.0.2.64").enter("Eve", key=old) == "asked"


async def test_the_television_names_the_people_who_wait_and_the_host_lets_them_in_together(world: WebWorld) -> None:
    (ana,), screen = await a_paired_room(world, "Ana")
    assert (await screen.room())["asking"] == []
    events = await screen.listen()
    await ana.room("ask_first")
    guests = [world.browser(f"192.0.2.{number}") for number in range(70, 73)]
    for guest, name in zip(guests, ("Bo", "Cy", "Dee"), strict=True):
        await guest.enter(name)
    await world.channel.streams.sweep()
    assert "event: door" in await anext(events), "the television asks again who waits"
    await events.aclose()
    assert [each["name"] for each in (await screen.room())["asking"]] == ["Bo", "Cy", "Dee"]
    assert await screen.error("room", do="admit", player=0) == "no_table", "a screen lets no one in"
    assert await guests[0].error("room", do="show") == "no_table"
    assert (await ana.room("admit", player=0))["asking"] == []
    for guest in guests:
        assert (await guest.state())["state"] == "in"


async def test_televisions_hear_who_has_no_connection_and_phones_whether_one_is_there(world: WebWorld) -> None:
    ana, bo = await a_room(world, "Ana", "Bo")
    phone, other = [await each.listen() for each in (ana, bo)]
    screen, code = await a_television(world)
    letters = await screen.listen()
    await world.channel.streams.sweep()
    assert '"screen":false' in await anext(phone), "it shows letters"
    await type_code(ana, code)
    await letters.aclose()
    shown = await screen.listen()
    await world.channel.streams.sweep()
    assert '"screen":true' in await anext(phone)
    assert '"gone":[]' in await anext(shown)
    await other.aclose()
    await world.channel.streams.idle()
    await world.channel.streams.sweep()
    world.now += GRACE_SECONDS + 1
    await world.channel.streams.sweep()
    gone = f'"gone":[{world.table().seats[1].player}]'
    assert [gone in await anext(each) for each in (shown, phone)] == [True] * 2
    await shown.aclose()
    await world.channel.streams.idle()
    world.now += GRACE_SECONDS + 1
    await world.channel.streams.sweep()
    assert '"screen":false' in await anext(phone), "it was turned off"
    await phone.aclose()


async def test_to_let_all_in_lets_nobody_in_of_whom_the_host_was_not_told(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    for number, name in ((71, "Bo"), (72, "Cy")):
        await world.browser(f"192.0.2.{number}").enter(name)
    with world.database.transaction() as session:
        room = session.get_one(WebRoom, 1)
        late = room.host_told[-1]
        room.host_told = room.host_told[:-1]
    await ana.room("admit", player=0)
    assert [each["player"] for each in (await ana.room())["asking"]] == [late]


async def test_nobody_but_the_host_brings_the_table_to_a_television(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    screen, code = await a_television(world)
    assert await type_code(cy, code) == (403, "not_host")
    looks_on = await a_screen(world, ana)
    assert await type_code(looks_on, code) == (403, "not_host")
    dee = world.browser("192.0.2.52")
    assert await type_code(dee, code) == (401, "no_session")
    await dee.enter("Dee")
    assert await type_code(dee, code) == (404, "no_table")
    assert await type_code(screen, code) == (404, "no_table")
    await shows_nothing(screen)


async def test_letters_are_guessed_five_times_and_others_shown_after_ten_minutes(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    screen, code = await a_television(world)
    assert (await screen.ask("pair"))["pairing"]["code"] == code, "a reload changes nothing"
    for _ in range(MOST["guess"]):
        assert await type_code(ana, "ZZZZ") == (404, "no_screen")
    for seconds in (0, 300):
        world.now += seconds
        assert await type_code(ana, code) == (429, "too_many")
        await shows_nothing(screen)
    world.now += PAIRING_SECONDS - 300
    assert await type_code(ana, code) == (404, "no_screen")
    assert await type_code(ana, (await screen.ask("pair"))["pairing"]["code"]) == (200, "")
    assert (await screen.state())["state"] == "in"


def screens(world: WebWorld) -> list[WebSession]:
    return [row for row in world.rows(WebSession) if row.player_id is None]


async def test_a_network_gets_so_many_letters_and_a_further_television_ends_the_oldest_of_the_fullest_network(
    world: WebWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = MOST["pair"] * A_HOUSEHOLD
    monkeypatch.setattr(pairing, "MOST_CODES", most + 1)
    early, code = await a_television(world, "192.0.2.49")
    flood = []
    for _ in range(most):
        world.now += 1
        flood.append((await a_television(world, "192.0.2.50"))[0])
    assert (await world.browser("192.0.2.50").post("pair")).json()["error"] == "too_many"
    await a_television(world, "192.0.2.51")
    assert (await early.state())["pairing"]["code"] == code
    assert (await flood[0].state())["error"] == "no_session"
    assert (await flood[1].state())["pairing"] is not None
    assert len(screens(world)) == most + 1
    world.now += PAIRING_SECONDS
    await a_television(world, "192.0.2.52")
    assert len(screens(world)) == 1, "televisions that are off are forgotten"


def test_a_code_differs_in_two_letters_from_every_other(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("BCDGBCDFZCDFBCZZ")
    monkeypatch.setattr(secrets, "choice", lambda _: next(letters))
    assert pairing._new_code(["BCDF", "XXXX"]) == "BCZZ"


async def test_a_television_shows_the_rematch_by_the_code_that_the_evening_began_with(world: WebWorld) -> None:
    (ana,), screen = await a_paired_room(world, "Ana")
    link = (await screen.room())["link"]
    await ana.act("stop", table=1, confirmed=True)
    await ana.act("again", table=1)
    assert (await screen.card("lobby"))["table"] == 2
    assert (await screen.room())["link"] == link
    assert await by_the_screen(world, screen, "Bo", "192.0.2.61") == "in"
    late, late_code = await a_television(world, "192.0.2.70")
    await type_code(ana, late_code)
    assert (await late.card("lobby"))["code"] == (await screen.state())["code"] == world.code
