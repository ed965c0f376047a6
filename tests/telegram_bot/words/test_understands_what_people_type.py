# ruff: noqa: RUF001
import re
import time
import timeit
import unicodedata
from collections.abc import Iterable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_bot.intents.request import Scope
from telegram_bot.parsing.grammar import LONGEST_CALL, parse
from telegram_bot.parsing.normalize import normalize
from telegram_bot.parsing.parsed import Parsed, ParsedCommand, canonical_text
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.parsing.vocabulary import Part, expanded
from telegram_bot.service.commands import commands
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.queries import SeeRules, UnparsedText
from telegram_bot.words.language_files import GRAMMARS, read_grammar
from test_support.phrases import by_friends

FIVE_FOURS = MakeBid(5, 4)
SAID_IN_TALK = [command.name for command in commands(Scope.TALK)]


def misread(texts: Iterable[tuple[str, Parsed | None]], language: str | None = "en") -> list[object]:
    """The texts that are read wrongly, each with its reading and its meaning."""
    return [(text, said, meant) for text, meant in texts if (said := parse(text, language)) != meant]


def test_signs_spaces_and_other_figures_change_no_meaning() -> None:
    """Spellings in words alone are in `phrases/en.toml`."""
    fours = [
        "5 x 4", "5 × 4", "5 * 4", "5 – 4", "5 of the 4s", "5\n4", "5\t4", "  5   4  ", "5 4.", "5 4…", "(5 4)",
        "i bid 5 4", "raise to 5x4", "I'd say 5 fours", "5⚃", "5 x ⚃", "🎲🎲 5 4", "５ｘ４", "５ ４", "٥ ٤", "५ x ४",
        "5\u200b 4", "fíve fours", "'five fours'", "'Five fours.'", "«5x4»", "„5x4“!", "five 4's",
    ]  # fmt: skip
    bids = {
        "1 paco": (1, 1), "3 Aztec heads": (3, 1), "twenty two fours": (22, 4), "30 6": (30, 6), "999 6": (999, 6),
        "4:3": (4, 3), "4 : 3": (4, 3), "b 4 5s": (4, 5), "B 4 5": (4, 5),
    }  # fmt: skip
    meant: list[tuple[str, Parsed | None]] = [(text, FIVE_FOURS) for text in fours]
    meant += [(text, MakeBid(*bid)) for text, bid in bids.items()]
    meant += [(text, CallDudo()) for text in ("¡Dudo!", "dúdo", "\u200edudo", "you’re bluffing")]
    meant += [("Spot-on!", CallCalza()), (" ? ", ParsedCommand("help")), ("Rules", ParsedCommand("rules"))]
    meant += [("bulff", UnparsedText("dudo")), ("5 x foours", UnparsedText("5x4"))]
    assert misread(meant) == []
    assert parse("Who said “liar”? 5x4", "en", private=True, total_dice=15) == FIVE_FOURS


def test_in_talk_a_plain_call_a_first_bid_or_a_signed_call_is_played_and_other_calls_are_asked_about() -> None:
    played = ("what a night. 5x4", "five fours. what a night", "what a night. rain. wind. 5x4")
    meant: list[tuple[str, Parsed | None]] = [(text, FIVE_FOURS) for text in played]
    meant += [(text, CallDudo()) for text in ("liar. Mike", "what a night. dudo")]
    meant += [(text, UnparsedText("5x4")) for text in ("what a night. five fours", "five fours. what a night. no wait")]
    asked = ("Mike. liar", "liar. what a night", "liar. Mike. Ana", "liar. Sorry Mike")
    meant += [(text, UnparsedText("dudo")) for text in asked]
    nothing = ("what a night. dice", "five fours. 3", "what a night. rain. wind. snow. 5x4")
    meant += [(text, None) for text in nothing]
    assert misread(meant) == []


def test_the_toucan_of_the_modern_box_is_a_one() -> None:
    toucans = {
        "en": "four toucans", "it": "quattro tucani", "fr": "quatre toucans", "de": "vier Tukane", "nl": "vier toekans",
        "es": "cuatro tucanes",
    }  # fmt: skip
    for reader in GRAMMARS:
        assert misread(((text, MakeBid(4, 1)) for text in toucans.values()), reader) == []
    assert parse("un tucán", "es") == parse("1 tucano", "it") == parse("1 toucan", "fr") == MakeBid(1, 1)


def test_a_doubt_may_name_the_player_and_talk_about_liars_is_none() -> None:
    for language, text in (
        ("en", "Ana is a liar!"), ("en", "Bo is bluffing"), ("es", "Ana es una mentirosa"), ("es", "Bo miente"),
        ("fr", "Ana ment !"), ("it", "Ana è una bugiarda"), ("de", "Bo lügt"), ("nl", "Ana is een leugenaar"),
    ):  # fmt: skip
        assert parse(text, language, private=True, standing=(2, 3), total_dice=15) == CallDudo(), text
        assert parse(text, language) == UnparsedText("dudo"), "in a chat it may be about anyone"
    talk = ("is Ana here?", "Ana said Bo is a liar", "Ana is a good liar I know")
    assert misread((text, None) for text in talk) == []


QUOTES = ("“{}”", "„{}“", "« {} »", "»{}«", '"{}"', "'{}'", "‘{}’", "‚{}‘", "「{}」", "“ {} ”")


@pytest.mark.parametrize("private", [False, True])
def test_a_call_in_quotation_marks_is_never_played_with_words_around_it(*, private: bool) -> None:
    quoted = [
        frame.format(quotes.format(call))
        for quotes in QUOTES
        for call in ("2x3", "five fours", "dudo", "calza")
        for frame in ("Disliked {}", "I say {}", "she said {}", "{} please", "A aimé {}", "👍 to {}")
    ]
    quoted += ["Disliked “2x3", "A aimé « 2x3"]  # cut by a network
    read = {text: parse(text, "en", private=private, total_dice=15, standing=(1, 3)) for text in quoted}
    assert [text for text, found in read.items() if isinstance(found, MakeBid | CallDudo | CallCalza)] == []


def test_54_is_five_fours_where_there_are_not_that_many_dice() -> None:
    """The answer to a bid of too many dice says so; fifty-four dice are possible, so the bot asks about them."""
    for text, total, said in (
        ("54", 30, FIVE_FOURS), ("54", 53, FIVE_FOURS), ("54", 54, UnparsedText("5x4")),
        ("16", 30, UnparsedText("1x6")),
        ("54", None, FIVE_FOURS), ("46", None, None), ("16", 15, MakeBid(1, 6)), ("124", 30, MakeBid(12, 4)),
        ("304", 20, MakeBid(30, 4)), ("204", 15, MakeBid(20, 4)), ("504", 15, MakeBid(50, 4)), ("46", 3, None),
        ("514", 15, None), ("57", 30, None), ("50", 30, None), ("05", 3, None), ("2024", None, None),
        ("100000000000004", 30, None),
    ):  # fmt: skip
        assert parse(text, "en", total_dice=total) == said, (text, total)


def test_ordinary_talk_is_no_call() -> None:
    talk = [
        "", " ", "!", "...", "🎲", "😂😂", "dude, what?", "hello", "one", "5", "x", "of", "5 x", "x 4", "5 5 5",
        "5 4 3", "laer", "5 7", "0 4", "-5 4", "05 4", "1000 4", "5 0", "5 44", "5 -- 4", "5x-4", "+5 4", "5²", "5½",
        "5 of", "5..4", "5 hours", "2 days", "at 5.40", "10:30", "see you at 4:30", "20:15", "plan b", "1/2/2024",
        "call me at 5", "5 chairs", "I don't doubt it", "not dudo", "liar or not, nice game", "/dudo", "5_4",
        "the rules are silly", "leave me alone", "\x00", "dudo\x00q",
    ]  # fmt: skip
    assert misread((text, None) for text in talk) == []


def all_phrases(table: dict[str, object] | list[str]) -> list[str]:
    if isinstance(table, list):
        return [phrase for each in table for phrase in expanded(each)]
    return [phrase for part in table.values() if isinstance(part, dict | list) for phrase in all_phrases(part)]


calls = st.one_of(
    st.builds(MakeBid, st.integers(1, 999), st.integers(1, 6)),
    st.just(CallDudo()),
    st.just(CallCalza()),
    st.sampled_from(SAID_IN_TALK).map(ParsedCommand),
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


def test_long_and_odd_messages_cost_nothing_and_a_call_may_stand_in_many_spaces_but_not_in_a_novel() -> None:
    """Measured in processor time: the shortest of five, as a virtual machine counts what its host does for others."""
    assert parse(" " * 1000 + "dudo", "en") == parse("dudo" + "!" * 156, "en") == CallDudo()
    for text in (
        "5" * 10_000_000, " " * 10_000_000 + "dudo", "d" * LONGEST_CALL, "five " * 12, "ﷺ" * LONGEST_CALL,
        "e" + "\u0301" * 60, "- " * 32, "a" * 31 + "-" + "b" * 32, "dudo" + "!" * 157,
    ):  # fmt: skip
        assert parse(text, "en") is None
        taken = timeit.repeat(partial(parse, text, "en"), timer=time.process_time, number=1)
        assert min(taken) < 0.1, text[:20]


@pytest.mark.parametrize("language", GRAMMARS)
def test_a_question_for_a_word_of_the_game_is_no_call(language: str) -> None:
    for asked, about in by_friends(language)["explained"].items():
        assert parse_text(asked, language) == SeeRules(about)
        assert parse_text(asked, "en") == SeeRules(about), "in any language"


@pytest.mark.parametrize("language", GRAMMARS)
class TestEveryGrammarFile:
    def test_holds_only_what_is_read(self, language: str) -> None:
        file = read_grammar(language)
        lists = {"between", "deniable", "digit_plurals", "doubt", "exact", "ordinary", "false_friends", "names"}
        lists |= {"doubt_here", "exact_here", "asked_between", "of_faces", "of_them", "articles", *Part}
        alone = {f"{part}_alone" for part in (*Part, "between", "exact", "doubt")}
        alone |= {"guesses", "calza_guesses", "same", "same_links", "joins", "reports", "marks", "others", "beliefs"}
        alone |= {"of_same", "still", "next_face"}
        assert file.keys() - {"hesitations", "accented", "hints", "elision"} - alone == lists | {
            "more", "another", "raised_by", "questions", "asks", "explains", "heard", "misspelt", "commands",
            "joining", "spoken", "faces", "numbers", "answers", "time", "voice", "texts",
        }  # fmt: skip
        assert file["answers"].keys() == {"yes", "on", "off"}
        assert file["time"].keys() == {"seconds", "minutes", "hours", "days", "oclock"}
        assert file["voice"].keys() - {"kokoro"} == {"espeak"}
        texts = {"stop", "openers", "courtesies", "pleas", "sentences", "denials", "game", "automatic", "pictures"}
        assert file["texts"].keys() - {"sisters", "denials_after"} == texts
        assert file["spoken"].keys() - {"written"} == {"openers", "repeat", "confirm"}
        joining = {"courtesies", "before_code", "before_name", "placeholders", "not_names", "titles"}
        assert file["joining"].keys() == joining
        assert file.get("commands", {}).keys() <= {command.name for command in commands(Scope.TEXT)}
        assert {int(face) for face in file["faces"]} <= set(range(1, 7))
        assert all(1 <= int(number) <= 999 for number in file["numbers"])

    def test_holds_phrases_as_they_look_once_tidied(self, language: str) -> None:
        file = read_grammar(language)
        symbols = {"?", "", "*", *all_phrases(file["between"])}
        symbols |= {*file.get("digit_plurals", ()), *file.get("accented", ())}
        heard = {*all_phrases(file["heard"])}  # "6x"
        accented = {*file["spoken"].get("written", {}).values(), *all_phrases(file["spoken"]["confirm"])}  # only said
        # A pattern stands for more phrases than can be listed.
        patterns = {"texts", "voice", "elision"}
        listed = {name: file[name] for name in file if name not in patterns and not name.endswith("_alone")}
        for phrase in set(all_phrases(listed)) - symbols - heard - accented:
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

    def test_understands_its_own_words(self, language: str) -> None:
        file = read_grammar(language)
        texts: list[tuple[str, Parsed | None]] = []
        texts += [(phrase, CallDudo()) for phrase in all_phrases([*file["doubt"], *file["doubt_here"]])]
        texts += [(phrase, CallCalza()) for phrase in all_phrases([*file["exact"], *file["exact_here"]])]
        texts += [(phrase, ParsedCommand(name)) for name in SAID_IN_TALK for phrase in file["commands"][name]]
        texts += [(phrase, UnparsedText(meant)) for phrase, meant in file["asks"].items()]
        texts += [(f"5 {word}", MakeBid(5, int(face))) for face, words in file["faces"].items() for word in words]
        for number, word in ((number, word) for number, words in file["numbers"].items() for word in words):
            asked = word in file["articles"]
            texts.append((f"{word} 4", UnparsedText(f"{number}x4") if asked else MakeBid(int(number), 4)))
            texts.append((unicodedata.normalize("NFD", word), None))
        assert misread(texts, language) == []
        for meant in file["asks"].values():
            assert (said := parse(meant, language)) is not None
            assert canonical_text(said) == meant
