"""Shouts and texted calls on a television: their pace, the mute key of the host, and no answer that depends on dice."""

import pytest

from perudo_core import Bid, Call, Calza, Dudo
from telegram_bot.features.shouts import PAUSE_SECONDS, Word, prune, shown_words
from telegram_bot.intents import intents as i
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.service.handlers.lobby_requests import Join
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, KeyValue
from test_support.web_world import Browser, WebWorld, a_room, a_watched_room

GRAN = i.Person("sms", 409, "Gran", language="en")


async def begin(host: Browser) -> None:
    """Begin the game; the second start skips round zero."""
    for _ in range(2):
        await host.act("start")


async def bubbles(screen: Browser) -> list[tuple[str, str]]:
    return [(card["name"], card["said"]) for card in await screen.cards() if card["card"] == "shout" and "said" in card]


async def test_a_shout_is_on_the_television_in_the_words_of_its_author(world: WebWorld) -> None:
    (ana, bo), screen = await a_watched_room(world, "Ana", "Bo")
    await begin(ana)
    await screen.cards()
    for word, said in zip(Word, ("Bravo!", "No way!", "Liar!", "Ha ha!", "Good luck!", "Hurry up!"), strict=True):
        assert (await bo.act("shout", table=1, word=word))["done"]
        assert await bubbles(screen) == [("Bo", said)]
        world.now += PAUSE_SECONDS


async def test_a_person_shouts_once_in_three_seconds_and_never_longer_than_a_word(world: WebWorld) -> None:
    (ana, bo), screen = await a_watched_room(world, "Ana", "Bo")
    assert (await bo.act("shout", table=1, word="bravo"))["done"]
    assert await bubbles(screen) == [("Bo", "Bravo!")]
    assert (await bo.act("shout", table=1, word="liar"))["text"] == "One shout at a time: wait a moment."
    assert (await ana.act("shout", table=1, word="liar"))["done"], "the others have their own pause"
    for word in ("", "hello", "bravo!", ["bravo"], "x" * 5000):
        assert (await bo.refused("act", id=f"w{word!s:.9}", act="shout", table=1, word=word))[0] == 400
    assert await bubbles(screen) == [("Ana", "Liar!")]
    world.now += PAUSE_SECONDS
    assert (await bo.act("shout", table=1, word="liar"))["done"]


async def test_without_a_television_a_shout_is_answered_and_sent_to_no_page(world: WebWorld) -> None:
    ana, bo = await a_room(world, "Ana", "Bo")
    await ana.cards()
    assert (await bo.act("shout", table=1, word="bravo"))["text"] == "No television shows this table now."
    assert [card for card in await ana.cards() if card["card"] == "shout"] == []


async def test_the_host_alone_mutes_all_for_the_evening_and_lets_them_shout_again(world: WebWorld) -> None:
    (ana, bo), screen = await a_watched_room(world, "Ana", "Bo")
    assert not (await bo.act("mute_shouts", table=1, muted=True))["done"]
    assert (await ana.act("mute_shouts", table=1, muted=True))["done"]
    assert (await bo.card("shout"))["muted"]
    assert (await bo.act("shout", table=1, word="liar"))["text"] == "The host has muted shouts for this evening."
    assert (await ana.act("mute_shouts", table=1, muted=False))["done"]
    assert not (await bo.card("shout"))["muted"]
    assert (await bo.act("shout", table=1, word="liar"))["done"]
    assert await bubbles(screen) == [("Bo", "Liar!")]
    await ana.act("mute_shouts", table=1, muted=True)
    with world.database.transaction() as session:
        session.add(KeyValue(key="shouts_muted:999", value="1.0"))
        session.flush()
        prune(session, world.now)
        session.get_one(Chat, 1).plays_since += 1  # a new evening begins
    kept = [row.key for row in world.rows(KeyValue) if row.key.startswith("shouts_muted:")]
    assert kept == ["shouts_muted:1"], "it goes with its chat"
    world.now += PAUSE_SECONDS
    assert (await bo.act("shout", table=1, word="liar"))["done"]


async def test_strangers_to_the_room_cannot_shout_there(world: WebWorld) -> None:
    _, screen = await a_watched_room(world, "Ana", "Bo")
    (zoe,) = await a_room(world, "Zoe")
    assert not (await zoe.act("shout", table=1, word="liar"))["done"]
    assert not (await zoe.act("mute_shouts", table=1, muted=True))["done"]
    assert await bubbles(screen) == []


@pytest.mark.parametrize("seed", [3, 4])
async def test_a_shout_during_the_reveal_is_shown_at_once_whatever_the_dice_are(database: Database, seed: int) -> None:
    world = WebWorld(database, seed=seed, reveal_seconds=2)
    (ana, bo), screen = await a_watched_room(world, "Ana", "Bo")
    await begin(ana)
    await world.settle()
    first, other = (ana, bo) if world.table().begun_game.turn == 0 else (bo, ana)
    await first.act("bid", table=1, step=world.table().step, quantity=3, face=4)
    await other.act("dudo", table=1, step=world.table().step)
    await screen.cards()
    answer = await first.act("shout", table=1, word="no_way")
    assert (answer["done"], answer["text"]) == (True, "")
    assert len(await bubbles(screen)) == 1


async def says(world: WebWorld, cause: str, request: i.AnyRequest) -> None:
    await world.service.handle(i.Intent("sms", cause, GRAN, request))
    await world.settle()


async def test_the_words_of_a_player_without_a_page_are_a_bubble_at_her_seat(world: WebWorld) -> None:
    world.service.parse_text = parse_text
    (ana,), screen = await a_watched_room(world, "Ana")
    await says(world, "1", Join(world.table().join_code, name="Gran"))
    await begin(ana)
    await screen.cards()
    table = world.table()
    if table.begun_game.turn == 0:
        await ana.act("bid", table=1, step=table.step, quantity=2, face=4)
    await says(world, "2", i.TypedText("2 fives!"))
    assert await bubbles(screen) == [("Gran", "2 fives!")]
    await ana.act("mute_shouts", table=1, muted=True)
    await ana.act("bid", table=1, step=world.table().step, quantity=3, face=5)
    await says(world, "3", i.TypedText("dudo"))
    assert world.table().begun_game.round == 2, "the call counts"
    assert await bubbles(screen) == []


@pytest.mark.parametrize(
    ("text", "call", "shown"),
    [
        ("5 x 4", Bid(0, 5, 4), "5 x 4"),
        ("  five   fours ", Bid(0, 5, 4), "five fours"),
        ("Liar!", Dudo(0), "Liar!"),
        ("spot on", Calza(0), "spot on"),
        ("5x4, I have 3", Bid(0, 5, 4), None),
        ("5x4 (3 mine)", Bid(0, 5, 4), None),
        ("dudo 2", Dudo(0), None),
        ("5x4 because three are mine", Bid(0, 5, 4), None),
        ("5x4 " + "x" * 40, Bid(0, 5, 4), None),
    ],
)
def test_a_text_that_could_say_more_than_the_call_is_not_shown(text: str, call: Call, shown: str | None) -> None:
    assert shown_words(text, call) == shown
