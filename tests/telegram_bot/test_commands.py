"""The registry of commands: what it says holds, and the recipe for one more command works as it stands."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections import Counter
from dataclasses import astuple
from pathlib import Path
from typing import Any, Final

import pytest

from telegram_bot.channels.sms.text_parser import TextRequest, parse_message
from telegram_bot.service import intents as i
from telegram_bot.service.commands import COMMANDS, Command, Scope, Who, find_command
from telegram_bot.service.notices import RejectionNotice
from telegram_bot.tables.events import RejectionReason
from telegram_bot.words import command_help
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.command_help import GUIDE_LINES, help_lines, slash_command, texted_command
from telegram_bot.words.parsing.to_intent import parse_text
from tests.telegram_bot.conftest import GroupHarness, rejection_of

ROOT: Final = Path(__file__).parents[2]
REFUSED_WITH: Final = {
    Who.PLAYER: {RejectionReason.NOT_SEATED, RejectionReason.JOIN_FIRST},
    Who.HOST: {RejectionReason.NOT_HOST, RejectionReason.NOT_ALLOWED},
    Who.HOST_OR_ADMIN: {RejectionReason.NOT_ALLOWED},
}


def label(command: Command) -> str:
    return f"{command.name}-{command.scope.name}"


# What the registry says


def test_no_word_is_two_commands_in_one_place() -> None:
    for scope in Scope.EVERYWHERE:
        words = [command.name for command in COMMANDS if scope in command.scope]
        if scope in Scope.CHATS:
            words += [alias for command in COMMANDS if scope in command.scope for alias in command.aliases]
        assert [word for word, times in Counter(words).items() if times > 1] == []


def test_a_command_is_found_where_it_is_understood_and_nowhere_else() -> None:
    for command in COMMANDS:
        for scope in Scope.EVERYWHERE:
            found = find_command(command.name, scope)
            assert (found is command) == (scope in command.scope)
    assert find_command("newgame", Scope.GROUP) is find_command("perudo", Scope.GROUP)
    assert find_command("newgame", Scope.TEXT) is None


def test_a_word_that_is_understood_in_talk_is_understood_by_text_as_well() -> None:
    """The grammars list the words of the commands by text."""
    assert all(Scope.TEXT in command.scope for command in COMMANDS if Scope.TALK in command.scope)


@pytest.mark.parametrize("command", COMMANDS, ids=label)
def test_every_command_is_understood_with_its_example_behind_it(command: Command) -> None:
    assert intents_of(command)
    assert not any(isinstance(intent, i.UnparsedText) for intent in intents_of(command))


def intents_of(command: Command) -> list[i.What]:
    """What a command asks for in each place, with its example behind it."""
    asked: list[i.What] = []
    if command.scope & Scope.CHATS and (what := command.intent or parse_text(command.example, "en")) is not None:
        asked.append(what)
    if Scope.TEXT in command.scope:
        read = parse_message(texted_command(command), "en", "Europe/Rome")
        assert isinstance(read, TextRequest)
        asked.append(read.what)
    return asked


@pytest.mark.parametrize("command", COMMANDS, ids=label)
async def test_a_command_refuses_whom_it_does_not_serve(command: Command, harness: GroupHarness) -> None:
    """Ana hosts and Bo sits at her table; Cy does not. After a game, where that is what the command is about."""
    await harness.lobby("Ana", "Bo")
    if command.intent == i.PlayAgain():
        await harness.tap("Ana", i.Start())
        await harness.tap("Ana", i.Stop(confirmed=True))
    name = "Cy" if command.who in {Who.ANYBODY, Who.PLAYER} else "Bo"
    for what in intents_of(command):
        toast = (await harness.tap(name, what)).toast
        if command.who is Who.ANYBODY:
            assert not isinstance(toast, RejectionNotice) or toast.reason not in set().union(*REFUSED_WITH.values())
        else:
            assert rejection_of(toast) in REFUSED_WITH[command.who]


# Help and documents


def test_every_command_is_explained_somewhere_and_every_line_explains_one() -> None:
    used = set()
    for command in COMMANDS:
        keys = set(astuple(command.help)) - {None}
        assert keys or command.name == "start", command.name  # which Telegram's own button sends
        used |= keys
    menu_lines = help_lines(catalogue("en"))
    assert used == menu_lines.keys() | GUIDE_LINES.keys()
    assert not menu_lines.keys() & GUIDE_LINES.keys()


@pytest.mark.parametrize("path", sorted(command_help.TABLES))
def test_the_documents_tables_are_those_of_the_registry(path: str) -> None:
    """`python -m telegram_bot.words.command_help` rewrites them."""
    assert (ROOT / path).read_text(encoding="utf-8") == dict(command_help.files())[ROOT / path]


def test_the_documents_list_every_command() -> None:
    for command in COMMANDS:
        if command.name != "start":
            if command.scope & Scope.CHATS:
                assert f"| `{slash_command(command)}` |" in command_help.chat_table()
            if Scope.TEXT in command.scope:
                assert f"| `{texted_command(command)}` |" in command_help.text_table()


def test_a_document_without_a_place_for_its_table_is_refused() -> None:
    with pytest.raises(ValueError, match="0 times"):
        command_help.with_table("# Title\n<!-- commands -->\n", "commands", "| a |")


# The recipe of docs/recipes.md


RECIPE_FILES: Final = ("babel.cfg", "docs/playing.md", "docs/sms/README.md", "config/house_rules/classic.toml")
SEES: Final = """
import json
from telegram import Bot, Update, User
from telegram_bot.channels.sms.text_parser import parse_message
from telegram_bot.channels.telegram import channel
from telegram_bot.channels.telegram.updates import parse_update
from telegram_bot.service.notices import HelpNotice
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.static_pages import help_page

me = {"id": 42, "is_bot": True, "first_name": "Perudo", "username": "perudo_bot"}
ana = {"id": 7, "is_bot": False, "first_name": "Ana"}
said = {"message_id": 5, "date": 1, "chat": {"id": -1, "type": "group", "title": "x"}, "from": ana, "text": "/record"}
update = parse_update(Update.de_json({"update_id": 9, "message": said}, Bot("42:none")), User(**me))
w = catalogue("en")
print(json.dumps({
    "group menu": [[line.command, line.description] for line in channel.menu("group_menu", w)],
    "private menu": [[line.command, line.description] for line in channel.menu("private_menu", w)],
    "help": help_page(HelpNotice(private=True), w).splitlines(),
    "chat": None if update is None else repr(update.what),
    "text": repr(parse_message("Record!", "it", "Europe/Rome").what),
}))
"""


def run_in(copy: Path, *arguments: str) -> str:
    """Run Python with the copy's telegram_bot instead of this one."""
    outcome = subprocess.run(  # noqa: S603 - our own modules
        [sys.executable, *arguments],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert outcome.returncode == 0, outcome.stderr
    return outcome.stdout


def follow_recipe(copy: Path) -> list[str]:
    """Do what docs/recipes.md says about a command: put each piece of code at the end of the list that it names."""
    contributing = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    recipe = contributing.partition("\n## A command\n")[2].partition("\n## ")[0]
    steps = re.findall(r"(?m)^\d\. `([\w/.]+)`: (?:.*\n)+?   ```python\n   # (\w+)\n((?:   .*\n)+?)   ```$", recipe)
    opening = {"COMMANDS": "COMMANDS: Final[tuple[Command, ...]] = (\n", "help_lines": "    return {\n"}
    closing = {"COMMANDS": ")\n", "help_lines": "    }\n"}
    for file, anchor, code in steps:
        path = copy / file
        head, begin, rest = path.read_text(encoding="utf-8").partition(opening[anchor])
        body, end, tail = rest.partition(f"\n{closing[anchor]}")
        assert begin, f"{file} has no {anchor}"
        assert end, f"{anchor} of {file} has no end"
        added = f"{body}\n{textwrap.dedent(code).rstrip()},\n"
        path.write_text(f"{head}{begin}{added}{closing[anchor]}{tail}", encoding="utf-8")
    for tool in re.findall(r"`\.venv/bin/python (-m telegram_bot\.[\w.]+)`", recipe):
        run_in(copy, *tool.split())
    return [file for file, _, _ in steps]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the bot, to which a command can be added."""
    shutil.copytree(ROOT / "telegram_bot", tmp_path / "telegram_bot", ignore=shutil.ignore_patterns("__pycache__"))
    for file in RECIPE_FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def seen(copy: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_in(copy, "-c", SEES))
    return found


def test_a_command_added_by_the_recipe_is_in_the_menus_the_help_the_parsers_and_the_documents(copy: Path) -> None:
    before = seen(copy)
    assert (before["chat"], before["text"]) == (
        None,
        "TypedText(text='Record!', suggestion=None, may_be_talk=False, overheard=False)",
    )

    edited = follow_recipe(copy)

    assert edited == ["telegram_bot/service/commands.py", "telegram_bot/words/command_help.py"]
    after = seen(copy)
    line = "the last game's record"
    assert after["group menu"] == [*before["group menu"], ["record", line]]
    assert after["private menu"] == [*before["private menu"], ["record", line]]
    assert set(after["help"]) - set(before["help"]) == {f"/record · {line}"}
    assert (after["chat"], after["text"]) == ("SeeRecord()", "SeeRecord()")
    assert f"| `/record` | {line} | who sits at the table |" in (copy / "docs/playing.md").read_text(encoding="utf-8")
    assert f"| `RECORD` | {line} | who sits at the table |" in (copy / "docs/sms/README.md").read_text(encoding="utf-8")
    for catalogue_file in (copy / "telegram_bot/words/locale").rglob("perudo.po*"):
        assert f'msgid "{line}"' in catalogue_file.read_text(encoding="utf-8")
