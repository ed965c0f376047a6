"""Guests open a link, sit down, play and return; no other visitor can."""

from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from telegram_bot.channels.web import card_store
from telegram_bot.channels.web.limits import MOST
from telegram_bot.channels.web.routes import MOST_BYTES
from telegram_bot.channels.web.source import guest_name
from telegram_bot.notices import RejectionNotice
from telegram_bot.notices.rendering import toast_text
from telegram_bot.service.handlers.pages import AnswerKnock
from telegram_bot.storage.database import Database, TakenOverError
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.storage.web_models import WebSession
from telegram_bot.tables.model import Table
from telegram_bot.words.catalogue import catalogue
from test_support.web_world import Browser, Json, WebWorld, a_room, bid_and_doubt, keys_of

ANA, BO = 11, 12


async def test_two_guests_play_from_the_link_to_a_winner(world: WebWorld, caplog: pytest.LogCaptureFixture) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    lobby = await cy.card("lobby")
    assert [(seat["name"], seat["guest"]) for seat in lobby["seats"]] == [("Ana", True), ("Cy", True)]
    await ana.act("option", option="starting_dice", value="1")
    assert (await ana.act("start"))["done"]
    for act in ("bid", "dudo"):
        card = await ana.card("round")
        assert (await (ana, cy)[card["turn"]].act(act, table=1, step=card["step"], quantity=1, face=2))["done"]
    assert (await cy.card("over"))["winner_name"] in ("Ana", "Cy")
    assert "not accepted" not in caplog.text, "a room is sent nothing that it does not take"
    assert (await cy.act("again", table=1))["done"]

    async def tables_of_cards() -> set[int]:
        return {card["table"] for card in await ana.cards(anew=True) if card["lane"] == "public"}

    assert await tables_of_cards() == {1, 2}, "the end of the game stays while its host is awaited"
    assert (await ana.act("again", table=1))["done"]
    assert await tables_of_cards() == {1, 2}, "and can be looked back at from the lobby"
    assert (await ana.act("start"))["done"]
    assert await tables_of_cards() == {2}


async def a_visitor(world: WebWorld, host: Browser) -> Browser:
    """Dee, who comes in by the link and has no seat."""
    dee = world.browser("192.0.2.9")
    await dee.enter("Dee", key=(await keys_of(host))[0])
    return dee


async def test_a_guest_who_watched_plays_in_the_next_game_which_awaits_its_host(world: WebWorld) -> None:
    ana, _ = await a_room(world, "Ana", "Cy")
    await ana.act("start")
    dee = await a_visitor(world, ana)
    await ana.act("stop", table=1, confirmed=True)
    assert (await dee.act("again", table=1))["text"] == "You play again too. Ana starts the game."
    lobby = await dee.card("lobby")
    assert (lobby["host"], lobby["awaits_host"]) == (world.table(2).seats[0].player, True)
    assert not (await ana.act("dudo"))["done"], "nothing is called in a lobby, but the host is there"
    assert not (await dee.card("lobby"))["awaits_host"]
    assert (await ana.act("start"))["done"]


async def test_who_only_watches_changes_nothing_and_may_play_for_a_host_who_is_away(world: WebWorld) -> None:
    players = await a_room(world, "Ana", "Bo", "Cy")
    await players[0].act("start")
    dee = await a_visitor(world, players[0])
    card = await dee.card("round")
    await players[card["turn"]].act("bid", table=1, step=card["step"], quantity=1, face=2)
    before = world.table()
    for act, more in ACTS_OF_PLAYERS.items():
        answer = await dee.act(act, table=1, step=card["step"] + 1, **more)
        assert (answer["done"], world.table()) == (False, before), act
    with world.database.transaction() as session:
        row = session.get_one(GameTable, 1)
        row.state = Table.model_validate(row.state).with_seat(0, away=True, misses=1).model_dump(mode="json")
    ana = world.table().seats[0].player
    assert (await dee.act("play_for", table=1, player=ana))["done"]
    assert world.table().seats[0].player == ana, "until all dice are rolled again"
    assert not [card for card in await dee.cards(anew=True) if card["card"] == "hand"]
    await players[1].act("leave", table=1, confirmed=True)
    assert [seat.name for seat in world.table().seats] == ["Dee", "Bo", "Cy"]
    assert (await dee.card("hand"))["dice"] == list(world.table().begun_game.dice[0])
    assert (await players[0].room())["host"], "the one who opened the room came in by no link"
    assert (await players[0].card("round"))["seats"][0]["owner"] == ana
    assert (await players[0].act("back", table=1))["done"]
    assert world.table().seats[0].next is not None


ACTS_OF_PLAYERS: dict[str, Json] = {
    "leave": {"confirmed": True},
    "start": {},
    "stop": {"confirmed": True},
    "back": {},
    "dudo": {},
    "calza": {},
    "option": {"option": "calza", "value": "true"},
    "bid": {"quantity": 2, "face": 2},
    "kick": {"player": 1},
    "computers": {"count": 1},
}


async def test_a_guest_chooses_an_animal_that_no_other_player_has_in_the_room_or_at_the_door(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    assert (await ana.act("face", value="cat"))["done"]
    assert (await cy.act("face", value="cat"))["done"]
    seats = (await ana.card("lobby"))["seats"]
    assert seats[0]["face"] == "🐱" != seats[1]["face"]
    assert seats[0]["colour"] != seats[1]["colour"]
    await cy.act("leave")
    await cy.enter("Cyd", face="snail")
    await cy.act("join")
    seat = (await ana.card("lobby"))["seats"][1]
    assert (seat["name"], seat["face"]) == ("Cyd", "🐌")
    assert (await cy.post("enter", code=world.code, name="Cy", face="dragon")).status_code == 400
    assert (await cy.post("act", id="x", act="face", value="dragon")).status_code == 400


async def test_guests_of_one_name_are_told_apart_and_nobody_passes_for_a_computer_player(world: WebWorld) -> None:
    ana, cy, *_ = await a_room(world, "I'm @Ana", "mi chiamo Cy", "\u0410n\u0430", "🤖 Cy", "A\u200bna")
    assert [seat["name"] for seat in (await ana.card("lobby"))["seats"]] == [
        *("Ana", "Cy", "\u0410n\u0430 2", "Cy 2", "A\u200bna 3")
    ]
    await cy.act("name", value="@ana")
    assert [seat["name"] for seat in (await ana.card("lobby"))["seats"]][1] == "ana 4"
    await world.browser("192.0.2.77").enter("Ana")
    assert [each["name"] for each in (await ana.room())["asking"]] == ["Ana 5"]


NAMES = {
    "@durov": "durov",
    "https://evil.example/x": "https evil example x",
    "Ana t.me/evil": "Ana t me evil",
    "Ana /start": "Ana start",
    "#Ana $BTC": "Ana BTC",
    "+39 06 1234567": "39 06 1234567",
    "J. R.": "J. R.",
    "I'm Ana": "Ana",
    "mi chiamo Cy": "Cy",
    "call me Gran": "Gran",
}


def test_a_guests_name_is_plain_text_without_an_introduction() -> None:
    assert {name: guest_name(name) for name in NAMES} == NAMES


async def test_a_guest_comes_back_after_a_reload_and_an_act_that_is_sent_again_counts_once(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    await ana.act("start")
    before = await cy.card("hand")
    again = world.browser("203.0.113.5")  # another network
    again.client.cookies = cy.client.cookies
    state = await again.state()
    assert (state["state"], state["name"]) == ("in", "Cy")
    assert await again.card("hand") == before
    card = await ana.card("round")
    browser = (ana, cy)[card["turn"]]
    bid = {"table": 1, "step": card["step"], "quantity": 1, "face": 2}
    first = await browser.act("bid", id="one", **bid)
    second = await browser.act("bid", id="one", **bid)
    assert second == first | {"repeated": True}
    assert len((await ana.card("round"))["bids"]) == 1


async def test_without_the_key_the_host_is_asked(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    code = world.code
    dee = world.browser("192.0.2.3")
    assert (await dee.ask("enter", code=code, name="Dee", language="en"))["state"] == "asked"
    assert await dee.cards(anew=True) == []
    assert (await dee.post("act", id="x", act="join")).status_code == 403
    knock = await ana.card("knock")
    assert knock["name"] == "Dee"
    assert await cy.error("room", do="admit", player=knock["player"]) == "not_host"
    assert (await ana.room())["asking"] == [{"player": knock["player"], "name": "Dee"}]
    for _ in range(2):  # a page repeats it when the answer is lost
        assert (await ana.ask("room", id="one", do="admit", player=knock["player"]))["asking"] == []
    assert (await dee.card("admitted"))["text"] == "You're in!"
    assert (await dee.act("join"))["done"]


@pytest.mark.parametrize("admit", [True, False])
async def test_a_host_in_telegram_answers_there_and_only_the_host(world: WebWorld, admit: bool) -> None:
    await world.lobby_in_telegram(ANA, BO)
    cy = world.browser()
    assert await cy.enter("Cy") == "asked"
    knock = world.telegram.sent[-1]
    assert (knock.chat, knock.notice.kind) == (ANA, "guest")
    (player,) = (row.id for row in world.rows(Player) if row.name == "Cy")
    what = AnswerKnock(player, admit=admit)
    told = [(await world.telegram_asks(who, what, where=None, table=1)).toast for who in (BO, ANA, ANA)]
    assert [toast and toast_text(toast, catalogue("en")) for toast in told[1:]] == [
        "Cy can take a seat now." if admit else "Cy stays outside.",
        "No one is waiting any more.",
    ]
    assert isinstance(told[0], RejectionNotice)
    assert [card["card"] for card in await cy.cards(anew=True)][-1] == ("admitted" if admit else "refused")
    assert (await cy.post("act", id="x", act="join")).status_code == (200 if admit else 403)


POSTS = ("enter", "open", "app", "screen", "look", "act", "room")
ORIGINS = ("https://elsewhere.test", "", "null", "http://[", "http://[x]", "//")


async def test_other_sites_and_what_is_too_long_or_no_json_are_refused(world: WebWorld) -> None:
    (ana,) = await a_room(world, "Ana")
    asked = {"do": "renew", "act": "leave", "id": "x"}
    for name in (*POSTS, "pair"):
        for headers in ({"Sec-Fetch-Site": "cross-site"}, *({"Origin": origin} for origin in ORIGINS)):
            answer = await ana.client.post(f"/seat/{name}", json=asked, headers=headers)
            assert (answer.status_code, answer.json()["error"]) == (403, "foreign"), (name, headers)
    for name in POSTS:
        assert await ana.refused(name, name="A" * MOST_BYTES) == (413, "too_long")
        unreadable = (b"", b"[]", b'{"act": "leave"', b"[" * MOST_BYTES, b'{"id": NaN}')
        for content in (*unreadable, rb'{"code": "\ud800", "name": "Eve"}', rb'{"code": "a\u0000b", "name": "Eve"}'):
            sent = {"content": content, "headers": {"Content-Type": "application/json"}}
            answer = await ana.client.post(f"/seat/{name}", **sent)  # type: ignore[arg-type]
            told = answer.status_code, answer.json()["error"]
            assert told in ((400, "bad_request"), (403, "bad_init_data")), (name, content)
    assert len(world.table().seats) == 1


async def test_who_acts_too_often_has_to_wait_and_the_others_play_on(world: WebWorld) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    while (answer := await cy.post("act", id="again", act="twice", value=True)).status_code == 200:
        cy.acts += 1
    assert cy.acts == MOST["act"]
    names = [(await ana.post("act", id=f"n{n}", act="name", value=f"Ana {n}")).status_code for n in range(10)]
    assert names == [200] * MOST["name"] + [429] * (10 - MOST["name"])
    assert (answer.status_code, answer.json()["error"]) == (429, "too_many")
    assert (await ana.act("start"))["done"]
    world.now += int(answer.headers["Retry-After"])
    assert (await cy.act("twice", value=False))["done"]


async def test_a_key_opens_its_room_alone_and_is_in_no_log(world: WebWorld, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    (ana,) = await a_room(world, "Ana")
    key, screen_key = await keys_of(ana)
    other = (await world.browser("192.0.2.7").ask("open", name="Bo", language="en"))["code"]
    dee, screen = world.browser("192.0.2.8"), world.browser("192.0.2.9")
    assert await dee.enter(code=other, key=key) == "asked"
    for wrong in (key, screen_key):
        assert await screen.error("screen", code=other, key=wrong) == "bad_key"
    token = (await screen.ask("screen", code=world.code, key=screen_key))["token"]
    for secret in (key, screen_key, token, dee.client.cookies["__Host-seat"]):
        assert secret not in caplog.text


async def test_a_knock_at_the_end_of_a_game_waits_for_the_reveal(database: Database) -> None:
    world = WebWorld(database, reveal_seconds=2)
    ana, cy = await a_room(world, "Ana", "Cy")
    await ana.act("option", option="starting_dice", value="1")
    await world.browser("192.0.2.3").enter()
    player = (await ana.card("knock"))["player"]
    await ana.act("start")
    await bid_and_doubt(ana, cy)
    answer = await ana.post("room", do="admit", player=player)
    assert (answer.status_code, answer.json()["error"], answer.headers["Retry-After"]) == (503, "one_moment", "2")
    world.now += 3
    await world.settle()
    assert (await ana.room("admit", player=player))["asking"] == []


async def test_the_cookie_is_out_of_reach_for_scripts_other_sites_and_readers_of_the_database(world: WebWorld) -> None:
    answer = await world.browser().post("open", name="Ana", language="en")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-seat=")
    assert cookie.partition("=")[2].partition(";")[0] not in {row.token_hash for row in world.rows(WebSession)}
    for part in ("HttpOnly", "Secure", "Path=/", "SameSite=lax"):
        assert part in cookie
    assert answer.headers["Cache-Control"] == "no-store"


async def test_a_card_arrives_although_the_database_was_busy(world: WebWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    busy = [OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))]
    put_card = card_store.put_card

    def put(*arguments: Any) -> int | None:
        if busy:
            raise busy.pop()
        return put_card(*arguments)

    ana, _ = await a_room(world, "Ana", "Cy")
    for _ in range(2):  # the first time newcomers are taught
        await ana.act("start")
    monkeypatch.setattr(card_store, "put_card", put)
    await ana.act("leave")
    world.now += 5
    await world.settle()
    assert busy == []
    assert (await ana.card("question"))["lane"] == "private"


@pytest.mark.parametrize(
    "error", [OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked")), TakenOverError()], ids=repr
)
async def test_a_page_repeats_a_request_while_the_database_is_busy_or_another_process_takes_over(
    world: WebWorld, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def busy(*_: object) -> None:
        raise error

    browser = world.browser()
    with monkeypatch.context() as away:
        away.setattr(world.database, "run", busy)
        answer = await browser.client.post("/seat/open", json={"name": "Ana", "language": "en"})
    assert (answer.status_code, answer.json()["error"]) == (503, "try_again")
    assert answer.headers["Retry-After"] == "1"
    assert (await browser.ask("open", name="Ana", language="en"))["state"] == "in"


@pytest.mark.parametrize(
    ("link", "meant"),
    [
        ("/t/ABC234%23KEY-_1", "/t/ABC234#KEY-_1"), ("/t/ABC234%23seat%3DKEY", "/t/ABC234#seat=KEY"),
        ("/tv/ABC234/%23KEY", "/tv/ABC234#KEY"), ("/t/ABC234/", "/t/ABC234"), ("/t/ABC234).", "/t/ABC234"),
        ("/t/", "/t"), ("/tv/", "/tv"), ("/t/%E0%A4%A", "/t"), ("/t//evil.test", "/t"), ("/t/ABC234", None),
        ("/tv", None),
    ],
)  # fmt: skip
async def test_a_link_that_a_messenger_changed_leads_as_before(world: WebWorld, link: str, meant: str | None) -> None:
    answer = await world.browser().client.get(link)
    assert (answer.status_code, answer.headers.get("location")) == ((200, None) if meant is None else (307, meant))


async def test_a_key_asks_for_a_second_tap_as_long_as_the_server_counts_it_if_wanted(world: WebWorld) -> None:
    pages = await a_room(world, "Ana", "Cy")
    await pages[0].act("option", option="calza", value="true")
    await pages[0].act("start")
    card = await pages[0].card("round")
    await pages[card["turn"]].act("bid", table=1, step=card["step"], quantity=1, face=2)
    step, caller = world.table().step, pages[1 - card["turn"]]
    for value in (False, True):
        await caller.act("twice", value=value)
        assert (await caller.state())["twice"] is value
    asked = await caller.act("calza", table=1, step=step)
    assert asked["reason"] == "tap_again"
    world.now += asked["seconds"] + 0.1
    assert (await caller.act("calza", table=1, step=step))["reason"] == "tap_again", "the key asked no more"
    world.now += asked["seconds"] - 0.1
    assert (await caller.act("calza", table=1, step=step))["done"]


async def test_a_page_of_another_room_opens_no_table_and_no_refusal_names_a_command_of_chats(world: WebWorld) -> None:
    ana, _ = await a_room(world, "Ana", "Cy")
    assert (await ana.act("join"))["text"] == "You're in already."
    await ana.act("stop", table=1, confirmed=True)
    (eve,) = await a_room(world, "Eve")
    answer = await eve.act("again", table=1)
    assert (answer["done"], answer["text"]) == (False, "There's no game here.")
    assert len(world.rows(GameTable)) == 2
