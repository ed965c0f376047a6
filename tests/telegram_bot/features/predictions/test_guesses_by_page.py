"""Guests who came late guess on their pages; before the dice a television shows that they have, but not what."""

from pathlib import Path
from shutil import copyfile

import pytest
from sqlmodel import select

from telegram_bot.features.predictions.ghosts import Prediction
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from test_support.open_database import open_database
from test_support.web_world import Browser, Json, WebWorld, a_room, keys_of
from tests.telegram_bot.channels.web.test_secrets import redeal

DICE: dict[int, tuple[int, ...]] = {0: (2, 2, 3, 4, 5), 1: (3, 3, 4, 5, 6)}


async def a_late_guest(world: WebWorld, host: Browser, name: str, number: int) -> Browser:
    guest = world.browser(f"192.0.2.{number}")
    key, _ = await keys_of(host)
    await guest.ask("enter", code=world.table().code, key=key, name=name, language="en")
    assert (await guest.act("join"))["reason"] == "late"
    return guest


async def a_game(world: WebWorld) -> tuple[list[Browser], Browser, Browser]:
    """Two players, one of whom has bid; a guest who came late, and a television."""
    players = await a_room(world, "Ana", "Cy")
    _, key = await keys_of(players[0])
    screen = world.browser("192.0.2.77")
    await screen.ask("screen", code=world.table().code, key=key)
    await players[0].act("start")
    redeal(world, DICE)
    late = await a_late_guest(world, players[0], "Dee", 9)
    card = await screen.card("round")
    assert (await late.act("guess", table=1, step=card["step"], guess="more"))["reason"] == "stale", "there is no bid"
    await players[card["turn"]].act("bid", table=1, step=card["step"], quantity=3, face=5)
    return players, late, screen


async def doubt(players: list[Browser], screen: Browser) -> None:
    card = await screen.card("round")
    assert (await players[card["turn"]].act("dudo", table=1, step=card["step"]))["done"]


async def test_a_late_guest_guesses_as_the_round_says_and_reads_the_answer_with_the_dice(database: Database) -> None:
    world = WebWorld(database)
    players, late, screen = await a_game(world)
    card = await late.card("round")
    acts = [act for act in card["acts"] if act["act"] == "guess"]
    assert [(act["guess"], act["text"]) for act in acts] == [("bluff", "Bluff"), ("exact", "Exact"), ("more", "More")]
    for act in acts:
        told = await late.act("guess", table=1, step=card["step"], guess=act["guess"])
        assert (told["done"], told["text"].startswith(f"👻 Your guess: {act['text']}.")) == (True, True)
    assert (await late.act("guess", table=1, step=card["step"], guess="bluff"))["done"]
    refused = await players[0].act("guess", table=1, step=card["step"], guess="bluff")
    assert refused["text"] == "👻 Only ghosts guess: people who are out or watch. You have dice: play!"
    await doubt(players, screen)
    for page in (*players, late, screen):
        ghosts = (await page.card("reveal"))["ghosts"]
        assert ghosts["lines"] == ["👻 The ghost knew!"]
        assert [(face["name"], face["right"], face["haunts"]) for face in ghosts["faces"]] == [("Dee", True, None)]
    answer = await late.act("guess", table=1, step=card["step"], guess="more")
    assert (answer["done"], answer["reason"]) == (False, "stale")


@pytest.mark.parametrize("bad", [{}, {"guess": "raise"}, {"guess": 1}, {"guess": ["bluff"]}])
async def test_a_forged_guess_is_refused(database: Database, bad: Json) -> None:
    world = WebWorld(database)
    _, late, _ = await a_game(world)
    assert (await late.post("act", id="x", act="guess", table=1, step=1, **bad)).status_code == 400


async def test_the_streams_are_the_same_bytes_whatever_is_guessed_and_however_often_until_the_dice_are_shown(
    migrated_file: Path, tmp_path: Path
) -> None:
    async def told(number: int, *guesses: str) -> list[list[str]]:
        database = open_database(f"sqlite:///{copyfile(migrated_file, tmp_path / f'{number}.db')}")
        world = WebWorld(database, reveal_seconds=2)
        players, late, screen = await a_game(world)
        step = (await screen.card("round"))["step"]
        for each in guesses:
            answer = await late.act("guess", table=1, step=step, guess=each)
            assert answer["done"], answer
        streams = [await page.events() for page in (late, screen)]
        await doubt(players, screen)
        streams += [await page.events() for page in (late, screen)]
        database.close()
        return streams

    first = await told(0, "exact")
    assert first == await told(1, "bluff") == await told(2, "more", "exact", "bluff")
    assert "ghosts" not in str(first)


async def test_a_television_shows_who_has_guessed_in_this_round_and_pages_without_one_are_told_nothing(
    database: Database,
) -> None:
    world = WebWorld(database)
    players, late, screen = await a_game(world)
    assert (await late.act("guess", table=1, step=1, guess="bluff"))["done"]
    (dee,) = (await screen.card("guessers"))["guessed"]
    assert (dee["name"], dee.keys()) == ("Dee", {"player", "name", "face"})
    with world.database.transaction() as session:
        session.get_one(Player, dee["player"]).hidden = True
    eve = await a_late_guest(world, players[0], "Eve", 10)
    assert (await eve.act("guess", table=1, step=1, guess="more"))["done"]
    card = await screen.card("guessers")
    assert (card["round"], [each["name"] for each in card["guessed"]]) == (1, ["Eve"])


async def test_a_forgotten_ghost_has_no_name_on_pages(database: Database) -> None:
    world = WebWorld(database)
    players, late, screen = await a_game(world)
    await late.act("guess", table=1, step=1, guess="bluff")
    await doubt(players, screen)
    with world.database.transaction() as session:
        dee = session.exec(select(Prediction)).one().player_id
    await PersonDeletion(world.service).forget(dee)
    (face,) = (await screen.card("reveal"))["ghosts"]["faces"]
    assert face["name"] == "Somebody"
