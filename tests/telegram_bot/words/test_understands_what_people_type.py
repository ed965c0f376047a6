# ruff: noqa: RUF001
import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_bot.service.intents import CallCalza, CallDudo, MakeBid, UnparsedText
from telegram_bot.words.parsing.grammar import (
    COMMANDS,
    GRAMMARS,
    LONGEST_CALL,
    CommandName,
    Parsed,
    ParsedCommand,
    canonical_text,
    parse,
)
from telegram_bot.words.parsing.normalize import normalize
from telegram_bot.words.parsing.parsed import REQUESTS
from telegram_bot.words.parsing.vocabulary import GRAMMAR_DIR, Part, expanded, read_grammar

FIVE_FOURS = MakeBid(5, 4)
# The carrier keeps these for itself; only help may be ours as well, and helps on both sides.
CARRIER_WORDS = {
    "stop", "stopall", "unsubscribe", "cancel", "end", "quit", "revoke", "optout", "start", "yes", "unstop", "info",
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "5 4", "5x4", "5X4", "5 x 4", "5 × 4", "5×4", "5*4", "5 * 4", "5@4", "5/4", "5.4", "5,4", "5-4", "5 – 4",
        "5 of 4", "5 de 4", "5 di 4", "5 van 4", "5 of the 4s", "5 times 4", "5\n4", "5\t4", "  5   4  ",
        "5 4s", "5 4's", "5 4’s", "5 fours", "5fours", "five fours", "Five Fours!", "FIVE FOURS", "five four",
        "five 4", "five of fours", "five-fours", "“five fours”", "5 4.", "5 4…", "(5 4)",
        "I say five fours", "i bid 5 4", "raise to 5x4", "I'd say 5 fours",
        "5 ⚃", "5⚃", "5 x ⚃", "5 4 🎲", "🎲🎲 5 4", "5️⃣ 4️⃣", "５ｘ４", "５ ４", "٥ ٤", "५ x ४", "5\u200b 4", "fíve fours",
    ],
)  # fmt: skip
def test_five_fours_in_many_spellings(text: str) -> None:
    assert parse(text, "en") == FIVE_FOURS


@pytest.mark.parametrize(
    ("text", "bid"),
    [
        ("4 5", MakeBid(4, 5)),
        ("4 aces", MakeBid(4, 1)),
        ("an ace", MakeBid(1, 1)),
        ("3 ones", MakeBid(3, 1)),
        ("3 pacos", MakeBid(3, 1)),
        ("1 paco", MakeBid(1, 1)),
        ("3 Aztec heads", MakeBid(3, 1)),
        ("two jokers", MakeBid(2, 1)),
        ("one one", MakeBid(1, 1)),
        ("one two", MakeBid(1, 2)),
        ("a pair of sixes", MakeBid(2, 6)),
        ("six sixes", MakeBid(6, 6)),
        ("twelve threes", MakeBid(12, 3)),
        ("twenty-one fours", MakeBid(21, 4)),
        ("twenty two fours", MakeBid(22, 4)),
        ("twenty twos", MakeBid(20, 2)),
        ("30 6", MakeBid(30, 6)),
        ("999 6", MakeBid(999, 6)),
    ],
)
def test_the_number_comes_first_and_then_the_face(text: str, bid: MakeBid) -> None:
    assert parse(text, "en") == bid


@pytest.mark.parametrize(
    "text", ["dudo", "Dudo!", "DUDO", "¡Dudo!", "dúdo", "doubt", "I doubt it.", "liar", "Liar!!!", "liar, liar",
             "bluff", "you're bluffing", "you’re bluffing", "dudo 😂", "\u200edudo", "dudo dudo"]
)  # fmt: skip
def test_a_doubt_in_many_words(text: str) -> None:
    assert parse(text, "en") == CallDudo()


@pytest.mark.parametrize("text", ["calza", "Calza!", "exact", "exactly", "spot on", "Spot-on!", "spoton", "bang on"])
def test_exact_in_many_words(text: str) -> None:
    assert parse(text, "en") == CallCalza()


@pytest.mark.parametrize(
    ("text", "name"),
    [("dice", "dice"), ("My dice?", "dice"), ("status", "status"), ("whose turn is it?", "status"), ("Rules", "rules"),
     ("help", "help"), ("?", "help"), (" ? ", "help"), ("leave", "leave"), ("leave the game", "leave")],
)  # fmt: skip
def test_requests_that_are_no_move(text: str, name: CommandName) -> None:
    assert parse(text, "en") == ParsedCommand(name)


@pytest.mark.parametrize(
    ("text", "total", "said"),
    [
        ("54", 30, FIVE_FOURS),
        ("54", 53, FIVE_FOURS),
        ("54", 54, UnparsedText("5x4")),  # fifty-four dice are there to be bid on
        ("16", 30, UnparsedText("1x6")),
        ("54", None, FIVE_FOURS),
        ("46", None, None),
        ("16", 15, MakeBid(1, 6)),
        ("124", 30, MakeBid(12, 4)),
        ("304", 20, MakeBid(30, 4)),  # told that there are not so many dice
        ("204", 15, MakeBid(20, 4)),
        ("504", 15, MakeBid(50, 4)),
        ("46", 3, None),
        ("514", 15, None),
        ("57", 30, None),
        ("50", 30, None),
        ("05", 3, None),
        ("2024", None, None),
        ("100000000000004", 30, None),
    ],
)
def test_54_is_five_fours_where_there_are_not_that_many_dice(text: str, total: int | None, said: Parsed | None) -> None:
    assert parse(text, "en", total_dice=total) == said


@pytest.mark.parametrize(
    ("slip", "meant"),
    [("dduo", "dudo"), ("duod", "dudo"), ("duddo", "dudo"), ("Duda!", "dudo"), ("laer", None), ("lair", "dudo"),
     ("calzza", "calza"), ("clza", "calza"), ("exaclty", "calza"), ("bulff", "dudo"), ("challange", "dudo"),
     ("five fuors", "5x4"), ("fiev fours", "5x4"), ("5 x foours", "5x4"), ("sevn sixes", "7x6")],
)  # fmt: skip
def test_a_slip_of_the_finger_is_asked_about_and_never_acted_on(slip: str, meant: str | None) -> None:
    said = parse(slip, "en")
    assert said == (UnparsedText(meant) if meant else None)
    assert said is None or canonical_text(said) == meant


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "!", "...", "🎲", "😂😂", "dude", "Dude!", "dude, what?", "hello", "nice", "ok", "yes", "no", "lol",
        "one", "five", "5", "20", "twenty one", "twenty-one", "fours", "x", "of", "5 x", "x 4", "5 5 5", "5 4 3",
        "5 7", "0 4", "-5 4", "05 4", "1000 4", "5 0", "5 44", "5 -- 4", "5x-4", "+5 4", "5²", "5½", "5 of", "5..4",
        "5 hours", "2 days", "back in 5 minutes", "at 5.40", "10:30", "1/2/2024", "call me at 5", "5 chairs",
        "I don't doubt it", "not dudo", "that is exactly what I said", "liar or not, nice game",
        "/dudo", "5_4", "the rules are silly", "leave me alone", "\x00", "dudo\x00x",
    ],
)  # fmt: skip
def test_ordinary_talk_is_no_call(text: str) -> None:
    assert parse(text, "en") is None


@pytest.mark.parametrize(
    "language", [None, "", "en", "en-GB", "it", "it-IT", "fr", "nl", "xx", "\ud800", "e" * 100_000]
)
def test_english_words_are_understood_whatever_the_language(language: str | None) -> None:
    assert parse("five fours", language) == FIVE_FOURS
    assert parse("liar!", language) == CallDudo()
    assert parse("spot on", language) == CallCalza()


def all_phrases(table: dict[str, object] | list[str]) -> list[str]:
    if isinstance(table, list):
        return [phrase for each in table for phrase in expanded(each)]
    return [phrase for part in table.values() if isinstance(part, dict | list) for phrase in all_phrases(part)]


calls = st.one_of(
    st.builds(MakeBid, st.integers(1, 999), st.integers(1, 6)),
    st.just(CallDudo()),
    st.just(CallCalza()),
    st.sampled_from(REQUESTS).map(ParsedCommand),
)


@given(said=calls, language=st.sampled_from([None, *GRAMMARS]), total=st.none() | st.integers(0, 1000))
def test_what_the_bot_spells_it_also_understands(said: Parsed, language: str | None, total: int | None) -> None:
    assert parse(canonical_text(said), language, total_dice=total) == said
    assert parse(f" {canonical_text(said).upper()}! ", language, total_dice=total) == said


@given(text=st.text(max_size=80), language=st.none() | st.text(max_size=8), total=st.none() | st.integers())
def test_no_text_can_upset_it(text: str, language: str | None, total: int | None) -> None:
    said = parse(text, language, total_dice=total)
    if isinstance(said, UnparsedText):
        assert isinstance(parse(canonical_text(said), language), MakeBid | CallDudo | CallCalza)


vocabulary = sorted(
    {*all_phrases(read_grammar("en")["faces"]), *all_phrases(read_grammar("en")["numbers"])}
    | {*read_grammar("en")["between"], "5", "4", "s", "'", "fuors", "dduo", "⚃", "54"}
)


@given(words=st.lists(st.sampled_from(vocabulary), max_size=8), glue=st.sampled_from(["", " ", "-"]))
def test_no_heap_of_bidding_words_can_upset_it(words: list[str], glue: str) -> None:
    said = parse(glue.join(words), "en")
    if isinstance(said, MakeBid):
        assert 1 <= said.quantity <= 999
        assert 1 <= said.face <= 6


@pytest.mark.parametrize(
    "text",
    ["5" * 10_000_000, " " * 10_000_000 + "dudo", "d" * LONGEST_CALL, "five " * 12, "ﷺ" * LONGEST_CALL,
     "e" + "\u0301" * 60, "- " * 32, "a" * 31 + "-" + "b" * 32],
    ids=["10 MB of digits", "10 MB of spaces", "one long word", "many words", "ligatures", "accents", "dashes", "dash"],
)  # fmt: skip
def test_long_and_odd_messages_cost_nothing(text: str) -> None:
    parse("dudo", "en")
    start = time.perf_counter()
    for _ in range(20):
        assert parse(text, "en") is None
    assert time.perf_counter() - start < 1


def test_a_call_may_stand_in_many_spaces_but_not_in_a_novel() -> None:
    assert parse(" " * 1000 + "dudo", "en") == CallDudo()
    assert parse("dudo" + "!" * 156, "en") == CallDudo()
    assert parse("dudo" + "!" * 157, "en") is None


@pytest.mark.parametrize("language", GRAMMARS)
class TestEveryGrammarFile:
    def test_holds_only_what_is_read(self, language: str) -> None:
        file = read_grammar(language)
        lists = {"between", "digit_plurals", "doubt", "exact", "ordinary", "false_friends", "names"}
        lists |= {"doubt_here", "exact_here", "asked_between", "of_faces", "of_them", "articles", *Part}
        assert file.keys() - {"hesitations", "accented"} == lists | {
            "asks",
            "heard",
            "commands",
            "joining",
            "spoken",
            "faces",
            "numbers",
        }
        assert file["spoken"].keys() - {"written"} == {"openers", "repeat", "confirm"}
        assert file["joining"].keys() == {"courtesies", "before_code", "before_name", "not_names"}
        assert file.get("commands", {}).keys() <= set(COMMANDS)
        assert {int(face) for face in file["faces"]} <= set(range(1, 7))
        assert all(1 <= int(number) <= 999 for number in file["numbers"])
        assert all(isinstance(word, str) for word in all_phrases(file))

    def test_holds_phrases_as_they_look_once_tidied(self, language: str) -> None:
        file = read_grammar(language)
        symbols = {*all_phrases(file["between"]), *file.get("digit_plurals", ()), *file.get("accented", ()), "?", ""}
        heard = {*all_phrases(file["heard"])}  # "6x"
        accented = {*file["spoken"].get("written", {}).values(), *all_phrases(file["spoken"]["confirm"])}  # only said
        for phrase in set(all_phrases(file)) - symbols - heard - accented:
            assert normalize(phrase).strip() == phrase.strip()
            assert len(phrase) <= LONGEST_CALL
            assert not re.search(r"\d", phrase)

    def test_gives_no_phrase_two_meanings(self, language: str) -> None:
        file = read_grammar(language)
        for tables in (
            [file.get("doubt", []), file.get("exact", []), *file.get("commands", {}).values()],
            list(file["faces"].values()),
            list(file["numbers"].values()),
            [file.get("doubt", []), file.get("exact", []), file.get("ordinary", [])],
        ):
            phrases = [phrase for table in tables for phrase in table]
            assert len(phrases) == len(set(phrases)), sorted(phrase for phrase in phrases if phrases.count(phrase) > 1)

    def test_leaves_the_carrier_its_words(self, language: str) -> None:
        file = read_grammar(language)
        whole = {
            name: file[name] for name in ("doubt", "exact", "doubt_here", "exact_here", "commands", "faces", "numbers")
        }
        assert not {*all_phrases(whole), *file["asks"]} & CARRIER_WORDS

    def test_understands_its_own_words(self, language: str) -> None:
        file = read_grammar(language)
        for phrase in all_phrases([*file["doubt"], *file["doubt_here"]]):
            assert parse(phrase, language) == CallDudo()
        for phrase in all_phrases([*file["exact"], *file["exact_here"]]):
            assert parse(phrase, language) == CallCalza()
        for name in REQUESTS:
            assert all(parse(phrase, language) == ParsedCommand(name) for phrase in file["commands"][name])
        for phrase, meant in file["asks"].items():
            assert parse(phrase, language) == UnparsedText(meant)
            assert (said := parse(meant, language)) is not None
            assert canonical_text(said) == meant
        for face, phrases in file["faces"].items():
            for phrase in phrases:
                assert parse(f"5 {phrase}", language) == MakeBid(5, int(face))
        for number, phrases in file["numbers"].items():
            for phrase in phrases:
                bid = MakeBid(int(number), 4)
                asked = phrase in file["articles"]
                assert parse(f"{phrase} 4", language) == (UnparsedText(canonical_text(bid)) if asked else bid)
                assert parse(unicodedata.normalize("NFD", phrase), language) is None


def test_the_files_are_where_the_package_looks() -> None:
    assert {path.stem for path in GRAMMAR_DIR.iterdir()} == set(GRAMMARS)
    assert GRAMMARS[0] == "en"
