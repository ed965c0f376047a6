"""Taps that come twice, late, from the wrong finger, or from nowhere."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from test_support.game_driver import BID_LABEL, GameDriver

if TYPE_CHECKING:
    from test_support.world import World


async def test_a_double_tap_bids_once_and_says_so(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
    offer = await driver.turn()
    button = next(button for button in offer.message.flat if BID_LABEL.fullmatch(button.text))
    assert button.data is not None
    queries = await asyncio.gather(*(offer.person.press(offer.message, button.data) for _ in range(3)))
    answers = [(await offer.person.answer_to(query)).text for query in queries]
    assert sorted(answers) == sorted([f"You bid {button.text}.", "That counted already.", "That counted already."])
    await world.settled()
    assert len(driver.actions("bid")) == 1


async def test_a_tap_by_somebody_else_is_refused_by_name(world: World) -> None:
    """The keyboard under the table is everybody's to see, and one player's to use."""
    ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")
    driver = await GameDriver(world, world.group, [ana, bo, cy]).seat()
    offer = await driver.turn()
    answer = await offer.person.tap("Bid here", world.group)
    assert answer == "Only you can see your buttons. Not there? Tap again."
    await world.settled()
    table = driver.table_message()
    assert table is not None
    assert (
        await offer.person.tap("Bid here", world.group)
        == "Your bid buttons are below the table message. Only your taps count."
    )
    shared = await dee.sees_button("×", world.group, since=table.changed)
    bid = next(button for button in shared.flat if BID_LABEL.fullmatch(button.text))
    other = next(person for person in (ana, bo, cy) if person is not offer.person)
    assert await other.tap(bid.text, on=shared) == f"It is {offer.person.name}'s turn."
    assert await dee.tap(bid.text, on=shared) == "You do not sit at this table. Join the next game!"
    assert await dee.tap("My dice", on=shared) == "You do not sit at this table. Join the next game!"
    assert await offer.person.tap(bid.text, on=shared) == f"You bid {bid.text}."
    await world.settled()
    assert len(driver.actions("bid")) == 1


FORGED = (
    "",
    "x",
    "g",
    "g:1",
    "g:1:0:bid",
    "g:1:0:bid=0x0",
    "g:1:0:bid=99x9",
    "g:1:0:bid=3x4x5",
    "g:1:0:drop=table",
    "g:99999999999999999:0:dudo",
    "l:1:start=1",
    "l:1:set=rulebook__../../etc/passwd",
    "l:1:kick=abc",
    "p:0:set=view__god",
    "g:1:0:bid=3x4' OR 1=1",
    "🎲" * 16,
    "a" * 64,
)


async def test_forged_buttons_are_answered_and_do_nothing(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    offer = await driver.turn()
    bystander = next(person for person in driver.people if person is not offer.person)
    for data in FORGED:
        query = await bystander.press(offer.message, data)
        answer = (await bystander.answer_to(query)).text
        assert answer == "This button is from an older version. Send /perudo for new ones.", data
    for data, answer in {
        f"g:{driver.table}:0:bid=3x4": f"It is {offer.person.name}'s turn.",
        f"g:{driver.table}:0:dudo": f"It is {offer.person.name}'s turn.",
        f"g:{driver.table}:0:face=4": f"It is {offer.person.name}'s turn.",
        f"g:{driver.table}:7:dudo": "That was for an earlier bid, so nothing happened. Look at the table.",
        "g:77:0:dudo": "There is no game here. Send /perudo in your group to open one.",
        f"l:{driver.table}:start": "That game has started already.",
        f"l:{driver.table}:kick=1": "That game has started already.",
        f"l:{driver.table}:again": "A table is open already. Send /perudo to see it.",
        f"l:{driver.table}:stop": "Only the host or an admin can do that.",
    }.items():
        if bystander is driver.host and data.endswith("stop"):
            continue
        query = await bystander.press(offer.message, data)
        assert (await bystander.answer_to(query)).text == answer, data
    query = await offer.person.press(offer.message, f"g:{driver.table}:0:bid=999x4")
    assert "There are not that many dice." in (await offer.person.answer_to(query)).text
    query = await offer.person.press(offer.message, f"g:{driver.table}:0:bid=3x1")
    assert "Nobody may open with ones here." in (await offer.person.answer_to(query)).text
    await world.settled()
    assert driver.actions() == []


async def test_a_stranger_cannot_read_anybodys_dice_with_a_forged_tap(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    await driver.turn()
    table = driver.table_message() or await world["Dee"].sees("👉", world.group)
    dee = world["Dee"]
    for data in (f"g:{driver.table}:0:dice", f"g:{driver.table}:0:here", f"g:{driver.table}:0:status"):
        query = await dee.press(table, data)
        answer = (await dee.answer_to(query)).text
        assert "Your dice" not in answer
    await world.settled()
    assert not dee.screen()


async def test_who_plays_two_games_is_asked_which_one_is_meant(world: World) -> None:
    ana, bo, cy, dee = world.some("Ana", "Bo", "Cy", "Dee")
    club = await world.found("The Club", [ana, dee])
    friends = await GameDriver(world, world.group, [ana, bo, cy]).seat(preset="Aces")
    players = await GameDriver(world, club, [ana, dee]).seat(preset="Aces")
    while (await players.turn()).person is not ana:
        await players.raise_it()
    await ana.sees("Your turn|You open")
    since = world.mark()
    await ana.say("9x6")
    question = await ana.sees("You sit at more than one table. Which one do you mean", since=since)
    assert [button.text for button in question.flat] == ["Friends", "The Club"]
    before = len(players.actions("bid"))
    answer = await ana.tap("The Club", on=question)
    assert answer == "You bid 9 × 6️⃣."
    await world.settled()
    assert players.actions("bid")[before:] == [{"type": "bid", "seat": 0, "quantity": 9, "face": 6}]
    assert friends.actions() == []
    assert await ana.tap("The Club", on=question) == "That counted already."

    # A reply to a table's own message says which one is meant.
    while (await friends.turn()).person is not ana:
        await friends.raise_it()
    hand = await ana.sees("Friends · round")
    await ana.say("14 sixes", reply_to=hand)
    await world.settled()
    assert friends.actions("bid")[-1] == {"type": "bid", "seat": 0, "quantity": 14, "face": 6}
