"""What is known of one person alone, and answers that somebody waits for."""

from __future__ import annotations

import pytest

from telegram_bot.service import intents as i
from telegram_bot.service.handlers import delivery_results
from telegram_bot.service.members import DEAF_SECONDS
from telegram_bot.service.notices import Done, DoneNotice, Envelope
from telegram_bot.storage.models import Chat
from telegram_bot.tables.events import Denial
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import Room, denial, done

GROUP = -1001
ANA, BO, CY = 101, 102, 103


# Ephemeral messages that do not reach one person


async def whispering(room: Room) -> None:
    """A game in a group where everybody can be shown something alone."""
    await room.game("22222", "33333", "44444")
    room.change(Chat, 1, ephemeral=True)
    room.flush()


def hand(room: Room) -> Envelope:
    return next(envelope for envelope in room.envelopes() if envelope.notice.kind == "hand")


async def test_what_one_person_cannot_be_shown_is_still_shown_to_the_others(room: Room) -> None:
    await whispering(room)
    await room.call("3x4")
    whispered = hand(room)
    assert whispered.receiver == BO
    room.flush()
    await room.learn(delivery_results.private_way_failed, whispered, 1)
    assert room.all(Chat)[0].ephemeral is True
    assert (hand(room).chat, hand(room).receiver) == (BO, None), "the private chat is next for Bo"
    room.flush()
    await room.call("4x4")
    assert (hand(room).chat, hand(room).receiver) == (GROUP, CY)
    room.flush()
    await room.call("5x4")
    await room.call("6x4")
    assert [envelope.receiver for envelope in room.envelopes() if envelope.chat == BO] == [None]


async def test_after_a_while_it_is_tried_again(room: Room) -> None:
    await whispering(room)
    await room.call("3x4")
    whispered = hand(room)
    await room.learn(delivery_results.private_way_failed, whispered, 1)
    room.now += DEAF_SECONDS + 1
    await room.call("4x4")
    await room.call("5x4")
    room.flush()
    await room.call("6x4")
    assert (hand(room).chat, hand(room).receiver) == (GROUP, BO)


async def test_an_answer_to_a_tap_that_came_too_late_is_held_against_nobody(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    room.flush()
    await room.tap("Ana", i.BidHere("q1"))
    (whispered,) = room.envelopes()
    await room.learn(delivery_results.private_way_failed, whispered, 1, once=True)
    await room.call("3x4")
    room.flush()
    assert done((await room.tap("Bo", i.BidHere("q2"))).toast) is Done.DICE_SENT
    assert room.envelopes()[0].receiver == BO
    await room.call("4x4")
    await room.call("5x4")
    assert done((await room.tap("Ana", i.BidHere("q3"))).toast) is Done.DICE_SENT


async def test_who_cannot_be_shown_anything_gets_the_keyboard_under_the_table(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    room.flush()
    await room.tap("Ana", i.BidHere("q1"))
    (whispered,) = room.envelopes()
    await room.learn(delivery_results.private_way_failed, whispered, 1)
    for call in ("3x4", "4x4", "5x4"):
        await room.call(call)
    assert done((await room.tap("Ana", i.BidHere("q2"))).toast) is Done.SHARED_KEYBOARD


# Who plays again


async def over(room: Room) -> None:
    await room.game("2", "33", "44", calls="2x2 dudo")
    await room.tap("Ana", i.Stop())
    room.flush()


async def test_who_left_the_group_is_not_seated_again(room: Room) -> None:
    await over(room)
    await room.say("Cy", i.LeaveChat(), by="nothing")
    await room.tap("Bo", i.PlayAgain())
    assert [seat.name for seat in room.table(2).seats] == ["Ana", "Bo"]


@pytest.mark.parametrize("back", ["heard of", "taps"])
async def test_who_came_back_is_seated_again(room: Room, back: str) -> None:
    await over(room)
    await room.say("Bo", i.LeaveChat(), by="nothing")
    if back == "heard of":
        await room.say("Ana", i.JoinChat((BO, 4711)), by="nothing")
        await room.tap("Cy", i.PlayAgain())
    else:
        await room.tap("Bo", i.PlayAgain())
    assert [seat.name for seat in room.table(2).seats] == ["Ana", "Bo", "Cy"]


async def test_to_have_left_another_group_says_nothing(room: Room) -> None:
    await over(room)
    await room.say("Cy", i.LeaveChat(), where=i.Place("telegram", -2002, 0, "Family"), by="nothing")
    await room.tap("Bo", i.PlayAgain())
    assert [seat.name for seat in room.table(2).seats] == ["Ana", "Bo", "Cy"]


# The record


async def finished(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    await room.tap("Ana", i.Start())
    await room.tap("Bo", i.Leave(confirmed=True))
    assert room.table().status is Status.FINISHED
    room.flush()


async def test_the_record_is_not_sent_again_while_it_stands_right_above(room: Room) -> None:
    await finished(room)
    assert (await room.tap("Cy", i.SeeRecord())).toast is None
    assert done((await room.tap("Cy", i.SeeRecord())).toast) is Done.RECORD_ABOVE
    room.flush()
    assert done((await room.tap("Bo", i.SeeRecord())).toast) is Done.RECORD_ABOVE
    assert room.told() == []
    room.now += 601
    await room.tap("Bo", i.SeeRecord())
    assert room.told() == [("record", GROUP)]


# Answers


async def test_an_admin_who_could_not_be_looked_up_is_asked_to_try_again(room: Room) -> None:
    await room.game("22222", "33333")
    assert denial((await room.tap("Bo", i.Stop(is_admin=None))).toast) is Denial.CANNOT_TELL
    assert room.table().status is Status.PLAYING
    await room.tap("Ana", i.Stop(is_admin=None))
    assert room.table().status is Status.CLOSED, "the host needs no looking up"


async def test_the_group_hears_of_a_new_host(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    room.flush()
    await room.tap("Ana", i.Leave(confirmed=True))
    assert [(notice.name) for notice in room.notices("host")] == ["Bo"]
    room.flush()
    await room.tap("Cy", i.Leave(confirmed=True))
    assert room.notices("host") == []


async def test_a_call_typed_in_private_is_confirmed_there(room: Room) -> None:
    await room.game("22222", "33333")
    room.flush()
    await room.say("Ana", i.MakeBid(3, 4), where=None)
    (notice,) = room.notices("done")
    assert isinstance(notice, DoneNotice)
    assert notice.done is Done.BID
    assert notice.bid is not None
    assert (notice.bid.quantity, notice.bid.face) == (3, 4)
    assert ("done", ANA) in room.told()
    room.flush()
    await room.say("Bo", i.MakeBid(4, 4))
    assert room.notices("done") == [], "the group sees its table"


async def test_words_a_little_older_than_the_turn_count_as_clocks_differ_and_older_ones_do_not(room: Room) -> None:
    await room.game("22222", "33333", "44444")
    await room.call("3x4")
    turn = room.table().turn_since
    await room.say("Bo", i.SayDudo(), said_at=turn - 3)
    assert room.notices("denied")[-1].denial is Denial.STALE
    assert room.table().step == 1
    await room.say("Bo", i.SayDudo(), said_at=turn - 1.5)
    assert room.table().step == 2
