"""A gateway posts a text again because it got no answer, over the bot's real HTTP server: the bot plays it once."""

import asyncio

import httpx

from telegram_bot.operations.web_server import WebServer
from telegram_bot.storage.database import Database
from test_support.sms_world import ANA, SmsWorld, a_game

BID = f"the-same-id {ANA} - 1x3".encode()


async def test_a_text_that_is_posted_again_is_acted_on_once(database: Database) -> None:
    """First the gateway closes before the answer; then it posts the text several times at once, and once more later."""
    world = SmsWorld(database)
    await a_game(world)
    server = WebServer("127.0.0.1", 0, world.app.router.routes, {})
    await server.start()
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        head = f"POST /sms/air HTTP/1.1\r\nHost: bot\r\nContent-Length: {len(BID)}\r\n\r\n".encode()
        writer.write(head + BID)
        await writer.drain()
        writer.transport.abort()
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=60
        ) as gateway:
            answers = await asyncio.gather(*(gateway.post("/sms/air", content=BID) for _ in range(8)))
            await world.settle()
            assert (world.table().step, {answer.status_code for answer in answers}) == (1, {200})
            told = len(world.every_text(ANA))
            assert (await gateway.post("/sms/air", content=BID)).status_code == 200
        await world.settle()
    finally:
        await server.stop()
    assert world.table().step == 1
    assert len(world.every_text(ANA)) == told, "and nothing is answered again"
