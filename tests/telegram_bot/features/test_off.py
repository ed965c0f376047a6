"""A feature that is off shows no part of itself, but its stored notices are still sent."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from babel.messages.pofile import read_po
from pydantic import TypeAdapter

from telegram_bot.channels.sms.text_parser import parse_message
from telegram_bot.channels.telegram import channel
from telegram_bot.channels.telegram.callback_data import parse_callback
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.errors import OperatorError
from telegram_bot.feature import Feature, install
from telegram_bot.features import FEATURES
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.request import Scope, texted_command
from telegram_bot.notices import Notice
from telegram_bot.notices.lobby import LobbyMenu
from telegram_bot.notices.rendering import message_html, sms_text
from telegram_bot.presentation.features import PAGE_PARTS
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.lobby_requests import OpenMenu, PlayAgain, StartPrivateChat
from telegram_bot.service.handlers.queries import SeeHelp, SeeMore, SeeRules
from telegram_bot.service.handlers.settings import SeeSettings
from telegram_bot.service.requests import read_button, write_button
from telegram_bot.settings.sections import FeatureSettings, Section
from telegram_bot.storage.database import Database
from telegram_bot.words.catalogue import FEATURES_DIR, LOCALE_DIR, placeholders, po_path
from test_support.features import features_off
from tests.telegram_bot.conftest import EN, GroupHarness
from tests.telegram_bot.words.notice_examples import feature_examples, plain, words
from tests.telegram_bot.words.test_every_notice_by_text import READER

NAMES = [feature.name for feature in FEATURES]


def english(folder: Path) -> Iterator[str]:
    """The sentences of a catalogue, each form of a plural."""
    with po_path("it", folder).open("rb") as file:
        for message in read_po(file, locale="it"):
            yield from [message.id] if isinstance(message.id, str) else message.id


@cache
def sentences_of(feature: str) -> list[re.Pattern[str]]:
    """The sentences of this feature, with any text in their gaps, that the base game does not contain."""
    base = "\n".join(english(LOCALE_DIR))
    found = []
    for sentence in english(FEATURES_DIR / feature / "locale"):
        gaps = "|".join(re.escape(f"{{{gap}}}") for gap in placeholders(sentence) or ())
        parts = re.split(gaps or "(?!)", sentence)
        pattern = re.compile(".+".join(map(re.escape, parts)))
        if len("".join(parts).split()) > 1 and not pattern.search(base):
            found.append(pattern)
    return found


async def shown_in_an_evening(harness: GroupHarness) -> str:
    """All words of menus, help, settings, a game and a lobby of a bot with a voice, in chats, by text and on pages."""
    harness.service.config = replace(harness.service.config, speaks=True)
    shown = [each.description for each in (*channel.menu("group_menu", EN), *channel.menu("private_menu", EN))]
    await harness.say("Ana", StartPrivateChat(), where=None)
    for what in (SeeHelp(), SeeSettings(), SeeRules()):
        await harness.say("Ana", what, where=None)
        await harness.say("Ana", what)
    shown += told(harness)
    await harness.game("2", "33", "44", calls="1x6 dudo")
    shown += told(harness)
    await harness.play_out(sent=True)
    shown += told(harness)
    await harness.tap("Ana", SeeMore(), tapped=MessageRef(1))
    shown += told(harness)
    await harness.tap("Ana", PlayAgain())
    for menu in LobbyMenu:
        await harness.tap("Ana", OpenMenu(menu), table=2, where=None)
        shown += told(harness)
    shown += [words for part in PAGE_PARTS.values() for words in part.words(EN).values()]
    return "\n".join(shown)


def told(harness: GroupHarness) -> Iterator[str]:
    """All waiting notices with their buttons; mark them as sent."""
    for envelope in harness.envelopes():
        yield words(envelope.notice)
        yield sms_text(envelope.notice, EN, READER) or ""
        yield from (button["text"] for row in keyboard(envelope.notice, EN, bot="bot") for button in row)
    harness.mark_all_sent()


@pytest.mark.parametrize("off", [NAMES[::2], NAMES[1::2], NAMES], ids="+".join)
async def test_a_whole_evening_shows_nothing_of_a_feature_that_is_off(off: list[str], database: Database) -> None:
    with features_off(off):
        shown = await shown_in_an_evening(GroupHarness(database))
    for name in off:
        assert [sentence.pattern for sentence in sentences_of(name) if sentence.search(shown)] == [], name


async def test_the_same_evening_shows_something_of_each_feature_that_is_on(harness: GroupHarness) -> None:
    shown = await shown_in_an_evening(harness)
    for name in NAMES:
        assert any(sentence.search(shown) for sentence in sentences_of(name)), name


def test_no_button_command_or_text_asks_for_a_feature_that_is_off() -> None:
    wishes = [wish for examples in feature_examples() for wish in examples.WISHES]
    buttons = {wish: write_button(wish) for wish in wishes}
    texts = [
        texted_command(command)
        for feature in FEATURES
        for request in feature.requests
        for command in request.commands
        if Scope.TEXT in command.scope
    ]
    kinds = {kind for feature in FEATURES for kind in feature.requests}
    assert all(read_button(data, at_table=isinstance(wish, TableRequest)) == wish for wish, data in buttons.items())
    with features_off(NAMES):
        for wish, data in buttons.items():
            assert read_button(data, at_table=isinstance(wish, TableRequest)) is None, data
        for text in texts:
            assert type(getattr(parse_message(text, "en", "Europe/Rome"), "request", None)) not in kinds, text


def test_stored_notices_of_a_feature_that_is_off_are_told_without_its_buttons() -> None:
    stored = TypeAdapter[Notice](Notice)
    kinds = {kind for feature in FEATURES for kind in feature.requests}
    with features_off(NAMES):
        for examples in feature_examples():
            for example in examples.notices(plain):
                notice = stored.validate_json(stored.dump_json(example))
                assert notice == example
                assert message_html(notice, EN)
                rows = keyboard(notice, EN, bot="bot")
                taps = [parse_callback(button.get("callback_data")) for row in rows for button in row]
                assert not [tap for tap in taps if tap is not None and type(tap.request) in kinds]


async def test_a_message_that_stands_is_written_again_after_a_feature_is_switched_off(harness: GroupHarness) -> None:
    await harness.game("2", "33", "44", sent=True)
    harness.service.tables.mark(1, harness.now)
    assert harness.waiting_kinds() == []
    with features_off(NAMES):
        assert ("hand", 101) in harness.waiting_kinds()


@pytest.mark.parametrize("settings", [{"off": ("chess",)}, {"chess": {"clock": 3}}])
def test_the_settings_name_features_that_exist(settings: dict[str, Any]) -> None:
    with pytest.raises(OperatorError, match=f"there is no chess; the features are {', '.join(NAMES)}"):
        install(FEATURES, FeatureSettings.model_validate(settings))


def test_a_setting_of_a_feature_is_refused_by_its_key_at_the_start() -> None:
    class Coin(Section):
        sides: Literal[2, 3] = 2

    coin = Feature("coin", settings=Coin)
    for given, line in (({"sides": 4}, "features.coin.sides: Input should be 2 or 3"), ({"size": 1}, "coin.size: ")):
        with pytest.raises(OperatorError, match=line), features_off(()):
            install([coin], FeatureSettings.model_validate({"coin": given}))


def test_two_features_cannot_answer_to_the_same_button() -> None:
    request = next(request for feature in FEATURES for request in feature.requests)
    with pytest.raises(ValueError, match="twice"), features_off(()):
        install([*FEATURES, Feature("copy", requests=(request,))])
