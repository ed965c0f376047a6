"""Notices that are read aloud: words only."""

import re
import unicodedata
from collections.abc import Iterator

import pytest

from telegram_bot.features.aloud import SpokenNotice, spoken_form
from telegram_bot.intents.envelope import Envelope
from telegram_bot.notices.rendering import spoken_text
from telegram_bot.voice.speaking import LONGEST_TEXT
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from tests.telegram_bot.words.notice_examples import AWFUL, Namer, every_notice, evil, longest

FRIENDS = ["Ana", "Bo 🎲", "🎲🎲", "Zoë"]


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
