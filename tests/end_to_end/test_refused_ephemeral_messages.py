"""An ephemeral message that Telegram refuses is about that way of sending: the group is not lost, the game goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from test_support.game_driver import GameDriver
from test_support.world import Setting

if TYPE_CHECKING:
    from tests.end_to_end.conftest import OpenWorld


@pytest.mark.parametrize(
    "description",
    [
        "Bad Request: not enough rights to send ephemeral messages",
        "Bad Request: CHAT_ADMIN_REQUIRED",
        "Bad Request: have no rights to send a message",
    ],
)
async def test_the_group_is_not_lost_and_the_game_goes_on(open_world: OpenWorld, description: str) -> None:
    async with open_world(Setting(bot_is_admin=True)) as world:
        world.expect_error("sendMessage: " + description)
        world.expect_error("sendPhoto: Forbidden: bot can't initiate", must=False)
        world.expect_sending("failed: " + description.removeprefix("Bad Request: ").lower())
        world.expect_sending("failed: forbidden: bot can't initiate", must=False)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo")).seat(private=False)
        offer = await driver.turn()
        assert offer.message.to == offer.person.id
        await world.settled()
        await world.act(
            "POST",
            "/faults",
            method="sendMessage",
            chat_id=world.group.id,
            kind="refuse",
            code=400,
            description=description,
        )
        await driver.raise_it()
        offer = await driver.turn()
        assert (offer.message.chat, offer.message.to) == (world.group.id, None), "the table's own keyboard"
        for _ in range(3):
            await driver.raise_it()
        await world.settled()
        shown = [message.text for message in world.recorder.versions]
        assert not any("I can write here again" in text for text in shown)
