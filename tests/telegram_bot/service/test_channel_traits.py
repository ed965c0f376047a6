"""The code is walked: below the channels no channel's name is compared, and the service asks for traits."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from telegram_bot.app import CHANNELS
from telegram_bot.channels.sms.traits import TRAITS as SMS
from telegram_bot.channels.telegram.traits import TRAITS as TELEGRAM
from telegram_bot.service.channel_traits import ChannelDirectory, ChannelTraits

if TYPE_CHECKING:
    from collections.abc import Iterator

BOT: Final = Path(__file__).parents[3] / "telegram_bot"
LAYERS: Final = ("tables", "storage", "service", "ingress", "delivery", "words")
NAMES: Final = {TELEGRAM.name, SMS.name, "line"}


def compared_channels(source: str) -> Iterator[int]:
    """The lines that compare something called a channel, or a part of a lane's name, with a fixed name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            sides: list[ast.AST] = [node.left, *node.comparators]
        elif isinstance(node, ast.match_case):
            sides = [node.pattern]
        else:
            continue
        parts = [part for side in sides for part in walk_values(side)]
        says_channel = any(_name(part) == "channel" or _name(part).endswith("_CHANNEL") for part in parts)
        is_fixed = any(_name(part).isupper() or (_is_text(part) and says_channel) for part in parts)
        if (says_channel and is_fixed) or any(_is_text(part) and part.value in NAMES for part in parts):  # type: ignore[attr-defined]
            yield node.lineno if isinstance(node, ast.Compare) else node.pattern.lineno


def walk_values(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what stands in it, without the names of a statement's parameters."""
    if isinstance(node, ast.Call) and _name(node.func) == "bindparam":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from walk_values(child)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()


def _name(node: ast.AST) -> str:
    return str(getattr(node, "attr", None) or getattr(node, "id", ""))


@pytest.mark.parametrize("layer", LAYERS)
def test_no_channels_name_is_compared(layer: str) -> None:
    files = sorted((BOT / layer).rglob("*.py"))
    assert files
    found = [
        f"{file.relative_to(BOT)}:{line}"
        for file in files
        for line in compared_channels(file.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("layer", ["tables", "service", "ingress", "delivery"])
def test_no_channels_name_is_written_down(layer: str) -> None:
    found = [
        f"{file.relative_to(BOT)}:{node.lineno}"
        for file in sorted((BOT / layer).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in NAMES
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "intent.who.channel == SMS_CHANNEL",
        "chat.channel != 'sms'",
        "Player.channel == models.SMS_CHANNEL",
        "channel in ('sms', 'line')",
        "lane.partition(':')[0] == 'sms'",
        "player.channel is TELEGRAM_CHANNEL",
    ],
)
def test_such_a_comparison_would_be_found(line: str) -> None:
    assert list(compared_channels(f"x = {line}"))


@pytest.mark.parametrize("line", ["player.channel == chat.channel", "Chat.channel == place.channel", "a == 'sent'"])
def test_the_channels_of_two_rows_may_be_compared(line: str) -> None:
    assert list(compared_channels(f"x = {line}")) == []


def test_only_one_channels_addresses_can_be_linked() -> None:
    assert CHANNELS.linkable == SMS.name
    with pytest.raises(ValueError, match="sms, line"):
        ChannelDirectory((SMS, ChannelTraits("line", linkable=True)))


def test_a_channel_that_this_version_does_not_have_gets_nothing_in_its_chats() -> None:
    gone = CHANNELS.traits("gone")
    assert not gone.shared_chats
    assert not gone.linkable
    assert not gone.paid
