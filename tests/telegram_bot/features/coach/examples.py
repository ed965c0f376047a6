from collections.abc import Callable, Iterator
from itertools import product

from perudo_core import Bid, Rules, observe, set_up
from perudo_core.agents import new_memory
from telegram_bot.features.coach import IN_PRIVATE, NO_ADVICE, AskCoach
from telegram_bot.features.coach.advice import advise
from telegram_bot.features.coach.notices import Advice, CallAdvice, CoachNotice, JudgedDecision, RoundReviewNotice
from telegram_bot.notices import Notice

WISHES = (AskCoach(),)


def explanations(rules: Rules) -> Iterator[Notice]:
    """The advice on a bid that is likely to be false."""
    rules = rules.with_options(extra_die=False)
    state = set_up(rules, ((2, 3, 4, 5, 6), (2, 2, 3, 3, 4)), [Bid(1, 7, 2)], opener=1)
    advice = advise(observe(state, 0), new_memory(rules, 2), 1)
    yield CoachNotice(table=1, step=1, advice=Advice.model_validate_json(advice))


def notices(_: Callable[[int], str]) -> Iterator[Notice]:
    """Each answer, hints with each reason and each proof, and reviews with each reason."""
    yield from (IN_PRIVATE, NO_ADVICE)
    yield CoachNotice(table=1, step=1, advice=Advice(best=CallAdvice(call="9x6", right=65, hidden=24, more=8)))
    for advised, chance, held in product(("dudo", "calza", "50x6"), (10, 35, 65), (0, 1, 5)):
        best = CallAdvice(call=advised, right=chance, risk=100 - chance, held=held, hidden=3 * held, more=held)
        yield CoachNotice(table=1, step=1, advice=Advice(best=best, others=(best, best), standing=best), wild_by="aces")
        yield CoachNotice(table=1, step=1, advice=Advice(best=best.model_copy(update={"risk": None})))
    for chance in (0, 100):
        best = CallAdvice(call="50x6" if chance else "dudo", right=100, risk=20, held=50, proven=True)
        standing = CallAdvice(call="12x1", right=chance, proven=True)
        other = CallAdvice(call="dudo" if chance else "50x6", right=0, risk=100, proven=True)
        yield CoachNotice(table=1, step=1, advice=Advice(best=best, others=(best, other), standing=standing))
    for chance in (0, 100):
        standing = CallAdvice(call="12x1", right=chance, proven=True)
        said, better = ("dudo", "50x6") if chance else ("50x6", "dudo")
        worst = JudgedDecision(seat=0, call=said, lost=12, better=better, standing=standing)
        yield RoundReviewNotice(round=30, worst=worst, wild_by="aces")
    for said, better, lost, own, chance in (
        ("dudo", "50x6", 5, 40, 65),
        ("dudo", "50x6", 5, 0, 0),
        ("12x1", "calza", 8, 0, 0),
        ("calza", "silence", 20, 5, 95),
    ):
        worst = JudgedDecision(seat=0, call=said, lost=lost, better=better, right=own, better_right=chance)
        yield RoundReviewNotice(round=30, worst=worst, wild_by="aces")
