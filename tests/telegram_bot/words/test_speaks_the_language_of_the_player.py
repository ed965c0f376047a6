from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from telegram_bot.words import extract
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, best_match, catalogue, damaged, po_path

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


def test_a_damaged_or_missing_translation_is_said_in_english(
    italian: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    vowels, others = ("Ana", "Élodie", "Yves"), ("Yasmine", "Hugo", "Bo")
    assert [catalogue("fr").say("{name}'s table", name=name) for name in (*vowels, *others)] == [
        *(f"La table d'{name}" for name in vowels),
        *(f"La table de {name}" for name in others),
    ]


def test_the_nearest_language_is_chosen_and_english_where_there_is_none() -> None:
    nearest = {
        None: "en", "": "en", "en": "en", "en-US": "en", "it": "it", "it-IT": "it", "IT_it": "it", "pt-br": "pt_BR",
        "pt-BR-x-more": "pt_BR", "pt": "pt_BR", "pt-PT": "pt_BR", "zh-hans-CN": "zh_Hans", "ita": "en", "-": "en",
        "../../etc": "en", "it" * 1000: "en", "\x00\ud800": "en",
    }  # fmt: skip
    assert {code: best_match(code, ("en", "it", "pt_BR", "zh_Hans")) for code in nearest} == nearest


def test_the_catalogue_of_an_unknown_language_is_the_english_one() -> None:
    assert catalogue("tlh") is catalogue("en") is catalogue(None)
    assert catalogue("en-GB").language == "en"


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_translation_keeps_the_gaps_of_its_sentence_and_has_the_plurals_of_its_language(language: str) -> None:
    with po_path(language).open("rb") as file:
        catalog = read_po(file, locale=language, abort_invalid=True)
    assert [message.id for message in catalog if damaged(message)] == []
    assert [(message.id, error) for message in catalog for error in message.check(catalog)] == []


def test_the_catalogues_are_up_to_date_with_the_sources() -> None:
    stale = [
        path.relative_to(extract.ROOT).as_posix()
        for path, text in extract.files().items()
        if path.read_text(encoding="utf-8") != text
    ]
    assert not stale, f"run: python -m telegram_bot.words.extract ({', '.join(stale)})"
