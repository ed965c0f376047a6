"""A group plays a tournament: a list, several tables in private, stage by stage, and a grand final in the group."""

import asyncio
import random
import re
from collections import Counter
from dataclasses import replace
from itertools import chain, zip_longest
from math import inf
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
from telegram_bot.features.tournament import CheckTournamentDice, free_seats_keys
from telegram_bot.features.tournament import notices as n
from telegram_bot.features.tournament import requests as r
from telegram_bot.features.tournament.draw import ENTRANCE_SECONDS
from telegram_bot.features.tournament.notices import Phase, TournamentAnswer
from telegram_bot.features.tournament.stages import HURRIED_SECONDS, IDLE_LOBBY_SECONDS, SLOWEST_SECONDS
from telegram_bot.features.tournament.tables import KEPT_SECONDS, Entrant, StageTable, Tournament, prune
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.intents import CallComputed
from telegram_bot.intents.request import Request
from telegram_bot.notices import Confirmation, ConfirmationNotice, GameOverNotice, Toast
from telegram_bot.notices.rendering import sms_text
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
from telegram_bot.storage import models
from telegram_bot.storage.database import Database
from telegram_bot.storage.statistics_models import GameResult, PlayerStatistics, SeatResult
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import face_of
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import Status, Timings
from telegram_bot.words.sms.layout import TextReader
from tests.telegram_bot.channels.telegram.test_updates import PRIVATE, message
from tests.telegram_bot.channels.telegram.test_updates import request as read
from tests.telegram_bot.conftest import EN, GroupHarness, game_of, rejection_of
from tests.telegram_bot.words.notice_examples import words

ELSEWHERE = i.Place("telegram", -2002, 0, "Strangers")
LINKED = 4711
"""The address of the phone that is linked to P4."""


class TournamentNight(GroupHarness):
    """People named P1, P2 and so on, whose private chats with the bot are open."""

    pages: frozenset[str] = frozenset()
    phones: frozenset[str] = frozenset()

    def __init__(self, database: Database, seed: int = 1, *, dice: int = 1, raises: float = 0) -> None:
        """`raises`: how often a player raises a bid, although they may doubt it."""
        super().__init__(database, seed=seed, rules=Rules(starting_dice=dice, palifico=False))
        self.script, self.raises = random.Random(seed), raises

    def with_pages(self) -> "TournamentNight":
        """The first person plays on a web page, so that the tables are in rooms, where dice are shown after a beat."""
        config = self.service.config
        channels = ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS, WEB_TRAITS))
        self.service.config = replace(config, channels=channels, timings=Timings(reveal_seconds=BEAT))
        self.pages = frozenset({"P1"})
        return self

    def person(self, name: str) -> i.Person:
        channel = "web" if name in self.pages else "sms" if name in self.phones else "telegram"
        return i.Person(channel, 1000 + int(name[1:]), name, name.lower(), "en")

    async def meet(self, *people: int) -> None:
        for number in people:
            await self.say(f"P{number}", StartPrivateChat(greeted=False), where=None)

    async def press(self, number: int, request: Request, **more: Any) -> TournamentAnswer:
        """The answer to a tap below the tournament's message."""
        return answer_of((await self.say(f"P{number}", request, by="toast", **more)).toast)

    async def join(self, *people: int, said: TournamentAnswer = TournamentAnswer.JOINED) -> None:
        """People with a private chat join by the button, and get this answer."""
        await self.meet(*people)
        for number in people:
            assert await self.press(number, r.JoinTournament(1)) is said

    async def open(self, people: int) -> None:
        """The first person opens a tournament; the others are on its list, in private chats with the bot."""
        await self.meet(1)
        await self.say("P1", r.OpenTournament())
        list_people(self.database, *(self.person(f"P{number}") for number in range(2, people + 1)))

    async def start(self, people: int = 7) -> list[int]:
        """People are on the list, and the first stage begins: its tables."""
        await self.open(people)
        assert await self.press(1, r.StartTournament(1)) is TournamentAnswer.STARTED
        return self.running()

    async def reach_final(self) -> int:
        await self.start()
        return await self.play_to_final()

    async def play_to_final(self) -> int:
        await self.play(until=(Phase.FINAL,))
        (final,) = self.running()
        return final

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
        return max(self.rows(Tournament), key=lambda row: row.id)

    def running(self) -> list[int]:
        return sorted(row.id for row in self.rows(models.GameTable) if row.live)

    def listed(self) -> list[int]:
        players = {row.id: int(row.name[1:]) for row in self.rows(models.Player)}
        return sorted(players[each.player_id] for each in self.rows(Entrant) if not each.out)

    def people_at(self, *tables: int) -> list[int]:
        seats = [seat for table in tables for seat in self.table(table).seats]
        return [int(seat.name[1:]) for seat in seats if seat.computer is None]

    async def next_deadline(self) -> None:
        due = [row.due_at for row in self.rows(models.GameTable) if row.live and row.due_at is not None]
        await self.run_deadlines(max(0.01, min(due) - self.now))

    async def leave_table(self, number: int, table: int) -> None:
        await self.tap(f"P{number}", Leave(confirmed=True), table=table, where=None)

    def message(self) -> Any:
        return self.notices("tournament")[-1]

    def told(self) -> Any:
        (told,) = [each for each in self.notices("game_over") if each.in_group]
        return told

    def finale(self) -> Any:
        (finale,) = self.told().parts
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
            unseen = col(models.RoundEnd.table_id) == number, col(models.RoundEnd.seen_at).is_(None)
            session.execute(update(models.RoundEnd).where(*unseen).values(seen_at=self.now, before=None))
        request = MakeBid(call.quantity, call.face) if isinstance(call, Bid) else CallDudo()
        name = table.seats[game.turn].name
        where = self.group if self.in_group(number) and name not in self.phones else None
        await self.tap(name, request, table=number, where=where)

    async def finish(self, *tables: int) -> None:
        for number in tables:
            while self.table(number).status is Status.PLAYING:
                await self.move(number)

    async def see_dice(self, seconds: float = LOOKS_AGAIN_SECONDS) -> None:
        """Time passes, and each chat sees the dice that are due."""
        self.now += seconds
        with self.database.transaction() as session:
            due = (col(models.OutboxEntry.awaited) == "reveal", col(models.OutboxEntry.not_before) <= self.now)
            session.execute(update(models.OutboxEntry).where(*due).values(status=models.NoticeStatus.SENT))
            unseen = (col(models.RoundEnd.seen_at).is_(None), col(models.RoundEnd.cups_at) <= self.now)
            session.execute(update(models.RoundEnd).where(*unseen).values(seen_at=self.now))
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


def list_people(database: Database, *people: i.Person) -> None:
    """Put people on the list of the first tournament, with open private chats."""
    with database.transaction() as session:
        for who in people:
            theirs = models.Player.channel == who.channel, models.Player.address == who.address
            player = session.exec(select(models.Player).where(*theirs)).one_or_none()
            player = player or models.Player(channel=who.channel, address=who.address, name=who.name)
            player.direct = models.DirectMessages.OPEN
            session.add(player)
            session.flush()
            session.add(Entrant(tournament_id=1, player_id=player.id, number=player.id))


def answer_of(toast: Toast | None) -> TournamentAnswer:
    assert isinstance(toast, n.TournamentAnswerNotice)
    return toast.answer


@pytest.fixture
def night(database: Database) -> TournamentNight:
    return TournamentNight(database)


async def test_everyone_has_a_different_face_or_the_one_they_chose(night: TournamentNight) -> None:
    await night.open(13)
    chosen = face_of(night.player("P1").id, None)
    night.update_row(models.Player, night.player("P13").id, face=chosen)
    await night.tap("P1", r.StartTournament(1))
    faces = {seat.name: seat.face for table in night.running() for seat in night.table(table).seats}
    assert len({*faces.values()}) == len(faces) == 13
    assert faces["P13"] == chosen


@pytest.mark.parametrize(("people", "database_url"), [(13, "sqlite"), (7, "postgresql")], indirect=["database_url"])
async def test_a_tournament_is_played_to_its_end_though_processes_die(database: Database, people: int) -> None:
    night = TournamentNight(database, seed=people, dice=2, raises=0.6)
    night.phones = frozenset({"P5", "P6"})
    await night.start(people)
    night.update_row(models.Player, night.player("P4").id, phone=LINKED, view=models.PrivateView.TEXT)
    await night.play()
    assert not night.running()
    whole, everyone = night.finale(), sorted(f"P{number}" for number in range(1, people + 1))
    stages = [[[seat.name for seat in table.seats] for table in stage] for stage in whole.stages]
    assert [len(stage) for stage in stages] == ([2, 1] if people == 7 else [3, 2, 1])
    assert sorted(chain(*stages[0])) == everyone, "no one lost a seat, and no one has two"
    winner, finalists = whole.places[0].name, stages[-1][0]
    for stage, following in zip_longest(whole.stages, stages[1:]):
        went_on = {seat.name for table in stage for seat in table.seats if seat.goes_on}
        assert went_on == ({winner} if following is None else {*chain(*following)})
    assert [(each.place, each.name) for each in whole.places[: len(finalists)]] == [*enumerate(finalists, 1)]
    assert all(each.place > len(finalists) for each in whole.places[len(finalists) :])
    sent = night.envelopes()
    places = sorted(each.notice.place for each in sent if isinstance(each.notice, n.PlaceNotice))
    assert places == [each.place for each in whole.places], "everyone is told a place, once"
    assert LINKED in [each.chat for each in sent if isinstance(each.notice, n.PlaceNotice)], "the phone is enough"
    results = [(each.chat, each.notice) for each in sent if isinstance(each.notice, n.StageResultNotice)]
    assert {*Counter((chat, told.stage) for chat, told in results).values()} == {1}, "no one is told twice"
    assert all(told.final_next is (told.stage == len(stages) - 1) for _, told in results)
    text = words(night.told())
    assert f"{winner} wins the tournament!" in text
    assert {*everyone} <= {*re.split(r"\s+", text)}, "everyone is named"
    assert winner not in words(night.message()), "one message says who won"
    assert night.notices("tournament_bracket") == []
    assert all(each.edits for each in sent if each.notice.kind == "tournament")
    texts = [sms_text(each.notice, EN, TextReader()) or "" for each in sent if each.channel == "sms"]
    assert any("R1 " in text for text in texts), "the first dice came by text"
    assert "AGAIN" not in "".join(texts)
    ends = [each.notice for each in sent if isinstance(each.notice, GameOverNotice) and each.channel != "sms"]
    assert not any("Again?" in words(each) for each in ends), "nowhere is it a usual game"
    assert not any(key.request == PlayAgain() for each in ends for row in keys_of(each, EN) for key in row)
    final = max(each.view.table for each in ends)
    assert [each.in_group for each in ends if each.view.table == final] == [True], "a finalist reads one message"
    kinds = [part.kind for each in ends for part in each.parts]
    assert "bluff_card" not in kinds, "the message about the whole tournament names the best bluff"
    assert whole.bluff.feat is Feat.BLUFF
    assert f"best bluff: {whole.bluffer} bid" in words(whole)
    (counted,) = [each for each in night.rows(GameResult) if each.counted]
    assert (counted.chat_id, counted.table_id) == (night.tournament().chat_id, None)
    rows = night.rows(SeatResult)
    of_all = [row for row in rows if row.result_id == counted.id]
    assert {row.player_id: row.place for row in of_all} == {night.player(p.name).id: p.place for p in whole.places}
    assert 2 * sum(row.bids for row in of_all) == sum(row.bids for row in rows), "of all tables"
    sums = night.rows(PlayerStatistics)
    assert [row.games for row in sums] == [1] * people
    assert [row.player_id for row in sums if row.wins] == [night.player(winner).id]
    with database.transaction() as session:
        recount_within(session)
    assert sorted(night.rows(PlayerStatistics), key=str) == sorted(sums, key=str)


async def test_the_dice_of_each_table_are_sealed_and_one_file_proves_them_to_the_group_and_all_who_took_part(
    night: TournamentNight, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await night.start()
    assert await night.press(2, CheckTournamentDice(1)) is TournamentAnswer.FILE_GONE, "they are shown at the end"
    await night.play()
    seals = {seal.code: seal.commitment for told in night.notices("tournament_seals") for seal in told.seals}
    assert len(seals) == 3
    night.mark_all_sent()
    await night.say("P3", CheckTournamentDice(1))
    (file,) = night.notices("tournament_dice")
    assert "All 3 games: every roll was fixed" in words(file)
    path = tmp_path / file.name
    path.write_text(file.document)
    assert verify(["verify", str(path)]) == 0
    shown = capsys.readouterr().out
    assert all(f"commitment {commitment}" in shown and f"table '{code}'" in shown for code, commitment in seals.items())
    assert await night.press(4, CheckTournamentDice(1)) is TournamentAnswer.FILE_ABOVE
    await night.meet(8)
    night.mark_all_sent()
    for number, where in ((8, None), (8, ELSEWHERE), (2, ELSEWHERE)):
        assert await night.press(number, CheckTournamentDice(1), where=where) is TournamentAnswer.FILE_GONE
    assert night.notices("tournament_dice") == []
    await night.say("P2", CheckTournamentDice(1), where=None)
    assert [each.chat for each in night.envelopes() if each.notice.kind == "tournament_dice"] == [1002]


async def test_below_the_list_each_button_does_what_it_says_until_the_draw(night: TournamentNight) -> None:
    await night.open(6)
    too_few = (await night.say("P1", r.StartTournament(1), by="toast")).toast
    assert isinstance(too_few, n.TournamentAnswerNotice)
    said = "6 of the 7 people needed for a tournament are here. With fewer, play at one table: /perudo"
    assert words(too_few) == said
    assert (night.tournament().phase, night.running()) == (Phase.OPEN, [])
    await night.meet(7)
    assert await night.press(7, r.JoinTournament(1)) is TournamentAnswer.JOINED
    assert await night.press(2, r.JoinTournament(1)) is TournamentAnswer.ALREADY_JOINED
    for request in (
        r.JoinTournament(1),
        r.LeaveTournament(1),
        r.StartTournament(1),
        r.FillTournament(1),
        r.JoinTournament(99),
    ):
        assert await night.press(1, request, where=ELSEWHERE) is TournamentAnswer.OVER, "another group's tournament"
    before = night.tournament().rules
    assert await night.press(1, r.ChangeTournamentRules(1)) is TournamentAnswer.CHANGED
    assert night.tournament().rules != before
    await night.say("P9", r.OpenTournament())
    assert len(night.rows(Tournament)) == 1, "the command shows the running one again"
    assert night.message().names == tuple(f"P{number}" for number in range(1, 8))
    assert await night.press(1, r.StartTournament(1)) is TournamentAnswer.STARTED
    tables = night.running()
    assert all(night.table(number).rules.to_dict() == night.tournament().rules for number in tables)
    for late in (r.StartTournament(1), r.ChangeTournamentRules(1), r.FillTournament(1)):
        assert await night.press(1, late) is TournamentAnswer.BEGUN
    assert night.running() == tables


async def follow(night: TournamentNight, number: int, start: str) -> Any:
    """A person follows a link to the bot and presses Start: the answer in the private chat."""
    request = read_link(start)
    assert request is not None
    await night.say(f"P{number}", request, where=None)
    return night.notices("tournament_answer")[-1].answer


async def test_join_opens_the_private_chat_and_its_link_elsewhere_asks_the_host(night: TournamentNight) -> None:
    await night.open(1)
    tapped = (await night.say("P2", r.JoinTournament(1), by="toast")).toast
    assert isinstance(tapped, n.TournamentAnswerNotice)
    assert (tapped.answer, night.listed()) == (TournamentAnswer.OPEN_PRIVATE_CHAT, [1])
    code = night.tournament().code
    assert tapped.start == f"tournament_{code}"
    assert await follow(night, 2, tapped.start) is TournamentAnswer.JOINED
    assert night.listed() == [1, 2]
    night.update_row(models.Player, night.player("P2").id, direct=models.DirectMessages.REFUSED)
    assert await night.press(2, r.LeaveTournament(1)) is TournamentAnswer.LEFT
    assert await night.press(2, r.JoinTournament(1)) is TournamentAnswer.OPEN_PRIVATE_CHAT
    await night.join(2)
    assert await follow(night, 3, f"tournament_{code}") is TournamentAnswer.ASKED
    assert await follow(night, 4, "tournament_AAAAAA") is TournamentAnswer.NO_SUCH_CODE
    assert night.message().names == ("P1", "P2")
    for number in (1, 2):
        assert await night.press(number, r.LeaveTournament(1)) is TournamentAnswer.LEFT
    assert night.tournament().phase == Phase.CLOSED
    assert await follow(night, 4, f"tournament_{code}") is TournamentAnswer.OVER
    assert await night.press(1, r.JoinTournament(1)) is TournamentAnswer.OVER
    await night.say("P1", r.OpenTournament())
    assert await night.press(2, r.JoinTournament(2)) is TournamentAnswer.JOINED
    assert read(message(f"/start tournament_{code}", PRIVATE)) == r.JoinTournament(code=code)
    assert read_link("draw_1") is None
    assert read_link(f"enter={night.tournament().id}") is None


async def test_the_host_leaves_or_stays_away_and_others_may_start(night: TournamentNight) -> None:
    await night.open(9)
    assert await night.press(2, r.StartTournament(1)) is TournamentAnswer.NOT_HOST
    assert await night.press(1, r.LeaveTournament(1)) is TournamentAnswer.LEFT
    assert await night.press(1, r.LeaveTournament(1)) is TournamentAnswer.NOT_JOINED
    assert await night.press(1, r.StartTournament(1)) is TournamentAnswer.NOT_JOINED
    assert await night.press(2, r.ChangeTournamentRules(1)) is TournamentAnswer.CHANGED
    for wish in (r.LeaveTournament(1), r.JoinTournament(1)):
        assert await night.press(5, r.StartTournament(1)) is TournamentAnswer.NOT_HOST
        night.pass_time(r.HOST_ALONE_SECONDS / 2)
        await night.press(8, wish)
    assert await night.press(5, r.StartTournament(1)) is TournamentAnswer.STARTED


async def test_the_person_who_opened_it_is_the_host_without_a_private_chat(night: TournamentNight) -> None:
    await night.say("P9", r.OpenTournament())
    await night.join(*range(1, 8))
    await night.press(9, r.ChangeTournamentRules(1))
    assert (night.message().host, night.message().names[0]) == ("P9", "P1")
    assert "P9 can start it now." in words(night.message())
    assert await night.press(1, r.StartTournament(1)) is TournamentAnswer.NOT_HOST
    assert await night.press(9, r.StartTournament(1)) is TournamentAnswer.STARTED
    assert night.listed() == [1, 2, 3, 4, 5, 6, 7]


async def test_a_person_who_left_the_group_is_not_seated_and_comes_back_only_there(night: TournamentNight) -> None:
    await night.open(9)
    for name in ("P1", "P8"):
        await night.say(name, i.MemberLeft(), by="nothing")
    by_code = r.JoinTournament(code=night.tournament().code)
    assert await night.press(8, by_code, where=None) is TournamentAnswer.NO_SUCH_CODE
    assert await night.press(3, r.StartTournament(1)) is TournamentAnswer.NOT_HOST
    await night.say("P8", i.MemberLeft(), by="nothing")
    assert await night.press(2, r.StartTournament(1)) is TournamentAnswer.STARTED
    assert night.listed() == [2, 3, 4, 5, 6, 7, 9]
    assert await night.press(8, r.JoinTournament(1)) is TournamentAnswer.LATE


async def test_computer_players_fill_the_smaller_tables_and_never_go_on(night: TournamentNight) -> None:
    await night.open(7)
    assert await night.press(1, r.FillTournament(1)) is TournamentAnswer.CHANGED
    await night.press(1, r.StartTournament(1))
    seats = [night.table(number).seats for number in night.running()]
    assert [len(each) for each in seats] == [4, 4]
    assert any(seat.computer for each in seats for seat in each)
    assert [seat.computer for seat in night.table(await night.play_to_final()).seats] == [None] * 4


async def test_who_leaves_a_table_the_list_or_the_group_has_no_seat_in_the_next_stage(night: TournamentNight) -> None:
    first, second = await night.start(8)
    leaving, *others = night.people_at(first)
    assert await night.press(leaving, r.LeaveTournament(1)) is TournamentAnswer.PLAYING
    await night.leave_table(leaving, first)
    assert leaving not in night.listed()
    assert await night.press(leaving, r.JoinTournament(1)) is TournamentAnswer.IS_OUT
    await night.finish(first)
    by_list, by_group = [number for number in others if number in night.listed()]
    assert await night.press(by_list, r.LeaveTournament(1)) is TournamentAnswer.WITHDRAWN
    await night.say(f"P{by_group}", i.MemberLeft(), by="nothing")
    await night.finish(second)
    (final,) = night.running()
    assert sorted(night.people_at(final)) == [number for number in night.listed() if number in night.people_at(second)]


async def test_when_nearly_everybody_leaves_the_last_person_wins(night: TournamentNight) -> None:
    await night.start()
    for table in night.running():
        for seat in night.table(table).seats:
            if seat.name != "P1" and night.table(table).status is Status.PLAYING:
                await night.leave_table(int(seat.name[1:]), table)
    while night.tournament().phase == Phase.TABLES:
        await night.move(night.running()[0])
    assert night.tournament().phase in (Phase.FINAL, Phase.OVER)


@pytest.mark.parametrize(
    "ends", ["people leave", "nothing happens", "nothing has happened", "only its host sits there"]
)
async def test_the_final_waits_for_a_lobby_where_something_happens(night: TournamentNight, ends: str) -> None:
    idle = IDLE_LOBBY_SECONDS if ends == "nothing has happened" else 0
    lobby = await stages_beside_a_lobby(night, idle=idle, alone=ends == "only its host sits there")
    if ends in ("people leave", "nothing happens"):
        assert night.tournament().phase == Phase.FINAL_WAITS
        assert await night.press(1, r.StartTournament(1)) is TournamentAnswer.BUSY
    if ends == "people leave":
        for name in ("P8", "P9"):
            await night.tap(name, Leave(), table=lobby)
    elif ends == "nothing happens":
        night.pass_time(IDLE_LOBBY_SECONDS)
        assert await night.press(1, r.StartTournament(1)) is TournamentAnswer.STARTED
    assert night.tournament().phase == Phase.FINAL
    assert night.table(lobby).status is Status.CLOSED
    assert night.people_at(*night.running()) == night.listed()


async def stages_beside_a_lobby(night: TournamentNight, *, idle: float = 0, alone: bool = False) -> int:
    """Seven people play all stages; two others, or one with a computer player, sit in a lobby of the group: its table.

    `idle`: the seconds since the last change there.
    """
    tables = await night.start()
    await night.say("P8", OpenLobby())
    (lobby,) = {*night.running()} - {*tables}
    await night.tap("P8" if alone else "P9", AddComputers(1) if alone else Join(), table=lobby)
    night.pass_time(idle)
    await night.finish(*tables)
    return lobby


async def test_the_last_finalist_wins_when_the_others_leave_a_final_that_waits(night: TournamentNight) -> None:
    lobby = await stages_beside_a_lobby(night)
    *leaving, last = night.listed()
    for number in leaving:
        assert await night.press(number, r.LeaveTournament(1)) is TournamentAnswer.WITHDRAWN
    assert night.tournament().phase == Phase.OVER
    (end,) = night.notices("tournament_bracket")
    assert f"P{last} wins the tournament!" in words(end)
    assert (len(end.places), end.places[0].name) == (7, f"P{last}")
    assert await night.press(last, r.LeaveTournament(1)) is TournamentAnswer.OVER
    for name in ("P8", "P9"):
        await night.tap(name, Leave(), table=lobby)
    assert night.table(lobby).status is Status.CLOSED
    await night.say("P1", r.OpenTournament())
    assert len(night.rows(Tournament)) == 2


async def test_a_tournament_whose_people_all_go_away_is_played_for_them_to_its_end(night: TournamentNight) -> None:
    tables = await night.start()
    began, most_turns = night.now, max(len(night.table(number).seats) for number in tables) + 1
    while night.tournament().phase == Phase.TABLES:
        await night.next_deadline()
    assert night.now - began < most_turns * SLOWEST_SECONDS, "each person lets one turn pass, then computers finish"
    assert night.tournament().phase == Phase.FINAL
    assert len(night.running()) == 1


async def test_a_finalist_who_never_wakes_does_not_win_when_the_others_leave(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    final = await night.reach_final()
    asleep, *others = (seat.name for seat in night.table(final).seats)
    while (game := game_of(night.table(final))).turn != 0:
        await night.move(final)
    while game_of(night.table(final)) == game:
        await night.next_deadline()
    await night.see_dice()
    for name in others:
        await night.tap(name, Leave(confirmed=True), table=final)
        await night.see_dice()
    places = {each.chat: each.notice for each in night.envelopes() if isinstance(each.notice, n.PlaceNotice)}
    winner, (won, told) = others[-1], (places[night.person(name).address] for name in (others[-1], asleep))
    assert (night.finale().winner, won.place, told.place) == (winner, 1, 2)
    assert [each for each in places.values() if each.slept] == [told], "only the sleeper is told that they slept"
    assert "No medal this time" in words(told)
    text = re.sub(r"(?<= )\W+ (?=P)", "", words(night.told()))
    assert f"{winner} wins the tournament!" in text
    assert f"🥇 {winner}\n2. {asleep}\n" in text


async def test_the_group_sees_at_most_eight_edits_in_a_minute_while_tables_play(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    await night.start(13)
    sent: list[float] = []
    due = inf
    night.mark_all_sent()
    while night.tournament().stage == 1:
        await night.move(night.script.choice(night.running()))
        night.now += 1.5
        waiting = [row for row in night.waiting() if row.slot == "tournament"]
        assert len(waiting) <= 1
        assert all(row.not_before <= due for row in waiting), "no change puts it off"
        due = min((row.not_before for row in waiting), default=inf)
        if due <= night.now:
            due = inf
            sent.append(night.now)
            night.mark_all_sent()
    assert max(sum(since <= at < since + 60 for at in sent) for since in sent) <= 9, "eight, and one for a new stage"


async def test_a_forgotten_person_is_missing_and_the_others_play_on(night: TournamentNight) -> None:
    tables = await night.start(9)
    player, deletion = night.player("P9").id, PersonDeletion(night.service)
    await deletion.leave(player)
    await night.finish(*(table for table in tables if 9 in night.people_at(table)))
    await deletion.forget(player)
    assert 9 not in night.listed()
    await night.play()
    assert night.tournament().phase == Phase.OVER
    last = night.finale().places[-1].name
    await deletion.forget(night.player(last).id)
    assert last not in {each.name for each in night.finale().places}


async def test_the_final_begins_at_the_groups_new_address_when_the_bot_is_there_again(night: TournamentNight) -> None:
    await night.open(7)
    await night.say("P1", i.ChatMoved(-1009), by="nothing")
    night.group = i.Place("telegram", -1009, 0, "Friends")
    assert await night.press(1, r.StartTournament(1)) is TournamentAnswer.STARTED
    assert [each.chat for each in night.envelopes() if each.notice.kind == "tournament"][-1] == -1009
    chat = night.tournament().chat_id
    night.update_row(models.Chat, chat, lost_at=night.now)
    await night.play(until=(Phase.FINAL_WAITS,))
    night.update_row(models.Chat, chat, lost_at=None)
    await night.say("P1", r.OpenTournament())
    assert night.tournament().phase == Phase.FINAL


@pytest.mark.parametrize("unfit", [Rules(min_seats=3), Rules(max_seats=2)])
async def test_rules_unfit_for_two_or_three_players_are_not_offered(night: TournamentNight, unfit: Rules) -> None:
    houses = (HouseRules(key="unfit", title="Unfit", rules=unfit),)
    night.service.config = replace(night.service.config, house_rules=houses, rules=unfit)
    await night.open(1)
    offered = [night.tournament().rules]
    while offered.count(offered[-1]) < 2:
        assert await night.press(1, r.ChangeTournamentRules(1)) is TournamentAnswer.CHANGED
        offered.append(night.tournament().rules)
    assert len(offered) > 3
    assert unfit.to_dict() not in offered


async def test_the_final_edits_no_list_and_its_winner_and_places_come_after_its_dice(night: TournamentNight) -> None:
    final = await night.reach_final()
    night.mark_all_sent()
    deals = night.table(final).deals
    while (table := night.table(final)).deals < deals + 2:
        await night.move(final)
    assert night.notices("tournament") == []
    leaving = next(seat.name for place, seat in enumerate(table.seats) if table.in_play(place))
    await night.tap(leaving, Leave(confirmed=True), table=final)
    await night.finish(final)
    await night.run_deadlines(60, told=False)
    assert (night.tournament().phase, night.notices("tournament_place")) == (Phase.FINAL, [])
    await night.see_dice()
    assert night.tournament().phase == Phase.OVER
    places = [(each.chat, each.notice) for each in night.envelopes() if isinstance(each.notice, n.PlaceNotice)]
    assert len(places) == 7
    assert [told.finalist for chat, told in places if chat == night.person(leaving).address] == [True]


async def test_old_tournaments_are_deleted(night: TournamentNight) -> None:
    await night.open(2)
    night.shows("tournament", 55, table=-1)
    night.now += KEPT_SECONDS + 1
    with night.database.transaction() as session:
        prune(session, night.now)
    assert [night.rows(kind) for kind in (Tournament, Entrant, models.SentMessage)] == [[], [], []]


async def test_nobody_stops_a_table_others_wait_for_and_a_stopped_final_has_no_winner(night: TournamentNight) -> None:
    async def stop(table: int, **more: Any) -> Status:
        host = next(seat.name for seat in night.table(table).seats if seat.player == night.table(table).host)
        await night.tap(host, Stop(confirmed=True), table=table, **more)
        return night.table(table).status

    table, *_ = await night.start()
    assert await stop(table, where=None) is Status.PLAYING
    assert await stop(await night.play_to_final()) is Status.CLOSED
    assert night.tournament().phase == Phase.CLOSED
    assert night.notices("tournament_place") == []


async def test_a_table_for_which_most_others_wait_gets_shorter_turns_and_is_told_once(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    *quick, slow = await night.start(13)
    for number in quick:
        night.update_row(StageTable, number, over=True)
    assert night.table(slow).clock.seconds == SLOWEST_SECONDS
    deals = night.table(slow).deals
    while night.table(slow).deals < deals + 2:
        await night.move(slow)
    assert night.table(slow).clock.seconds == HURRIED_SECONDS
    told = Counter(each.chat for each in night.envelopes() if each.notice.kind == "tournament_hurry")
    assert {*told.values()} == {1}
    assert len(told) == len(night.table(slow).seats)


async def test_three_people_who_come_late_make_another_table_until_the_first_has_ended(night: TournamentNight) -> None:
    await night.start()
    await night.join(8, 9, said=TournamentAnswer.LATE)
    assert night.message().late == ("P8", "P9")
    assert await night.press(9, r.LeaveTournament(1)) is TournamentAnswer.LEFT
    assert len(night.running()) == 2
    await night.join(9, 10, 11, said=TournamentAnswer.LATE)
    first, _, third = night.running()
    assert night.people_at(third) == [8, 9, 10]
    await night.finish(first)
    assert 11 not in night.listed(), "no table came together"
    told = [each.notice for each in night.envelopes() if each.chat == 1011]
    assert [(each.goes_on, each.played) for each in told if isinstance(each, n.StageResultNotice)] == [(False, False)]
    await night.join(12, said=TournamentAnswer.BEGUN)
    await night.play_to_final()


async def test_two_late_people_play_against_each_other_once_nobody_else_can_come(night: TournamentNight) -> None:
    first, second = await night.start()
    await night.join(8, 9, said=TournamentAnswer.LATE)
    await night.finish(first)
    late = night.running()[-1]
    assert night.people_at(late) == [8, 9]
    await night.finish(second)
    assert night.tournament().stage == 1, "the stage waits for their table"
    await night.finish(late)
    assert night.tournament().phase == Phase.FINAL
    assert len({8, 9} & {*night.people_at(*night.running())}) == 1


async def test_a_late_person_takes_the_seat_of_an_absent_one_and_goes_on_with_it(database: Database) -> None:
    night = TournamentNight(database, dice=2)
    first, second = await night.start()
    table = night.table(first)
    turn = game_of(table).turn
    assert turn is not None
    hal = table.seats[turn]
    await night.join(8, said=TournamentAnswer.LATE)
    assert night.notices("tournament_seats") == [], "all are there"
    await night.run_deadlines(SLOWEST_SECONDS + ENTRANCE_SECONDS)
    *_, offer = night.notices("tournament_seats")
    keys = {key.text: key.request for row in free_seats_keys(offer, EN) for key in row}
    asks = keys[f"Play on for {hal.name}"]
    assert asks == r.TakeFreeSeat(1, first, hal.player)
    sit = {"where": None, "by": "toast"}
    assert answer_of((await night.say("P1", asks, **sit)).toast) is TournamentAnswer.ALREADY_JOINED
    assert answer_of((await night.say("P9", asks, **sit)).toast) is TournamentAnswer.NOT_JOINED
    told = (await night.say("P8", asks, **sit)).toast
    assert isinstance(told, ConfirmationNotice)
    assert told.done is Confirmation.TAKES_OVER
    for _ in range(30):
        if game_of(night.table(first)).turn != turn:
            await night.move(first)
        await night.see_dice(5)
        if night.table(first).seats[turn].name == "P8":
            break
    assert (int(hal.name[1:]) in night.listed(), 8 in night.listed()) == (False, True)
    for number in [each for each in night.people_at(first) if each != 8][: len(table.seats) - 2]:
        await night.leave_table(number, first)
        await night.see_dice()
    await night.finish(second)
    await night.see_dice()
    assert night.tournament().phase == Phase.FINAL
    assert 8 in night.people_at(*night.running())
    assert int(hal.name[1:]) not in night.people_at(*night.running())


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
    first, last = sorted(night.running(), key=lambda number: 1 in night.people_at(number))
    for number in (first, last):
        while night.table(number).status is Status.PLAYING:
            await night.move(number)
            if night.table(number).status is Status.PLAYING:
                await night.see_dice(BEAT)
    kinds = ("tournament_seals", "tournament_stage")
    told = [len(night.notices(kind)) for kind in kinds]
    assert (night.tournament().phase, night.running()) == (Phase.TABLES, [])
    assert [line.over for line in night.message().tables].count(False) == 1
    for number in night.people_at(last):
        for request in (r.LeaveTournament(1), r.JoinTournament(1), r.StartTournament(1), r.OpenTournament()):
            said = await night.say(f"P{number}", request, by="toast")
            assert rejection_of(said.toast) is RejectionReason.REVEALING
    await night.see_dice(BEAT)
    assert night.tournament().phase == Phase.FINAL
    assert [len(night.notices(kind)) for kind in kinds] == [told[0] + 1, 8]


async def test_the_first_turn_lasts_a_minute_after_the_draw_or_the_entrance(night: TournamentNight) -> None:
    draw = [night.table(number) for number in await night.start()]
    for begun in (*draw, night.table(await night.play_to_final())):
        begins = begun.turn_since + ENTRANCE_SECONDS
        assert (begun.running.since, begun.running.ends) == (begins, begins + SLOWEST_SECONDS)
