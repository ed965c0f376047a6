# ruff: noqa: RUF001
"""Texts as data: commands in each language, carriers' words, explanations of mistakes, and texts of machines."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_bot.channels.sms.text_parser import CarrierKeyword, TextRequest, carrier_keyword, parse_message
from telegram_bot.channels.sms.text_patterns import OptOut, is_automatic, read_opt_out
from telegram_bot.intents import intents as i
from telegram_bot.notices import PhoneMessage
from telegram_bot.parsing.joining import name_in
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import AddComputers, ChangeOption, Join, KickNamed, Start
from telegram_bot.service.handlers.phone_requests import ChooseTable, LinkPhone, OpenPrivateLobby
from telegram_bot.service.handlers.queries import SeeDice, SeeHelp, UnparsedText
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.language_files import GRAMMARS
from test_support.phrases import by_friends
from tests.telegram_bot.channels.sms.conftest import phrases

ROME = "Europe/Rome"


@pytest.mark.parametrize(
    ("text", "language", "meant"),
    [
        ("JOIN abc234", "en", Join("ABC234")),
        ("join: ABC-234", "en", Join("ABC234")),
        ("Join ABC234 Ana Maria", "en", Join("ABC234", name="Ana Maria")),
        ("LINK 234567", "en", LinkPhone("234567")),
        ("TABLE abc234", "en", ChooseTable("ABC234")),
        ("DICE", "en", SeeDice()),
        ("?", "en", SeeHelp()),
        ("GO!", "en", Start()),
        ("BOOK azteca", "en", ChangeOption("rulebook", "azteca")),
        ("CLOCK 6H", "en", ChangeOption("clock", "21600")),
        ("clock 15 min", "en", ChangeOption("clock", "900")),
        ("clock off", "en", ChangeOption("clock", "0")),
        ("QUIET 22-8", "en", Choose("quiet", QuietHours(22 * 60, 8 * 60, ROME))),
        ("quiet 22:30 to 7:15", "en", Choose("quiet", QuietHours(22 * 60 + 30, 7 * 60 + 15, ROME))),
        ("quiet 24-6", "en", Choose("quiet", QuietHours(0, 6 * 60, ROME))),
        ("QUIET OFF", "en", Choose("quiet", None)),
        ("quiet 8-8", "en", Choose("quiet", None)),
        ("R4 5x4", "en", MakeBid(5, 4)),
        ("dduo", "en", UnparsedText("dudo")),
        ("me voy a cinco ases", "es", MakeBid(5, 1)),
        ("me voy", "es", Leave()),
        ("go away", "en", UnparsedText(None)),
        ("regole calza no", "it", ChangeOption("calza", "false")),
        ("rules bids of ones lowest face", "en", ChangeOption("ones_rank", "lowest")),
        ("klok 1 uur", "nl", ChangeOption("clock", "3600")),
        ("reloj no", "es", ChangeOption("clock", "0")),
        ("clock 1 day", "en", ChangeOption("clock", "86400")),
        ("je m'appelle Mamie", "fr", Choose("name", "Mamie")),
        ("NAME Dr. Bob", "en", Choose("name", "Dr. Bob")),
        ("naam: Oma!", "nl", Choose("name", "Oma")),
        ("Nuovo Nonna Pina", None, OpenPrivateLobby(name="Nonna Pina")),
        ("NEW bob2", "en", OpenPrivateLobby(name="bob2")),
        ("JOIN 234 567 Kim. See you tonight!", "en", Join("234567", name="Kim")),
        ("KICK Bo", "en", KickNamed("Bo")),
        ("BOTS 2", "en", AddComputers(2)),
        ("silenzio dalle 22 alle 8", "it", Choose("quiet", QuietHours(22 * 60, 8 * 60, ROME))),
        ("silence 22h à 8h", "fr", Choose("quiet", QuietHours(22 * 60, 8 * 60, ROME))),
        ("stil van 22.30 tot 8 uur", "nl", Choose("quiet", QuietHours(22 * 60 + 30, 8 * 60, ROME))),
        ("quiet from 10pm to 7:30 am", "en", Choose("quiet", QuietHours(22 * 60, 7 * 60 + 30, ROME))),
        ("jion abc234", "en", UnparsedText("JOIN ABC234")),
        ("ABC234", "en", UnparsedText("JOIN ABC234")),
        ("joinabc234", "en", UnparsedText("JOIN ABC234")),
        ("rejoidre abc234", "fr", UnparsedText("REJOINDRE ABC234")),
        ("staus", "en", UnparsedText("STATUS")),
        ("closing time, all", "en", UnparsedText(None)),
        ("ferma", "it", UnparsedText(None)),
        ("ferme", "fr", Stop()),
        ("", "en", UnparsedText(None)),
    ],
)
def test_what_a_text_asks_for(text: str, language: str | None, meant: i.AnyRequest) -> None:
    asked = parse_message(text, language, ROME)
    assert isinstance(asked, TextRequest)
    assert meaning(asked.request, language) == meant


def meaning(request: i.AnyRequest, language: str | None) -> i.AnyRequest:
    """The service's reading of an intent without a table."""
    match request:
        case i.TypedText(text=text, suggestion=suggestion):
            return parse_text(text, language) or UnparsedText(suggestion)
    return request


def test_a_call_after_a_code_is_for_the_table_with_this_code() -> None:
    assert parse_message("TABLE abc234 2x3", "en", ROME) == TextRequest(i.TypedText("2x3", table_code="ABC234"))


def test_what_is_no_command_is_handed_on_as_it_was_texted() -> None:
    for text in ("5x4", "dubito", "salgo a cinque assi", "dalle...", "che bella serata"):
        assert parse_message(f"R4 {text}", "it", ROME) == TextRequest(i.TypedText(text), round=4)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("JOIN", PhoneMessage.NEEDS_CODE), ("JOIN us tonight", PhoneMessage.NEEDS_CODE),
        ("LINK", PhoneMessage.NEEDS_CODE), ("QUIET", PhoneMessage.QUIET_HOW), ("QUIET 25-8", PhoneMessage.QUIET_HOW),
        ("QUIET 0-24", PhoneMessage.QUIET_HOW), ("QUIET 22:70-8", PhoneMessage.QUIET_HOW),
        ("LANGUAGE", PhoneMessage.LANGUAGES), ("LANGUAGE klingon", PhoneMessage.LANGUAGES),
        ("BOOK", PhoneMessage.BOOK_HOW), ("CLOCK", PhoneMessage.CLOCK_HOW), ("KICK", PhoneMessage.KICK_HOW),
        ("BOTS", PhoneMessage.BOTS_HOW), ("BOTS 0", PhoneMessage.BOTS_HOW), ("BOTS many", PhoneMessage.BOTS_HOW),
        ("QUIET 25pm-8am", PhoneMessage.QUIET_HOW), ("CLOCK 5S", PhoneMessage.CLOCK_HOW),
        ("CLOCK 9999D", PhoneMessage.CLOCK_HOW),
    ],
)  # fmt: skip
def test_half_a_command_is_answered_with_the_whole(text: str, word: PhoneMessage) -> None:
    asked = parse_message(text, "en", ROME)
    assert isinstance(asked, tuple)
    assert asked[0] is word


NAMELESS = """
    5x4 | five fours | dudo | STOP | yes | DICE | leave | ! | ABC234 | +39 340 1234567 | 07400 123402
    http://win.example | www.win.example/prize | me@example.org | win.example
    a name that is too long to be read in a text message
"""
"""Texts that cannot be a name."""
NO_CONSENT = """
    New phone, who dis? | new number | New York tomorrow | new game tonight? | new year, new me | NEW http://x.example
    Nuovo numero, sono Bob | nuovo telefono | nuova partita stasera | entro domani | entro stasera | gioco domani
    Nouveau numéro, c'est Bob | nouveau portable | je participe demain | nouvelle annee
    Nuevo número, soy Bob | nuevo movil | entro mañana
    Nieuw nummer, met Bob | nieuwe telefoon | meedoen morgen?
    link please | LINK | link in bio | JOIN MARTIN | JOIN us tonight | join the club | jion ABC234 | joining later
"""
"""Texts that ask for no part of the game."""
GOING = """
    me voy a dormir | esco un attimo, torno subito | je sors deux minutes | je pars me coucher | ik ga weg van huis
    ik stap op de fiets | salgo un momento | lascio il telefono a casa | close to winning now | chiudo gli occhi
    je ferme la porte | cierra la boca | sluit de deur | fermo | fermi | closse
"""
"""Talk about leaving and closing that neither leaves nor closes a table."""
JOINING = """
    JOIN {0} {1} Kim | please join {0}{1} Kim | Hi! Can I join {0} {1}? It's Kim | JOIN #{0}{1} Kim, see you tonight!
    {0}{1} Kim | {0}{1}, Kim | Hello Ana! JOIN {0}{1} Kim
    join the table {0}{1}, my name is Kim | entra {0} {1} Kim | vorrei entrare al tavolo {0}{1}, sono Kim
    partecipo con il codice {0} {1} mi chiamo Kim | bonjour, je voudrais rejoindre la table {0}{1}, je suis Kim
    rejoindre code {0} {1} Kim | stp rejoins {0}-{1} c'est Kim | hola, quiero entrar en la mesa {0}{1} soy Kim
    por favor unirme {0} {1} Kim | graag meedoen met code {0}-{1}, Kim | mag ik meedoen {0} {1} ik ben Kim
"""
JOINING_WITHOUT_A_NAME = """
    JOIN code {0}{1} | join {0}-{1} | Join: {0}.{1}. | entro codice {0}-{1} | entrar con el código {0}-{1}
    doe mee {0}{1}
"""


def test_what_is_no_name_is_answered_with_how_to_say_one() -> None:
    for words in ["", *phrases(NAMELESS)]:
        assert parse_message(f"NAME {words}", "en", ROME) == (PhoneMessage.NAME_HOW, ""), words


def test_the_question_for_the_name_is_answered_in_anybodys_words() -> None:
    for words in (
        "Rita", "I'm Rita", "call me Rita", "sono Rita", "chiamami Rita", "je m'appelle Rita", "appelle-moi Rita",
        "soy Rita", "ll\u00e1mame Rita", "ik ben Rita", "noem me Rita.",
    ):  # fmt: skip
        assert name_in(words, short=True) == "Rita", words


def test_only_an_unmistakable_text_consents() -> None:
    for words in phrases(NO_CONSENT):
        assert not getattr(parse_message(words, None, ROME), "consents", False), words


def test_talk_of_leaving_is_talk() -> None:
    for words in phrases(GOING):
        asked = parse_message(words, None, ROME)
        assert isinstance(asked, TextRequest), words
        assert isinstance(meaning(asked.request, None), UnparsedText), words


def test_a_code_is_understood_however_it_is_written() -> None:
    for lines, name in ((JOINING, "Kim"), (JOINING_WITHOUT_A_NAME, None)):
        for words in phrases(lines):
            asked = parse_message(words.format("abc" if "-" in words else "ABC", "234"), None, ROME)
            assert isinstance(asked, TextRequest), words
            assert (asked.request, asked.consents) == (Join("ABC234", name=name), True), words


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("NEW Bob", {"request": OpenPrivateLobby(name="Bob"), "consents": True}),
        ("LINK 234567", {"consents": True}),
        ("DICE", {"consents": False}),
        ("5x4", {"consents": False, "round": None}),
        ("r12: 5x4", {"round": 12}),
        ("lingua francese", {"language": "fr"}),
        ("LANGUAGE nl", {"language": "nl"}),
    ],
)
def test_what_it_tells_besides(text: str, more: dict[str, Any]) -> None:
    asked = parse_message(text, None, ROME)
    assert isinstance(asked, TextRequest)
    assert {name: getattr(asked, name) for name in more} == more


def test_carriers_words_are_told_from_talk() -> None:
    words = {
        CarrierKeyword.STOP: ("STOP", " STOP! ", "Please stop texting me", "stop " * 50),
        CarrierKeyword.START: ("START", "unstop"),
        CarrierKeyword.YES: ("Yes",),
        CarrierKeyword.HELP: ("HELP", "info"),
        None: ("stop bluffing", "don't stop", "the end", "5x4", ""),
    }
    for word, texts in words.items():
        assert {text: carrier_keyword(text) for text in texts} == dict.fromkeys(texts, word)


@given(st.text(max_size=300), st.sampled_from([None, *GRAMMARS]))
def test_whatever_is_texted_is_read(text: str, language: str | None) -> None:
    carrier_keyword(text)
    assert isinstance(parse_message(text, language, ROME), TextRequest | tuple)


def of_languages(name: str) -> list[str]:
    return [text for language in GRAMMARS for text in by_friends(language)["end_of_texts"][name]]


@pytest.mark.parametrize(
    ("name", "expected"), [("stopped", OptOut.YES), ("talk", OptOut.NO), ("asked", OptOut.PERHAPS)]
)
def test_what_ends_all_texts(name: str, expected: OptOut) -> None:
    texts = of_languages(name)
    assert {text: read_opt_out(text) for text in texts} == dict.fromkeys(texts, expected)


REACTIONS = (
    "Loved “{}”", "Liked “{}”", "Disliked “{}”", "Laughed at “{}”", "Emphasized “{}”", "Emphasised “{}”",
    "Questioned “{}”", "Reacted 👍 to “{}”", "Removed a like from “{}”", "Removed a question mark from “{}”",
    "Removed 👍 from “{}”", "👍 to “{}”", "\u200a\u200b👍\u200b to “\u200a{}\u200a”\u200a", "👍 à « {} »", "❤️ auf „{}“",
    'Disliked "{}"', "Liked '{}'", "👍 to '{}'",
    "A aimé « {} »", "A adoré «\xa0{}\xa0»", "N’a pas aimé « {} »", "A ri de « {} »", "A réagi avec 👍 à « {} »",
    "A retiré un « J’aime » de « {} »", "A mis en évidence « {} »",
    "Hat „{}“ geliked", "Hat „{}“ mit „Gefällt mir“ markiert", "Gefällt „{}“", "Hat über „{}“ gelacht",
    "Hat mit 👍 auf „{}“ reagiert", "Hat „Gefällt mir“ von „{}“ entfernt", "Hat „{}“ hinterfragt", "Liebt „{}“",
    "Le gustó “{}”", "Le ha gustado “{}”", "No le gustó “{}”", "Le encantó “{}”", "Le dio risa “{}”", "Dudó sobre “{}”",
    "Exclamó por “{}”", "Reaccionó con 👍 a “{}”", "Quitó un me gusta de “{}”",
    "Ha messo “Mi piace” a “{}”", "Ha messo mi piace a “{}”", "Ha adorato “{}”", "Ha riso a “{}”", "Piace “{}”",
    "Ha messo in dubbio “{}”", "Ha reagito con 👍 a “{}”", "Ha rimosso un mi piace da “{}”",
    "Vond “{}” leuk", "Vond “{}” niet leuk", "Lachte om “{}”", "Benadrukte “{}”", "Betwijfelde “{}”",
    "Reageerde met 👍 op “{}”", "Verwijderde een hartje van “{}”",
)  # fmt: skip


QUOTING_PEOPLE = (
    "what does “dudo” mean?", "“5x4”", '"dudo"', "did Bo say “5x4”?", "I say “5x4”", "Dudo “2x3”", "'5x4'",
    "she liked my “5x4”", "it's Ana's turn, isn't it?", "😂 you said “5x4” again", "5x4 “take that”", "i liked 5x4",
    "heeft Bo “5x4” gezegd?", "a dit « 5x4 »", "hat Bo „5x4“ gesagt?",
)  # fmt: skip


@pytest.mark.parametrize("quoted", ["2x3", "dudo", 'R4 Ana says 5x4. Raise it, e.g. 6x4, or "DUDO".\nText STOP to end'])
def test_a_reaction_to_a_text_is_a_machines(quoted: str) -> None:
    written = [reaction.format(quoted) for reaction in REACTIONS]
    assert [text for text in written if not is_automatic(text)] == []
    assert [text for text in written if read_opt_out(text) is not OptOut.NO] == []


def test_machines_are_told_from_people() -> None:
    assert [text for text in of_languages("machines") if not is_automatic(text)] == []
    assert [text for text in (*QUOTING_PEOPLE, *of_languages("people")) if is_automatic(text)] == []
