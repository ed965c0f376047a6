"""The words of predictions."""

from typing import Final

from telegram_bot.features.predictions.calls import PredictedCall
from telegram_bot.features.predictions.notices import PredictionAnswer, PredictionAnswerNotice, ProphetsNotice
from telegram_bot.service.languages import mark
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Line

_ANSWERS: Final = {
    PredictionAnswer.STORED: mark("🔮 Your guess: {call}. Only you know. Tap another to change it."),
    PredictionAnswer.LATE: mark("🔮 Too late for that call. Guess the next one!"),
    PredictionAnswer.PLAYING: mark("🔮 Only those who watch may guess. You have dice: play!"),
}


def call_label(call: PredictedCall, w: Catalogue) -> str:
    """Return a kind of call, as on a button."""
    return {
        PredictedCall.RAISE: w.context_say("guess", "Raise"),
        PredictedCall.DUDO: w.context_say("menu", "Dudo"),
        PredictedCall.CALZA: w.context_say("menu", "Calza"),
    }[call]


def answer_lines(notice: PredictionAnswerNotice, f: Format) -> list[Line]:
    """Return the answer to a prediction."""
    return [Line(f.w.say(_ANSWERS[notice.answer], call=call_label(notice.call, f.w)))]


def prophets_lines(notice: ProphetsNotice, f: Format) -> list[Line]:
    """Return the best spectators, at the end of the game."""
    named = " · ".join(
        f.w.say("{name} {right} of {made}", name=f.name(each.name), right=each.right, made=each.made)
        for each in notice.prophets
    )
    return [Line(f.w.say("Prophets: {names}", names=named), rank=None, sign="🔮")]
