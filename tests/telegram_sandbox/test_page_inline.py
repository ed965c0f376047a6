"""Inline mode in the sandbox's page: a list over the text field, by keyboard and by pointer."""

import re
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from telegram_sandbox import RunningSandbox
from tests.telegram_sandbox.browsing import Bot, button, group, keys, phone, write

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETTINGS = {"inline_mode": True, "inline_placeholder": "Your answer…"}


def article(number: int, text: str, **more: Any) -> dict[str, Any]:
    content = {"message_text": f"I say {text}"}
    return {"type": "article", "id": str(number), "title": text, "input_message_content": content, **more}


async def answer(bot: Bot, *titles: str, **more: Any) -> dict[str, Any]:
    query: dict[str, Any] = await bot.hear("inline_query")
    results = [article(number, title) for number, title in enumerate(titles)]
    await bot.ok("answerInlineQuery", inline_query_id=query["id"], results=results, cache_time=0, **more)
    return query


async def test_a_result_is_chosen_with_the_keyboard_or_left_with_escape(page: Page, bot: Bot) -> None:
    field = page.get_by_role("textbox", name="Ana's message to Friends")
    await field.fill("@sandbox_bot 4")
    query = await answer(bot, "four ones", "four twos", "four threes")
    assert (query["from"]["first_name"], query["query"], query["chat_type"]) == ("Ana", "4", "supergroup")
    results = group(page, "Ana").get_by_role("listbox", name="Results of @sandbox_bot")
    await expect(results.get_by_role("option")).to_have_text(["four ones", "four twos", "four threes"])
    await expect(group(page, "Ana").get_by_role("status")).to_have_text("3 results")
    await expect(results.get_by_role("option", selected=True)).to_have_text("four ones")

    await field.press("ArrowDown")
    chosen = results.get_by_role("option", selected=True)
    await expect(chosen).to_have_text("four twos")
    await expect(field).to_have_attribute("aria-activedescendant", str(await chosen.get_attribute("id")))
    await field.press("Enter")

    await expect(field).to_have_value("")
    await expect(results).to_be_hidden()
    posted = group(page, "Bo").get_by_role("article", name="Message from Ana")
    await expect(posted).to_contain_text("I say four twos")
    await expect(posted).to_contain_text("via @sandbox_bot")
    heard = await bot.hear("message")
    assert (heard["text"], heard["via_bot"]["username"]) == ("I say four twos", "sandbox_bot")

    await field.fill("@sandbox_bot hello")
    await answer(bot, "a result")
    await expect(group(page, "Ana").get_by_role("listbox")).to_be_visible()
    await field.press("Escape")
    await expect(group(page, "Ana").get_by_role("listbox")).to_be_hidden()
    await expect(field).to_have_value("@sandbox_bot hello")
    await field.press("Enter")
    await expect(group(page, "Bo").get_by_text("@sandbox_bot hello")).to_be_visible()


async def test_a_result_is_clicked_edited_and_not_offered_without_inline_mode(page: Page, bot: Bot) -> None:
    bot.sandbox.world.inline_feedback = 1
    await page.get_by_role("textbox", name="Cy's message to Friends").fill("@Sandbox_Bot ")
    await expect(group(page, "Cy").get_by_role("status")).to_have_text("Your answer…")
    query = await bot.hear("inline_query")
    results = [article(1, "a vote", description="everyone taps", reply_markup=keys([button("Yes")]))]
    await bot.ok("answerInlineQuery", inline_query_id=query["id"], results=results)
    await group(page, "Cy").get_by_role("option", name="a vote everyone taps").click()
    chosen = await bot.hear("chosen_inline_result")

    message = group(page, "Dee").get_by_role("article", name="Message from Cy")
    await message.get_by_role("button", name="Yes").click()
    tap = await bot.hear("callback_query")
    assert tap["inline_message_id"] == chosen["inline_message_id"]
    await bot.ok("editMessageText", inline_message_id=tap["inline_message_id"], text="Dee said yes")
    await expect(message).to_contain_text("Dee said yes")
    await bot.ok("answerCallbackQuery", callback_query_id=tap["id"])

    await page.get_by_role("button", name="Settings").click()
    inline = page.get_by_role("menuitemcheckbox", name="Inline mode")
    await expect(inline).to_be_checked()
    async with page.expect_response("**/sandbox/inline"):
        await inline.click()
    await page.keyboard.press("Escape")
    assert (await bot.ok("getMe"))["supports_inline_queries"] is False
    await write(page, "Ana", "@sandbox_bot 4")
    await expect(group(page, "Bo").get_by_text("@sandbox_bot 4")).to_be_visible()
    await expect(group(page, "Ana").get_by_role("listbox")).to_have_count(0)


async def test_the_list_shows_the_newest_question_and_more_of_it_when_scrolled(page: Page, bot: Bot) -> None:
    field = page.get_by_role("textbox", name="Ana's message to Friends")
    await field.fill("@sandbox_bot 4")
    first = await bot.hear("inline_query")
    await field.fill("@sandbox_bot 45")
    await answer(bot, "the second")
    await expect(group(page, "Ana").get_by_role("option")).to_have_text(["the second"])
    await bot.ok("answerInlineQuery", inline_query_id=first["id"], results=[article(1, "the first")])
    await write(page, "Bo", "after the first answer")  # the page is told of one thing after another
    await expect(group(page, "Ana").get_by_text("after the first answer")).to_be_visible()
    await expect(group(page, "Ana").get_by_role("option")).to_have_text(["the second"])

    await page.get_by_role("textbox", name="Ana's message to Friends").fill("@sandbox_bot n")
    await answer(bot, *(f"result {number}" for number in range(20)), next_offset="20")
    await expect(group(page, "Ana").get_by_role("status")).to_have_text("20 results, more below")
    await group(page, "Ana").get_by_role("option", name="result 19").scroll_into_view_if_needed()
    query = await answer(bot, "result 20", "result 21")
    assert (query["query"], query["offset"]) == ("n", "20")
    await expect(group(page, "Ana").get_by_role("option")).to_have_count(22)
    await expect(group(page, "Ana").get_by_role("status")).to_have_text("22 results")
    await group(page, "Ana").get_by_role("option", name="result 21").click()
    await expect(group(page, "Bo").get_by_text("I say result 21")).to_be_visible()


async def test_buttons_lead_to_a_query_here_or_in_a_chosen_chat_and_to_the_private_one(page: Page, bot: Bot) -> None:
    turn = {"text": "My turn", "switch_inline_query_current_chat": "bid"}
    await bot.ok("sendMessage", chat_id=bot.group, text="Table", reply_markup=keys([turn]))
    await group(page, "Bo").get_by_role("button", name="My turn").click()
    field = page.get_by_role("textbox", name="Bo's message to Friends")
    await expect(field).to_have_value("@sandbox_bot bid")
    await expect(field).to_be_focused()
    query = await answer(bot, "your cards")
    assert query["from"]["first_name"] == "Bo"
    await expect(group(page, "Bo").get_by_role("option")).to_have_text(["your cards"])
    await expect(page.get_by_role("option")).to_have_count(1)
    await field.fill("")

    await bot.sandbox.user("Bo").send("/start")
    anywhere = {"text": "Share", "switch_inline_query": "rules"}
    groups: dict[str, Any] = {
        "text": "Invite",
        "switch_inline_query_chosen_chat": {"query": "come", "allow_group_chats": True},
    }
    await bot.ok("sendMessage", chat_id=bot.group, text="Table", reply_markup=keys([anywhere, groups]))
    await group(page, "Bo").get_by_role("button", name="Share").click()
    question = phone(page, "Bo").get_by_role("dialog", name="Choose a chat")
    await expect(question.get_by_role("button")).to_have_text(["Friends", "Sandbox bot", "Cancel"])
    await question.get_by_role("button", name="Sandbox bot").click()
    await expect(page.get_by_role("textbox", name="Bo's message to Sandbox bot")).to_have_value("@sandbox_bot rules")
    query = await bot.hear("inline_query")
    assert query["chat_type"] == "sender"

    await phone(page, "Bo").get_by_role("tab", name="Friends").click()
    await group(page, "Bo").get_by_role("button", name="Invite").click()
    await expect(question.get_by_role("button")).to_have_text(["Friends", "Cancel"])
    await page.keyboard.press("Escape")
    await expect(question).to_have_count(0)

    await page.get_by_role("textbox", name="Dee's message to Friends").fill("@sandbox_bot x")
    await answer(bot, button={"text": "Set me up first", "start_parameter": "set-up"})
    await expect(group(page, "Dee").get_by_role("status")).to_have_text("No results.")
    await group(page, "Dee").get_by_role("button", name="Set me up first").click()
    heard = await bot.hear("message")
    assert (heard["text"], heard["from"]["first_name"]) == ("/start set-up", "Dee")


async def test_a_silent_bot_is_told_from_an_empty_answer(browser: Browser, sandbox: RunningSandbox) -> None:
    page = await browser.new_page(reduced_motion="reduce")
    await page.clock.install()
    await page.goto(sandbox.url)
    await page.get_by_role("textbox", name="Ana's message to Friends").fill("@sandbox_bot x")
    async with page.expect_response("**/sandbox/inline/queries") as asked:
        await page.clock.run_for(1000)
    await (await asked.value).finished()
    await expect(group(page, "Ana").get_by_role("status")).to_have_text("Waiting for the bot…")
    await page.clock.run_for(11_000)
    await expect(group(page, "Ana").get_by_role("status")).to_have_text(re.compile("did not answer"))
    await page.close()
