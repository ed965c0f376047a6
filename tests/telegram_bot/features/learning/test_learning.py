"""Learning in the private chat: the tutorial's lesson under any rules, and practice against computer players."""

from itertools import product
from typing import Any

import pytest

from perudo_core import PRESETS, Bid, CalzaBy, OnesRank, PlainRaise, Rules, is_legal
from perudo_core.agents import Level
from telegram_bot.channels.telegram.callback_data import parse_callback
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.delivery.sender import RefusedError
from telegram_bot.features.learning import TRY_ANOTHER, Practise, TakeTutorial, WatchEnd
from telegram_bot.features.learning.lesson import FRIEND, LEARNER, Topic, lesson
from telegram_bot.features.learning.notices import TutorialNotice
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import Notice
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.handlers import lobby_requests as r
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.phone_requests import OpenPrivateLobby
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, NextGameRequest
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status, Timings
from tests.telegram_bot.channels.telegram.test_updates import message
from tests.telegram_bot.channels.telegram.test_updates import request as read
from tests.telegram_bot.conftest import ANA, EN, GroupHarness, game_of, rejection_of
from tests.telegram_bot.delivery.conftest import DeliveryHarness, RecordingSender
from tests.telegram_bot.words.notice_examples import words

LESSON = MessageRef(5)


async def answer(harness: GroupHarness, step: int, number: int | None) -> TutorialNotice:
    """Tap an answer in the tutorial's message; return what the message then shows."""
    harness.mark_all_sent()
    result = await harness.tap("Ana", TakeTutorial(step, number), table=None, where=None, tapped=LESSON)
    (envelope,) = harness.envelopes()
    assert (envelope.target, envelope.chat) == (LESSON, harness.person("Ana").address)
    assert isinstance(envelope.notice, TutorialNotice)
    assert result.toast == (None if envelope.notice.wrong is None else TRY_ANOTHER)
    return envelope.notice


def answers_to(harness: GroupHarness, step: int) -> tuple[int, int]:
    right = [answer.right for answer in lesson(harness.service.config.rules)[step].answers]
    return right.index(True), right.index(False)


@pytest.mark.parametrize("typed", ["/learn", "/practise", "/practice"])
async def test_a_group_in_which_it_is_typed_reads_where_it_works(harness: GroupHarness, typed: str) -> None:
    request = read(message(typed))
    assert isinstance(request, TakeTutorial | Practise)
    assert rejection_of((await harness.tap("Ana", request, table=None)).toast) is RejectionReason.IN_PRIVATE


async def test_right_answers_lead_to_the_end_in_one_message(harness: GroupHarness) -> None:
    await harness.say("Ana", TakeTutorial(), where=None)
    assert [(notice.step, notice.wrong) for notice in harness.notices("tutorial")] == [(0, None)]
    for step in range(6):
        right, wrong = answers_to(harness, step)
        for _ in range(2):
            hint = await answer(harness, step, wrong)
            assert (hint.step, hint.wrong) == (step, wrong), "also when the hint is shown already"
        assert f"· {step + 1}/6" in words(hint)
        following = await answer(harness, step, right)
        assert (following.step, following.wrong) == (step + 1, None)
    assert harness.rows(GameTable) == []


async def test_a_second_tap_and_an_old_or_forged_button_do_no_harm(harness: GroupHarness) -> None:
    right, _ = answers_to(harness, 2)
    assert await answer(harness, 2, right) == await answer(harness, 2, right)
    for step, number, shown in ((0, None, 0), (2, 9, 2), (9, 9, 6)):
        notice = await answer(harness, step, number)
        assert (notice.step, notice.wrong) == (shown, None)


async def test_it_teaches_the_rules_of_its_readers_table_and_leaves_it_alone(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", r.ChangeOption("calza"))
    before = harness.table()
    assert (await answer(harness, 0, 0)).rules.calza
    assert not harness.service.config.rules.calza
    assert harness.table() == before


def wishes(notice: Notice) -> list[i.AnyRequest]:
    taps = (parse_callback(button.get("callback_data")) for row in keyboard(notice, EN, bot="bot") for button in row)
    return [tap.request for tap in taps if tap is not None]


async def privately(harness: GroupHarness, request: i.AnyRequest, **more: Any) -> None:
    await harness.say("Ana", request, where=None, **more)


async def tap_privately(harness: GroupHarness, request: i.AnyRequest, table: int | None = None) -> Any:
    return (await harness.tap("Ana", request, table=table, where=None)).toast


async def play_on(harness: GroupHarness, table: int = 1) -> None:
    """Let every computer player call until Ana is on turn, or the game is over."""
    for _ in range(60):
        now = harness.table(table)
        if now.status is not Status.PLAYING or now.game is None or now.game.turn == 0:
            return
        assert now.running.think_at is not None
        await harness.run_deadlines(0)  # as if the turn had been announced
        await harness.run_deadlines(max((now.show_at or now.running.think_at) - harness.now, 0))
    raise AssertionError("the game does not come back to Ana")


async def practise_until_the_opponent_bids(harness: GroupHarness) -> None:
    await privately(harness, Practise(1))
    await play_on(harness)
    if not game_of(harness.table()).bids:
        await tap_privately(harness, MakeBid(1, 6), 1)
        await play_on(harness)


async def test_the_second_tap_begins_a_private_game_and_the_third_may_be_a_bid(harness: GroupHarness) -> None:
    await privately(harness, r.StartPrivateChat())
    (welcome,) = harness.notices("welcome")
    assert Practise(2) in wishes(welcome)
    await privately(harness, Practise())
    (asked,) = harness.notices("practice")
    assert wishes(asked) == [Practise(count) for count in range(1, 6)], "/practise asks"
    harness.mark_all_sent()
    await tap_privately(harness, Practise(2))
    table = harness.table()
    assert (table.status, table.practice, table.host) == (Status.PLAYING, True, harness.player("Ana").id)
    assert [seat.computer is not None for seat in table.seats] == [False, True, True]
    assert (table.counts_for_league, table.clock.seconds) == (False, 0)
    chat = harness.person("Ana").address
    assert harness.waiting_kinds() == [("started", chat), ("hand", chat)], "the board is last, and tells all"
    await play_on(harness)
    assert any(isinstance(wish, MakeBid) for wish in wishes(harness.notices("hand")[-1]))


async def test_a_practice_game_is_played_to_its_end_and_again(harness: GroupHarness) -> None:
    await privately(harness, Practise(1))
    for _ in range(60):
        await play_on(harness)
        table = harness.table()
        if table.status is Status.FINISHED:
            break
        call = MakeBid(1, 6) if table.begun_game.current_bid is None else CallDudo()
        await tap_privately(harness, call, 1)
        harness.now = max(harness.now, harness.table().turn_since)
        if harness.table().status is Status.PLAYING:
            harness.mark_all_sent()  # the next round begins when the chat has seen the dice
    assert harness.table().status is Status.FINISHED
    assert harness.notices("game_over")
    harness.mark_all_sent()
    await tap_privately(harness, r.PlayAgain(), 1)
    again = harness.table(2)
    assert (again.status, again.practice) == (Status.PLAYING, True)
    assert [seat.name for seat in again.seats] == [seat.name for seat in harness.table(1).seats]


async def test_practice_is_private_with_as_many_opponents_as_the_rulebook_allows(harness: GroupHarness) -> None:
    await privately(harness, Practise(99))
    assert len(harness.table().seats) == 6
    harness.mark_all_sent()
    await privately(harness, Practise(3))
    assert len(harness.table().seats) == 6, "who practises already sees that table again"
    assert {envelope.notice.kind for envelope in harness.envelopes()} == {"hand"}
    await privately(harness, Stop())
    (question,) = harness.notices("confirm")
    assert message_html(question, EN) == "Ana, close this game? Then no one wins it.", "without a title"
    harness.mark_all_sent()
    await privately(harness, Stop(confirmed=True))
    assert len(harness.notices("closed")) == 1


async def test_the_end_of_a_round_is_looked_at_before_the_next_dice(database: Database) -> None:
    harness = GroupHarness(database, timings=Timings(reveal_seconds=2, practice_pause_seconds=4))
    await practise_until_the_opponent_bids(harness)
    harness.mark_all_sent()
    await privately(harness, CallDudo())
    called, reveal = harness.waiting()
    assert [envelope.notice.kind for envelope in harness.envelopes()] == ["hand", "reveal"]
    assert "You said <b>dudo</b>" in words(harness.notices("hand")[0]), "and no other message says so"
    assert (called.not_before, reveal.not_before) == (harness.now, harness.now + 2)
    table = harness.table()
    assert (table.show_at, table.turn_since) == (harness.now + 6, harness.now + 6)
    harness.mark_all_sent()
    await harness.run_deadlines(5.9)
    assert harness.envelopes() == []
    await harness.run_deadlines(0.1)
    (board,) = harness.envelopes()
    assert (board.notice.kind, board.edits) == ("hand", False)


@pytest.mark.parametrize("animations", [True, False])
async def test_who_practises_gets_the_end_of_a_round_in_one_message(database: Database, *, animations: bool) -> None:
    harness = GroupHarness(database, timings=Timings(reveal_seconds=2), animations=animations)
    delivery = DeliveryHarness(harness, RecordingSender())
    await practise_until_the_opponent_bids(harness)
    await delivery.drain_with_time(ANA)
    delivery.sender.sent.clear()
    await privately(harness, CallDudo())
    await delivery.drain_with_time(ANA)
    new = [envelope.notice for envelope, target in delivery.sender.sent if target is None]
    assert [(notice.kind, getattr(notice, "animated", None)) for notice in new] == [("reveal", animations)]
    edits = sorted(envelope.notice.kind for envelope, target in delivery.sender.sent if target is not None)
    assert edits == (["hand", "opened_reveal"] if animations else ["hand"])


async def test_a_player_who_blocked_the_bot_gets_the_end_of_the_round_later(harness: GroupHarness) -> None:
    delivery = DeliveryHarness(harness, RecordingSender())
    await practise_until_the_opponent_bids(harness)
    await delivery.drain_with_time(ANA)
    delivery.sender.failures[ANA] = [RefusedError("bot was blocked by the user")]
    await privately(harness, CallDudo())
    await delivery.drain_with_time(ANA)
    assert "reveal" not in delivery.sender.texts()
    await privately(harness, r.StartPrivateChat())
    await delivery.drain_with_time(ANA)
    assert delivery.sender.texts().count("reveal") == 1


async def test_a_player_who_is_out_watches_the_computer_players_or_plays_again(harness: GroupHarness) -> None:
    await privately(harness, Practise(2))
    await privately(harness, Leave(confirmed=True))
    (out,) = harness.notices("knocked_out")
    assert "You're out: place 3 of 3" in words(out)
    assert all(notice.view.out == (0,) for notice in harness.notices("reveal"))
    assert harness.notices("game_over") == [], "no one has won who still has to play for it"
    assert wishes(out) == [WatchEnd(), r.PlayAgain()]
    harness.mark_all_sent()
    table = harness.table()
    assert (table.status, table.running.think_at, table.running.ends) == (Status.PLAYING, None, None), "no one watches"
    await tap_privately(harness, WatchEnd(), 1)
    (board,) = harness.notices("table")
    assert wishes(board) == []
    for _ in range(200):
        if (table := harness.table()).status is not Status.PLAYING:
            break
        due = min(time for time in (table.running.think_at, table.show_at) if time is not None)
        assert due - harness.now < 6
        await harness.run_deadlines(max(due - harness.now, 0))
    (over,) = harness.notices("game_over")
    assert not over.view.by_dice
    harness.mark_all_sent()

    await privately(harness, Practise(2))
    await privately(harness, Leave(confirmed=True))
    harness.mark_all_sent()
    await tap_privately(harness, r.PlayAgain(), 2)
    assert (harness.table(2).status, harness.table(3).status) == (Status.CLOSED, Status.PLAYING)
    kinds = [kind for kind, _ in harness.waiting_kinds()]
    assert (kinds[-1], kinds.count("closed")) == ("hand", 0)


async def test_a_group_is_joined_by_computer_players_with_one_tap(harness: GroupHarness) -> None:
    await harness.say("Ana", r.StartPrivateChat(), where=None)
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", r.OpenMenu("players"), where=None)
    await harness.tap("Ana", r.AddComputers(1, Level.STRONG), where=None)
    shown = next(each for each in harness.notices("lobby") if each.to_host)
    added = harness.table().seats[2]
    assert f"3. {added.name} <i>(strong, " in words(shown)
    assert {r.AddComputers(None), r.AddComputers(1, Level.EXPERT), r.Kick(added.player)} <= set(wishes(shown))
    for request, seats in ((r.Kick(added.player), 2), (r.AddComputers(None), harness.table().max_seats)):
        await harness.tap("Ana", request)
        assert len(harness.table().seats) == seats


async def test_a_phone_has_the_tutorial_and_computer_players_by_text(harness: GroupHarness) -> None:
    await harness.text("Gus", TakeTutorial())
    assert [notice.step for notice in harness.notices("tutorial")] == [0]
    await harness.text("Gus", OpenPrivateLobby("Gus"))
    await harness.text("Gus", r.AddComputers(2))
    assert [seat.computer is not None for seat in harness.table().seats] == [False, True, True]
    await harness.text("Gus", r.Start())
    await play_on(harness)
    assert game_of(harness.table()).turn == 0
    assert {envelope.channel for envelope in harness.envelopes()} == {"sms"}


async def test_a_practice_game_calls_nobody(harness: GroupHarness) -> None:
    await harness.game("11", "22")
    await harness.say("Dee", r.StartPrivateChat(), where=None)
    await harness.tap("Dee", r.RequestNextGame(), table=None)
    refused = await harness.tap("Cy", r.RequestNextGame(), table=None, where=None)
    assert rejection_of(refused.toast) is RejectionReason.NO_TABLE
    await harness.tap("Ana", Stop(confirmed=True))
    await harness.tap("Cy", Practise(1), table=None, where=None)
    await harness.tap("Cy", Leave(confirmed=True), table=2, where=None)
    harness.mark_all_sent()
    await harness.tap("Cy", r.PlayAgain(), table=2, where=None)
    assert harness.table(3).practice
    assert harness.notices("next_game") == []
    assert [row.table_id for row in harness.rows(NextGameRequest)] == [None], "Dee still waits for a game in the group"


EVERY_RULES = [
    Rules.preset(preset).with_options(
        calza=calza is not None,
        calza_by=calza or CalzaBy.ANYONE_BUT_BIDDER,
        palifico=palifico != "never",
        palifico_every_round=palifico == "always",
        wild_ones=wild,
        plain_raise=plain_raise,
        ones_rank=ones_rank,
        sudden_death=loss == "sudden_death",
        lose_by_difference=loss == "lose_by_difference",
        first_out_wins=loss == "first_out_wins",
    )
    for preset, calza, palifico, wild, plain_raise, ones_rank, loss in product(
        PRESETS,
        (None, *CalzaBy),
        ("never", "once", "always"),
        (True, False),
        PlainRaise,
        OnesRank,
        ("", "sudden_death", "lose_by_difference", "first_out_wins"),
    )
]


def test_under_any_rules_it_has_six_steps_each_with_a_right_and_a_wrong_answer() -> None:
    for rules in EVERY_RULES:
        steps = lesson(rules)
        assert len(steps) == 6 or (len(steps) == 5 and rules.is_always_palifico)
        for step in steps:
            assert {answer.right for answer in step.answers} == {True, False}
            for answer in step.answers:
                legal = answer.call is None or is_legal(step.state, answer.call)
                assert legal == (answer.why_not is None)
                assert legal or not answer.right


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"calza": True}, ["calza", "palifico"]),
        ({"calza": False}, ["ones", "palifico"]),
        ({"calza": True, "palifico": False}, ["ones", "calza"]),
        ({"calza": False, "palifico": False}, ["ones", "bluff"]),
        ({"calza": True, "sudden_death": True}, ["ones", "calza"]),
        ({"palifico": False, "wild_ones": False}, ["higher", "bluff"]),
        ({"starting_dice": 1}, ["ones", "bluff"]),
        ({"first_out_wins": True}, ["ones", "bluff"]),
        ({"palifico_every_round": True}, ["bluff"]),
    ],
)
def test_it_teaches_what_the_rules_have(options: dict[str, object], expected: list[str]) -> None:
    topics = [step.topic for step in lesson(Rules().with_options(**options))]
    assert topics == ["count", "raise", "dudo", "loser", *expected]


@pytest.mark.parametrize(
    ("options", "lost"),
    [
        ({}, 1),
        ({"lose_by_difference": True}, 2),  # 7 were bid, 5 count
        ({"lose_by_difference": True, "wild_ones": False}, 4),
        ({"sudden_death": True}, 5),
        ({"first_out_wins": True}, 0),
    ],
)
def test_what_wins_and_who_loses_follows_from_the_rules(options: dict[str, object], lost: int) -> None:
    count, _, _, step, *_ = lesson(Rules().with_options(**options))
    assert [answer.right for answer in step.answers] == [False, True]
    assert step.state.dice_counts[FRIEND] - step.after.dice_counts[FRIEND] == lost
    assert [answer.number for answer in count.answers if answer.right] == [3 if options.get("wild_ones", True) else 2]


def test_calza_is_right_whoever_may_say_it() -> None:
    for calza_by in CalzaBy:
        rules = Rules.preset("italian_box").with_options(calza=True, calza_by=calza_by)
        step = next(step for step in lesson(rules) if step.topic is Topic.CALZA)
        assert step.after.dice_counts[LEARNER] == step.state.dice_counts[LEARNER] + 1
        assert (step.state.turn == LEARNER) is (calza_by is not CalzaBy.BYSTANDERS)


def test_enough_ones_differ_with_their_rank() -> None:
    def enough(ones_rank: OnesRank) -> list[object]:
        steps = [step for step in lesson(Rules(ones_rank=ones_rank)) if step.topic is Topic.ONES]
        return [answer.call for step in steps for answer in step.answers if answer.right]

    assert enough(OnesRank.DOUBLE) == [Bid(LEARNER, 3, 1)]
    assert enough(OnesRank.HIGHEST) == [Bid(LEARNER, 5, 1)]
    assert enough(OnesRank.LOWEST) == []
