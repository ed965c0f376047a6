"""Admission to a room: each test is an attack over HTTP, or the end of a permission."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from telegram_bot.channels.web.admission import REFUSED_SECONDS
from telegram_bot.channels.web.entering import CLOSED_PAGE_SECONDS, LONGEST_WAIT_SECONDS, look, page_state
from telegram_bot.channels.web.hosts import change_room, room_state
from telegram_bot.channels.web.screens import show_on_screen
from telegram_bot.channels.web.seats import take_seat
from telegram_bot.channels.web.sessions import RefusedRequestError, find_page
from telegram_bot.delivery.limits import Limits
from telegram_bot.intents import intents as i
from telegram_bot.notices import GuestNotice
from telegram_bot.repositories.repositories import REMATCH_SECONDS
from telegram_bot.repositories.room_access import LEAST_WAIT_SECONDS, MOST_ASKING
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.lobby_requests import Join, Kick, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.pages import AnswerKnock
from telegram_bot.service.handlers.queries import SeeHelp
from telegram_bot.storage.models import Player
from telegram_bot.storage.web_models import WebSession
from test_support.web_world import Browser, Json, WebWorld, a_room, from_group, init_data, keys_of

ANA, BO, EVE = 11, 12, 13


async def error(browser: Browser, name: str, /, **body: Any) -> str:
    """The name of the refusal."""
    answer = await browser.post(name, **body)
    assert answer.status_code >= 400, answer.text
    return str(answer.json()["error"])


async def state(browser: Browser) -> Json:
    headers = {} if browser.token is None else {"Authorization": f"Bearer {browser.token}"}
    found: Json = (await browser.client.get("/seat/me", headers=headers)).json()
    return found


async def reads_nothing(browser: Browser, why: str) -> None:
    """A page without permission gets the reason, and no content of the room."""
    told = await state(browser)
    assert (told["state"], told["why"], told["table"], told["code"], told["title"]) == ("nowhere", why, None, None, "")
    assert told["text"]
    assert [card for card in await browser.cards(anew=True) if card["lane"] == "public"] == []
    assert await error(browser, "room", do="show") == "no_table"
    assert await error(browser, "act", id="x", act="join") == "no_table"


async def enter(world: WebWorld, address: str, name: str = "Dee", **proof: str) -> Browser:
    browser = world.browser(address)
    await browser.ask("enter", code=world.table().code, name=name, language="en", **proof)
    return browser


async def a_group(world: WebWorld, *people: int) -> Browser:
    """A lobby in a Telegram group, whose host, the first of the people, has opened the Mini App."""
    for person in people:
        await world.telegram_asks(person, StartPrivateChat(greeted=False), private=True)
    await world.telegram_asks(people[0], OpenLobby())
    for person in people[1:]:
        await world.telegram_asks(person, Join(), table=1)
    return await app(world, people[0])


async def app(world: WebWorld, person: int, address: str = "198.51.100.1") -> Browser:
    browser = world.browser(address)
    code = world.table().code
    data = init_data(person, world.now, f"Person {person}", **from_group(code))
    await browser.ask("app", init_data=data, code=code)
    return browser


def knocks(world: WebWorld, chat: int = ANA) -> list[GuestNotice]:
    """The messages to a host in Telegram about waiting visitors."""
    sent = [envelope.notice for envelope in world.telegram.sent if envelope.chat == chat]
    return [notice for notice in sent if isinstance(notice, GuestNotice)]


async def pass_time(world: WebWorld, seconds: float) -> None:
    world.now += seconds
    await world.channel.streams.sweep()
    await world.settle()


# 1. Asking the host


async def test_a_host_gets_one_message_of_all_who_wait_and_no_more_for_a_flood(world: WebWorld) -> None:
    await world.telegram_asks(ANA, StartPrivateChat(greeted=False), private=True)
    await world.telegram_asks(ANA, OpenLobby())
    stranger = world.browser()
    for number in range(29):
        await stranger.post("enter", code=world.table().code, name=f"N{number}", language="en")
        await world.browser(f"10.0.0.{number}").post("enter", code=world.table().code, name=f"M{number}")
    assert [len(notice.waiting) for notice in knocks(world)] == [1]
    await pass_time(world, 20)
    assert [len(notice.waiting) for notice in knocks(world)] == [1, MOST_ASKING]


@pytest.mark.parametrize("knocks_a_second", [0, 1, 5])
async def test_a_flood_of_knocks_delays_the_hosts_dice_by_nothing(world: WebWorld, knocks_a_second: int) -> None:
    """By Telegram's limits: a message a second to a chat, 25 a second by the bot."""
    await a_group(world, ANA, BO)
    world.telegram.limits = Limits(per_bot_per_second=25, per_chat_seconds=1, per_group_per_minute=20)
    for second in range(60):
        for number in range(knocks_a_second):
            stranger = world.browser(f"10.{number}.0.{second}")
            await stranger.post("enter", code=world.table().code, name=f"Eve {second}", language="en")
        await pass_time(world, 1)
    assert len(knocks(world)) <= 5
    before = len(world.telegram.to(ANA))
    await world.telegram_asks(ANA, Start(), table=1)
    assert "hand" in world.telegram.to(ANA)[before:], "at once"


async def test_what_waits_at_the_door_is_sent_after_what_the_game_sends(world: WebWorld) -> None:
    await a_group(world, ANA, BO)
    world.telegram.limits = Limits(per_bot_per_second=25, per_chat_seconds=1, per_group_per_minute=20)
    before = len(world.telegram.to(ANA))
    await world.telegram_asks(ANA, SeeHelp(), private=True)  # takes the chat's second
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
    (asking,) = (await ana.ask("room", do="show"))["asking"]
    await ana.ask("room", do="refuse", player=asking["player"])
    await reads_nothing(dee, "refused")
    for _ in range(3):
        answer = await dee.post("enter", code=world.table().code, name="Dee", language="en")
        assert (answer.status_code, answer.json()["error"]) == (429, "refused")
        assert 0 < int(answer.headers["Retry-After"]) <= REFUSED_SECONDS + 1
    assert (await ana.ask("room", do="show"))["asking"] == []
    world.now += REFUSED_SECONDS
    assert (await dee.ask("enter", code=world.table().code, name="Dee", language="en"))["state"] == "asked"


async def test_ten_who_wait_close_the_door_for_two_minutes_and_not_for_a_day(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    for number in range(MOST_ASKING):
        await enter(world, f"10.0.0.{number}", f"Eve {number}")
    honest = world.browser("192.0.2.9")
    answer = await honest.post("enter", code=world.table().code, name="Dee", language="en")
    assert (answer.status_code, answer.json()["error"]) == (429, "too_many")
    assert int(answer.headers["Retry-After"]) <= LEAST_WAIT_SECONDS + 1
    world.now += int(answer.headers["Retry-After"])
    assert (await honest.ask("enter", code=world.table().code, name="Dee", language="en"))["state"] == "asked"
    names = [each["name"] for each in (await ana.ask("room", do="show"))["asking"]]
    assert names == [*(f"Eve {number}" for number in range(1, MOST_ASKING)), "Dee"]


async def test_one_network_cannot_take_all_places_of_those_who_wait(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    asked = [
        (await world.browser().post("enter", network=f"2001:db8::{n}", code=world.table().code, name="Eve")).status_code
        for n in range(MOST_ASKING)
    ]
    assert asked.count(200) < MOST_ASKING
    await enter(world, "192.0.2.9", "Dee")
    assert "Dee" in [each["name"] for each in (await ana.ask("room", do="show"))["asking"]]


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_person_who_waits_too_long_or_closes_the_page_waits_no_more(world: WebWorld, is_open: bool) -> None:
    await a_group(world, ANA)
    dee = await enter(world, "192.0.2.3")
    page = await world.service.run(find_page, dee.client.cookies["__Host-seat"])
    assert page is not None
    if is_open:
        stream = world.channel.streams.open(page)
        assert stream is not None
        events = world.channel.streams.events(stream)
        await anext(events)
        await world.channel.streams._keep([page.session], LONGEST_WAIT_SECONDS + 1)
    world.now += CLOSED_PAGE_SECONDS + 1
    assert (await state(dee))["state"] == "asked", "until the list is looked at again"
    await pass_time(world, 0)
    assert (await state(dee))["state"] == ("asked" if is_open else "nowhere")
    await pass_time(world, LONGEST_WAIT_SECONDS)
    await reads_nothing(dee, "unanswered")
    assert knocks(world)[-1].asking == ()
    assert (await dee.ask("enter", code=world.table().code, name="Dee", language="en"))["state"] == "asked"


async def test_a_host_who_answers_one_of_several_sees_the_others(world: WebWorld) -> None:
    await world.telegram_asks(ANA, StartPrivateChat(greeted=False), private=True)
    await world.telegram_asks(ANA, OpenLobby())
    dee, cy = await enter(world, "192.0.2.3", "Dee"), await enter(world, "192.0.2.4", "Cy")
    await pass_time(world, 20)
    ((first, _), _) = knocks(world)[-1].waiting
    await world.telegram_asks(ANA, AnswerKnock(first, admit=True), private=True, table=1)
    await pass_time(world, 2)
    assert [name for _, name in knocks(world)[-1].asking] == ["Cy"]
    assert ((await state(dee))["state"], (await state(cy))["state"]) == ("in", "asked")


# 2. The Telegram group


@pytest.mark.parametrize("seated", [True, False])
async def test_a_person_removed_from_the_group_reads_its_room_no_more(world: WebWorld, seated: bool) -> None:
    host = await a_group(world, ANA, *([BO] if seated else []))
    page = await app(world, BO)
    key, _ = await keys_of(host)
    opened = await world.service.run(find_page, page.token or "")
    assert opened is not None
    stream = world.channel.streams.open(opened)
    assert stream is not None
    events = world.channel.streams.events(stream)
    while "event: ready" not in await anext(events):
        pass
    await world.telegram_asks(BO, i.MemberLeft())
    await world.channel.streams.sweep()
    assert [event.split("\n")[0] async for event in events if "ping" not in event][-1] == "event: end"
    await reads_nothing(page, "not_in")
    guest = world.browser("192.0.2.66")
    answer = await guest.ask("enter", code=world.table().code, key=key, name="Bo", language="en")
    assert answer["state"] == "asked", "the link that they could read leads nowhere"


async def test_a_person_whom_the_bot_never_met_is_remembered_as_removed(world: WebWorld) -> None:
    await a_group(world, ANA)
    await world.telegram_asks(EVE, i.MemberLeft())
    assert (await state(await app(world, EVE)))["state"] == "asked"


async def test_a_person_who_is_back_in_the_group_comes_in_again(world: WebWorld) -> None:
    await a_group(world, ANA)
    await world.telegram_asks(EVE, i.MemberLeft())
    await world.telegram_asks(ANA, i.MembersJoined((EVE,)))
    assert (await state(await app(world, EVE)))["state"] == "in"


async def test_to_leave_the_group_and_come_back_lifts_no_kick(world: WebWorld) -> None:
    host = await a_group(world, ANA, BO)
    page = await app(world, BO)
    (player,) = (row.id for row in world.rows(Player) if row.address == BO)
    await host.act("kick", player=player)
    await world.telegram_asks(BO, i.MemberLeft())
    await world.telegram_asks(ANA, i.MembersJoined((BO,)))
    await reads_nothing(page, "kicked")
    data = init_data(BO, world.now)
    assert await error(world.browser("192.0.2.8"), "app", init_data=data, code=world.table().code) == "kicked"


# 3. Codes and links end with their evening


async def test_codes_and_links_of_an_evening_open_nothing_of_the_next(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    key, screen_key = await keys_of(ana)
    code = world.table().code
    screen = world.browser("192.0.2.50")
    await screen.ask("screen", code=code, key=screen_key)
    dee = await enter(world, "192.0.2.3", key=key)
    await ana.act("stop", confirmed=True)
    world.now += REMATCH_SECONDS + 1
    await reads_nothing(dee, "ended")
    assert (await state(screen))["why"] == "ended"
    eve = world.browser("192.0.2.66")
    for is_over in (True, False):
        assert await error(eve, "enter", code=code, key=key, name="Eve", language="en") == "ended"
        assert await error(eve, "enter", code=code, name="Eve", language="en") == "ended"
        assert await error(eve, "screen", code=code, key=screen_key) == "ended"
        assert await error(eve, "app", init_data=init_data(EVE, world.now), code=code) == "ended"
        if is_over:
            world.now += 60
            assert (await cy.act("again", table=1))["done"]
    new = world.table(2).code
    assert (await eve.ask("enter", code=new, key=key, name="Eve", language="en"))["state"] == "asked"
    assert await error(eve, "screen", code=new, key=screen_key) == "bad_key"
    await reads_nothing(dee, "not_in")


async def test_the_door_says_whose_table_it_is_to_those_who_have_its_link_alone(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    key, screen_key = await keys_of(ana)
    stranger, code = world.browser("192.0.2.66"), world.table().code
    titles = [(await stranger.ask("door", code=code, key=each))["title"] for each in (key, screen_key, "è")]
    assert titles == ["Ana's table", "", ""]
    assert await error(stranger, "door", code="AAAAAA", key=key) == "no_table"


async def test_a_link_leads_to_the_rematch(world: WebWorld) -> None:
    ana, _ = await a_room(world, "Ana", "Cy")
    key, _ = await keys_of(ana)
    code = world.table().code
    await ana.act("stop", confirmed=True)
    world.now += REMATCH_SECONDS - 60
    await ana.act("again", table=1)
    world.now += 10 * REMATCH_SECONDS
    dee = world.browser("192.0.2.3")
    entered = await dee.ask("enter", code=code, key=key, name="Dee", language="en")
    assert (entered["state"], entered["table"], entered["code"]) == ("in", 2, code)
    assert (await dee.act("join"))["done"]
    assert [seat["name"] for seat in (await dee.card("lobby"))["seats"]] == ["Ana", "Cy", "Dee"]


async def test_the_code_of_an_old_table_of_a_group_is_no_pass(world: WebWorld) -> None:
    """Every file of fair dice contains it."""
    await a_group(world, ANA, BO)
    code = world.table().code
    await world.telegram_asks(ANA, Stop(confirmed=True), table=1)
    world.now += 30 * 86400
    await world.telegram_asks(ANA, OpenLobby())
    assert await error(world.browser(), "app", init_data=init_data(EVE, world.now), code=code) == "ended"


async def test_a_locked_room_stays_closed_to_strangers_from_telegram_too(world: WebWorld) -> None:
    host = await a_group(world, ANA)
    await host.ask("room", do="lock")
    code = world.table().code
    assert await error(world.browser(), "app", init_data=init_data(EVE, world.now), code=code) == "locked"


async def test_the_key_of_the_television_opens_no_seat(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    key, screen_key = await keys_of(ana)
    assert key != screen_key
    assert (await state(await enter(world, "192.0.2.3", key=screen_key)))["state"] == "asked"
    screen = world.browser("192.0.2.50")
    assert await error(screen, "screen", code=world.table().code, key=key) == "bad_key"
    await screen.ask("screen", code=world.table().code, key=screen_key)
    shown = await screen.ask("room", do="show")
    assert (shown["link"], shown["screen"]) == (f"https://perudo.test/t/{world.table().code}#{key}", None)
    assert screen_key not in str(shown)
    assert await error(screen, "act", id="x", act="join") == "no_table"
    assert await error(screen, "look", code=world.table().code) == "bad_key"
    assert await error(screen, "room", do="renew") == "not_host"


async def test_after_a_new_link_only_those_who_sit_there_stay(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    key, screen_key = await keys_of(ana)
    dee = await enter(world, "192.0.2.3", key=key)
    screen = world.browser("192.0.2.50")
    await screen.ask("screen", code=world.table().code, key=screen_key)
    await ana.ask("room", do="renew")
    await reads_nothing(dee, "not_in")
    assert await error(dee, "look", code=world.table().code) == "not_in"
    assert (await state(screen))["error"] == "no_session"
    assert await error(screen, "screen", code=world.table().code, key=screen_key) == "bad_key"
    assert (await state(cy))["state"] == "in"
    assert (await dee.ask("enter", code=world.table().code, key=key, name="Dee", language="en"))["state"] == "asked"


# 4. A kick holds


@pytest.mark.parametrize("by_button", [True, False])
async def test_a_kicked_guest_stays_out_whatever_they_try(world: WebWorld, by_button: bool) -> None:
    host = await a_group(world, ANA)
    key, _ = await keys_of(host)
    cy = await enter(world, "192.0.2.3", "Cy", key=key)
    await cy.act("join")
    player = (await state(cy))["player"]
    opened = await world.service.run(find_page, cy.client.cookies["__Host-seat"])
    assert opened is not None
    stream = world.channel.streams.open(opened)
    assert stream is not None
    if by_button:
        await world.telegram_asks(ANA, Kick(player), table=1)
    else:
        await host.act("kick", player=player)
    assert [event.split("\n")[0] async for event in world.channel.streams.events(stream)][-1] == "event: end"
    await reads_nothing(cy, "kicked")
    code = world.table().code
    assert await error(cy, "look", code=code) == "kicked"
    new, _ = await keys_of(host)
    assert new != key
    for proof in (key, new, "", "x"):
        assert await error(cy, "enter", code=code, key=proof or None, name="Cy", language="en") == "kicked"
    again = await enter(world, "192.0.2.4", "Cy", key=key)
    assert (await state(again))["state"] == "asked", "without the cookie the old link is worth nothing"


async def test_after_a_rematch_a_kicked_guest_has_to_ask(world: WebWorld) -> None:
    ana, cy, _ = await a_room(world, "Ana", "Cy", "Dee")
    await ana.act("kick", player=(await state(cy))["player"])
    await ana.act("stop", confirmed=True)
    await ana.act("again", table=1)
    await reads_nothing(cy, "not_in")
    assert (await cy.ask("enter", code=world.table(2).code, name="Cy", language="en"))["state"] == "asked"


async def test_a_guest_who_waits_is_told_neither_the_title_nor_the_newest_code(world: WebWorld) -> None:
    host = await a_group(world, ANA)
    code = world.table().code
    dee = await enter(world, "192.0.2.3")
    await world.telegram_asks(ANA, Stop(confirmed=True), table=1)
    await world.telegram_asks(ANA, OpenLobby())
    told = (await dee.client.get("/seat/me")).text
    assert '"state":"asked"' in told
    assert "Friends" not in told
    assert world.table(2).code not in told
    assert code not in told
    assert host.token is not None


# Races, second accounts, what is told too early


async def test_two_who_come_at_the_same_moment_and_one_who_comes_twice(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    key, _ = await keys_of(ana)
    people = [world.browser(f"192.0.2.{n}") for n in range(20, 24)]
    await people[0].ask("open", name="Eve", language="en")
    code = world.table(1).code
    asked = [person.post("enter", code=code, key=key, name="Eve", language="en") for person in (*people, people[0])]
    assert {answer.status_code for answer in await asyncio.gather(*asked)} == {200}
    waiting = [world.browser(f"10.0.0.{n}") for n in range(MOST_ASKING + 5)]
    answers = await asyncio.gather(*(each.post("enter", code=code, name="Eve", language="en") for each in waiting))
    assert [answer.status_code for answer in answers].count(200) == MOST_ASKING


async def test_a_second_account_of_telegram_comes_in_by_neither_the_firsts_session_nor_its_answer(
    world: WebWorld,
) -> None:
    (guest,) = await a_room(world, "Cy")
    code = world.table().code
    first, second = await app(world, ANA), await app(world, BO, "198.51.100.2")
    waiting = (await guest.ask("room", do="show"))["asking"]
    await guest.ask("room", do="admit", player=waiting[0]["player"])
    assert ((await state(first))["state"], (await state(second))["state"]) == ("in", "asked")
    assert (await second.ask("look", code=code))["state"] == "asked"
    other = await app(world, ANA, "198.51.100.3")
    assert (await state(other))["state"] == "in", "on each of their devices"


async def test_a_page_learns_that_the_game_has_ended_with_the_last_dice(world: WebWorld) -> None:
    timings = world.service.config.timings.model_copy(update={"reveal_seconds": 2})
    world.service.config = replace(world.service.config, timings=timings)
    ana, cy = await a_room(world, "Ana", "Cy")
    await ana.act("option", option="starting_dice", value="1")
    await ana.act("start")
    for act, bid in (("bid", {"quantity": 1, "face": 2}), ("dudo", {})):
        card = await ana.card("round")
        before = (await ana.client.get("/seat/me")).json()
        assert (await (ana, cy)[card["turn"]].act(act, table=1, step=card["step"], **bid))["done"]
    assert world.table().game is not None
    assert (await ana.client.get("/seat/me")).json() == before
    await pass_time(world, 3)
    assert (await ana.client.get("/seat/me")).json()["tables"] == []


# 5. The television


@pytest.mark.parametrize("act", ["kick", "removed", "lock"])
async def test_the_key_of_the_television_ends_with_a_kick_a_removal_and_a_closed_door(
    world: WebWorld, act: str
) -> None:
    host = await a_group(world, ANA, BO)
    _, screen_key = await keys_of(host)
    (player,) = (row.id for row in world.rows(Player) if row.address == BO)
    match act:
        case "kick":
            await host.act("kick", player=player)
        case "removed":
            await world.telegram_asks(BO, i.MemberLeft())
        case _:
            await host.ask("room", do="lock")
    screen = world.browser("192.0.2.50")
    assert await error(screen, "screen", code=world.table().code, key=screen_key) == "bad_key"
    _, screen_key = await keys_of(host)
    assert (await screen.ask("screen", code=world.table().code, key=screen_key))["state"] == "in"


async def test_only_the_hosts_page_gets_the_key_of_the_television(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    _, screen_key = await keys_of(ana)
    assert screen_key
    dee = await enter(world, "192.0.2.3", key=(await keys_of(ana))[0])
    for page in (cy, dee):
        shown = await page.ask("room", do="show")
        assert shown["screen"] is None
        assert screen_key not in str(shown)


async def test_the_host_ends_the_screens_that_are_open(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    key, screen_key = await keys_of(ana)
    screen = world.browser("192.0.2.50")
    await screen.ask("screen", code=world.table().code, key=screen_key)
    assert await error(cy, "room", do="end_screens") == "not_host"
    await ana.ask("room", do="end_screens")
    assert (await state(screen))["error"] == "no_session"
    assert await error(screen, "screen", code=world.table().code, key=screen_key) == "bad_key"
    assert (await keys_of(ana))[0] == key, "the link for friends stays"
    assert (await state(cy))["state"] == "in"


async def test_a_request_whose_session_is_deleted_meanwhile_is_told_so(world: WebWorld) -> None:
    _, cy = await a_room(world, "Ana", "Cy")
    page = await world.service.run(find_page, cy.client.cookies["__Host-seat"])
    assert page is not None
    with world.database.transaction() as session:
        session.delete(session.get_one(WebSession, page.session))
    with pytest.raises(RefusedRequestError, match="no_session"):
        await world.service.run(page_state, page)


async def test_a_request_of_a_page_that_a_restored_backup_does_not_know_is_told_so(world: WebWorld) -> None:
    ana, _ = await a_room(world, "Ana", "Cy")
    run, code = world.service.run, world.table().code
    screen = (await world.browser().ask("pair"))["pairing"]["code"]
    key = (await ana.ask("room", do="keep_seat"))["seat"]["link"].partition("#seat=")[2]
    known = await run(find_page, ana.client.cookies["__Host-seat"])
    assert known is not None
    page = replace(known, session=10**6, player=10**6, chat=10**6)
    for answer in (
        run(page_state, page),
        run(look, page, code, lambda: None),
        run(room_state, page),
        run(change_room, page, "lock"),
        run(show_on_screen, page, screen),
    ):
        with pytest.raises(RefusedRequestError, match="no_session"):
            await answer
    opened, _, _ = await run(take_seat, page, code=code, key=key, language="en")
    assert opened.player == known.player, "the own link opens the seat"
