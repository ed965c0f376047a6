"""After a game, a real bot's `/metrics` agree with the game."""

from typing import Any, Final

import httpx
from prometheus_client.parser import text_string_to_metric_families as families

from test_support.bot_process import free_port
from test_support.game_driver import GameDriver
from test_support.world import Setting
from tests.end_to_end.conftest import OpenWorld

TOKEN: Final = "a word for Prometheus"


def read(text: str) -> dict[str, float]:
    found = {}
    for family in families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


async def test_a_game_is_counted_as_it_was_played(open_world: OpenWorld) -> None:
    port = free_port()
    asks: Any = {"base_url": f"http://127.0.0.1:{port}", "headers": {"Authorization": f"Bearer {TOKEN}"}}
    setting = Setting(
        variables={"PERUDO_WEB__PORT": str(port), "PERUDO_METRICS__TOKEN": TOKEN}, plan={"clock": {"seconds": 0}}
    )
    async with open_world(setting) as world, httpx.AsyncClient(**asks) as client:
        before = read((await client.get("/metrics")).text)
        assert before["perudo_updates_received_total{source=telegram}"] == 0
        driver = GameDriver(world, world.group, world.some("Ana", "Bo", "Cy"))
        await driver.seat()
        await driver.play(moves=8)
        await world.settled()
        # Another worker's numbers would be the same, so the answer may be five seconds old.
        now = read((await client.get("/metrics")).text)
        ((updates,),) = world.rows("SELECT count(*) FROM inbox")
        ((sent,),) = world.rows("SELECT count(*) FROM outbox WHERE status = 'sent'")
        taps = len(world.recorder.told)
    acted, ignored = (now[f"perudo_updates_total{{result={each},source=telegram}}"] for each in ("acted", "ignored"))
    assert now["perudo_updates_received_total{source=telegram}"] == acted + ignored == updates
    assert now["perudo_step_seconds_count{cause=intent}"] == acted
    assert now["perudo_tap_to_answer_seconds_count"] == taps > 10
    assert now["perudo_sends_total{channel=telegram,result=sent}"] == now["perudo_send_seconds_count{channel=telegram}"]
    assert 0 < now["perudo_sends_total{channel=telegram,result=sent}"] <= sent
    for result in ("duplicate", "failed", "dead"):
        assert now[f"perudo_updates_total{{result={result},source=telegram}}"] == 0
    assert now["perudo_database_up"] == 1
    assert (now["perudo_notices_waiting"], now["perudo_updates_waiting"]) == (0, 0)
    assert not any(name.startswith("perudo_database_errors") for name in now)
