"""The requests of people who learn or practise."""

from dataclasses import dataclass

from telegram_bot.service.intents import AtAnyStep, PersonIntent, TableIntent, TellsNothing


@dataclass(frozen=True, slots=True)
class TakeTutorial(TellsNothing, PersonIntent):
    """Begin the tutorial, or answer a step of it in the message that I tapped."""

    step: int | None = None
    """None sends a new message with the first step."""
    answer: int | None = None
    """The number of the answer, or None to show the step."""


@dataclass(frozen=True, slots=True)
class Practise(PersonIntent):
    """Play alone against so many computer players, in the private chat. If the number is None, ask how many."""

    opponents: int | None = None


@dataclass(frozen=True, slots=True)
class WatchEnd(AtAnyStep, TableIntent):
    """Let the computer players of my practice game, in which I am out, play on."""
