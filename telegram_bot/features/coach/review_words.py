"""The review after a round: a player's costliest decision, and the better one."""

from typing import Final

from telegram_bot.features.coach.notices import RoundReviewNotice
from telegram_bot.words.lines import Format, Line

ABOUT_A_DIE: Final = 8
MORE_THAN_A_DIE: Final = 13
"""In tenths of a die."""


def review_lines(notice: RoundReviewNotice, f: Format) -> list[Line]:
    """Return a player's costliest decision in a round, the better one, and the reason."""
    w, worst = f.w, notice.worst
    if worst.lost < ABOUT_A_DIE:
        dice = w.say("about half a die")
    else:
        dice = w.say("about a die") if worst.lost < MORE_THAN_A_DIE else w.say("more than a die")
    call, better = (f.call(each, notice.wild_by) for each in (worst.call, worst.better or ""))
    lesson = w.say(
        "🎓 Round {number}: you said {call}, but {better} was better. On average that saves {dice}.",
        number=str(notice.round),
        call=call,
        better=better,
        dice=dice,
    )
    return [Line(f"{lesson} {_why_better(notice, f)}", None)]


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
