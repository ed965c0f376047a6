"""Webhook mode with the real processes: one worker or two, stopped, killed, and cut off from Telegram."""

from test_support.game_driver import GameDriver
from test_support.replayed_game import replay_game
from test_support.worker_cluster import WorkerCluster
from tests.end_to_end.conftest import OpenWorld


async def test_a_game_is_played_over_the_webhook_and_a_restart_in_mid_turn_costs_nothing(open_world: OpenWorld) -> None:
    async with open_world(WorkerCluster, plan={"rules": {"starting_dice": 2}}) as world:
        world.expect("log line", "cannot be heard: no clock runs out meanwhile", must=False)
        driver = await GameDriver(world, world.group, world.some("Ana", "Bo", "Cy")).seat()
        assert not world.sandbox.world.calls.named("getUpdates")
        await driver.raise_it()
        offer = await driver.turn()
        await world.settled()
        shown = len(world.recorder.versions)
        assert await world.stop_bot() == 0
        assert world.sandbox.world.webhook.info["url"], "Telegram goes on to bring what is said"
        button = offer.bids[0]
        tap = await offer.person.press(offer.message, button["callback_data"])
        await world.restart()
        assert await offer.person.answer_to(tap) == f"You bid {button['text']}."
        await world.settled()
        assert len(world.recorder.versions) == shown + 4, "the group and each player's board, nothing twice"
        driver.steps.add((offer.table, offer.step))
        await driver.play()
        await world.settled()
        assert replay_game(driver.stored()).outcome
        assert len(world.sandbox.world.calls.named("setWebhook")) == 1
