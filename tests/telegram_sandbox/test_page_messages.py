"""Messages on the sandbox's page look as in a client, and inject no markup."""

import asyncio
import io
import re
from random import Random
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Page, Route, expect

from telegram_sandbox.errors import ApiError
from telegram_sandbox.text.entities import check_given
from tests.telegram_sandbox.browsing import PIXEL, Bot, button, group, keys, phone, write
from tests.telegram_sandbox.test_payments import BOOK
from tests.telegram_sandbox.test_voice_notes import recording

pytestmark = pytest.mark.asyncio(loop_scope="session")

HIDE = button("Hide")


async def test_a_message_is_shown_as_written_nothing_in_it_is_live_and_a_quote_unfolds(page: Page, bot: Bot) -> None:
    text = "signs ♔♕♖♗♘♙ and keycaps 1️⃣ 6️⃣"
    await bot.ok("sendMessage", chat_id=bot.group, text=text, reply_markup=keys([button("5 × ♘")]))
    message = group(page, "Bo").locator(".text")
    await expect(message).to_have_text(text)
    assert await message.evaluate("node => node.childElementCount") == 0
    key = group(page, "Bo").get_by_role("button", name="5 × ♘").locator(".key-text")
    assert await key.evaluate("node => [node.textContent, node.childElementCount]") == ["5 × ♘", 0]

    await write(page, "Bo", "<img src=x onerror=alert(1)> & <b>friends</b>")
    text = "<b>Round 1</b> &lt;script&gt; <tg-spoiler>hidden</tg-spoiler>"
    await bot.ok("sendMessage", chat_id=bot.group, text=text, parse_mode="HTML")

    seen = group(page, "Cy")
    await expect(seen.get_by_text("<img src=x onerror=alert(1)> & <b>friends</b>")).to_be_visible()
    await expect(seen.locator("b", has_text="Round 1")).to_be_visible()
    await expect(seen.locator(".text img")).to_have_count(0)
    spoiler = seen.get_by_role("button", name="Hidden text")
    await spoiler.click()
    await expect(seen.locator(".spoiler.revealed")).to_have_text("hidden")

    quote = "<blockquote expandable>one\ntwo\nthree\n<code>four</code></blockquote>"
    await bot.ok("sendMessage", chat_id=bot.group, text=quote, parse_mode="HTML")
    folded = seen.get_by_role("button", name="Folded quote")
    height = "node => node.offsetHeight"
    before = await folded.evaluate(height)
    await folded.click()
    await expect(seen.locator("blockquote.unfolded code")).to_have_text("four")
    assert await folded.evaluate(height) > before


LINKS = '<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>'
DRAWN = [
    ("<script>", [("bold", 0, 8, {})], "<b>&lt;script&gt;</b>"),
    ("ab", [("bold", 0, 2, {}), ("italic", 1, 1, {})], "<b>a<i>b</i></b>"),
    ("abcdef", [("bold", 0, 4, {}), ("italic", 2, 4, {})], "<b>ab<i>cd</i></b><i>ef</i>"),
    ("🎲x", [("code", 2, 1, {})], "🎲<code>x</code>"),
    ("Ana", [("text_mention", 0, 3, {"user": {"id": 7}})], LINKS.format("tg://user?id=7", "Ana")),
    ("x", [("text_link", 0, 1, {"url": 'https://e.org/?a="'})], LINKS.format("https://e.org/?a=&quot;", "x")),
    ("https://e.org", [("url", 0, 13, {})], LINKS.format("https://e.org", "https://e.org")),
    ("x", [("text_link", 0, 1, {"url": "javascript:alert(1)"})], "x"),
    ("x", [("text_link", 0, 1, {"url": "\x01javascript:alert(1)"})], "x"),
    ("x", [("date_time", 0, 1, {"unix_time": 10**15})], "x"),
    (
        "x",
        [("date_time", 0, 1, {"unix_time": 0, "date_time_format": "r"})],
        '<time datetime="1970-01-01T00:00:00.000Z" data-unix="0" data-format="r">x</time>',
    ),
    ("/start @ana_x", [("bot_command", 0, 6, {}), ("mention", 7, 6, {})], "/start @ana_x"),
]
DRAW = """async (cases) => {
  const { draw } = await import("/static/text.js");
  return cases.map(([text, entities]) => {
    const node = document.createElement("div");
    node.append(draw(text, entities.map(([type, offset, length, more]) => ({ type, offset, length, ...more }))));
    return [node.innerHTML, node.textContent];
  });
}"""


async def test_a_text_is_drawn_from_its_entities_however_they_cross_and_links_to_no_script(page: Page) -> None:
    found = await page.evaluate(DRAW, [[text, entities] for text, entities, _ in DRAWN])
    assert [html for html, _ in found] == [html for _, _, html in DRAWN]
    chance = Random(53)
    texts = ["".join(chance.choices("ab<&é🎲 \n", k=chance.randrange(1, 40))) for _ in range(300)]
    kinds = ["bold", "italic", "spoiler", "expandable_blockquote", "pre"]
    spans: list[list[tuple[str, int, int, dict[str, object]]]] = [
        [(chance.choice(kinds), chance.randrange(40), chance.randrange(1, 40), {}) for _ in range(chance.randrange(7))]
        for _ in texts
    ]
    cases = [
        (text, [one for one in marks if not broken_by(text, one[1], one[1] + one[2])])
        for text, marks in zip(texts, spans, strict=True)
    ]
    assert sum(len(marks) for _, marks in cases) > 100
    assert [words for _, words in await page.evaluate(DRAW, cases)] == texts


def broken_by(text: str, start: int, end: int) -> bool:
    """Whether an entity from there to there ends after the text, or within a character."""
    entity = {"type": "bold", "offset": start, "length": end - start}
    try:
        check_given(text, [entity])
    except ApiError:
        return True
    return False


async def test_times_are_in_the_readers_language_and_counted_down_from_the_first_moment(page: Page, bot: Bot) -> None:
    await page.request.patch(f"{page.url}sandbox/people/{bot.sandbox.people['Bo']}", data={"language_code": "nl"})
    soon = int(bot.sandbox.world.clock.now()) + 3 * 86_400 + 60
    text = f'until <tg-time unix="{soon}" format="r">x</tg-time>, <tg-time unix="1800000000" format="D">x</tg-time>'
    await bot.ok("sendMessage", chat_id=bot.group, text=text, parse_mode="HTML")
    await expect(group(page, "Ana").locator(".text")).to_have_text("until in 3 days, 15 January 2027")
    await expect(group(page, "Bo").locator(".text")).to_have_text("until over 3 dagen, 15 januari 2027")

    await phone(page, "Ana").get_by_role("button", name="More").click()
    await page.get_by_role("combobox", name="Ana's language").select_option("nl")
    await expect(group(page, "Ana").locator(".text")).to_have_text("until over 3 dagen, 15 januari 2027")

    await page.clock.install()
    await page.reload()
    await page.clock.pause_at(2_000_000_000)  # nothing that the page does every second happens
    text = '<tg-time unix="2000000120" format="r">until 03:35:20 UTC</tg-time>'
    sent = await bot.ok("sendMessage", chat_id=bot.group, text=text, parse_mode="HTML")
    counted = group(page, "Cy").locator(".text").last
    await expect(counted).to_have_text("in 2 minutes")
    where = {"chat_id": bot.group, "message_id": sent["message_id"]}
    await bot.ok("editMessageText", **where, text=f"{text}!", parse_mode="HTML")
    await expect(counted).to_have_text("in 2 minutes!")


async def test_only_who_tapped_sees_the_alert_and_only_its_owner_an_ephemeral_message(page: Page, bot: Bot) -> None:
    look = {"text": "Look at my card ♥", "callback_data": "look", "style": "primary"}
    stop = {"text": "Stop!", "callback_data": "stop", "style": "danger"}
    await bot.ok("sendMessage", chat_id=bot.group, text="Round 1", reply_markup=keys([look], [stop]))
    button = group(page, "Bo").get_by_role("button", name="Look at my card ♥")
    await expect(button).to_have_class(re.compile("primary"))

    await button.click()
    await expect(button).to_have_attribute("aria-busy", "true")
    query = await bot.hear("callback_query")
    assert (query["data"], query["from"]["first_name"]) == ("look", "Bo")
    await bot.ok("answerCallbackQuery", callback_query_id=query["id"], text="Yours: ♥♠", show_alert=True)

    alert = page.get_by_role("dialog", name="Alert for Bo")
    await expect(alert).to_contain_text("Yours: ♥♠")
    await expect(page.get_by_role("dialog")).to_have_count(1)
    await expect(button).not_to_have_attribute("aria-busy", "true")
    await alert.get_by_role("button", name="OK").click()
    await expect(alert).to_have_count(0)

    await group(page, "Cy").get_by_role("button", name="Stop!").click()
    query = await bot.hear("callback_query")
    await bot.ok("answerCallbackQuery", callback_query_id=query["id"], text="Not your turn.")
    await expect(phone(page, "Cy").get_by_role("status")).to_have_text("Not your turn.")

    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("menuitemcheckbox", name="Bot is admin of Friends").click()
    await bot.hear("my_chat_member")
    cy = bot.sandbox.people["Cy"]
    await bot.ok("sendMessage", chat_id=bot.group, receiver_user_id=cy, text="Your card: ♥♠", reply_markup=keys([HIDE]))

    message = page.get_by_role("article", name="Private message from Sandbox")
    await expect(message).to_have_count(1)
    await expect(group(page, "Cy").get_by_text("Only you see this")).to_be_visible()
    await message.get_by_role("button", name="Hide").click()
    query = await bot.hear("callback_query")
    assert query["from"]["id"] == cy
    where = {"chat_id": bot.group, "receiver_user_id": cy}
    await bot.ok("deleteEphemeralMessage", **where, ephemeral_message_id=query["message"]["ephemeral_message_id"])
    await expect(message).to_have_count(0)


async def test_edits_deletions_reactions_and_effects_are_shown_in_place(page: Page, bot: Bot) -> None:
    place = {"chat_id": bot.group}
    sent = await bot.ok("sendMessage", **place, text="Bo has three points", reply_markup=keys([button("Stop!")]))
    place["message_id"] = sent["message_id"]
    message = group(page, "Dee").get_by_role("article", name="Message from Sandbox")
    await expect(message).to_contain_text("three points")

    await bot.ok("editMessageText", **place, text="Cy has four points", reply_markup=keys([button("Go on!")]))
    await expect(message).to_contain_text("Cy has four points")
    await expect(message.get_by_role("button", name="Stop!")).to_have_count(0)
    await expect(message.get_by_role("button", name="Go on!")).to_be_visible()

    await bot.ok("deleteMessage", **place)
    await expect(message).to_have_count(0)

    await bot.sandbox.user("Bo").send("/start")
    won = {"chat_id": bot.sandbox.people["Bo"], "text": "You won!", "message_effect_id": "5046509860389126442"}
    await bot.ok("sendMessage", **won)
    await phone(page, "Bo").get_by_role("tab", name="Sandbox bot").click()
    await expect(page.get_by_role("img", name="Effect 🎉")).to_be_visible()

    said = await bot.sandbox.user("Ana").send("exactly seven", bot.sandbox.world.chats[bot.group])
    where = {"chat_id": bot.group, "message_id": said.message_id}
    await bot.ok("setMessageReaction", **where, reaction=[{"type": "emoji", "emoji": "🔥"}])
    await expect(group(page, "Cy").get_by_role("img", name="Reactions: 🔥")).to_be_visible()
    for marks in ("🔥 ❤", "🔥"):
        await group(page, "Dee").get_by_role("button", name="React with ❤").last.click()
        await expect(group(page, "Cy").get_by_role("img", name=f"Reactions: {marks}", exact=True)).to_be_visible()
    await bot.sandbox.user("Dee").react(said, "🔥")
    await expect(group(page, "Dee").locator(".own-reaction")).to_have_text("🔥 2")
    await expect(group(page, "Cy").get_by_role("img", name="Reactions: 🔥 2")).to_be_visible()
    await expect(group(page, "Cy").locator(".own-reaction")).to_have_count(0)


async def test_links_replies_and_the_sign_of_new_messages_lead_where_they_say(page: Page, bot: Bot) -> None:
    me = await bot.ok("getMe")
    link = {"text": "See my card", "url": f"https://t.me/{me['username']}?start=table-7"}
    await bot.ok("sendMessage", chat_id=bot.group, text="Round 1", reply_markup=keys([link]))

    await group(page, "Dee").get_by_role("button", name="See my card").click()
    heard = await bot.hear("message")
    assert (heard["text"], heard["from"]["first_name"]) == ("/start table-7", "Dee")
    await expect(page.get_by_role("tabpanel", name="Dee's chat with Sandbox bot")).to_be_visible()

    table = await bot.ok("sendMessage", chat_id=bot.group, text="The table")
    message = group(page, "Bo").get_by_role("article", name="Message from Sandbox").filter(has_text="The table")
    await message.hover()
    await message.get_by_role("button", name="Reply").click()
    await expect(phone(page, "Bo").get_by_text("Reply to Sandbox")).to_be_visible()
    await write(page, "Bo", "4 fives")

    heard = await bot.hear("message")
    assert (heard["text"], heard["reply_to_message"]["message_id"]) == ("4 fives", table["message_id"])
    await expect(group(page, "Ana").get_by_role("button", name="Go to the answered message")).to_contain_text("table")

    for number in range(30):
        await bot.ok("sendMessage", chat_id=bot.group, text=f"message {number}")
    pane = group(page, "Ana")
    await expect(pane.get_by_text("message 29")).to_be_in_viewport()
    await pane.get_by_text("message 29").hover()
    await page.mouse.wheel(0, -900)
    await expect(pane.get_by_text("message 29")).not_to_be_in_viewport()

    await bot.ok("sendMessage", chat_id=bot.group, text="the newest")
    await pane.get_by_role("button", name="1 new message").click()
    await expect(pane.get_by_text("the newest")).to_be_in_viewport()
    await expect(group(page, "Bo").get_by_text("the newest")).to_be_in_viewport()


async def test_a_picture_has_its_room_before_it_has_loaded_and_makes_room_for_another(page: Page, bot: Bot) -> None:
    size, file, loads = (800, 1084), io.BytesIO(), asyncio.Event()
    Image.new("RGB", size).save(file, "PNG")

    async def late(route: Route) -> None:
        await loads.wait()
        await route.continue_()

    await page.route("**/sandbox/files/*", late)
    chat, table = bot.group, keys([button("Next")])
    sent = await bot.ok("sendPhoto", photo=file.getvalue(), chat_id=chat, caption="first hand", reply_markup=table)
    message = group(page, "Ana").get_by_role("article", name="Message from Sandbox")
    await expect(message).to_contain_text("first hand")
    await expect(message.get_by_role("button", name="Next")).to_be_visible()
    picture = message.get_by_role("img", name="Photo from Sandbox")
    box = "node => [node.offsetWidth, node.offsetHeight]"
    before = await picture.evaluate(box)
    loads.set()
    await picture.evaluate("async node => { await node.decode(); }")
    width, height = await picture.evaluate(box)
    assert before == [pytest.approx(width, abs=1), pytest.approx(height, abs=1)]
    assert height <= 320
    assert abs(width / height - size[0] / size[1]) < 0.1, "not distorted"

    first = await picture.get_attribute("src")
    media = {"type": "photo", "media": "attach://hand", "caption": "second hand"}
    where = {"chat_id": chat, "message_id": sent["message_id"]}
    await bot.ok("editMessageMedia", hand=PIXEL, **where, media=media, reply_markup=keys([button("Again")]))
    await expect(message).to_contain_text("second hand")
    await expect(message.get_by_role("button", name="Again")).to_be_visible()
    await expect(picture).not_to_have_attribute("src", str(first))
    shown = "async node => { await node.decode(); return [node.naturalWidth, node.width > 0]; }"
    assert await picture.evaluate(shown) == [1, True]


async def test_polls_places_contacts_photos_and_voice_notes_are_sent_and_shown(page: Page, bot: Bot) -> None:
    await bot.ok("sendPoll", chat_id=bot.group, question="When shall we play?", options=["Monday", "Friday"])
    option = group(page, "Ana").get_by_role("button", name="Friday")
    await option.click()
    await expect(option).to_have_attribute("aria-pressed", "true")
    others = group(page, "Bo").get_by_role("button", name="Friday 100 %")
    await expect(others).to_have_attribute("aria-pressed", "false")
    await option.click()
    await expect(group(page, "Bo").get_by_text("0 votes")).to_be_visible()
    await bot.ok("sendVenue", chat_id=bot.group, latitude=50.85, longitude=4.35, title="Café Central", address="Rue 1")
    await expect(group(page, "Bo").get_by_role("link", name="Café Central")).to_contain_text("50.85000, 4.35000")
    await bot.ok("sendContact", chat_id=bot.group, phone_number="+32470", first_name="Lee")
    await expect(group(page, "Bo").get_by_text("+32470")).to_be_visible()

    attach = group(page, "Bo").get_by_label("File to send")
    await attach.set_input_files({"name": "holiday.png", "mimeType": "image/png", "buffer": PIXEL})
    await expect(group(page, "Ana").get_by_role("img", name="Photo")).to_be_visible()

    said = recording("wav", "pcm_s16le", 30)
    await attach.set_input_files({"name": "greeting.wav", "mimeType": "audio/wav", "buffer": said})
    note = group(page, "Ana").get_by_role("article", name="Message from Bo").last
    await expect(note).to_contain_text("0:30")
    sent = [message.media for message in bot.sandbox.world.messages.values() if message.media]
    assert [media.kind for media in sent] == ["photo", "voice"]
    await note.get_by_role("button", name="Play voice note").click()
    await expect(note.get_by_role("button", name="Pause voice note")).to_be_visible()
    await note.get_by_role("slider", name="Place in the voice note").press("End")
    await expect(note.get_by_role("button", name="Play voice note")).to_be_visible()


async def test_games_invoices_and_links_into_a_group_are_opened_from_their_messages(page: Page, bot: Bot) -> None:
    bot.sandbox.add_game("race", "Dice race", "Roll first")
    await bot.ok("sendGame", chat_id=bot.group, game_short_name="race")
    card = group(page, "Bo").get_by_label("Message from Sandbox").last
    await expect(card.locator(".attachment")).to_contain_text("Roll first")
    await card.get_by_role("button", name="Play Dice race").click()
    tap = await bot.hear("callback_query")
    assert tap["game_short_name"] == "race"
    await bot.ok("answerCallbackQuery", callback_query_id=tap["id"], text="Go")
    await expect(page.get_by_text("Go", exact=True).first).to_be_visible()

    await bot.ok("sendInvoice", chat_id=bot.group, **BOOK)
    await expect(card.locator(".attachment")).to_contain_text("€12.50")
    await card.get_by_role("button", name="Pay").click()
    query = await bot.hear("pre_checkout_query")
    await bot.ok("answerPreCheckoutQuery", pre_checkout_query_id=query["id"], ok=True)
    await expect(group(page, "Cy").get_by_text("Bo has paid: Book")).to_be_visible()

    club = bot.sandbox.add_group("Club", [bot.sandbox.user("Ana")])
    club.bot_status = "administrator"
    for asks in (False, True):
        link = await bot.ok("createChatInviteLink", chat_id=club.id, creates_join_request=asks)
        await bot.ok("sendMessage", chat_id=bot.group, text=f"Come: {link['invite_link']}")
    links = phone(page, "Bo").locator('.text a[href*="t.me/+"]')
    await links.last.click()
    await expect(phone(page, "Bo").get_by_text("You have asked to join.")).to_be_visible()
    await links.first.click()
    await expect(phone(page, "Bo").get_by_role("tab", name="Club")).to_have_attribute("aria-selected", "true")


async def test_a_reply_keyboard_is_shown_until_it_is_removed_and_a_channel_is_its_admins(page: Page, bot: Bot) -> None:
    async def send(**markup: Any) -> None:
        await bot.ok("sendMessage", chat_id=bot.group, text="Who is in?", reply_markup=markup)

    mine = group(page, "Bo").get_by_role("group", name="Reply keyboard")
    await send(keyboard=[["I am", "Not me"]], one_time_keyboard=True)
    assert await mine.evaluate("keys => keys.scrollHeight <= keys.clientHeight"), "all of it is visible"
    await mine.get_by_role("button", name="I am").click()
    await expect(group(page, "Cy").get_by_label("Message from Bo").locator(".text")).to_have_text("I am")
    await expect(mine).to_have_count(0)
    await expect(group(page, "Cy").get_by_role("group", name="Reply keyboard")).to_have_count(1)
    await send(keyboard=[["Again"]])
    await mine.get_by_role("button", name="Again").click()
    await expect(group(page, "Cy").get_by_label("Message from Bo").last.locator(".text")).to_have_text("Again")
    await expect(mine).to_have_count(1)
    await send(remove_keyboard=True)
    await expect(mine).to_have_count(0)

    bot.sandbox.add_group("News", [bot.sandbox.user("Ana"), bot.sandbox.user("Bo")], "channel")
    for name in ("Ana", "Bo"):
        await phone(page, name).get_by_role("tab", name="News").click()
    await write(page, "Ana", "Five sixes!", "News")
    reader = group(page, "Bo").filter(visible=True)
    await expect(reader.get_by_label("Message from News").locator(".text")).to_have_text("Five sixes!")
    await expect(reader.get_by_text("Only admins post here.")).to_be_visible()
    await expect(reader.get_by_role("textbox")).to_have_count(0)
    assert (await bot.hear("channel_post"))["text"] == "Five sixes!"
