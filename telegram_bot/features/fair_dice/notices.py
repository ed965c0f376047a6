"""The notices about fair dice: the seal, the answers, the check at the end of a game, the record."""

from enum import StrEnum
from typing import Final, Literal, TypedDict

from perudo_core.fair import seal_digits
from telegram_bot.notices import AboutTable, FeatureNotice, FeatureToast, FileNotice, PageFormat, PublicNotice
from telegram_bot.presentation.cards import lines_of
from telegram_bot.service.results.game_record import GameRecord
from telegram_bot.tables.sealed_dice import StirView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.stirs import stirs_line
from telegram_bot.words.lines import Format, Line, Medium
from telegram_bot.words.phrases import folded, verify_command
from telegram_bot.words.sms.layout import stir_figure


class CheckFields(TypedDict):
    """The check of the dice, within the card of the end of a game."""

    dice: str


class SealFields(TypedDict):
    """The seal."""

    sealed: str
    lines: list[str]


class SealNotice(AboutTable, PublicNotice):
    """The seal of a table's dice, in a message that is never edited, with the signs that can be stirred in."""

    kind: Literal["seal"] = "seal"
    slot = "seal"
    commitment: str

    def lines(self, f: Format) -> list[Line]:
        """Return how to shake the dice and, folded in a chat, their seal and what it proves."""
        w, seal = f.w, seal_digits(self.commitment)
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
            f"<code>{self.commitment}</code>",
            w.say(
                "What it can't prove: whoever runs me, or gets at my database, can see all dice during the game. A "
                "game that's broken off proves nothing. And whoever shakes, joins or leaves last could choose among "
                "dice, if they're in league with whoever runs me: so shake late yourself."
            ),
        ]
        return [*lines, Line(folded(w.say("how?"), *how))]

    def on_page(self, page: PageFormat) -> tuple[Literal["seal"], SealFields]:
        """Return the seal, and how to shake."""
        return "seal", {"sealed": self.commitment, "lines": lines_of(self, page.w)}


class FairDiceAnswer(StrEnum):
    """The answers to the requests."""

    SEALED = "sealed"
    STIRRED = "stirred"
    RECORD_ABOVE = "record_above"


class FairDiceAnswerNotice(FeatureToast):
    """Answers the person who shakes or checks the dice."""

    kind: Literal["fair_dice_answer"] = "fair_dice_answer"
    answer: FairDiceAnswer
    seal: str = ""
    """The published commitment in digits."""
    sign: str = ""

    def lines(self, f: Format) -> list[Line]:
        """Return the answer to a person who shakes or checks the dice."""
        w, texted = f.w, f.medium is Medium.TEXT
        match self.answer:
            case FairDiceAnswer.STIRRED:
                what = stir_figure(self.sign, f.letters) if texted else self.sign
                return [Line(w.say("{what} is in the dice. Seal: {seal}", what=what, seal=self.seal))]
            case FairDiceAnswer.SEALED if texted:
                return [Line(_sealed_by_text(self.seal, w))]
            case FairDiceAnswer.SEALED:
                return [Line(w.say("To shake the dice, tap signs in the chat."))]
            case FairDiceAnswer.RECORD_ABOVE:
                return [Line(w.say("The file is above already. Scroll up a little!"))]


class DiceCheckNotice(FeatureNotice):
    """The result of the check at the end of a game whose dice players have shaken."""

    kind: Literal["dice_check"] = "dice_check"
    slot = "over"
    passed: bool
    """Whether every roll was computed again and follows from the seal and the stirs."""
    secret: str
    stirs: tuple[StirView, ...]

    def lines(self, f: Format) -> list[Line]:
        """Return the sentence on the dice for the group, with the proof folded below."""
        w, sentence = f.w, check_sentence(self, f.w)
        if not self.passed:
            return [Line(sentence, rank=None)]
        secret = w.say("Secret: {secret}", secret=f"<code>{self.secret}</code>")
        return [Line(folded(f"{sentence} · {w.say('how?')}", *stirs_line(self.stirs, w), secret), rank=None)]

    def on_page(self, page: PageFormat) -> tuple[Literal[""], CheckFields]:
        """Return one sentence below the places."""
        return "", {"dice": check_sentence(self, page.w)}


class RecordNotice(GameRecord, FileNotice):
    """A finished game as a file, with the proof of its dice."""

    kind: Literal["record"] = "record"

    def lines(self, f: Format) -> list[Line]:
        """Return how to check the dice of the game in the file."""
        command = verify_command(self.name)
        said = [_checked(self, f.w), *stirs_line(self.stirs or (), f.w, most=MOST_CHECKED)]
        if self.stirs:
            said.append(
                f.w.say(
                    "{name} shook last. Only together with the person who runs me could they have chosen the dice.",
                    name=f.name(self.stirs[-1].name),
                )
            )
        said.append(folded(f.w.say("For the curious: on a computer, {command} checks every roll.", command=command)))
        return [Line(each, rank=None) for each in said]


MOST_CHECKED: Final = 360
"""The maximum length of the list of stirs below the file."""


def _sealed_by_text(seal: str, w: Catalogue) -> str:
    return w.say("Dice sealed: {seal}. To shake them text STIR and a number from 1 to 12.", seal=seal)


def check_sentence(notice: DiceCheckNotice, w: Catalogue) -> str:
    """Return one sentence on the dice of a finished game, the same in every channel."""
    if not notice.passed:
        return "⚠️ " + w.say("The dice don't fit their seal. Tap <b>Check the dice</b>.")
    return "🎲 " + w.say("Dice checked: no one chose them")


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
