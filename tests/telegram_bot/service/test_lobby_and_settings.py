"""Through the service: the lobby, one table per place, what a group remembers, who may do what."""

from __future__ import annotations

from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.service import intents as i
from telegram_bot.service.notices import DeniedNotice, Done, DoneNotice, Mode
from telegram_bot.storage.models import Chat, GameTable, Inbox, PrivateView, SentMessage, Sitting
from telegram_bot.tables.events import Closing, Denial
from telegram_bot.tables.model import Menu, OnTimeout, Pace, Status
from tests.telegram_bot.conftest import PACE, START, Room, denial, done

GROUP = -1001


def names(room: Room, table: int = 1) -> list[str]:
    return [seat.name for seat in room.table(table).seats]


async def test_a_lobby_opens_with_one_message_that_changes(room: Room) -> None:
    outcome = await room.say("Ana", i.OpenLobby())
    assert (outcome.toast, outcome.lanes) == (None, frozenset({"telegram:-1001"}))
    row = room.waiting()[0]
    assert (row.slot, row.supersedable, row.table_id) == ("lobby", True, 1)
    assert room.envelopes()[0].mode is Mode.EDIT
    await room.say("Bo", i.Join())
    assert room.told() == [("lobby", GROUP)], "the newer one takes the older one's place"
    assert [seat.name for seat in room.notices("lobby")[0].view.seats] == ["Ana", "Bo"]


async def test_a_second_lobby_in_a_group_shows_the_first_again(room: Room) -> None:
    await room.lobby("Ana")
    room.flush()
    with room.database.transaction() as session:
        session.add(SentMessage(table_id=1, slot="lobby", chat=GROUP, message=77, keyboard=True))
    await room.say("Bo", i.OpenLobby())
    assert len(room.all(GameTable)) == 1
    assert room.told() == [("strip", GROUP), ("lobby", GROUP)]
    assert room.notices("strip")[0].message == 77
    assert room.all(SentMessage) == [], "the new message comes to the end of the chat"


async def test_each_topic_of_a_forum_has_its_own_table(room: Room) -> None:
    topics = [i.Place("telegram", GROUP, topic, "Forum") for topic in (0, 5, 9)]
    for topic in topics:
        await room.say("Ana", i.OpenLobby(), where=topic)
    assert len(room.all(GameTable)) == 3
    assert [envelope.topic for envelope in room.envelopes()] == [0, 5, 9]
    await room.say("Bo", i.Join(), where=topics[1])
    assert [len(room.table(table).seats) for table in (1, 2, 3)] == [1, 2, 1]


async def test_the_same_cause_twice_acts_once(room: Room) -> None:
    first = await room.say("Ana", i.OpenLobby(), cause="x")
    again = await room.say("Ana", i.OpenLobby(), cause="x")
    assert (first.repeated, again.repeated, again.lanes) == (False, True, frozenset())
    assert len(room.waiting()) == 1
    assert len(room.all(Inbox)) == 1


async def test_a_tap_is_answered_with_a_toast_and_words_with_a_message(room: Room) -> None:
    await room.lobby("Ana")
    room.flush()
    tapped = await room.tap("Bo", i.Join())
    assert done(tapped.toast) is Done.JOINED
    assert room.told() == [("lobby", GROUP)]
    room.flush()
    again = await room.tap("Bo", i.Join())
    assert denial(again.toast) is Denial.ALREADY_JOINED
    assert room.told() == []
    spoken = await room.say("Bo", i.Join())
    assert spoken.toast is None
    assert room.told() == [("denied", GROUP)]


async def test_joining_by_link_in_private(room: Room) -> None:
    await room.lobby("Ana")
    room.flush()
    code = room.table().code
    await room.say("Bo", i.OpenDirect(code=code.lower()), where=None)
    assert names(room) == ["Ana", "Bo"]
    assert room.player("Bo").direct == "open"
    assert room.told() == [("lobby", GROUP), ("done", 102)]
    room.flush()
    await room.say("Bo", i.OpenDirect(code=code), where=None)
    assert room.told() == [("welcome", 102)], "who sits there already is greeted"
    assert room.notices("welcome")[0].titles == ("Friends",)


async def test_a_link_to_a_table_that_is_gone(room: Room) -> None:
    await room.say("Bo", i.OpenDirect(code="NOTHERE"), where=None)
    assert [notice.denial for notice in room.notices("denied")] == [Denial.NO_TABLE]
    assert room.player("Bo").direct == "open", "the private chat is open all the same"


async def test_the_host_decides_and_the_table_shows_it(room: Room) -> None:
    await room.lobby("Ana", "Bo", "Cy")
    wishes: list[tuple[i.What, str, object]] = [
        (i.TurnMenu(Menu.OPTIONS), "menu", Menu.OPTIONS),
        (i.ChooseRulebook("aces"), "rules", Rules.preset("aces")),
        (i.ChangeOption("calza"), "rules", Rules.preset("aces").with_options(calza=True)),
    ]
    for wish, field, value in wishes:
        assert (await room.tap("Ana", wish)).toast is None
        assert getattr(room.table(), field) == value
        assert room.notices("lobby")[-1].view.rules == room.table().rules
        assert denial((await room.tap("Bo", wish)).toast) is Denial.NOT_HOST
    await room.tap("Ana", i.ChooseClock(300))
    await room.tap("Ana", i.ChooseOnTimeout(OnTimeout.LOSE_DIE))
    assert (room.table().clock.seconds, room.table().clock.on_timeout) == (300, OnTimeout.LOSE_DIE)
    bo = room.player("Bo").id
    assert bo is not None
    assert denial((await room.tap("Cy", i.Kick(bo))).toast) is Denial.NOT_HOST
    await room.tap("Ana", i.Kick(bo))
    assert names(room) == ["Ana", "Cy"]


async def test_a_contradiction_is_refused_and_the_table_stays(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.tap("Ana", i.ChangeOption("sudden_death"))
    before = room.table()
    assert denial((await room.tap("Ana", i.ChangeOption("lose_by_difference"))).toast) is Denial.CONTRADICTION
    assert room.table() == before


async def test_a_group_remembers_its_rules_and_its_clock(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.tap("Ana", i.ChooseRulebook("azteca"))
    await room.tap("Ana", i.ChangeOption("calza"))
    await room.tap("Ana", i.ChooseClock(900))
    await room.tap("Ana", i.Stop())
    await room.say("Bo", i.OpenLobby())
    table = room.table(2)
    assert table.rules == Rules.preset("azteca").with_options(calza=True)
    assert table.clock.seconds == 900
    elsewhere = i.Place("telegram", -2002, 0, "Others")
    await room.say("Bo", i.OpenLobby(), where=elsewhere)
    assert room.table(3).rules == Rules.preset("box_2009")
    room.flush()
    await room.say("Bo", i.SeeSettings())
    (settings,) = room.notices("settings")
    assert (settings.rules.preset, settings.clock.seconds, settings.private) == ("azteca", 900, False)


async def test_only_the_host_starts_and_hears_that_it_began(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    assert denial((await room.tap("Bo", i.Start())).toast) is Denial.NOT_HOST
    assert done((await room.tap("Ana", i.Start())).toast) is Done.STARTED
    assert room.table().status is Status.PLAYING
    assert denial((await room.tap("Ana", i.Start())).toast) is Denial.ALREADY_RUNNING


async def test_one_alone_cannot_start(room: Room) -> None:
    await room.lobby("Ana")
    toast = (await room.tap("Ana", i.Start())).toast
    assert isinstance(toast, DeniedNotice)
    assert (toast.denial, toast.number) == (Denial.TOO_FEW, 2)


async def test_the_host_leaves_and_the_next_one_is_host(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    assert done((await room.tap("Ana", i.Leave())).toast) is Done.LEFT
    assert room.table().host == room.player("Bo").id
    assert room.notices("lobby")[-1].view.host == room.player("Bo").id
    assert denial((await room.tap("Ana", i.Start())).toast) is Denial.NOT_HOST


async def test_when_everyone_has_left_the_lobby_says_so(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.tap("Bo", i.Leave())
    await room.tap("Ana", i.Leave())
    assert room.table().status is Status.CLOSED
    assert not any(row.live for row in room.all(GameTable))
    assert not any(row.live for row in room.all(Sitting))
    assert [notice.why for notice in room.notices("closed")] == [Closing.EMPTY]
    assert room.told() == [("closed", GROUP)], "in place of the lobby's message"


async def test_who_left_may_come_back(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.say("Bo", i.Leave())
    await room.say("Bo", i.Join())
    assert names(room) == ["Ana", "Bo"]
    assert all(row.live for row in room.all(Sitting))


async def test_the_host_or_an_admin_may_stop_and_nobody_else(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    assert denial((await room.tap("Bo", i.Stop())).toast) is Denial.NOT_ALLOWED
    await room.say("Cy", i.Stop(is_admin=True))
    assert room.table().status is Status.CLOSED
    assert [notice.why for notice in room.notices("closed")] == [Closing.STOPPED]


async def test_an_idle_lobby_closes_itself(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.due(PACE.lobby_idle_seconds - 1)
    assert room.table().status is Status.LOBBY
    await room.due(2)
    assert room.table().status is Status.CLOSED
    assert [notice.why for notice in room.notices("closed")] == [Closing.IDLE]
    assert room.all(GameTable)[0].due_at is None


async def test_names_are_refreshed(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    renamed = i.Intent("telegram", "r", i.Person("telegram", 102, "Bodil", None, None), i.Leave(), room.group)
    await room.service.handle(renamed)
    assert room.player("Bo").name == "Bodil"
    assert room.player("Bo").language == "en", "what is not told is not forgotten"
    await room.say("Ana", i.OpenLobby(), where=i.Place("telegram", GROUP, 0, "Good friends"))
    assert room.all(Chat)[0].title == "Good friends"


async def test_playing_again_seats_the_same_people(room: Room) -> None:
    await room.game("2", "33", "444")
    await room.call("2x2")
    await room.call("dudo")
    await room.tap("Cy", i.Leave(confirmed=True))
    assert room.table().status is Status.FINISHED
    await room.tap("Bo", i.PlayAgain())
    assert (names(room, 2), room.table(2).host) == (["Ana", "Bo", "Cy"], room.player("Bo").id)
    assert denial((await room.tap("Cy", i.PlayAgain())).toast) is Denial.TABLE_EXISTS
    assert done((await room.tap("Dee", i.PlayAgain())).toast) is Done.JOINED, "a stranger may join what is open"
    await room.tap("Bo", i.Stop(), table=2)
    assert denial((await room.tap("Eve", i.PlayAgain())).toast) is Denial.NOT_SEATED


@pytest.mark.parametrize(
    "choices", [{"rules": {"preset": "box_2009", "of_another_version": True}}, {"clock": {"x": 1}}]
)
async def test_choices_that_this_version_cannot_read_keep_no_table_from_opening(
    room: Room, choices: dict[str, Any]
) -> None:
    await room.lobby("Ana")
    await room.tap("Ana", i.Stop())
    room.change(Chat, 1, **choices)
    await room.say("Ana", i.SeeSettings())
    await room.say("Ana", i.OpenLobby())
    assert (room.table(2).rules, room.table(2).clock) == (room.service.house.rules, room.service.house.clock)


async def test_a_choice_of_view_is_remembered(room: Room) -> None:
    for view in set(PrivateView) - {PrivateView.TEXT}:
        toast = (await room.say("Ana", i.ChooseView(view), by="toast", where=None)).toast
        assert toast == DoneNotice(done=Done.VIEW_CHOSEN, view=view)
        assert room.player("Ana").view == view


@pytest.mark.parametrize(
    ("what", "kind"),
    [(i.SeeHelp(), "help"), (i.SeeSettings(), "settings"), (i.SeeRules(), "rules"), (i.OpenLobby(), "welcome")],
)
async def test_private_questions_are_answered_in_private(room: Room, what: i.What, kind: str) -> None:
    await room.say("Ana", what, where=None)
    assert room.told() == [(kind, 101)]


async def test_help_and_rules_in_the_group(room: Room) -> None:
    await room.lobby("Ana")
    await room.tap("Ana", i.ChooseRulebook("aces"))
    room.flush()
    await room.say("Bo", i.SeeHelp())
    await room.say("Bo", i.SeeRules())
    assert room.told() == [("help", GROUP), ("rules", GROUP)]
    assert room.notices("rules")[0].rules.preset == "aces"


@pytest.mark.parametrize("what", [i.Join(), i.Leave(), i.Start(), i.Stop(), i.SeeDice(), i.SeeStatus(), i.SayDudo()])
async def test_where_there_is_no_table_one_hears_so(room: Room, what: i.What) -> None:
    await room.say("Ana", what)
    await room.say("Ana", what, where=None)
    assert [notice.denial for notice in room.notices("denied")] == [Denial.NO_TABLE] * 2
    assert [chat for _, chat in room.told()] == [GROUP, 101]
    assert denial((await room.tap("Ana", what, step=0)).toast) is Denial.NO_TABLE


async def test_a_misread_or_forged_wish_never_acts(room: Room) -> None:
    await room.lobby("Ana")
    before = room.table()
    room.flush()
    await room.say("Ana", i.Misread("5x4"))
    assert room.notices("denied")[0].suggestion == "5x4"
    forged = await room.say("Ana", i.ForeignButton(), by="toast")
    assert denial(forged.toast) is Denial.UNKNOWN_OPTION
    assert room.table() == before


async def test_an_admin_who_writes_as_the_group_is_asked_for_a_tap(room: Room) -> None:
    await room.say("Ana", i.Unmask("open"))
    assert [notice.table for notice in room.notices("unmask")] == [None]
    await room.say("Ana", i.Unmask("stop"))
    assert [notice.denial for notice in room.notices("denied")] == [Denial.NO_TABLE]
    await room.lobby("Bo")
    await room.say("Ana", i.Unmask("stop"))
    assert room.notices("unmask")[-1].table == 1
    assert room.table().status is Status.LOBBY


async def test_the_bot_arrives_and_introduces_itself_once(room: Room) -> None:
    await room.say("Ana", i.BotStanding(present=True, can_whisper=False, arrived=True), by="nothing")
    await room.say("Ana", i.BotStanding(present=True, can_whisper=True), by="nothing")
    assert room.told() == [("help", GROUP)]
    assert [chat.ephemeral for chat in room.all(Chat)] == [True]


async def test_an_installation_may_seat_fewer(room: Room) -> None:
    small = Room(room.database, rules=Rules.preset("aces"), pace=Pace(most_seats=2))
    await small.lobby("Ana", "Bo")
    toast = (await small.tap("Cy", i.Join())).toast
    assert isinstance(toast, DeniedNotice)
    assert (toast.denial, toast.number) == (Denial.FULL, 2)
    assert small.table().idle_at == START + PACE.lobby_idle_seconds
