"""A group plays a tournament: a list, several tables in private, stage by stage, and a grand final in the group."""

import asyncio
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from perudo_core import Bid, Dudo, Rules, legal_calls
from perudo_core.__main__ import main as verify
from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.channels.web import TRAITS as WEB_TRAITS
from telegram_bot.features.tournament import CheckTournamentDice
from telegram_bot.features.tournament.draw import ENTRANCE_SECONDS, MOST
from telegram_bot.features.tournament.notices import (
    BracketNotice,
    DiceFileNotice,
    FinaleNotice,
    Phase,
    PlaceNotice,
    SealsNotice,
    StageResultNotice,
    TournamentAnswer,
    TournamentAnswerNotice,
)
from telegram_bot.features.tournament.requests import (
    HOST_ALONE_SECONDS,
    ChangeTournamentRules,
    FillTournament,
    JoinTournament,
    LeaveTournament,
    OpenTournament,
    StartTournament,
)
from telegram_bot.features.tournament.stages import HURRIED_SECONDS, IDLE_LOBBY_SECONDS, SLOWEST_SECONDS
from telegram_bot.features.tournament.tables import KEPT_SECONDS, Entrant, StageTable, Tournament, prune
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.intents import CallComputed
from telegram_bot.intents.request import Request
from telegram_bot.notices import GameOverNotice, Toast
from telegram_bot.notices.rendering import message_html
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.operations.recount import recount_within
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import AddComputers, Join, OpenLobby, PlayAgain, StartPrivateChat
from telegram_bot.service.requests import read_link
from telegram_bot.service.round_ends import LOOKS_AGAIN_SECONDS
from telegram_bot.service.service import Service
from telegram_bot.statistics.bluff_card import Feat
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import (
    Chat,
    DirectMessages,
    GameTable,
    NoticeStatus,
    OutboxEntry,
    Player,
    RoundEnd,
    SentMessage,
)
from telegram_bot.storage.statistics_models import GameResult, PlayerStatistics, SeatResult
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import face_of
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import Status, Timings
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.channels.telegram.test_updates import PRIVATE, message
from tests.telegram_bot.channels.telegram.test_updates import request as read
from tests.telegram_bot.conftest import GroupHarness, game_of, rejection_of

_BEGINNINGS: dict[tuple[object, ...], tuple[sqlite3.Connection, float, int, Any, Any]] = {}
"""The beginning of many tests: the database, the time, the number of causes, and both random states after it."""


class TournamentNight(GroupHarness):
    """People named P1, P2 and so on, whose private chats with the bot are open."""

    def __init__(self, database: Database, seed: int = 1, *, dice: int = 1, raises: float = 0) -> None:
        """`raises`: how often a player raises a bid, although they may doubt it."""
        super().__init__(database, seed=seed, rules=Rules(starting_dice=dice, palifico=False))
        self.script = random.Random(seed)
        self.kind = seed, dice, raises
        self.raises = raises

    def with_pages(self) -> "TournamentNight":
        """The first person plays on a web page, so that the tables are in rooms, where dice are shown after a beat."""
        config = self.service.config
        channels = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS))
        self.service.config = replace(config, channels=channels, timings=Timings(reveal_seconds=BEAT))
        self.pages = {"P1"}
        return self

    pages: frozenset[str] | set[str] = frozenset()

    def person(self, name: str) -> i.Person:
        channel = "web" if name in self.pages else "telegram"
        return i.Person(channel, 1000 + int(name[1:]), name, name.lower(), "en")

    async def meet(self, *people: int) -> None:
        """People open their private chat with the bot."""
        for number in people:
            await self.say(f"P{number}", StartPrivateChat(greeted=False), where=None)

    async def press(self, number: int, request: Request) -> TournamentAnswer:
        """The answer to a tap below the tournament's message."""
        result = await self.say(f"P{number}", request, by="toast")
        return answer_of(result.toast)

    async def first(self, play: Callable[..., Awaitable[None]], people: int) -> None:
        """Do the first thing of a test, or copy the database of the first test that did it."""
        assert self._causes == 0
        if not self.database.is_sqlite:
            await play(people)
            return
        beginning = play.__name__, people, self.kind, frozenset(self.pages)
        with closing(sqlite3.connect(str(self.database.engine.url.database))) as file:
            if beginning in _BEGINNINGS:
                copy, self.now, self._causes, service, script = _BEGINNINGS[beginning]
                copy.backup(file)
                self.service.rng.setstate(service)
                self.script.setstate(script)
            else:
                await play(people)
                file.backup(copy := sqlite3.connect(":memory:"))
                states = self.service.rng.getstate(), self.script.getstate()
                _BEGINNINGS[beginning] = copy, self.now, self._causes, *states

    async def open(self, people: int) -> None:
        """The first person opens a tournament, the others join."""
        await self.first(self._join, people)

    async def start(self, people: int = 7) -> list[int]:
        """People join, and the first stage begins: its tables."""
        await self.first(self._start, people)
        return self.running()

    async def reach_final(self) -> int:
        """Seven people join and play to the final: its table."""
        await self.first(self._finish_stages, 7)
        (final,) = self.running()
        return final

    async def _finish_stages(self, people: int) -> None:
        await self._start(people)
        await self.play(until=(Phase.FINAL,))

    async def _start(self, people: int) -> None:
        await self._join(people)
        assert await self.press(1, StartTournament(1)) is TournamentAnswer.STARTED

    async def _join(self, people: int) -> None:
        await self.meet(*range(1, people + 1))
        await self.say("P1", OpenTournament())
        for number in range(2, people + 1):
            assert await self.press(number, JoinTournament(1)) is TournamentAnswer.JOINED

    def restarted(self) -> None:
        """Another process takes over, as after a kill: it knows only the database."""
        old = self.service
        self.service = Service(
            self.database,
            old.config,
            rng=random.Random(self.script.random()),
            now=lambda: self.now,
            parse_text=old.parse_text,
        )

    def tournament(self) -> Tournament:
        with self.database.transaction() as session:
            return session.exec(select(Tournament).order_by(col(Tournament.id).desc()).limit(1)).one()

    def running(self) -> list[int]:
        """The tables where a game runs."""
        with self.database.transaction() as session:
            return list(session.exec(select(GameTable.id).where(col(GameTable.live)).order_by(col(GameTable.id))))

    def listed(self) -> list[int]:
        """The numbers of the people who take part."""
        players = {row.id: int(row.name[1:]) for row in self.rows(Player)}
        return sorted(players[each.player_id] for each in self.rows(Entrant) if not each.out)

    async def leave_table(self, number: int, table: int) -> None:
        """A person leaves their game for good."""
        await self.tap(f"P{number}", Leave(confirmed=True), table=table, where=None)

    def message(self) -> Any:
        """The newest version of the group's message."""
        return self.notices("tournament")[-1]

    def told(self) -> GameOverNotice:
        """The group's message at the end of the final."""
        (told,) = [each for each in self.notices("game_over") if each.in_group]
        assert isinstance(told, GameOverNotice)
        return told

    def finale(self) -> FinaleNotice:
        """The whole tournament in this message."""
        (finale,) = self.told().parts
        assert isinstance(finale, FinaleNotice)
        return finale

    async def move(self, number: int) -> None:
        """The player on turn at a table bids as low as possible, or doubts."""
        table = self.table(number)
        game = game_of(table)
        assert game.turn is not None
        low = legal_calls(game, game.turn)[0]
        doubts = game.current_bid is not None and (not isinstance(low, Bid) or self.script.random() >= self.raises)
        call = Dudo(game.turn) if doubts else low
        if table.is_computer(game.turn):
            await self.service.handle(CallComputed(number, table.step, game.turn, call))
            return
        assert isinstance(call, Bid | Dudo)
        with self.database.transaction() as session:  # people call when they have seen the dice of the last round
            unseen = col(RoundEnd.table_id) == number, col(RoundEnd.seen_at).is_(None)
            session.execute(update(RoundEnd).where(*unseen).values(seen_at=self.now, before=None))
        request = MakeBid(call.quantity, call.face) if isinstance(call, Bid) else CallDudo()
        where = self.group if self.in_group(number) else None
        await self.tap(table.seats[game.turn].name, request, table=number, where=where)

    async def finish(self, *tables: int) -> None:
        """One table after the other plays its game to the end."""
        for number in tables:
            while self.table(number).status is Status.PLAYING:
                await self.move(number)

    async def see_dice(self, seconds: float = LOOKS_AGAIN_SECONDS) -> None:
        """Time passes, and each chat sees the dice that are due."""
        self.now += seconds
        with self.database.transaction() as session:
            due = (col(OutboxEntry.awaited) == "reveal", col(OutboxEntry.not_before) <= self.now)
            session.execute(update(OutboxEntry).where(*due).values(status=NoticeStatus.SENT))
            unseen = (col(RoundEnd.seen_at).is_(None), col(RoundEnd.cups_at) <= self.now)
            session.execute(update(RoundEnd).where(*unseen).values(seen_at=self.now))
        self.pass_time(0)
        tables = (await self.service.outages.find_due()).tables
        for handled in await asyncio.gather(*(self.service.handle(i.DeadlineReached(table)) for table in tables)):
            for request in handled.call_requests:
                await self.play_computed_call(request)

    def in_group(self, number: int) -> bool:
        return self.tournament().phase == Phase.FINAL and number == max(self.running())

    async def play(self, until: tuple[Phase, ...] = (Phase.OVER, Phase.CLOSED)) -> None:
        """All tables play, in any order; the process is replaced between some steps."""
        while (tournament := self.tournament()).phase not in until:
            assert tournament.live, tournament.phase
            if running := self.running():
                await self.move(self.script.choice(running))
            else:
                await self.see_dice()
            if self.script.random() < 0.1:
                self.restarted()


def answer_of(toast: Toast | None) -> TournamentAnswer:
    assert isinstance(toast, TournamentAnswerNotice)
    return toast.answer


@pytest.fixture
def night(database: Database) -> TournamentNight:
    return TournamentNight(database)


async def test_everyone_has_a_different_face_or_the_one_they_chose(night: TournamentNight) -> None:
    await night.open(13)
    with night.database.transaction() as session:
        chosen = session.exec(select(Player).where(Player.name == "P13")).one()
        chosen.face = face_of(session.exec(select(Player.id).where(Player.name == "P1")).one(), None)
        number, face = chosen.id, chosen.face
    await night.tap("P1", StartTournament(1))
    seats = [seat for table in night.running() for seat in night.table(table).seats]
    assert len({seat.face for seat in seats}) == 13
    assert next(seat.face for seat in seats if seat.player == number) == face


@pytest.mark.parametrize(("people", "database_url"), [(13, "sqlite"), (7, "postgresql")], indirect=["database_url"])
async def test_a_tournament_is_played_to_its_end_though_processes_die(database: Database, people: int) -> None:
    night = TournamentNight(database, seed=people, dice=2, raises=0.6)
    await night.start(people)
    await night.play()
    tables = night.rows(StageTable)
    by_stage = Counter(each.stage for each in tables)
    assert by_stage == ({1: 2, 2: 1} if people == 7 else {1: 3, 2: 2, 3: 1})
    assert all(night.table(each.table_id).status is Status.FINISHED for each in tables)
    seated = Counter(seat.player for each in tables if each.stage == 1 for seat in night.table(each.table_id).seats)
    assert set(seated.values()) == {1}, "no one lost a seat, and no one has two"
    assert len(seated) == people
    entrants = night.rows(Entrant)
    final = night.table(tables[-1].table_id)
    by_place = sorted(entrants, key=lambda each: each.place or 0)
    finalists = by_place[: len(final.seats)]
    assert [each.place for each in finalists] == list(range(1, len(finalists) + 1))
    assert all((each.place or 0) > len(finalists) for each in by_place[len(finalists) :])
    places = [each.notice.place for each in night.envelopes() if isinstance(each.notice, PlaceNotice)]
    assert sorted(places) == [each.place for each in by_place], "everyone is told a place, once"
    assert {seat.player for seat in final.seats} == {each.player_id for each in finalists}
    text = message_html(night.told(), catalogue("en"))
    winner = next(seat.name for seat in final.seats if seat.player == finalists[0].player_id)
    assert text is not None
    assert f"{winner} wins the tournament!" in text
    ends = [each for each in night.notices("game_over") if isinstance(each, GameOverNotice)]
    assert not any("Again?" in str(message_html(each, catalogue("en"))) for each in ends), "nowhere is it a usual game"
    assert not any(key.request == PlayAgain() for each in ends for row in keys_of(each, catalogue("en")) for key in row)
    assert [each.in_group for each in ends if each.view.table == final.id] == [True], "a finalist reads one message"
    parts = [part.kind for over in night.notices("game_over") for part in getattr(over, "parts", ())]
    assert "bluff_card" not in parts, "the message about the whole tournament names the best bluff"
    assert all(f"P{number}" in re.split(r"\s+", text) for number in range(1, people + 1)), "everyone is named"
    assert winner not in str(message_html(night.message(), catalogue("en"))), "one message says who won"
    told = Counter(
        (each.chat, each.notice.stage) for each in night.envelopes() if isinstance(each.notice, StageResultNotice)
    )
    assert set(told.values()) == {1}, "no one is told twice"
    assert night.notices("tournament_bracket") == []
    assert all(each.edits for each in night.envelopes() if each.notice.kind == "tournament")
    whole = night.finale()
    assert (whole.places[0].name, whole.places[0].place) == (winner, 1)
    assert len(whole.stages) == len(by_stage)
    for stage, following in zip_longest(whole.stages, whole.stages[1:]):
        went_on = {seat.name for table in stage for seat in table.seats if seat.goes_on}
        assert went_on == ({winner} if following is None else {seat.name for each in following for seat in each.seats})
    (counted,) = [each for each in night.rows(GameResult) if each.counted]
    assert (counted.chat_id, counted.table_id) == (night.tournament().chat_id, None)
    rows = [each for each in night.rows(SeatResult) if each.result_id == counted.id]
    assert {row.player_id: row.place for row in rows} == {each.player_id: each.place for each in entrants}
    assert sum(row.bids for row in rows) == sum(
        row.bids for row in night.rows(SeatResult) if row.result_id != counted.id
    ), "of all tables"
    sums = night.rows(PlayerStatistics)
    assert [row.games for row in sums] == [1] * people
    assert [row.player_id for row in sums if row.wins] == [by_place[0].player_id]
    with database.transaction() as session:
        recount_within(session)
    assert sorted(night.rows(PlayerStatistics), key=str) == sorted(sums, key=str)
    assert whole.bluff is not None
    assert whole.bluff.feat is Feat.BLUFF
    assert f"best bluff: {whole.bluffer} bid" in str(message_html(whole, catalogue("en")))
    assert not night.running()


async def test_the_dice_of_each_table_are_sealed_and_one_file_proves_them_to_the_group_and_all_who_took_part(
    night: TournamentNight, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await night.start()
    await night.play()
    seals = {
        seal.code: seal.commitment
        for told in night.notices("tournament_seals")
        if isinstance(told, SealsNotice)
        for seal in told.seals
    }
    assert len(seals) == 3
    night.mark_all_sent()
    await night.say("P3", CheckTournamentDice(1))
    (file,) = night.notices("tournament_dice")
    assert isinstance(file, DiceFileNotice)
    assert "All 3 games: every roll was fixed" in str(message_html(file, catalogue("en")))
    path = tmp_path / file.name
    path.write_text(file.document)
    assert verify(["verify", str(path)]) == 0
    shown = capsys.readouterr().out
    assert all(f"commitment {commitment}" in shown and f"table '{code}'" in shown for code, commitment in seals.items())
    lines = file.document.splitlines()
    path.write_text("\n".join([lines[0], lines[1].replace('"dice": [[', '"dice": [[0, ', 1), lines[2]]))
    assert verify(["verify", str(path)]) == 1
    assert "line 2" in capsys.readouterr().err
    assert await night.press(4, CheckTournamentDice(1)) is TournamentAnswer.FILE_ABOVE
    await night.meet(8)
    night.mark_all_sent()
    elsewhere = i.Place("telegram", -2002, 0, "Strangers")
    for name, where in (("P8", None), ("P8", elsewhere), ("P2", elsewhere)):
        result = await night.say(name, CheckTournamentDice(1), by="toast", where=where)
        assert answer_of(result.toast) is TournamentAnswer.FILE_GONE
    assert night.notices("tournament_dice") == []
    await night.say("P2", CheckTournamentDice(1), where=None)
    assert [each.chat for each in night.envelopes() if each.notice.kind == "tournament_dice"] == [1002]


async def test_below_the_list_each_button_does_what_it_says_until_the_draw(night: TournamentNight) -> None:
    await night.open(6)
    result = await night.say("P1", StartTournament(1), by="toast")
    assert answer_of(result.toast) is TournamentAnswer.TOO_FEW
    assert isinstance(result.toast, TournamentAnswerNotice)
    said = message_html(result.toast, catalogue("en"))
    assert said == "6 of the 7 people needed for a tournament are here. With fewer, play at one table: /perudo"
    assert (night.tournament().phase, night.rows(StageTable)) == (Phase.OPEN, [])
    await night.meet(7)
    assert await night.press(7, JoinTournament(1)) is TournamentAnswer.JOINED
    assert await night.press(2, JoinTournament(1)) is TournamentAnswer.ALREADY_JOINED
    elsewhere = i.Place("telegram", -2002, 0, "Strangers")
    for request in (JoinTournament(1), LeaveTournament(1), StartTournament(1), FillTournament(1), JoinTournament(99)):
        result = await night.say("P1", request, by="toast", where=elsewhere)
        assert answer_of(result.toast) is TournamentAnswer.OVER, "another group's tournament"
    before = night.tournament().rules
    assert await night.press(1, ChangeTournamentRules(1)) is TournamentAnswer.CHANGED
    assert night.tournament().rules != before
    await night.say("P9", OpenTournament())
    assert len(night.rows(Tournament)) == 1, "the command shows the running one again"
    assert night.message().names == tuple(f"P{number}" for number in range(1, 8))
    assert await night.press(1, StartTournament(1)) is TournamentAnswer.STARTED
    tables = night.running()
    assert all(night.table(number).rules.to_dict() == night.tournament().rules for number in tables)
    for late in (StartTournament(1), ChangeTournamentRules(1), FillTournament(1)):
        assert await night.press(1, late) is TournamentAnswer.BEGUN
    assert await night.press(2, CheckTournamentDice(1)) is TournamentAnswer.FILE_GONE
    assert night.notices("tournament_dice") == [], "the dice are shown at the end"
    assert night.running() == tables


async def test_the_forty_first_person_is_told_the_limit(night: TournamentNight) -> None:
    await night.open(MOST)
    await night.meet(MOST + 1)
    assert await night.press(MOST + 1, JoinTournament(1)) is TournamentAnswer.FULL
    assert len(night.listed()) == MOST


async def test_join_opens_the_private_chat_where_start_puts_a_person_on_the_list(night: TournamentNight) -> None:
    await night.open(1)
    tapped = (await night.say("P2", JoinTournament(1), by="toast")).toast
    assert isinstance(tapped, TournamentAnswerNotice)
    assert (tapped.answer, night.listed()) == (TournamentAnswer.OPEN_PRIVATE_CHAT, [1])
    assert tapped.start == f"tournament_{night.tournament().code}"
    assert await follow(night, 2, tapped.start) is TournamentAnswer.JOINED
    assert night.listed() == [1, 2]
    night.update_row(Player, night.player("P2").id, direct=DirectMessages.REFUSED)
    assert await night.press(2, LeaveTournament(1)) is TournamentAnswer.LEFT
    assert await night.press(2, JoinTournament(1)) is TournamentAnswer.OPEN_PRIVATE_CHAT


async def follow(night: TournamentNight, number: int, start: str) -> TournamentAnswer:
    """A person follows a link to the bot and presses Start: the answer in the private chat."""
    request = read_link(start)
    assert request is not None
    await night.say(f"P{number}", request, where=None)
    answered: TournamentAnswer = night.notices("tournament_answer")[-1].answer
    return answered


async def test_a_link_from_elsewhere_asks_the_host_until_everybody_has_left(night: TournamentNight) -> None:
    await night.open(2)
    code = night.tournament().code
    assert await follow(night, 3, f"tournament_{code}") is TournamentAnswer.ASKED
    assert await follow(night, 4, "tournament_AAAAAA") is TournamentAnswer.NO_SUCH_CODE
    assert night.message().names == ("P1", "P2")
    for number in (1, 2):
        assert await night.press(number, LeaveTournament(1)) is TournamentAnswer.LEFT
    assert night.tournament().phase == Phase.CLOSED
    assert await follow(night, 4, f"tournament_{code}") is TournamentAnswer.OVER
    assert await night.press(1, JoinTournament(1)) is TournamentAnswer.OVER
    await night.say("P1", OpenTournament())
    assert await night.press(2, JoinTournament(2)) is TournamentAnswer.JOINED
    assert read(message(f"/start tournament_{code}", PRIVATE)) == JoinTournament(code=code)
    assert read_link("draw_1") is None
    assert read_link(f"enter={night.tournament().id}") is None


async def test_the_host_leaves_or_stays_away_and_others_may_start(night: TournamentNight) -> None:
    await night.open(9)
    assert await night.press(2, StartTournament(1)) is TournamentAnswer.NOT_HOST
    assert await night.press(1, LeaveTournament(1)) is TournamentAnswer.LEFT
    assert await night.press(1, LeaveTournament(1)) is TournamentAnswer.NOT_JOINED
    assert await night.press(1, StartTournament(1)) is TournamentAnswer.NOT_JOINED
    assert await night.press(2, ChangeTournamentRules(1)) is TournamentAnswer.CHANGED
    for wish in (LeaveTournament(1), JoinTournament(1)):
        assert await night.press(5, StartTournament(1)) is TournamentAnswer.NOT_HOST
        night.pass_time(HOST_ALONE_SECONDS / 2)
        await night.press(8, wish)
    assert await night.press(5, StartTournament(1)) is TournamentAnswer.STARTED


async def test_the_person_who_opened_it_is_the_host_without_a_private_chat(night: TournamentNight) -> None:
    await night.meet(*range(1, 8))
    await night.say("P9", OpenTournament())
    for number in range(1, 8):
        assert await night.press(number, JoinTournament(1)) is TournamentAnswer.JOINED
    assert (night.message().host, night.message().names[0]) == ("P9", "P1")
    assert "P9 can start it now." in (message_html(night.message(), catalogue("en")) or "")
    assert await night.press(1, StartTournament(1)) is TournamentAnswer.NOT_HOST
    assert await night.press(9, FillTournament(1)) is TournamentAnswer.CHANGED
    assert await night.press(9, StartTournament(1)) is TournamentAnswer.STARTED
    assert night.listed() == [1, 2, 3, 4, 5, 6, 7]


async def test_a_person_who_left_the_group_is_not_seated_and_comes_back_only_there(night: TournamentNight) -> None:
    await night.open(9)
    for name in ("P1", "P8"):
        await night.say(name, i.MemberLeft(), by="nothing")
    code = night.tournament().code
    result = await night.say("P8", JoinTournament(code=code), where=None, by="toast")
    assert answer_of(result.toast) is TournamentAnswer.NO_SUCH_CODE
    assert await night.press(3, StartTournament(1)) is TournamentAnswer.NOT_HOST
    await night.say("P8", i.MemberLeft(), by="nothing")
    assert await night.press(2, StartTournament(1)) is TournamentAnswer.STARTED
    assert night.listed() == [2, 3, 4, 5, 6, 7, 9]
    assert await night.press(8, JoinTournament(1)) is TournamentAnswer.LATE


async def test_computer_players_fill_the_smaller_tables_and_never_go_on(night: TournamentNight) -> None:
    await night.open(7)
    assert await night.press(1, FillTournament(1)) is TournamentAnswer.CHANGED
    await night.press(1, StartTournament(1))
    assert sorted(len(night.table(number).seats) for number in night.running()) == [4, 4]
    assert any(seat.computer for number in night.running() for seat in night.table(number).seats)
    await night.play(until=(Phase.FINAL,))
    (final,) = night.running()
    assert len(night.table(final).seats) == 4
    assert not any(seat.computer for seat in night.table(final).seats)


async def test_a_player_leaves_their_table_first_and_does_not_go_on(night: TournamentNight) -> None:
    await night.start(8)
    table = next(number for number in night.running() if night.table(number).seat_of(night.player("P3").id) is not None)
    assert await night.press(3, LeaveTournament(1)) is TournamentAnswer.PLAYING
    await night.leave_table(3, table)
    assert 3 not in night.listed()
    assert await night.press(3, JoinTournament(1)) is TournamentAnswer.IS_OUT
    await night.play(until=(Phase.FINAL,))
    (final,) = night.running()
    assert night.table(final).seat_of(night.player("P3").id) is None
    assert len(night.table(final).seats) == 4


@pytest.mark.parametrize("leaves", ["the list", "the group"])
async def test_a_player_who_goes_on_and_leaves_has_no_seat_in_the_next_stage(
    night: TournamentNight, leaves: str
) -> None:
    first, *_ = await night.start(14)
    await night.finish(first)
    going_on = next(seat for seat in night.table(first).seats if int(seat.name[1:]) in night.listed())
    if leaves == "the group":
        await night.say(going_on.name, i.MemberLeft(), by="nothing")
    else:
        assert await night.press(int(going_on.name[1:]), LeaveTournament(1)) is TournamentAnswer.WITHDRAWN
    await night.play(until=(Phase.FINAL,))
    assert Counter(each.stage for each in night.rows(StageTable)) == {1: 3, 2: 2, 3: 1}
    later = [night.table(each.table_id) for each in night.rows(StageTable) if each.stage > 1]
    assert all(table.seat_of(going_on.player) is None for table in later)


async def test_when_nearly_everybody_leaves_the_last_person_wins(night: TournamentNight) -> None:
    await night.start()
    for table in night.running():
        for seat in night.table(table).seats:
            if seat.name != "P1" and night.table(table).status is Status.PLAYING:
                await night.leave_table(int(seat.name[1:]), table)
    while night.tournament().phase == Phase.TABLES:
        await night.move(night.running()[0])
    assert night.tournament().phase in (Phase.FINAL, Phase.OVER)


@pytest.mark.parametrize("lobby_ends", ["its people leave", "nothing happens there", "nothing has happened there"])
async def test_the_final_waits_for_a_lobby_of_the_group_where_something_happens(
    night: TournamentNight, lobby_ends: str
) -> None:
    already = lobby_ends == "nothing has happened there"
    lobby = await reach_waiting_final(night, idle=IDLE_LOBBY_SECONDS if already else 0)
    if not already:
        assert await night.press(1, StartTournament(1)) is TournamentAnswer.BUSY
    if lobby_ends == "its people leave":
        for name in ("P8", "P9"):
            await night.tap(name, Leave(), table=lobby)
    elif not already:
        night.pass_time(IDLE_LOBBY_SECONDS)
        assert await night.press(1, StartTournament(1)) is TournamentAnswer.STARTED
    assert night.tournament().phase == Phase.FINAL
    assert night.table(lobby).status is Status.CLOSED
    (final,) = night.running()
    assert night.rows(StageTable)[-1].table_id == final


async def reach_waiting_final(night: TournamentNight, *, idle: float = 0) -> int:
    """Seven people play to the final, while two others sit in a lobby of the group, where nothing happens."""
    tables = await night.start()
    lobby = await a_lobby_of_two(night)
    night.pass_time(idle)
    await night.finish(*tables)
    assert night.tournament().phase == (Phase.FINAL if idle else Phase.FINAL_WAITS)
    return lobby


async def a_lobby_of_two(night: TournamentNight) -> int:
    """Two people who are not in the tournament sit in a lobby of the group."""
    tables = night.running()
    await night.say("P8", OpenLobby())
    (lobby,) = set(night.running()) - set(tables)
    await night.tap("P9", Join(), table=lobby)
    return lobby


async def test_a_lobby_where_only_its_host_sits_gives_way_to_the_final_immediately(night: TournamentNight) -> None:
    tables = await night.start()
    await night.say("P8", OpenLobby())
    (lobby,) = set(night.running()) - set(tables)
    await night.tap("P8", AddComputers(1), table=lobby)
    await night.finish(*tables)
    assert night.tournament().phase == Phase.FINAL
    assert night.table(lobby).status is Status.CLOSED


async def test_the_last_finalist_wins_when_the_others_leave_a_final_that_waits(night: TournamentNight) -> None:
    lobby = await reach_waiting_final(night)
    *leaving, last = night.listed()
    for number in leaving:
        assert await night.press(number, LeaveTournament(1)) is TournamentAnswer.WITHDRAWN
    assert night.tournament().phase == Phase.OVER
    (end,) = night.notices("tournament_bracket")
    assert isinstance(end, BracketNotice)
    assert f"P{last} wins the tournament!" in str(message_html(end, catalogue("en")))
    assert (len(end.places), end.places[0].name) == (7, f"P{last}")
    assert await night.press(last, LeaveTournament(1)) is TournamentAnswer.OVER
    for name in ("P8", "P9"):
        await night.tap(name, Leave(), table=lobby)
    assert night.table(lobby).status is Status.CLOSED
    await night.say("P1", OpenTournament())
    assert len(night.rows(Tournament)) == 2


async def test_a_tournament_whose_people_all_go_away_is_played_for_them_to_its_end(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    await night.start()
    began = night.now
    while night.tournament().phase == Phase.TABLES:
        due = [row.due_at for row in night.rows(GameTable) if row.live and row.due_at is not None]
        await night.run_deadlines(max(0.01, min(due) - night.now))
    most_turns = max(len(night.table(each.table_id).seats) for each in night.rows(StageTable)) + 1
    assert night.now - began < most_turns * SLOWEST_SECONDS, "each person lets one turn pass, then computers finish"
    assert night.tournament().phase == Phase.FINAL
    (final,) = night.running()
    assert night.table(final).status is Status.PLAYING


async def test_a_finalist_who_never_wakes_loses_a_die_a_turn_and_gets_no_medal(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    final = await night.reach_final()
    asleep, awake, *leaving = (seat.name for seat in night.table(final).seats)
    for name in leaving:
        await night.tap(name, Leave(confirmed=True), table=final)
        await night.see_dice()
    missed = 0
    while night.table(final).status is Status.PLAYING:
        game = game_of(night.table(final))
        if game.turn == 0:
            missed += 1
            dice = game.dice_counts[0]
            await sleep_through(night, final)
            assert missed == 1 or night.table(final).begun_game.dice_counts[0] == dice - 1
        else:
            await night.move(final)
    await night.see_dice()
    told = the_sleeper_gets_no_medal(night, winner=awake, asleep=asleep)
    assert "No medal this time" in str(message_html(told, catalogue("en")))


async def test_a_finalist_who_never_wakes_does_not_win_when_the_others_leave(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    final = await night.reach_final()
    asleep, *leaving, last = (seat.name for seat in night.table(final).seats)
    while game_of(night.table(final)).turn != 0:
        await night.move(final)
    await sleep_through(night, final)
    for name in (*leaving, last):
        await night.tap(name, Leave(confirmed=True), table=final)
        await night.see_dice()
    the_sleeper_gets_no_medal(night, winner=last, asleep=asleep)
    assert night.finale().winner == last


def the_sleeper_gets_no_medal(night: TournamentNight, *, winner: str, asleep: str) -> PlaceNotice:
    """Only the sleeper is told that they slept, and is second without a medal; return what they are told."""
    places = {each.chat: each.notice for each in night.envelopes() if isinstance(each.notice, PlaceNotice)}
    won, told = (places[night.person(name).address] for name in (winner, asleep))
    assert (won.place, told.place) == (1, 2)
    assert [each for each in places.values() if each.slept] == [told]
    text = re.sub(r"(?<= )\W+ (?=P)", "", str(message_html(night.told(), catalogue("en"))))
    assert f"{winner} wins the tournament!" in text
    assert f"🥇 {winner}\n2. {asleep}\n" in text
    return told


async def sleep_through(night: TournamentNight, table: int) -> None:
    """Let the person on turn at a table miss this turn."""
    step = night.table(table).step
    while night.table(table).step == step:
        row = next(row for row in night.rows(GameTable) if row.id == table)
        assert row.due_at is not None
        await night.run_deadlines(max(0.01, row.due_at - night.now))


async def test_the_group_sees_at_most_eight_edits_in_a_minute_while_tables_play(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    await night.start(13)
    sent: list[float] = []
    night.mark_all_sent()
    while night.tournament().phase == Phase.TABLES:
        await night.move(night.script.choice(night.running()))
        night.now += 1.5
        waiting = [row for row in night.waiting() if row.slot == "tournament"]
        assert len(waiting) <= 1
        if any(row.not_before <= night.now for row in waiting):
            sent.append(night.now)
            night.mark_all_sent()
    minutes = [sum(since <= at < since + 60 for at in sent) for since in sent]
    assert max(minutes) <= 9, "eight, and one for a new stage"


async def test_the_groups_new_address_gets_the_tournament(night: TournamentNight) -> None:
    await night.open(7)
    await night.say("P1", i.ChatMoved(-1009), by="nothing")
    night.group = i.Place("telegram", -1009, 0, "Friends")
    assert await night.press(1, StartTournament(1)) is TournamentAnswer.STARTED
    assert [each.chat for each in night.envelopes() if each.notice.kind == "tournament"][-1] == -1009
    await night.play()
    assert night.tournament().phase == Phase.OVER


async def test_a_forgotten_person_is_missing_and_the_others_play_on(night: TournamentNight) -> None:
    await night.start(9)
    player = night.player("P9").id
    deletion = PersonDeletion(night.service)
    await deletion.leave(player)
    table = next(each.table_id for each in night.rows(Entrant) if each.player_id == player)
    assert table is not None
    await night.finish(table)
    await deletion.forget(player)
    assert 9 not in night.listed()
    await night.play()
    assert night.tournament().phase == Phase.OVER
    last = night.finale().places[-1]
    await deletion.forget(night.player(last.name).id)
    assert last.name not in {each.name for each in night.finale().places}


async def test_the_final_begins_when_the_bot_is_in_the_group_again(night: TournamentNight) -> None:
    await night.start()
    chat = night.tournament().chat_id
    night.update_row(Chat, chat, lost_at=night.now)
    await night.play(until=(Phase.FINAL_WAITS,))
    night.update_row(Chat, chat, lost_at=None)
    await night.say("P1", OpenTournament())
    assert night.tournament().phase == Phase.FINAL


@pytest.mark.parametrize("unfit", [Rules(min_seats=3), Rules(max_seats=2)])
async def test_rules_unfit_for_two_or_three_players_are_not_offered(database: Database, unfit: Rules) -> None:
    night = TournamentNight(database)
    houses = (HouseRules(key="unfit", title="Unfit", rules=unfit),)
    night.service.config = replace(night.service.config, house_rules=houses, rules=unfit)
    await night.open(7)
    offered = []
    for _ in range(6):
        offered.append(Rules.from_dict(night.tournament().rules))
        assert await night.press(1, ChangeTournamentRules(1)) is TournamentAnswer.CHANGED
    assert unfit not in offered


async def test_the_final_edits_no_list_and_a_finalist_who_leaves_has_a_place(night: TournamentNight) -> None:
    final = await night.reach_final()
    night.mark_all_sent()
    deals = night.table(final).deals
    while night.table(final).deals < deals + 2:
        await night.move(final)
    assert night.notices("tournament") == []
    leaving = next(
        seat.name for place, seat in enumerate(night.table(final).seats) if night.table(final).in_play(place)
    )
    await night.tap(leaving, Leave(confirmed=True), table=final)
    await night.play()
    chat = night.person(leaving).address
    (told,) = [each.notice for each in night.envelopes() if each.chat == chat and isinstance(each.notice, PlaceNotice)]
    assert told.finalist


async def test_old_tournaments_are_deleted(night: TournamentNight) -> None:
    await night.open(2)
    night.shows("tournament", 55, table=-1)
    night.now += KEPT_SECONDS + 1
    with night.database.transaction() as session:
        prune(session, night.now)
    assert night.rows(Tournament) == []
    assert night.rows(Entrant) == []
    assert night.rows(SentMessage) == []


async def test_nobody_can_stop_a_table_for_whose_end_others_wait_and_a_stopped_final_has_no_winner(
    night: TournamentNight,
) -> None:
    async def stop(table: int, **more: Any) -> None:
        host = next(seat.name for seat in night.table(table).seats if seat.player == night.table(table).host)
        await night.tap(host, Stop(confirmed=True), table=table, **more)

    table, *_ = await night.start()
    await stop(table, where=None)
    assert night.table(table).status is Status.PLAYING
    await night.play(until=(Phase.FINAL,))
    await stop(*night.running())
    assert night.tournament().phase == Phase.CLOSED
    assert not any(each.place for each in night.rows(Entrant))
    assert night.notices("tournament_place") == []


async def test_a_table_for_which_most_others_wait_gets_shorter_turns_and_is_told_once(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    *quick, slow = await night.start(13)
    await night.finish(*quick)
    assert night.table(slow).clock.seconds == SLOWEST_SECONDS
    deals = night.table(slow).deals
    while night.table(slow).deals < deals + 2:
        await night.move(slow)
    assert night.table(slow).clock.seconds == HURRIED_SECONDS
    told = Counter(each.chat for each in night.envelopes() if each.notice.kind == "tournament_hurry")
    assert set(told.values()) == {1}
    assert len(told) == len(night.table(slow).seats)
    await night.play(until=(Phase.FINAL,))
    assert all(night.table(number).clock.seconds == SLOWEST_SECONDS for number in night.running())


async def test_three_people_who_come_late_make_another_table_until_the_first_has_ended(night: TournamentNight) -> None:
    await night.start()
    await night.meet(8, 9, 10, 11)
    for number in (8, 9):
        assert await night.press(number, JoinTournament(1)) is TournamentAnswer.LATE
    assert night.message().late == ("P8", "P9")
    assert await night.press(9, LeaveTournament(1)) is TournamentAnswer.LEFT
    assert len(night.running()) == 2
    for number in (9, 10, 11):
        assert await night.press(number, JoinTournament(1)) is TournamentAnswer.LATE
    first, _, third = night.running()
    assert [seat.name for seat in night.table(third).seats] == ["P8", "P9", "P10"]
    await night.finish(first)
    assert 11 not in night.listed(), "no table came together"
    told = [
        (each.notice.goes_on, each.notice.played)
        for each in night.envelopes()
        if each.chat == 1011 and isinstance(each.notice, StageResultNotice)
    ]
    assert told == [(False, False)]
    await night.meet(12)
    assert await night.press(12, JoinTournament(1)) is TournamentAnswer.BEGUN
    await night.play()
    assert night.tournament().phase == Phase.OVER


async def test_two_late_people_play_against_each_other_once_nobody_else_can_come(night: TournamentNight) -> None:
    await night.start()
    await night.meet(8, 9)
    for number in (8, 9):
        assert await night.press(number, JoinTournament(1)) is TournamentAnswer.LATE
    first, second = night.running()
    await night.finish(first)
    assert [seat.name for seat in night.table(night.running()[-1]).seats] == ["P8", "P9"]
    await night.finish(second)
    assert night.tournament().stage == 1, "the stage waits for their table"
    await night.play()
    whole = night.finale()
    went_on = {seat.name: seat.goes_on for table in whole.stages[0] for seat in table.seats}
    assert went_on["P8"] != went_on["P9"]


BEAT = 2.0
"""How long a call is shown before the dice, in seconds."""


async def test_the_groups_message_shows_no_lost_die_before_its_table_does(database: Database) -> None:
    night = TournamentNight(database, dice=2).with_pages()
    await night.start(8)
    seen = {number: game_of(night.table(number)).dice_counts for number in night.running()}
    early = 0
    while len(night.running()) == len(seen):
        shown = [table for table in map(night.table, seen) if table.turn_since <= night.now]
        seen |= {table.id: table.begun_game.dice_counts for table in shown}
        await night.move(night.script.choice(night.running()))
        tables = {number: night.table(number) for number in seen}
        early += sum(table.turn_since > night.now for table in tables.values())
        dice = {seat.name: seen[table.id][place] for table in tables.values() for place, seat in enumerate(table.seats)}
        for line in night.message().tables:
            assert line.over or all(seat.dice >= dice[seat.name] for seat in line.seats)
        await night.see_dice(0.7)
    assert early > 3


async def test_the_next_stage_and_all_news_come_after_the_last_dice(database: Database) -> None:
    night = TournamentNight(database).with_pages()
    await night.start(8)
    guest = night.player("P1").id
    first, last = sorted(night.running(), key=lambda number: night.table(number).seat_of(guest) is not None)
    for number in (first, last):
        while night.table(number).status is Status.PLAYING:
            await night.move(number)
            if night.table(number).status is Status.PLAYING:
                await night.see_dice(BEAT)
    kinds = ("tournament_seals", "tournament_stage")
    told = [len(night.notices(kind)) for kind in kinds]
    assert (night.tournament().phase, night.running()) == (Phase.TABLES, [])
    assert [line.over for line in night.message().tables].count(False) == 1
    for seat in night.table(last).seats:
        for request in (LeaveTournament(1), JoinTournament(1), StartTournament(1), OpenTournament()):
            result = await night.say(seat.name, request, by="toast")
            assert rejection_of(result.toast) is RejectionReason.REVEALING
    await night.see_dice(BEAT)
    assert night.tournament().phase == Phase.FINAL
    assert [len(night.notices(kind)) for kind in kinds] == [told[0] + 1, 8]


async def test_the_first_turn_lasts_a_minute_after_the_draw_or_the_entrance(night: TournamentNight) -> None:
    draw = [night.table(number) for number in await night.start()]
    await night.play(until=(Phase.FINAL,))
    for begun in (*draw, *map(night.table, night.running())):
        begins = begun.turn_since + ENTRANCE_SECONDS
        assert (begun.running.since, begun.running.ends) == (begins, begins + SLOWEST_SECONDS)


async def test_the_winners_name_comes_after_the_last_dice_of_the_final(night: TournamentNight) -> None:
    await night.finish(await night.reach_final())
    await night.run_deadlines(60, told=False)
    assert (night.tournament().phase, night.notices("tournament_place")) == (Phase.FINAL, [])
    await night.see_dice()
    assert night.tournament().phase == Phase.OVER
    assert len(night.notices("tournament_place")) == 7
