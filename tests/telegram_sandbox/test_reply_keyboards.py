"""Reply keyboards, what their buttons send, and what Telegram refuses; Mini Apps."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from telegram_sandbox import Given, SandboxSettings
from tests.telegram_sandbox.conftest import Play, cannot, in_vain, keyboard


def keys(*rows: list[Any], **more: Any) -> dict[str, Any]:
    return {"keyboard": rows, **more}


async def test_a_button_sends_its_text_until_it_is_taken_away_and_a_forced_reply_is_an_answer(play: Play) -> None:
    ana = await play.start("Ana")
    sent = await play.send("Boy or girl?", ana.id, reply_markup=keys(["Boy", {"text": "Girl"}]))
    assert "reply_markup" not in sent, "Telegram shows a bot only inline keyboards"
    tap = await ana.tap("Girl")
    assert (tap.sent and tap.sent.text, tap.answered, tap.text) == ("Girl", True, None)
    message = await play.heard()
    assert message["text"] == "Girl"
    assert "reply_to_message" not in message
    await play.send("No matter", ana.id)
    await ana.tap("Boy")
    await play.send("Thank you", ana.id, reply_markup={"remove_keyboard": True})
    await in_vain(ana.tap("Boy", within=0.05), "there is no button 'Boy' for Ana")
    sent = await play.send("Your name?", ana.id, reply_markup={"force_reply": True})
    await ana.send("Ana")
    assert (await play.heard())["reply_to_message"]["message_id"] == sent["message_id"]
    await ana.send("And more")
    assert "reply_to_message" not in await play.heard()


async def test_the_newer_of_two_buttons_with_the_same_label_is_tapped_and_no_edit_brings_one(play: Play) -> None:
    ana = await play.start("Ana")
    await play.send("Menu", ana.id, reply_markup=keys(["Yes"]))
    await play.send("Sure?", ana.id, reply_markup=keyboard([("Yes", "yes")]))
    await in_vain(ana.tap("Yes", within=0.05), "'Yes' is not answered")
    await play.send("Menu", ana.id, reply_markup=keys(["Yes"]))
    assert (await ana.tap("Yes")).sent
    where = {"chat_id": play.group, "message_id": (await play.send())["message_id"], "reply_markup": keys(["x"])}
    await play.refuses("editMessageText", "inline keyboard expected", **where, text="y")


async def test_in_a_group_it_answers_the_bot_and_a_selective_one_is_for_whom_it_names_or_answers(play: Play) -> None:
    bo, cy, where = play.user("Bo"), play.user("Cy"), play.chat
    sent = await play.send("Who is in?", reply_markup=keys(["I am"]))
    await bo.tap("I am", where)
    message = await play.heard()  # privacy mode lets it through
    assert (message["text"], message["reply_to_message"]["message_id"]) == ("I am", sent["message_id"])
    asked = await play.say("Bo", "/new")
    texts: list[dict[str, Any]] = [
        {"text": f"@{bo.person.username}, your turn"},
        {"text": f'<a href="tg://user?id={bo.id}">Bo</a>, your turn', "parse_mode": "HTML"},
        {"text": "your turn", "reply_parameters": {"message_id": asked["message_id"]}},
    ]
    for number, text in enumerate(texts):
        await play.send(**text, reply_markup=keys([f"Pass {number}"], selective=True))
        await in_vain(cy.tap(f"Pass {number}", where, within=0.05), f"there is no button 'Pass {number}' for Cy")
        await bo.tap(f"Pass {number}", where)


async def test_buttons_send_what_they_ask_for(play: Play) -> None:
    ana, bo = play.user("Ana"), play.user("Bo")
    await ana.send("/start")
    people = {"request_id": 7, "max_quantity": 2, "request_name": True}
    rows: list[list[Any]] = [
        [{"text": "Phone", "request_contact": True}, {"text": "Place", "request_location": True}],
        [{"text": "People", "request_users": people}, {"text": "Chat", "request_chat": {"request_id": 8}}],
        [{"text": "App", "web_app": {"url": "https://example.org"}}, {"text": "Poll", "request_poll": {}}],
        [{"text": "Plain", "request_contact": False}],
    ]
    sent = await play.send("Menu", ana.id, reply_markup=keys(*rows))

    await ana.tap("Phone")
    message = await play.heard()
    assert message["contact"] == {"phone_number": "12025550001", "first_name": "Ana", "user_id": ana.id}
    assert message["reply_to_message"]["message_id"] == sent["message_id"]
    await ana.tap("Place")
    assert (await play.heard())["location"] == {"latitude": 50.85, "longitude": 4.35}
    await ana.tap("Place", gives=Given(location=(1.5, 2.5)))
    assert (await play.heard())["location"] == {"latitude": 1.5, "longitude": 2.5}
    await ana.tap("People", gives=Given(users=[bo.id]))
    shared = {"request_id": 7, "users": [{"user_id": bo.id, "first_name": "Bo"}]}
    assert (await play.heard())["users_shared"] == shared
    await ana.tap("Chat", gives=Given(chat_id=play.group))
    assert (await play.heard())["chat_shared"] == {"request_id": 8, "chat_id": play.group}
    await ana.tap("App", gives=Given(data="42"))
    assert (await play.heard())["web_app_data"] == {"data": "42", "button_text": "App"}
    await ana.tap("Plain")
    assert (await play.heard())["text"] == "Plain"
    await ana.tap("Poll", gives=Given(poll=("Who bluffs?", "Ana", "Bo")))
    assert [one["text"] for one in (await play.heard())["poll"]["options"]] == ["Ana", "Bo"]
    for label in ("People", "Chat", "App", "Poll"):
        await cannot(ana.tap(label), f"'{label}' asks for something")
    pressed = await play.act("POST", "/keys", **{"from": ana.id, "chat_id": ana.id, "text": "Phone"})
    assert pressed["attachment"]["contact"]["first_name"] == "Ana"
    await play.act("POST", "/keys", 400, **{"from": ana.id, "chat_id": ana.id, "text": "Nothing"})


APP = "https://quiz.test/app"
SETTINGS = {"main_web_app": APP}


def button(url: str) -> dict[str, object]:
    return {"inline_keyboard": [[{"text": "Open", "web_app": {"url": url}}]]}


async def opened(play: Play, name: str, chat: int, **launch: str) -> tuple[str, Any]:
    """The page that a person's phone opens, without its fragment, and the fragment's data as the bot verifies it."""
    from aiogram.utils.web_app import safe_parse_webapp_init_data  # noqa: PLC0415 - takes seconds

    answer = await play.act("POST", "/web_apps", **{"from": play.id(name)}, chat_id=chat, **launch)
    page, _, fragment = answer["result"].partition("#")
    told = parse_qs(fragment, strict_parsing=True)
    assert told["tgWebAppPlatform"] == ["web"]
    return page, safe_parse_webapp_init_data(play.sandbox.token, told["tgWebAppData"][0])


async def test_a_button_of_a_private_chat_opens_its_page_and_a_link_the_main_app_and_both_tell_who(
    play: Play,
) -> None:
    await play.start("Ana")
    await play.send(chat=play.id("Ana"), reply_markup=button(f"{APP}?room=7"))
    page, said = await opened(play, "Ana", play.id("Ana"), url=f"{APP}?room=7")
    assert page == f"{APP}?room=7"
    assert said.user is not None
    assert (said.user.id, said.user.first_name, said.start_param) == (play.id("Ana"), "Ana", None)
    assert said.query_id
    await play.send(chat=play.id("Ana"), reply_markup=button("http://127.0.0.1:8081/app"))  # here it needs no HTTPS
    assert (await play.ok("getMe"))["has_main_web_app"] is True
    page, said = await opened(play, "Bo", play.group, start_param="K7M2QX")
    assert urlsplit(page).query == "tgWebAppStartParam=K7M2QX"
    assert (said.start_param, said.chat_type, said.query_id) == ("K7M2QX", "supergroup", None)
    assert (await opened(play, "Cy", play.group))[1].chat_instance == said.chat_instance


@pytest.mark.parametrize("settings", [SandboxSettings(port=0)])
async def test_a_bot_without_a_main_app_has_none_to_open(play: Play) -> None:
    assert (await play.ok("getMe"))["has_main_web_app"] is False
    refused = await play.act("POST", "/web_apps", 400, **{"from": play.id("Ana")}, chat_id=play.group)
    assert "no main Mini App" in refused["error"]
