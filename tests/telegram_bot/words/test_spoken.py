"""Spoken messages: words only, in every language, with as few pauses as possible."""

import random
import re

import pytest

from perudo_core import PRESETS, Rules
from telegram_bot import notices as n
from telegram_bot.notices.rendering import message_html, news_text, sms_text, spoken_text
from telegram_bot.tables.views import hand_view, table_view
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue
from telegram_bot.words.sms.layout import TextReader
from test_support.phrases import by_friends
from tests.telegram_bot.conftest import running_table, the_end
from tests.telegram_bot.words.notice_examples import WIDE, endings, named

ENGLISH = catalogue("en")
FRIENDS = ["Ana", "Bo 🎲", "🎲🎲", "Zoë"]


def friend(seat: int) -> str:
    return FRIENDS[seat % len(FRIENDS)]


def said(told: n.HandNotice | n.RevealNotice, w: Catalogue = ENGLISH) -> str:
    return spoken_text(told, w)


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_a_reveal_is_said_in_the_groups_language_and_no_other(language: str) -> None:
    w = catalogue(language)
    alike = by_friends(language)["sentences"].get("like_english", ())
    for view in endings(friend):
        english, here = said(n.RevealNotice(view=view)), said(n.RevealNotice(view=view), w)
        own_words = set(re.findall(r"[a-z]{3,}", english.lower())) - {"ana", "dudo", "calza"}
        assert not own_words & set(re.findall(r"[a-z]{3,}", here.lower())) - {"palifico", *alike}, here


def test_a_player_whose_name_cannot_be_said_is_called_by_number_in_a_call_too() -> None:
    table = named(running_table("22", "33", "44", rules=WIDE, calls="1x2 1x3 2x3"), friend)
    call = n.call_notice(the_end(table, "dudo")[0])
    assert call is not None
    assert news_text(call, ENGLISH) == "Dudo! Ana doubts player 3's 2 threes."


@pytest.mark.parametrize("preset", PRESETS)
def test_ones_are_called_ones_by_every_book(preset: str) -> None:
    table = named(running_table("11255", "33333", rules=Rules.preset(preset)), friend)
    text = said(n.HandNotice(view=hand_view(table, 0), player=1, title="Friends", deal=1))
    assert "Your dice: 2 fives, one two, and 2 ones. You open. Make a bid." in text


def test_on_turn_the_last_bids_come_first_and_then_the_dice() -> None:
    table = named(running_table("11255", "33333", "66", rules=WIDE, calls="2x4 3x4 4x4"), friend)
    assert said(n.HandNotice(view=hand_view(table, 0), player=1, title="Friends", deal=1)) == (
        "Bo says 3 fours. player 3 says 4 fours. Your turn. Raise, or say dudo. "
        "Your dice: 2 fives, one two, and 2 ones."
    )


def test_whose_turn_it_is_is_the_same_in_every_medium() -> None:
    table = running_table("11255", "33333", rules=WIDE)
    for paused, told in ((False, "Ana opens."), (True, "Everyone is away, so the game waits.")):
        notice = n.TableNotice(view=table_view(table.replace(paused=paused)), seat=1, shared=False, unreachable=False)
        texts = (message_html(notice, ENGLISH), sms_text(notice, ENGLISH, TextReader()), spoken_text(notice, ENGLISH))
        for text in texts:
            assert text is not None
            assert told in re.sub("<[^>]*>", "", text)


def test_two_readers_of_one_reveal_hear_the_same_so_that_it_is_said_once() -> None:
    view = random.Random(1).choice(list(endings(friend)))
    assert said(n.RevealNotice(view=view)) == said(n.RevealNotice(view=view, seat=1))
