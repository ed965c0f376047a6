"""Bots of Telegraf and grammY in Node: answers in the response of a webhook, keyboards, albums, payments."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from telegram_sandbox import RunningSandbox, User
from test_support.documents import ROOT
from tests.telegram_sandbox.browsing import PIXEL

BEGIN = f"""
import {{ createServer }} from "node:http";
const [token, apiRoot] = process.argv.slice(2);
const png = Buffer.from("{PIXEL.hex()}", "hex");
const prices = [{{ label: "Book", amount: 50 }}];
const book = {{ title: "Book", description: "How to bluff", payload: "book", prices }};
"""
TELEGRAF = """
import { Markup, Telegraf } from "telegraf";
const bot = new Telegraf(token, { telegram: { apiRoot } });
bot.start((context) => context.reply("Shall we play?", Markup.keyboard([["Yes", "No"]]).resize()));
const roll = Markup.inlineKeyboard([Markup.button.callback("Roll", "roll")]);
bot.hears("Yes", (context) => context.reply("Then roll", roll));
bot.action("roll", (context) => context.answerCbQuery("You roll a six"));
bot.command("album", (context) =>
  context.replyWithMediaGroup([1, 2].map((n) => ({ type: "photo", media: { source: png, filename: `${n}.png` } }))),
);
bot.on("photo", (context) => context.reply(`a part of ${context.message.media_group_id}`));
bot.command("buy", (context) => context.replyWithInvoice({ ...book, provider_token: "", currency: "XTR" }));
bot.on("pre_checkout_query", (context) => context.answerPreCheckoutQuery(true));
bot.on("successful_payment", (context) => context.reply("Thank you"));
const api = bot.telegram;
const take = bot.webhookCallback("/");
"""
GRAMMY = """
import { Bot, InlineKeyboard, InputFile, Keyboard, webhookCallback } from "grammy";
const bot = new Bot(token, { client: { apiRoot, canUseWebhookReply: (method) => method === "answerCallbackQuery" } });
const keyboard = new Keyboard().text("Yes").text("No").resized();
bot.command("start", (context) => context.reply("Shall we play?", { reply_markup: keyboard }));
const roll = new InlineKeyboard().text("Roll", "roll");
bot.hears("Yes", (context) => context.reply("Then roll", { reply_markup: roll }));
bot.callbackQuery("roll", (context) => context.answerCallbackQuery("You roll a six"));
bot.command("album", (context) =>
  context.replyWithMediaGroup([1, 2].map((n) => ({ type: "photo", media: new InputFile(png, `${n}.png`) }))),
);
bot.on("message:photo", (context) => context.reply(`a part of ${context.msg.media_group_id}`));
bot.command("buy", (context) =>
  context.replyWithInvoice(book.title, book.description, book.payload, "XTR", book.prices),
);
bot.on("pre_checkout_query", (context) => context.answerPreCheckoutQuery(true));
bot.on("message:successful_payment", (context) => context.reply("Thank you"));
await bot.init();
const api = bot.api;
const take = webhookCallback(bot, "http");
"""
END = """
const server = createServer(take);
server.listen(0, "127.0.0.1", () => api.setWebhook(`http://127.0.0.1:${server.address().port}/`));
"""


@pytest.fixture(params=[TELEGRAF, GRAMMY], ids=["telegraf", "grammy"])
def bot(request: pytest.FixtureRequest, tmp_path: Path, telegram_sandbox: RunningSandbox) -> Iterator[None]:
    (tmp_path / "node_modules").symlink_to(ROOT / ".tools/node/node_modules")
    program = tmp_path / "bot.mjs"
    program.write_text(BEGIN + request.param + END, encoding="utf-8")
    command = ["node", str(program), telegram_sandbox.token, telegram_sandbox.bot_url]
    with subprocess.Popen(command) as process:  # noqa: S603 - ours
        telegram_sandbox.wait_for_bot()
        yield
        process.kill()


@pytest.mark.usefixtures("bot")
async def test_a_bot_in_node_answers_its_webhook(telegram_sandbox: RunningSandbox, telegram_user: User) -> None:
    await telegram_user.send("/start")
    await telegram_user.sees("Shall we play?")
    await telegram_user.tap("Yes")
    await telegram_user.sees("Then roll")
    assert (await telegram_user.tap("Roll")).text == "You roll a six"
    await telegram_user.send("/album")
    await telegram_user.sees("photo")
    first, second = (one.media_group_id for one in telegram_user.messages()[-2:])
    assert first == second is not None
    await telegram_user.send_photo(PIXEL, album="summer")
    await telegram_user.sees("a part of summer")
    await telegram_user.send("/buy")
    await telegram_user.sees("Book")
    await telegram_user.pay()
    await telegram_user.sees("Thank you")
    calls = telegram_sandbox.world.calls.since(0)
    assert [call.method for call in calls if call.by_webhook] == ["answerCallbackQuery"]
    assert [str(call) for call in calls if not call.ok or call.ignored] == []
