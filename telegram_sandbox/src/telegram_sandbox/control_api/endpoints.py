"""The control API, JSON under /sandbox/: the acts of people, the changes of the sandbox, and its state for the page."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from telegram_sandbox import page_json, sound
from telegram_sandbox.acts import declared
from telegram_sandbox.control_api.requests import (
    Declared,
    MissingError,
    as_json,
    body_model,
    found,
    perform,
    places,
    read,
)
from telegram_sandbox.errors import BAD_REQUEST, NOT_FOUND, REQUEST_TIMEOUT, ApiError, ControlError
from telegram_sandbox.model import Json
from telegram_sandbox.sandbox_acts import SandboxActs
from telegram_sandbox.users import PersonActs
from telegram_sandbox.world import World

SHOWN_IN_THE_PAGE = (
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "audio/ogg",
    "audio/mpeg",
    "audio/webm",
    "video/mp4",
)
SHOWN_CALLS = 200
ACTS: dict[str, Declared] = dict(declared(PersonActs)) | dict(declared(SandboxActs))
"""By their names in Python."""


class Control:
    """The endpoints of one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        sandbox = SandboxActs(world)
        more = [(target, one) for target in world.extensions for one in dict(declared(type(target))).values()]
        self._acts = [(sandbox, one) for one in ACTS.values()] + more

    def routes(self) -> list[Route]:
        """Return the addresses: those of the acts, and those that only look."""
        looks: dict[str, Callable[[Request], Awaitable[Json | Response]]] = {
            "/state": self.state,
            "/acts": self.acts,
            "/events": self.events,
            "/files/{key}": self.file,
            "/faults": self.faults,
            "/taps/{query_id}": self.tap,
            "/inline/queries/{query_id}": self.inline_query,
        }
        return [self._route(f"GET {path}", look) for path, look in looks.items()] + [
            self._route(one.address, self._performs(one, target)) for target, one in self._acts
        ]

    def _performs(self, one: Declared, target: Any) -> Callable[[Request], Awaitable[Json]]:
        async def run(request: Request) -> Json:
            values = await read(request, one, self._world.settings.max_body_bytes)
            return as_json(self._world, await perform(self._world, target, one, values))

        return run

    def _route(self, address: str, endpoint: Callable[[Request], Awaitable[Json | Response]]) -> Route:
        """Return an address under /sandbox/; every mistake of the caller is answered with a 4xx and its reason."""
        verb, path = address.split(" ")

        async def run(request: Request) -> Response:
            try:
                answer = await endpoint(request)
            except MissingError as error:
                return JSONResponse({"error": str(error)}, NOT_FOUND)
            except ControlError as error:
                return JSONResponse({"error": str(error)}, BAD_REQUEST)
            except AssertionError as error:
                return JSONResponse({"error": str(error)}, REQUEST_TIMEOUT)
            except ApiError as error:
                return JSONResponse({"error": error.description}, error.code)
            return answer if isinstance(answer, Response) else JSONResponse(answer)

        return Route(f"/sandbox{path}", run, methods=[verb], name=address)

    async def acts(self, _request: Request) -> Json:
        """Return every act: its address, its words, and the JSON Schema of its fields."""
        return {
            name: {
                "address": one.address,
                "about": (one.method.__doc__ or "").partition("\n\n")[0],
                "in_path": places(one.address),
                "fields": body_model(one).model_json_schema(),
            }
            for name, one in ACTS.items()
        }

    async def state(self, _request: Request) -> Json:
        """Return the whole state."""
        settings = self._world.settings
        page = asdict(settings.page)
        del page["icon"]
        return {
            "run": self._world.run,
            "page": page,
            "bot": {
                "id": settings.bot_id,
                "username": settings.bot_username,
                "name": settings.bot_name,
                "inline": page_json.inline_mode(self._world),
                "commands": self._world.commands.get(('{"type": "default"}', ""), []),
                "command_lists": page_json.command_lists(self._world),
            },
            "people": page_json.people(self._world),
            "chats": page_json.chats(self._world),
            "messages": [page_json.message(self._world, one) for one in self._world.messages.values() if not one.lost],
            "calls": self._world.calls.listing()[-SHOWN_CALLS:],
            "totals": {
                "calls": self._world.calls.total,
                "schema_failures": len(self._world.calls.schema_failures),
                "flood_refusals": len(self._world.calls.flood_refusals),
                "pending_updates": len(self._world.updates),
            },
            "judges_schema": settings.judge,
            "recording_needs": sound.recording_needs(),
            "flood_limits": self._world.flood_limits.enabled,
            "scripts": [f"/extensions/{one.name}/page.js" for one in self._world.extensions],
            **{one.name: one.state() for one in self._world.extensions},
            "cursor": self._world.events.cursor,
        }

    async def events(self, request: Request) -> Response:
        """Stream the events from `cursor` on."""
        try:
            # A browser that reconnects by itself repeats its first address, and names the last event that it got.
            cursor = int(request.headers.get("last-event-id") or request.query_params.get("cursor") or 0)
        except ValueError:
            raise ControlError("cursor is a number") from None
        return StreamingResponse(
            self._stream(cursor),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def _stream(self, cursor: int) -> AsyncIterator[str]:
        yield ": welcome\n\n"
        async for event in self._world.events.follow(cursor):
            if event is None:
                yield ": still here\n\n"
            else:
                yield f"id: {event['cursor']}\ndata: {json.dumps(event)}\n\n"

    async def file(self, request: Request) -> Response:
        """Return a photo or voice note, for the page; never content that a browser would run."""
        stored: Any = found(self._world.files.get(request.path_params["key"]), "file")
        harmless = stored.mime_type in SHOWN_IN_THE_PAGE
        headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}
        if not harmless:
            headers["Content-Disposition"] = "attachment"
        kind = stored.mime_type if harmless else "application/octet-stream"
        return Response(stored.content, media_type=kind, headers=headers)

    async def faults(self, _request: Request) -> Json:
        """Return the remaining faults, and the number of times that each was applied."""
        return {"faults": [as_json(self._world, rule) for rule in self._world.faults.rules.values()]}

    async def tap(self, request: Request) -> Json:
        """Return the bot's answer to a tap."""
        return as_json(self._world, found(self._world.taps.get(request.path_params["query_id"]), "tap"))

    async def inline_query(self, request: Request) -> Json:
        """Return the bot's answer to an inline query."""
        query = self._world.inline_queries.get(request.path_params["query_id"])
        return as_json(self._world, found(query, "inline query"))
