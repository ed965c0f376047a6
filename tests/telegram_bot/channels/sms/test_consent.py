"""Only an unmistakable text enrols a phone, opens a table, ends one or leaves one."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.tables.model import Status
from telegram_bot.words.catalogue import LANGUAGES
from test_support.sms_world import ANA, BO, CY, SmsWorld, a_game, code_in
from tests.telegram_bot.conftest import ONLY_SQLITE

HINT = "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."

FRIENDS = ("Friend", "Amico", "Ami", "Amigo", "Vriend")

pytestmark = ONLY_SQLITE


@pytest.fixture
def world(database: Database) -> SmsWorld:
    return SmsWorld(database)


TALK = [
    "New phone, who dis?",
    "new number",
    "New York tomorrow",
    "new game tonight?",
    "new year, new me",
    "NEW http://x.example",
    "Nuovo numero, sono Bob",
    "nuovo telefono",
    "nuova partita stasera",
    "entro domani",
    "entro stasera",
    "gioco domani",
    "Nouveau numéro, c'est Bob",
    "nouveau portable",
    "je participe demain",
    "nouvelle annee",
    "Nuevo número, soy Bob",
    "nuevo movil",
    "entro mañana",
    "Nieuw nummer, met Bob",
    "nieuwe telefoon",
    "meedoen morgen?",
    "link please",
    "LINK",
    "link in bio",
    "JOIN MARTIN",
    "JOIN us tonight",
    "join the club",
    "JOIN ABC234",
    "LINK 234567",
    "jion ABC234",
    "please join ABC234",
    "joining later",
]


@pytest.mark.parametrize("words", TALK)
async def test_talk_of_an_unknown_number_enrols_nobody(world: SmsWorld, words: str) -> None:
    if words == "LINK":
        assert await world.text(ANA, words) == ["Which one? Text LINK and the code, like LINK ABC234."]
    else:
        assert await world.text(ANA, words) == [HINT]
        assert await world.text(ANA, words) == []
    assert world.phone(ANA).agreed_at is None
    assert world.rows(Player) == []


@pytest.mark.parametrize("words", TALK)
async def test_nor_does_it_open_a_table_for_whoever_plays_already(world: SmsWorld, words: str) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    await world.text(BO, words)
    assert [seat.name for seat in world.table().seats] == ["Ana", "Bo"]
    with pytest.raises(Exception, match="No row"):
        world.table(2)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("JOIN {0} {1} Kim", "Kim"),
        ("JOIN code {0}{1}", None),
        ("please join {0}{1} Kim", "Kim"),
        ("join {0}-{1}", None),
        ("Hi! Can I join {0} {1}? It's Kim", "Kim"),
        ("join the table {0}{1}, my name is Kim", "Kim"),
        ("JOIN #{0}{1} Kim, see you tonight!", "Kim"),
        ("Join: {0}.{1}.", None),
        ("entra {0} {1} Kim", "Kim"),
        ("vorrei entrare al tavolo {0}{1}, sono Kim", "Kim"),
        ("entro codice {0}-{1}", None),
        ("partecipo con il codice {0} {1} mi chiamo Kim", "Kim"),
        ("bonjour, je voudrais rejoindre la table {0}{1}, je suis Kim", "Kim"),
        ("rejoindre code {0} {1} Kim", "Kim"),
        ("stp rejoins {0}-{1} c'est Kim", "Kim"),
        ("hola, quiero entrar en la mesa {0}{1} soy Kim", "Kim"),
        ("por favor unirme {0} {1} Kim", "Kim"),
        ("entrar con el código {0}-{1}", None),
        ("graag meedoen met code {0}-{1}, Kim", "Kim"),
        ("mag ik meedoen {0} {1} ik ben Kim", "Kim"),
        ("doe mee {0}{1}", None),
    ],
)
async def test_a_code_is_understood_however_it_is_written(world: SmsWorld, words: str, name: str | None) -> None:
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, words.format(code[:3].lower() if "-" in words else code[:3], code[3:]))
    assert [seat.name for seat in world.table().seats] in [["Ana", name or f"{friend} 2"] for friend in FRIENDS]


@pytest.mark.parametrize(("words", "name"), [("NEW", None), ("new Bob", "Bob"), ("Nuovo Nonna Pina", "Nonna Pina")])
async def test_new_alone_or_with_a_short_name_opens_a_table(world: SmsWorld, words: str, name: str | None) -> None:
    await world.text(ANA, words)
    assert [seat.name for seat in world.table().seats] == [
        name or "Amico 1" if words.startswith("Nu") else name or "Friend 1"
    ]


# Leaving and closing


@pytest.mark.parametrize(
    "words",
    [
        "me voy a dormir",
        "esco un attimo, torno subito",
        "je sors deux minutes",
        "je pars me coucher",
        "ik ga weg van huis",
        "ik stap op de fiets",
        "salgo un momento",
        "lascio il telefono a casa",
        "close to winning now",
        "chiudo gli occhi",
        "je ferme la porte",
        "cierra la boca",
        "sluit de deur",
        "ferma",
        "fermo",
        "fermi",
        "closse",
    ],
)
async def test_talk_leaves_nothing_and_asks_nothing(world: SmsWorld, words: str) -> None:
    world.service.config = replace(world.service.config, languages=LANGUAGES)
    await a_game(world)
    before = world.table()
    for _ in range(2):
        [answer] = await world.text(ANA, words)
        assert "CLOSE" not in answer
        assert "LEAVE" not in answer
    assert world.table() == before


@pytest.mark.parametrize("word", ["CLOSE", "chiudi", "fermer la table", "cerrar", "sluit de tafel"])
async def test_a_game_is_closed_only_by_the_code_of_the_question(world: SmsWorld, word: str) -> None:
    await a_game(world)
    assert await world.text(BO, word) == ["R1 Only the host or an admin can do that."]
    [question] = await world.text(ANA, word)
    asked = re.compile(r"R1 Close the table at Ana for everybody\? Nobody wins\. If so, text CLOSE (\d{4})\.")
    found = asked.fullmatch(question)
    assert found is not None
    await world.text(ANA, "YES")
    assert world.table().status is Status.PLAYING, "yes belongs to the carriers"
    assert await world.text(ANA, word) == [question], "the same word is no answer"
    await world.pass_time(601)
    [question] = await world.text(ANA, f"{word} {found[1]}")
    assert asked.fullmatch(question), "and no answer counts for ever: it is asked again"
    await world.text(ANA, "LEAVE")
    assert world.table().status is Status.PLAYING, "another question was asked"
    await world.confirm(ANA, word)
    assert world.table().status is Status.CLOSED
    assert world.got(CY)[-1].startswith("Ana closed the table.")


async def test_a_lobby_is_closed_at_once_where_nobody_else_sits(world: SmsWorld) -> None:
    await world.text(ANA, "NEW Ana")
    await world.text(ANA, "CLOSE")
    assert world.table().status is Status.CLOSED
    code = code_in(await world.text(ANA, "NEW"))
    await world.text(BO, f"JOIN {code} Bo")
    assert "text CLOSE " in (await world.text(ANA, "CLOSE"))[-1]
    assert world.table(2).status is Status.LOBBY
    await world.confirm(ANA, "CLOSE")
    assert world.table(2).status is Status.CLOSED
