"""Telegram's flood limits, as strict as the real ones: several groups play, and nothing is refused."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

from tests.end_to_end.game_driver import Party, derive
from tests.end_to_end.harness import Setting

if TYPE_CHECKING:
    from tests.end_to_end.conftest import OpenWorld

GROUPS = 5
SECONDS = 40


async def test_no_group_is_ever_told_to_slow_down(open_world: OpenWorld) -> None:
    """The audit at the end refuses any 429. Edits that wait are replaced by newer ones, so that people keep up."""
    names = tuple(f"P{group}{letter}" for group in range(GROUPS) for letter in "abc")
    setting = Setting(people=names, flood_limits=True, plan={"clock": {"seconds": 0}})
    async with open_world(setting) as world:
        parties = []
        for number in range(GROUPS):
            people = world.some(*(f"P{number}{letter}" for letter in "abc"))
            group = await world.found(f"Group {number}", people)
            parties.append(Party(world, group, people, random.Random(number), doubt=0.2, browse=0))
        await asyncio.gather(*(person.start() for person in world.people.values()))
        loop = asyncio.get_running_loop()
        end = loop.time() + SECONDS

        async def evening(party: Party) -> None:
            await party.gather()
            await party.begin()
            while loop.time() < end and party.over() is None:
                offer = await party.next_offer(within=30)
                if offer is None:
                    return
                await party.move(offer)

        await asyncio.gather(*(evening(party) for party in parties))
        played = sum(len(derive(world, party.table).bids) for party in parties)
        edits = sum(status == "superseded" for (status,) in world.rows("SELECT status FROM outbox"))
        assert played >= GROUPS * 10
        assert edits > 0, "some edits were overtaken by newer ones"
        assert world.sandbox.world.calls.total > 0
        await asyncio.gather(*(party.host.say("/stop", party.group) for party in parties if not party.over()))
        await world.settled(within=90)
        for party in parties:
            assert party.host.newest("🏆|The table was closed", party.group) is not None
