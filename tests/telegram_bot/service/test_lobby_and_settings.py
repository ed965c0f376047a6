"""Through the service: the lobby, one table per place, the tables of an evening, a group's settings, permissions."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest

from perudo_core import Rules
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import Confirmation, LobbyNotice, SettingsFolder, SettingsNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.repositories.repositories import REMATCH_SECONDS
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid, ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import (
    AddComputers,
    ChangeOption,
    Join,
    Kick,
    OpenLobby,
    OpenMenu,
    PlayAgain,
    RequestNextGame,
    Start,
    StartPrivateChat,
)
from telegram_bot.service.handlers.phone_requests import ChooseTable
from telegram_bot.service.handlers.queries import (
    BidHere,
    IdentifyAdmin,
    SeeDice,
    SeeHelp,
    SeeRules,
    SeeStatus,
    UnknownChoice,
    UnparsedText,
)
from telegram_bot.service.handlers.settings import Choose, SeeSettings, SettingValue
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, DiceStyle, GameTable, LaneName, OutboxEntry, TableSeat
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import CloseReason, OnTimeout, Status, Table
from test_support.web_world import WebWorld, a_room, keys_of
from tests.telegram_bot.conftest import EN, GROUP, GroupHarness, confirmation_of, rejection_of

CHOSEN = (Confirmation.RULES_CHOSEN, Confirmation.OPTION_CHANGED)
EXAMPLES: dict[str, SettingValue] = {"dice_style": "signs", "chosen_language": "nl"}
EXAMPLES |= {"pictures": False, "trusts_voice": True}


def names(harness: GroupHarness, table: int = 1) -> list[str]:
    return [seat.name for seat in harness.table(table).seats]


async def test_a_lobby_is_one_message_that_changes_and_comes_down_when_opened_again(harness: GroupHarness) -> None:
    def told() -> list[tuple[str, bool]]:
        found = [(envelope.notice.kind, envelope.edits) for envelope in harness.envelopes()]
        harness.mark_all_sent()
        return found

    outcome = await harness.say("Ana", OpenLobby())
    assert (outcome.toast, outcome.lanes) == (None, frozenset({LaneName("telegram", -1001)}))
    assert [(row.slot, row.table_id) for row in harness.waiting()] == [("lobby", 1)]
    await harness.say("Bo", Join())
    assert [seat.name for seat in harness.notices("lobby")[0].view.seats] == ["Ana", "Bo"]
    assert told() == [("lobby", False)], "a lobby that nobody has seen yet is told once"
    await harness.say("Cy", Join())
    assert told() == [("lobby", True)]
    await harness.say("Bo", OpenLobby())
    assert told() == [("lobby", False)], "the new message comes to the end of the chat"
    assert len(harness.rows(GameTable)) == 1


async def test_a_chosen_name_stays_theirs_is_told_apart_from_the_others_and_is_a_name(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.say("Bo", Choose("name", "ana"))
    assert names(harness) == ["Ana", "ana 2"]
    await harness.say("Bo", Leave())
    await harness.say("Bo", Choose("name", "Dad"))
    for where in (harness.group, None):
        await harness.say("Bo", Choose("name", ""), where=where)
    assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.NO_NAME] * 2
    await harness.say("Bo", Join())
    assert names(harness) == ["Ana", "Dad"], "the messenger still calls them Bo"


async def test_no_name_of_a_messenger_looks_like_a_computer_player(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    await harness.tap("Ana", AddComputers(1))
    computer = names(harness)[1]
    imitator = harness.intent("Bo", Join())
    await harness.service.handle(replace(imitator, who=i.Person("telegram", 102, computer, None, None)))
    assert names(harness) == ["Ana", computer, computer.removeprefix("🤖 ")]


async def test_a_number_behind_a_name_stays_for_the_game(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    for name in ("Ana", "Bo", "Cy"):
        await harness.say(name, Choose("name", "Gran"))
    assert names(harness) == ["Gran", "Gran 2", "Gran 3"]
    await harness.say("Ana", Choose("name", "Lea"))
    await harness.tap("Ana", MakeBid(3, 4))
    await harness.say("Bo", SeeDice(), where=None)
    await harness.tap("Bo", MakeBid(4, 4))
    await harness.say("Cy", SeeStatus())
    assert names(harness) == ["Lea", "Gran 2", "Gran 3"], "the messages above call them so"
    await harness.say("Cy", Choose("name", "Dad"))
    assert names(harness) == ["Lea", "Gran 2", "Dad"]


async def test_a_tap_is_answered_with_a_toast_and_words_with_a_message(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    harness.mark_all_sent()
    tapped = await harness.tap("Bo", Join())
    assert confirmation_of(tapped.toast) is Confirmation.JOINED
    assert harness.waiting_kinds() == [("lobby", GROUP)]
    harness.mark_all_sent()
    again = await harness.tap("Bo", Join())
    assert rejection_of(again.toast) is RejectionReason.ALREADY_JOINED
    assert harness.waiting_kinds() == []
    spoken = await harness.say("Bo", Join())
    assert spoken.toast is None
    assert harness.waiting_kinds() == [("rejection", GROUP)]


async def test_joining_by_link_in_private(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    harness.mark_all_sent()
    await harness.say("Bo", StartPrivateChat(code="NOTHERE"), where=None)
    assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.NO_TABLE]
    assert harness.player("Bo").direct == "open", "the private chat is open all the same"
    harness.mark_all_sent()
    code = harness.table().code
    await harness.say("Bo", StartPrivateChat(code=code.lower()), where=None)
    assert names(harness) == ["Ana", "Bo"]
    assert harness.waiting_kinds() == [("lobby", GROUP), ("confirmation", 102)]
    harness.mark_all_sent()
    await harness.say("Bo", StartPrivateChat(code=code), where=None)
    assert harness.waiting_kinds() == [("welcome", 102)], "who sits there already is greeted"
    assert harness.notices("welcome")[0].titles == ("Friends",)


async def test_the_host_decides_the_table_shows_it_and_the_group_remembers_it(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo", "Cy")
    rules = Rules.preset("aces").with_options(calza=True)
    for wish, chosen_rules in (
        (ChangeOption("rulebook", "aces"), Rules.preset("aces")),
        (ChangeOption("calza"), rules),
    ):
        assert confirmation_of((await harness.tap("Ana", wish)).toast) in CHOSEN, "at once"
        assert harness.notices("lobby")[-1].view.rules == harness.table().rules == chosen_rules
        assert rejection_of((await harness.tap("Bo", wish)).toast) is RejectionReason.NOT_HOST
    await harness.tap("Ana", ChangeOption("clock", "300"))
    await harness.tap("Ana", ChangeOption("on_timeout", OnTimeout.LOSE_DIE))
    bo = harness.player("Bo").id
    assert rejection_of((await harness.tap("Cy", Kick(bo))).toast) is RejectionReason.NOT_HOST
    await harness.tap("Ana", Kick(bo))
    assert names(harness) == ["Ana", "Cy"]
    await harness.tap("Ana", Stop())
    await harness.say("Bo", OpenLobby())
    for table in map(harness.table, (1, 2)):
        assert (table.rules, table.clock.seconds, table.clock.on_timeout) == (rules, 300, OnTimeout.LOSE_DIE)
    await harness.say("Bo", OpenLobby(), where=i.Place("telegram", -2002, 0, "Others"))
    assert harness.table(3).rules == Rules.preset("box_2009")
    harness.mark_all_sent()
    await harness.say("Bo", SeeSettings())
    (settings,) = harness.notices("settings")
    assert (settings.rules.book, settings.clock.seconds, settings.private) == ("aces", 300, False)


async def test_the_menu_that_the_host_looks_at_stays_until_another_is_opened(harness: GroupHarness) -> None:
    await harness.say("Ana", StartPrivateChat(), where=None)
    await harness.lobby("Ana", "Bo")

    def menu() -> str | None:
        shown: str | None = next(each.menu for each in reversed(harness.notices("lobby")) if each.to_host)
        return shown

    assert menu() is None
    await harness.tap("Ana", OpenMenu("rules"), where=None)
    assert rejection_of((await harness.tap("Bo", OpenMenu("players"))).toast) is RejectionReason.NOT_HOST
    await harness.say("Cy", Join())
    assert menu() == "rules", "another's seat opens no menu"
    await harness.tap("Ana", ChangeOption("quick_table", "aces"), where=None)
    assert menu() == "rules"
    await harness.tap("Ana", OpenMenu(None), where=None)
    assert menu() is None
    old = await harness.tap("Ana", OpenMenu("table"))
    assert confirmation_of(old.toast) is Confirmation.CHOICES_IN_PRIVATE, "a key of an earlier version"


async def test_who_left_may_come_back_and_when_everyone_has_left_the_lobby_says_so(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    assert confirmation_of((await harness.tap("Bo", Leave())).toast) is Confirmation.LEFT
    await harness.say("Bo", Join())
    await harness.say("Bo", Leave(), where=None)
    assert [notice.done for notice in harness.notices("confirmation")] == [Confirmation.LEFT]
    harness.mark_all_sent()
    await harness.say("Bo", Join())
    assert names(harness) == ["Ana", "Bo"]
    assert all(row.live for row in harness.rows(TableSeat))
    for name in ("Bo", "Ana"):
        await harness.tap(name, Leave())
    assert harness.table().status is Status.CLOSED
    assert not any(row.live for row in harness.rows(GameTable))
    assert not any(row.live for row in harness.rows(TableSeat))
    assert [notice.why for notice in harness.notices("closed")] == [CloseReason.EMPTY]
    assert harness.waiting_kinds() == [("closed", GROUP)], "in place of the lobby's message"


async def test_names_are_refreshed(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    renamed = i.Intent("telegram", "r", i.Person("telegram", 102, "Bodil", None, None), Leave(), harness.group)
    await harness.service.handle(renamed)
    assert harness.player("Bo").name == "Bodil"
    assert harness.player("Bo").language == "en", "what is not told is not forgotten"
    await harness.say("Ana", OpenLobby(), where=i.Place("telegram", GROUP, 0, "Good friends"))
    assert harness.rows(Chat)[0].title == "Good friends"


@pytest.mark.parametrize(
    ("folder", "choice"),
    [
        (SettingsFolder.ANIMALS, Choose("face", Face.CAT)),
        (SettingsFolder.DICE, Choose("dice_style", DiceStyle.WORDS)),
        (SettingsFolder.LANGUAGE, Choose("chosen_language", "it")),
        (SettingsFolder.ALL, Choose("asks_twice", value=True)),
    ],
)
async def test_a_choice_closes_its_folder(harness: GroupHarness, folder: SettingsFolder, choice: Choose) -> None:
    for request, shows in ((SeeSettings(folder), folder), (choice, SettingsFolder.ALL)):
        harness.mark_all_sent()
        await harness.tap("Ana", request, table=None, where=None, tapped=MessageRef(7))
        (shown,) = harness.envelopes()
        assert shown.target == MessageRef(7)
        assert isinstance(shown.notice, SettingsNotice)
        assert shown.notice.folder is shows
        assert shown.notice.switches["asks_twice"] is (request == Choose("asks_twice", value=True))


async def test_choices_that_this_version_cannot_read_keep_no_table_from_opening(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    await harness.tap("Ana", Stop())
    harness.update_row(Chat, 1, rules={"preset": "box_2009", "of_another_version": True}, clock={"x": 1})
    await harness.say("Ana", SeeSettings())
    await harness.say("Ana", OpenLobby())
    usual = harness.service.config
    assert (harness.table(2).rules, harness.table(2).clock) == (usual.rules, usual.clock)


async def test_a_passer_by_does_not_choose_for_the_group_of_a_running_game(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    before = harness.rows(Chat)
    for name, value in EXAMPLES.items():
        result = await harness.say("Cy", Choose(name, value, to_all=True), by="toast")
        assert rejection_of(result.toast) is RejectionReason.NOT_SEATED, name
    assert harness.rows(Chat) == before


async def test_questions_are_answered_where_they_were_asked(harness: GroupHarness) -> None:
    for what in (SeeHelp(), SeeSettings(), SeeRules(), OpenLobby()):
        await harness.say("Ana", what, where=None)
    assert harness.waiting_kinds() == [(kind, 101) for kind in ("help", "settings", "rules", "welcome")]
    await harness.lobby("Ana")
    await harness.tap("Ana", ChangeOption("rulebook", "aces"))
    harness.mark_all_sent()
    await harness.say("Bo", SeeHelp())
    await harness.say("Bo", SeeRules())
    assert harness.waiting_kinds() == [("help", GROUP), ("rules", GROUP)]
    assert harness.notices("rules")[0].rules.book == "aces"


async def test_where_there_is_no_table_one_hears_so(harness: GroupHarness) -> None:
    for what in (Join(), Leave(), Start(), Stop(), SeeDice(), SeeStatus(), CallDudo()):
        harness.mark_all_sent()
        await harness.say("Ana", what)
        await harness.say("Ana", what, where=None)
        assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.NO_TABLE] * 2, what
        assert [chat for _, chat in harness.waiting_kinds()] == [GROUP, 101]
        assert rejection_of((await harness.tap("Ana", what, step=0)).toast) is RejectionReason.NO_TABLE, what


async def test_before_the_start_calls_wait_and_a_misread_or_forged_wish_never_acts(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    before = harness.table()
    harness.mark_all_sent()
    for wish in (SeeDice(), MakeBid(3, 4), CallDudo(), BidHere()):
        outcome = await harness.tap("Bo", wish)
        assert rejection_of(outcome.toast) is RejectionReason.NOT_STARTED
    await harness.say("Ana", UnparsedText("5x4"))
    [refused] = harness.notices("rejection")
    assert (refused.suggestion, refused.reason) == (None, RejectionReason.NOT_STARTED), "no call is offered before"
    forged = await harness.say("Ana", UnknownChoice(), by="toast")
    assert rejection_of(forged.toast) is RejectionReason.UNKNOWN_OPTION
    assert harness.table() == before


async def test_an_admin_who_writes_as_the_group_is_asked_for_a_tap(harness: GroupHarness) -> None:
    await harness.say("Ana", IdentifyAdmin("open"))
    assert [notice.table for notice in harness.notices("identify_admin")] == [None]
    await harness.say("Ana", IdentifyAdmin("stop"))
    assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.NO_TABLE]
    await harness.lobby("Bo")
    await harness.say("Ana", IdentifyAdmin("stop"))
    assert harness.notices("identify_admin")[-1].table == 1
    assert harness.table().status is Status.LOBBY


async def test_a_host_without_a_private_chat_is_told_the_way_and_finds_the_menus_there(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    (lobby,) = [each.notice for each in harness.envelopes() if isinstance(each.notice, LobbyNotice)]
    told = message_html(lobby.sent_by("perudo_bot", reads_all=True), EN) or ""
    way = '<a href="https://t.me/perudo_bot?start=play">our private chat</a>'
    assert f"⚙️ Ana, rules and computer players are in {way}." in told
    harness.mark_all_sent()
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None)
    shown = {each.chat: each.notice for each in harness.envelopes() if isinstance(each.notice, LobbyNotice)}
    assert (set(shown), shown[101].to_host) == ({GROUP, 101}, True)
    assert "private chat" not in (message_html(shown[GROUP], EN) or "")


async def test_in_a_full_lobby_a_computer_player_makes_room(harness: GroupHarness) -> None:
    await harness.lobby("Ana")
    await harness.tap("Ana", AddComputers(None))
    full = names(harness)
    assert confirmation_of((await harness.tap("Bo", Join())).toast) is Confirmation.JOINED
    assert names(harness) == [*full[:-1], "Bo"]


ELSEWHERE = i.Place("telegram", -2002, 0, "Another group")


WAYS: dict[str, tuple[str, i.AnyRequest, dict[str, object]]] = {
    "the lobby's Join": ("tap", Join(), {"table": 2}),
    "an older lobby's Join": ("tap", Join(), {"table": 1}),
    "Join in private": ("tap", Join(), {"table": 2, "where": None}),
    "Play again in the group": ("tap", PlayAgain(), {"table": 1}),
    "Play again in private": ("tap", PlayAgain(), {"table": 1, "where": None}),
    "Play again, of the lobby itself": ("tap", PlayAgain(), {"table": 2, "where": None}),
    "/join": ("say", Join(), {}),
    "a code": ("say", Join("CODE"), {"where": None}),
    "a link": ("say", StartPrivateChat(code="CODE"), {"where": None}),
    "a link in small letters": ("say", StartPrivateChat(code="code"), {"where": None}),
    "another name": ("say", Join("CODE", name="Robert"), {"where": None}),
    "the button in another group": ("tap", Join(), {"table": 2, "where": ELSEWHERE}),
    "the wish for the next game": ("tap", RequestNextGame(), {}),
    "another lobby in the same place": ("say", OpenLobby(), {}),
    "their seat back": ("tap", ReturnToSeat(), {"table": 2, "where": None}),
    "a start": ("tap", Start(), {"table": 2, "where": None}),
    "a posted call": ("say", MakeBid(1, 2), {"table": 2}),
    "a rulebook": ("tap", ChangeOption("rulebook", "azteca"), {"table": 2, "where": None}),
    "the end of the table": ("tap", Stop(confirmed=True, is_admin=False), {"table": 2, "where": None}),
    "their dice": ("tap", SeeDice(), {"table": 2, "where": None}),
}


async def test_nothing_brings_back_whom_the_host_sent_out_but_the_next_lobby(harness: GroupHarness) -> None:
    await harness.start_game("Ana", "Bo", "Cy")
    await harness.tap("Ana", Stop(confirmed=True), table=1)
    await harness.tap("Ana", PlayAgain(), table=1)
    bo = harness.player("Bo").id
    await harness.tap("Ana", Kick(bo), table=2)
    before = harness.table(2)
    assert names(harness, 2) == ["Ana", "Cy"]
    for way, (how, what, more) in WAYS.items():
        by_code = what
        if isinstance(what, Join | StartPrivateChat) and what.code is not None:
            by_code = replace(what, code=before.code if what.code.isupper() else before.code.lower())
        await (harness.tap if how == "tap" else harness.say)("Bo", by_code, **more)  # type: ignore[arg-type]
        table = harness.table(2)
        assert (names(harness, 2), table.host, table.status) == (["Ana", "Cy"], before.host, Status.LOBBY), way
        assert table.rules == before.rules, way
    await harness.tap("Ana", Start(), table=2)
    hands = [row.notice["notice"] for row in harness.rows(OutboxEntry) if row.notice and row.table_id == 2]
    assert not any(notice["kind"] == "hand" and notice["player"] == bo for notice in hands)
    await harness.tap("Ana", Stop(confirmed=True), table=2)
    harness.mark_all_sent()
    await harness.say("Ana", OpenLobby())
    await harness.say("Bo", Join())
    assert names(harness, 3) == ["Ana", "Bo"]


# The games of an evening: one code reaches all its tables, and each person who asks for another game is counted


BO, CY = 502, 503


def with_short_games(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, rules=Rules(starting_dice=1, palifico=False))


async def a_rematch(harness: GroupHarness) -> str:
    """Ana and Bo play and open the next table; returns the code that they saw first."""
    with_short_games(harness)
    await harness.lobby("Ana", "Bo")
    code: str = harness.notices("lobby")[-1].view.code
    await harness.tap("Ana", Start())
    await harness.play_out()
    harness.pass_time(60)
    harness.mark_all_sent()
    await harness.tap("Ana", PlayAgain())
    return code


async def test_a_text_or_a_link_with_the_evenings_code_takes_a_seat_in_the_next_lobby(harness: GroupHarness) -> None:
    code = await a_rematch(harness)
    assert harness.notices("lobby")[-1].view.code == code
    await harness.text("Cy", Join(code=code))
    await harness.say("Dee", StartPrivateChat(code=code), where=None)
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo", "Cy", "Dee"]
    assert harness.table(1).status is Status.FINISHED
    await harness.tap("Ana", Stop(confirmed=True), table=2)
    await harness.say("Bo", OpenLobby())
    assert harness.notices("lobby")[-1].view.code == code, "by command as well"
    await harness.text("Cy", Join(code=code))
    assert [seat.name for seat in harness.table(3).seats] == ["Bo", "Cy"]
    await harness.tap("Bo", Stop(confirmed=True), table=3)
    harness.pass_time(REMATCH_SECONDS + 1)
    assert rejection_of((await harness.tap("Eve", PlayAgain(), table=1)).toast) is RejectionReason.NOT_SEATED
    harness.mark_all_sent()
    await harness.say("Ana", OpenLobby())
    assert harness.notices("lobby")[-1].view.code != code, "the next evening has a code of its own"
    refused = await harness.text("Cy", Join(code=code), answered_by="toast")
    assert rejection_of(refused.toast) is RejectionReason.GAME_OVER
    assert [seat.name for seat in harness.table(4).seats] == ["Ana"]


async def test_each_game_of_an_evening_keeps_its_own_name_in_its_record_and_its_file(harness: GroupHarness) -> None:
    code = await a_rematch(harness)
    await harness.tap("Ana", Start(), table=2)
    await harness.play_out(2)
    tables = [harness.table(number) for number in (1, 2)]
    with harness.database.transaction() as session:
        uow = UnitOfWork(session, harness.now, harness.service.config, harness.service.rng, "test")
        records = [game_record(uow, table) for table in tables]
    names = [json.loads(record.document)["table"] for record in records]
    assert names[0] == code != names[1]
    assert [record.name for record in records] == [f"perudo-{name}.json" for name in names]


async def test_a_kick_ends_the_evenings_code_because_the_kicked_player_knows_it(harness: GroupHarness) -> None:
    with_short_games(harness)
    await harness.say("Ana", OpenLobby())
    code = harness.table().code
    await harness.text("Cy", Join(code=code))
    await harness.say("Bo", Join())
    await harness.tap("Ana", Kick(harness.table().seats[1].player))
    await harness.tap("Ana", Start())
    await harness.play_out()
    harness.mark_all_sent()
    await harness.tap("Ana", PlayAgain())
    assert harness.notices("lobby")[-1].view.code != code
    await harness.text("Cy", Join(code=code))
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo"]


async def test_a_player_of_two_tables_chooses_one_by_the_code_that_they_see(harness: GroupHarness) -> None:
    code = await a_rematch(harness)
    await harness.text("Cy", Join(code=code))
    await harness.say("Dee", OpenLobby(), where=i.Place("telegram", -1002, 0, "Others"))
    assert harness.table(3).code != code
    await harness.text("Cy", Join(code=harness.table(3).code))
    harness.mark_all_sent()
    await harness.text("Cy", SeeStatus())
    (asked,) = harness.notices("which_table")
    assert [choice.code for choice in asked.choices] == [code, harness.table(3).code]
    await harness.text("Cy", ChooseTable(code))
    assert next(each.title for each in harness.notices("confirmation")) == "Friends"


async def test_the_table_whose_code_the_evening_has_is_kept_as_long_as_people_need_it(harness: GroupHarness) -> None:
    code = await a_rematch(harness)
    pruning = Pruning(harness.database, lambda: harness.now, keep_games_days=30)
    harness.pass_time(31 * DAY_SECONDS)
    await pruning.run()
    await harness.text("Cy", Join(code=code))
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo", "Cy"]
    await harness.tap("Ana", Stop(confirmed=True), table=2)
    harness.pass_time(31 * DAY_SECONDS)
    await pruning.run()
    await pruning.run()
    assert harness.rows(GameTable) == []


PEOPLE = ("Ana", "Bo", "Cy", "Dee")
"""The host, two players of whom the second one left the game, and a friend who came late and watched."""
FIRST_TWO = {order[:2]: pytest.param(order, id="-".join(order)) for order in permutations(PEOPLE)}
ORDERS = list(FIRST_TWO.values())
"""Each two are first in each order: one half of these are asked on pages, the other half elsewhere."""


def all_want_another(table: Table) -> bool:
    players = {seat.name: seat.player for seat in table.seats}
    return (table.status, set(players), table.host, set(table.ready)) == (
        Status.LOBBY,
        set(PEOPLE),
        players["Ana"],
        set(players.values()),
    )


@pytest.mark.parametrize("order", ORDERS[::2])
async def test_on_pages_all_who_were_in_the_room_count_in_any_order(database: Database, order: Sequence[str]) -> None:
    world = WebWorld(database)
    players = await a_room(world, *PEOPLE[:3])
    await players[0].act("start")
    dee = world.browser("192.0.2.9")
    key, _ = await keys_of(players[0])
    await dee.ask("enter", code=world.table().code, key=key, name="Dee", language="en")
    await players[2].act("leave", confirmed=True)
    await players[0].act("stop", confirmed=True)
    pages = dict(zip(PEOPLE, [*players, dee], strict=True))
    for name in order:
        answer = await pages[name].act("again", table=1)
        assert (answer["done"], answer["reason"]) == (True, None), (name, answer)
    assert all_want_another(world.table(2))


@pytest.mark.parametrize("order", ORDERS[1::2])
async def test_in_chats_and_by_text_each_is_counted_in_any_order(database: Database, order: Sequence[str]) -> None:
    harness = GroupHarness(database)
    await harness.say("Ana", OpenLobby())
    await harness.text("Bo", Join(code=harness.table().code))
    await harness.say("Cy", Join())
    await harness.tap("Ana", Start())
    await harness.say("Cy", Leave(confirmed=True))
    harness.mark_all_sent()
    await harness.tap("Ana", Stop(confirmed=True))
    harness.mark_all_sent()
    asks = {
        "Ana": lambda: harness.tap("Ana", PlayAgain()),
        "Bo": lambda: harness.text("Bo", PlayAgain(), table=1),
        "Cy": lambda: harness.tap("Cy", PlayAgain(), where=None),
        "Dee": lambda: harness.tap("Dee", PlayAgain()),
    }
    for name in order:
        await asks[name]()
    assert all_want_another(harness.table(2))
