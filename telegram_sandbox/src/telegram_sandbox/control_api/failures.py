"""Endpoints for failures on demand: flood limits, time, faults, outages and late or repeated updates."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from telegram_sandbox.control_api.base import ControlBase, Endpoint, MissingError, route
from telegram_sandbox.control_api.bodies import Advance, DeliveryFaultsChange, Flood, NewFault, NewOutage, Redelivery
from telegram_sandbox.errors import TOO_MANY_REQUESTS, ControlError
from telegram_sandbox.faults import Fault, FaultRule
from telegram_sandbox.model import Json


class FailuresControl(ControlBase):
    """What goes wrong between the server and the bot."""

    def routes(self) -> list[Route]:
        """The addresses for it."""
        table: list[tuple[str, str, Endpoint]] = [
            ("POST", "/flood", self.set_flood),
            ("POST", "/clock", self.advance),
            ("GET", "/faults", self.list_faults),
            ("POST", "/faults", self.add_fault),
            ("DELETE", "/faults", self.clear_faults),
            ("DELETE", "/faults/{number:int}", self.cancel_fault),
            ("POST", "/outage", self.begin_outage),
            ("DELETE", "/outage", self.end_outage),
            ("POST", "/delivery", self.change_delivery),
            ("POST", "/delivery/repeat", self.repeat_updates),
        ]
        return [route(*row) for row in table]

    async def set_flood(self, request: Request) -> Response:
        """Turn flood limits on or off."""
        body = await self._body(request, Flood)
        self._world.flood_limits.enabled = body.enabled
        return JSONResponse({"enabled": body.enabled})

    async def advance(self, request: Request) -> Response:
        """Let time pass in the sandbox, for what expires."""
        body = await self._body(request, Advance)
        self._world.clock.advance(body.seconds)
        return JSONResponse({"now": self._world.clock.now()})

    async def list_faults(self, _request: Request) -> Response:
        """The faults that are still to come, and how often each has been applied."""
        return JSONResponse({"faults": [_as_json(rule) for rule in self._world.faults.listing()]})

    async def add_fault(self, request: Request) -> Response:
        """Make calls of the bot fail."""
        body = await self._body(request, NewFault)
        if body.retry_after is not None and body.code != TOO_MANY_REQUESTS:
            raise ControlError("retry_after belongs to code 429")
        if body.seconds and not body.kind.startswith("stall"):
            raise ControlError("seconds belongs to stall_before and stall_after")
        fault = Fault(body.kind, body.method, body.chat_id, body.code, body.description, body.retry_after, body.seconds)
        if body.seed is not None:
            self._world.faults.seed(body.seed)
        return JSONResponse(_as_json(self._world.faults.add(fault, body.times, body.probability)))

    async def clear_faults(self, _request: Request) -> Response:
        """Delete all faults."""
        self._world.faults.clear()
        return JSONResponse({"ok": True})

    async def cancel_fault(self, request: Request) -> Response:
        """Delete one fault."""
        if not self._world.faults.cancel(request.path_params["number"]):
            raise MissingError("no such fault waits")
        return JSONResponse({"ok": True})

    async def begin_outage(self, request: Request) -> Response:
        """Begin an outage."""
        body = await self._body(request, NewOutage)
        await self._world.outage.begin(body.kind, body.seconds, holds_updates=body.holds_updates)
        return JSONResponse({"ok": True})

    async def end_outage(self, _request: Request) -> Response:
        """End the outage."""
        await self._world.outage.end()
        return JSONResponse({"ok": True})

    async def change_delivery(self, request: Request) -> Response:
        """Delay updates, which reorders the queues among each other, and lose confirmations, which repeats updates."""
        body = await self._body(request, DeliveryFaultsChange)
        delivery = self._world.updates.delivery_faults
        delivery.delay_seconds, delivery.repeat = body.delay_seconds, body.repeat
        if body.seed is not None:
            delivery.seed(body.seed)
        return JSONResponse({"ok": True})

    async def repeat_updates(self, request: Request) -> Response:
        """Deliver confirmed updates once more."""
        body = await self._body(request, Redelivery)
        return JSONResponse({"repeated": self._world.updates.repeat(body.last)})


def _as_json(rule: FaultRule) -> Json:
    return {
        "number": rule.number,
        **asdict(rule.fault),
        "left": rule.left,
        "probability": rule.probability,
        "applied": rule.applied,
    }
