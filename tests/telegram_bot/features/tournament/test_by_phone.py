"""People with any phone play in a tournament of a group: they join by the code of its list."""

import re
from itertools import count

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from perudo_core import Bid, Dudo, Rules, legal_calls
from telegram_bot.features.tournament import LetIn
from telegram_bot.features.tournament.notices import Phase
from telegram_bot.features.tournament.requests import JoinTournament, OpenTournament, StartTournament
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament
from telegram_bot.intents import intents as i
from telegram_bot.service.dispatcher import AWAKE_SECONDS
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.service.handlers.phone_requests import RequestPhoneLink
from telegram_bot.service.round_ends import LOOKS_AGAIN_SECONDS
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import DirectMessages, GameTable, LaneName, NoticeStatus, OutboxEntry, Player, RoundEnd
from telegram_bot.tables.model import Status, Table
from test_support.sms_world import ANA, BO, CY, SmsWorld
from tests.telegram_bot.conftest import game_of

GROUP = i.Place("telegram", -5, title="Friends")
PHONES = {"Ana": ANA, "Bo": BO, "Cy": CY}
LINKED = "+447400123404"
ASKED = "I've asked the host of the list. You'll hear from me when they let you in."
LET_IN = "You're in! You'll get your dice by text when it starts."


class MixedNight(SmsWorld):
    """Four people in a Telegram group, and three with phones."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._causes = count()

    async def press(
        self, number: int, request: i.AnyRequest, where: i.Place | None = GROUP, table: int | None = None
    ) -> None:
        who = i.Person("telegram", 1000 + number, f"P{number}", language="en")
        step = None if table is None else self.table(table).step
        cause = f"t{next(self._causes)}"
        await self.service.handle(i.Intent("telegram", cause, who, request, where, table=table, step=step))
        await self.telegram_sends()

    async def telegram_sends(self) -> None:
        """All messages to Telegram arrive, and texts that waited for one of them are sent."""
        while any(row.status == NoticeStatus.PENDING and row.lane.channel == "telegram" for row in self.outbox()):
            with self.database.transaction() as session:
                sent = update(OutboxEntry).where(
                    col(OutboxEntry.status) == NoticeStatus.PENDING, col(OutboxEntry.lane).startswith("telegram:")
                )
                session.execute(sent.values(status=NoticeStatus.SENT))
                session.execute(update(RoundEnd).where(col(RoundEnd.seen_at).is_(None)).values(seen_at=self.now))
            self.delivery.wake(row.lane for row in self.outbox() if row.lane.channel == "sms")
            await self.settle()
        await self.settle()

    def outbox(self) -> list[OutboxEntry]:
        return self.rows(OutboxEntry)

    async def open(self) -> str:
        """The people of the group join; return the code of the list."""
        for number in range(1, 5):
            await self.press(number, StartPrivateChat(greeted=False), None)
        await self.press(1, OpenTournament())
        for number in range(2, 5):
            await self.press(number, JoinTournament(1))
        with self.database.transaction() as session:
            opened = session.get_one(Tournament, 1)
            opened.rules = Rules(starting_dice=1, palifico=False).to_dict()
        return opened.code or ""

    async def let_in(self) -> None:
        """The host lets all in who ask."""
        await self.press(1, LetIn(1), None)

    async def link(self, number: int, phone: str) -> None:
        """A person of the group lets a phone play for them."""
        await self.press(number, RequestPhoneLink(), None)
        (code,) = (row.notice["notice"]["code"] for row in self.outbox() if row.notice and _kind(row) == "link_code")
        await self.confirm(phone, f"LINK {code}")

    def tournament(self) -> Tournament:
        with self.database.transaction() as session:
            return session.get_one(Tournament, 1)

    def listed(self) -> set[str]:
        names = {row.id: row.name for row in self.rows(Player)}
        entrants = [each for each in self.rows(Entrant) if each.standing == Standing.IN and not each.out]
        return {names[each.player_id] for each in entrants}

    async def play(self) -> None:
        """All tables play to the end of the tournament; the final's dice are seen at once."""
        while self.tournament().phase not in (Phase.OVER, Phase.CLOSED):
            for number in [row.id for row in self.rows(GameTable) if row.live]:
                if (table := self.table(number)).status is Status.PLAYING:
                    await self.move(table)
            self.now += LOOKS_AGAIN_SECONDS
            for row in self.rows(GameTable):
                if not row.live and row.due_at is not None:
                    self.delivery.wake((await self.service.handle(i.DeadlineReached(row.id))).lanes)
            await self.telegram_sends()

    async def move(self, table: Table) -> None:
        """The player on turn calls."""
        call = next_call(table)
        name = table.seats[call.seat].name
        if name in PHONES:
            await self.text(PHONES[name], f"{call.quantity}x{call.face}" if isinstance(call, Bid) else "dudo")
            await self.telegram_sends()
        else:
            request = MakeBid(call.quantity, call.face) if isinstance(call, Bid) else CallDudo()
            await self.press(int(name[1:]), request, None, table.id)


def next_call(table: Table) -> Bid | Dudo:
    """The lowest bid of the player on turn; they doubt the third bid of a round."""
    game = game_of(table)
    assert game.turn is not None
    low = legal_calls(game, game.turn)[0]
    return Dudo(game.turn) if len(game.bids) == 2 or not isinstance(low, Bid) else low


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


async def test_phones_play_a_whole_tournament_with_people_of_the_group(night: MixedNight) -> None:
    code = await night.open()
    for name, number in PHONES.items():
        assert (await night.text(number, f"TOURNAMENT {code.lower()} {name}"))[-1] == ASKED
    await night.let_in()
    for number in PHONES.values():
        assert night.got(number)[-1] == LET_IN
    assert await night.text(ANA, f"TOURNAMENT {code}") == ["You're on the list already."]
    await night.link(4, LINKED)
    await night.press(1, StartTournament(1))
    await night.settle()
    for number in PHONES.values():
        assert any("R1" in text for text in night.got(number)), "the first dice came by text"
    await night.play()
    assert night.tournament().phase == Phase.OVER
    for number in (*PHONES.values(), LINKED):
        texts = night.every_text(number)
        assert sum("Your place: " in text or "You win the tournament" in text for text in texts) == 1, texts
    for number in PHONES.values():
        texts = night.every_text(number)
        ends = [text for text in texts if re.search("win the game!|wins the game!|go(es)? on!", text)]
        on = sum("You're in the grand final!" in text for text in texts)
        assert on == len(ends) - 1, texts
        assert not any("AGAIN" in text for text in ends), "a table of a tournament is not played again"
    private = LaneName("telegram", 1004)
    assert not any(row.lane == private and _kind(row) == "tournament_place" for row in night.outbox()), (
        "the phone is enough"
    )


async def test_a_phone_without_a_name_is_asked_for_it_and_the_lists_show_it_at_once(night: MixedNight) -> None:
    code = await night.open()
    assert (await night.text(ANA, f"TOURNAMENT {code}"))[-1] == f"{ASKED} Reply with your name, e.g. Rita."
    await night.text(ANA, "Gran")
    asking = [
        row.notice["notice"]["asking"] for row in night.outbox() if row.notice and _kind(row) == "tournament_entrants"
    ]
    assert [name for _, name in asking[-1]] == ["Gran"], "the host reads who asks"
    await night.text(BO, f"TOURNAMENT {code}")
    await night.let_in()
    await night.text(BO, "Bo")
    await night.telegram_sends()
    shown = [row.notice["notice"] for row in night.outbox() if row.notice and row.slot == "tournament"][-1]
    assert {"Gran", "Bo"} <= set(shown["names"])


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
    await night.link(4, ANA)
    assert await night.text(ANA, f"TOURNAMENT {code}") == ["You're on the list already."]
    assert await night.text(ANA, "TOURNAMENT OFF") == ["You're off the list."]
    assert night.listed() == {"P1", "P2", "P3"}
    with night.database.transaction() as session:  # the phone is enough, even if Telegram's chat is closed
        session.exec(select(Player).where(Player.name == "P4")).one().direct = DirectMessages.REFUSED
    await night.text(ANA, f"TOURNAMENT {code}")
    await night.let_in()
    assert night.got(ANA)[-1] == LET_IN
    assert night.listed() == {"P1", "P2", "P3", "P4"}


def _kind(row: OutboxEntry) -> str | None:
    return row.notice["notice"]["kind"] if row.notice else None
