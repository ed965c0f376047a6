"""The package's README and the guides for authors of bots, followed literally: their files run in an empty folder."""

import asyncio
import re
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path

import pytest

from telegram_sandbox import schema
from test_support.documents import ROOT

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


JOINS = """
# test_join.py
async def test_a_member_who_joins_as_the_first_thing_is_greeted(bot, telegram_sandbox, telegram_user, telegram_group):
    telegram_sandbox.set_bot_status(telegram_group, "administrator")
    await telegram_sandbox.add_person("Lee").join(telegram_group)
    await telegram_user.sees("Hello, Lee!", telegram_group)
"""
WELCOME = """
# bot.py
from aiogram import Dispatcher
from aiogram.types import ChatMemberUpdated


async def welcome(joined: ChatMemberUpdated) -> None:
    await joined.answer(f"Hello, {joined.new_chat_member.user.first_name}!")


def build() -> Dispatcher:
    dispatcher = Dispatcher()
    dispatcher.chat_member.register(welcome)
    return dispatcher
"""


def test_a_bot_of_aiogram_hears_of_the_first_change_of_membership(pytester: pytest.Pytester) -> None:
    follow(pytester.path, page_of("aiogram"), *(f"```python{text}```" for text in (WELCOME, JOINS)))
    (pytester.path / "test_bot.py").unlink()
    run_pytest(pytester).assert_outcomes(passed=1)


def test_a_bot_in_a_process_and_people_who_send_files(pytester: pytest.Pytester) -> None:
    """`.ci/run test-release` runs them on two workers."""
    follow(pytester.path, README, section("A bot in a process"), section("More people"))
    (pytester.path / "test_bot.py").unlink()
    run_pytest(pytester).assert_outcomes(passed=2)
