"""The way onto a tournament's list: people of the group join, others wait for the host, who may also remove people."""

from dataclasses import replace

import pytest

from telegram_bot.channels.telegram.enrichers import ChatAdmin
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.channels.web.limits import A_HOUSEHOLD
from telegram_bot.features.tournament import CloseList, LetIn, RemoveEntrant, SeeEntrants
from telegram_bot.features.tournament import requests as r
from telegram_bot.features.tournament.draw import LATE_TABLE, MOST
from telegram_bot.features.tournament.notices import EntrantsNotice, Phase, TournamentAnswer, TournamentAnswerNotice
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament
from telegram_bot.intents import intents as i
from telegram_bot.intents.request import Request
from telegram_bot.notices import Notice
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.repositories.room_access import LEAST_WAIT_SECONDS, MOST_ASKING
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.tables.events import RejectionReason
from telegram_sandbox import SandboxSettings, running_sandbox
from test_support.web_world import WebWorld, from_group, init_data, keys_of
from tests.telegram_bot.conftest import EN, GROUP, rejection_of
from tests.telegram_bot.features.tournament.test_tournament import TournamentNight, answer_of
from tests.telegram_bot.ingress.conftest import an_inbox
from tests.telegram_bot.words.notice_examples import words


class Door(TournamentNight):
    """Three people of a group on a list; the first one hosts it. Others text its code."""

    async def texts(self, number: int, request: Request | None = None, *, name: str | None = None) -> TournamentAnswer:
        """A person from outside the group texts the code of the list, or another request."""
        who = i.Person("sms", 5000 + number, f"P{number}", language="en", name_is_guess=request is not None)
        request = request or r.JoinTournament(code=self.tournament().code, name=name)
        self._causes += 1
        intent = i.Intent("sms:test", str(self._causes), who, request, answered_by="toast")
        return answer_of((await self.service.handle(intent)).toast)

    async def manages(self, number: int, request: Request) -> TournamentAnswer:
        """A person taps a button below the private list of the people."""
        return await self.press(number, request, where=None)

    async def let_in(self, number: int = 0, *, said: TournamentAnswer = TournamentAnswer.CHANGED) -> None:
        assert await self.manages(1, LetIn(1, GROUP, number and self.number_of(number))) is said

    async def ask(self, *numbers: int) -> None:
        assert [await self.texts(number) for number in numbers] == [TournamentAnswer.ASKED] * len(numbers)

    def number_of(self, number: int) -> int:
        return next(row.id for row in self.rows(Player) if row.name == f"P{number}")

    def people(self, standing: Standing = Standing.IN) -> list[str]:
        names = {row.id: row.name for row in self.rows(Player)}
        found = sorted(self.rows(Entrant), key=lambda each: each.number)
        return [names[each.player_id] for each in found if each.standing == standing]

    def private_lists(self, chat: int = 1001) -> list[EntrantsNotice]:
        """The lists with buttons that a person's chat got, the newest last."""
        told = [each.notice for each in self.envelopes() if each.chat == chat]
        return [notice for notice in told if isinstance(notice, EntrantsNotice)]

    def answers_to(self, number: int) -> list[TournamentAnswer]:
        told = [each.notice for each in self.envelopes() if (each.channel, each.chat) == ("sms", 5000 + number)]
        return [notice.answer for notice in told if isinstance(notice, TournamentAnswerNotice)]


@pytest.fixture
def night(database: Database) -> Door:
    return Door(database)


def rows_of(notice: Notice) -> list[list[str]]:
    return [[key["text"] for key in row] for row in keyboard(notice, EN, bot="perudo_bot")]


def labels(notice: Notice) -> list[str]:
    return [text for row in rows_of(notice) for text in row]


async def test_people_who_text_the_code_take_no_place_until_the_host_lets_them_in(night: Door) -> None:
    await night.open(3)
    for number in (7, 8, 9):
        await night.ask(number, number)  # the second text asks no second time
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
    await night.let_in(7)
    assert (night.people(), night.people(Standing.ASKS)) == (["P1", "P2", "P3", "P7"], ["P8", "P9"])
    assert night.answers_to(7) == [TournamentAnswer.JOINED]
    assert await night.texts(7) is TournamentAnswer.ALREADY_JOINED
    await night.let_in()
    assert night.people() == ["P1", "P2", "P3", "P7", "P8", "P9"]


async def test_a_person_who_was_removed_or_refused_cannot_join_this_list_again_by_any_way(night: Door) -> None:
    await night.open(3)
    await night.ask(7)
    for number in (7, 2):
        assert await night.manages(1, RemoveEntrant(1, GROUP, night.number_of(number))) is TournamentAnswer.CHANGED
    assert night.answers_to(7) == [TournamentAnswer.REMOVED]
    assert await night.texts(7) is TournamentAnswer.REMOVED
    assert await night.press(2, r.JoinTournament(1)) is TournamentAnswer.REMOVED
    assert await night.press(2, r.LeaveTournament(1)) is TournamentAnswer.NOT_JOINED
    await night.say("P2", i.MemberLeft(), by="nothing")
    assert await night.press(2, r.JoinTournament(1)) is TournamentAnswer.REMOVED, "they came back into the group"
    assert night.people() == ["P1", "P3"]
    assert sorted(name for _, name in night.private_lists()[-1].removed) == ["P2", "P7"]
    await night.let_in(2)
    assert night.people() == ["P1", "P3", "P2"], "undone"


async def test_the_group_s_list_has_one_key_first_two_beside_it_and_the_rest_under_more(night: Door) -> None:
    def keys() -> list[list[str]]:
        return rows_of(night.message())

    await night.open(3)
    assert keys() == [["🪑 Join"], ["▶️ Start", "More"]]
    await night.say("P2", r.SeeAllKeys(1), by="toast")
    unfolded = keys()
    assert unfolded == [["🪑 Join"], ["▶️ Start", "👥 People"], ["📖 Other rules", "🤖 Fill"], ["🚪 Leave"]]
    await night.press(1, r.ChangeTournamentRules(1))
    assert keys() == unfolded, "a host goes on to the next rules"
    await night.texts(7)
    assert keys() == [["🪑 Join"], ["▶️ Start", "👥 People"]]


async def test_only_the_host_and_admins_of_this_group_change_the_list_and_no_one_removes_the_host(night: Door) -> None:
    await night.open(3)
    assert await night.press(3, SeeEntrants(1, is_admin=True)) is TournamentAnswer.SHOWN_IN_PRIVATE
    assert [name for _, name in night.private_lists(1003)[-1].people] == ["P2", "P3"]
    await night.manages(3, RemoveEntrant(1, GROUP, night.number_of(1), is_admin=True))
    await night.ask(7)
    night.pass_time(3600)  # others may start without the host now, and let no one in
    player = night.number_of(7)
    for request, why in (
        (LetIn(1, GROUP, player), RejectionReason.NOT_ALLOWED),
        (LetIn(1, GROUP), RejectionReason.NOT_ALLOWED),
        (RemoveEntrant(1, GROUP, player), RejectionReason.NOT_ALLOWED),
        (CloseList(1, GROUP, confirmed=True), RejectionReason.NOT_ALLOWED),
        (SeeEntrants(1, GROUP), RejectionReason.NOT_ALLOWED),
        (LetIn(1, -42, player, is_admin=True), RejectionReason.NOT_ALLOWED),
        (LetIn(1, None, player, is_admin=True), RejectionReason.NOT_ALLOWED),
        (LetIn(1, GROUP, player, is_admin=None), RejectionReason.CANNOT_TELL),
    ):
        assert rejection_of((await night.say("P2", request, by="toast", where=None)).toast) is why
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
            assert await admins.look_up(intent) is False
            assert admins.add_fact(intent, True).request == RemoveEntrant(1, group, 5, is_admin=True)
        asked = [call.params for call in sandbox.world.calls.named("getChatMember")]
        assert [(str(each["chat_id"]), str(each["user_id"])) for each in asked] == [(str(GROUP), "1002")] * 2


@pytest.mark.parametrize("closer", [1, 2])
async def test_the_host_or_an_admin_closes_the_list_after_a_question(night: Door, closer: int) -> None:
    await night.open(3)
    await night.ask(7, 8)
    await night.let_in(7)
    asked = CloseList(1, GROUP, is_admin=closer == 2)
    assert (await night.say(f"P{closer}", asked, by="toast", where=None)).toast is None
    question = night.private_lists(1000 + closer)[-1]
    assert (question.closing, labels(question)) == (True, ["🛑 Close the list", "↩️ Back"])
    assert night.tournament().live
    await night.manages(closer, replace(asked, confirmed=True))
    assert (night.tournament().phase, night.message().phase) == (Phase.CLOSED, Phase.CLOSED)
    assert [night.answers_to(number)[-1] for number in (7, 8)] == [TournamentAnswer.CLOSED] * 2
    await night.say("P2", r.OpenTournament())
    assert night.tournament().id == 2, "another one can be opened"


async def test_the_host_of_a_begun_tournament_only_lets_late_people_in_until_the_first_table_ends(night: Door) -> None:
    first, *_ = await night.start(7)
    assert await night.manages(1, CloseList(1, GROUP, confirmed=True)) is TournamentAnswer.BEGUN
    await night.manages(1, RemoveEntrant(1, GROUP, night.number_of(7)))
    assert len(night.people()) == 7, "the tables keep their people"
    assert night.private_lists()[-1].people == ()
    *late, last = range(8, 8 + LATE_TABLE + 1)
    await night.ask(*late, last)
    tables = len(night.running())
    for number in late:
        await night.let_in(number)
        assert night.answers_to(number)[0] is TournamentAnswer.LATE
    assert len(night.running()) == tables + 1
    await night.finish(first)
    await night.see_dice()
    assert night.answers_to(last) == [TournamentAnswer.BEGUN]
    assert await night.texts(last) is TournamentAnswer.BEGUN
    await night.let_in(said=TournamentAnswer.BEGUN)


async def test_people_who_ask_fill_no_list_and_the_eleventh_waits_two_minutes(night: Door) -> None:
    await night.open(2)
    await night.ask(*range(50, 50 + MOST_ASKING))
    assert await night.texts(90) is TournamentAnswer.MANY_ASK
    night.pass_time(LEAST_WAIT_SECONDS)
    await night.ask(90)
    assert night.people(Standing.ASKS) == [*(f"P{number}" for number in range(51, 50 + MOST_ASKING)), "P90"]
    await night.join(9)
    assert len(night.message().names) == 3


async def test_the_forty_first_person_is_told_the_limit_and_not_let_in(night: Door) -> None:
    await night.open(MOST - 1)
    await night.ask(70, 71)
    await night.let_in(said=TournamentAnswer.FULL)
    assert (len(night.people()), night.people(Standing.ASKS)) == (MOST, ["P71"])
    await night.join(MOST, said=TournamentAnswer.FULL)


async def test_a_person_who_asked_is_told_where_they_are_and_withdraws_or_joins_in_the_group(night: Door) -> None:
    await night.open(3)
    await night.texts(7, name="Rita")
    assert next(row for row in night.rows(Player) if row.name == "Rita").named
    assert [name for _, name in night.private_lists()[-1].asking] == ["Rita"]
    assert await night.texts(7, r.JoinTournament()) is TournamentAnswer.ASKED
    assert await night.texts(7, r.LeaveTournament()) is TournamentAnswer.LEFT
    assert (night.people(), night.people(Standing.ASKS)) == (["P1", "P2", "P3"], [])
    await night.meet(8)
    by_code = r.JoinTournament(code=night.tournament().code)
    assert await night.press(8, by_code, where=None) is TournamentAnswer.ASKED
    assert await night.press(8, r.JoinTournament(1)) is TournamentAnswer.JOINED
    assert (night.people()[-1], night.people(Standing.ASKS)) == ("P8", [])


async def test_a_host_without_a_private_chat_sees_in_the_group_that_people_ask(night: Door) -> None:
    await night.say("P1", r.OpenTournament())
    await night.join(2)
    await night.ask(7)
    assert night.private_lists() == []
    assert "1 person would like to join. P1 decides: tap People." in words(night.message())
    assert await night.press(1, SeeEntrants(1)) is TournamentAnswer.OPEN_PRIVATE_CHAT
    await night.meet(1)
    assert await night.press(1, SeeEntrants(1)) is TournamentAnswer.SHOWN_IN_PRIVATE
    assert [name for _, name in night.private_lists()[-1].asking] == ["P7"]


async def test_when_the_host_leaves_a_person_of_the_group_is_the_host_rather_than_a_phone(night: Door) -> None:
    await night.open(1)
    await night.ask(7)
    await night.let_in()
    await night.join(2)
    await night.press(1, r.LeaveTournament(1))
    assert (night.people(), night.message().host) == (["P7", "P2"], "P2")


async def test_a_forgotten_host_passes_the_list_on_and_the_next_new_person_does_not_host_it(night: Door) -> None:
    await night.say("P9", r.OpenTournament())
    await night.join(2)
    assert night.message().host == "P9"
    await PersonDeletion(night.service).forget(night.number_of(9))
    assert (night.message().host, night.message().names) == ("P2", ("P2",)), "the list is shown without them"
    await night.meet(8)
    await night.say("P2", r.OpenTournament())
    assert night.message().host == "P2"


async def test_after_six_guests_of_a_network_the_next_ones_wait(database: Database) -> None:
    night = WebWorld(database)
    await night.telegram_asks(1, StartPrivateChat(greeted=False), where=None)
    await night.telegram_asks(1, r.OpenTournament())
    code = night.rows(Tournament)[0].code
    app = night.browser("192.0.2.5")
    await app.ask("app", init_data=init_data(1, night.now, "Person 1", **from_group(code)))
    key, _ = await keys_of(app)

    async def joins(address: str, name: str) -> str:
        guest = night.browser(address)
        await guest.ask("enter", code=code, key=key, name=name, language="en")
        for asks in (False, True):
            said = await guest.act("enter", code=code, asks=asks)
        return str(said["text"])

    def standings() -> list[str]:
        return [each.standing for each in sorted(night.rows(Entrant), key=lambda each: each.number)]

    told = [await joins(f"2001:db8:7:{number:x}::1", f"Guest {number}") for number in range(A_HOUSEHOLD + 2)]
    assert standings() == [Standing.IN] * (1 + A_HOUSEHOLD) + [Standing.ASKS] * 2
    assert "I've asked the host" in told[-1]
    await joins("198.51.100.7", "Gus")
    assert standings()[-1] == Standing.IN
    await night.telegram_asks(1, LetIn(1, -1000), where=None)
    assert {*standings()} == {Standing.IN}
