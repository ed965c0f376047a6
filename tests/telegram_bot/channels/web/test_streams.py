"""Streams over HTTP: stored events arrive in order, once, also those of another worker."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from sqlalchemy.exc import OperationalError

from telegram_bot.channels.web import streams
from telegram_bot.channels.web.card_store import TICKS, cards_after, put_card
from telegram_bot.channels.web.sessions import LEAST_ADDRESS
from telegram_bot.channels.web.streams import STREAMS_A_SESSION
from telegram_bot.notices import HostNotice
from telegram_bot.operations import web_server
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.operations.web_server import WebServer
from telegram_bot.presentation.cards import card_of
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import FORGOTTEN_SPAN, Chat, GameTable, KeyValue, Player
from telegram_bot.storage.web_models import WebCard, WebSession
from test_support.in_process_world import NOON
from test_support.web_world import Browser, Json, WebWorld, a_room

LONG = 200_000
LONG_CARDS = 60


@pytest.fixture
async def server(world: WebWorld, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[WebServer]:
    monkeypatch.setattr(web_server, "GONE_SECONDS", 600)  # on a busy machine others go on for a minute
    server = WebServer("127.0.0.1", 0, world.channel.routes(world.inbox), {}, streams=10)
    await server.start()
    yield server
    world.channel.streams.close()
    await server.stop()


@pytest.fixture
async def client(server: WebServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client:
        yield client


async def next_event(lines: AsyncIterator[str]) -> tuple[str, Json]:
    fields: dict[str, str] = {}
    async for line in lines:
        if not line and "event" in fields:
            break
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
    return fields["event"], json.loads(fields["data"])


def cookie(browser: Browser) -> str:
    return f"__Host-seat={browser.cookie}"


async def restored(browser: Browser) -> int:
    """The moment of a backup that the greeting of a page names."""
    told: int = json.loads((await browser.events())[0].partition("data: ")[2])["restored"]
    return told


async def test_a_page_is_told_when_a_backup_was_restored_that_may_not_know_what_it_shows(world: WebWorld) -> None:
    _, cy = await a_room(world, "Ana", "Cy")
    told = [await restored(cy)]
    with world.database.transaction() as session:
        session.merge(KeyValue(key=FORGOTTEN_SPAN, value="100.0 110.0"))
    told += [await restored(cy) for _ in range(2)]
    assert told == [0, 110, 110]


@pytest.mark.parametrize(("is_party", "told_last"), [(True, ['event: end\ndata: {"why":"over"}\n\n']), (False, [])])
async def test_an_open_page_is_told_of_its_partys_end(world: WebWorld, *, is_party: bool, told_last: list[str]) -> None:
    _, cy = await a_room(world, "Ana", "Cy")
    told = await cy.listen()
    world.channel.streams.is_party = is_party
    world.channel.streams.close()
    assert [event async for event in told] == told_last


async def test_a_page_whose_player_changed_the_language_elsewhere_begins_anew(world: WebWorld) -> None:
    _, cy = await a_room(world, "Ana", "Cy")
    told = await cy.listen()
    await cy.act("language", value="it")
    await world.channel.streams.sweep()
    assert await anext(told) == 'event: end\ndata: {"why":"moved"}\n\n'


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_cards_arrive_as_they_are_stored(world: WebWorld, client: httpx.AsyncClient, method: str) -> None:
    assert (await client.get("/seat/stream")).status_code == 401, "without a session there is none"
    ana, cy = await a_room(world, "Ana", "Cy")
    headers = {"Cookie": cookie(cy), "Origin": str(client.base_url)}
    async with client.stream(method, "/seat/stream", headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert (stream.headers["cache-control"], stream.headers["x-accel-buffering"]) == ("no-store", "no")
        lines = stream.aiter_lines()
        told = [await next_event(lines) for _ in range(3)]
        assert [name for name, _ in told] == ["hello", "card", "ready"]
        await ana.act("start")
        seen = [(await next_event(lines))[1] for _ in range(3)]
        assert {(card["card"], card["lane"]) for card in seen} == {
            *(("hand", "private"), ("lobby", "public"), ("round", "public"))
        }


async def test_a_session_has_three_streams_of_its_own_lanes_alone(world: WebWorld, client: httpx.AsyncClient) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    await ana.act("start")
    asked = {"after": "0.0", "address": str(world.rows(Player)[0].address), "room": "-1", "player": "1"}
    async with AsyncExitStack() as open_streams:

        async def read() -> AsyncIterator[str]:
            stream = client.stream("GET", "/seat/stream", params=asked, headers={"Cookie": cookie(cy)})
            return (await open_streams.enter_async_context(stream)).aiter_lines()

        reading = []
        for _ in range(STREAMS_A_SESSION):
            reading.append(lines := await read())  # who stops reading closes the stream
            hands = []
            while (event := await next_event(lines))[0] != "ready":
                hands += [event[1]["seat"] for _ in range(event[1].get("card") == "hand")]
            assert hands == [1]
        lines = await read()
        assert (await next_event(lines))[0] == "hello", "the player looks at the newest tab"
        assert await next_event(reading[0]) == ("end", {"why": "elsewhere"})


@pytest.mark.parametrize("limit", ["STREAMS_A_NETWORK", "MOST_STREAMS"])
async def test_an_address_and_a_worker_have_so_many_streams_and_no_more(
    world: WebWorld, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(streams, limit, 2)
    seats = [cookie(browser) for browser in await a_room(world, "Ana", "Cy", "Dee")]
    reading: list[AsyncIterator[str]] = []
    async with AsyncExitStack() as held:

        async def status(seat: str, address: str) -> int:
            headers = {"Cookie": seat, "X-Forwarded-For": address}
            stream = await held.enter_async_context(client.stream("GET", "/seat/stream", headers=headers))
            assert stream.headers.get("Retry-After") == (None if stream.status_code == 200 else "5")
            if stream.status_code == 200:
                reading.append(stream.aiter_lines())  # who stops reading closes the stream
                await next_event(reading[-1])
            return stream.status_code

        assert [await status(seat, "192.0.2.200") for seat in seats] == [200, 200, 429]
        assert await status(seats[2], "192.0.2.201") == (200 if limit == "STREAMS_A_NETWORK" else 429)


async def test_pages_that_read_at_the_same_moment_are_told_their_own_dice_alone(world: WebWorld) -> None:
    guests = await a_room(world, "Ana", "Cy", "Dee", "Eve")
    await guests[0].act("start")
    told = await asyncio.gather(*(guest.cards(anew=True) for guest in guests for _ in range(2)))
    hands = [[card["seat"] for card in cards if card["card"] == "hand"] for cards in told]
    assert hands == [[seat] for seat in range(4) for _ in range(2)]


async def test_a_tab_that_comes_back_takes_the_place_of_its_own_dead_stream(world: WebWorld) -> None:
    _, cy = await a_room(world, "Ana", "Cy")
    oldest, *_ = [world.channel.streams.events(await cy.stream(tab)) for tab in ("one", "two", "one")]
    while "event: ready" not in await anext(oldest):
        pass
    await cy.stream("one")
    assert [event async for event in oldest] == [], "its oldest stream ends"


async def test_a_page_comes_again_at_times_or_is_not_open(world: WebWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "QUIET_PING_SECONDS", 0.001)
    monkeypatch.setattr(streams, "MOST_SECONDS", 0.0095)
    _, cy = await a_room(world, "Ana", "Cy")
    told = [event async for event in world.channel.streams.events(await cy.stream())]
    assert told.count(": ping\n\n") == 9
    assert "again" in told[-1]


async def test_while_the_database_is_busy_a_page_comes_again_after_a_pause(
    world: WebWorld, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def busy(*_: object) -> None:
        raise OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))

    _, cy = await a_room(world, "Ana", "Cy")
    for seen in (0, 1):
        reading = world.channel.streams.events(await cy.stream())
        told = [await anext(reading) for _ in range(seen)]
        with monkeypatch.context() as away:
            away.setattr(world.database, "run", busy)
            told += [event async for event in reading]
        assert len(told) == seen, "an `end` would let the page come at once"
    ends = [(record.levelname, record.getMessage()) for record in caplog.records if "stream" in record.getMessage()]
    assert ends == [("WARNING", "the stream of a page ends: database is locked")] * 2


async def test_a_page_is_pinged_each_second_on_its_players_turn_and_else_seldom(world: WebWorld) -> None:
    ana, bo = await a_room(world, "Ana", "Bo")
    assert ": ping 5\n\n" in await ana.events(), "in the lobby"
    await ana.act("start")
    await ana.act("start")
    (turn,) = {(await ana.card("round"))["turn"]}
    on_turn, other = (ana, bo) if turn == 0 else (bo, ana)
    assert ": ping 5\n\n" in await other.events()
    assert ": ping 5\n\n" not in await on_turn.events()


async def test_a_page_that_reads_nothing_delays_nobody_and_is_told_only_the_newest_when_it_reads_again(
    world: WebWorld, server: WebServer, client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, cy = await a_room(world, "Ana", "Cy")
    page = await ana.page()
    assert page.room is not None
    assert page.lane is not None
    made: list[Json] = []

    def long_card(*told: Any) -> Json:
        made.append(card_of(*told) | {"long": "x" * LONG})
        return made[-1]

    monkeypatch.setattr(streams, "card_of", long_card)
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.connect(("127.0.0.1", server.port))
    slow, writer = await asyncio.open_connection(sock=narrow, limit=2)
    writer.write(f"GET /seat/stream HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie(cy)}\r\n\r\n".encode())
    async with client.stream("GET", "/seat/stream", headers={"Cookie": cookie(ana)}) as stream:
        lines = stream.aiter_lines()
        while (await next_event(lines))[0] != "ready":
            pass
        for number in range(LONG_CARDS):
            host = HostNotice(name=f"({number})")
            seq = await world.database.run(lambda session, host=host: put_card(session, page.room, "news", host, NOON))  # type: ignore[misc]
            assert seq is not None
            world.channel.streams.wake([page.lane])
            assert f"({number})" in (await next_event(lines))[1]["text"]
        of_the_slow = len(made) - LONG_CARDS
        assert of_the_slow < LONG_CARDS / 2, "the rest waits in no memory"
        while f"({LONG_CARDS - 1})".encode() not in await slow.read(2**20):
            pass
        assert len(made) - LONG_CARDS == of_the_slow + 1
    writer.close()
    await writer.wait_closed()


async def test_a_card_that_is_stored_again_after_a_kill_is_no_news(database: Database) -> None:
    def store(name: str, now: float) -> int:
        with database.transaction() as session:
            put_card(session, -7, "news", HostNotice(name=name), now)
            return cards_after(session, {-7: 0})[-1].seq

    first = store("Ana", NOON)
    assert store("Ana", NOON + 1) == first == NOON * TICKS
    assert store("Cy", NOON - 100) > first


@pytest.mark.parametrize("own_room", [False, True])
def test_a_room_keeps_the_cards_of_its_last_two_tables_and_its_own(database: Database, *, own_room: bool) -> None:
    with database.transaction() as session:
        room = Chat(id=7, channel="web", address=-LEAST_ADDRESS) if own_room else Chat(id=7, channel="sms", address=8)
        session.add(room)
        address = room.address if own_room else -room.id
        elsewhere = put_card(session, address - 1, "news", HostNotice(name="Eve"), NOON)
        assert elsewhere is not None
        put_card(session, address, "news", HostNotice(name="Ana"), NOON)
        for table in (1, 2, 3):
            of_room = {"chat_id": room.id, "live": False, "created_at": NOON, "updated_at": NOON}
            session.add(GameTable.model_validate(of_room | {"code": str(table), "status": "over", "state": {}}))
            put_card(session, address, "news", HostNotice(name="Ana"), NOON)
        kept = cards_after(session, {address: 0, address - 1: elsewhere})
    assert [card.table for card in kept] == [0, 2, 3]


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
async def test_a_guest_who_is_forgotten_leaves_no_session_and_no_card(database: Database) -> None:
    world = WebWorld(database)
    _, cy = await a_room(world, "Ana", "Cy")
    await cy.events()
    player = next(row for row in world.rows(Player) if row.name == "Cy")
    forgetting = PersonDeletion(world.service)
    await forgetting.leave(player.id)
    await world.settle()
    await forgetting.forget(player.id)
    assert not any(row.player_id == player.id for row in world.rows(WebSession))
    assert not any(row.address == player.address for row in world.rows(WebCard))
