"""People with any phone play in a tournament of a group: they join by the code of its list."""

from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from perudo_core import Rules
from telegram_bot.features.tournament import LetIn
from telegram_bot.features.tournament.requests import OpenTournament, StartTournament
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament
from telegram_bot.intents import intents as i
from telegram_bot.service.dispatcher import AWAKE_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import DirectMessages, NoticeStatus, OutboxEntry, Player, RoundEnd
from test_support.sms_world import ANA, BO, CY, SmsWorld
from tests.telegram_bot.features.tournament.test_tournament import list_people

GROUP = i.Place("telegram", -5, title="Friends")
PHONES = {"Ana": ANA, "Bo": BO, "Cy": CY}
ASKED = "I've asked the host of the list. You'll hear from me when they let you in."
LET_IN = "You're in! You'll get your dice by text when it starts."


class MixedNight(SmsWorld):
    """Four people in a Telegram group, and three with phones."""

    async def press(self, number: int, request: i.AnyRequest, where: i.Place | None = GROUP) -> None:
        await self.from_telegram(person(number), request, where)
        await self.telegram_sends()

    async def telegram_sends(self) -> None:
        """All messages to Telegram arrive, and texts that waited for one of them are sent."""
        waits = col(OutboxEntry.status) == NoticeStatus.PENDING, col(OutboxEntry.lane).startswith("telegram:")
        with self.database.transaction() as session:
            session.execute(update(OutboxEntry).where(*waits).values(status=NoticeStatus.SENT))
            session.execute(update(RoundEnd).where(col(RoundEnd.seen_at).is_(None)).values(seen_at=self.now))
        self.delivery.wake(row.lane for row in self.rows(OutboxEntry) if row.lane.channel == "sms")
        await self.settle()

    def newest(self, kind: str) -> Any:
        stored = [row.notice["notice"] for row in self.rows(OutboxEntry) if row.notice]
        return [notice for notice in stored if notice["kind"] == kind][-1]

    async def open(self) -> str:
        """The people of the group are on a list, whose code is returned."""
        await self.press(1, OpenTournament())
        list_people(self.database, *map(person, range(1, 5)))
        with self.database.transaction() as session:
            opened = session.get_one(Tournament, 1)
            opened.rules = Rules(starting_dice=1, palifico=False).to_dict()
        return opened.code

    async def let_in(self) -> None:
        await self.press(1, LetIn(1), None)

    def listed(self) -> set[str]:
        names = {row.id: row.name for row in self.rows(Player)}
        return {names[each.player_id] for each in self.rows(Entrant) if each.standing == Standing.IN and not each.out}


def person(number: int) -> i.Person:
    return i.Person("telegram", 1000 + number, f"P{number}", language="en")


@pytest.fixture
def night(database: Database) -> MixedNight:
    return MixedNight(database)


async def test_a_phone_that_is_let_in_at_night_is_told_in_the_morning(night: MixedNight) -> None:
    code = await night.open()
    await night.pass_time(11 * 3600)  # the tests' day begins at noon
    await night.text(ANA, f"TOURNAMENT {code} Ana")
    await night.pass_time(AWAKE_SECONDS + 1)
    await night.let_in()
    assert night.got(ANA) == []
    await night.pass_time(9 * 3600)
    assert night.got(ANA) == [LET_IN]


async def test_a_phone_without_a_name_is_asked_for_it_and_the_lists_show_it_at_once(night: MixedNight) -> None:
    code = await night.open()
    assert (await night.text(ANA, f"TOURNAMENT {code}"))[-1] == f"{ASKED} Reply with your name, e.g. Rita."
    await night.text(ANA, "Gran")
    assert [name for _, name in night.newest("tournament_entrants")["asking"]] == ["Gran"], "the host reads who asks"
    await night.text(BO, f"TOURNAMENT {code}")
    await night.let_in()
    await night.text(BO, "Bo")
    await night.telegram_sends()
    assert {"Gran", "Bo"} <= {*night.newest("tournament")["names"]}


HOW = "Text TOURNAMENT and the code of the list in the group, or TOURNAMENT OFF to leave it."


async def test_a_text_that_names_no_list_changes_none(night: MixedNight) -> None:
    await night.open()
    before = night.listed()
    await night.text(ANA, "NEW Ana")
    for words, answer in (
        ("TOURNAMENT", HOW),
        ("TOURNAMENT please", HOW),
        ("TOURNAMENT AAAAAA", "I know no tournament with this code. Look at the list in the group again."),
        ("TOURNAMENT OFF", "You're not on the list."),
    ):
        assert await night.text(ANA, words) == [answer]
    assert night.listed() == before


async def test_a_phone_comes_goes_and_comes_back_and_the_word_alone_tells_where_it_stands(night: MixedNight) -> None:
    code = await night.open()
    for name, number in PHONES.items():
        await night.text(number, f"TOURNAMENT {code} {name}")
    assert await night.text(ANA, "TOURNAMENT") == [ASKED]
    assert "Ana" not in night.listed()
    await night.let_in()
    listed = "You're on the list of 7 people. The host starts it in the group."
    assert (await night.text(ANA, "TOURNAMENT"))[-1] == listed
    assert "Ana" in night.listed()
    assert (await night.text(ANA, "TOURNAMENT OFF"))[-1] == "You're off the list."
    assert "Ana" not in night.listed()
    await night.text(ANA, "torneo " + code)
    await night.let_in()
    assert "Ana" in night.listed()
    await night.press(1, StartTournament(1))
    assert any("Your game is still on." in text for text in await night.text(ANA, "TOURNAMENT"))
    await night.confirm(ANA, "LEAVE")
    assert "Ana" not in night.listed()
    out = "You're out of this tournament. You'll get your place by text when it's over."
    for words in ("TOURNAMENT", f"TOURNAMENT {code}"):
        assert (await night.text(ANA, words))[-1] == out


async def test_a_linked_phone_and_its_owner_in_the_group_have_one_place_on_the_list(night: MixedNight) -> None:
    code = await night.open()
    await night.confirm(ANA, f"LINK {await night.link_code(person(4))}")
    assert await night.text(ANA, f"TOURNAMENT {code}") == ["You're on the list already."]
    assert await night.text(ANA, "TOURNAMENT OFF") == ["You're off the list."]
    assert night.listed() == {"P1", "P2", "P3"}
    with night.database.transaction() as session:  # the phone is enough, even if Telegram's chat is closed
        session.exec(select(Player).where(Player.name == "P4")).one().direct = DirectMessages.REFUSED
    await night.text(ANA, f"TOURNAMENT {code}")
    await night.let_in()
    assert night.got(ANA)[-1] == LET_IN
    assert night.listed() == {"P1", "P2", "P3", "P4"}
