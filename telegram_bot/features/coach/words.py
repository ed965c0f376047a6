"""The words of a hint: one call and the reason for it, the cost of others."""

from typing import Final

from telegram_bot.features.coach.judgement import CallAdvice
from telegram_bot.features.coach.notices import CoachNotice
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line
from telegram_bot.words.phrases import folded

LIKELY: Final = 65
UNLIKELY: Final = 35
"""Percent from which a call is probably right, and below which it is probably wrong."""


def hint_lines(notice: CoachNotice, f: Format) -> list[Line]:
    """Return the coach's call and its reason; folded, the other calls and their risks. Text messages have no hints."""
    w, best, standing = f.w, notice.advice.best, notice.advice.standing

    def called(each: CallAdvice) -> str:
        return f.call(each.call, notice.wild_by)

    lines = [Line(w.say("I would say {call}.", call=called(best)), None, "💡"), Line(_reason(best, w), None)]
    if best.risk and not best.proven:
        lines.append(Line(w.say("Risk of losing a die: about {risk}%.", risk=str(best.risk)), None))
    why = ["• " + _other(each, called(each), w) for each in notice.advice.others]
    if standing is not None:
        why = [_odds(standing, called(standing), w), *why]
    if why:
        lines.append(Line(folded(w.say("Why not something else?"), *why), None))
    return lines


def _other(each: CallAdvice, call: str, w: Catalogue) -> str:
    """Another call, and its risk."""
    if each.proven and each.right:
        return w.say("{call}: surely right", call=call)
    if each.proven:
        return w.say("{call}: surely wrong", call=call)
    return call if each.risk is None else w.say("{call}: risk {risk}%", call=call, risk=str(each.risk))


def _odds(standing: CallAdvice, bid: str, w: Catalogue) -> str:
    """Return the probability of the bid to beat."""
    if standing.proven and standing.right:
        return w.say("{bid} is surely true: your own dice prove it.", bid=bid)
    if standing.proven:
        return w.say("{bid} can't be true: your own dice prove it.", bid=bid)
    return w.say(
        "On the dice alone, {bid} has a chance of {right}%. The bids so far count too.",
        bid=bid,
        right=str(standing.right),
    )


def _reason(best: CallAdvice, w: Catalogue) -> str:
    """Why it is the best call, in one sentence."""
    match best.call:
        case "dudo" if best.proven and best.right:
            return w.say("There can't be that many: your own dice prove it.")
        case "dudo" if best.right >= LIKELY:
            return w.say("There are probably fewer than that.")
        case "dudo" if best.right >= UNLIKELY:
            return w.say("It's close, but a raise would be riskier.")
        case "dudo":
            return w.say("The bid may well be true, but a raise would be riskier still.")
        case "calza":
            return w.say("The bid may be exactly right, and nothing else is safer.")
    if best.proven:
        return w.count("It's surely true: you hold one.", "It's surely true: you hold {n}.", best.held)
    if not best.held and best.right >= LIKELY and best.more:
        return w.count(
            "You have none of them, but about {n} is likely among the others' {hidden} dice.",
            "You have none of them, but about {n} are likely among the others' {hidden} dice.",
            best.more,
            hidden=str(best.hidden),
        )
    if not best.held and best.right >= LIKELY:
        return w.say("You have none of them, but among so many dice it's probably true.")
    if not best.held:
        return w.say("A bluff: you have none of them, but the others will hardly doubt it.")
    if best.more:
        return w.count(
            "You have one that counts, and about {more} more are likely among the others' {hidden} dice.",
            "You have {n} that count, and about {more} more are likely among the others' {hidden} dice.",
            best.held,
            more=str(best.more),
            hidden=str(best.hidden),
        )
    if best.right >= LIKELY:
        return w.count(
            "You have one die that counts, so it's probably true.",
            "You have {n} dice that count, so it's probably true.",
            best.held,
        )
    return w.count(
        "You have one die that counts, and the next player has to decide.",
        "You have {n} dice that count, and the next player has to decide.",
        best.held,
    )
