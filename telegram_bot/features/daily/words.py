"""The hand of the day: the situation and its question, the answer a day later, and a line that tells nothing of it."""

from typing import Final

from babel.dates import format_date

from telegram_bot.features.daily.hand import DailyQuestion, DailyResult, date_of
from telegram_bot.features.daily.notices import DailyLinkNotice, DailyNotice, NoHandNotice
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import BLANK, Format, Line, Medium

_DAY_AND_MONTH: Final = "d'\u00a0'MMM"


def _day(day: int, w: Catalogue) -> str:
    """A day, without its year: `22 Nov`."""
    return str(format_date(date_of(day), _DAY_AND_MONTH, locale=w.language.replace("-", "_")))


def daily_lines(notice: DailyNotice, f: Format) -> list[Line]:
    """How the last hand ended, the hand of the day, and what to do next."""
    w, asked, day = f.w, notice.question, _day(notice.day, f.w)
    lines = [*_answer(notice.last, f), BLANK] if notice.last is not None else []
    if f.medium is Medium.TEXT and notice.said is None:  # a chat has buttons for the calls
        question = w.say(
            "Hand of {day}, {total} dice: yours {dice}, bids {bids}. Text DAILY and one of {calls}, until 24:00 UTC.",
            day=day,
            total=sum(asked.counts),
            dice=f.dice(asked.dice),
            bids=" ".join(f.bid(bid.quantity, bid.face) for bid in asked.bids),
            calls=" ".join(call.upper() if call.isalpha() else call for call in asked.calls),
        )
        return [*lines, Line(question)]
    if f.medium is Medium.TEXT:
        said = w.say("Hand of {day}: you said {call}. Text DAILY tomorrow for the answer.", day=day, call=notice.said)
        return [*lines, Line(said), Line(_days_in_a_row(notice.streak, w), rank=3)]
    counts = " · ".join(f"{_name(asked, seat, f)} {count}" for seat, count in enumerate(asked.counts))
    lines += [
        Line(w.say("<b>Hand of {day}</b>, the same for everybody", day=day), sign="🎲"),
        Line(counts),
        Line(_bids(asked, f)),
        Line(w.say("Your dice: {dice}", dice=f.strong(f.dice(asked.dice, asked.wild_by)))),
    ]
    if notice.said is None:
        lines.append(Line(w.say("Your call? You have one try, until midnight UTC."), sign="❓"))
    else:
        said = w.say("You said {call}.", call=f.call(notice.said, asked.wild_by))
        lines.append(Line(f"{said} " + w.say("Send me /daily tomorrow for the answer."), sign="✅"))
    if notice.streak:
        lines.append(Line(_days_in_a_row(notice.streak, w), sign="🔥"))
    return lines


def _days_in_a_row(streak: int, w: Catalogue) -> str:
    return w.count("{n} day in a row", "{n} days in a row", streak)


def _answer(result: DailyResult, f: Format) -> list[Line]:
    w, hand, asked = f.w, result.hand, result.hand.question
    standing, day = asked.bids[-1], _day(result.day, f.w)
    bid = f.strong(f.bid(standing.quantity, standing.face, asked.wild_by))
    lines = [
        Line(w.say("<b>Hand of {day}</b>: the answer", day=day), rank=None, sign="🔎"),
        *(
            Line(f"{_name(asked, seat, f)} · {f.dice(held, asked.wild_by)}", rank=None)
            for seat, held in enumerate(hand.dice)
        ),
        Line(_bids(asked, f), rank=None),
    ]
    if f.medium is Medium.TEXT:
        lines.append(Line(w.say("{day}: {bid}, counted {count}.", day=day, bid=bid, count=hand.counted), rank=1))
    else:
        counted = w.say("Bid: {bid}. Counted: {count}.", bid=bid, count=f.strong(str(hand.counted)))
        lines.append(
            Line(f"{counted} " + w.say("From your seat the bid had a chance of {chance}%.", chance=hand.chance))
        )
    expert = w.say(
        "The expert says {call} (right: {right}%).", call=f.call(hand.expert, asked.wild_by), right=hand.right
    )
    everybody = ", ".join(f"{f.call(call, asked.wild_by)} {number}" for call, number in result.everybody)
    you = w.say("You: {call}. Everybody: {calls}.", call=f.call(result.said, asked.wild_by), calls=everybody)
    return [*lines, Line(expert, rank=2, sign="🎓"), Line(you, rank=4, sign="👥")]


def _name(asked: DailyQuestion, seat: int, f: Format) -> str:
    return asked.names[seat] or f.strong(f.w.say("You"))


def _bids(asked: DailyQuestion, f: Format) -> str:
    return ", ".join(f"{asked.names[bid.seat]} {f.bid(bid.quantity, bid.face, asked.wild_by)}" for bid in asked.bids)


def daily_link_lines(notice: DailyLinkNotice, f: Format) -> list[Line]:
    """A line that may be forwarded to anybody, in chats."""
    w = f.w
    line = _days_in_a_row(notice.streak, w) if notice.streak else w.say("the same dice for everybody, one decision")
    link = f" · t.me/{notice.bot}?start=daily" if notice.bot else ""
    told = w.say("Perudo, hand of {day}: {told}", day=_day(notice.day, w), told=f"🎲 {line}{link}")
    return [Line(told, rank=None)]


def no_hand_lines(_: NoHandNotice, f: Format) -> list[Line]:
    """The hand is not dealt yet."""
    return [Line(f.w.say("The hand of the day is not ready yet. Ask again in a minute."))]
