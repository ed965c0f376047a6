# ruff: noqa: RUF001
"""Texts that end all texts, in any words, and texts of machines; talk with the same words is talk."""

import pytest

from telegram_bot.channels.sms.text_patterns import OptOut, is_automatic, read_opt_out
from telegram_bot.words.language_files import GRAMMARS
from test_support.phrases import by_friends


def of_languages(name: str) -> list[str]:
    """The texts of all languages."""
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
