"""The way onto a tournament's list: people of the group join, others wait for the host, who may also remove people."""

from typing import Any

import pytest
from sqlmodel import col, select

from telegram_bot.channels.telegram.enrichers import ChatAdmin
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.channels.web.limits import A_HOUSEHOLD
from telegram_bot.features.tournament import CloseList, LetIn, RemoveEntrant, SeeEntrants
from telegram_bot.features.tournament.draw import LATE_TABLE, MOST
from telegram_bot.features.tournament.notices import EntrantsNotice, Phase, TournamentAnswer, TournamentAnswerNotice
from telegram_bot.features.tournament.requests import (
    ChangeTournamentRules,
    JoinTournament,
    LeaveTournament,
    OpenTournament,
    SeeAllKeys,
    StartTournament,
)
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament
from telegram_bot.intents import intents as i
from telegram_bot.intents.request import Request
from telegram_bot.notices.rendering import message_html
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.repositories.room_access import LEAST_WAIT_SECONDS, MOST_ASKING
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.tables.events import RejectionReason
from telegram_bot.words.catalogue import catalogue
from telegram_sandbox import SandboxSettings, running_sandbox
from test_support.web_world import WebWorld, from_group, init_data, keys_of
from tests.telegram_bot.conftest import rejection_of
from tests.telegram_bot.features.tournament.test_tournament import TournamentNight, answer_of
from tests.telegram_bot.ingress.conftest import an_inbox

GROUP = -1001


class Door(TournamentNight):
    """Three people of a group on a list; the first one hosts it. Others text its code."""

    async def begin(self, people: int = 3) -> None:
        await self.open(people)
        self.mark_all_sent()

    async def texts(self, number: int, request: Request | None = None, *, name: str | None = None) -> TournamentAnswer:
        """A person from outside the group texts the code of the list, or another request."""
        who = i.Person("sms", 5000 + number, f"P{number}", language="en", name_is_guess=request is not None)
        request = request or JoinTournament(code=self.tournament().code, name=name)
        cause = f"text {number} {self.now} {len(self.rows(Player))} {self.text_number}"
        self.text_number += 1
        result = await self.service.handle(i.Intent("sms:test", cause, who, request, answered_by="toast"))
        return answer_of(result.toast)

    text_number = 0

    async def manages(self, number: int, request: Request, *, private: bool = True) -> TournamentAnswer:
        """A person taps a button below the private list of the people, or in the group."""
        more: dict[str, Any] = {"where": None} if private else {}
        return answer_of((await self.say(f"P{number}", request, by="toast", **more)).toast)

    async def is_refused(self, number: int, request: Request, **more: Any) -> RejectionReason:
        return rejection_of((await self.say(f"P{number}", request, by="toast", where=None, **more)).toast)

    def number_of(self, number: int) -> int:
        """The bot's own number of a person."""
        with self.database.transaction() as session:
            return session.exec(select(Player.id).where(Player.name == f"P{number}")).one()

    def people(self, standing: Standing = Standing.IN) -> list[str]:
        names = {row.id: row.name for row in self.rows(Player)}
        found = sorted(self.rows(Entrant), key=lambda each: each.number)
        return [names[each.player_id] for each in found if each.standing == standing]

    def private_lists(self, chat: int = 1001) -> list[EntrantsNotice]:
        """The lists with buttons that a person's chat got, the newest last."""
        told = [each.notice for each in self.envelopes() if each.chat == chat]
        return [notice for notice in told if isinstance(notice, EntrantsNotice)]

    def answers_to(self, number: int) -> list[TournamentAnswer]:
        """The answers that a phone got later, as messages."""
        told = [each.notice for each in self.envelopes() if (each.channel, each.chat) == ("sms", 5000 + number)]
        return [notice.answer for notice in told if isinstance(notice, TournamentAnswerNotice)]


@pytest.fixture
def night(database: Database) -> Door:
    return Door(database)


def labels(notice: EntrantsNotice) -> list[str]:
    return [key["text"] for row in keyboard(notice, catalogue("en"), bot="perudo_bot") for key in row]


async def test_people_who_text_the_code_take_no_place_until_the_host_lets_them_in(night: Door) -> None:
    await night.begin()
    for number in (7, 8, 9):
        assert await night.texts(number) is TournamentAnswer.ASKED
        assert await night.texts(number) is TournamentAnswer.ASKED, "the second text asks no second time"
    assert (night.people(), night.people(Standing.ASKS)) == (["P1", "P2", "P3"], ["P7", "P8", "P9"])
    assert night.message().asking == 3
    edit_only = [each.edit_only for each in night.envelopes() if isinstance(each.notice, EntrantsNotice)]
    assert edit_only == [False, True, True], "the host gets one message about all of them"
    shown = night.private_lists()[-1]
    assert [name for _, name in shown.asking] == ["P7", "P8", "P9"]
    assert {"🚪 P7", "🚪 Let all in", "✖️ Refuse", "✖️ Remove P2", "🛑 Close the list"} <= set(labels(shown))
    for name in ("Gran", "P7"):
        assert await night.texts(7, name=name) is TournamentAnswer.ASKED
        assert night.private_lists()[-1].asking[0][1] == name, "the host reads a later name"
    assert await night.manages(1, LetIn(1, GROUP, night.number_of(7))) is TournamentAnswer.CHANGED
    assert (night.people(), night.people(Standing.ASKS)) == (["P1", "P2", "P3", "P7"], ["P8", "P9"])
    assert night.answers_to(7) == [TournamentAnswer.JOINED]
    assert await night.texts(7) is TournamentAnswer.ALREADY_JOINED
    assert await night.manages(1, LetIn(1, GROUP)) is TournamentAnswer.CHANGED
    assert night.people() == ["P1", "P2", "P3", "P7", "P8", "P9"]


async def test_a_person_who_was_removed_or_refused_cannot_join_this_list_again_by_any_way(night: Door) -> None:
    await night.begin()
    await night.texts(7)
    for number in (7, 2):
        assert await night.manages(1, RemoveEntrant(1, GROUP, night.number_of(number))) is TournamentAnswer.CHANGED
    assert night.answers_to(7) == [TournamentAnswer.REMOVED]
    assert await night.texts(7) is TournamentAnswer.REMOVED
    assert await night.press(2, JoinTournament(1)) is TournamentAnswer.REMOVED
    assert await night.press(2, LeaveTournament(1)) is TournamentAnswer.NOT_JOINED
    await night.say("P2", i.MemberLeft(), by="nothing")
    assert await night.press(2, JoinTournament(1)) is TournamentAnswer.REMOVED, "they came back into the group"
    assert night.people() == ["P1", "P3"]
    removed = night.private_lists()[-1].removed
    assert sorted(name for _, name in removed) == ["P2", "P7"]
    assert await night.manages(1, LetIn(1, GROUP, night.number_of(2))) is TournamentAnswer.CHANGED, "undone"
    assert night.people() == ["P1", "P3", "P2"]


async def test_the_group_s_list_has_one_key_first_two_beside_it_and_the_rest_under_more(night: Door) -> None:
    def keys() -> list[list[str]]:
        return [[key["text"] for key in row] for row in keyboard(night.message(), catalogue("en"), bot="perudo_bot")]

    await night.open(3)
    assert keys() == [["🪑 Join"], ["▶️ Start", "More"]]
    await night.say("P2", SeeAllKeys(1), by="toast")
    unfolded = keys()
    assert unfolded == [["🪑 Join"], ["▶️ Start", "👥 People"], ["📖 Other rules", "🤖 Fill"], ["🚪 Leave"]]
    await night.press(1, ChangeTournamentRules(1))
    assert keys() == unfolded, "a host goes on to the next rules"
    await night.texts(7)
    assert keys() == [["🪑 Join"], ["▶️ Start", "👥 People"]]


async def test_only_the_host_and_admins_of_this_group_change_the_list_and_no_one_removes_the_host(night: Door) -> None:
    await night.begin()
    admin = SeeEntrants(1, is_admin=True)
    assert await night.manages(3, admin, private=False) is TournamentAnswer.SHOWN_IN_PRIVATE
    assert [name for _, name in night.private_lists(1003)[-1].people] == ["P2", "P3"]
    await night.manages(3, RemoveEntrant(1, GROUP, night.number_of(1), is_admin=True))
    await night.texts(7)
    night.pass_time(3600)  # others may start without the host now, and let no one in
    player = night.number_of(7)
    for request in (
        LetIn(1, GROUP, player),
        LetIn(1, GROUP),
        RemoveEntrant(1, GROUP, player),
        CloseList(1, GROUP, confirmed=True),
        SeeEntrants(1, GROUP),
        LetIn(1, -42, player, is_admin=True),
        LetIn(1, None, player, is_admin=True),
    ):
        assert await night.is_refused(2, request) is RejectionReason.NOT_ALLOWED
    assert await night.is_refused(2, LetIn(1, GROUP, player, is_admin=None)) is RejectionReason.CANNOT_TELL
    assert (night.people(), night.people(Standing.ASKS)) == (["P1", "P2", "P3"], ["P7"])
    assert await night.manages(2, LetIn(1, GROUP, player, is_admin=True)) is TournamentAnswer.CHANGED
    assert night.people() == ["P1", "P2", "P3", "P7"]
    assert night.private_lists()[-1].asking == (), "the host's message no longer asks"


async def test_telegram_is_asked_about_admins_of_the_group_that_a_button_in_a_private_chat_names(night: Door) -> None:
    async with running_sandbox(SandboxSettings(port=0)) as sandbox, an_inbox(night, sandbox) as inbox:
        source = inbox.sources["telegram"]
        assert isinstance(source, TelegramSource)
        (admins,) = [each for each in source.enrichment.enrichers if isinstance(each, ChatAdmin)]
        for group, where in ((GROUP, None), (None, None), (None, night.group)):
            intent = night.intent("P2", RemoveEntrant(1, group, 5), where=where)
            fact = await admins.look_up(intent)
            assert fact is False
            assert admins.add_fact(intent, True).request == RemoveEntrant(1, group, 5, is_admin=True)
        asked = [call.params for call in sandbox.world.calls.named("getChatMember")]
        assert [(str(each["chat_id"]), str(each["user_id"])) for each in asked] == [(str(GROUP), "1002")] * 2


@pytest.mark.parametrize("closer", [1, 2])
async def test_the_host_or_an_admin_closes_the_list_after_a_question(night: Door, closer: int) -> None:
    await night.begin()
    for number in (7, 8):
        await night.texts(number)
    await night.manages(1, LetIn(1, GROUP, night.number_of(7)))
    asked = CloseList(1, GROUP, is_admin=closer == 2)
    assert (await night.say(f"P{closer}", asked, by="toast", where=None)).toast is None
    question = night.private_lists(1000 + closer)[-1]
    assert (question.closing, labels(question)) == (True, ["🛑 Close the list", "↩️ Back"])
    assert night.tournament().live
    await night.manages(closer, CloseList(1, GROUP, confirmed=True, is_admin=closer == 2))
    assert (night.tournament().phase, night.message().phase) == (Phase.CLOSED, Phase.CLOSED)
    assert [night.answers_to(number)[-1] for number in (7, 8)] == [TournamentAnswer.CLOSED] * 2
    await night.say("P2", OpenTournament())
    assert night.tournament().id == 2, "another one can be opened"


async def test_the_host_of_a_begun_tournament_only_lets_late_people_in_until_the_first_table_ends(night: Door) -> None:
    await night.begin(7)
    await night.press(1, StartTournament(1))
    assert await night.manages(1, CloseList(1, GROUP, confirmed=True)) is TournamentAnswer.BEGUN
    await night.manages(1, RemoveEntrant(1, GROUP, night.number_of(7)))
    assert len(night.people()) == 7, "the tables keep their people"
    assert night.private_lists()[-1].people == ()
    for number in range(8, 8 + LATE_TABLE + 1):
        assert await night.texts(number) is TournamentAnswer.ASKED
    tables = len(night.running())
    for number in range(8, 8 + LATE_TABLE):
        await night.manages(1, LetIn(1, GROUP, night.number_of(number)))
        assert night.answers_to(number)[0] is TournamentAnswer.LATE
    assert len(night.running()) == tables + 1
    while len(night.running()) > tables:
        await night.move(night.running()[0])
    await night.see_dice()
    last = 8 + LATE_TABLE
    assert night.answers_to(last) == [TournamentAnswer.BEGUN]
    assert await night.texts(last) is TournamentAnswer.BEGUN
    assert await night.manages(1, LetIn(1, GROUP)) is TournamentAnswer.BEGUN


async def test_people_who_ask_fill_no_list_and_the_eleventh_waits_two_minutes(night: Door) -> None:
    await night.begin(2)
    for number in range(50, 50 + MOST_ASKING):
        assert await night.texts(number) is TournamentAnswer.ASKED
    assert await night.texts(90) is TournamentAnswer.MANY_ASK
    night.pass_time(LEAST_WAIT_SECONDS)
    assert await night.texts(90) is TournamentAnswer.ASKED
    assert night.people(Standing.ASKS) == [*(f"P{number}" for number in range(51, 50 + MOST_ASKING)), "P90"]
    await night.meet(9)
    assert await night.press(9, JoinTournament(1)) is TournamentAnswer.JOINED
    assert len(night.message().names) == 3


async def test_more_people_than_there_are_places_are_not_let_in(night: Door) -> None:
    await night.begin(MOST - 1)
    for number in (70, 71):
        await night.texts(number)
    assert await night.manages(1, LetIn(1, GROUP)) is TournamentAnswer.FULL
    assert (len(night.people()), night.people(Standing.ASKS)) == (MOST, ["P71"])


async def test_a_person_who_asked_is_told_where_they_are_and_withdraws_or_joins_in_the_group(night: Door) -> None:
    await night.begin()
    await night.texts(7, name="Rita")
    with night.database.transaction() as session:
        assert session.exec(select(Player).where(Player.name == "Rita")).one().named
    assert [name for _, name in night.private_lists()[-1].asking] == ["Rita"]
    assert await night.texts(7, JoinTournament()) is TournamentAnswer.ASKED
    assert await night.texts(7, LeaveTournament()) is TournamentAnswer.LEFT
    assert (night.people(), night.people(Standing.ASKS)) == (["P1", "P2", "P3"], [])
    await night.meet(8)
    await night.say("P8", JoinTournament(code=night.tournament().code), where=None, by="toast")
    assert night.people(Standing.ASKS) == ["P8"]
    assert await night.press(8, JoinTournament(1)) is TournamentAnswer.JOINED
    assert (night.people()[-1], night.people(Standing.ASKS)) == ("P8", [])


async def test_a_host_without_a_private_chat_sees_in_the_group_that_people_ask(night: Door) -> None:
    await night.meet(2)
    await night.say("P1", OpenTournament())
    await night.press(2, JoinTournament(1))
    await night.texts(7)
    assert night.private_lists() == []
    said = message_html(night.message(), catalogue("en")) or ""
    assert "1 person would like to join. P1 decides: tap People." in said
    assert await night.manages(1, SeeEntrants(1), private=False) is TournamentAnswer.OPEN_PRIVATE_CHAT
    await night.meet(1)
    assert await night.manages(1, SeeEntrants(1), private=False) is TournamentAnswer.SHOWN_IN_PRIVATE
    assert [name for _, name in night.private_lists()[-1].asking] == ["P7"]


async def test_when_the_host_leaves_a_person_of_the_group_is_the_host_rather_than_a_phone(night: Door) -> None:
    await night.meet(1)
    await night.say("P1", OpenTournament())
    await night.texts(7)
    await night.manages(1, LetIn(1, GROUP))
    await night.meet(2)
    await night.press(2, JoinTournament(1))
    await night.say("P1", LeaveTournament(1), by="toast")
    assert (night.people(), night.message().host) == (["P7", "P2"], "P2")


async def test_a_forgotten_host_passes_the_list_on_and_the_next_new_person_does_not_host_it(database: Database) -> None:
    night = Door(database)
    await night.meet(2)
    await night.say("P9", OpenTournament())
    await night.press(2, JoinTournament(1))
    number = night.number_of(9)
    assert night.tournament().host_id == number
    assert night.message().host == "P9"
    await PersonDeletion(night.service).forget(number)
    assert night.tournament().host_id is None
    assert (night.message().host, night.message().names) == ("P2", ("P2",)), "the list is shown without them"
    await night.say("P8", StartPrivateChat(greeted=False), where=None)
    await night.say("P2", OpenTournament())
    assert night.message().host == "P2"


@pytest.mark.parametrize("addresses", [["192.0.2.66"], [f"2001:db8:7:{number:x}::1" for number in range(16)]])
async def test_after_six_guests_of_a_network_the_next_ones_wait(database: Database, addresses: list[str]) -> None:
    night = WebWorld(database)
    await night.telegram_asks(1, StartPrivateChat(greeted=False), private=True)
    await night.telegram_asks(1, OpenTournament())
    with database.transaction() as session:
        code = session.get_one(Tournament, 1).code
    app = night.browser("192.0.2.5")
    await app.ask("app", init_data=init_data(1, night.now, "Person 1", **from_group(str(code))))
    key, _ = await keys_of(app)

    async def joins(address: str, name: str) -> str:
        guest = night.browser(address)
        await guest.ask("enter", code=code, key=key, name=name, language="en")
        for asks in (False, True):
            said = await guest.act("enter", code=code, asks=asks)
        return str(said["text"])

    told = [await joins(addresses[number % len(addresses)], f"Guest {number}") for number in range(12)]
    standings = [each.standing for each in night.rows(Entrant)]
    assert standings.count(Standing.IN) == 1 + A_HOUSEHOLD
    assert standings.count(Standing.ASKS) == 12 - A_HOUSEHOLD
    assert "I've asked the host" in told[-1]
    await joins("198.51.100.7", "Gus")
    with database.transaction() as session:
        gus = session.exec(select(Entrant).join(Player, col(Player.id) == col(Entrant.player_id)))
        assert list(gus)[-1].standing == Standing.IN
    await night.telegram_asks(1, LetIn(1, -1000), private=True)
    assert {each.standing for each in night.rows(Entrant)} == {Standing.IN}
