"""The README, the guides and their examples for authors of bots, the pytest plugin, and bots in Node."""

import ast
import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from inspect import iscoroutinefunction
from pathlib import Path

import httpx
import pytest

from telegram_sandbox import RunningSandbox, SandboxSettings, StartError, User, running_sandbox, schema
from test_support.documents import ROOT
from tests.telegram_sandbox.browsing import PIXEL
from tests.telegram_sandbox.conftest import Play, in_vain

README = (ROOT / "telegram_sandbox/README.md").read_text(encoding="utf-8")
SECTIONS = (ROOT / "docs/test-your-bot.md").read_text(encoding="utf-8").split("\n## ")[1:]
BLOCK = re.compile(r"```(?:python|ini|js)\n(?:#|//) (\S+)\n(.*?)```", re.DOTALL)
EXAMPLES = [
    example
    for example in re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    if "def test_" in example and not example.startswith("# ")
]
"""Examples without a file's name."""
NODE_PARTS = ROOT / ".tools/node/node_modules"


@pytest.fixture(scope="module", autouse=True)
def libraries() -> None:
    """Import what the pages' tests would otherwise import again in each run: `aiogram` alone takes three seconds."""
    schema.load()
    import_module("telegram.ext")


def follow(folder: Path, *texts: str) -> None:
    for text in texts:
        for name, content in BLOCK.findall(text):
            (folder / name).write_text(content, encoding="utf-8")


def run_pytest(pytester: pytest.Pytester) -> pytest.RunResult:
    """Run it in this process, which has imported the libraries."""
    plugins = [word for name in ("cacheprovider", "cov", "faulthandler") for word in ("-p", f"no:{name}")]
    return pytester.runpytest_inprocess(*plugins)


def page_of(library: str) -> str:
    return (ROOT / f"docs/sandbox/{library}.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    (found,) = [text for text in SECTIONS if text.startswith(heading)]
    return found


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: re.findall(r"def (test_\w+)", example)[0])
async def test_the_readmes_example_passes(example: str) -> None:
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)  # noqa: S102 - our own page
    (test,) = (function for name, function in names.items() if name.startswith("test_"))
    if iscoroutinefunction(test):
        await test()
    else:
        await asyncio.to_thread(test)  # type: ignore[arg-type] # without an event loop, as in a test of its own


def test_the_readmes_first_test_gives_no_warning(pytester: pytest.Pytester, recwarn: pytest.WarningsRecorder) -> None:
    follow(pytester.path, README)
    run_pytest(pytester).assert_outcomes(passed=1, warnings=0)
    assert [str(one.message) for one in recwarn] == []


@pytest.mark.parametrize("library", ["python-telegram-bot", "aiogram", "pyTelegramBotAPI"])
def test_the_page_of_a_library_works_as_written(library: str, pytester: pytest.Pytester) -> None:
    follow(pytester.path, page_of(library))
    run_pytest(pytester).assert_outcomes(passed=1)


@pytest.mark.parametrize("library", ["telegraf", "grammy"])
def test_the_page_of_a_library_in_node_works_as_written(library: str, pytester: pytest.Pytester) -> None:
    assert (NODE_PARTS / library).is_dir(), "run .ci/node-parts first (make test does)"
    follow(pytester.path, page_of(library))
    (pytester.path / "node_modules").symlink_to(NODE_PARTS)
    run_pytest(pytester).assert_outcomes(passed=1)


def test_a_bot_in_a_process_and_people_who_send_files(pytester: pytest.Pytester) -> None:
    """`.ci/run test-release` runs them on two workers."""
    follow(pytester.path, README, section("A bot in a process"), section("More people"))
    (pytester.path / "test_bot.py").unlink()
    run_pytest(pytester).assert_outcomes(passed=2)


async def test_without_aiogram_the_sandbox_answers_and_judges_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiogram", None)
    async with running_sandbox() as sandbox, httpx.AsyncClient(base_url=sandbox.url, timeout=60) as client:
        play = Play(sandbox, client)
        assert (await play.send(no_such_parameter=1))["text"] == "hello"
        assert await play.refused("sendMessage", chat_id=play.group) == (400, "Bad Request: message text is empty")
        assert len(sandbox.world.calls.schema_failures) == 1, "the refused call alone"


@pytest.mark.parametrize("version", [None, "3.7.0"])
async def test_a_judge_who_is_away_or_too_old_is_told(version: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> str:
        if version is None:
            raise PackageNotFoundError(name)
        return version

    monkeypatch.setattr(schema, "version", found)
    with pytest.raises(StartError, match=r"pip install 'telegram-sandbox\[schema\]'"):
        async with running_sandbox(SandboxSettings(port=0, judge=True)):
            pass


def test_the_plugin_imports_nothing_until_a_test_asks_for_a_fixture() -> None:
    code = "import sys, pytest; a = {*sys.modules}; import telegram_sandbox.pytest_plugin; print({*sys.modules} - a)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert ast.literal_eval(run.stdout) == {"telegram_sandbox", "telegram_sandbox.pytest_plugin"}


async def test_a_bot_is_ready_when_it_asks_for_updates_and_not_when_it_skips_them(play: Play) -> None:
    await play.ok("getMe")
    with pytest.raises(AssertionError, match=r"asked for no updates within 0.0 s; it has called \['getMe'\]"):
        await play.sandbox.bot_is_ready(within=0.0)
    await play.ok("getUpdates", offset=-1)
    await in_vain(play.sandbox.bot_is_ready(within=0.0), r"'getUpdates'\]")
    await play.ok("getUpdates")
    await play.sandbox.bot_is_ready()
    await play.act("POST", "/reset")
    await play.ok("setWebhook", url="http://127.0.0.1:9/")
    await play.sandbox.bot_is_ready()


def test_without_async_a_bot_that_stands_still_is_told(telegram_sandbox: RunningSandbox, telegram_user: User) -> None:
    telegram_user.blocking.send("/start")
    with pytest.raises(AssertionError, match=r"; 1 update waits for the bot, .*stands still during a test without"):
        telegram_user.blocking.sees("Hello", within=0.05)
    with pytest.raises(AssertionError, match="it has called nothing"):
        telegram_sandbox.wait_for_bot(within=0.0)


async def test_waiting_in_a_thread_with_an_event_loop_is_refused(play: Play, telegram_user: User) -> None:
    for user in (play.user("Ana"), telegram_user):
        with pytest.raises(RuntimeError, match="await the user's own method"):
            user.blocking.send("/start")


class TestOwnSettings:
    @pytest.fixture(params=[{}, {"flood_limits": True}], ids=["unnamed", "named"])
    def telegram_sandbox_settings(self, request: pytest.FixtureRequest) -> SandboxSettings:
        return SandboxSettings(port=0, **request.param)

    def test_flood_limits_are_there_if_they_are_named_and_the_user_is_the_ana_that_is_there(
        self, telegram_sandbox: RunningSandbox, telegram_user: User, request: pytest.FixtureRequest
    ) -> None:
        assert telegram_sandbox.world.flood_limits.enabled == ("[named]" in request.node.name)
        assert [person.name for person in telegram_sandbox.world.active_people()] == ["Ana", "Bo", "Cy", "Dee"]
        assert telegram_user.name == "Ana"


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
