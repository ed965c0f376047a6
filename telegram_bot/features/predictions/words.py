"""The words of guesses."""

from typing import Final

from telegram_bot.features.predictions.guesses import Guess
from telegram_bot.features.predictions.notices import GhostsNotice, GuessAnswer, GuessAnswerNotice, ProphetsNotice
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line

HAUNTINGS: Final = 3
"""The maximum number of ghosts of whom one message says that they begin to haunt a seat."""
_ANSWERS: Final = {
    GuessAnswer.STORED: mark("👻 Your guess: {guess}. Only you know. You can change it until the round ends."),
    GuessAnswer.PLAYING: mark("👻 Only ghosts guess: people who are out or watch. You have dice: play!"),
}


def guess_label(guess: Guess, w: Catalogue) -> str:
    """Return a guess, as on a button."""
    return {
        Guess.BLUFF: w.context_say("guess", "Bluff"),
        Guess.EXACT: w.context_say("guess", "Exact"),
        Guess.MORE: w.context_say("guess", "More"),
    }[guess]


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences of pages."""
    return {"ghost_asks": w.say("Is the bid a bluff, exact, or are there more?")}


def answer_lines(notice: GuessAnswerNotice, f: Format) -> list[Line]:
    """Return the answer to a guess."""
    return [Line(f.w.say(_ANSWERS[notice.answer], guess=guess_label(notice.guess, f.w)))]


def ghosts_lines(notice: GhostsNotice, f: Format) -> list[Line]:
    """Return how many ghosts knew, and who begins to haunt a seat, at the end of a round in chats."""
    begun = [each for each in notice.ghosts if each.haunted][:HAUNTINGS]
    haunting = (
        f.w.say("Three right in a row: {ghost} haunts {name}!", ghost=f.name(each.name), name=f.name(each.haunted))
        for each in begun
    )
    return [Line(each, rank=None, sign="👻") for each in (*_knew(notice, f.w), *haunting)]


def _knew(notice: GhostsNotice, w: Catalogue) -> list[str]:
    match notice.guessed:
        case 0:
            return []
        case 1:
            return [w.say("The ghost knew!") if notice.knew else w.say("The ghost was wrong.")]
        case all_of_them:
            return [
                w.count("{n} of {all} ghosts knew.", "{n} of {all} ghosts knew.", notice.knew, all=str(all_of_them))
            ]


def prophets_lines(notice: ProphetsNotice, f: Format) -> list[Line]:
    """Return the best ghosts, at the end of the game."""
    named = " · ".join(
        f.w.say("{name} {right} of {made}", name=f.name(each.name), right=str(each.right), made=str(each.made))
        for each in notice.prophets
    )
    return [Line(f.w.say("Prophets: {names}", names=named), rank=None, sign="👻")]
