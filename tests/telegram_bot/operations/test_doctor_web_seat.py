"""`perudo-bot doctor` finds out whether the pages tell their visitors apart."""

import pytest

from telegram_bot.operations.doctor import web_seat
from telegram_bot.operations.web_server import WebServer
from telegram_bot.settings import Settings
from telegram_bot.settings.sections import WebSeatSettings
from telegram_bot.storage.database import Database
from test_support.web_world import WebWorld


@pytest.mark.parametrize(
    ("behind_proxy", "ok", "said"),
    [(True, False, "believes a visitor's own X-Forwarded-For"), (False, True, "comes from 127.0.0.1")],
)
async def test_a_port_that_is_open_without_a_proxy_believes_no_header(
    database: Database, *, behind_proxy: bool, ok: bool, said: str
) -> None:
    world = WebWorld(database, seat=WebSeatSettings(url="http://127.0.0.1", behind_proxy=behind_proxy))
    server = WebServer("127.0.0.1", 0, world.channel.routes(world.inbox), {})
    await server.start()
    seat = WebSeatSettings(url=f"http://127.0.0.1:{server.port}")
    (found,) = await web_seat.examine(Settings(token="", web_seat=seat))
    await server.stop()
    assert found.ok is ok, found
    assert said in found.says
    (found,) = await web_seat.examine(Settings(token="", web_seat=seat))
    assert found.ok is None, "the bot does not run"


@pytest.mark.parametrize(
    ("network", "own", "ok"),
    [
        ("8.8.8.8", "8.8.8.8", True),
        ("8.8.8.8", "192.168.1.2", True),
        ("192.168.1.1", "192.168.1.2", None),
        ("10.0.0.2", "8.8.8.8", False),
        ("104.16.0.1", "8.8.8.8", False),
        ("2606:4700:1:2::/64", "2606:4700:1:2::/64", True),
        ("?", "192.168.1.2", False),
    ],
)
def test_a_proxy_that_hides_its_visitors_is_named(network: str, own: str, ok: bool | None) -> None:
    assert web_seat.judge("https://perudo.example", network, own).ok is ok
