"""All addresses of the server: the Bot API, the control API, the SMS gateway, the page."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from telegram_sandbox.bot_api.endpoint import BotApi
from telegram_sandbox.control_api.endpoints import Control
from telegram_sandbox.control_api.failures import FailuresControl
from telegram_sandbox.control_api.inline import InlineControl
from telegram_sandbox.control_api.phones import PhonesControl
from telegram_sandbox.errors import NOT_FOUND, ApiError
from telegram_sandbox.kannel import Kannel
from telegram_sandbox.request_guard import RequestGuard
from telegram_sandbox.world import World

STATIC = Path(__file__).parent / "static"
PAGE_HEADERS = {"Cache-Control": "no-cache", "Content-Security-Policy": "frame-ancestors 'none'"}


def create_app(world: World) -> Starlette:
    """The application over one world."""
    bot_api = BotApi(world)
    settings = world.settings
    app = Starlette(
        routes=[
            Route("/", page, methods=["GET"]),
            Route("/bot{token}/{method}", bot_api.call, methods=["GET", "POST"]),
            Route("/file/bot{token}/{path:path}", bot_api.file, methods=["GET"]),
            *Control(world).routes(),
            *InlineControl(world).routes(),
            *PhonesControl(world).routes(),
            *FailuresControl(world).routes(),
            *Kannel(world).routes(),
            Route("/icon.svg", icon, methods=["GET"]),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route("/{rest:path}", nothing, methods=["GET", "POST"]),
        ],
        middleware=[Middleware(RequestGuard, settings.host, settings.allowed_hosts)],
    )
    app.state.world = world
    return app


async def page(_request: Request) -> Response:
    """The web page."""
    return FileResponse(STATIC / "index.html", headers=PAGE_HEADERS)


async def icon(request: Request) -> Response:
    """The page's icon, which is the bot's picture as well."""
    world: World = request.app.state.world
    return Response(world.settings.page.icon, media_type="image/svg+xml")


async def nothing(_request: Request) -> Response:
    """Telegram's answer to an address that means nothing."""
    return JSONResponse(ApiError(NOT_FOUND, "Not Found").body(), NOT_FOUND)
