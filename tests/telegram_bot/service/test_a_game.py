"""A running game through the service: its messages, late and doubled taps, questions."""

from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import Confirmation, DiceNotice
from telegram_bot.service.announcing.saying import ANSWER_SECONDS
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid, ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, PlayAgain, Start
from telegram_bot.service.handlers.queries import SeeBids, SeeDice, SeeHelp
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, LaneName, PrivateView, TableSeat
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status
from tests.telegram_bot.conftest import (
    ANA,
    AUTO_CLOCK,
    BO,
    CY,
    GROUP,
    GroupHarness,
    chosen,
    confirmation_of,
    rejection_of,
)


async def test_the_start_tells_the_group_and_deals_to_everybody_in_private(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo", "Cy")
    harness.mark_all_sent()
    await harness.tap("Ana", Start())
    game = harness.table().begun_game
    assert game.turn is not None
    order = [game.turn, *(seat for seat in range(3) if seat != game.turn)]
    hands = [("hand", (ANA, BO, CY)[seat]) for seat in order]
    told = harness.waiting_kinds()
    assert [each for each in told if each[1] == GROUP] == [("started", GROUP), ("table", GROUP)]
    assert [each for each in told if each[1] != GROUP] == hands, "whoever is on turn first"
    assert [row.slot for row in harness.waiting() if row.slot and "hand" not in row.slot] == ["lobby", "deal:1"]
    envelopes = [envelope for envelope in harness.envelopes() if envelope.notice.kind == "hand"]
    assert [envelope.edits for envelope in envelopes] == [False] * 3
    assert [envelope.silent for envelope in envelopes] == [False, True, True]
    assert [notice.view.dice for notice in harness.notices("hand")] == [game.dice[seat] for seat in order]


async def test_a_bid_edits_the_table_and_calls_the_next_player(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", sent=True)
    outcome = await harness.call("3x4")
    assert confirmation_of(outcome.toast) is Confirmation.BID
    told = [("hand", BO), ("table", GROUP), ("hand", ANA), ("hand", CY)]
    assert harness.waiting_kinds() == told, "each is told once, whoever is on turn first"
    assert outcome.lanes == {LaneName("telegram", GROUP)}, "delivery finds the others"
    boards = [(hand.view.on_turn, hand.view.dice) for hand in harness.notices("hand")]
    assert boards == [(True, (3,) * 5), (False, (2,) * 5), (False, (4,) * 5)]
    assert [envelope.edits for envelope in harness.envelopes()] == [True] * 4


async def test_the_end_tells_the_winner_and_takes_all_keyboards_away(harness: GroupHarness) -> None:
    await harness.game("2", "33")
    harness.shows("hand:1", 11, chat=ANA)
    harness.shows("hand:2", 22, chat=BO, keyboard=True)
    harness.mark_all_sent()
    await harness.call("2x2")
    harness.mark_all_sent()
    await harness.call("dudo")
    told = {chat: [each for each in harness.envelopes() if each.chat == chat] for chat in (GROUP, ANA, BO)}
    assert [each.notice.kind for each in told[GROUP]] == ["reveal", "game_over"]
    for chat in (ANA, BO):
        assert [each.notice.kind for each in told[chat]] == ["hand", "reveal", "game_over"]
    assert not any(envelopes[-1].edits for envelopes in told.values()), "its keyboard goes"
    assert harness.table().status is Status.FINISHED
    assert not any(row.live for row in harness.rows(TableSeat))
    assert not any(row.live for row in harness.rows(GameTable))


async def test_in_reply_to_the_last_rounds_message_a_bid_counts_and_a_doubt_is_banter(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", calls="6x5 dudo")
    await harness.set_dice("22222", "33333", "4444", opener=0)
    harness.mark_all_sent()
    for slot, message in (("lobby", 500), ("deal:1", 501), ("deal:2", 502)):
        harness.shows(slot, message)
    harness.shows("over", 503, table=9)
    harness.shows("deal:7", 502, table=9, receiver=ANA)
    step = harness.table().step
    await harness.say("Ana", MakeBid(3, 4), replied_to=MessageRef(501), said_at=harness.now)
    assert harness.table().step == step + 1, "it may be the newest message there is"
    for earlier in (501, 503):
        harness.mark_all_sent()
        await harness.say("Bo", CallDudo(), replied_to=MessageRef(earlier), said_at=harness.now)
        assert [notice.reason for notice in harness.notices("rejection")] == [RejectionReason.STALE]
    await harness.say("Bo", MakeBid(4, 4), replied_to=MessageRef(500))
    await harness.say("Cy", MakeBid(5, 4), replied_to=MessageRef(502))
    await harness.say("Ana", CallDudo(), replied_to=MessageRef(12345))
    assert harness.table().step == step + 4


async def test_dice_come_in_an_alert_at_a_tap_and_in_private_at_a_word(harness: GroupHarness) -> None:
    await harness.game("22222", "33336", sent=True)
    toast = (await harness.tap("Bo", SeeDice())).toast
    assert isinstance(toast, DiceNotice)
    assert toast.view.dice == (3, 3, 3, 3, 6)
    assert harness.waiting_kinds() == [], "no message is spent on it"
    assert rejection_of((await harness.tap("Dee", SeeDice())).toast) is RejectionReason.NOT_SEATED
    for where in (harness.group, None):
        await harness.say("Bo", SeeDice(), where=where)
        assert harness.waiting_kinds() == [("hand", BO)]
        harness.mark_all_sent()
    await harness.say("Bo", Choose("view", PrivateView.ALERT))
    harness.mark_all_sent()
    await harness.say("Bo", SeeDice())
    (answer,) = harness.notices("confirmation")
    assert chosen(answer) == ("view", PrivateView.ALERT)
    assert "hand" not in [kind for kind, _ in harness.waiting_kinds()]


async def test_who_browses_the_bids_turns_one_message_in_one_edit(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    message, ephemeral = MessageRef(55), MessageRef(55, ANA)
    for face in (None, *range(1, 7)):
        await harness.tap("Ana", SeeBids(face), tapped=message)
    await harness.tap("Ana", SeeBids(2), tapped=ephemeral)
    await harness.tap("Ana", SeeBids(3), tapped=message, where=None)
    shown = harness.envelopes()
    assert [(each.chat, each.target) for each in shown] == [
        (chat, target) for chat, target in ((GROUP, message), (GROUP, ephemeral), (ANA, message))
    ]
    assert [(each.face, each.private) for each in harness.notices("bids")] == [(6, False), (2, True), (3, True)]
    for name, more, why in (("Bo", {}, RejectionReason.ILLEGAL), ("Ana", {"step": 7}, RejectionReason.STALE)):
        refused = await harness.tap(name, SeeBids(4), tapped=message, **more)
        assert rejection_of(refused.toast) is why


async def test_who_asks_for_the_same_again_and_again_is_answered_once_and_not_late(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    for _ in range(20):
        await harness.say("Bo", SeeHelp())
        await harness.say("Dee", MakeBid(3, 4))
    assert harness.waiting_kinds() == [("help", GROUP), ("rejection", GROUP)]
    assert {row.expires_at for row in harness.waiting()} == {harness.now + ANSWER_SECONDS}
    harness.mark_all_sent()
    await harness.say("Bo", SeeHelp())
    assert harness.waiting_kinds() == [("help", GROUP)], "asked anew, told anew"


async def test_a_player_in_two_games_is_asked_which_unless_a_reply_or_the_group_says_it(harness: GroupHarness) -> None:
    other = i.Place("telegram", -2002, 0, "Family")
    await harness.game("22222", "33333")
    for name in ("Ana", "Bo"):
        await harness.say(name, OpenLobby() if name == "Ana" else Join(), where=other)
    await harness.tap("Ana", Start(), table=2, where=other)
    await harness.set_dice("44444", "55555", table=2)
    harness.mark_all_sent()
    harness.shows("hand:1", 501, chat=ANA, table=1)
    harness.shows("hand:1", 502, chat=ANA, table=2)

    def steps() -> tuple[int, int]:
        return harness.table(1).step, harness.table(2).step

    for more in ({}, {"replied_to": MessageRef(9)}):
        await harness.say("Ana", MakeBid(3, 4), where=None, **more)
        (which,) = harness.notices("which_table")
        assert [(choice.table, choice.title) for choice in which.choices] == [(1, "Friends"), (2, "Family")]
        assert which.word == "bid=3x4"
        harness.mark_all_sent()
    await harness.say("Ana", Leave(), where=None)
    assert [which.word for which in harness.notices("which_table")] == ["leave"]
    harness.mark_all_sent()
    assert steps() == (0, 0)
    await harness.tap("Ana", MakeBid(3, 4), table=2, where=None)
    assert steps() == (0, 1)
    await harness.say("Bo", MakeBid(4, 4), where=other)
    assert steps() == (0, 2), "in a group its own table is meant"
    await harness.say("Ana", MakeBid(5, 4), where=None, replied_to=MessageRef(502))
    assert steps() == (0, 3)


async def test_a_forged_button_reaches_no_table(harness: GroupHarness) -> None:
    """Button data is not trusted: a table answers only its own group and its own players."""
    await harness.lobby("Ana", "Bo")
    before = harness.table()
    for table in (0, 2**31, 10**14):
        for what in (Join(), PlayAgain()):
            assert rejection_of((await harness.tap("Ana", what, table=table)).toast) is RejectionReason.NO_TABLE
    elsewhere = i.Place("telegram", -6666, 0, "Mallory's")
    for wish in (Stop(is_admin=True), Stop(), Join(), SeeDice(), PlayAgain()):
        for where in (elsewhere, None):
            toast = (await harness.tap("Eve", wish, where=where)).toast
            assert rejection_of(toast) is RejectionReason.NO_TABLE
    assert harness.table() == before


async def test_banter_in_reply_to_the_bot_is_not_answered_at_any_time_of_an_evening(harness: GroupHarness) -> None:
    async def banters(name: str) -> None:
        harness.mark_all_sent()
        tables = harness.rows(GameTable)
        outcome = await harness.say(name, i.TypedText("well played", may_be_talk=True))
        assert (outcome.toast, harness.waiting_kinds()) == (None, [])
        assert [row.state for row in harness.rows(GameTable)] == [row.state for row in tables]

    await banters("Ana")
    await harness.game("2", "33")
    for name in ("Ana", "Cy"):
        await banters(name)
    for call in ("2x2", "dudo"):
        await harness.call(call)
    await banters("Ana")


async def test_a_player_who_leaves_the_group_leaves_the_games_of_all_its_topics(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", "55555")
    topic = i.Place("telegram", GROUP, 5, "Friends")
    for name in ("Ana", "Bo"):
        await harness.say(name, OpenLobby() if name == "Ana" else Join(), where=topic)
    await harness.tap("Ana", Start(), table=2, where=topic)
    await harness.tap("Bo", Leave(confirmed=True))
    await harness.say("Bo", i.MemberLeft(), by="nothing")
    assert harness.table(2).status is Status.FINISHED, "to be out of one game is no reason to stay in the other"
    await harness.say("Ana", i.MemberLeft(), by="nothing")
    assert (harness.table().in_play(0), harness.table().host) == (False, harness.player("Cy").id)
    await harness.say("Eve", i.MemberLeft(), by="nothing")
    assert not harness.notices("rejection"), "an onlooker's leaving is no one's business"


async def test_an_away_player_who_says_anything_is_back_and_nobody_else(database: Database) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333", "44444")
    await harness.run_deadlines(61)
    assert harness.table().seats[0].away
    await harness.tap("Cy", Leave(confirmed=True))
    harness.mark_all_sent()
    for name, why in (("Eve", RejectionReason.NOT_SEATED), ("Cy", RejectionReason.OUT)):
        assert rejection_of((await harness.tap(name, ReturnToSeat())).toast) is why
    await harness.say("Ana", MakeBid(9, 9))
    assert not harness.table().seats[0].away
    assert {"table", "rejection"} <= {kind for kind, _ in harness.waiting_kinds()}
