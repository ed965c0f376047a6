"""Every catalogue is whole: each sentence is translated, with its gaps, markup and commands, and fits its place."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import read_po

from telegram_bot.channels.telegram import channel
from telegram_bot.parsing.grammar import parse
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo
from telegram_bot.tables.lobby_rules import CLOCK_CHOICES
from telegram_bot.words import catalogue as catalogues
from telegram_bot.words import extract
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, catalogue, po_path
from telegram_bot.words.phrases import duration
from test_support.documents import ROOT
from test_support.phrases import by_friends

TRANSLATED: Final = tuple(language for language in LANGUAGES if language != "en")

THE_GAMES_OWN: Final = {
    "Azteca", "Calza", "Calza!", "Calza?", "calza", "Dudo", "Dudo!", "dudo", "Palifico", "Palifico!", "Perudo",
    "{bidder} {bid}, {caller} calza: {count}.", "{bidder} {bid}, {caller} dudo: {count}.", "{option}: {value}",
    "{name}: {figure}", "🔸 {name}: <b>{bid}</b>",
}  # fmt: skip

UNCONTRACTED: Final = re.compile(
    r"(?i)(?<!turn )\b(?:it|that|there) is(?= \w)|\b(?:you are|I am|I will|you will)(?= \w)"
    r"|\b(?:can|could|do|does|did|is|are|was|has|have) ?not\b"
)


def said_in(file: Path) -> Iterator[str]:
    """The sentences of a module, also those within an f-string, which Babel does not look into."""
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Call(ast.Attribute(attr="say"), [ast.Constant(str(sentence))]):
                yield sentence
            case ast.Call(ast.Attribute(attr="count"), [ast.Constant(str(one)), ast.Constant(str(more)), _]):
                yield from (one, more)
            case ast.Call(ast.Attribute(attr="context_say"), [_, ast.Constant(str(sentence))]):
                yield sentence


def test_every_sentence_that_the_code_says_is_in_the_catalogue() -> None:
    known = {form for message in messages("en") for form in forms(message.id)}
    said = {each for file in (ROOT / "telegram_bot").rglob("*.py") for each in said_in(file)}
    assert len(said) > 500
    assert said - known == set()


@cache
def messages(language: str) -> list[Message]:
    found = [message for message in extract.sentences() if message.id] if language == "en" else []
    for message in found:
        message.string = message.id
    for folder in (catalogues.LOCALE_DIR, *catalogues.feature_locales()) if language != "en" else ():
        with po_path(language, folder).open("rb") as file:
            found += [message for message in read_po(file, locale=language, abort_invalid=True) if message.id]
    return found


def forms(texts: object) -> list[str]:
    return [str(texts)] if isinstance(texts, str) else [str(text) for text in texts or ()]  # type: ignore[attr-defined]


def pairs(language: str) -> Iterator[tuple[str, str]]:
    for message in messages(language):
        if all(forms(message.string)):
            yield from zip(forms(message.id), forms(message.string), strict=True)


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_sentence_is_translated(language: str) -> None:
    """Missing sentences appear in English."""
    missing = [message.id for message in messages(language) if message.fuzzy or not all(forms(message.string))]
    assert not missing, f"run `python -m telegram_bot.words.extract`, then fill in these in {language}"
    same = {english for english, said in pairs(language) if said == english}
    listed = {*by_friends(language)["sentences"]["same_as_english"]}
    assert same <= THE_GAMES_OWN | listed
    assert listed <= same, "listed for nothing"


MARKUP: Final = re.compile(r"</?\w+>|/[a-z]+\b|\b\d+x\d\b|[\U0001F000-\U0001FAFF\u2600-\u27BF\u23E9-\u23FA]")
"""Tags, commands, bids as figures, emoji."""
TYPED: Final = re.compile(r"\b(?!SMS\b|UTC\b)[A-Z]{2,}\b")
"""Words to text: JOIN, DUDO."""


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_translation_keeps_markup_commands_and_examples_and_ends_as_its_sentence_does(language: str) -> None:
    nouns_have_capitals = by_friends(language)["sentences"].get("nouns_have_capitals", False)
    for english, said in pairs(language):
        assert sorted(MARKUP.findall(said)) == sorted(MARKUP.findall(english)), said
        assert set(TYPED.findall(said)) <= set(TYPED.findall(english)), said
        assert catalogues.placeholders(said) is not None
        assert said.strip() == said
        assert "  " not in said
        assert (said[-1] in ".!?:") == (english[-1] in ".!?:"), said
        starts_small = english[0].islower()
        assert not (starts_small and said[0].isupper() and not nouns_have_capitals), said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_in_a_text_is_understood_as_it_stands(language: str) -> None:
    """`five fours` in the help is a bid in this language, and labels of buttons may be typed as well."""
    examples = {example for _, said in pairs(language) for example in re.findall(r"<code>([^<{]+)</code>", said)}
    assert len(examples) >= 4
    for example in examples:
        assert parse(example, language) is not None, example
    w = catalogue(language)
    assert parse(w.say("Dudo!"), language) == CallDudo()
    assert parse(w.say("Calza!"), language) == CallCalza()


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_name_a_button_name_it_as_it_is(language: str) -> None:
    labels = {said for english, said in pairs(language) if not english.endswith((".", "!", "?"))}
    for english, said in pairs(language):
        if "<code>" in english:
            continue
        for label in re.findall(r"<b>([^<{]+)</b>", said):
            game = label.rstrip("!¡ \u202f").lstrip("¡").casefold()
            assert label in labels or game.startswith(("dudo", "calza", "palifico")), label
    w = catalogue(language)
    assert w.say("My dice") in w.say("Tap My dice in the group to see your dice.")
    assert w.say("My dice") in w.say("When I tap My dice")


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels_and_menus_are_short_enough_for_a_phone(language: str) -> None:
    labels = [
        label
        for message in messages(language)
        if any(path.endswith(("keyboards.py", "keys.py")) for path, _ in message.locations)
        for label in forms(message.string)
    ]
    assert len(labels) > 20
    assert [label for label in labels if len(label) > 32] == [], "a narrow phone shows no more"
    w = catalogue(language)
    for command in channel.menu("group_menu", w) + channel.menu("private_menu", w):
        assert 3 <= len(command.description) <= 60


def test_the_bot_contracts_its_verbs_as_one_speaks_except_in_the_rules() -> None:
    """That ones are not wild is a rule wherever it is said; "that is right" is said by players."""
    free = [each for each in messages("en") if not any(file.endswith("words/rules.py") for file, _ in each.locations)]
    said = {text for message in free for text in forms(message.id)}
    spoken = {re.sub('(?i)ones are not wild|"that is right"', "", text) for text in said}
    assert sorted(text for text in spoken if UNCONTRACTED.search(text)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_times_are_said_with_the_plurals_of_the_language(language: str) -> None:
    """Only French uses the singular for zero."""
    w = catalogue(language)
    none = w.count("{n} minute", "{n} minutes", 0)
    said = [duration(seconds, w) for seconds in (30, 60, 120, 6 * 3600)]
    assert [said[0], none, *said[1:]] == by_friends(language)["sentences"]["times"]
    assert all(duration(seconds, w)[0].isdigit() for seconds in CLOCK_CHOICES if seconds)


def test_a_new_sentence_reaches_every_catalogue_and_what_was_translated_stays(tmp_path: Path) -> None:
    root = tmp_path
    (root / "babel.cfg").write_bytes((extract.ROOT / "babel.cfg").read_bytes())
    package = root / "telegram_bot" / "words"
    package.mkdir(parents=True)
    (package / "new.py").write_text(
        'catalogue.say("Kept")\ncatalogue.say("New")\ncatalogue.count("{n} old die", "{n} old dice", 2)\n'
        'catalogue.context_say("button", "Kept")\ncatalogue.say("It was sent, and the comma is new.")\n'
    )
    path = po_path("it", root)
    path.parent.mkdir(parents=True)
    path.write_text(
        'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
        '# a translator\'s own note\nmsgid "Kept"\nmsgstr "Tenuto"\n\n'
        'msgid "Gone"\nmsgstr "Andato"\n\nmsgid "It was sent and the comma is new."\nmsgstr "Inviato"\n\n'
        '#, fuzzy\nmsgid "New"\nmsgstr "boh"\n\n'
        'msgid "{n} old die"\nmsgid_plural "{n} old dice"\nmsgstr[0] "un dado"\nmsgstr[1] "{n} dadi"\n'
    )
    catalog = extract.catalogue_of("it", extract.sentences(root), [path])
    assert {(m.id, m.context): (m.string, m.fuzzy) for m in catalog if m.id} == {
        ("Kept", None): ("Tenuto", False),
        ("New", None): ("boh", True),
        (("{n} old die", "{n} old dice"), None): (("un dado", "{n} dadi"), False),
        ("Kept", "button"): ("", False),
        ("It was sent, and the comma is new.", None): ("Inviato", True),
    }
    assert "a translator's own note" in extract.written(catalog)
    assert "Gone" not in extract.written(catalog)


ITALIAN = """\
msgid ""
msgstr ""
"Language: it\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "{name} rolls"
msgstr "{name} lancia"

msgid "You lose"
msgstr "Perdi {quanto}"

msgid "{name} wins"
msgstr "{nome} vince"

msgid "{name} is out"
msgstr "È fuori"

msgid "{name} opens"
msgstr "{name.__class__} apre"

msgid "{name} waits"
msgstr "{name aspetta"

msgid "{name} bids"
msgstr "{} punta"

msgid "{n} die left"
msgid_plural "{n} dice left"
msgstr[0] "un dado rimasto"
msgstr[1] "{n} dadi rimasti"

msgid "{n} die lost"
msgid_plural "{n} dice lost"
msgstr[0] "un dado perso"
msgstr[1] "{m} dadi persi"

msgid "{n} half"
msgid_plural "{n} halves"
msgstr[0] "{n} metà"
msgstr[1] ""

msgid "{n} cup"
msgid_plural "{n} cups"
msgstr "{n} bicchieri"

msgid "not yet"
msgstr ""

#, fuzzy
msgid "not sure"
msgstr "boh"

msgctxt "button"
msgid "Join"
msgstr "Entra"
"""


@pytest.fixture
def italian(tmp_path: Path) -> Catalogue:
    path = po_path("it", tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(ITALIAN, encoding="utf-8")
    return Catalogue("it", folder=tmp_path)


def test_a_sentence_is_said_in_the_language_of_the_player(italian: Catalogue) -> None:
    assert italian.say("{name} rolls", name="{x} %s <b>") == "{x} %s <b> lancia", "values are put in as they are"
    assert italian.context_say("button", "Join") == "Entra"
    assert italian.context_say("command", "Join") == italian.say("Join") == "Join", "another meaning, another word"
    assert italian.count("{n} die left", "{n} dice left", 1) == "un dado rimasto"
    assert italian.count("{n} die left", "{n} dice left", 3) == "3 dadi rimasti"
    assert catalogue("en").count("{n} die left", "{n} dice left", 0) == "0 dice left"
    assert catalogue(None).say("") == ""


def test_a_damaged_or_no_translation_is_said_in_english(italian: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    for message in (
        "{name} wins", "{name} is out", "{name} opens", "{name} waits", "{name} bids", "You lose", "not yet",
        "not sure", "no one translated this, {name}",
    ):  # fmt: skip
        assert italian.say(message, name="Ana") == message.replace("{name}", "Ana")
    assert italian.count("{n} die lost", "{n} dice lost", 1) == "1 die lost"
    for plural in ("{n} die lost", "{n} dice lost"), ("{n} half", "{n} halves"), ("{n} cup", "{n} cups"):
        assert italian.count(*plural, 2) == plural[1].replace("{n}", "2")
    monkeypatch.setattr(italian._translations, "gettext", lambda _: "{quanto}")
    assert italian.say("{name} rolls", name="Ana") == "Ana rolls"


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00 nonsense", b'msgid "a\nmsgstr', b'msgid ""\nmsgstr "Plural-Forms: x;"']
)
def test_a_ruined_file_leaves_the_game_in_english(tmp_path: Path, content: bytes) -> None:
    path = po_path("it", tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    ruined = Catalogue("it", folder=tmp_path)
    assert ruined.say("{name} rolls", name="Ana") == "Ana rolls"
    assert ruined.count("{n} die", "{n} dice", 2) == "2 dice"


def test_in_french_de_is_shortened_before_a_vowel() -> None:
    w = catalogue("fr")
    assert {w.say("{name}'s table", name=name) for name in ("Ana", "Élodie", "Yves", "Yasmine", "Hugo", "Bo")} == {
        *("La table d'Ana", "La table d'Élodie", "La table d'Yves"),
        *("La table de Yasmine", "La table de Hugo", "La table de Bo"),
    }


def test_the_nearest_language_is_chosen_and_english_where_there_is_none() -> None:
    nearest = {
        None: "en", "": "en", "en": "en", "en-US": "en", "it": "it", "it-IT": "it", "IT_it": "it", "pt-br": "pt_BR",
        "pt-BR-x-more": "pt_BR", "pt": "pt_BR", "pt-PT": "pt_BR", "zh-hans-CN": "zh_Hans", "ita": "en", "-": "en",
        "../../etc": "en", "it" * 1000: "en", "\x00\ud800": "en",
    }  # fmt: skip
    assert {code: catalogues.best_match(code, ("en", "it", "pt_BR", "zh_Hans")) for code in nearest} == nearest
    assert catalogue("tlh") is catalogue("en") is catalogue(None)
    assert catalogue("en-GB").language == "en"


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_translation_keeps_the_gaps_of_its_sentence_and_has_the_plurals_of_its_language(language: str) -> None:
    with po_path(language).open("rb") as file:
        catalog = read_po(file, locale=language, abort_invalid=True)
    assert [message.id for message in catalog if catalogues.damaged(message)] == []
    assert [(message.id, error) for message in catalog for error in message.check(catalog)] == []


def test_the_catalogues_are_up_to_date_with_the_sources() -> None:
    stale = [
        path.relative_to(extract.ROOT).as_posix()
        for path, text in extract.files().items()
        if path.read_text(encoding="utf-8") != text
    ]
    assert not stale, f"run: python -m telegram_bot.words.extract ({', '.join(stale)})"
