"""The package's README and `docs/test-your-bot.md`, followed literally: their files run in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from test_support.documents import ROOT

PAGE = (ROOT / "docs/test-your-bot.md").read_text(encoding="utf-8")
README = (ROOT / "telegram_sandbox/README.md").read_text(encoding="utf-8")
SECTIONS = PAGE.split("\n## ")[1:]
BLOCK = re.compile(r"```(?:python|ini)\n# (\S+)\n(.*?)```", re.DOTALL)


def follow(folder: Path, *texts: str) -> None:
    for text in texts:
        for name, content in BLOCK.findall(text):
            (folder / name).write_text(content, encoding="utf-8")


def run_pytest(folder: Path, *options: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:cov", *options]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - our own page
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def section(heading: str) -> str:
    (found,) = [text for text in SECTIONS if text.startswith(heading)]
    return found


def test_the_readmes_first_test_passes(tmp_path: Path) -> None:
    follow(tmp_path, README)
    assert "1 passed" in run_pytest(tmp_path)


def test_the_readmes_first_test_passes_with_aiogram(tmp_path: Path) -> None:
    follow(tmp_path, README, section("aiogram"))
    assert "1 passed" in run_pytest(tmp_path)


JOINS = """
# test_join.py
from telegram_sandbox import membership


async def test_a_member_who_joins_as_the_first_thing_is_greeted(bot, telegram_sandbox, telegram_user, telegram_group):
    lee, world = telegram_sandbox.add_person("Lee"), telegram_sandbox.world
    world.run_in_loop(lambda: membership.join(world, telegram_group, world.people[lee.id]))
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
ADMIN = """
# more.py
import pytest

from telegram_sandbox import membership


@pytest.fixture
def telegram_group(telegram_group, telegram_sandbox):
    world, chat = telegram_sandbox.world, telegram_group
    world.run_in_loop(lambda: membership.set_bot_status(world, chat, "administrator", by=chat.owner))
    return chat
"""


def test_a_bot_of_aiogram_hears_of_the_first_change_of_membership(tmp_path: Path) -> None:
    follow(tmp_path, README, section("aiogram"), *(f"```python{text}```" for text in (WELCOME, JOINS, ADMIN)))
    (tmp_path / "test_bot.py").unlink()
    conftest = tmp_path / "conftest.py"
    conftest.write_text(conftest.read_text(encoding="utf-8") + "\nfrom more import telegram_group\n", encoding="utf-8")
    assert "1 passed" in run_pytest(tmp_path)


def test_a_bot_in_a_process_and_people_who_send_files_on_two_workers(tmp_path: Path) -> None:
    follow(tmp_path, README, section("A bot in a process"), section("More people"))
    (tmp_path / "test_bot.py").unlink()
    assert "2 passed" in run_pytest(tmp_path, "-n", "2")


def test_the_first_test_fails_for_a_bot_that_says_something_else(tmp_path: Path) -> None:
    follow(tmp_path, README)
    bot = tmp_path / "bot.py"
    bot.write_text(bot.read_text(encoding="utf-8").replace("Hello, ", "Good evening, "), encoding="utf-8")
    with pytest.raises(
        AssertionError, match=r"there is no 'Hello' for Ana within 5\.0 s; .* \['/start', 'Good evening"
    ):
        run_pytest(tmp_path)
