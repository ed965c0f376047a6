"""Hundreds of texts in each language, as people type them, with their meanings: `phrases/<language>.toml`."""

import random
from collections.abc import Iterator
from itertools import islice, product

import pytest

from telegram_bot.intents.request import Scope
from telegram_bot.parsing.fuzzy_match import edit_distance
from telegram_bot.parsing.grammar import language_named, parse, parse_command
from telegram_bot.parsing.joining import CARRIERS_WORDS
from telegram_bot.parsing.normalize import comparison_key, normalize
from telegram_bot.parsing.parsed import Parsed, ParsedCommand, canonical_text
from telegram_bot.parsing.vocabulary import Vocabulary, vocabulary
from telegram_bot.service.commands import commands
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.queries import UnparsedText
from telegram_bot.words.catalogue import LANGUAGES, best_match
from telegram_bot.words.language_files import GRAMMAR_DIR, GRAMMARS
from test_support.phrases import BY_FRIENDS, by_friends


def meant(language: str) -> Iterator[tuple[str, object]]:
    phrases = by_friends(language)
    for bid, texts in phrases["bids"].items():
        quantity, face = bid.split("x")
        yield from ((text, MakeBid(int(quantity), int(face))) for text in texts)
    yield from ((text, CallDudo()) for text in phrases["dudo"])
    yield from ((text, CallCalza()) for text in phrases["calza"])
    yield from phrases["asked"].items()
    for name, texts in phrases["requests"].items():
        yield from ((text, ParsedCommand(name)) for text in texts)
    yield from ((text, None) for text in phrases["talk"])


def test_every_language_has_its_table_and_its_grammar() -> None:
    assert {path.stem for path in BY_FRIENDS.glob("*.toml")} - {"clashes"} == set(GRAMMARS) == set(LANGUAGES)
    assert {path.stem for path in GRAMMAR_DIR.iterdir()} == set(GRAMMARS)
    assert GRAMMARS[0] == "en"


@pytest.mark.parametrize("language", GRAMMARS)
def test_friends_are_understood(language: str) -> None:
    wrong = []
    phrases = list(meant(language))
    assert len({text for text, _ in phrases}) >= 300
    for text, meaning in phrases:
        said = parse(text, language)
        if said != (UnparsedText(meaning) if isinstance(meaning, str) else meaning):
            wrong.append((text, meaning, said))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("language", GRAMMARS)
def test_commands_are_understood_with_what_stands_behind_them(language: str) -> None:
    for text, meaning in by_friends(language)["commands"].items():
        name, _, rest = meaning.partition(" ")
        assert parse_command(text, language) == ParsedCommand(name, rest), text


def tried(text: str, by: str, at: str | None = None) -> str:
    """The result of a text: the played form, `?` and the form in question, or an empty text."""
    said = parse(text, by, table=at)
    if said is None:
        return ""
    return f"?{said.suggestion}" if isinstance(said, UnparsedText) else canonical_text(said)


def test_every_false_friend_is_listed_and_asked_about_and_what_only_looks_like_one_is_played() -> None:
    rows, played = by_friends("clashes")["clash"], by_friends("clashes")["played"]
    listed = {(row["said_by"], row["word"]) for row in rows}
    assert listed == {(language, word) for language in GRAMMARS for word in vocabulary(language).false_friends}
    wrong = [row for row in rows + played if tried(row["text"], row["said_by"], row.get("table")) != row["answer"]]
    assert wrong == []


def test_no_word_of_the_game_means_two_things_in_two_languages() -> None:
    for kind in ("numbers", "faces", "phrases", "commands"):
        found: dict[str, set[object]] = {}
        for language in GRAMMARS:
            for word, meaning in getattr(vocabulary(language), kind).items():
                found.setdefault(word, set()).add(meaning)
        assert {word: meanings for word, meanings in found.items() if len(meanings) > 1} == {}, kind


def bids_in(numbers: Vocabulary, faces: Vocabulary) -> Iterator[tuple[str, MakeBid]]:
    """Numbers of a language with faces of a language: each of both at least once; in one language every usual pair."""
    left, right = list(numbers.numbers.items()), list(faces.faces.items())
    pairs = {(left[at % len(left)], right[at % len(right)]) for at in range(max(len(left), len(right)))}
    if numbers is faces:
        pairs |= {(number, face) for number, face in product(left, right) if number[1] <= 3}
    for (number, quantity), (word, face) in sorted(pairs):
        text = f"{number} {word}"
        key = comparison_key(text)
        if text not in numbers.phrases and not any(key in vocabulary(each).numbers for each in GRAMMARS):
            yield text, MakeBid(quantity, face)


def phrases_of(written_in: str, by: str) -> Iterator[tuple[str, set[Parsed | None]]]:
    """The calls and requests of another language with what they may come to: each is read in one of the others."""
    words, others = vocabulary(written_in), [language for language in GRAMMARS if language != written_in]
    for text, call in islice(words.phrases.items(), others.index(by), None, len(others)):
        asked = UnparsedText(canonical_text(call))
        if text in words.local:  # everyday words: never played, and left alone where they begin with a hesitation
            yield text, {call, asked, None}
        else:
            yield text, {call, asked if isinstance(call, CallDudo | CallCalza) else None}


@pytest.mark.parametrize("by", GRAMMARS)
def test_whoever_writes_in_another_language_is_understood_or_asked_and_never_misunderstood(by: str) -> None:
    """Even with two languages in one bid."""
    said: list[tuple[str, set[Parsed | None]]] = []
    for first, second in product(GRAMMARS, repeat=2):
        if first == second or by in {first, second}:
            bids = list(bids_in(vocabulary(first), vocabulary(second)))
            if first == second != by:  # each in one of the others at most
                bids = random.Random(0).sample(bids, len(bids))[GRAMMARS.index(by) :: len(GRAMMARS)]
            elif first != second:  # in one of its two languages
                bids = bids[by == second :: 2]
            said += [(text, {bid, UnparsedText(canonical_text(bid))}) for text, bid in bids]
    for written_in in set(GRAMMARS) - {by}:
        said += phrases_of(written_in, by)
    assert [(text, read) for text, meant in said if (read := parse(text, by)) not in meant] == []


def test_the_words_that_everybody_knows_act_for_everybody() -> None:
    for language in (*GRAMMARS, None, "", "pt-BR", "en-GB", "it-IT", "xx", "\ud800", "e" * 100_000):
        assert parse("five fours", language) == MakeBid(5, 4)
        doubts = "dudo, doubt, liar, dubito, bugiardo, menteur, mentiroso, twijfel, bluff, je doute"
        for word in doubts.split(", "):
            assert parse(word, language) == CallDudo(), word
        for word in ["calza", "exact", "esatto", "exacto", "precies", "spot on", "tout pile"]:
            assert parse(word, language) == CallCalza(), word
        for one in ["paco", "pacos", "ace", "aces", "as", "ases", "assi", "testa", "lama", "azen", "joker"]:
            assert parse(f"3 {one}", language) == MakeBid(3, 1), one
        for sign in ["x", "*", "@", "/", ".", ",", "-", "de", "di", "of", "van"]:
            for text in (f"5{sign}4", f"5 {sign} 4") if len(sign) == 1 else (f"5 {sign} 4", f"5 {sign.upper()} 4"):
                if sign not in vocabulary(best_match(language, GRAMMARS)).false_friends:  # "of" is the Dutch "or"
                    assert parse(text, language) == MakeBid(5, 4), text


@pytest.mark.parametrize("language", GRAMMARS)
def test_the_carriers_words_are_no_words_of_the_game(language: str) -> None:
    words = vocabulary(language)
    ours = {*words.phrases, *words.commands, *words.numbers, *words.faces}
    assert not ours & CARRIERS_WORDS - {"help"}  # help is help on both sides
    named_for_all = {"quiet", "help"}
    single = {word for word in words.commands if word.isalpha() and len(word) > 3} - named_for_all
    assert not {word for word in single for theirs in CARRIERS_WORDS - {"help"} if edit_distance(word, theirs) <= 1}


@pytest.mark.parametrize("language", GRAMMARS)
def test_a_command_is_neither_a_bid_nor_a_call_for_anybody(language: str) -> None:
    for text in vocabulary(language).commands:
        for by in GRAMMARS:
            assert not isinstance(parse(text, by), MakeBid | CallDudo | CallCalza | UnparsedText), (text, by)


def test_every_language_has_every_command_and_english_ones_work_for_all() -> None:
    names = {command.name for command in commands(Scope.TEXT)}
    for language in GRAMMARS:
        assert set(vocabulary(language).commands.values()) == names
        for name in names:
            word = "?" if name == "help" else name.upper()
            assert parse_command(word, language) == ParsedCommand(name), word


def test_what_begins_with_no_command_is_none() -> None:
    for text in ("", "   ", "hello", "joint ABC", "x" * 5000, "5x4", "dudo", "\x00"):
        assert parse_command(text, "en") is None


def test_a_language_is_known_by_its_names() -> None:
    named: dict[str, str | None] = {"klingon": None, "": None, **{language: language for language in GRAMMARS}}
    named |= {text: language for language in GRAMMARS for text in by_friends(language)["named"]}
    assert {text: language_named(text) for text in named} == named
    names = [name for language in GRAMMARS for name in vocabulary(language).names]
    assert len(names) == len(set(names))
    assert all(normalize(name) == name for name in names)
