"""The notices about the hand of the day."""

from typing import Final, Literal

from babel.dates import format_skeleton
from pydantic import ConfigDict

from telegram_bot.features.daily.hand import DailyAnswer, DailyQuestion, Verdict, date_of
from telegram_bot.notices import FeatureNotice, LinksToBot, Picture
from telegram_bot.presentation.pictures import hand_image, reveal_image
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import SeatView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import ENGLISH
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.phrases import folded, percentage


class DailyNotice(LinksToBot, FeatureNotice):
    """The hand of the day, told in private: the question, or the answer for a player who has decided."""

    model_config = ConfigDict(extra="ignore")  # release 1.0 stored the answer of the day before
    kind: Literal["daily"] = "daily"
    day: int
    question: DailyQuestion
    said: str | None = None
    """The decision of the reader, or None if there is none yet."""
    streak: int = 0
    """On how many days in a row the reader has decided, up to today, or yesterday if they have not yet today."""
    answer: DailyAnswer | None = None
    """None if the reader has not decided yet."""
    hours: int = 24
    """The number of hours until the next hand, rounded up: players are in many time zones."""

    def lines(self, f: Format) -> list[Line]:
        """Return the hand of the day with its question, or with its answer for a reader who has decided."""
        if self.answer is not None:
            return _answer(self, self.answer, f)
        w, asked, day = f.w, self.question, _day(self.day, f.w)
        if f.medium is Medium.TEXT:  # a chat has buttons for the calls
            question = w.say(
                "Hand of {day}, {total} dice: yours {dice}, bids {bids}. Text DAILY and one of {calls}.",
                day=day,
                total=str(sum(asked.counts)),
                dice=f.dice(asked.dice),
                bids=" ".join(f.bid(bid.quantity, bid.face) for bid in asked.bids),
                calls=" ".join(call.upper() if call.isalpha() else call for call in asked.calls),
            )
            return [Line(question)]
        counts = " · ".join(f"{_name(asked, seat, f)} {count}" for seat, count in enumerate(asked.counts))
        lines = [
            Line(w.say("<b>Hand of {day}</b>, the same for everyone", day=day), sign="🎲"),
            Line(counts),
            Line(_bids(asked, f)),
            Line(w.say("Your dice: {dice}", dice=f.strong(f.dice(asked.dice, asked.wild_by)))),
            Line(w.say("Your call? You have one try, and the cups lift right away."), sign="❓"),
        ]
        return [*lines, Line(_days_in_a_row(self.streak, w), sign="🔥")] if self.streak else lines

    def picture(self, w: Catalogue) -> Picture:
        """Return the dice of the player who decides; after the decision an animation with the dice of all."""
        asked = self.question
        if self.answer is None:
            return hand_image(asked.dice, ones_wild=asked.wild_by is not None)
        hand, you = self.answer.hand, w.say("You")
        view = RevealView(
            table=0,
            round=self.day,
            seats=tuple(SeatView(player=seat, name=name or you) for seat, name in enumerate(asked.names)),
            bids=asked.bids,
            call=None,
            caller=None,
            dice=hand.dice,
            bid=asked.bids[-1],
            count=hand.counted,
            ones_wild=asked.wild_by is not None,
            changes=(),
            out=(),
            next_opener=None,
            next_palifico=False,
            timed_out=False,
            wild_by=asked.wild_by,
        )
        return reveal_image(view, w, key=f"daily:{self.day}:{you}", animated=True)


class DailyLinkNotice(LinksToBot, FeatureNotice):
    """A line about the hand of the day for a group. It does not show the hand."""

    model_config = ConfigDict(extra="ignore")  # release 1.0 stored a streak
    kind: Literal["daily_link"] = "daily_link"
    day: int

    def lines(self, f: Format) -> list[Line]:
        link = f" · t.me/{self.bot}?start=daily" if self.bot else ""
        line = f.w.say("the same dice for everyone, one decision")
        told = f.w.say("Perudo, hand of {day}: {told}", day=_day(self.day, f.w), told=f"🎲 {line}{link}")
        return [Line(told, rank=None)]


_DAY_AND_MONTH: Final = "MMMd"
"""A skeleton: each language has its own order and stops, `23. Nov.`."""
_SQUARES: Final = {Verdict.BEST: "🟩", Verdict.LUCKY: "🟨", Verdict.WRONG: "🟥"}
_MANY: Final = 10
"""From this number of decisions on, their shares are told in percent."""
_MOST_CALLS: Final = 3
"""The maximum number of calls whose shares are told: the most frequent ones."""


def _day(day: int, w: Catalogue) -> str:
    """Return a day, without its year: `22 Nov`."""
    locale = "en_GB" if w.language == ENGLISH else w.language.replace("-", "_")  # with the day first
    return str(format_skeleton(_DAY_AND_MONTH, date_of(day), locale=locale)).replace(" ", "\u00a0")


def _answer(notice: DailyNotice, answer: DailyAnswer, f: Format) -> list[Line]:
    w, asked, hand = f.w, notice.question, answer.hand
    standing, verdict = asked.bids[-1], answer.verdicts[-1]
    bid = f.strong(f.bid(standing.quantity, standing.face, asked.wild_by))
    said = {
        (Verdict.BEST, True): w.say("You said {call}: the best call, and right!", call=_said(notice, f)),
        (Verdict.BEST, False): w.say("You said {call}: the best call, but bad luck.", call=_said(notice, f)),
        (Verdict.LUCKY, True): w.say("You said {call}: lucky, it was right!", call=_said(notice, f)),
        (Verdict.WRONG, False): w.say("You said {call}: wrong this time.", call=_said(notice, f)),
    }[verdict, hand.is_right(notice.said or "")]
    chance = w.say("With your dice the bid had a chance of {chance}%.", chance=str(hand.chance))
    expert = w.say(
        "The expert says {call} (right: {right}%).", call=f.call(hand.expert, asked.wild_by), right=str(hand.right)
    )
    lines = [
        Line(said, sign=_SQUARES[verdict]),
        Line(w.say("Bid: {bid}. Counted: {count}.", bid=bid, count=f.strong(str(hand.counted))), sign="🔎"),
        Line(chance, rank=4, sign="🎯"),
        Line(expert, rank=2, sign="🎓"),
        Line(_everybody(answer, asked, f), rank=3, sign="👥"),
        Line(_days_in_a_row(notice.streak, w), rank=5, sign="🔥"),
    ]
    if f.medium is Medium.TEXT:
        return lines
    hands = (f"{_name(asked, seat, f)} · {f.dice(held, asked.wild_by)}" for seat, held in enumerate(hand.dice))
    return [
        Line(w.say("<b>Hand of {day}</b>: the answer", day=_day(notice.day, w)), sign="🎲"),
        *lines,
        Line(folded(w.say("All dice"), *hands, _bids(asked, f))),
        Line(w.count("The next hand comes within an hour.", "The next hand comes in {n} hours.", notice.hours)),
    ]


def _said(notice: DailyNotice, f: Format) -> str:
    return f.call(notice.said or "", notice.question.wild_by)


def _everybody(answer: DailyAnswer, asked: DailyQuestion, f: Format) -> str:
    """Return the most frequent calls so far: in percent if many players have decided."""
    total = sum(number for _, number in answer.everybody)
    shares = (
        (f.call(call, asked.wild_by), percentage(number, total, f.w) if total >= _MANY else str(number))
        for call, number in answer.everybody[:_MOST_CALLS]
    )
    calls = ", ".join(f"{call}: {share}" for call, share in shares)
    return f.w.count("{n} player so far. {calls}", "{n} players so far. {calls}", total, calls=calls)


def _days_in_a_row(streak: int, w: Catalogue) -> str:
    return w.count("{n} day in a row", "{n} days in a row", streak)


def _name(asked: DailyQuestion, seat: int, f: Format) -> str:
    return asked.names[seat] or f.strong(f.w.say("You"))


def _bids(asked: DailyQuestion, f: Format) -> str:
    return ", ".join(f"{asked.names[bid.seat]} {f.bid(bid.quantity, bid.face, asked.wild_by)}" for bid in asked.bids)


def shared_text(notice: DailyNotice, answer: DailyAnswer, w: Catalogue) -> str:
    """Return the squares of the last days, which do not reveal a call."""
    squares = "".join(_SQUARES[verdict] for verdict in answer.verdicts)
    told = f"{squares} 🔥 {_days_in_a_row(notice.streak, w)}"
    return w.say("Perudo, hand of {day}: {told}", day=_day(notice.day, w), told=told)
