"""The server's whole surface: the Bot API, the people's control API, the page."""

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from telegram_bot.sandbox.bot_api import BotApi
from telegram_bot.sandbox.control import Control
from telegram_bot.sandbox.control_trouble import TroubleControl
from telegram_bot.sandbox.errors import NOT_FOUND, ApiError
from telegram_bot.sandbox.texting_api import TextingApi
from telegram_bot.sandbox.world import World

if TYPE_CHECKING:
    from starlette.requests import Request

    from telegram_bot.sandbox.settings import SandboxSettings

STATIC = Path(__file__).parent / "static"


def create_app(settings: "SandboxSettings", world: World | None = None) -> Starlette:
    """An application over a world of its own, or over one that a test holds on to (`app.state.world`)."""
    world = world or World(settings)
    bot_api = BotApi(world)
    app = Starlette(
        routes=[
            Route("/", page, methods=["GET"]),
            Route("/bot{token}/{method}", bot_api.call, methods=["GET", "POST"]),
            Route("/file/bot{token}/{path:path}", bot_api.file, methods=["GET"]),
            *Control(world).routes(),
            *TextingApi(world).routes(),
            *TroubleControl(world).routes(),
            Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
            Route("/{rest:path}", nothing, methods=["GET", "POST"]),
        ],
    )
    app.state.world = world
    return app


async def page(_request: "Request") -> Response:
    """The web page, if it was built."""
    index = STATIC / "index.html"
    if index.is_file():
        return FileResponse(index, headers={"Cache-Control": "no-cache"})
    return PlainTextResponse("The sandbox is running. Its page is not installed; GET /sandbox/state shows everything.")


async def nothing(_request: "Request") -> Response:
    """Telegram's answer to an address that means nothing."""
    return JSONResponse(ApiError(NOT_FOUND, "Not Found").body(), NOT_FOUND)
