"""The page for people with low or no vision: contrasts, and names for screen readers."""

import asyncio
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Browser, Page, Route, ViewportSize, expect

from telegram_bot.sandbox_launcher.brand import BrandSettings
from telegram_bot.sandbox_launcher.phones import PhoneSettings
from telegram_sandbox import RunningSandbox
from tests.telegram_sandbox.browsing import Bot, group, keys, phone

pytestmark = pytest.mark.asyncio(loop_scope="session")

CONTRASTS = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
WIDE, NARROW = ViewportSize(width=1900, height=1000), ViewportSize(width=390, height=844)
SETTINGS = {
    "inline_mode": True,
    "bot_is_admin": True,
    "people": ("Ana", "Bo", "Cy", "Dee", "Eva", "Flo", "Gus", "Hal", "Ida", "Joe"),
    "extensions": (BrandSettings(), PhoneSettings("http://127.0.0.1:9/")),
}
"""Ten people have every colour of a person."""
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

MUST_BE_NAMED = (
    "button, a[href], input, textarea, select, img, section, nav, main, footer, "
    "[role=dialog], [role=log], [role=menu], [role=listbox], [role=region]"
)
UNNAMED = """(selector) => [...document.querySelectorAll(selector)].filter((one) => {
  if (!one.checkVisibility() || one.type === "file") return false;
  const label = one.getAttribute("aria-label") || one.alt || one.innerText || one.labels?.[0]?.innerText || "";
  return !/[\\p{L}\\p{N}]/u.test(label);
}).map((one) => one.outerHTML.slice(0, 120))"""


async def talk(bot: Bot) -> None:
    chat, bo = bot.group, bot.sandbox.people["Bo"]
    styles = [{"text": style, "callback_data": style, "style": style} for style in ("primary", "success", "danger")]
    plain = [{"text": "plain", "callback_data": "p"}, {"text": "link", "url": "https://example.org"}]
    mention = f'<a href="tg://user?id={bo}">Bo</a>'
    text = f"Round 1, {mention} <a href='https://example.org'>see</a> <code>code</code> <blockquote>quote</blockquote>"
    sent = await bot.ok("sendMessage", chat_id=chat, text=text, parse_mode="HTML", reply_markup=keys(styles, plain))
    reply = {"message_id": sent["message_id"]}
    await bot.ok("sendMessage", chat_id=chat, text="for Bo alone", receiver_user_id=bo, reply_parameters=reply)
    await bot.ok("pinChatMessage", chat_id=chat, message_id=sent["message_id"])
    for name in bot.sandbox.people:
        await bot.sandbox.user(name).send(f"{name} says https://example.org", bot.sandbox.world.chats[chat])
    await bot.sandbox.user("Ana").send("/start")
    await bot.ok("sendMessage", chat_id=bot.sandbox.people["Ana"], text="unread")
    _, sms = bot.sandbox.world.extensions
    sms.text_number(next(iter(sms.phones.values())).number, "Text from the bot")


async def test_a_phone_is_drawn_when_its_style_is_there(browser: Browser, sandbox: RunningSandbox) -> None:
    page, arrived = await browser.new_page(viewport=WIDE), asyncio.Event()

    async def late(route: Route) -> None:
        await arrived.wait()
        await route.continue_()

    await page.route("**/extensions/sms/page.css", late)
    await page.goto(sandbox.url, wait_until="commit")
    await expect(group(page, "Ana").get_by_role("heading", name="Play a game of Perudo")).to_be_visible()
    text = page.get_by_role("textbox", name="Text message from Gran")
    await expect(text).to_have_count(0)
    arrived.set()
    await expect(text).to_be_visible()
    await page.close()


async def low(page: Page) -> list[Any]:
    found: list[Any] = []
    for scheme in SCHEMES:
        await page.emulate_media(color_scheme=scheme)
        await page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished))")
        found += [one for one in await page.evaluate(CONTRASTS) if one["ratio"] < one["needed"]]
    return found


async def test_texts_and_icons_stand_out_and_have_names(browser: Browser, bot: Bot) -> None:
    page = await browser.new_page(viewport=WIDE, reduced_motion="reduce")
    await page.goto(bot.sandbox.url)
    await expect(group(page, "Ana").get_by_role("heading", name="Play a game of Perudo")).to_be_visible()
    assert await low(page) == []

    await talk(bot)
    await expect(group(page, "Cy").get_by_text("Joe says")).to_be_visible()
    assert await low(page) == []

    await page.get_by_role("textbox", name="Bo's message to Friends").fill("@sandbox_bot 4")
    query = await bot.hear("inline_query")
    content = {"message_text": "x"}
    result = {"type": "article", "id": "1", "title": "A result", "description": "what it is"}
    button = {"text": "How does it work?", "start_parameter": "help"}
    results = [{**result, "input_message_content": content}]
    await bot.ok("answerInlineQuery", inline_query_id=query["id"], results=results, button=button)
    await expect(group(page, "Bo").get_by_role("option", name="A result")).to_be_visible()
    await group(page, "Cy").get_by_role("button", name="primary").click()
    tap = await bot.hear("callback_query")
    await bot.ok("answerCallbackQuery", callback_query_id=tap["id"], text="an alert", show_alert=True)
    await group(page, "Dee").get_by_role("button", name="primary").click()
    tap = await bot.hear("callback_query")
    await bot.ok("answerCallbackQuery", callback_query_id=tap["id"], text="a toast")
    await expect(phone(page, "Dee").get_by_role("status")).to_have_text("a toast")
    await phone(page, "Eva").get_by_role("button", name="More").click()
    await page.get_by_role("button", name="Bot calls").click()
    with pytest.raises(AssertionError):
        await bot.ok("sendMessage", chat_id=1, text="to no one")
    await expect(page.get_by_role("dialog", name="Alert for Cy")).to_be_visible()
    await expect(page.get_by_role("button", name="Bot calls")).to_contain_text("1 refused")
    assert await low(page) == []
    assert await page.evaluate(UNNAMED, MUST_BE_NAMED) == []
    await page.set_viewport_size(NARROW)
    await page.reload()
    await expect(group(page, "Ana").get_by_text("Joe says")).to_be_visible()
    assert await low(page) == []
    await page.get_by_role("button", name="Settings").click()
    await expect(page.get_by_role("menuitem", name="Start over")).to_be_visible()
    assert await low(page) == []
    await page.close()
