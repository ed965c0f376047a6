"""Endpoints for people who have a phone without the app: new phones, on and off, and what they text."""

from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from telegram_sandbox.control_api.base import ControlBase, Endpoint, route
from telegram_sandbox.control_api.bodies import Body, Name
from telegram_sandbox.errors import ControlError
from telegram_sandbox.sms.network import LONGEST_TEXT, TextPhone, text_json


class NewPhone(Body):
    """Somebody without the app."""

    name: Name


class PhoneChange(Body):
    """What changes about a phone."""

    name: Name | None = None
    is_on: bool | None = None


class NewText(Body):
    """What somebody texts to the bot's number."""

    phone: int
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]


class PhonesControl(ControlBase):
    """What people without the app do."""

    def routes(self) -> list[Route]:
        """The addresses for it."""
        table: list[tuple[str, str, Endpoint]] = [
            ("POST", "/phones", self.add_phone),
            ("PATCH", "/phones/-{number:int}", self.change_phone),
            ("POST", "/texts", self.send_text),
        ]
        return [route(*row) for row in table]

    async def add_phone(self, request: Request) -> Response:
        """Create a phone with a number of its own."""
        body = await self._body(request, NewPhone)
        phone = self._world.sms.make_phone(body.name)
        return JSONResponse({"id": phone.id, "name": phone.name, "number": phone.number})

    async def change_phone(self, request: Request) -> Response:
        """Rename a phone's owner, or turn the phone off and on."""
        body = await self._body(request, PhoneChange)
        phone = self._phone(-request.path_params["number"])
        phone.name = phone.name if body.name is None else body.name
        phone.is_on = phone.is_on if body.is_on is None else body.is_on
        self._world.sms.show_phones()
        return JSONResponse({"id": phone.id, "name": phone.name, "is_on": phone.is_on})

    async def send_text(self, request: Request) -> Response:
        """Somebody texts the bot."""
        body = await self._body(request, NewText)
        return JSONResponse(text_json(self._world.sms.text_bot(self._phone(body.phone), body.text)))

    def _phone(self, phone_id: int) -> TextPhone:
        phone = self._world.sms.phones.get(phone_id)
        if phone is None:
            raise ControlError("no such phone")
        return phone
