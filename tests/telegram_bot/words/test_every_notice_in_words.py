"""Every message of the bot, rendered: in each language, for the longest names, within Telegram's limits."""

import re
from collections.abc import Iterator
from difflib import unified_diff
from html import unescape
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from perudo_core import Rules
from telegram_bot import notices as n
from telegram_bot.channels.telegram import channel
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.notices import rendering
from telegram_bot.notices.lobby import LobbyMenu
from telegram_bot.notices.rendering import caption_html, message_html, sms_text, toast_text
from telegram_bot.tables.views import lobby_view, table_view
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue, own_name, placeholders, po_path
from telegram_bot.words.extract import sentences
from telegram_bot.words.phrases import plain_name
from telegram_sandbox.text.entities import utf16_length
from telegram_sandbox.text.html_mode import parse_html
from test_support.all_notices import ALL_NOTICES
from tests.telegram_bot.conftest import START, lobby_table, running_table, the_end
from tests.telegram_bot.words import notice_examples as e
from tests.telegram_bot.words.notice_examples import every_notice, evil, longest, named, plain, words
from tests.telegram_bot.words.notice_outputs import APPROVED, OPTIONS_APPROVED, of_options
from tests.telegram_bot.words.notice_outputs import sentences as sentences_said
from tests.telegram_bot.words.test_every_notice_by_text import READER


def shown(html: str) -> str:
    """The text on a screen; fails on markup that Telegram would refuse."""
    assert not re.search(r"&(?!amp;|lt;|gt;|quot;|#x?\w+;)", html), html
    return parse_html(html, lambda _: None).text


def approved(medium: str) -> Iterator[str]:
    """The sentences of a medium that were approved, in all languages."""
    for path in APPROVED.glob("*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            at, _, sentence = line.partition(": ")
            if at.endswith(f" {medium}"):
                yield sentence


def test_a_time_in_a_chat_is_shown_in_the_readers_own_zone() -> None:
    clocks = re.compile(r"<tg-time.*?</tg-time>|\d+-\d+ UTC")  # the nights of a table have the zone of its operator
    assert [sentence for sentence in approved("chat") if "UTC" in clocks.sub("", sentence)] == []


def test_no_text_has_a_command_of_telegram_but_link() -> None:
    assert {each for sentence in approved("text") for each in re.findall(r"(?<!\S)/([a-z]+)", sentence)} == {"link"}


def test_a_storys_words_fit_under_its_picture_whatever_the_players_are_called() -> None:
    for name in (longest, e.AWFUL.__getitem__):
        stories = [notice for notice in every_notice(name) if notice.kind == "story"]
        captions = [caption_html(notice, catalogue(language)) for notice in stories for language in LANGUAGES]
        assert [
            caption
            for caption in captions
            if caption is None or rendering.caption_length(caption) > rendering.LONGEST_CAPTION
        ] == []


def test_no_kind_of_notice_is_left_out() -> None:
    assert {type(notice) for notice in every_notice(plain)} == {*ALL_NOTICES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_notice_says_what_was_approved(language: str) -> None:
    """After `python -m tests.telegram_bot.words.notice_outputs` the difference is read in `git diff`."""
    said = {kind: text.splitlines() for kind, text in sentences_said(language).items()}
    files = {path.stem: path.read_text(encoding="utf-8").splitlines() for path in APPROVED.glob("*.txt")}
    approved = {kind: [line for line in lines if line.startswith(f"{language} ")] for kind, lines in files.items()}
    differing = [
        line
        for kind in sorted(said.keys() | approved.keys())
        for line in unified_diff(approved.get(kind, []), said.get(kind, []), kind, n=0)
    ]
    assert not differing, "\n".join(differing)


def test_each_value_of_an_option_says_what_was_approved() -> None:
    assert "".join(of_options()) == OPTIONS_APPROVED.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "name"),
    [*product(LANGUAGES, [longest]), ("de", e.AWFUL.__getitem__), ("fr", e.AWFUL.__getitem__), ("en", evil)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_every_notice_is_a_message_that_telegram_takes_and_each_toast_fits_an_alert(
    language: str, name: e.Namer
) -> None:
    w = catalogue(language)
    for notice in every_notice(name):
        html = message_html(notice, w)
        if isinstance(notice, n.BidsNotice | n.OutdatedNotice | n.PhoneNotice | n.ReactionNotice | n.SeatLinkNotice):
            assert html is None
            continue
        assert html is not None
        text = shown(html)
        assert text.strip(), notice.kind
        assert "{" not in text, "a gap was left open"
        limit = 1024 if isinstance(notice, n.FileNotice) else 4096
        assert utf16_length(text) <= limit, f"{notice.kind} has {utf16_length(text)} characters"
        if isinstance(notice, n.Toast):
            toast = toast_text(notice, w)
            assert 1 <= len(toast) <= 200, toast
            assert "{" not in toast


def test_a_menu_of_the_lobby_asks_its_question_and_nothing_more() -> None:
    for menu in (None, *LobbyMenu):
        to_host = menu is not None
        notice = n.LobbyNotice(view=lobby_view(lobby_table(2)), menu=menu, to_host=to_host, numbers=("+39 02 1234",))
        assert ("JOIN" in words(notice)) is (menu is None), menu
    full = n.LobbyNotice(view=lobby_view(lobby_table(2)).model_copy(update={"max_seats": 2}), numbers=("+39 02 1234",))
    assert "JOIN" not in words(full)


def test_no_chat_names_what_only_texts_have() -> None:
    assert [sentence for sentence in approved("chat") if "Text BACK" in sentence] == []


def test_names_are_shown_as_they_are_written() -> None:
    """As many as fit: no part of a name is markup."""
    table = named(running_table("22222", "33333", calls="5x2"), evil)
    for notice in (
        n.TableNotice(view=table_view(table), shared=False, unreachable=False),
        n.LobbyNotice(view=lobby_view(named(lobby_table(2), evil))),
        n.RevealNotice(view=the_end(table, "dudo")[0]),
    ):
        text = shown(words(notice))
        for seat in (0, 1):
            assert plain_name(evil(seat)) in text
    html = words(n.ReminderNotice(name=evil(1), address=77, clock_ends=START, direct=False))
    assert f'<a href="tg://user?id=77">{plain_name(evil(1))}</a>' in unescape(html)


def test_a_name_that_nobody_sees_is_still_somebody_and_none_turns_the_words_around_it() -> None:
    unseen = ["", "   ", "\n\t", "\u2003", "\u200b\u2060", "\u3164", "\u202e", "\u2800 \ufeff", "\u0301"]
    assert {plain_name(name) for name in unseen} == {"?"}
    assert plain_name("Ana\u202e\u2067") == "Ana"
    assert plain_name("דנה") == "\u2068דנה\u2069"
    assert plain_name("علي \u202e" + "x" * 50) == "\u2068علي " + "x" * 27 + "…\u2069"
    assert plain_name("👩\u200d🚀 Ines") == "👩\u200d🚀 Ines", "what joins an emoji stays"


def test_a_long_round_still_shows_its_last_bids_and_everybodys_dice() -> None:
    view, _, _ = the_end(e.LONGEST_ROUND, "dudo")
    assert len(view.bids) > 100
    text, last = shown(words(n.RevealNotice(view=view))), view.bids[-1]
    assert f"{view.seats[last.seat].name} {last.quantity} × " in text.splitlines()[1]
    assert text.count(": [") == 10
    assert "… → " in shown(words(n.TableNotice(view=table_view(e.LONGEST_ROUND), shared=True, unreachable=False)))


def test_an_evening_without_ones_shows_the_matching_dice_only() -> None:
    table = running_table("12", "13", rules=Rules.preset("box_2009").with_options(wild_ones=False), calls="1x2")
    text = shown(words(n.RevealNotice(view=the_end(table, "dudo")[0])))
    assert "Ana: [2️⃣] 1️⃣ → 1" in text
    assert "Bo: 1️⃣ 3️⃣" in text


@pytest.fixture(scope="module")
def wordless(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """A language whose sentences are only their gaps in brackets: other letters are from no sentence of ours."""
    folder = tmp_path_factory.mktemp("locale")
    catalog = Catalog(locale="eo", domain="perudo", charset="utf-8", fuzzy=False)
    for message in sentences():
        if not message.id:
            continue
        ids = [message.id] if isinstance(message.id, str) else list(message.id)
        gaps = [" ".join(f"{{{gap}}}" for gap in sorted(placeholders(text) or ())) for text in ids]
        said_as = [f"⟦{gap}⟧" for gap in gaps]
        catalog.add(
            message.id if len(ids) == 1 else tuple(ids),
            said_as[0] if len(ids) == 1 else tuple(said_as),
            context=message.context,
        )
    path: Path = po_path("eo", folder)
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_po(file, catalog)
    return Catalogue("eo", folder=folder)


def letters_in(text: str) -> list[str]:
    """The words of a text, without commands, marks of a game, and Babel's word within a list, which is translated."""
    text = re.sub(r"t\.me/\w+|/[a-z]+|\bkaj\b", "", text)
    text = re.sub("|".join(map(own_name, LANGUAGES)), "", text, flags=re.IGNORECASE)
    text = re.sub(r"\b[0-9a-f]{64}\b|\b[ol]\b|CODE22|\bR\d+\b|\bPerudo\b|\bEurope/Rome\b|\b\d+x\d\b|\d UTC\b", "", text)
    return re.findall(r"[^\W\d_]+", text)


OUR_NAMES: Final[dict[str, set[str]]] = {
    kind: names for examples in e.feature_examples() for kind, names in vars(examples).get("OUR_NAMES", {}).items()
}
"""Names that the bot chooses, a calendar's names of months, the bot's own link."""
TO_BE_TEXTED: Final = {"calza", "dudo", "Dudo", "x", "francais", "Nov"}
"""Marks of the game, and answers for texts, besides words in capitals."""


def test_every_sentence_a_player_reads_can_be_translated(wordless: Catalogue) -> None:
    assert wordless.say("Start") == "⟦⟧"
    assert wordless.count("{n} hour", "{n} hours", 2) == "⟦2⟧"
    for notice in every_notice("#{}#".format):
        names, html = OUR_NAMES.get(notice.kind, set()), message_html(notice, wordless)
        assert html is None or "⟦" in html, f"{notice.kind} says nothing"
        for said in (html, caption_html(notice, wordless)):
            assert set(letters_in(shown(said or ""))) <= names, f"{notice.kind}: {said}"
        if isinstance(notice, n.Toast):
            assert letters_in(toast_text(notice, wordless)) == []
        texted = re.sub(r"\b[A-Z]{3,}\d*\b", "", sms_text(notice, wordless, READER) or "")
        assert set(letters_in(texted)) <= names | TO_BE_TEXTED, f"{notice.kind}: {texted}"
        for row in keyboard(notice, wordless, bot="perudo_bot"):
            for button in row:
                assert set(letters_in(button["text"])) <= names, button


def test_every_command_in_the_menu_can_be_translated(wordless: Catalogue) -> None:
    menus = channel.menu("group_menu", wordless) + channel.menu("private_menu", wordless)
    assert len(menus) > 10
    assert {command.description for command in menus} == {"⟦⟧"}
    assert all(re.fullmatch(r"[a-z0-9_]{1,32}", command.command) for command in menus)
