"""The words of the seal, of shaking, and of the check of the dice."""

from typing import Final

from perudo_core.fair import seal_digits
from telegram_bot.features.fair_dice.notices import (
    DiceCheckNotice,
    FairDiceAnswer,
    FairDiceAnswerNotice,
    RecordNotice,
    SealNotice,
)
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.stirs import stirs_line
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.phrases import folded, verify_command
from telegram_bot.words.sms.layout import stir_figure

MOST_CHECKED: Final = 360
"""The maximum length of the list of stirs below the file."""


def seal_lines(notice: SealNotice, f: Format) -> list[Line]:
    """Return how to shake the dice and, folded in a chat, their seal and what it proves."""
    w, seal = f.w, seal_digits(notice.commitment)
    if f.medium is Medium.TEXT:
        return [Line(_sealed_by_text(seal, w))]
    lines = [Line(f.strong(w.say("Shake the dice: tap signs, as often as you like.")), sign="🎲")]
    if f.medium is Medium.SPEECH:
        return lines
    how = [
        w.say("The dice are sealed: {seal}", seal=seal),
        w.say(
            "All dice of this game follow from my secret and from what you shake in. The seal fixes my secret, the "
            "table and its rules; I open it after the game, and <b>Check the dice</b> shows whether they fit."
        ),
        f"<code>{notice.commitment}</code>",
        w.say(
            "What it can't prove: whoever runs me, or gets at my database, can see all dice during the game. A game "
            "that's broken off proves nothing. And whoever shakes, joins or leaves last could choose among dice, if "
            "they're in league with whoever runs me: so shake late yourself."
        ),
    ]
    return [*lines, Line(folded(w.say("how?"), *how))]


def answer_lines(notice: FairDiceAnswerNotice, f: Format) -> list[Line]:
    """Return the answer to a person who shakes or checks the dice."""
    w, texted = f.w, f.medium is Medium.TEXT
    match notice.answer:
        case FairDiceAnswer.STIRRED:
            what = stir_figure(notice.sign, f.letters) if texted else notice.sign
            return [Line(w.say("{what} is in the dice. Seal: {seal}", what=what, seal=notice.seal))]
        case FairDiceAnswer.SEALED if texted:
            return [Line(_sealed_by_text(notice.seal, w))]
        case FairDiceAnswer.SEALED:
            return [Line(w.say("To shake the dice, tap signs in the chat."))]
        case FairDiceAnswer.RECORD_ABOVE:
            return [Line(w.say("The file is above already. Scroll up a little!"))]


def _sealed_by_text(seal: str, w: Catalogue) -> str:
    return w.say("Dice sealed: {seal}. To shake them text STIR and a number from 1 to 12.", seal=seal)


def check_sentence(notice: DiceCheckNotice, w: Catalogue) -> str:
    """Return one sentence on the dice of a finished game, the same in every channel."""
    if not notice.passed:
        return "⚠️ " + w.say("The dice don't fit their seal. Tap <b>Check the dice</b>.")
    return "🎲 " + w.say("Dice checked: no one chose them")


def check_lines(notice: DiceCheckNotice, f: Format) -> list[Line]:
    """Return the sentence on the dice for the group, with the proof folded below."""
    w, sentence = f.w, check_sentence(notice, f.w)
    if not notice.passed:
        return [Line(sentence, rank=None)]
    secret = w.say("Secret: {secret}", secret=f"<code>{notice.secret}</code>")
    return [Line(folded(f"{sentence} · {w.say('how?')}", *stirs_line(notice.stirs, w), secret), rank=None)]


def record_lines(notice: RecordNotice, f: Format) -> list[Line]:
    """Return how to check the dice of the game in the file."""
    command = verify_command(notice.name)
    said = [_checked(notice, f.w), *stirs_line(notice.stirs or (), f.w, most=MOST_CHECKED)]
    if notice.stirs:
        said.append(
            f.w.say(
                "{name} shook last. Only together with the person who runs me could they have chosen the dice.",
                name=f.name(notice.stirs[-1].name),
            )
        )
    said.append(folded(f.w.say("For the curious: on a computer, {command} checks every roll.", command=command)))
    return [Line(each, rank=None) for each in said]


def _checked(notice: RecordNotice, w: Catalogue) -> str:
    """Return the result of the bot's own check, good or bad."""
    if notice.failed:
        return w.say(
            "⚠️ The check failed: these dice don't follow from the seal and from what you shook in. The file shows "
            "the game."
        )
    if notice.rolls is None:
        return w.say("📜 The whole game, and the secret behind its dice.")
    if not notice.stirs:
        return "🎲 " + w.say("No one shook these dice: you have only my word for them.")
    return w.count(
        "✅ No one chose these dice: the only roll follows from the seal and from what you shook in.",
        "✅ No one chose these dice: all {n} rolls follow from the seal and from what you shook in.",
        notice.rolls,
    )


def page_words(w: Catalogue) -> dict[str, str]:
    """Return the sentences of the lobby on pages."""
    return {
        "sealed_dice": w.say("Fair dice"),
        "sealed_dice_why": w.say(
            "I seal my secret first, then each of you adds signs. So no one can choose the dice, not even me."
        ),
    }
