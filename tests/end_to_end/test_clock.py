"""The turn clock: who is slow, who is away, who comes back."""

from __future__ import annotations

import asyncio
import re
import time

from test_support.game_driver import BID_LABEL, GameDriver
from test_support.shown_game import replay_from_database
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld

TOO_LATE = "Too late, your time had run out. You are back in now."
LATER_STILL = "That was for an earlier bid, so nothing happened. Look at the table."
LOST = (TOO_LATE, LATER_STILL)


def quick(seconds: int = 1, **clock: object) -> Setting:
    timings = {"reminder_seconds": 0.5, "away_seconds": 0.3, "claim_window_seconds": 0.2}
    return Setting(plan={"clock": {"seconds": seconds, **clock}, "timings": timings})


async def test_the_house_plays_for_the_absent_and_hands_the_seat_back(open_world: OpenWorld) -> None:
    async with open_world(quick(2)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        slow = (await driver.turn()).person
        await slow.sees("⏰ Your time is nearly up")
        notice = await slow.sees("You missed your turn in Friends")
        await world["Dee"].sees(rf"{slow.name} 💤 away, so I play", world.group)
        await world["Dee"].sees(rf"🔸 \d+ × \S+ \w+, says {slow.name}", world.group)
        assert await slow.tap("I am back", on=notice) == "Welcome back, the seat is yours again."
        await world.settled()
        table = driver.table_message()
        assert table is not None
        assert "💤" not in table.text or slow.name not in re.findall(r"(\w+) 💤", table.text)
        assert len([action for action in driver.actions("bid") if driver.people[action["seat"]] is slow]) >= 1


async def test_a_seat_is_handed_back_by_any_sign_of_life(open_world: OpenWorld) -> None:
    async with open_world(quick(2)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        slow = (await driver.turn()).person
        await world["Dee"].sees(f"{slow.name} 💤", world.group)
        since = world.mark()
        await slow.say("/status", world.group)
        await world["Dee"].sees(rf"Round \d+((?!{slow.name} 💤)(?s:.))*$", world.group, since=since)


async def test_exactly_one_of_clock_and_tap_counts_and_the_loser_is_told(open_world: OpenWorld) -> None:
    async with open_world(quick(1)) as world:
        world.expect_sending("pending", must=False)  # the clock goes on while the bot is stopped
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        heard: list[str] = []
        for attempt in range(9):
            offer = await driver.turn()
            button = next((button for button in offer.message.flat if BID_LABEL.fullmatch(button.text)), None)
            button = button or offer.message.button("🗣 Dudo")
            assert button is not None
            assert button.data is not None
            step = offer.step
            await asyncio.sleep(0.4 + 0.14 * attempt)
            answer = await offer.person.answer_to(await offer.person.press(offer.message, button.data))
            heard.append(answer.text)
            assert answer.text in (f"You bid {button.text}.", "Dudo! Cups up!", *LOST), answer
            await world.settled()
            driver.steps |= set(range(step + 1))
            causes = world.rows(
                "SELECT cause, action FROM game_action WHERE table_id = ? ORDER BY number", driver.table
            )
            calls = [cause for cause, action in causes if '"bid"' in action or '"dudo"' in action]
            by_tap = calls[step].startswith("telegram:")
            assert by_tap == (answer.text not in LOST)
            assert by_tap or calls[step] in {"deadline", "computer"}, "an away seat is played by a computer player"
        assert TOO_LATE in heard
        assert any(text not in LOST for text in heard)
        replay_from_database(world, driver.table)


async def test_a_slow_player_loses_a_die_where_the_house_says_so(open_world: OpenWorld) -> None:
    async with open_world(quick(1, on_timeout="lose_die")) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        slow = (await driver.turn()).person
        told = await world["Dee"].sees(f"⌛ {slow.name} ran out of time", world.group)
        assert f"💥 {slow.name} loses a die." in told.text
        assert "away" not in told.text
        await world["Dee"].sees("🏆", world.group, within=40)
        await world.settled()
        assert len(driver.actions("concede")) >= 5
        replay_from_database(world, driver.table)


async def test_who_misses_too_many_turns_is_out_where_the_house_says_so(open_world: OpenWorld) -> None:
    async with open_world(quick(1, on_timeout="drop_out", misses_allowed=2)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
        slow = (await driver.turn()).person
        others = [person for person in driver.people if person is not slow]

        def gone() -> bool | None:
            return (
                world["Dee"].newest(f"⌛ {slow.name} missed too many turns and is out", world.group) is not None or None
            )

        async def play_on() -> None:
            while not gone():
                for offer in driver.offers():
                    if offer.person in others:
                        button = next(
                            b for b in offer.message.flat if BID_LABEL.fullmatch(b.text) or "🗣 Dudo" in b.text
                        )
                        assert button.data is not None
                        driver.steps.add(offer.step)
                        await offer.person.press(offer.message, button.data)
                await asyncio.sleep(0.05)

        async with asyncio.timeout(40):
            await play_on()
        await world.settled()
        resigned = driver.actions("leave")
        assert [driver.people[action["seat"]] for action in resigned] == [slow]


async def test_a_game_waits_when_everybody_is_away_and_goes_on_with_the_first_who_returns(
    open_world: OpenWorld,
) -> None:
    async with open_world(quick(1)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        paused = await world["Dee"].sees("Everyone is away, so the game waits", world.group)
        await world.settled()
        waiting = len(driver.actions())
        await asyncio.sleep(1.5)
        assert len(driver.actions()) == waiting, "nothing happens while nobody is there"
        assert await world["Bo"].tap("Go on", on=paused) == "Welcome back, the seat is yours again."
        await world["Dee"].sees("👉 (Ana|Bo)", world.group, since=paused.changed)
        await world.recorder.until(lambda: len(driver.actions()) > waiting or None, "the game to go on")


async def test_without_a_clock_nothing_happens_by_itself(open_world: OpenWorld) -> None:
    async with open_world(quick(0)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        offer = await driver.turn()
        assert "⏳" not in offer.message.text
        ((due,),) = world.rows("SELECT due_at FROM game_table")
        assert due > time.time() + 3600, "only the week's end of a table that everybody forgot"
        await driver.raise_it()


async def test_a_deadline_outlives_a_restart(open_world: OpenWorld) -> None:
    async with open_world(quick(600)) as world:
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat()
        await driver.raise_it()
        await world.settled()
        before = world.rows("SELECT due_at FROM game_table")
        assert await world.stop_bot() == 0
        await world.restart()
        assert world.rows("SELECT due_at FROM game_table") == before
        await driver.raise_it()
        await driver.doubt_it()


async def test_a_restart_in_mid_turn_costs_nobody_anything(world: World) -> None:
    driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
    await driver.raise_it()
    offer = await driver.turn()
    await world.settled()
    shown = len(world.recorder.versions)
    assert await world.stop_bot() == 0
    button = next(button for button in offer.message.flat if BID_LABEL.fullmatch(button.text))
    assert button.data is not None
    query = await offer.person.press(offer.message, button.data)
    await world.restart()
    assert (await offer.person.answer_to(query)).text == f"You bid {button.text}."
    await world.settled()
    assert len(world.recorder.versions) == shown + 3, "the group, the next hand and the bidder's own, nothing twice"
    driver.steps.add(offer.step)
    await driver.raise_it()
