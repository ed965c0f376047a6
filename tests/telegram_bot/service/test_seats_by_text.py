"""A friend with any phone sits at the same table; a table of phones alone plays as well."""

from __future__ import annotations

import pytest

from telegram_bot.service import intents as i
from telegram_bot.service.handlers import delivery_results
from telegram_bot.service.notices import Done, Envelope, GameOverNotice, HandNotice, LobbyNotice
from telegram_bot.storage.models import LinkCode, Outbox, Player, PrivateView, Sending
from telegram_bot.tables.events import Denial
from telegram_bot.tables.model import Clock, Status
from telegram_bot.tables.quiet_hours import Quiet
from tests.telegram_bot.conftest import NUMBERS, START, Room

ANA, BO, CY = 501, 502, 503
GROUP = -1001


def texts(room: Room, phone: int) -> list[Envelope]:
    """What waits to be texted to a phone."""
    return [envelope for envelope in room.envelopes() if (envelope.channel, envelope.chat) == ("sms", phone)]


def kinds(room: Room, phone: int) -> list[str]:
    return [envelope.notice.kind for envelope in texts(room, phone)]


async def a_mixed_lobby(room: Room) -> None:
    """Ana opens a table in the group, Bo texts himself a seat."""
    await room.say("Ana", i.OpenLobby())
    await room.text("Bo", i.Join(code=room.table().code))


async def a_mixed_game(room: Room, *hands: str, opener: int = 0) -> None:
    await a_mixed_lobby(room)
    await room.tap("Ana", i.Start())
    await room.put(*hands, opener=opener)
    room.flush()


# At a table in a group


async def test_the_lobby_tells_the_number_and_the_code_and_marks_who_came_by_text(room: Room) -> None:
    await a_mixed_lobby(room)
    shown: LobbyNotice = room.notices("lobby")[-1]
    assert (shown.numbers, shown.view.code) == (NUMBERS, room.table().code)
    assert [seat.by_text for seat in shown.view.seats] == [False, True]
    assert kinds(room, BO) == ["done"]


async def test_dice_come_by_text_and_to_that_phone_alone(room: Room) -> None:
    await a_mixed_lobby(room)
    room.flush()
    await room.tap("Ana", i.Start())
    (hand,) = [envelope.notice for envelope in texts(room, BO)]
    assert isinstance(hand, HandNotice)
    assert hand.view.seat == 1
    assert not any(kind == "hand" and chat == GROUP for kind, chat in room.told())


async def test_a_bid_by_text_counts_like_any_other(room: Room) -> None:
    await a_mixed_game(room, "11236", "2345", opener=1)
    await room.text("Bo", i.MakeBid(3, 4))
    (table,) = room.notices("table")
    assert (table.view.standing.quantity, table.view.standing.face, table.view.standing.seat) == (3, 4, 1)


async def test_a_text_out_of_turn_is_answered_and_not_played(room: Room) -> None:
    await a_mixed_game(room, "11236", "2345")
    await room.text("Bo", i.MakeBid(3, 4))
    assert kinds(room, BO) == ["denied"]
    assert room.table().game is not None
    assert not room.table().step


async def test_a_round_costs_a_phone_the_text_of_its_turn_and_the_merged_one_of_the_next_round(room: Room) -> None:
    await a_mixed_game(room, "11236", "2345")
    await room.call("3x4")
    assert kinds(room, BO) == ["hand"]
    room.flush()
    await room.text("Bo", i.SayDudo())
    (hand,) = [envelope.notice for envelope in texts(room, BO) if envelope.notice.kind == "hand"]
    assert isinstance(hand, HandNotice)
    assert hand.previous is not None
    assert hand.previous.count == 3


async def test_other_peoples_bids_are_not_texted_unless_wanted(room: Room) -> None:
    await a_mixed_lobby(room)
    await room.say("Cy", i.Join())
    await room.tap("Ana", i.Start())
    await room.put("11236", "2345", "2345", opener=2)
    room.flush()
    await room.call("2x4")
    assert kinds(room, BO) == []
    await room.text("Bo", i.ChooseVerbose(on=True))
    room.flush()
    await room.put("11236", "2345", "2345", opener=2)
    await room.call("2x4")
    assert kinds(room, BO) == ["table"]


async def test_who_is_out_hears_how_and_who_won_in_the_end(room: Room) -> None:
    await a_mixed_lobby(room)
    await room.say("Cy", i.Join())
    await room.tap("Ana", i.Start())
    await room.put("1", "2", "6", opener=1)
    room.flush()
    await room.text("Bo", i.MakeBid(3, 6))
    await room.call("dudo")
    assert kinds(room, BO) == ["reveal"]
    room.flush()
    await room.put("6", "", "1", opener=2)
    await room.call("2x5")
    await room.call("dudo")
    (over,) = [envelope.notice for envelope in texts(room, BO)]
    assert isinstance(over, GameOverNotice)
    assert over.previous is not None


async def test_who_is_sent_out_of_the_lobby_or_whose_table_closes_is_told(room: Room) -> None:
    await a_mixed_lobby(room)
    room.flush()
    await room.tap("Ana", i.Kick(room.table().seats[1].player))
    assert [envelope.notice.done for envelope in texts(room, BO)] == [Done.SENT_OUT]  # type: ignore[union-attr]
    await room.text("Bo", i.Join(code=room.table().code))
    room.flush()
    await room.tap("Ana", i.Stop())
    assert kinds(room, BO) == ["closed"]


async def test_the_group_is_never_offered_a_link_for_somebody_who_texts(room: Room) -> None:
    await a_mixed_game(room, "11236", "2345", opener=1)
    await room.text("Bo", i.CloseDirect())
    await room.text("Bo", i.MakeBid(3, 4))
    assert not any(notice.unreachable for notice in room.notices("table"))
    assert kinds(room, BO) == []


# A table of phones alone


async def a_room(room: Room, *friends: str) -> None:
    await room.text("Ana", i.OpenRoom())
    for friend in friends:
        await room.text(friend, i.Join(code=room.table().code))


async def test_a_table_of_phones_alone_is_played_to_its_end(room: Room) -> None:
    await a_room(room, "Bo")
    await room.text("Ana", i.Start())
    assert room.table().status is Status.PLAYING
    await room.put("1", "2")
    room.flush()
    await room.text("Ana", i.MakeBid(2, 3))
    assert "hand" in kinds(room, BO)
    await room.text("Bo", i.SayDudo())
    assert room.table().status is Status.FINISHED
    for phone in (ANA, BO):
        assert kinds(room, phone)[-1] == "game_over"


async def test_nothing_is_said_to_the_place_where_it_stands(room: Room) -> None:
    await a_room(room, "Bo", "Cy")
    await room.text("Ana", i.Start())
    await room.text("Ana", i.Stop())
    assert all(envelope.chat > 0 for envelope in room.envelopes())


async def test_its_host_is_told_the_code_and_who_comes(room: Room) -> None:
    await a_room(room, "Bo")
    lobby = texts(room, ANA)[-1].notice
    assert isinstance(lobby, LobbyNotice)
    assert [seat.name for seat in lobby.view.seats] == ["Ana", "Bo"]
    assert kinds(room, BO) == ["done"]


async def test_opening_it_again_tells_the_code_again(room: Room) -> None:
    await a_room(room)
    room.flush()
    await room.text("Ana", i.OpenRoom())
    assert kinds(room, ANA) == ["lobby"]
    assert len(room.all(Player)) == 1


async def test_its_clock_is_slow(room: Room) -> None:
    await a_room(room)
    assert room.table().clock == Clock(seconds=6 * 3600)


async def test_a_friend_with_telegram_sits_there_too(room: Room) -> None:
    await a_room(room, "Bo")
    await room.say("Cy", i.OpenDirect(code=room.table().code), where=None)
    await room.text("Ana", i.Start())
    await room.put("1", "2", "6")
    assert ("hand", 103) in room.told()
    room.flush()
    await room.text("Ana", i.Stop())
    assert ("closed", 103) in room.told()


async def test_who_sits_at_two_tables_chooses_one_and_is_asked_before(room: Room) -> None:
    await a_room(room, "Cy")
    await room.text("Bo", i.OpenRoom())
    await room.text("Cy", i.Join(code=room.table(2).code))
    for host in ("Ana", "Bo"):
        await room.text(host, i.Start())
    room.flush()
    await room.text("Cy", i.SeeDice())
    (which,) = [envelope.notice for envelope in texts(room, CY)]
    assert which.kind == "which_table"
    assert [choice.code for choice in which.choices] == [room.table(1).code, room.table(2).code]
    room.flush()
    await room.text("Cy", i.ChooseTable(room.table(2).code.lower()))
    await room.text("Cy", i.SeeDice())
    assert kinds(room, CY) == ["done", "hand"]


async def test_who_plays_again_by_text_is_the_host_and_sees_the_lobby(room: Room) -> None:
    await a_mixed_game(room, "1", "2", opener=1)
    await room.text("Bo", i.MakeBid(2, 6))
    await room.call("dudo")
    room.flush()
    await room.text("Bo", i.PlayAgain(), table=1)
    assert kinds(room, BO) == ["lobby"]
    room.flush()
    await room.text("Bo", i.ChooseRulebook("azteca"))
    assert kinds(room, BO) == ["lobby"]


# A phone that speaks for somebody


async def linked(room: Room) -> None:
    """Ana of the group has linked her phone."""
    await room.say("Ana", i.AskForLink(), where=None)
    (code,) = room.all(LinkCode)
    await room.text("Ana", i.LinkPhone(code.code.lower()))


async def test_a_linked_phone_plays_for_its_owner(room: Room) -> None:
    await room.game("11236", "2345")
    await linked(room)
    room.flush()
    await room.text("Ana", i.MakeBid(3, 4))
    assert room.table().step == 1
    await room.call("4x4")
    assert kinds(room, ANA)[-1] == "hand"
    assert room.player("Ana").view == PrivateView.TEXT


async def test_a_linked_phone_hears_each_bid_if_it_wants_to_and_the_end(room: Room) -> None:
    await room.say("Ana", i.OpenLobby())
    await room.say("Bo", i.Join())
    await room.say("Cy", i.Join())
    await linked(room)
    await room.text("Ana", i.ChooseVerbose(on=True))
    room.flush()
    await room.tap("Ana", i.Start())
    await room.put("1", "2", "6", opener=1)
    room.flush()
    await room.call("2x6")
    assert kinds(room, ANA) == ["table"]
    await room.call("3x6")
    room.flush()
    await room.text("Ana", i.SayDudo())
    await room.put("1", "", "6")
    await room.call("2x5")
    room.flush()
    await room.call("dudo")
    assert kinds(room, ANA) == ["game_over"]


async def test_unlinking_gives_both_back_their_own_words(room: Room) -> None:
    await room.game("11236", "2345")
    await linked(room)
    await room.text("Ana", i.UnlinkPhone())
    assert room.player("Ana").phone is None
    assert room.player("Ana").view == PrivateView.AUTO
    room.flush()
    await room.text("Ana", i.MakeBid(3, 4))
    assert kinds(room, ANA) == ["welcome"]  # the phone sits nowhere, and is told how to begin


@pytest.mark.parametrize("late", [False, True])
async def test_a_code_that_is_wrong_or_old_links_nothing(room: Room, *, late: bool) -> None:
    await room.say("Ana", i.AskForLink(), where=None)
    (code,) = room.all(LinkCode)
    room.now += 901 if late else 0
    await room.text("Bo", i.LinkPhone(code.code if late else "AAAAAA"))
    assert [envelope.notice.denial for envelope in texts(room, BO)] == [Denial.LINK_EXPIRED]  # type: ignore[union-attr]
    assert room.player("Ana").phone is None


async def test_a_code_is_not_said_in_the_group_and_links_once(room: Room) -> None:
    await room.say("Ana", i.AskForLink())
    assert room.all(LinkCode) == []
    await linked(room)
    assert room.all(LinkCode) == []


async def test_a_phone_that_sits_at_a_table_leaves_it_before_it_is_linked(room: Room) -> None:
    await a_room(room)
    await room.say("Bo", i.AskForLink(), where=None)
    (code,) = room.all(LinkCode)
    room.flush()
    await room.text("Ana", i.LinkPhone(code.code))
    assert [envelope.notice.denial for envelope in texts(room, ANA)] == [Denial.STILL_SEATED]  # type: ignore[union-attr]


# Quiet hours

ALL_BUT_AN_HOUR = Quiet(start=23 * 60, end=22 * 60, zone="UTC")  # the tests' day begins at 22:13 UTC


async def test_texts_wait_for_the_morning_and_the_last_one_is_enough(room: Room) -> None:
    await a_mixed_game(room, "11236", "2345")
    await room.text("Bo", i.ChooseQuiet(ALL_BUT_AN_HOUR))
    room.flush()
    room.now += 3601
    await room.call("2x4")
    (waiting,) = [row for row in room.waiting() if row.lane == f"sms:{BO}"]
    assert waiting.not_before == START - START % 86400 + 86400 + 22 * 3600
    assert room.table().clock_ends == waiting.not_before + 120
    await room.tap("Ana", i.SeeStatus())
    await room.put("11236", "2345")
    await room.call("3x4")
    assert [row.status for row in room.all(Outbox) if row.lane == f"sms:{BO}"][-2:] == [
        Sending.SUPERSEDED,
        Sending.PENDING,
    ]


async def test_who_texts_at_night_is_awake_and_plays_on(room: Room) -> None:
    await a_mixed_game(room, "11236", "2345")
    await room.text("Bo", i.ChooseQuiet(ALL_BUT_AN_HOUR))
    room.flush()
    room.now += 3601
    await room.call("2x4")
    await room.text("Bo", i.SeeStatus())
    assert [row.not_before for row in room.waiting() if row.lane == f"sms:{BO}"] == [0, 0]
    room.flush()
    await room.text("Bo", i.MakeBid(3, 4))
    await room.call("4x4")
    assert [row.not_before for row in room.waiting() if row.lane == f"sms:{BO}"] == [0]
    assert room.table().clock_ends == room.now + 120


async def test_quiet_hours_end_when_they_are_not_wanted(room: Room) -> None:
    await a_mixed_game(room, "11236", "2345")
    await room.text("Bo", i.ChooseQuiet(ALL_BUT_AN_HOUR))
    await room.text("Bo", i.ChooseQuiet(None))
    assert room.table().seats[1].quiet is None
    assert [notice.done for notice in room.notices("done")] == [Done.QUIET, Done.NEVER_QUIET]


# A phone that takes no more texts


async def test_the_dice_of_who_linked_it_come_where_they_came_before(room: Room) -> None:
    await room.game("11236", "2345")
    await linked(room)
    room.flush()
    await room.text("Ana", i.SeeDice())
    (refused,) = texts(room, ANA)
    room.flush()
    await room.learn(delivery_results.private_way_failed, refused, 1)
    assert room.player("Ana").view == PrivateView.AUTO
    assert room.told() == [("hand", 101)]


async def test_the_game_goes_on_without_texts_to_it(room: Room) -> None:
    await a_mixed_game(room, "11236", "2345")
    await room.call("3x4")
    (refused,) = texts(room, BO)
    await room.learn(delivery_results.private_way_failed, refused, 1)
    room.flush()
    await room.due(120)
    assert room.table().seats[1].away
    assert kinds(room, BO) == []
