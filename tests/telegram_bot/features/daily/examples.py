from collections.abc import Callable, Iterator
from itertools import product

from telegram_bot.features.daily import NO_HAND, PlayDaily
from telegram_bot.features.daily.hand import DailyAnswer, DailyHand, DailyQuestion, Verdict, judge_call
from telegram_bot.features.daily.last_night import OVER, GuessLastNight, LastNightAnswerNotice, LastNightNotice
from telegram_bot.features.daily.notices import DailyLinkNotice, DailyNotice
from telegram_bot.notices import Notice
from telegram_bot.tables.computer_players import NAMES
from telegram_bot.tables.faces import Face
from telegram_bot.tables.views import BidView, SeatView

WISHES = (PlayDaily(), PlayDaily(20_000, "5x4"), GuessLastNight(7, 12, 5))
OUR_NAMES = {"daily": {*NAMES, "Nov"}, "daily_link": {"Nov"}}


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    yield NO_HAND
    asked_today = DailyQuestion(
        names=("Illari", "Sumaq", "Pakari", "Chaska", ""),
        counts=(5, 5, 5, 5, 5),
        dice=(1, 2, 4, 5, 6),
        bids=tuple(BidView(seat=seat, quantity=10 + seat, face=6) for seat in range(4)),
        calls=("7x1", "13x6", "14x2", "14x3", "14x4", "14x5", "dudo", "calza"),
        wild_by="aces",
    )
    dealt = DailyHand(
        question=asked_today, dice=((1, 2, 4, 5, 6),) * 5, counted=10, chance=100, expert="14x2", right=100
    )
    yield DailyLinkNotice(day=20780)
    yield from (DailyNotice(day=20780, question=asked_today, streak=streak) for streak in (0, 1, 365))
    lucky = dealt.model_copy(update={"dice": ((2,) * 5,) * 5})
    crowds = (("14x2", 1000), ("dudo", 999), ("calza", 1)), (("dudo", 1),)
    for hand, said, everybody in product((dealt, lucky), ("14x2", "dudo", "calza"), crowds):
        answer = DailyAnswer(hand=hand, everybody=everybody, verdicts=(Verdict.BEST,) * 6 + (judge_call(hand, said),))
        yield DailyNotice(day=20780, question=asked_today, said=said, streak=365, answer=answer)
    seats = (
        SeatView(player=1, name=name(0), face=Face.FROG),
        SeatView(player=2, name=""),
        SeatView(player=3, name=name(1)),
    )
    bids = tuple(BidView(seat=seat, quantity=4 + seat, face=6) for seat in range(3))
    for number in (1, 2):  # by a person with a face, and without one
        asked = bids[: 2 * number - 1]
        yield LastNightNotice(table=7, deal=2, day=20780, seats=seats, bids=asked, dice=number, wild_by="aces")
    for guess in (0, 2):
        yield LastNightAnswerNotice(name=name(0), dice=(1, 2, 6), guess=guess, counted=2, wild_by="aces")
    yield OVER
