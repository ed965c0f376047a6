"""What people text, as data: commands in each language, carriers' words, and what says how to say it right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telegram_bot.channels.sms.text_parser import CarrierKeyword, TextRequest, carrier_keyword, parse_message
from telegram_bot.service import intents as i
from telegram_bot.service.notices import PhoneMessage
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.parsing.to_intent import parse_text

ROME = "Europe/Rome"


@pytest.mark.parametrize(
    ("text", "language", "what"),
    [
        ("JOIN abc234", "en", i.Join("ABC234")),
        ("join: ABC-234", "en", i.Join("ABC234")),
        ("Join ABC234 Ana Maria", "en", i.Join("ABC234", name="Ana Maria")),
        ("entra ABC234", "it", i.Join("ABC234")),
        ("entra ABC234", None, i.Join("ABC234")),
        ("NEW", "en", i.OpenPrivateLobby()),
        ("nuovo", "it", i.OpenPrivateLobby()),
        ("LINK 234567", "en", i.LinkPhone("234567")),
        ("UNLINK", "en", i.UnlinkPhone()),
        ("TABLE abc234", "en", i.ChooseTable("ABC234")),
        ("table", "en", i.SeeStatus()),
        ("DICE", "en", i.SeeDice()),
        ("dadi", "it", i.SeeDice()),
        ("STATUS", "en", i.SeeStatus()),
        ("RULES", "en", i.SeeRules()),
        ("?", "en", i.SeeHelp()),
        ("INFO", "it", i.SeeHelp()),
        ("LEAVE", "en", i.Leave()),
        ("GO!", "en", i.Start()),
        ("begin", "en", i.Start()),
        ("AGAIN", "en", i.PlayAgain()),
        ("BACK", "en", i.ReturnToSeat()),
        ("CLOSE", "en", i.Stop()),
        ("BOOK azteca", "en", i.ChangeOption("rulebook", "azteca")),
        ("book azt", "en", i.ChangeOption("rulebook", "azteca")),
        ("CLOCK 6H", "en", i.ChangeOption("clock", "21600")),
        ("clock 15 min", "en", i.ChangeOption("clock", "900")),
        ("clock off", "en", i.ChangeOption("clock", "0")),
        ("VERBOSE ON", "en", i.Choose("verbose", True)),
        ("verbose no", "en", i.Choose("verbose", False)),
        ("QUIET 22-8", "en", i.Choose("quiet", QuietHours(22 * 60, 8 * 60, ROME))),
        ("quiet 22:30 to 7:15", "en", i.Choose("quiet", QuietHours(22 * 60 + 30, 7 * 60 + 15, ROME))),
        ("quiet 24-6", "en", i.Choose("quiet", QuietHours(0, 6 * 60, ROME))),
        ("QUIET OFF", "en", i.Choose("quiet", None)),
        ("quiet 8-8", "en", i.Choose("quiet", None)),
        ("5x4", "en", i.MakeBid(5, 4)),
        ("R4 5x4", "en", i.MakeBid(5, 4)),
        ("dubito", "it", i.CallDudo()),
        ("DUDO!!!", "en", i.CallDudo()),
        ("calza", "en", i.CallCalza()),
        ("dduo", "en", i.UnparsedText("dudo")),
        ("salgo a cinque assi", "it", i.MakeBid(5, 1)),
        ("me voy a cinco ases", "es", i.MakeBid(5, 1)),
        ("me voy", "es", i.Leave()),
        ("go away", "en", i.UnparsedText(None)),
        ("via!", "it", i.Start()),
        ("c'est parti", "fr", i.Start()),
        ("¡Vamos!", "es", i.Start()),
        ("beginnen", "nl", i.Start()),
        ("rivincita", "it", i.PlayAgain()),
        ("encore", "fr", i.PlayAgain()),
        ("he vuelto", "es", i.ReturnToSeat()),
        ("tafel sluiten", "nl", i.Stop()),
        ("libro azteca", "it", i.ChangeOption("rulebook", "azteca")),
        ("regolamento azteca", "it", i.ChangeOption("rulebook", "azteca")),
        ("regole", "it", i.SeeRules()),
        ("orologio 6 ore", "it", i.ChangeOption("clock", "21600")),
        ("klok 1 uur", "nl", i.ChangeOption("clock", "3600")),
        ("horloge 15 minutes", "fr", i.ChangeOption("clock", "900")),
        ("reloj no", "es", i.ChangeOption("clock", "0")),
        ("clock 1 day", "en", i.ChangeOption("clock", "86400")),
        ("mesa abc234", "es", i.ChooseTable("ABC234")),
        ("NAME Dr. Bob", "en", i.Choose("name", "Dr. Bob")),
        ("naam: Oma!", "nl", i.Choose("name", "Oma")),
        ("NEW bob2", "en", i.OpenPrivateLobby(name="bob2")),
        ("JOIN 234 567 Kim. See you tonight!", "en", i.Join("234567", name="Kim")),
        ("KICK Bo", "en", i.KickNamed("Bo")),
        ("BOTS 2", "en", i.AddComputers(2)),
        ("giocatori automatici 3", "it", i.AddComputers(3)),
        ("caccia 2", "it", i.KickNamed("2")),
        ("Stir five fours", "en", i.StirDice("five fours")),
        ("mescola lama", "it", i.StirDice("lama")),
        ("mélange lama", "fr", i.StirDice("lama")),
        ("mezcla llama", "es", i.StirDice("llama")),
        ("roer lama", "nl", i.StirDice("lama")),
        ("dalle... ", "it", i.UnparsedText(None)),
        ("silenzio dalle 22 alle 8", "it", i.Choose("quiet", QuietHours(22 * 60, 8 * 60, ROME))),
        ("silence 22h à 8h", "fr", i.Choose("quiet", QuietHours(22 * 60, 8 * 60, ROME))),
        ("stil van 22.30 tot 8 uur", "nl", i.Choose("quiet", QuietHours(22 * 60 + 30, 8 * 60, ROME))),
        ("quiet from 10pm to 7:30 am", "en", i.Choose("quiet", QuietHours(22 * 60, 7 * 60 + 30, ROME))),
        ("jion abc234", "en", i.UnparsedText("JOIN ABC234")),
        ("JION ABC-234 Gran", "en", i.UnparsedText("JOIN ABC234")),
        ("ABC234", "en", i.UnparsedText("JOIN ABC234")),
        ("joinabc234", "en", i.UnparsedText("JOIN ABC234")),
        ("rejoidre abc234", "fr", i.UnparsedText("REJOINDRE ABC234")),
        ("staus", "en", i.UnparsedText("STATUS")),
        ("regloe", "it", i.UnparsedText("REGOLE")),
        ("agian", "en", i.UnparsedText("AGAIN")),
        ("closing time, all", "en", i.UnparsedText(None)),
        ("let me go", "en", i.UnparsedText(None)),
        ("back in five minutes", "en", i.UnparsedText(None)),
        ("me voy a dormir", "es", i.UnparsedText(None)),
        ("esco a cena", "it", i.UnparsedText(None)),
        ("ferma", "it", i.UnparsedText(None)),
        ("ferme", "fr", i.Stop()),
        ("what?", "en", i.UnparsedText(None)),
        ("", "en", i.UnparsedText(None)),
    ],
)
def test_what_a_text_asks_for(text: str, language: str | None, what: i.What) -> None:
    asked = parse_message(text, language, ROME)
    assert isinstance(asked, TextRequest)
    assert meaning(asked.what, language) == what


def meaning(what: i.What, language: str | None) -> i.What:
    """What the service makes of an intent without a table."""
    match what:
        case i.TypedText(text=text, suggestion=suggestion):
            return parse_text(text, language) or i.UnparsedText(suggestion)
    return what


@pytest.mark.parametrize("text", ["5x4", "dubito", "salgo a cinque assi", "dalle...", "che bella serata"])
def test_what_is_no_command_is_handed_on_as_it_was_texted(text: str) -> None:
    assert parse_message(f"R4 {text}", "it", ROME) == TextRequest(i.TypedText(text), round=4)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("JOIN", PhoneMessage.NEEDS_CODE),
        ("JOIN us tonight", PhoneMessage.NEEDS_CODE),
        ("LINK", PhoneMessage.NEEDS_CODE),
        ("QUIET", PhoneMessage.QUIET_HOW),
        ("QUIET 25-8", PhoneMessage.QUIET_HOW),
        ("QUIET 0-24", PhoneMessage.QUIET_HOW),
        ("QUIET 22:70-8", PhoneMessage.QUIET_HOW),
        ("VERBOSE", PhoneMessage.VERBOSE_HOW),
        ("LANGUAGE", PhoneMessage.LANGUAGES),
        ("LANGUAGE klingon", PhoneMessage.LANGUAGES),
        ("BOOK", PhoneMessage.BOOK_HOW),
        ("CLOCK", PhoneMessage.CLOCK_HOW),
        ("KICK", PhoneMessage.KICK_HOW),
        ("BOTS", PhoneMessage.BOTS_HOW),
        ("BOTS 0", PhoneMessage.BOTS_HOW),
        ("BOTS many", PhoneMessage.BOTS_HOW),
        ("QUIET 25pm-8am", PhoneMessage.QUIET_HOW),
        ("CLOCK 5S", PhoneMessage.CLOCK_HOW),
        ("CLOCK 9999D", PhoneMessage.CLOCK_HOW),
    ],
)
def test_half_a_command_is_answered_with_the_whole(text: str, word: PhoneMessage) -> None:
    asked = parse_message(text, "en", ROME)
    assert isinstance(asked, tuple)
    assert asked[0] is word


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("JOIN ABC234 Ana Maria.", {"what": i.Join("ABC234", name="Ana Maria"), "consents": True}),
        ("JOIN ABC234", {"what": i.Join("ABC234"), "consents": True}),
        ("NEW Bob", {"what": i.OpenPrivateLobby(name="Bob"), "consents": True}),
        ("LINK 234567", {"consents": True}),
        ("DICE", {"consents": False}),
        ("5x4", {"consents": False, "round": None}),
        ("r12: 5x4", {"round": 12}),
        ("LANGUAGE italiano", {"language": "it"}),
        ("lingua francese", {"language": "fr"}),
        ("LANGUAGE nl", {"language": "nl"}),
    ],
)
def test_what_it_tells_besides(text: str, more: dict[str, Any]) -> None:
    asked = parse_message(text, None, ROME)
    assert isinstance(asked, TextRequest)
    assert {name: getattr(asked, name) for name in more} == more


@pytest.mark.parametrize(
    ("text", "word"),
    [
        *[
            (word, CarrierKeyword.STOP)
            for word in ("STOP", "stop", "Stop.", " STOP! ", "StopAll", "STOP ALL", "Unsubscribe")
        ],
        *[(word, CarrierKeyword.STOP) for word in ("CANCEL", "End", "QUIT", "revoke", "OPTOUT", "ARRÊT", "arret")],
        *[
            (word, CarrierKeyword.STOP)
            for word in ("Please stop texting me", "stop sending messages", "stop it please")
        ],
        *[(word, CarrierKeyword.STOP) for word in ("STOP STOP", "stop, please", "Please, stop!")],
        ("START", CarrierKeyword.START),
        ("unstop", CarrierKeyword.START),
        ("Yes", CarrierKeyword.YES),
        ("HELP", CarrierKeyword.HELP),
        ("info", CarrierKeyword.HELP),
        ("stop bluffing", None),
        ("don't stop", None),
        ("the end", None),
        ("5x4", None),
        ("", None),
        ("stop " * 50, CarrierKeyword.STOP),
    ],
)
def test_carriers_words_are_told_from_talk(text: str, word: CarrierKeyword | None) -> None:
    assert carrier_keyword(text) is word


@pytest.mark.parametrize("word", ["STOP", "QUIT", "CANCEL", "END", "REVOKE", "OPTOUT", "START", "YES", "UNSTOP"])
@pytest.mark.parametrize("language", ["en", "it", "fr", "es", "nl"])
def test_no_carriers_word_is_a_word_of_the_game(word: str, language: str) -> None:
    assert parse_message(word, language, ROME) == TextRequest(i.TypedText(word))


@given(st.text(max_size=300), st.sampled_from([None, "en", "it", "fr", "es", "nl"]))
def test_whatever_is_texted_is_read(text: str, language: str | None) -> None:
    carrier_keyword(text)
    assert isinstance(parse_message(text, language, ROME), TextRequest | tuple)
