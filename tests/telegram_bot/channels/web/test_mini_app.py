"""The Mini App: Telegram proves who opened it; its bids cost no private message; no message is lost when it closes."""

from urllib.parse import parse_qsl, urlencode

import pytest

from telegram_bot.channels.telegram.buttons import SeatPages
from telegram_bot.channels.telegram.keyboards import seat_rows
from telegram_bot.channels.web.init_data import OLDEST_SECONDS, InitDataError, read_init_data
from telegram_bot.channels.web.streams import GRACE_SECONDS, OPEN_SECONDS
from telegram_bot.intents import intents as i
from telegram_bot.notices import LobbyNotice, TableNotice
from telegram_bot.service.handlers.ending import Stop
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start
from telegram_bot.words.catalogue import catalogue
from test_support.in_process_world import NOON
from test_support.web_world import GROUP, TOKEN, Browser, WebWorld, from_group, init_data
from tests.telegram_bot.words.notice_examples import every_notice

ANA, BO, EVE = 11, 12, 13


def signed(*, at: float = NOON, user: int = ANA, token: str = TOKEN, **more: str) -> str:
    return init_data(user, at, token=token, **more)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "hash=1",
        signed(token="123456:another"),
        signed() + "&user=%7B%22id%22%3A12%7D",
        "user=%7B%22id%22%3A12%7D&" + signed(),
        "user&" + signed(),
        urlencode([(name, value) for name, value in parse_qsl(signed()) if name != "signature"]),
        urlencode(dict(parse_qsl(signed())) | {"auth_date": str(int(NOON) + 1)}),
        signed(user="nobody"),  # type: ignore[arg-type]
    ],
)
def test_forged_init_data_is_refused(data: str) -> None:
    with pytest.raises(InitDataError) as refused:
        read_init_data(data, TOKEN, NOON)
    assert not refused.value.is_old


def test_init_data_names_its_person_for_a_day_and_without_a_token_nobody_is_believed() -> None:
    person = read_init_data(signed(at=NOON - OLDEST_SECONDS + 1, start_param=""), TOKEN, NOON).person
    assert (person.channel, person.address, person.name, person.language) == ("telegram", ANA, "Ana", "it")
    for seconds in (OLDEST_SECONDS + 1, -400):
        with pytest.raises(InitDataError) as refused:
            read_init_data(signed(at=NOON - seconds), TOKEN, NOON)
        assert refused.value.is_old
    with pytest.raises(InitDataError):
        read_init_data(signed(token=""), "", NOON)


async def a_game(world: WebWorld) -> Browser:
    """Ana and Bo play in the group, both with their private chats open; Ana opens the Mini App."""
    await world.lobby_in_telegram(ANA, BO)
    browser = world.browser()
    state = await browser.ask("app", init_data=signed(), code=world.code)
    assert (state["state"], state["kind"], state["tables"][0]["code"]) == ("in", "telegram", world.code)
    return browser


async def bid(world: WebWorld, quantity: int, table: int = 1, **where: i.Place) -> None:
    now = world.table(table)
    person = (ANA, BO)[now.begun_game.turn or 0]
    await world.telegram_asks(person, MakeBid(quantity, 3), table=table, step=now.step, **where)


async def test_a_private_message_asks_who_is_on_turn_only_once_the_app_is_closed(world: WebWorld) -> None:
    app = await a_game(world)
    await app.events()
    await world.telegram_asks(ANA, Start(), table=1)
    before = world.telegram.to(ANA)
    for quantity in (1, 2, 3, 4):
        await bid(world, quantity)
    assert len(world.telegram.to(BO)) > 0
    hand = await app.card("hand")
    assert hand["table"] == 1
    assert len((await app.card("round"))["bids"]) == 4
    if world.table().begun_game.turn != 0:
        await bid(world, 5)
    await app.events()
    await world.channel.streams.sweep()
    assert world.telegram.to(ANA) == before, "a phone that changes its network comes back"
    world.now += GRACE_SECONDS
    await world.channel.streams.sweep()
    await world.settle()
    assert world.telegram.to(ANA) == [*before, "hand"]


async def test_a_page_that_shows_another_room_leaves_the_dice_to_the_private_chat(world: WebWorld) -> None:
    app = await a_game(world)
    await app.events()
    elsewhere = i.Place("telegram", GROUP - 1, title="Others")
    for person, request, table in ((ANA, OpenLobby(), None), (BO, Join(), 2), (ANA, Start(), 2)):
        await world.telegram_asks(person, request, table=table, where=elsewhere)
    assert world.telegram.to(ANA)[-2:] == ["hand", "outdated"], "the dice, and the menu goes"
    before = len(world.telegram.to(ANA))
    await app.ask("look", code=world.table(2).code)
    await app.events()
    assert (await app.card("hand"))["table"] == 2, "the page shows this room now"
    while world.table(2).begun_game.turn == 0:
        await bid(world, 1, table=2, where=elsewhere)
    assert len(world.telegram.to(ANA)) == before


async def test_a_page_whose_worker_died_does_not_stay_open(world: WebWorld) -> None:
    app = await a_game(world)
    await world.telegram_asks(ANA, Start(), table=1)
    stream = world.channel.streams.events(await app.stream())
    await anext(stream)
    world.now += OPEN_SECONDS
    before = len(world.telegram.to(ANA))
    await world.channel.streams.sweep()
    await world.settle()
    assert len(world.telegram.to(ANA)) > before
    await stream.aclose()


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_page_shows_its_groups_newest_lobby_and_the_last_tables_end(world: WebWorld, *, is_open: bool) -> None:
    app = await a_game(world)
    await app.events()
    await world.telegram_asks(ANA, Stop(confirmed=True), table=1)
    world.now += 0 if is_open else OPEN_SECONDS
    await world.telegram_asks(ANA, OpenLobby())
    await world.telegram_asks(BO, Join(), table=2)
    assert [(card["card"], card["table"]) for card in await app.cards(anew=True)] == [("closed", 1), ("lobby", 2)]
    await world.telegram_asks(ANA, Start(), table=2)
    assert {card["table"] for card in await app.cards(anew=True) if card["lane"] == "public"} == {2}


async def test_a_member_of_the_group_takes_a_seat_in_the_app_also_from_a_private_chat(world: WebWorld) -> None:
    await world.telegram_asks(ANA, OpenLobby())
    app = world.browser()
    launch = init_data(BO, NOON, **from_group(world.code))
    assert (await app.ask("app", init_data=launch, code=world.code))["state"] == "in"
    assert (await app.act("join", table=1))["done"]
    assert [seat.name for seat in world.table().seats] == [f"Person {ANA}", "Ana"]
    world.members[EVE] = True
    assert (await world.browser().ask("app", init_data=signed(user=EVE), code=world.code))["state"] == "in"


@pytest.mark.parametrize("launch", ["no link", "the link of another table", "another group", "Telegram denies it"])
async def test_an_account_that_is_not_in_the_group_waits_for_the_host(world: WebWorld, launch: str) -> None:
    await world.telegram_asks(ANA, OpenLobby())
    code = world.code
    fields = {"no link": {}, "the link of another table": from_group("ABC234"), "another group": from_group(code, "1")}
    world.members |= {BO: False} if launch == "Telegram denies it" else {}
    app = world.browser()
    told = await app.ask("app", init_data=init_data(BO, NOON, **fields.get(launch, from_group(code))), code=code)
    assert (told["state"], told["table"], told["title"]) == ("asked", None, "")
    assert [card for card in await app.cards(anew=True) if card["lane"] == "public"] == []
    assert await app.error("room", do="show") == "no_table"
    assert await app.error("act", id="x", act="join") == "no_table"
    told = await app.ask("app", init_data=init_data(BO, NOON, **from_group(code)), code=code)
    assert told["state"] == ("asked" if launch == "Telegram denies it" else "in"), "the group's button lets them in"


def test_groups_open_the_seat_by_link_and_the_hosts_private_chat_opens_table_and_television_by_page() -> None:
    pages, w = SeatPages("https://perudo.test", "seat"), catalogue("en")
    notices = list(every_notice(str))
    table = next(each for each in notices if isinstance(each, TableNotice) and each.view.code and not each.unreachable)
    (row,) = seat_rows(table, w, pages, bot="perudo_bot", registered=True)
    assert row[0]["url"] == f"https://t.me/perudo_bot/seat?startapp={table.view.code}"
    assert seat_rows(table, w, pages, bot="perudo_bot", registered=False) == []
    lobby = next(each for each in notices if isinstance(each, LobbyNotice) and each.menu is None)
    assert seat_rows(lobby, w, pages, bot="perudo_bot", registered=True) == []
    (row,) = seat_rows(lobby.model_copy(update={"to_host": True}), w, pages, bot="perudo_bot", registered=False)
    assert [key["text"] for key in row] == ["🪑 Open the table", "📺 Television"]
    assert row[1]["web_app"]["url"] == pages.page(lobby.view.code) + "_tv"
