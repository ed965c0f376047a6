"""Endpoints for inline mode: people type queries and choose results, and BotFather's two settings."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from telegram_sandbox import inline_mode, page_json
from telegram_sandbox.control_api.base import ControlBase, Endpoint, MissingError, route
from telegram_sandbox.control_api.bodies import InlineModeChange, NewInlineChoice, NewInlineQuery


class InlineControl(ControlBase):
    """What people do in inline mode."""

    def routes(self) -> list[Route]:
        """The addresses for it."""
        table: list[tuple[str, str, Endpoint]] = [
            ("POST", "/inline", self.change_mode),
            ("POST", "/inline/queries", self.ask),
            ("GET", "/inline/queries/{id}", self.show),
            ("POST", "/inline/choices", self.choose),
        ]
        return [route(*row) for row in table]

    async def change_mode(self, request: Request) -> Response:
        """Do what /setinline and /setinlinefeedback do at BotFather."""
        body = await self._body(request, InlineModeChange)
        if body.enabled is not None:
            self._world.inline_mode = body.enabled
        if body.feedback is not None:
            self._world.inline_feedback = body.feedback
        self._world.show_inline_mode()
        return JSONResponse({"enabled": self._world.inline_mode, "feedback": self._world.inline_feedback})

    async def ask(self, request: Request) -> Response:
        """Somebody types an inline query; a cached answer is there at once."""
        body = await self._body(request, NewInlineQuery)
        person, chat = self._person(body.sender), self._chat(body.chat_id)
        query = inline_mode.ask(self._world, person, chat, body.query, body.offset)
        return JSONResponse(page_json.inline_query(query))

    async def show(self, request: Request) -> Response:
        """What the bot answered to an inline query."""
        query = self._world.inline_queries.get(request.path_params["id"])
        if query is None:
            raise MissingError("no such inline query")
        return JSONResponse(page_json.inline_query(query))

    async def choose(self, request: Request) -> Response:
        """Somebody chooses a result, which posts its message in a chat."""
        body = await self._body(request, NewInlineChoice)
        choice = inline_mode.Choice(body.query_id, body.result_id, body.reply_to, body.thread_id)
        person, chat = self._person(body.sender), self._chat(body.chat_id)
        return self._shown(inline_mode.choose(self._world, person, chat, choice))
