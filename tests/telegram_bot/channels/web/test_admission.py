"""Admission to a room: each test is an attack over HTTP, or the end of a permission."""

import asyncio
from dataclasses import replace

import pytest

from telegram_bot.channels.web.admission import REFUSED_SECONDS
from telegram_bot.channels.web.entering import CLOSED_PAGE_SECONDS, LONGEST_WAIT_SECONDS, look, page_state
from telegram_bot.channels.web.hosts import change_room, room_state
from telegram_bot.channels.web.screens import show_on_screen
from telegram_bot.channels.web.seats import take_seat
from telegram_bot.channels.web.sessions import RefusedRequestError
from telegram_bot.delivery.limits import Limits
from telegram_bot.intents import intents as i
from telegram_bot.notices import GuestNotice
from telegram_bot.repositories.repositories import REMATCH_SECONDS
from telegram_bot.repositories.room_access import LEAST_WAIT_SECONDS, MOST_ASKING
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.lobby_requests import Join, Kick, OpenLobby, Start
from telegram_bot.service.handlers.pages import AnswerKnock
from telegram_bot.service.handlers.queries import SeeHelp
from telegram_bot.storage.models import Player
from test_support.web_world import Browser, WebWorld, a_room, a_screen, from_group, init_data, keys_of

ANA, BO, EVE = 11, 12, 13


async def reads_nothing(browser: Browser, why: str) -> None:
    """A page without permission gets the reason, and no content of the room."""
    told = await browser.state()
    assert (told["state"], told["why"], told["table"], told["code"], told["title"]) == ("nowhere", why, None, None, "")
    assert told["text"]
    assert [card for card in await browser.cards(anew=True) if card["lane"] == "public"] == []
    assert await browser.error("room", do="show") == "no_table"
    assert await browser.error("act", id="x", act="join") == "no_table"


async def enter(world: WebWorld, address: str, name: str = "Dee", **proof: str) -> Browser:
    browser = world.browser(address)
    await browser.enter(name, **proof)
    return browser


async def a_group(world: WebWorld, *people: int) -> Browser:
    """A lobby in a Telegram group, whose host, the first of the people, has opened the Mini App."""
    await world.lobby_in_telegram(*people)
    return await app(world, people[0])


async def app(world: WebWorld, person: int, address: str = "198.51.100.1") -> Browser:
    browser = world.browser(address)
    data = init_data(person, world.now, f"Person {person}", **from_group(world.code))
    await browser.ask("app", init_data=data, code=world.code)
    return browser


def knocks(world: WebWorld) -> list[GuestNotice]:
    sent = [envelope.notice for envelope in world.telegram.sent if envelope.chat == ANA]
    return [notice for notice in sent if isinstance(notice, GuestNotice)]


async def waiting(host: Browser) -> list[str]:
    return [each["name"] for each in (await host.room())["asking"]]


async def pass_time(world: WebWorld, seconds: float) -> None:
    world.now += seconds
    await world.channel.streams.sweep()
    await world.settle()


# 1. Asking the host


async def test_a_host_gets_one_message_of_all_who_wait_also_in_a_flood_and_answers_one(world: WebWorld) -> None:
    await world.lobby_in_telegram(ANA)
    dee, cy = await enter(world, "192.0.2.3", "Dee"), await enter(world, "192.0.2.4", "Cy")
    stranger = world.browser()
    for number in range(MOST_ASKING + 2):
        await stranger.post("enter", code=world.code, name=f"N{number}", language="en")
        await world.browser(f"10.0.0.{number}").post("enter", code=world.code, name=f"M{number}")
    assert [len(notice.waiting) for notice in knocks(world)] == [1]
    await pass_time(world, 20)
    assert [len(notice.waiting) for notice in knocks(world)] == [1, MOST_ASKING]
    waiting = knocks(world)[-1].waiting
    assert [name for _, name in waiting[:2]] == ["Dee", "Cy"]
    await world.telegram_asks(ANA, AnswerKnock(waiting[0][0], admit=True), where=None, table=1)
    await pass_time(world, 2)
    assert knocks(world)[-1].asking == waiting[1:]
    assert ((await dee.state())["state"], (await cy.state())["state"]) == ("in", "asked")


async def test_what_waits_at_the_door_is_sent_after_what_the_game_sends(world: WebWorld) -> None:
    await world.lobby_in_telegram(ANA, BO)
    world.telegram.limits = Limits(per_bot_per_second=25, per_chat_seconds=1, per_group_per_minute=20)
    before = len(world.telegram.to(ANA))
    await world.telegram_asks(ANA, SeeHelp(), where=None)  # takes the chat's second
    await enter(world, "192.0.2.3")
    await world.telegram_asks(ANA, Start(), table=1)
    assert world.telegram.to(ANA)[before:] == ["help"]
    for _ in range(4):
        await pass_time(world, 1.2)
    told = world.telegram.to(ANA)[before:]
    assert told.index("guest") > max(number for number, kind in enumerate(told) if kind == "hand")


async def test_a_refused_person_asks_again_after_ten_minutes_at_the_earliest(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    dee = await enter(world, "192.0.2.3")
    (asking,) = (await ana.room())["asking"]
    await ana.room("refuse", player=asking["player"])
    await reads_nothing(dee, "refused")
    answer = await dee.post("enter", code=world.code, name="Dee", language="en")
    assert (answer.status_code, answer.json()["error"]) == (429, "refused")
    assert 0 < int(answer.headers["Retry-After"]) <= REFUSED_SECONDS + 1
    assert await waiting(ana) == []
    world.now += REFUSED_SECONDS
    assert await dee.enter() == "asked"


async def test_ten_who_wait_close_the_door_for_two_minutes_and_not_for_a_day(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    waiting_ones = [await enter(world, f"10.0.0.{number}", f"Eve {number}") for number in range(MOST_ASKING)]
    assert await waiting_ones[0].enter() == "asked"
    honest = world.browser("192.0.2.9")
    answer = await honest.post("enter", code=world.code, name="Dee", language="en")
    assert (answer.status_code, answer.json()["error"]) == (429, "too_many")
    assert int(answer.headers["Retry-After"]) <= LEAST_WAIT_SECONDS + 1
    world.now += int(answer.headers["Retry-After"])
    assert await honest.enter() == "asked"
    assert await waiting(ana) == [*(f"Eve {number}" for number in range(1, MOST_ASKING)), "Dee"]


async def test_one_network_cannot_take_all_places_of_those_who_wait(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    for number in range(MOST_ASKING):
        await world.browser().post("enter", network=f"2001:db8::{number}", code=world.code, name="Eve")
    await enter(world, "192.0.2.9", "Dee")
    assert "Dee" in await waiting(ana)


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_person_who_waits_too_long_or_closes_the_page_waits_no_more(world: WebWorld, is_open: bool) -> None:
    await world.lobby_in_telegram(ANA)
    dee = await enter(world, "192.0.2.3")
    if is_open:
        await anext(world.channel.streams.events(await dee.stream()))
        await world.channel.streams._keep([(await dee.page()).session], LONGEST_WAIT_SECONDS + 1)
    world.now += CLOSED_PAGE_SECONDS + 1
    assert (await dee.state())["state"] == "asked", "until the list is looked at again"
    await pass_time(world, 0)
    assert (await dee.state())["state"] == ("asked" if is_open else "nowhere")
    await pass_time(world, LONGEST_WAIT_SECONDS)
    await reads_nothing(dee, "unanswered")
    assert knocks(world)[-1].asking == ()
    assert await dee.enter() == "asked"


# 2. The Telegram group


@pytest.mark.parametrize("seated", [True, False])
async def test_a_person_removed_from_the_group_reads_its_room_no_more(world: WebWorld, seated: bool) -> None:
    host = await a_group(world, ANA, *([BO] if seated else []))
    page = await app(world, BO)
    key, _ = await keys_of(host)
    events = await page.listen()
    await world.telegram_asks(BO, i.MemberLeft())
    await world.channel.streams.sweep()
    assert [event.split("\n")[0] async for event in events if "ping" not in event][-1] == "event: end"
    await reads_nothing(page, "not_in")
    guest = world.browser("192.0.2.66")
    assert await guest.enter("Bo", key=key) == "asked", "the link that they could read leads nowhere"


async def test_a_person_whom_the_bot_never_met_is_remembered_as_removed_until_they_are_back(world: WebWorld) -> None:
    await world.lobby_in_telegram(ANA)
    await world.telegram_asks(EVE, i.MemberLeft())
    assert (await (await app(world, EVE)).state())["state"] == "asked"
    await world.telegram_asks(ANA, i.MembersJoined((EVE,)))
    assert (await (await app(world, EVE)).state())["state"] == "in"


# 3. Codes and links end with their evening


async def test_codes_and_links_of_an_evening_open_nothing_of_the_next(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    key, screen_key = await keys_of(ana)
    code = world.code
    screen = await a_screen(world, ana)
    dee = await enter(world, "192.0.2.3", key=key)
    await ana.act("stop", confirmed=True)
    world.now += REMATCH_SECONDS + 1
    await reads_nothing(dee, "ended")
    assert (await screen.state())["why"] == "ended"
    eve = world.browser("192.0.2.66")
    for is_over in (True, False):
        assert await eve.error("enter", code=code, key=key, name="Eve", language="en") == "ended"
        assert await eve.error("enter", code=code, name="Eve", language="en") == "ended"
        assert await eve.error("screen", code=code, key=screen_key) == "ended"
        assert await eve.error("app", init_data=init_data(EVE, world.now), code=code) == "ended"
        if is_over:
            world.now += 60
            assert (await cy.act("again", table=1))["done"]
    new = world.table(2).code
    assert await eve.enter("Eve", code=new, key=key) == "asked"
    assert await eve.error("screen", code=new, key=screen_key) == "bad_key"
    await reads_nothing(dee, "not_in")


async def test_a_locked_room_is_closed_to_guests_with_its_key_and_strangers_from_telegram(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    key = (await ana.room("lock"))["link"].partition("#")[2]
    strangers = [world.browser(f"192.0.2.{number}") for number in (3, 4)]
    launch = init_data(EVE, world.now)
    assert await strangers[0].refused("enter", code=world.code, key=key, name="Dee") == (403, "locked")
    assert await strangers[1].refused("app", init_data=launch, code=world.code) == (403, "locked")
    assert await cy.enter("Cy", key=key) == "in"


async def test_the_key_of_the_television_opens_no_seat_and_the_hosts_page_alone_gets_it(world: WebWorld) -> None:
    """The door says whose table it is to those who have the key of its link."""
    ana, cy = await a_room(world, "Ana", "Cy")
    key, screen_key = await keys_of(ana)
    assert key != screen_key != ""
    stranger = world.browser("192.0.2.66")
    titles = [(await stranger.ask("door", code=world.code, key=each))["title"] for each in (key, screen_key, "è")]
    assert titles == ["Ana's table", "", ""]
    assert await stranger.error("door", code="AAAAAA", key=key) == "no_table"
    dee = await enter(world, "192.0.2.3", key=key)
    eve = await enter(world, "192.0.2.4", "Eve", key=screen_key)
    assert (await eve.state())["state"] == "asked"
    assert await world.browser("192.0.2.5").error("screen", code=world.code, key=key) == "bad_key"
    screen = await a_screen(world, ana)
    for page in (cy, dee, screen):
        shown = await page.room()
        assert (shown["link"], shown["screen"]) == (f"https://perudo.test/t/{world.code}#{key}", None)
        assert screen_key not in str(shown)
    assert await screen.error("act", id="x", act="join") == "no_table"
    assert await screen.error("look", code=world.code) == "bad_key"
    assert await screen.error("room", do="renew") == "not_host"


async def test_the_host_ends_all_screens_and_after_a_new_link_only_who_sits_there_stays(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    key, screen_key = await keys_of(ana)
    dee = await enter(world, "192.0.2.3", key=key)
    screen = await a_screen(world, ana)
    assert await cy.error("room", do="end_screens") == "not_host"
    await ana.room("end_screens")
    assert (await screen.state())["error"] == "no_session"
    assert await screen.error("screen", code=world.code, key=screen_key) == "bad_key"
    assert (await keys_of(ana))[0] == key, "the link for friends stays"
    assert (await cy.state())["state"] == (await dee.state())["state"] == "in"
    _, screen_key = await keys_of(ana)
    screen = await a_screen(world, ana)
    told = await screen.listen()
    await ana.room("renew")
    await world.channel.streams.sweep()
    assert "event: end" in [event async for event in told][-1], "the television's page is told"
    await reads_nothing(dee, "not_in")
    assert await dee.error("look", code=world.code) == "not_in"
    assert (await screen.state())["error"] == "no_session"
    assert await screen.error("screen", code=world.code, key=screen_key) == "bad_key"
    assert (await cy.state())["state"] == "in"
    assert await dee.enter(key=key) == "asked"


# 4. A kick holds


@pytest.mark.parametrize("by_button", [True, False])
async def test_a_kicked_guest_stays_out_and_after_a_rematch_has_to_ask(world: WebWorld, by_button: bool) -> None:
    host = await a_group(world, ANA)
    key, _ = await keys_of(host)
    cy = await enter(world, "192.0.2.3", "Cy", key=key)
    await cy.act("join")
    player = (await cy.state())["player"]
    stream = await cy.stream()
    if by_button:
        await world.telegram_asks(ANA, Kick(player), table=1)
    else:
        await host.act("kick", player=player)
    assert [event.split("\n")[0] async for event in world.channel.streams.events(stream)][-1] == "event: end"
    await reads_nothing(cy, "kicked")
    assert await cy.error("look", code=world.code) == "kicked"
    new, _ = await keys_of(host)
    assert new != key
    for proof in (key, new, None, "x"):
        assert await cy.error("enter", code=world.code, key=proof, name="Cy", language="en") == "kicked"
    again = world.browser("192.0.2.4")
    assert await again.enter("Cy", key=key) == "asked", "without the cookie the old link is worth nothing"
    await host.act("stop", confirmed=True)
    await host.act("again", table=1)
    await reads_nothing(cy, "not_in")
    assert await cy.enter("Cy", code=world.table(2).code) == "asked"


async def test_a_guest_who_waits_is_told_neither_the_title_nor_the_newest_code(world: WebWorld) -> None:
    await world.lobby_in_telegram(ANA)
    dee = await enter(world, "192.0.2.3")
    await world.telegram_asks(ANA, Stop(confirmed=True), table=1)
    await world.telegram_asks(ANA, OpenLobby())
    told = await dee.state()
    assert told["state"] == "asked"
    assert not any(secret in str(told) for secret in ("Friends", world.code, world.table(2).code))


async def test_two_who_come_at_the_same_moment_and_one_who_comes_twice(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    key, _ = await keys_of(ana)
    people = [world.browser(f"192.0.2.{n}") for n in range(20, 24)]
    await people[0].ask("open", name="Eve", language="en")
    code = world.code
    asked = [person.post("enter", code=code, key=key, name="Eve", language="en") for person in (*people, people[0])]
    assert {answer.status_code for answer in await asyncio.gather(*asked)} == {200}
    waiting = [world.browser(f"10.0.0.{n}") for n in range(MOST_ASKING + 5)]
    answers = await asyncio.gather(*(each.post("enter", code=code, name="Eve", language="en") for each in waiting))
    assert [answer.status_code for answer in answers].count(200) == MOST_ASKING


async def test_each_account_of_telegram_asks_at_a_room_of_guests_for_itself(world: WebWorld) -> None:
    (guest,) = await a_room(world, "Cy")
    first, second = await app(world, ANA), await app(world, BO, "198.51.100.2")
    assert await first.cards(anew=True) == []
    waiting = (await guest.room())["asking"]
    assert [each["name"] for each in waiting] == [f"Person {ANA}", f"Person {BO}"]
    admits = {"id": "1", "player": waiting[0]["player"]}
    await guest.room("admit", **admits)
    await guest.act("option", option="calza", value="true")
    assert not (await guest.room("admit", **admits))["asking"][1:], "a repeated request is no other one"
    assert ((await first.state())["state"], (await second.state())["state"]) == ("in", "asked")
    assert (await second.ask("look", code=world.code))["state"] == "asked"
    assert (await first.act("join"))["done"]
    other = await app(world, ANA, "198.51.100.3")
    assert (await other.state())["state"] == "in", "on each of their devices"


# 5. The television


async def test_a_televisions_key_ends_with_a_closed_door_a_removal_and_a_lasting_kick(world: WebWorld) -> None:
    host = await a_group(world, ANA, BO)
    page = await app(world, BO)
    (player,) = (row.id for row in world.rows(Player) if row.address == BO)
    for end in ("closed", "removed", "kicked"):
        _, screen_key = await keys_of(host)
        if end == "closed":
            await host.room("lock")
        elif end == "removed":
            await world.telegram_asks(BO, i.MemberLeft())
        else:
            await host.act("kick", player=player)
        screen = world.browser("192.0.2.50")
        assert await screen.error("screen", code=world.code, key=screen_key) == "bad_key", end
        _, screen_key = await keys_of(host)
        assert (await screen.ask("screen", code=world.code, key=screen_key))["state"] == "in"
        if end == "kicked":
            await world.telegram_asks(BO, i.MemberLeft())
        await world.telegram_asks(ANA, i.MembersJoined((BO,)))
        await world.telegram_asks(BO, Join(), table=1)
    await reads_nothing(page, "kicked")
    data = init_data(BO, world.now)
    assert await world.browser("192.0.2.8").error("app", init_data=data, code=world.code) == "kicked"


async def test_a_request_of_a_page_that_a_restored_backup_does_not_know_is_told_so(world: WebWorld) -> None:
    ana, _ = await a_room(world, "Ana", "Cy")
    run = world.service.run
    screen = (await world.browser().ask("pair"))["pairing"]["code"]
    key = (await ana.room("keep_seat"))["seat"]["link"].partition("#seat=")[2]
    known = await ana.page()
    page = replace(known, session=10**6, player=10**6, chat=10**6)
    for answer in (
        run(page_state, page),
        run(look, page, world.code, lambda: None),
        run(room_state, page),
        run(change_room, page, "lock"),
        run(show_on_screen, page, screen),
    ):
        with pytest.raises(RefusedRequestError, match="no_session"):
            await answer
    opened, _, _ = await run(take_seat, page, code=world.code, key=key, language="en")
    assert opened.player == known.player, "the own link opens the seat"
