import json
from io import BytesIO
from typing import Any

import httpx
from PIL import Image
from playwright.async_api import Locator, Page

from telegram_sandbox import PageSettings, RunningSandbox

PAGE = PageSettings(title="Quiz sandbox", languages=("en", "nl"))


def png(width: int, height: int) -> bytes:
    Image.new("L", (width, height)).save(file := BytesIO(), "PNG")
    return file.getvalue()


PIXEL = png(1, 1)


class Bot:
    def __init__(self, sandbox: RunningSandbox, client: httpx.AsyncClient) -> None:
        self.sandbox = sandbox
        self.client = client
        self.group = sandbox.group_id
        self.offset = 0

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a call, which is a form if a parameter is a file: its bytes, or its name and bytes."""
        address = f"{self.sandbox.url}/bot{self.sandbox.token}/{method}"
        files = {name: value for name, value in params.items() if isinstance(value, (bytes, tuple))}
        if files:
            fields = {name: value for name, value in params.items() if name not in files}
            form = {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}
            answer = await self.client.post(address, data=form, files=files)
        else:
            answer = await self.client.post(address, json=params)
        body: dict[str, Any] = answer.json()
        assert answer.status_code == (200 if body["ok"] else body["error_code"])
        return body

    async def ok(self, method: str, **params: Any) -> Any:
        body = await self.call(method, **params)
        assert body["ok"], body
        return body["result"]

    async def hear(self, kind: str) -> Any:
        """The next update of this kind; those before it are skipped."""
        for _ in range(20):
            for update in await self.ok("getUpdates", offset=self.offset, timeout=1):
                self.offset = update["update_id"] + 1
                if kind in update:
                    return update[kind]
        raise AssertionError(f"no {kind} came")


def keys(*rows: list[dict[str, Any]]) -> dict[str, object]:
    return {"inline_keyboard": list(rows)}


def button(text: str) -> dict[str, str]:
    return {"text": text, "callback_data": text}


def phone(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=f"{name}'s phone")


def group(page: Page, name: str) -> Locator:
    return page.get_by_role("tabpanel", name=f"{name}'s group chat")


async def write(page: Page, name: str, text: str, chat: str = "Friends") -> None:
    field = page.get_by_role("textbox", name=f"{name}'s message to {chat}")
    await field.fill(text)
    await field.press("Enter")
