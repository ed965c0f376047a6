"""A group plays a tournament: a list, several tables in private, stage by stage, and a grand final in the group."""

import random
from collections import Counter
from typing import Any

import pytest

from perudo_core import Bid, Dudo, Rules, legal_actions
from telegram_bot.features.tournament.notices import Phase, TournamentAnswer, TournamentAnswerNotice
from telegram_bot.features.tournament.requests import (
    ChangeTournamentRules,
    FillTournament,
    JoinTournament,
    LeaveTournament,
    OpenTournament,
    StartTournament,
)
from telegram_bot.features.tournament.stages import MOST
from telegram_bot.features.tournament.tables import Entrant, StageTable, Tournament
from telegram_bot.service import intents as i
from telegram_bot.service.intents import CallComputed
from telegram_bot.service.notices import Toast
from telegram_bot.service.service import Service
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Status, Table
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness, game_of


class TournamentNight(GroupHarness):
    """People named P1, P2 and so on, whose private chats with the bot are open."""

    def __init__(self, database: Database, seed: int = 1) -> None:
        super().__init__(database, seed=seed, rules=Rules(starting_dice=2, palifico=False))
        self.script = random.Random(seed)

    def person(self, name: str) -> i.Person:
        return i.Person("telegram", 1000 + int(name[1:]), name, name.lower(), "en")

    async def meet(self, *people: int) -> None:
        """People open their private chat with the bot."""
        for number in people:
            await self.say(f"P{number}", i.StartPrivateChat(greeted=False), where=None)

    async def press(self, number: int, what: i.PersonRequest) -> TournamentAnswer:
        """The answer to a tap below the tournament's message."""
        result = await self.say(f"P{number}", what, by="toast")
        return answer_of(result.toast)

    async def open(self, people: int) -> None:
        """The first person opens a tournament, the others join."""
        await self.meet(*range(1, people + 1))
        await self.say("P1", OpenTournament())
        for number in range(2, people + 1):
            assert await self.press(number, JoinTournament(1)) is TournamentAnswer.JOINED

    def restarted(self) -> None:
        """Another process takes over, as after a kill: all that it knows is in the database."""
        old = self.service
        self.service = Service(
            self.database,
            old.config,
            rng=random.Random(self.script.random()),
            now=lambda: self.now,
            parse_text=old.parse_text,
        )

    def tournament(self) -> Tournament:
        return self.rows(Tournament)[-1]

    def running(self) -> list[int]:
        """The tables where a game runs."""
        return [row.id for row in self.rows(GameTable) if row.live]

    def message(self) -> Any:
        """The newest version of the group's message."""
        return self.notices("tournament")[-1]

    async def move(self, number: int) -> None:
        """The player on turn at a table bids as low as possible, or doubts."""
        table = self.table(number)
        game = game_of(table)
        assert game.turn is not None
        low = legal_actions(game, game.turn)[0]
        doubts = game.current_bid is not None and (not isinstance(low, Bid) or self.script.random() < 0.4)
        call = Dudo(game.turn) if doubts else low
        if table.is_computer(game.turn):
            await self.service.handle(CallComputed(number, table.step, game.turn, call))
            return
        assert isinstance(call, Bid | Dudo)
        what = i.MakeBid(call.quantity, call.face) if isinstance(call, Bid) else i.CallDudo()
        where = self.group if self.in_group(number) else None
        await self.tap(table.seats[game.turn].name, what, table=number, where=where)

    def in_group(self, number: int) -> bool:
        return self.tournament().phase == Phase.FINAL and number == max(self.running())

    async def play(self, until: tuple[Phase, ...] = (Phase.OVER, Phase.CLOSED)) -> None:
        """All tables play, in any order; the process is replaced between some steps."""
        while self.tournament().phase not in until:
            await self.move(self.script.choice(self.running()))
            if self.script.random() < 0.1:
                self.restarted()


def answer_of(toast: Toast | None) -> TournamentAnswer:
    assert isinstance(toast, TournamentAnswerNotice)
    return toast.answer


@pytest.fixture
def night(database: Database) -> TournamentNight:
    return TournamentNight(database)


@BOTH_DATABASES
@pytest.mark.parametrize("people", [7, 24])
async def test_a_tournament_is_played_to_its_end_though_processes_die(database: Database, people: int) -> None:
    night = TournamentNight(database, seed=people)
    await night.open(people)
    assert await night.press(1, StartTournament(1)) is TournamentAnswer.STARTED
    await night.play()
    tables = night.rows(StageTable)
    by_stage = Counter(each.stage for each in tables)
    assert by_stage == ({1: 2, 2: 1} if people == 7 else {1: 4, 2: 2, 3: 1})
    assert all(night.table(each.table_id).status is Status.FINISHED for each in tables)
    seated = Counter(seat.player for each in tables if each.stage == 1 for seat in night.table(each.table_id).seats)
    assert set(seated.values()) == {1}, "nobody lost a seat, and nobody has two"
    assert len(seated) == people
    entrants = night.rows(Entrant)
    finalists = sorted((each for each in entrants if each.place), key=lambda each: each.place or 0)
    assert [each.place for each in finalists] == list(range(1, len(finalists) + 1))
    final = night.table(tables[-1].table_id)
    assert {seat.player for seat in final.seats} == {each.player_id for each in finalists}
    text = message_html(night.message(), catalogue("en"))
    winner = next(seat.name for seat in final.seats if seat.player == finalists[0].player_id)
    assert text is not None
    assert f"{winner} wins the tournament!" in text
    told = Counter(row.envelope for row in ()) or Counter(
        (each.chat, each.notice.stage) for each in night.envelopes() if each.notice.kind == "tournament_stage"
    )
    assert set(told.values()) == {1}, "nobody is told twice"
    assert not night.running()
