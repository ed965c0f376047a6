"""The sandbox's page in a real browser; the test plays the bot, and both people by what they see."""

import re

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from telegram_sandbox import SandboxSettings, running_sandbox
from telegram_sandbox.control_api.endpoints import ACTS
from tests.telegram_sandbox.browsing import Bot, group, phone, write

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_page_introduces_itself_begins_starts_over_and_counts_what_is_unread(page: Page, bot: Bot) -> None:
    await expect(page).to_have_title("Quiz sandbox")
    await expect(page.get_by_role("heading", name="Quiz sandbox")).to_be_visible()
    await expect(group(page, "Ana").get_by_role("heading", name="Try the bot")).to_be_visible()
    await expect(group(page, "Bo").get_by_text("What you write here is sent in their name.")).to_be_visible()

    await phone(page, "Ana").get_by_role("button", name="More").click()
    languages = page.get_by_role("combobox", name="Ana's language").get_by_role("option")
    await expect(languages).to_have_text(["English", "Dutch"])
    await expect(page.get_by_text("You are everyone here.", exact=True)).to_be_visible()
    await page.keyboard.press("Escape")

    await page.get_by_role("button", name="Send /start").click()

    heard = await bot.hear("message")
    assert (heard["text"], heard["from"]["first_name"]) == ("/start", "Ana")
    for name in ("Ana", "Bo", "Cy", "Dee"):
        await expect(group(page, name).get_by_role("article", name="Message from Ana")).to_contain_text("/start")
    await expect(page.get_by_role("button", name="Send /start")).to_be_hidden()

    await page.get_by_role("button", name="Settings").click()
    await expect(page.get_by_role("menuitem", name="Add a phone without an app")).to_have_count(0)
    await page.get_by_role("menuitem", name="Start over").click()
    await page.get_by_role("dialog", name="Start over?").get_by_role("button", name="Start over").click()
    await expect(group(page, "Bo").get_by_role("article")).to_have_count(0)
    await expect(page.get_by_role("button", name="Send /start")).to_be_visible()

    await phone(page, "Ana").get_by_role("tab", name="Sandbox bot").click()
    await phone(page, "Ana").get_by_role("button", name="START").click()
    heard = await bot.hear("message")
    assert (heard["text"], heard["chat"]["type"]) == ("/start", "private")
    await expect(page.get_by_role("textbox", name="Ana's message to Sandbox bot")).to_be_visible()

    await phone(page, "Ana").get_by_role("tab", name="Friends").click()
    await bot.ok("sendMessage", chat_id=bot.sandbox.people["Ana"], text="Your card")
    await expect(phone(page, "Ana").locator(".tab .badge:visible")).to_have_text("1")
    await phone(page, "Ana").get_by_role("tab", name="Sandbox bot").click()
    await expect(page.get_by_text("Your card")).to_be_visible()
    await expect(phone(page, "Ana").locator(".tab .badge:visible")).to_have_count(0)


@pytest.mark.parametrize("page_settings", [SandboxSettings(port=0, judge=True)])
async def test_calls_strip_tells_what_the_bot_did_and_what_was_refused(page: Page, bot: Bot) -> None:
    strip = page.get_by_role("button", name=re.compile("Bot calls"))
    await bot.ok("sendMessage", chat_id=bot.group, text="hello")
    await expect(strip).to_contain_text("all accepted by the schema")
    with pytest.raises(AssertionError):
        await bot.ok("sendMessage", text="to no one")
    await expect(strip).to_contain_text("1 not accepted by the schema")

    await strip.click()
    await page.get_by_role("checkbox", name="Only problems").check()
    rows = page.locator("tr[data-call]")
    await expect(rows).to_have_count(1)
    await rows.get_by_role("button", name="sendMessage").click()
    await expect(page.get_by_role("region", name="Details of the call")).to_contain_text("to no one")

    with pytest.raises(AssertionError):
        await bot.ok("sendMessage", chat_id=bot.sandbox.people["Bo"], text="hello")
    reason = "403 Forbidden: bot can't initiate conversation with a user"
    await expect(strip).to_have_text(re.compile(f"2 refused, last sendMessage: {re.escape(reason)}$"))
    await expect(rows.filter(has_text=f"refused: {reason}")).to_have_count(1)


async def test_groups_are_added_and_the_tab_of_the_open_chat_is_in_view(page: Page, bot: Bot) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("menuitem", name="Add a group").click()
    question = page.get_by_role("dialog", name="Add a group")
    await question.get_by_role("textbox", name="The group's name").fill("Rivals")
    await question.get_by_role("button", name="Add").click()
    heard = await bot.hear("my_chat_member")
    assert heard["chat"]["title"] == "Rivals"

    await expect(phone(page, "Bo").get_by_role("tab", name="Rivals")).to_have_attribute("aria-selected", "true")
    await write(page, "Bo", "/quiz", "Rivals")
    heard = await bot.hear("message")
    while "text" not in heard:
        heard = await bot.hear("message")
    assert (heard["text"], heard["chat"]["title"]) == ("/quiz", "Rivals")
    await expect(page.get_by_role("tabpanel", name="Cy's group chat").filter(visible=True)).to_contain_text("/quiz")
    await phone(page, "Cy").get_by_role("tab", name="Friends").click()
    await write(page, "Cy", "still here")
    await expect(phone(page, "Dee").get_by_role("tab", name="Friends").locator(".badge")).to_have_text("1")

    everybody = [bot.sandbox.user(name) for name in bot.sandbox.people]
    for number in range(4):
        bot.sandbox.add_group(f"Rivals {number}", everybody)
    tabs = phone(page, "Ana").get_by_role("tab")
    await expect(tabs).to_have_count(7)
    first, last = tabs.filter(has_text="Friends"), tabs.filter(has_text="Sandbox bot")
    await expect(last).not_to_be_in_viewport(ratio=0.9)
    await first.press("ArrowLeft")  # round to the last one
    await expect(last).to_be_in_viewport(ratio=0.9)
    await expect(last).to_have_attribute("aria-selected", "true")
    await expect(first).not_to_be_in_viewport(ratio=0.9)


async def test_people_come_go_change_their_names_block_the_bot_and_leave(page: Page, bot: Bot) -> None:
    await page.get_by_role("button", name="Add a person").click()
    name = page.get_by_role("textbox", name="New name for")
    await name.fill("Zoë")
    await name.press("Enter")
    await write(page, "Zoë", "hello")
    await expect(group(page, "Ana").get_by_role("article", name="Message from Zoë")).to_be_visible()

    await page.get_by_role("button", name="Rename Bo").click()
    await page.get_by_role("textbox", name="New name for Bo").fill("Bruno")
    await page.keyboard.press("Enter")
    await expect(phone(page, "Bruno")).to_be_visible()

    await phone(page, "Zoë").get_by_role("button", name="More").click()
    await page.get_by_role("menuitem", name="Remove Zoë").click()
    await page.get_by_role("dialog", name="Remove Zoë?").get_by_role("button", name="Remove").click()
    await expect(phone(page, "Zoë")).to_have_count(0)

    more = phone(page, "Cy").get_by_role("button", name="More")
    await more.click()
    await page.get_by_role("menuitem", name="Leave Friends").click()
    heard = await bot.hear("message")
    while "left_chat_member" not in heard or heard["left_chat_member"]["first_name"] != "Cy":
        heard = await bot.hear("message")
    await write(page, "Ana", "behind Cy's back")
    await expect(group(page, "Bruno").get_by_text("behind Cy's back")).to_be_visible()
    await expect(group(page, "Cy").get_by_text("behind Cy's back")).to_have_count(0)
    await phone(page, "Cy").get_by_role("button", name="Join Friends").click()
    await expect(page.get_by_role("textbox", name="Cy's message to Friends")).to_be_visible()

    await more.click()
    await page.get_by_role("menuitem", name="Block the bot").click()
    await phone(page, "Cy").get_by_role("tab", name="Sandbox bot").click()
    await phone(page, "Cy").get_by_role("button", name="Unblock the bot").click()
    await expect(phone(page, "Cy").get_by_role("button", name="START")).to_be_visible()


async def test_narrow_screen_shows_one_person_and_who_is_called(browser: Browser, bot: Bot) -> None:
    size = ViewportSize(width=390, height=844)
    context = await browser.new_context(viewport=size, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page = await context.new_page()
    await page.goto(bot.sandbox.url)
    await expect(phone(page, "Ana")).to_be_visible()
    await expect(phone(page, "Bo")).to_be_hidden()

    mention = f'<a href="tg://user?id={bot.sandbox.people["Cy"]}">Cy</a>, your turn'
    await bot.ok("sendMessage", chat_id=bot.group, text=mention, parse_mode="HTML")
    chips = page.get_by_role("navigation", name="People")
    await expect(chips.locator(".badge.called")).to_have_count(1)
    await chips.get_by_role("button", name="Cy").click()
    await expect(phone(page, "Cy").get_by_text("your turn")).to_be_visible()
    await expect(chips.locator(".badge.called")).to_be_hidden()
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    await context.close()


async def test_page_finds_back_when_the_sandbox_restarts(browser: Browser) -> None:
    page = await browser.new_page(reduced_motion="reduce")
    async with running_sandbox(SandboxSettings(port=0)) as first:
        port = int(first.url.rsplit(":", 1)[1])
        await page.goto(first.url)
        await write(page, "Ana", "before")
        await expect(group(page, "Bo").get_by_text("before")).to_be_visible()
    banner = page.get_by_text("The connection to the sandbox is lost")
    await expect(banner).to_be_visible()

    async with running_sandbox(SandboxSettings(port=port, demand_port=True)):
        await expect(banner).to_be_hidden()
        await expect(group(page, "Bo").get_by_text("before")).to_have_count(0)
        notice = page.get_by_role("status").filter(has_text="starts over")
        await expect(notice).to_contain_text("it keeps nothing")
        await notice.get_by_role("button", name="OK").click()
        await expect(notice).to_be_hidden()
        await write(page, "Ana", "after")
        await expect(group(page, "Bo").get_by_text("after")).to_be_visible()
        await page.close()


async def test_the_commands_on_the_page_are_the_bots_also_those_that_it_sets_later(page: Page, bot: Bot) -> None:
    quiz, tapas = {"command": "quiz", "description": "Begin"}, {"command": "quiz", "description": "Empezar"}
    offers = group(page, "Ana").get_by_role("group", name="Commands").get_by_role("button")
    field = page.get_by_role("textbox", name="Ana's message to Friends")
    await field.fill("/")
    await bot.ok("setMyCommands", commands=[quiz], scope={"type": "all_group_chats"})
    await expect(offers).to_have_text(["/quizBegin"])
    await bot.ok("setMyCommands", commands=[tapas], scope={"type": "all_group_chats"}, language_code="nl")

    await phone(page, "Ana").get_by_role("button", name="More").click()
    await page.get_by_role("combobox", name="Ana's language").select_option("nl")
    await expect(offers).to_have_text(["/quizEmpezar"])

    for _ in range(210):
        await bot.ok("getMe")
    await page.reload()
    await field.fill("/")
    await expect(offers).to_have_text(["/quizEmpezar"])
    await bot.ok("deleteMyCommands", scope={"type": "all_group_chats"}, language_code="nl")
    await expect(offers).to_have_text(["/quizBegin"])

    await page.request.post(f"{page.url}sandbox/reset", data={})
    await expect(field).to_have_value("")  # Ana's new phone
    await field.fill("/")
    await expect(offers).to_have_text(["/quizBegin"])


async def test_every_act_of_the_table_is_done_on_the_page(page: Page, bot: Bot) -> None:
    said = await bot.sandbox.user("Ana").send("/new", bot.sandbox.world.chats[bot.group])
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("menuitem", name="All acts").click()
    acts = page.get_by_role("dialog", name="All acts")
    options = acts.get_by_label("Act", exact=True).locator("option")
    await expect(options).to_have_text([name.replace("_", " ") for name in ACTS])

    async def do(act: str, **fields: str) -> None:
        await acts.get_by_label("Act", exact=True).select_option(act)
        for name, value in fields.items():
            field = acts.get_by_label(name.strip("_"), exact=True)
            if await field.evaluate("(one) => one.tagName") == "SELECT":
                await field.select_option(value)
            else:
                await field.fill(value)
        await acts.get_by_role("button", name="Do it").click()

    where = {"from_": "Ana", "chat_id": "Friends"}
    await do("edit", **where, message_id=f"Ana: {said.text}", text="/new fast")
    await expect(acts.get_by_role("status")).to_contain_text('"text": "/new fast"')
    assert (await bot.hear("edited_message"))["text"] == "/new fast"
    await do("forward", **where, message_id="Ana: /new fast", to_chat_id="Ana, private")
    assert (await bot.hear("message"))["forward_origin"]["sender_user"]["first_name"] == "Ana"
    before = bot.sandbox.world.clock.now()
    await do("advance clock", seconds="3600")
    await expect(acts.get_by_role("status")).to_contain_text('"result"')
    assert bot.sandbox.world.clock.now() >= before + 3600
    await do("cancel fault", number="seven")
    await expect(acts.get_by_role("status")).to_contain_text("is not valid JSON")
    await do("send poll", **where, question="When?", options="Monday\nFriday")
    await acts.get_by_role("button", name="Close").click()
    await expect(group(page, "Bo").get_by_role("button", name="Friday")).to_be_visible()
