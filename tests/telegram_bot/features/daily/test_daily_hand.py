"""The hand of the day, which is the same for all players, and a group's hand of last night."""

import re
from dataclasses import replace
from datetime import date, datetime
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest

from perudo_core import Rules, parse_call
from telegram_bot.channels.sms.text_parser import TextRequest, parse_message
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.features.daily import NO_HAND, SEED_KEY, DailyDecision, DailyHands, PlayDaily, hand_key
from telegram_bot.features.daily import hand as dealing
from telegram_bot.features.daily.hand import DailyAnswer, DailyHand, DailyQuestion, Verdict, deal, judge_call
from telegram_bot.features.daily.last_night import OVER, GuessLastNight, LastNightAnswerNotice
from telegram_bot.features.daily.notices import DailyNotice
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.intents import Place
from telegram_bot.operations.forget import PersonDeletion
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.pictures.hand import hand_picture
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.requests import read_button
from telegram_bot.side_process import SideProcess
from telegram_bot.storage.models import KeyValue, RoundEnd
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.quiet_hours import USUAL_NIGHT, QuietHours
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import BidView
from test_support.sms_world import ANA, SmsWorld
from tests.telegram_bot.conftest import EN, GroupHarness, rejection_of
from tests.telegram_bot.statistics.conftest import PlayGame
from tests.telegram_bot.words.notice_examples import words

MESSAGE = MessageRef(5)


class Days:
    """A player who asks for the hand of the day, day after day."""

    def __init__(self, harness: GroupHarness) -> None:
        self.harness = harness
        self.dealt: list[int] = []
        """The days whose hands were dealt, in this process."""
        self.hands = DailyHands(harness.service, cast("SideProcess[[str, int, Rules]]", self))

    async def ask(self, secret: str, day: int, rules: Rules) -> bytes:
        self.dealt.append(day)
        return deal(secret, day, rules)

    @property
    def today(self) -> int:
        return dealing.day_at(self.harness.now, "UTC")

    def hand(self, day: int) -> DailyHand:
        (kept,) = [row.value for row in self.harness.rows(KeyValue) if row.key == hand_key(day)]
        return DailyHand.model_validate_json(kept)

    async def asked_by(self, name: str, call: str | None = None, *, day: int | None = None) -> Any:
        """The answer to a player who asks for the hand, or taps a call of a day's message."""
        self.harness.mark_all_sent()
        await self.hands.look_up(self.harness.intent(name, PlayDaily(), where=None))
        if call is None:
            await self.harness.say(name, PlayDaily(), where=None)
        else:
            day = self.today if day is None else day
            await self.harness.tap(name, PlayDaily(day, call), table=None, where=None, tapped=MESSAGE)
        (notice,) = self.harness.notices("daily")
        return notice

    def next_day(self) -> None:
        self.harness.now += DAY_SECONDS


@pytest.fixture
async def days(harness: GroupHarness) -> Days:
    await harness.service.key_values.put(SEED_KEY, "the same hands in every run")
    return Days(harness)


def test_a_hand_follows_from_the_secret_and_the_day_and_its_buttons_decide_it() -> None:
    rules = Rules.preset("box_2009").with_options(calza=True)
    hands = [deal(secret, 20779, rules) for secret in ("secret", "secret", "another")]
    assert (hands[0] == hands[1], hands[0] == hands[2]) == (True, False)
    for day in range(20779, 20785):
        hand = DailyHand.model_validate_json(deal("secret", day, rules))
        asked = hand.question
        assert 15 <= hand.chance <= 75, "the bid to beat is neither nearly certain nor nearly impossible"
        assert tuple(map(len, hand.dice)) == asked.counts
        assert 3 <= len(asked.counts) <= 5
        assert all(1 <= count <= 5 for count in asked.counts)
        assert hand.dice[asked.names.index("")] == asked.dice
        assert [bid.seat for bid in asked.bids] == list(range(len(asked.bids)))
        assert asked.names.index("") == len(asked.bids), "whoever decides is on turn"
        assert hand.expert in asked.calls
        assert all(str(parse_call(call, 0)) == call for call in asked.calls)
        keys = [key.request for row in keys_of(DailyNotice(day=day, question=asked), EN) for key in row]
        assert sorted(keys, key=str) == sorted((PlayDaily(day, call) for call in asked.calls), key=str)


async def test_everybody_has_the_same_hand_each_day_and_decides_it_once(days: Days) -> None:
    result = await days.harness.tap("Ana", PlayDaily(), table=None, where=None)
    assert result.toast == NO_HAND, "it is to be asked for again"
    ana, bo = await days.asked_by("Ana"), await days.asked_by("Bo")
    assert ana == bo
    assert days.dealt == [ana.day] == [days.today]
    first, second, *_ = ana.question.calls
    decided = await days.asked_by("Ana", first)
    hand = days.hand(days.today)
    assert decided.answer == DailyAnswer(hand=hand, everybody=((first, 1),), verdicts=(judge_call(hand, first),))
    (edit,) = days.harness.envelopes()
    assert edit.target == MESSAGE
    assert await days.asked_by("Ana", second) == decided
    assert [row.call for row in days.harness.rows(DailyDecision)] == [first]
    days.next_day()
    assert (await days.asked_by("Ana")).question != ana.question


async def test_the_next_hand_comes_at_the_operators_midnight_in_the_hours_that_are_told(days: Days) -> None:
    for hours, told in ((5.5, "The next hand comes in 19 hours."), (23.1, "The next hand comes within an hour.")):
        days.harness.now = (days.today + 1) * DAY_SECONDS + hours * 3600
        assert told in words(await days.asked_by("Ana", "dudo"))
    # At 15:30 and at 16:30 the day after: midnight UTC is in between, twice.
    zone = "America/Los_Angeles"
    days.harness.service.config = replace(days.harness.service.config, night=QuietHours(*USUAL_NIGHT, zone))
    for hour, minute, day in ((15, 30, 3), (16, 30, 4)):
        days.harness.now = datetime(2027, 3, day, hour, minute, tzinfo=ZoneInfo(zone)).timestamp()
        decided = await days.asked_by("Ana", "dudo", day=date(2027, 3, day).toordinal() - date(1970, 1, 1).toordinal())
    assert (decided.streak, decided.hours) == (2, 8)


async def test_the_answer_tells_all_dice_the_odds_the_expert_and_the_calls_of_all_so_far(days: Days) -> None:
    first, second, *_ = (await days.asked_by("Ana")).question.calls
    for name, call in (("Ana", first), ("Bo", second), ("Cy", second)):
        await days.asked_by(name, call)
    notice = await days.asked_by("Ana")
    assert notice.answer.everybody == ((second, 2), (first, 1))
    hand = days.hand(days.today)
    told = words(notice)
    assert f"chance of {hand.chance}%" in told
    assert f"(right: {hand.right}%)" in told
    assert "👥 3 players so far. " in told
    assert told.count(" · ") == len(hand.dice)
    many = notice.answer.model_copy(update={"everybody": ((second, 62), (first, 38))})
    assert "👥 100 players so far. " in (crowd := words(notice.model_copy(update={"answer": many})))
    assert ": 62%, " in crowd
    player, deletion = days.harness.player("Ana").id, PersonDeletion(days.harness.service)
    assert "  1 decision(s) in hands of the day" in (await deletion.traces(player)).lines
    await deletion.forget(player)
    assert (await days.asked_by("Bo")).answer.everybody == ((second, 2),), "a forgotten person has decided nothing"


async def test_the_cups_lift_in_the_picture_of_the_answer(days: Days) -> None:
    asked = await days.asked_by("Ana")
    before, after = (notice.picture(EN) for notice in (asked, await days.asked_by("Ana", asked.question.calls[0])))
    assert (before.animated, after.animated) == (False, True)
    assert before.draw() == hand_picture(asked.question.dice, ones_wild=asked.question.wild_by is not None)
    assert after.draw().startswith(b"GIF")


@pytest.mark.parametrize(
    ("verdict", "calls"),
    [
        (Verdict.BEST, ["4x5"]),
        (Verdict.LUCKY, ["5x5", "3x1", "calza"]),
        (Verdict.WRONG, ["6x5", "4x1", "dudo"]),
    ],
)
def test_the_expert_is_best_another_right_call_is_lucky(verdict: Verdict, calls: list[str]) -> None:
    bids = (BidView(seat=0, quantity=3, face=4),)
    asked = DailyQuestion(names=("", "Bo"), counts=(4, 4), dice=(), bids=bids, calls=(), wild_by="box_2009")
    dice = ((1, 1, 5, 5), (1, 2, 2), (6,))
    hand = DailyHand(question=asked, dice=dice, counted=3, chance=50, expert="4x5", right=50)
    assert [judge_call(hand, call) for call in calls] == [verdict] * len(calls)


async def test_the_squares_to_share_tell_the_last_days_in_a_row_and_no_call(days: Days) -> None:
    squares = ""
    for _ in range(9):
        decided = await days.asked_by("Ana", (await days.asked_by("Ana")).question.calls[-1])
        days.next_day()
        squares += {Verdict.BEST: "🟩", Verdict.LUCKY: "🟨", Verdict.WRONG: "🟥"}[decided.answer.verdicts[-1]]
    ((share,),) = keyboard(decided.model_copy(update={"bot": "perudo_bot"}), EN, bot="perudo_bot")
    assert "+" not in share["url"], "some clients show a plus where a space is meant"
    shared = parse_qs(urlsplit(share["url"]).query)
    day = f"{dealing.date_of(days.today - 1).day}\u00a0{dealing.date_of(days.today - 1):%b}"
    assert shared["url"] == ["https://t.me/perudo_bot?start=daily"]
    assert shared["text"] == [f"Perudo, hand of {day}: {squares[-7:]} 🔥 9 days in a row"]
    days.next_day()
    assert (await days.asked_by("Ana", "dudo")).streak == 1, "a day was missed"


async def test_a_button_of_yesterday_and_a_call_that_is_not_offered_decide_nothing(days: Days) -> None:
    call = (await days.asked_by("Ana")).question.calls[0]
    assert (await days.asked_by("Ana", "99x6")).said is None
    days.next_day()
    shown = await days.asked_by("Ana", call, day=days.today - 1)
    assert (shown.day, shown.said) == (days.today, None)
    assert days.harness.envelopes()[0].key is None, "the old message stays as it is"
    assert days.harness.rows(DailyDecision) == []


async def test_the_question_depends_on_no_die_and_no_others_call(days: Days, caplog: pytest.LogCaptureFixture) -> None:
    before = await days.asked_by("Ana")
    (sent,) = days.harness.envelopes()
    for name in ("Bo", "Cy"):
        await days.asked_by(name, before.question.calls[-1])
    hand = days.hand(days.today)
    other = hand.model_copy(update={"dice": ((6,),) * 5, "counted": 0, "chance": 1, "expert": "calza", "right": 1})
    days.harness.update_row(KeyValue, hand_key(days.today), value=other.model_dump_json())
    assert await days.asked_by("Ana") == before
    (again,) = days.harness.envelopes()
    assert again.model_dump_json() == sent.model_dump_json()
    assert before.answer is None
    assert caplog.text == ""


async def test_a_group_is_shown_the_way_to_it_alone(days: Days) -> None:
    assert await days.hands.look_up(days.harness.intent("Ana", PlayDaily())) is None
    await days.harness.say("Ana", PlayDaily())
    assert days.harness.waiting_kinds() == [("daily_link", days.harness.group.address)]
    named = days.harness.notices("daily_link")[0].model_copy(update={"bot": "bot"})
    assert keyboard(named, EN, bot="bot")[0][0]["url"] == "https://t.me/bot?start=daily"
    assert read_button("daily", at_table=False) == PlayDaily()


async def test_hands_and_decisions_go_after_thirty_days_and_the_secret_stays(days: Days) -> None:
    await days.asked_by("Ana", (await days.asked_by("Ana")).question.calls[0])
    old = hand_key(days.today)
    secret = [row.value for row in days.harness.rows(KeyValue) if row.key == SEED_KEY]
    for passed, kept in ((30, True), (1, False)):
        days.harness.now += passed * DAY_SECONDS
        await Pruning(days.harness.database, lambda: days.harness.now).run()
        assert (old in {row.key for row in days.harness.rows(KeyValue)}) is kept
        assert bool(days.harness.rows(DailyDecision)) is kept
    assert [row.value for row in days.harness.rows(KeyValue) if row.key == SEED_KEY] == secret


@pytest.mark.parametrize(
    ("text", "language", "call"),
    [("DAILY", "en", None), ("daily five fours", "en", "5x4"), ("hand van de dag 5 vieren", "nl", "5x4")],
)
def test_a_text_asks_for_it_or_decides_it_in_any_language(text: str, language: str, call: str | None) -> None:
    read = parse_message(text, language, "Europe/Rome")
    assert isinstance(read, TextRequest)
    assert read.request == PlayDaily(call=call)


async def test_a_phone_decides_by_text_and_reads_the_answer_at_once(phones: SmsWorld) -> None:
    await phones.text(ANA, "NEW Ana")
    await phones.text(ANA, "CLOSE")
    (asked,) = await phones.text(ANA, "DAILY")
    found = re.search(r"one of (\S+) ", asked)
    assert found is not None, asked
    assert "UTC" not in asked
    (decided,) = await phones.text(ANA, f"DAILY {found[1]}")
    assert f"You said {found[1].upper() if found[1].isalpha() else found[1]}" in decided
    assert re.search(r"Bid: \d+x\d\. Counted: \d+\.", decided)
    (again,) = await phones.text(ANA, "DAILY DUDO")
    assert again == decided
    await phones.pass_time(DAY_SECONDS)
    (asked,) = await phones.text(ANA, "daily")
    assert "Text DAILY and one of" in asked


async def the_daily(harness: GroupHarness, name: str = "Ana") -> Any:
    """The group's answer to /daily: the question about last night, or None for the link alone."""
    harness.mark_all_sent()
    await harness.say(name, PlayDaily())
    (envelope,) = harness.envelopes()
    assert envelope.chat == harness.group.address
    assert envelope.notice.kind in ("last_night", "daily_link")
    return envelope.notice if envelope.notice.kind == "last_night" else None


def the_round(harness: GroupHarness, asked: Any) -> RevealView:
    (end,) = (row for row in harness.rows(RoundEnd) if (row.table_id, row.deal) == (asked.table, asked.deal))
    return RevealView.model_validate(end.view)


async def an_evening(harness: GroupHarness, play_game: PlayGame, *names: str) -> None:
    await play_game(*names, seed=1)
    harness.mark_all_sent()
    harness.now += 10 * 3600


async def test_the_next_daily_asks_about_a_bid_that_was_called(harness: GroupHarness, play_game: PlayGame) -> None:
    await an_evening(harness, play_game, "Ana", "Bo", "Cy")
    asked = await the_daily(harness)
    view = the_round(harness, asked)
    assert asked.bids == view.bids
    assert view.call in ("dudo", "calza")
    assert asked.dice == len(view.dice[asked.bids[-1].seat])
    assert f"{view.seats[asked.bids[-1].seat].name}</b> says " in words(asked)
    hand = ",".join(map(str, view.dice[asked.bids[-1].seat]))
    assert f"[{hand}]" not in asked.model_dump_json()
    assert await the_daily(harness, "Bo") == asked, "the same on the whole day"


async def test_whoever_was_absent_guesses_and_sees_dice_shown_here(harness: GroupHarness, play_game: PlayGame) -> None:
    await an_evening(harness, play_game, "Ana", "Bo")
    asked = await the_daily(harness)
    for where in (Place("telegram", -1002), None):
        elsewhere = GuessLastNight(asked.table, asked.deal, 0)
        assert (await harness.tap("Cy", elsewhere, table=None, where=where)).toast == OVER
    view = the_round(harness, asked)
    dice = view.dice[asked.bids[-1].seat]
    counted = sum(map(view.counts, dice))
    assert [key["text"] for key in keyboard(asked, EN, bot="bot")[0]] == [str(n) for n in range(asked.dice + 1)]
    for guess in range(asked.dice + 1):
        toast = (await harness.tap("Cy", GuessLastNight(asked.table, asked.deal, guess), table=None)).toast
        assert isinstance(toast, LastNightAnswerNotice)
        assert toast.dice == dice
        assert (toast.guess == toast.counted) is (guess == counted)
    harness.update_row(RoundEnd, (asked.table, asked.deal), seen_at=None)
    unseen = (await harness.tap("Cy", GuessLastNight(asked.table, asked.deal, 0), table=None)).toast
    assert rejection_of(unseen) is RejectionReason.REVEALING, "the group has not seen the dice"
    harness.update_row(RoundEnd, (asked.table, asked.deal), seen_at=harness.now)
    await PersonDeletion(harness.service).forget(harness.player("Ana").id)
    asked = await the_daily(harness, "Bo")
    assert asked.seats[asked.bids[-1].seat].name == "Bo", "a forgotten person is not asked about"


async def test_a_hidden_person_is_never_asked_about_and_has_no_name(harness: GroupHarness, play_game: PlayGame) -> None:
    await harness.say("Ana", Choose("hidden", value=True))
    await an_evening(harness, play_game, "Ana", "Bo")
    for _ in range(5):
        asked = await the_daily(harness)
        assert asked.seats[asked.bids[-1].seat].name == "Bo"
        assert {seat.name for seat in asked.seats} == {"", "Bo"}
        harness.now += 3600
    await harness.say("Bo", Choose("hidden", value=True))
    assert await the_daily(harness) is None
    toast = (await harness.tap("Cy", GuessLastNight(asked.table, asked.deal, 0), table=None)).toast
    assert toast == OVER, "also under a question that is still in the chat"


async def test_amid_or_long_after_an_evening_it_is_as_ever(harness: GroupHarness, play_game: PlayGame) -> None:
    assert await the_daily(harness) is None, "without an evening"
    await play_game("Ana", "Bo", seed=1)
    assert await the_daily(harness) is None, "the evening goes on"
    harness.now += 40 * 3600
    assert await the_daily(harness) is None
