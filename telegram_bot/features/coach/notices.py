"""The notices about hints: a hint, and the review of a round."""

from typing import Final, Literal, TypedDict

from telegram_bot.features.coach.judgement import Advice, CallAdvice, JudgedDecision
from telegram_bot.notices import AboutTable, FeatureNotice
from telegram_bot.presentation.cards import lines_of
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line
from telegram_bot.words.phrases import folded


class CoachNotice(AboutTable, FeatureNotice):
    """Private: the coach's advice to the player on turn at one step of a table."""

    kind: Literal["coach"] = "coach"
    step: int
    advice: Advice
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round, or None if they are not."""

    def lines(self, f: Format) -> list[Line]:
        """Return the coach's call and its reason; folded, the other calls and their risks; not by text."""
        w, best, standing = f.w, self.advice.best, self.advice.standing

        def called(each: CallAdvice) -> str:
            return f.call(each.call, self.wild_by)

        lines = [Line(w.say("I would say {call}.", call=called(best)), None, "💡"), Line(_reason(best, w), None)]
        if best.risk and not best.proven:
            lines.append(Line(w.say("Risk of losing a die: about {risk}%.", risk=str(best.risk)), None))
        why = ["• " + _other(each, called(each), w) for each in self.advice.others]
        if standing is not None:
            why = [_odds(standing, called(standing), w), *why]
        if why:
            lines.append(Line(folded(w.say("Why not something else?"), *why), None))
        return lines


class RoundReviewNotice(FeatureNotice):
    """Private: a player's costliest decision in a finished round."""

    kind: Literal["round_review"] = "round_review"
    round: int
    worst: JudgedDecision
    wild_by: str | None = None
    """The rulebook by which ones were wild in the round, or None if they were not."""

    def lines(self, f: Format) -> list[Line]:
        """Return a player's costliest decision in a round, the better one, and the reason."""
        w, worst = f.w, self.worst
        if worst.lost < ABOUT_A_DIE:
            dice = w.say("about half a die")
        else:
            dice = w.say("about a die") if worst.lost < MORE_THAN_A_DIE else w.say("more than a die")
        call, better = (f.call(each, self.wild_by) for each in (worst.call, worst.better or ""))
        lesson = w.say(
            "🎓 Round {number}: you said {call}, but {better} was better. On average that saves {dice}.",
            number=str(self.round),
            call=call,
            better=better,
            dice=dice,
        )
        return [Line(f"{lesson} {_why_better(self, f)}", None)]


LIKELY: Final = 65
UNLIKELY: Final = 35
"""Percent from which a call is probably right, and below which it is probably wrong."""


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


ABOUT_A_DIE: Final = 8
MORE_THAN_A_DIE: Final = 13
"""In tenths of a die."""


def _why_better(notice: RoundReviewNotice, f: Format) -> str:
    w, worst, standing = f.w, notice.worst, notice.worst.standing
    if standing is not None and standing.proven:
        bid = f.call(standing.call, notice.wild_by)
        if standing.right and worst.call == "dudo":
            return w.say("Your own dice proved {bid}.", bid=bid)
        if not standing.right and worst.better == "dudo":
            return w.say("Your own dice proved that {bid} was wrong.", bid=bid)
    if worst.better_right > worst.right:
        return w.say(
            "It was right with {chance}%, yours with {own}%.", chance=str(worst.better_right), own=str(worst.right)
        )
    if worst.better in ("dudo", "calza", "silence"):
        return w.say("Every other call was riskier.")
    return w.say("It leaves the hard decision to the next player.")


class HintFields(TypedDict):
    """A hint."""

    step: int
    call: str
    right: float
    risk: float | None
    lines: list[str]


class ReviewFields(TypedDict):
    """The review of a round."""

    round: int
    lines: list[str]


def hint_card(notice: CoachNotice, w: Catalogue) -> HintFields:
    """Return the sentences, and the advised call for its button."""
    best = notice.advice.best
    return {
        "step": notice.step,
        "call": best.call,
        "right": best.right,
        "risk": best.risk,
        "lines": lines_of(notice, w),
    }


def review_card(notice: RoundReviewNotice, w: Catalogue) -> ReviewFields:
    """Return the sentences."""
    return {"round": notice.round, "lines": lines_of(notice, w)}
