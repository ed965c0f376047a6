"""Intents of somebody who learns the game."""

from __future__ import annotations

from dataclasses import dataclass

from telegram_bot.tables.advice import Advice


@dataclass(frozen=True, slots=True)
class SeeRules:
    """Show this table's rules in words."""


@dataclass(frozen=True, slots=True)
class SeeHelp:
    """Show how to play and which commands there are."""


@dataclass(frozen=True, slots=True)
class TakeTutorial:
    """Begin the tutorial, or answer a step of it in the message that I tapped."""

    step: int | None = None
    """None: send a new message with the first step."""
    answer: int | None = None
    """The number of the answer; None: show the step."""


@dataclass(frozen=True, slots=True)
class AskCoach:
    """What would the coach do in my place? An enricher finds out the advice; None: it could not."""

    advice: Advice | None = None


@dataclass(frozen=True, slots=True)
class AllowHints:
    """Let the coach help everybody at the table, or no longer."""
