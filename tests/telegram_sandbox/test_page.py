"""The sandbox's page in a real browser; the test plays both the people, by what they see, and the bot."""

import io
import json
import re
import wave
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, Locator, Page, expect

from telegram_sandbox.server import RunningSandbox, running_sandbox
from telegram_sandbox.settings import PageSettings, SandboxSettings, Welcome

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cf500f0003860180ba21c67b0000000049454e44ae426082",
)


PAGE = PageSettings(
    title="Quiz sandbox",
    about="A quiz: everybody answers on their own phone.",
    welcome=Welcome(
        title="Play a quiz",
        steps=("Start it.", "Answer on each phone."),
        picture="♥",
        message="/quiz",
        button="Start a quiz",
        others="Answer from here too.",
    ),
    languages=("en", "nl"),
)


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


@pytest.fixture
async def sandbox() -> AsyncIterator[RunningSandbox]:
    async with running_sandbox(SandboxSettings(port=0, flood_limits=False, page=PAGE)) as running:
        yield running


@pytest.fixture
async def bot(sandbox: RunningSandbox) -> AsyncIterator[Bot]:
    async with httpx.AsyncClient(timeout=20) as client:
        yield Bot(sandbox, client)


@pytest.fixture
async def page(browser: Browser, sandbox: RunningSandbox) -> AsyncIterator[Page]:
    page = await browser.new_page(viewport={"width": 1280, "height": 800})
    mistakes: list[str] = []
    page.on("pageerror", lambda error: mistakes.append(str(error)))
    page.on("console", lambda line: mistakes.append(line.text) if line.type == "error" else None)
    await page.goto(sandbox.url)
    await expect(phone(page, "Ana")).to_be_visible()
    yield page
    await page.close()
    assert mistakes == []


async def test_the_first_message_is_sent_with_one_click(page: Page, bot: Bot) -> None:
    await page.get_by_role("button", name="Start a quiz").click()

    heard = await bot.hear("message")
    assert (heard["text"], heard["from"]["first_name"]) == ("/quiz", "Ana")
    for name in ("Ana", "Bo", "Cy", "Dee"):
        await expect(group(page, name).get_by_role("article", name="Message from Ana")).to_contain_text("/quiz")
    await expect(page.get_by_role("button", name="Start a quiz")).to_be_hidden()


async def test_the_page_is_named_and_introduced_as_the_settings_say(page: Page) -> None:
    await expect(page).to_have_title("Quiz sandbox")
    await expect(page.get_by_role("heading", name="Quiz sandbox")).to_be_visible()
    await expect(group(page, "Ana").get_by_role("heading", name="Play a quiz")).to_be_visible()
    await expect(group(page, "Ana").get_by_role("listitem")).to_have_text(["Start it.", "Answer on each phone."])
    await expect(group(page, "Bo").get_by_text("Answer from here too.")).to_be_visible()

    await phone(page, "Ana").get_by_role("button", name="More").click()
    languages = page.get_by_role("combobox", name="Ana's language").get_by_role("option")
    await expect(languages).to_have_text(["English", "Dutch"])
    await expect(page.get_by_text("A quiz: everybody answers on their own phone.").first).to_be_visible()


async def test_nothing_is_drawn_into_a_message(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    text = "dice ⚀⚁⚂⚃⚄⚅ and keycaps 1️⃣ 6️⃣"
    await bot.call("sendMessage", chat_id=sandbox.group_id, text=text, reply_markup=keys([button("5 × ⚄")]))
    message = group(page, "Bo").locator(".text")
    await expect(message).to_have_text(text)
    assert await message.evaluate("node => node.childElementCount") == 0
    key = group(page, "Bo").get_by_role("button", name="5 × ⚄").locator(".key-text")
    assert await key.evaluate("node => [node.textContent, node.childElementCount]") == ["5 × ⚄", 0]


async def test_times_are_written_in_the_language_of_who_reads_them(
    page: Page, sandbox: RunningSandbox, bot: Bot
) -> None:
    await page.request.patch(f"{sandbox.url}/sandbox/people/{sandbox.people['Bo']}", data={"language_code": "nl"})
    soon = int(sandbox.world.clock.now()) + 3 * 86_400 + 60
    text = (
        f'until <tg-time unix="{soon}" format="r">soon</tg-time>, <tg-time unix="1800000000" format="D">then</tg-time>'
    )
    await bot.call("sendMessage", chat_id=sandbox.group_id, text=text, parse_mode="HTML")
    await expect(group(page, "Ana").locator(".text")).to_have_text("until in 3 days, 15 January 2027")
    await expect(group(page, "Bo").locator(".text")).to_have_text("until over 3 dagen, 15 januari 2027")

    await phone(page, "Ana").get_by_role("button", name="More").click()
    await page.get_by_role("combobox", name="Ana's language").select_option("nl")
    await expect(group(page, "Ana").locator(".text")).to_have_text("until over 3 dagen, 15 januari 2027")


async def test_a_second_group_is_added_and_everybody_is_in_it(page: Page, bot: Bot) -> None:
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


async def test_the_tab_of_the_open_chat_is_in_view_however_many_groups_there_are(
    page: Page, sandbox: RunningSandbox
) -> None:
    everybody = [sandbox.user(name) for name in sandbox.people]
    for number in range(5):
        sandbox.add_group(f"Rivals {number}", everybody)
    tabs = phone(page, "Bo").get_by_role("tab")
    await expect(tabs).to_have_count(7)
    first, last = tabs.filter(has_text="Friends"), tabs.filter(has_text="Sandbox bot")
    await expect(last).not_to_be_in_viewport(ratio=0.9)
    await first.press("ArrowLeft")  # round to the last one
    await expect(last).to_be_in_viewport(ratio=0.9)
    await expect(last).to_have_attribute("aria-selected", "true")
    await expect(first).not_to_be_in_viewport(ratio=0.9)


async def test_a_folded_quote_unfolds_when_pressed(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    quote = "<blockquote expandable>one\ntwo\nthree\n<code>four</code></blockquote>"
    await bot.call("sendMessage", chat_id=sandbox.group_id, text=quote, parse_mode="HTML")

    folded = group(page, "Cy").get_by_role("button", name="Folded quote")
    before = await folded.bounding_box()
    await folded.click()
    await expect(group(page, "Cy").locator("blockquote.unfolded code")).to_have_text("four")
    after = await folded.bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] > before["height"]


async def test_words_and_markup_arrive_but_never_as_live_markup(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    await write(page, "Bo", "<img src=x onerror=alert(1)> & <b>friends</b>")
    text = "<b>Round 1</b> &lt;script&gt; <tg-spoiler>hidden</tg-spoiler>"
    await bot.call("sendMessage", chat_id=sandbox.group_id, text=text, parse_mode="HTML")

    seen = group(page, "Cy")
    await expect(seen.get_by_text("<img src=x onerror=alert(1)> & <b>friends</b>")).to_be_visible()
    await expect(seen.locator("b", has_text="Round 1")).to_be_visible()
    await expect(seen.locator(".text img")).to_have_count(0)
    spoiler = seen.get_by_role("button", name="Hidden text")
    await spoiler.click()
    await expect(seen.locator(".spoiler.revealed")).to_have_text("hidden")


async def test_tapped_button_waits_until_the_alert_of_that_person(
    page: Page,
    sandbox: RunningSandbox,
    bot: Bot,
) -> None:
    look = {"text": "Look at my card ♥", "callback_data": "look", "style": "primary"}
    stop = {"text": "Stop!", "callback_data": "stop", "style": "danger"}
    await bot.call("sendMessage", chat_id=sandbox.group_id, text="Round 1", reply_markup=keys([look], [stop]))
    button = group(page, "Bo").get_by_role("button", name="Look at my card ♥")
    await expect(button).to_have_class(re.compile("primary"))

    await button.click()
    await expect(button).to_have_attribute("aria-busy", "true")
    query = await bot.hear("callback_query")
    assert (query["data"], query["from"]["first_name"]) == ("look", "Bo")
    await bot.call("answerCallbackQuery", callback_query_id=query["id"], text="Yours: ♥♠", show_alert=True)

    alert = page.get_by_role("dialog", name="Alert for Bo")
    await expect(alert).to_contain_text("Yours: ♥♠")
    await expect(page.get_by_role("dialog")).to_have_count(1)
    await expect(button).not_to_have_attribute("aria-busy", "true")
    await alert.get_by_role("button", name="OK").click()
    await expect(alert).to_have_count(0)

    await group(page, "Cy").get_by_role("button", name="Stop!").click()
    query = await bot.hear("callback_query")
    await bot.call("answerCallbackQuery", callback_query_id=query["id"], text="Not your turn.")
    await expect(phone(page, "Cy").get_by_role("status")).to_have_text("Not your turn.")


async def test_edits_happen_in_place_and_deletions_disappear(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    place = {"chat_id": sandbox.group_id}
    sent = await bot.call("sendMessage", **place, text="Bo has three points", reply_markup=keys([button("Stop!")]))
    place["message_id"] = sent["message_id"]
    message = group(page, "Dee").get_by_role("article", name="Message from Sandbox")
    await expect(message).to_contain_text("three points")

    await bot.call("editMessageText", **place, text="Cy has four points", reply_markup=keys([button("Go on!")]))
    await expect(message).to_contain_text("Cy has four points")
    await expect(message.get_by_role("button", name="Stop!")).to_have_count(0)
    await expect(message.get_by_role("button", name="Go on!")).to_be_visible()

    await bot.call("deleteMessage", **place)
    await expect(message).to_have_count(0)


async def test_only_its_owner_sees_an_ephemeral_message(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("menuitemcheckbox", name="Bot is admin of Friends").click()
    await bot.hear("my_chat_member")
    cy = sandbox.people["Cy"]
    whole = keys([button("Hide")])
    await bot.call(
        "sendMessage", chat_id=sandbox.group_id, receiver_user_id=cy, text="Your card: ♥♠", reply_markup=whole
    )

    message = page.get_by_role("article", name="Private message from Sandbox")
    await expect(message).to_have_count(1)
    await expect(group(page, "Cy").get_by_text("Only you see this")).to_be_visible()
    await message.get_by_role("button", name="Hide").click()
    query = await bot.hear("callback_query")
    assert query["from"]["id"] == cy
    await bot.call(
        "deleteEphemeralMessage",
        chat_id=sandbox.group_id,
        receiver_user_id=cy,
        ephemeral_message_id=query["message"]["ephemeral_message_id"],
    )
    await expect(message).to_have_count(0)


async def test_private_chat_opens_with_start_and_counts_what_is_unread(
    page: Page,
    sandbox: RunningSandbox,
    bot: Bot,
) -> None:
    await phone(page, "Ana").get_by_role("tab", name="Sandbox bot").click()
    await phone(page, "Ana").get_by_role("button", name="START").click()
    heard = await bot.hear("message")
    assert (heard["text"], heard["chat"]["type"]) == ("/start", "private")
    await expect(page.get_by_role("textbox", name="Ana's message to Sandbox bot")).to_be_visible()

    await phone(page, "Ana").get_by_role("tab", name="Friends").click()
    await bot.call("sendMessage", chat_id=sandbox.people["Ana"], text="Your card")
    await expect(phone(page, "Ana").locator(".tab .badge:visible")).to_have_text("1")
    await phone(page, "Ana").get_by_role("tab", name="Sandbox bot").click()
    await expect(page.get_by_text("Your card")).to_be_visible()
    await expect(phone(page, "Ana").locator(".tab .badge:visible")).to_have_count(0)


async def test_deep_link_opens_the_private_chat_of_who_pressed_it(
    page: Page,
    sandbox: RunningSandbox,
    bot: Bot,
) -> None:
    me = await bot.call("getMe")
    link = {"text": "See my card", "url": f"https://t.me/{me['username']}?start=table-7"}
    await bot.call("sendMessage", chat_id=sandbox.group_id, text="Round 1", reply_markup=keys([link]))

    await group(page, "Dee").get_by_role("button", name="See my card").click()
    heard = await bot.hear("message")
    assert (heard["text"], heard["from"]["first_name"]) == ("/start table-7", "Dee")
    await expect(page.get_by_role("tabpanel", name="Dee's chat with Sandbox bot")).to_be_visible()


async def test_a_typed_answer_replies_to_the_message(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    table = await bot.call("sendMessage", chat_id=sandbox.group_id, text="The table")
    message = group(page, "Bo").get_by_role("article", name="Message from Sandbox")
    await message.hover()
    await message.get_by_role("button", name="Reply").click()
    await expect(phone(page, "Bo").get_by_text("Reply to Sandbox")).to_be_visible()
    await write(page, "Bo", "4 fives")

    heard = await bot.hear("message")
    assert heard["text"] == "4 fives"
    assert heard["reply_to_message"]["message_id"] == table["message_id"]
    await expect(group(page, "Ana").get_by_role("button", name="Go to the answered message")).to_contain_text("table")


async def test_people_come_go_and_change_their_names(page: Page) -> None:
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


async def test_somebody_blocks_the_bot_and_leaves_the_group(page: Page, bot: Bot) -> None:
    more = phone(page, "Cy").get_by_role("button", name="More")
    await more.click()
    await page.get_by_role("menuitem", name="Leave Friends").click()
    assert (await bot.hear("message"))["left_chat_member"]["first_name"] == "Cy"
    await write(page, "Ana", "behind Cy's back")
    await expect(group(page, "Bo").get_by_text("behind Cy's back")).to_be_visible()
    await expect(group(page, "Cy").get_by_text("behind Cy's back")).to_have_count(0)
    await phone(page, "Cy").get_by_role("button", name="Join Friends").click()
    await expect(page.get_by_role("textbox", name="Cy's message to Friends")).to_be_visible()

    await more.click()
    await page.get_by_role("menuitem", name="Block the bot").click()
    await phone(page, "Cy").get_by_role("tab", name="Sandbox bot").click()
    await phone(page, "Cy").get_by_role("button", name="Unblock the bot").click()
    await expect(phone(page, "Cy").get_by_role("button", name="START")).to_be_visible()


async def test_calls_strip_tells_what_the_bot_did(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    strip = page.get_by_role("button", name=re.compile("Bot calls"))
    await bot.call("sendMessage", chat_id=sandbox.group_id, text="hello")
    await expect(strip).to_contain_text("all accepted by the schema")
    with pytest.raises(AssertionError):
        await bot.call("sendMessage", text="to nobody")
    await expect(strip).to_contain_text("1 not accepted by the schema")

    await strip.click()
    await page.get_by_role("checkbox", name="Only problems").check()
    rows = page.locator("tr[data-call]")
    await expect(rows).to_have_count(1)
    await rows.get_by_role("button", name="sendMessage").click()
    await expect(page.get_by_role("region", name="Details of the call")).to_contain_text("to nobody")


async def test_a_refused_call_is_shown_with_telegrams_reason(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    strip = page.get_by_role("button", name=re.compile("Bot calls"))
    with pytest.raises(AssertionError):
        await bot.call("sendMessage", chat_id=sandbox.people["Bo"], text="hello")
    reason = "403 Forbidden: bot can't initiate conversation with a user"
    await expect(strip).to_have_text(f"Bot calls: 1, all accepted by the schema, 1 refused, last sendMessage: {reason}")
    await strip.click()
    await expect(page.locator("tr[data-call]")).to_contain_text(f"refused: {reason}")


async def test_reader_who_scrolled_up_is_told_of_new_messages(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    for number in range(30):
        await bot.call("sendMessage", chat_id=sandbox.group_id, text=f"message {number}")
    pane = group(page, "Ana")
    await expect(pane.get_by_text("message 29")).to_be_in_viewport()
    await pane.get_by_text("message 29").hover()
    await page.mouse.wheel(0, -900)
    await expect(pane.get_by_text("message 29")).not_to_be_in_viewport()

    await bot.call("sendMessage", chat_id=sandbox.group_id, text="the newest")
    await pane.get_by_role("button", name="1 new message").click()
    await expect(pane.get_by_text("the newest")).to_be_in_viewport()
    await expect(group(page, "Bo").get_by_text("the newest")).to_be_in_viewport()


async def test_photos_and_voice_notes_are_sent_and_shown(page: Page, sandbox: RunningSandbox) -> None:
    attach = group(page, "Bo").get_by_label("Photo or sound file")
    await attach.set_input_files({"name": "holiday.png", "mimeType": "image/png", "buffer": PIXEL})
    await expect(group(page, "Ana").get_by_role("img", name="Photo")).to_be_visible()

    await attach.set_input_files({"name": "greeting.wav", "mimeType": "audio/wav", "buffer": silence(seconds=2)})
    note = group(page, "Ana").get_by_role("article", name="Message from Bo").nth(1)
    await expect(note).to_contain_text("0:02")
    sent = [message.media for message in sandbox.world.messages.values() if message.media]
    assert [media.kind for media in sent] == ["photo", "voice"]
    await note.get_by_role("button", name="Play voice note").click()
    await expect(note.get_by_role("button", name="Pause voice note")).to_be_visible()
    await expect(note.get_by_role("button", name="Play voice note")).to_be_visible()


async def test_a_picture_with_its_caption_and_keyboard_makes_room_for_another(
    page: Page, sandbox: RunningSandbox, bot: Bot
) -> None:
    chat = sandbox.group_id
    table = keys([button("Next")])
    sent = await bot.upload("sendPhoto", {"photo": PIXEL}, chat_id=chat, caption="first hand", reply_markup=table)
    message = group(page, "Ana").get_by_role("article", name="Message from Sandbox")
    await expect(message).to_contain_text("first hand")
    await expect(message.get_by_role("button", name="Next")).to_be_visible()
    first = await message.get_by_role("img", name="Photo from Sandbox").get_attribute("src")

    media = {"type": "photo", "media": "attach://hand", "caption": "second hand"}
    where = {"chat_id": chat, "message_id": sent["message_id"]}
    await bot.upload("editMessageMedia", {"hand": PIXEL}, **where, media=media, reply_markup=keys([button("Again")]))
    await expect(message).to_contain_text("second hand")
    await expect(message.get_by_role("button", name="Again")).to_be_visible()
    picture = message.get_by_role("img", name="Photo from Sandbox")
    await expect(picture).not_to_have_attribute("src", str(first))
    assert await picture.evaluate("node => [node.naturalWidth, node.width > 0]") == [1, True]


async def test_an_effect_and_a_reaction_are_shown(page: Page, sandbox: RunningSandbox, bot: Bot) -> None:
    await sandbox.user("Bo").send("/start")
    won = {"chat_id": sandbox.people["Bo"], "text": "You won!", "message_effect_id": "5046509860389126442"}
    await bot.call("sendMessage", **won)
    await phone(page, "Bo").get_by_role("tab", name="Sandbox bot").click()
    await expect(page.get_by_role("img", name="Effect 🎉")).to_be_visible()

    said = await sandbox.user("Ana").send("exactly seven", sandbox.world.chats[sandbox.group_id])
    where = {"chat_id": sandbox.group_id, "message_id": said.message_id}
    await bot.call("setMessageReaction", **where, reaction=[{"type": "emoji", "emoji": "🔥"}])
    await expect(group(page, "Cy").get_by_role("img", name="The bot's reaction: 🔥")).to_be_visible()


async def test_starting_over_empties_the_group(page: Page) -> None:
    await write(page, "Ana", "hello")
    await expect(group(page, "Bo").get_by_text("hello")).to_be_visible()
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("menuitem", name="Start over").click()
    await page.get_by_role("dialog", name="Start over?").get_by_role("button", name="Start over").click()
    await expect(group(page, "Bo").get_by_text("hello")).to_have_count(0)
    await expect(page.get_by_role("button", name="Start a quiz")).to_be_visible()


async def test_narrow_screen_shows_one_person_and_who_is_called(
    browser: Browser,
    sandbox: RunningSandbox,
    bot: Bot,
) -> None:
    context = await browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = await context.new_page()
    await page.goto(sandbox.url)
    await expect(phone(page, "Ana")).to_be_visible()
    await expect(phone(page, "Bo")).to_be_hidden()

    mention = f'<a href="tg://user?id={sandbox.people["Cy"]}">Cy</a>, your turn'
    await bot.call("sendMessage", chat_id=sandbox.group_id, text=mention, parse_mode="HTML")
    chips = page.get_by_role("navigation", name="People")
    await expect(chips.locator(".badge.called")).to_have_count(1)
    await chips.get_by_role("button", name="Cy").click()
    await expect(phone(page, "Cy").get_by_text("your turn")).to_be_visible()
    await expect(chips.locator(".badge.called")).to_be_hidden()
    assert await page.evaluate("document.documentElement.scrollWidth") == 390
    await context.close()


async def test_page_finds_back_when_the_sandbox_restarts(browser: Browser) -> None:
    page = await browser.new_page()
    async with running_sandbox(SandboxSettings(port=0)) as first:
        port = int(first.url.rsplit(":", 1)[1])
        await page.goto(first.url)
        await write(page, "Ana", "before")
        await expect(group(page, "Bo").get_by_text("before")).to_be_visible()
    banner = page.get_by_text("The connection to the sandbox is lost")
    await expect(banner).to_be_visible()

    async with running_sandbox(SandboxSettings(port=port, demand_port=True)):
        await expect(banner).to_be_hidden(timeout=15_000)
        await expect(group(page, "Bo").get_by_text("before")).to_have_count(0)
        notice = page.get_by_role("status").filter(has_text="starts over")
        await expect(notice).to_contain_text("it keeps nothing")
        await notice.get_by_role("button", name="OK").click()
        await expect(notice).to_be_hidden()
        await write(page, "Ana", "after")
        await expect(group(page, "Bo").get_by_text("after")).to_be_visible()
        await page.close()


def button(text: str) -> dict[str, str]:
    return {"text": text, "callback_data": text}
