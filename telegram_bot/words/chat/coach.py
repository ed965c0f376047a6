"""The coach's words: both odds of the standing bid and the best calls with a sentence why; a line after a round."""

from typing import Final

from babel.numbers import format_decimal

from telegram_bot.service.notices import CoachNotice, RoundReviewNotice
from telegram_bot.tables.advice import CallAdvice, JudgedDecision
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import call_label

LIKELY: Final = 65
UNLIKELY: Final = 35
"""Percent from which a bid probably holds, and below which it probably does not."""


def coach_text(notice: CoachNotice, w: Catalogue) -> str:
    """What the coach would do."""
    advice = notice.advice
    lines = ["💡 <b>" + w.say("What I would do") + "</b>"]
    if advice.standing is not None:
        standing = advice.standing
        lines.append(
            w.say(
                "{bid} holds: by the dice alone {dice} %, after what was said {said} %.",
                bid=f"<b>{call_label(standing.call, w, notice.wild_by)}</b>",
                dice=standing.by_dice,
                said=standing.after_calls,
            )
        )
    lines += ["", w.say("The best first, and how likely each is right:")]
    for rank, each in enumerate(advice.calls, start=1):
        label = f"<b>{call_label(each.call, w, notice.wild_by)}</b>"
        lines.append(f"{rank}. {label} · {each.after_calls} % · {_why(each, w)}")
    return "\n".join(lines)


def _why(each: CallAdvice, w: Catalogue) -> str:  # noqa: PLR0911 - one sentence each
    match each.call:
        case "dudo" if each.after_calls >= LIKELY:
            return w.say("The bid is probably too high.")
        case "dudo" if each.after_calls >= UNLIKELY:
            return w.say("A toss-up, but a raise may be riskier.")
        case "dudo":
            return w.say("The bid probably holds, but a raise looks even worse.")
        case "calza":
            return w.say("It may be exact, and then it pays.")
    if each.bluff:
        return w.say("A bluff: you hold few of them, so the next player must be fooled.")
    if each.after_calls >= LIKELY:
        return w.say("It probably holds, so a doubt would cost the doubter.")
    if each.after_calls >= UNLIKELY:
        return w.say("It may hold, and now the next player has to decide.")
    return w.say("It is risky, but the next player rarely doubts it.")


def review_text(notice: RoundReviewNotice, w: Catalogue) -> str:
    """A player's best and worst decision in a round, in one sentence."""
    best, worst = notice.best, notice.worst
    told = {"number": notice.round, "call": _called(best.call, notice, w)}
    if worst is None and not best.lost:
        return w.say("🎓 Round {number}: nothing to improve. {call} was your best decision.", **told)
    if worst is None:
        return w.say(
            "🎓 Round {number}: you said {call}, but {better} was worth {dice} dice more.",
            **told,
            **_cost(best, notice, w),
        )
    told["worst"] = _called(worst.call, notice, w)
    return w.say(
        "🎓 Round {number}: {call} was your best decision, {worst} your worst: {better} was worth {dice} dice more.",
        **told,
        **_cost(worst, notice, w),
    )


def _cost(judged: JudgedDecision, notice: RoundReviewNotice, w: Catalogue) -> dict[str, str]:
    """What was better than a decision, and by how many dice."""
    dice = format_decimal(judged.lost / 10, format="0.0", locale=w.language.replace("-", "_"))
    return {"better": _called(judged.better or "", notice, w), "dice": dice}


def _called(call: str, notice: RoundReviewNotice, w: Catalogue) -> str:
    """A call within a sentence."""
    match call:
        case "dudo":
            return "<b>" + w.context_say("call", "dudo") + "</b>"
        case "calza":
            return "<b>" + w.context_say("call", "calza") + "</b>"
        case "silence":  # nothing said out of turn
            return w.say("saying nothing")
        case _:
            return f"<b>{call_label(call, w, notice.wild_by)}</b>"
