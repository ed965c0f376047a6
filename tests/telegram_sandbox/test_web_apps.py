"""Mini Apps: the buttons that open them, and the bot's information about the user."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from telegram_sandbox import SandboxSettings
from tests.telegram_sandbox.browsing import keys
from tests.telegram_sandbox.conftest import Play

APP = "https://quiz.test/app"
SETTINGS = {"main_web_app": APP}


def button(url: str) -> dict[str, object]:
    return keys([{"text": "Open", "web_app": {"url": url}}])


async def opened(play: Play, name: str, chat: int, **launch: str) -> tuple[str, Any]:
    """The page that a person's phone opens, without its fragment, and the fragment's data as the bot verifies it."""
    from aiogram.utils.web_app import safe_parse_webapp_init_data  # noqa: PLC0415 - takes seconds

    answer = await play.act("POST", "/web_apps", **{"from": play.id(name)}, chat_id=chat, **launch)
    page, _, fragment = answer["result"].partition("#")
    told = parse_qs(fragment, strict_parsing=True)
    assert told["tgWebAppPlatform"] == ["web"]
    return page, safe_parse_webapp_init_data(play.sandbox.token, told["tgWebAppData"][0])


async def test_a_button_of_a_private_chat_opens_its_page_and_tells_who_did(play: Play) -> None:
    await play.start("Ana")
    await play.send(chat=play.id("Ana"), reply_markup=button(f"{APP}?room=7"))
    page, said = await opened(play, "Ana", play.id("Ana"), url=f"{APP}?room=7")
    assert page == f"{APP}?room=7"
    assert said.user is not None
    assert (said.user.id, said.user.first_name, said.start_param) == (play.id("Ana"), "Ana", None)
    assert said.query_id


async def test_a_link_opens_the_main_app_and_tells_from_which_chat(play: Play) -> None:
    assert (await play.ok("getMe"))["has_main_web_app"] is True
    page, said = await opened(play, "Bo", play.group, start_param="K7M2QX")
    assert urlsplit(page).query == "tgWebAppStartParam=K7M2QX"
    assert (said.start_param, said.chat_type, said.query_id) == ("K7M2QX", "supergroup", None)
    assert (await opened(play, "Cy", play.group))[1].chat_instance == said.chat_instance


async def test_a_page_of_this_machine_needs_no_https(play: Play) -> None:
    await play.start("Ana")
    await play.send(chat=play.id("Ana"), reply_markup=button("http://127.0.0.1:8081/app"))


@pytest.mark.parametrize("settings", [SandboxSettings(port=0)])
async def test_a_bot_without_a_main_app_has_none_to_open(play: Play) -> None:
    assert (await play.ok("getMe"))["has_main_web_app"] is False
    refused = await play.act("POST", "/web_apps", 400, **{"from": play.id("Ana")}, chat_id=play.group)
    assert "no main Mini App" in refused["error"]
