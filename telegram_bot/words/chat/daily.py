"""The hand of the day in words: what there is to decide, what came of it, and a line that tells nothing of it."""

from typing import Final

from babel.dates import format_date

from telegram_bot.service.notices import DailyLinkNotice, DailyNotice
from telegram_bot.tables.daily_hand import DailyQuestion, DailyResult, date_of
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.coach import called_html
from telegram_bot.words.dice import bid_figure, dice

_DAY_AND_MONTH: Final = "d'\u00a0'MMM"


def day_label(day: int, w: Catalogue) -> str:
    """A day, without its year: `22 Nov`."""
    return str(format_date(date_of(day), _DAY_AND_MONTH, locale=w.language.replace("-", "_")))


def daily_text(notice: DailyNotice, w: Catalogue) -> str:
    """How the last hand ended, the hand of the day, and what to do next."""
    asked = notice.question
    lines = [*_result_lines(notice.last, w), ""] if notice.last is not None else []
    lines.append("🎲 " + w.say("<b>Hand of {day}</b>, the same for everybody", day=day_label(notice.day, w)))
    lines.append(" · ".join(f"{_name(asked, seat, w)} {count}" for seat, count in enumerate(asked.counts)))
    lines.append(_bids(asked, w))
    lines.append(w.say("Your dice: {dice}", dice=f"<b>{dice(sorted(asked.dice), w, asked.wild_by)}</b>"))
    if notice.said is None:
        lines.append("❓ " + w.say("Your call? You have one try, until midnight UTC."))
    else:
        said = w.say("You said {call}.", call=called_html(notice.said, asked.wild_by, w))
        lines.append(f"✅ {said} " + w.say("Send me /daily tomorrow for the answer."))
    if notice.streak:
        lines.append("🔥 " + days_in_a_row(notice.streak, w))
    return "\n".join(lines)


def days_in_a_row(streak: int, w: Catalogue) -> str:
    """For how long somebody has decided every day."""
    return w.count("{n} day in a row", "{n} days in a row", streak)


def _result_lines(result: DailyResult, w: Catalogue) -> list[str]:
    hand, asked = result.hand, result.hand.question
    standing = asked.bids[-1]
    bid = bid_figure(standing.quantity, standing.face, w, asked.wild_by)

    def called(call: str) -> str:
        return called_html(call, asked.wild_by, w)

    lines = ["🔎 " + w.say("<b>Hand of {day}</b>: the answer", day=day_label(result.day, w))]
    lines += [
        f"{_name(asked, seat, w)} · {dice(sorted(held), w, asked.wild_by)}" for seat, held in enumerate(hand.dice)
    ]
    lines.append(_bids(asked, w))
    counted = w.say("Bid: {bid}. Counted: {count}.", bid=f"<b>{bid}</b>", count=f"<b>{hand.counted}</b>")
    lines.append(f"{counted} " + w.say("From your seat the bid had a chance of {chance}%.", chance=hand.chance))
    lines.append("🎓 " + w.say("The expert says {call} (right: {right}%).", call=called(hand.expert), right=hand.right))
    everybody = ", ".join(f"{called(call)} {number}" for call, number in result.everybody)
    lines.append("👥 " + w.say("You: {call}. Everybody: {calls}.", call=called(result.said), calls=everybody))
    return lines


def _name(asked: DailyQuestion, seat: int, w: Catalogue) -> str:
    return asked.names[seat] or "<b>" + w.say("You") + "</b>"


def _bids(asked: DailyQuestion, w: Catalogue) -> str:
    return ", ".join(
        f"{asked.names[bid.seat]} {bid_figure(bid.quantity, bid.face, w, asked.wild_by)}" for bid in asked.bids
    )


def daily_link_text(notice: DailyLinkNotice, w: Catalogue) -> str:
    """A line that may be forwarded to anybody."""
    told = days_in_a_row(notice.streak, w) if notice.streak else w.say("the same dice for everybody, one decision")
    link = f" · t.me/{notice.bot}?start=daily" if notice.bot else ""
    return w.say("Perudo, hand of {day}: {told}", day=day_label(notice.day, w), told=f"🎲 {told}{link}")
