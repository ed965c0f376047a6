"""Somebody who is alone practises against computer players, while the bot is killed in the middle of a thought."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

from test_support.child_processes import child_of
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld


def is_alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def calls(world: World) -> list[tuple[int, str]]:
    """Who has called, in order, and what."""
    rows = world.rows("SELECT action FROM game_action ORDER BY number")
    actions = [json.loads(action) for (action,) in rows]
    return [(action["seat"], action["type"]) for action in actions if action["type"] in ("bid", "dudo", "calza")]


async def act(world: World, step: int, *, bid: bool = False) -> bool:
    """Ana doubts where she can, or else bids, or watches the end; or bids in any case. Whether she had a key."""
    ana = world["Ana"]
    for message in reversed(ana.screen()):
        watch = next((button for button in message.flat if "Watch the end" in button.text), None)
        if watch is not None and watch.data is not None:
            await ana.call(message, watch.data)
            return True
        data = [button.data for button in message.flat if button.data and f":{step}:" in button.data]
        bids = [tap for tap in data if ":bid=" in tap]
        doubts = [tap for tap in data if tap.endswith(":dudo")]
        wanted = bids or doubts if bid else doubts or bids
        if wanted:
            await ana.call(message, wanted[0])
            return True
    return False


def table_of(world: World) -> tuple[str, dict[str, Any], float]:
    ((status, state, due_at),) = world.rows("SELECT status, state, due_at FROM game_table")
    return status, json.loads(state), due_at or 0


async def kill_in_a_thought(world: World, thinking: int) -> bool:
    """Stop the process that thinks, let Ana bid, and kill the bot once it thinks about that; whether it came to it."""
    os.kill(thinking, signal.SIGSTOP)
    _, before, _ = table_of(world)
    if not await act(world, before["step"], bid=True):
        os.kill(thinking, signal.SIGCONT)
        return False
    for _ in range(40):
        status, table, due_at = table_of(world)
        if status == "playing" and table["think_at"] is not None and due_at > table["think_at"] + 1:
            break  # due again only when the lease ends
        await asyncio.sleep(0.05)
    else:
        os.kill(thinking, signal.SIGCONT)
        return False
    played = calls(world)
    await world.kill()
    os.kill(thinking, signal.SIGCONT)
    for _ in range(400):
        if not is_alive(thinking):
            break
        await asyncio.sleep(0.05)
    else:
        raise AssertionError("what thinks has outlived the bot")
    assert calls(world) == played
    await world.restart()
    return True


async def test_alone_against_two_to_the_end_with_a_kill_in_the_middle_of_a_thought(
    open_world: OpenWorld, tmp_path: Path
) -> None:
    rules = tmp_path / "short.toml"
    rules.write_text('preset = "box_2009"\nstarting_dice = 2\n')
    setting = Setting(
        variables={
            "PERUDO_TABLE__RULEBOOK": str(rules),
            "PERUDO_COMPUTER_PLAYERS__THINK_LEAST_SECONDS": "0.05",
            "PERUDO_COMPUTER_PLAYERS__THINK_MOST_SECONDS": "0.1",
        }
    )
    async with open_world(setting) as world:
        world.expect_sending("^unknown: None", must=False)
        world.expect_error("the request ended early|message is not modified", must=False)
        world.expect_log("cannot be heard: no clock runs out meanwhile|was left by another worker", must=False)
        ana = world["Ana"]
        await ana.start()
        await ana.tap("Practise alone")
        await ana.sees("· round 1")
        killed = False
        async with asyncio.timeout(240):
            while (now := table_of(world))[0] != "finished":
                on_turn = any(f":{now[1]['step']}:bid=" in (b.data or "") for m in ana.screen() for b in m.flat)
                thinking = (
                    child_of(world.bot.pid, "computations:choose") if world.bot is not None and not killed else None
                )
                if on_turn and thinking is not None:
                    killed = await kill_in_a_thought(world, thinking)
                elif not await act(world, now[1]["step"]):
                    await asyncio.sleep(0.05)
        assert killed
        await ana.sees("wins|won")
        assert {seat for seat, _ in calls(world)} == {0, 1, 2}
        assert [bool(counted) for (counted,) in world.rows("SELECT counted FROM game_result")] == [False]
        assert sum(seat["name"].startswith("🤖 ") for seat in table_of(world)[1]["seats"]) == 2
