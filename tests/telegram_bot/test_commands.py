"""The registry of commands: its entries are true, and the recipe for one more command works literally."""

from collections import Counter
from dataclasses import astuple
from pathlib import Path
from typing import Final

import pytest

from telegram_bot.channels.sms.text_parser import TextRequest, parse_message
from telegram_bot.intents import intents as i
from telegram_bot.intents.request import Command, Scope, Who, texted_command
from telegram_bot.notices import RejectionNotice
from telegram_bot.parsing.command_words import Asker, read_words
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.service.commands import commands, find_command
from telegram_bot.service.handlers.queries import UnparsedText
from telegram_bot.tables.events import RejectionReason
from tests.telegram_bot.conftest import GroupHarness, rejection_of

ROOT: Final = Path(__file__).parents[2]
REFUSED_WITH: Final = {
    Who.PLAYER: {RejectionReason.NOT_SEATED, RejectionReason.JOIN_FIRST},
    Who.HOST: {RejectionReason.NOT_HOST, RejectionReason.NOT_ALLOWED},
    Who.HOST_OR_ADMIN: {RejectionReason.NOT_ALLOWED},
}


def label(command: Command) -> str:
    return f"{command.name}-{command.scope.name}"


def test_no_word_is_two_commands_in_one_place() -> None:
    for scope in Scope.EVERYWHERE:
        words = [command.name for command in commands() if scope in command.scope]
        if scope in Scope.CHATS:
            words += [alias for command in commands() if scope in command.scope for alias in command.aliases]
        assert [word for word, times in Counter(words).items() if times > 1] == []


def test_a_command_is_found_where_it_is_understood_and_nowhere_else() -> None:
    for command in commands():
        for scope in Scope.EVERYWHERE:
            found = find_command(command.name, scope)
            assert (found is command) == (scope in command.scope)
    assert find_command("newgame", Scope.GROUP) is find_command("perudo", Scope.GROUP)
    assert find_command("newgame", Scope.TEXT) is None


def test_a_word_that_is_understood_in_talk_is_understood_by_text_as_well() -> None:
    """The grammars list the words of the commands by text."""
    assert all(Scope.TEXT in command.scope for command in commands() if Scope.TALK in command.scope)


@pytest.mark.parametrize("command", commands(), ids=label)
def test_every_command_is_understood_with_its_example_behind_it(command: Command) -> None:
    assert intents_of(command)
    assert not any(isinstance(intent, UnparsedText) for intent in intents_of(command))


def intents_of(command: Command) -> list[i.AnyRequest]:
    """The intents of a command in each place, with its example after it."""
    asked: list[i.AnyRequest] = []
    if command.scope & Scope.CHATS:
        what = command.request or read_words(command, command.example, Asker("en", "Europe/Rome", ()))
        assert not isinstance(what, tuple)
        asked.append(parse_text(what.text, "en") or what if isinstance(what, i.TypedText) else what)
    if Scope.TEXT in command.scope:
        read = parse_message(texted_command(command), "en", "Europe/Rome")
        assert isinstance(read, TextRequest)
        asked.append(read.request)
    return asked


async def test_a_command_refuses_whom_it_does_not_serve(harness: GroupHarness) -> None:
    """Ana hosts and Bo sits at her table; Cy does not."""
    await harness.lobby("Ana", "Bo")
    for command in commands():
        for what in intents_of(command) if command.who in REFUSED_WITH else ():
            toast = (await harness.tap("Cy" if command.who is Who.PLAYER else "Bo", what)).toast
            assert rejection_of(toast) in REFUSED_WITH[command.who], command.name
            harness.pass_time(60)


@pytest.mark.parametrize("command", [each for each in commands() if each.who is Who.ANYBODY], ids=label)
async def test_a_command_for_anybody_refuses_nobody(command: Command, harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    for what in intents_of(command):
        toast = (await harness.tap("Cy", what)).toast
        assert not isinstance(toast, RejectionNotice) or toast.reason not in set().union(*REFUSED_WITH.values())


def test_every_command_is_explained_somewhere() -> None:
    """On a page of the bot, in the table of texts, or in the players' document."""
    document = (ROOT / "docs/playing.md").read_text(encoding="utf-8")
    unexplained = {command.name for command in commands() if not set(astuple(command.help)) - {None}}
    assert {name for name in unexplained if f"`/{name}" not in document} == {"start"}, "Telegram's own button"
