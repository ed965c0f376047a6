"""No stream ever holds another player's die; nothing of a round's end goes out before the group has seen it."""

import json
from pathlib import Path
from shutil import copyfile

import pytest

from perudo_core import load_state
from telegram_bot.channels.web.card_store import WebSender
from telegram_bot.delivery.sender import InvalidError
from telegram_bot.service import intents as i
from telegram_bot.service.notices import PUBLIC, Envelope
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from test_support.web_world import WebWorld, a_room
from tests.telegram_bot.words.notice_examples import every_notice


def redeal(world: WebWorld, hands: dict[int, tuple[int, ...]]) -> None:
    """Let seats hold other dice, before anybody is told of them."""
    with world.database.transaction() as session:
        row = session.get_one(GameTable, 1)
        state = json.loads(json.dumps(row.state))
        for seat, dice in hands.items():
            state["game"]["dice"][seat] = list(dice)
        load_state(state["game"])
        row.state = state
        row.version += 1


async def streams_of_a_game(database: Database, others: tuple[int, ...]) -> tuple[str, str]:
    """What Ana's page and the big screen are told of a game in which Cy holds these dice, until Cy is doubted."""
    world = WebWorld(database, seed=5)
    ana, cy, dee = await a_room(world, "Ana", "Cy", "Dee")
    link = (await ana.ask("room", do="show"))["link"]
    screen = world.browser("192.0.2.77")
    await screen.ask("screen", code=world.table().code, key=link.partition("#")[2])
    await ana.act("start")
    redeal(world, {1: others, 2: others[::-1]})
    told = ["".join(await ana.events("0.0")), "".join(await screen.events("0.0"))]
    for quantity in (1, 2, 3, 4):
        card = await ana.card("round")
        browser = (ana, cy, dee)[card["turn"]]
        await browser.act("bid", table=1, step=card["step"], quantity=quantity, face=3)
        told[0] += "".join(await ana.events("0.0"))
        told[1] += "".join(await screen.events("0.0"))
    return told[0], told[1]


async def test_two_games_that_differ_in_others_dice_are_told_in_the_same_bytes(
    database: Database, tmp_path_factory: pytest.TempPathFactory, migrated_file: Path
) -> None:
    file = tmp_path_factory.mktemp("other") / "perudo.db"
    copyfile(migrated_file, file)
    other = Database(f"sqlite:///{file}")
    try:
        one = await streams_of_a_game(database, (1, 1, 1, 1, 1))
        two = await streams_of_a_game(other, (6, 5, 4, 3, 2))
    finally:
        other.close()
    assert one[0] == two[0]
    assert one[1] == two[1]
    assert '"dice":[' not in one[1].replace('"dice":[]', "")


def test_a_room_takes_only_what_everybody_may_read() -> None:
    assert {notice.__name__ for notice in PUBLIC} == {
        "LobbyNotice",
        "StartedNotice",
        "SealNotice",
        "ClosedNotice",
        "TableNotice",
        "CallNotice",
        "RevealNotice",
        "GameOverNotice",
        "PausedNotice",
        "ResumedNotice",
        "HostNotice",
        "StoryNotice",
    }


async def test_a_hand_cannot_enter_a_room(database: Database) -> None:
    sender = WebSender(database, lambda: 0.0, lambda _: None)
    for notice in every_notice(str):
        if not isinstance(notice, PUBLIC):
            with pytest.raises(InvalidError):
                await sender.send(Envelope(channel="web", chat=-7, notice=notice), None)


async def test_the_dice_reach_pages_when_they_reach_the_group(database: Database) -> None:
    world = WebWorld(database, reveal_seconds=2)
    await world.telegram_asks(11, i.OpenLobby())
    await world.telegram_asks(12, i.Join(), table=1)
    screen = world.browser()
    page, screen.token = await world.channel.sessions.open_app(i.Person("telegram", 11, "Ana"), world.table().code)
    await screen.events()
    await world.telegram_asks(11, i.Start(), table=1)
    for what in (i.MakeBid(2, 3), i.CallDudo()):
        table = world.table()
        assert table.game is not None
        assert table.game.turn is not None
        await world.telegram_asks(11 + table.game.turn, what, table=1, step=table.step)
    kinds = [envelope.notice.kind for envelope in world.telegram.sent if envelope.chat < 0]
    cards = await screen.cards("0.0")
    assert kinds[-1] == "call"
    assert [card["card"] for card in cards if card["lane"] == "public"][-1] == "call"
    assert not any(card["card"] == "reveal" or (card["card"] == "round" and card["round"] == 2) for card in cards)
    assert all(card["round"] == 1 for card in cards if card["card"] == "hand")
    world.now += 3
    await world.settle()
    cards = await screen.cards("0.0")
    order = [card["card"] for card in cards if card["lane"] == "public"]
    assert order.index("reveal") < order.index("round")
    assert {envelope.notice.kind for envelope in world.telegram.sent if envelope.chat < 0} >= {"reveal"}
    assert page.player == world.table().seats[0].player
