"""Intents of somebody who learns the game."""

from __future__ import annotations

from dataclasses import dataclass


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
