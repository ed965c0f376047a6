"""An example of every notice about hints, and of the button that asks for one."""

from collections.abc import Callable, Iterator
from itertools import product

from telegram_bot.features.coach.advice import Advice
from telegram_bot.features.coach.notices import CoachNotice, HintAnswer, HintAnswerNotice
from telegram_bot.features.coach.requests import AskCoach
from telegram_bot.service.notices import Notice
from telegram_bot.tables.judgement import CallAdvice

WISHES = (AskCoach(),)
OUR_NAMES: dict[str, set[str]] = {}


def notices(_: Callable[[int], str]) -> Iterator[Notice]:
    """Each answer, and hints with each reason and each proof."""
    for answer in HintAnswer:
        yield HintAnswerNotice(answer=answer)
    for advised, chance, held in product(("dudo", "calza", "50x6"), (10, 50, 90), (0, 1, 5)):
        best = CallAdvice(call=advised, right=chance, risk=100 - chance, held=held)
        yield CoachNotice(table=1, step=1, advice=Advice(best=best, others=(best, best), standing=best), wild_by="aces")
        yield CoachNotice(table=1, step=1, advice=Advice(best=best.model_copy(update={"risk": None})))
    for chance in (0, 100):
        best = CallAdvice(call="50x6" if chance else "dudo", right=100, risk=20, held=50, proven=True)
        standing = CallAdvice(call="12x1", right=chance, proven=True)
        other = CallAdvice(call="dudo" if chance else "50x6", right=0, risk=100, proven=True)
        yield CoachNotice(table=1, step=1, advice=Advice(best=best, others=(best, other), standing=standing))
