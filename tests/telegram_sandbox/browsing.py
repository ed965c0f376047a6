"""Helpers of the tests of the page: a bot that the test controls, and places on the page."""

import io
import json
import wave
from typing import Any

import httpx
from playwright.async_api import Locator, Page

from telegram_sandbox.server import RunningSandbox
from telegram_sandbox.settings import PageSettings

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cf500f0003860180ba21c67b0000000049454e44ae426082",
)
PAGE = PageSettings(title="Quiz sandbox", languages=("en", "nl"))


class Bot:
    """A bot that does what the test says."""

    def __init__(self, sandbox: RunningSandbox, client: httpx.AsyncClient) -> None:
        self._address = f"{sandbox.bot_base_url}{sandbox.token}"
        self._client = client
        self._offset = 0

    async def call(self, method: str, **params: object) -> Any:
        answer = (await self._client.post(f"{self._address}/{method}", json=params)).json()
        assert answer["ok"], answer
        return answer["result"]

    async def upload(self, method: str, files: dict[str, bytes], **params: object) -> Any:
        form = {name: value if isinstance(value, str) else json.dumps(value) for name, value in params.items()}
        answer = (await self._client.post(f"{self._address}/{method}", data=form, files=files)).json()
        assert answer["ok"], answer
        return answer["result"]

    async def hear(self, kind: str) -> Any:
        for _ in range(20):
            for update in await self.call("getUpdates", offset=self._offset, timeout=1):
                self._offset = update["update_id"] + 1
                if kind in update:
                    return update[kind]
        raise AssertionError(f"no {kind} came")


def keys(*rows: list[dict[str, Any]]) -> dict[str, object]:
    return {"inline_keyboard": list(rows)}


def button(text: str) -> dict[str, str]:
    return {"text": text, "callback_data": text}


def silence(seconds: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(2 * 8000 * seconds))
    return file.getvalue()


def phone(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=f"{name}'s phone")


def group(page: Page, name: str) -> Locator:
    return page.get_by_role("tabpanel", name=f"{name}'s group chat")


async def write(page: Page, name: str, text: str, chat: str = "Friends") -> None:
    field = page.get_by_role("textbox", name=f"{name}'s message to {chat}")
    await field.fill(text)
    await field.press("Enter")
