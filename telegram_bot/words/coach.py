"""The coach's words: one call and the reason for it, the cost of others, and a line after a costly round."""

from typing import Final

from telegram_bot.service.notices import CoachNotice, RoundReviewNotice
from telegram_bot.tables.advice import CallAdvice
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.phrases import folded

LIKELY: Final = 65
UNLIKELY: Final = 35
"""Percent from which a call is probably right, and below which it is probably wrong."""
ABOUT_A_DIE: Final = 8
MORE_THAN_A_DIE: Final = 13
"""In tenths of a die."""


def coach_text(notice: CoachNotice, w: Catalogue) -> str:
    """The coach's call and its reason; folded, the other calls and their risks."""
    best, standing = notice.advice.best, notice.advice.standing

    def called(each: CallAdvice) -> str:
        return Format(w, Medium.CHAT).call(each.call, notice.wild_by)

    lines = ["💡 " + w.say("I would say {call}.", call=called(best)), _reason(best, w)]
    if best.risk and not best.proven:
        lines.append(w.say("Risk of losing a die: about {risk}%.", risk=best.risk))
    why = ["• " + _other(each, called(each), w) for each in notice.advice.others]
    if standing is not None:
        why = [_odds(standing, called(standing), w), *why]
    return "\n".join([*lines, *([folded(w.say("Why not something else?"), *why)] if why else [])])


def _other(each: CallAdvice, call: str, w: Catalogue) -> str:
    """Another call, and its risk."""
    if each.proven and each.right:
        return w.say("{call}: surely right", call=call)
    if each.proven:
        return w.say("{call}: surely wrong", call=call)
    return call if each.risk is None else w.say("{call}: risk {risk}%", call=call, risk=each.risk)


def _odds(standing: CallAdvice, bid: str, w: Catalogue) -> str:
    """The probability of the bid to beat."""
    if standing.proven and standing.right:
        return w.say("{bid} is surely true: your own dice prove it.", bid=bid)
    if standing.proven:
        return w.say("{bid} cannot be true: your own dice prove it.", bid=bid)
    return w.say(
        "By the dice alone, the chance of {bid} is {right}%. What was bid counts as well.",
        bid=bid,
        right=standing.right,
    )


def _reason(best: CallAdvice, w: Catalogue) -> str:
    """Why it is the best call, in one sentence."""
    match best.call:
        case "dudo" if best.proven and best.right:
            return w.say("There cannot be that many: your own dice prove it.")
        case "dudo" if best.right >= LIKELY:
            return w.say("There are probably fewer than that.")
        case "dudo" if best.right >= UNLIKELY:
            return w.say("It is close, but a raise would be riskier.")
        case "dudo":
            return w.say("The bid may well be true, but a raise would be riskier still.")
        case "calza":
            return w.say("The bid may be exactly right, and nothing else is safer.")
    if best.proven:
        return w.count("It is surely true: you hold one.", "It is surely true: you hold {n}.", best.held)
    if not best.held and best.right >= LIKELY:
        return w.say("You have none of them, but among so many dice it is probably true.")
    if not best.held:
        return w.say("A bluff: you have none of them, but the others will hardly doubt it.")
    if best.right >= LIKELY:
        return w.count(
            "You have one die that counts, so it is probably true.",
            "You have {n} dice that count, so it is probably true.",
            best.held,
        )
    return w.count(
        "You have one die that counts, and the next player has to decide.",
        "You have {n} dice that count, and the next player has to decide.",
        best.held,
    )


def review_text(notice: RoundReviewNotice, w: Catalogue) -> str:
    """A player's costliest decision in a round, the better one, and the reason."""
    worst = notice.worst
    if worst.lost < ABOUT_A_DIE:
        dice = w.say("about half a die")
    else:
        dice = w.say("about a die") if worst.lost < MORE_THAN_A_DIE else w.say("more than a die")
    call, better = (Format(w, Medium.CHAT).call(each, notice.wild_by) for each in (worst.call, worst.better or ""))
    lesson = w.say(
        "🎓 Round {number}: you said {call}, but {better} was better. On average that saves {dice}.",
        number=notice.round,
        call=call,
        better=better,
        dice=dice,
    )
    return f"{lesson} {_why_better(notice, w)}"


def _why_better(notice: RoundReviewNotice, w: Catalogue) -> str:
    worst, standing = notice.worst, notice.worst.standing
    if standing is not None and standing.proven:
        bid = Format(w, Medium.CHAT).call(standing.call, notice.wild_by)
        if standing.right and worst.call == "dudo":
            return w.say("Your own dice proved {bid}.", bid=bid)
        if not standing.right and worst.better == "dudo":
            return w.say("Your own dice proved that {bid} was wrong.", bid=bid)
    if worst.better_right > worst.right:
        return w.say("It was right with {chance}%, yours with {own}%.", chance=worst.better_right, own=worst.right)
    if worst.better in ("dudo", "calza", "silence"):
        return w.say("Every other call was riskier.")
    return w.say("It leaves the hard decision to the next player.")
