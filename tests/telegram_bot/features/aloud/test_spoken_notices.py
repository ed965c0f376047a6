"""Notices that are read aloud: words only, and when they are sent."""

import re
import unicodedata
from collections.abc import Iterator

import pytest

from telegram_bot.features.aloud import SpokenNotice, spoken_form
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices import Confirmation, ConfirmationNotice
from telegram_bot.notices.rendering import spoken_text
from telegram_bot.voice.speaking import LONGEST_TEXT
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import DeliveryHarness, RecordingSender, named_notice
from tests.telegram_bot.words.notice_examples import AWFUL, Namer, every_notice, evil, longest

FRIENDS = ["Ana", "Bo 🎲", "🎲🎲", "Zoë"]
SPOKEN = SpokenNotice(told=ConfirmationNotice(done=Confirmation.DUDO))
ANA, GROUP = 101, -1001


def friend(seat: int) -> str:
    return FRIENDS[seat % len(FRIENDS)]


def every_spoken(name: Namer) -> Iterator[SpokenNotice]:
    for notice in every_notice(name):
        envelope = spoken_form(Envelope(channel="telegram", chat=1, notice=notice))
        if envelope is not None and isinstance(envelope.notice, SpokenNotice):
            yield envelope.notice


@pytest.mark.parametrize(
    ("language", "name"),
    [*((language, friend) for language in LANGUAGES), ("en", evil), ("fr", longest), ("nl", AWFUL.__getitem__)],
)
def test_only_words_are_said_and_not_too_many(language: str, name: Namer) -> None:
    w = catalogue(language)
    kinds = set()
    for notice in every_spoken(name):
        kinds.add(notice.told.kind)
        text = spoken_text(notice, w)
        assert text, notice
        assert len(text) <= LONGEST_TEXT
        assert text.endswith((".", "!", "?", ":", "…"))
        if name is friend:
            assert not re.search(r"[<>{}*_#×]|&\w+;", text), text
        assert not {unicodedata.category(sign) for sign in text} & {"So", "Cf", "Cc", "Cs"}, text
    assert len(kinds) == 11


@pytest.mark.parametrize(
    ("chat", "turn", "said"), [(GROUP, 1, ["turn"]), (GROUP, None, ["spoken", "turn"]), (ANA, 1, ["spoken", "turn"])]
)
async def test_only_a_group_goes_without_it_and_only_in_a_hurry(
    harness: GroupHarness, chat: int, turn: int | None, said: list[str]
) -> None:
    harness.enqueue(SPOKEN, chat=chat)
    harness.enqueue(named_notice("turn"), chat=chat, turn=turn)
    sender = RecordingSender()
    await DeliveryHarness(harness, sender).drain(chat)
    assert sender.texts(chat) == said
