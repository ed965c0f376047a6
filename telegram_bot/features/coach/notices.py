"""The notices about hints: a hint, and the review of a round."""

from typing import Final, Literal

from typing_extensions import TypedDict

from telegram_bot.notices import AboutTable, FeatureNotice, PageFormat
from telegram_bot.presentation.cards import lines_of
from telegram_bot.tables.model import FrozenModel
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line
from telegram_bot.words.phrases import folded


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


class CallAdvice(FrozenModel):
    """A candidate call."""

    call: str
    """As `perudo_core` writes it."""
    right: int
    """The chance in percent, after the calls so far, that the bid is true, or the doubt justified."""
    risk: int | None = None
    """The chance in percent that it costs the player a die, or None if a round may cost several dice or none."""
    held: int = 0
    """The number of the player's own dice that count for the bid."""
    hidden: int = 0
    """The number of the others' dice; 0: it is unknown, or the call is no bid."""
    more: int = 0
    """The number of these dice that count on average."""
    proven: bool = False
    """Whether the player's own dice decide it, so that `right` is 0 or 100."""


class Advice(FrozenModel):
    """The coach's advice."""

    best: CallAdvice
    """No other call has a lower risk."""
    others: tuple[CallAdvice, ...] = ()
    """The next best ones."""
    standing: CallAdvice | None = None
    """The bid to beat; `right` is the chance by the dice alone that it is true."""


class JudgedDecision(FrozenModel):
    """A decision, judged after the round by its player's knowledge at the time."""

    seat: int
    call: str
    """As `perudo_core` writes it."""
    lost: int
    """The loss against the best call, in tenths of a die; 0: no better call is known."""
    better: str | None = None
    """The best call, if it was another one; `silence`: no call out of turn."""
    right: int = 0
    better_right: int = 0
    """The chance in percent, after the calls before, that the call was right, and that the best call was."""
    standing: CallAdvice | None = None
    """The bid to beat; `right` is the chance by the dice alone that it is true."""


class CoachNotice(AboutTable, FeatureNotice):
    """Private: the coach's advice to the player whose turn it is at one step of a table."""

    kind: Literal["coach"] = "coach"
    card_slot = "coach"
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

    def on_page(self, page: PageFormat) -> tuple[Literal["coach"], HintFields]:
        """Return the sentences, and the advised call for its button."""
        best = self.advice.best
        return "coach", {
            "step": self.step,
            "call": best.call,
            "right": best.right,
            "risk": best.risk,
            "lines": lines_of(self, page.w),
        }


class RoundReviewNotice(FeatureNotice):
    """Private: a player's costliest decision in a finished round."""

    kind: Literal["round_review"] = "round_review"
    card_slot = "review"
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

    def on_page(self, page: PageFormat) -> tuple[Literal["review"], ReviewFields]:
        return "review", {"round": self.round, "lines": lines_of(self, page.w)}


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
