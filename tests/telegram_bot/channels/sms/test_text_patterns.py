# ruff: noqa: RUF001
"""Texts that end all texts, in any words, and texts of machines; talk with the same words is talk."""

import pytest

from telegram_bot.channels.sms.text_patterns import OptOut, is_automatic, read_opt_out
from telegram_bot.words.language_files import GRAMMARS
from telegram_bot.words.languages import ENGLISH
from test_support.phrases import by_friends

STOPPED = (
    "STOP, never text me again!",
    "STOP",
    "stop.",
    "STOP texting me. Sent from my phone",
    "stop thanks",
    "Stop!!!",
    "STOPALL",
    "stop all",
    "unsubscribe",
    "UNSUBSCRIBE me please",
    "cancel",
    "CANCEL my subscription",
    "End",
    "quit",
    "QUIT\nBob",
    "QUIT Regards, Bob",
    "revoke",
    "OPTOUT",
    "opt-out",
    "please stop",
    "Please, stop!",
    "STOP\n-- \nSent from my iPhone",
    "Stop, I don't want this",
    "stop it please",
    "stop it",
    "Stop the messages or I call the police",
    "don't text me again",
    "no more texts",
    "unsubscribe me",
    "R4 STOP",
    '"STOP"',
    "Stop. 5x4",
    "🛑 STOP",
    "🛑",
    "🛑🛑🛑",
    "🛑️!",
    "S T O P",
    "s.t.o.p.",
    "S-T-O-P!",
    "s_t_o_p",
    "S T O P please",
    "⛔",
    "🚫🚫",
    "E N D",
    "enough",
    "sTOp",
    "stop sms",
    "please unsubscribe",
    "STOP!Sent from my Galaxy",
    "CANCEL I hate this",
)
TALK = (
    "don't stop now",
    "non stop",
    "nonstop",
    "the end",
    "5x4",
    "we can't stop here",
    "unstoppable",
    "stopping by later",
    "I won't stop",
    "never stop",
    "trending",
    "quite good",
    "quitting time",
    "ending",
    "cancelled",
    "the bus stop",
    "bus stop",
    "don't quit",
    "let's not stop",
    "5 x 4 s",
    "dudo 🛑",
)
ASKED = (
    "stop bluffing",
    "Stop it, you liar",
    "quit bluffing",
    "Cancel that, 5x4",
    "end of the month",
    "stop lying",
    "cancel it",
)


def of_languages(name: str) -> list[str]:
    """The texts of the languages other than English."""
    return [text for language in GRAMMARS if language != ENGLISH for text in by_friends(language)["end_of_texts"][name]]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((*STOPPED, *of_languages("stopped")), OptOut.YES),
        ((*TALK, *of_languages("talk")), OptOut.NO),
        ((*ASKED, *of_languages("asked")), OptOut.PERHAPS),
    ],
)
def test_what_ends_all_texts(texts: tuple[str, ...], expected: OptOut) -> None:
    assert {text: read_opt_out(text) for text in texts} == dict.fromkeys(texts, expected)


MACHINES = (
    "Automatic reply: I am out of the office until Monday and will reply then.",
    "I'm driving right now - I'll get back to you later.",
    "Your message was not delivered to +393471234567.",
    "Message could not be delivered: the subscriber is unavailable.",
    "FreeMsg: Msg&Data rates may apply. Reply STOP to cancel.",
    "This number does not accept incoming messages.",
    "You have 2 missed calls from +44 7400 123401",
    "Your verification code is 482913",
    "Can't talk right now. I'll call you back.",
    "You have 1 new voicemail. Dial 121.",
    "This mailbox is not monitored. Please do not reply.",
    "Text STOP to 60777 to end",
)
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
PEOPLE = (
    "5x4, and I will reply faster next time",
    "Dudo! I am driving, so be quick",
    "5x4",
    "dudo",
    "STOP",
    "JOIN ABC234 Ana",
    "five fours please",
    "I call liar, that was never five",
    "my dice are terrible today",
    "who is playing?",
    "when do we start the game",
    "I am on holiday!",
    "call me when it's my turn",
    "you are lying again, Bo",
    "what does calza mean?",
    "QUIET from 22 to 8",
    "NEW Gran",
    "LINK 234567",
    "your turn, not mine",
    "no, I will not say it",
)


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


@pytest.mark.parametrize(
    "text",
    [
        "Liked an image",
        "Reacted 👍 to a photo",
        "A aimé une image",
        "Gefällt ein Bild",
        "Le gustó una imagen",
        "Ha messo “Mi piace” a un’immagine",
        "Vond een afbeelding leuk",
    ],
)
def test_a_reaction_to_a_picture_is_a_machines(text: str) -> None:
    assert is_automatic(text)


def test_machines_are_told_from_people() -> None:
    assert [text for text in (*MACHINES, *of_languages("machines")) if not is_automatic(text)] == []
    assert [text for text in (*PEOPLE, *QUOTING_PEOPLE, *of_languages("people")) if is_automatic(text)] == []
