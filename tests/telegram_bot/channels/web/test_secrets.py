"""No stream ever contains another player's die, or the end of a round before the group has seen it."""

import json
import random
import re
from itertools import product, zip_longest
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import Route

from perudo_core import load_state
from telegram_bot.channels.web.card_store import WebSender
from telegram_bot.delivery.sender import InvalidError
from telegram_bot.features.tournament.tables import Tournament
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import NoticeModel, PublicNotice
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Start
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, RoundEnd
from test_support.all_notices import BASE_NOTICES
from test_support.open_database import copy_migrated_database, open_database
from test_support.web_world import GROUP, WebWorld, a_room, a_screen, a_watched_room, init_data, keys_of
from tests.telegram_bot.conftest import round_state
from tests.telegram_bot.words.notice_examples import every_notice


def redeal(world: WebWorld, hands: dict[int, tuple[int, ...]]) -> None:
    """Give seats other dice, before any player has seen them."""
    with world.database.transaction() as session:
        row = session.get_one(GameTable, 1)
        state = json.loads(json.dumps(row.state))
        for seat, dice in hands.items():
            state["game"]["dice"][seat] = list(dice)
        load_state(state["game"])
        row.state = state
        row.version += 1


Hand = tuple[int, ...]
HANDS = st.tuples(*[st.integers(1, 6)] * 5)


async def streams_of_a_game(file: Path, hands: tuple[Hand, ...], bids: list[int]) -> list[str]:
    """The streams of the television and of three pages for a game with these hands, bid by bid."""
    database = open_database(f"sqlite:///{file}")
    try:
        world = WebWorld(database, seed=5)
        players = await a_room(world, "Ana", "Cy", "Dee")
        screen = await a_screen(world, players[0])
        await players[0].act("option", option="calza", value="true")
        await players[0].act("start")
        redeal(world, dict(enumerate(hands)))
        told = [""] * 4
        for number in bids:
            card = await screen.card("round")
            quantity, face = card["raises"][number % len(card["raises"])]
            await players[card["turn"]].act("bid", table=1, step=card["step"], quantity=quantity, face=face)
            for at, browser in enumerate((screen, *players)):
                told[at] += "".join(await browser.events())
        return told
    finally:
        database.close()


@given(
    hands=st.tuples(HANDS, HANDS, HANDS),
    other=HANDS,
    seat=st.integers(0, 2),
    bids=st.lists(st.integers(0, 7), min_size=3, max_size=3),
)
@settings(max_examples=4, suppress_health_check=[HealthCheck.too_slow])
async def test_two_games_that_differ_in_one_hand_are_told_to_all_others_in_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    hands: tuple[Hand, ...],
    other: Hand,
    seat: int,
    bids: list[int],
) -> None:
    folder = tmp_path_factory.mktemp("twins")
    dealt = hands, (*hands[:seat], other, *hands[seat + 1 :])
    one, two = [
        await streams_of_a_game(copy_migrated_database(folder / f"{number}.db"), each, bids)
        for number, each in enumerate(dealt)
    ]
    mine = 1 + seat
    assert [*one[:mine], *one[mine + 1 :]] == [*two[:mine], *two[mine + 1 :]]
    assert (one[mine] == two[mine]) is (hands[seat] == other), "each bidder is shown their own dice"
    assert '"dice":[' not in one[0].replace('"dice":[]', "")


def test_a_room_takes_only_what_everybody_may_read() -> None:
    kinds: tuple[type[NoticeModel], ...] = (*BASE_NOTICES, PublicNotice)
    assert {kind.__name__ for kind in kinds if kind.is_public} == {
        "LobbyNotice", "SeatHandoverNotice", "StartedNotice", "ClosedNotice", "TableNotice", "CallNotice",
        "RevealNotice", "GameOverNotice", "PausedNotice", "ResumedNotice", "HostNotice", "PublicNotice",
    }  # fmt: skip


async def test_a_hand_cannot_enter_a_room(database: Database) -> None:
    sender = WebSender(database, lambda: 0.0, lambda _: None)
    for notice in every_notice(str):
        if not notice.is_public:
            with pytest.raises(InvalidError):
                await sender.send(Envelope(channel="web", chat=-7, notice=notice), None)


async def test_the_dice_reach_pages_when_they_reach_the_group(database: Database) -> None:
    world = WebWorld(database, reveal_seconds=2)
    await world.lobby_in_telegram(11, 12)
    page = world.browser()
    await page.ask("app", init_data=init_data(11, world.now), code=world.code)
    await page.events()
    await world.telegram_asks(11, Start(), table=1)
    for what in (MakeBid(2, 3), CallDudo()):
        table = world.table()
        await world.telegram_asks(11 + (table.begun_game.turn or 0), what, table=1, step=table.step)
    cards = await page.cards(anew=True)
    assert world.telegram.to(GROUP)[-1] == "call"
    assert [card["card"] for card in cards if card["lane"] == "public"][-1] == "call"
    assert not any(card["card"] == "reveal" or card.get("round") == 2 for card in cards)
    world.now += 3
    await world.settle()
    order = [card["card"] for card in await page.cards(anew=True) if card["lane"] == "public"]
    assert order.index("reveal") < order.index("round")
    assert "reveal" in world.telegram.to(GROUP)


RANDOM: Final = re.compile(r'"pairing":{.*?]}|[\w-]{20,}')


async def told_before_the_dice(
    file: Path, hands: tuple[str, str], *, has_list: bool
) -> list[tuple[str, str, int, str]]:
    """The answers of each route to players, a guest who watches, a television and a stranger, after the last call."""
    database = open_database(f"sqlite:///{file}")
    world = WebWorld(database, seed=5, reveal_seconds=5)
    players, screen = await a_watched_room(world, "Ana", "Bo")
    watcher, stranger = (world.browser(f"192.0.2.{host}") for host in (70, 71))
    code, (key, screen_key) = world.code, await keys_of(players[0])
    await watcher.enter("Cy", key=key)
    for _ in range(2):  # the first time newcomers are taught
        await players[0].act("start")
    table = world.table()
    with database.transaction() as session:
        row = session.get_one(GameTable, 1)
        rules = table.rules.with_options(lose_by_difference=True)
        row.state = table.replace(rules=rules, game=round_state(rules, hands)).model_dump(mode="json")
        if has_list:
            listed: dict[str, Any] = {"code": "LST222", "rules": {}, "changed_at": world.now}
            session.add(Tournament(chat_id=row.chat_id, host_id=table.seats[1].player, **listed))
    step = world.table().step
    await players[0].act("bid", table=1, step=step, quantity=2, face=5)
    await players[1].act("dudo", table=1, step=step + 1)
    assert [end.dice_at - world.now for end in world.rows(RoundEnd)] == [5]
    usual: dict[str, Any] = {"code": code, "key": key, "name": "Eve", "language": "en", "seat": screen_key}
    usual |= {"do": "show", "after": "", "act": "again", "id": "1", "table": 1, "offset": 0}
    told = []
    askers = {"Ana": players[0], "Bo": players[1], "the watcher": watcher, "a television": screen}
    askers["a stranger"] = stranger
    for (name, browser), route in product(askers.items(), world.app.routes):
        assert isinstance(route, Route)
        if route.path == "/seat/stream":
            continue  # it does not end: its events are read below
        cookies, world.service.rng = dict(browser.client.cookies), random.Random(1)
        if "GET" in (route.methods or ()):
            answer = await browser.client.get(route.path.replace("{code}", code), params=usual)
        else:
            answer = await browser.post(route.path.rpartition("/")[2], **usual)
        browser.client.cookies.clear()
        browser.client.cookies.update(cookies)
        told.append((name, route.path, answer.status_code, RANDOM.sub("…", answer.text)))
    told += [
        (name, "stream", 200, event)
        for name, browser in askers.items()
        if browser is not stranger
        for event in await browser.events()
        if not ("practice_dice" in event or '"card":"hand"' in event)  # drawn by chance, or one's own
    ]
    database.close()
    return told


@pytest.mark.parametrize("has_list", [False, True], ids=["a_room", "a_room_with_a_list"])
async def test_no_route_tells_of_a_games_end_before_its_dice(tmp_path: Path, has_list: bool) -> None:
    goes_on, *over = [
        await told_before_the_dice(copy_migrated_database(tmp_path / f"{number}.db"), hands, has_list=has_list)
        for number, hands in enumerate((("52", "3"), ("22", "3"), ("55", "3")))
    ]
    for answers in over:
        differing = [f"{one}\n{other}" for one, other in zip_longest(answers, goes_on) if one != other]
        assert not differing, "\n\n".join(differing)
