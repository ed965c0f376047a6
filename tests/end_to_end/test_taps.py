"""Taps that come twice, late, from the wrong finger, or from nowhere."""

import asyncio

from test_support.game_driver import BID_LABEL, GameDriver
from test_support.world import World

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


async def test_only_a_true_tap_of_the_player_on_turn_counts_and_once(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
    offer = await driver.turn()
    bystander, dee = next(person for person in driver.people if person is not offer.person), world["Dee"]
    not_yours = f"It is {offer.person.name}'s turn."
    taps = [(bystander, data, "This button is from an older version. Send /perudo for new ones.") for data in FORGED]
    taps += [
        (bystander, f"g:{driver.table}:0:bid=3x4", not_yours),
        (bystander, f"g:{driver.table}:0:dudo", not_yours),
        (bystander, f"g:{driver.table}:7:dudo", "That was for an earlier bid, so nothing happened. Look at the table."),
        (bystander, "g:77:0:dudo", "There is no game here. Send /perudo in your group to open one."),
        (bystander, f"l:{driver.table}:start", "That game has started already."),
        (dee, f"g:{driver.table}:0:dice", "You do not sit at this table. Join the next game!"),
        (dee, f"g:{driver.table}:0:bid=3x4", "You do not sit at this table. Join the next game!"),
        (dee, f"l:{driver.table}:stop", "Only the host or an admin can do that."),
    ]
    await world.settled()
    table = driver.table_message()
    assert table is not None
    wrong = []
    for person, data, answer in taps:
        query = await person.press(table if person is dee else offer.message, data)
        heard = (await person.answer_to(query)).text
        wrong += [(data, heard)] if heard != answer else []
    assert wrong == []
    await world.settled()
    assert driver.actions() == []
    assert not dee.screen()
    bid = next(button for button in offer.message.flat if BID_LABEL.fullmatch(button.text))
    assert bid.data is not None
    queries = await asyncio.gather(*(offer.person.press(offer.message, bid.data) for _ in range(3)))
    answers = [(await offer.person.answer_to(query)).text for query in queries]
    assert sorted(answers) == sorted([f"You bid {bid.text}.", "That counted already.", "That counted already."])
    await world.settled()
    assert len(driver.actions("bid")) == 1
