"""Levels and characters of computer players, in words."""

from __future__ import annotations

from perudo_core.agents import Character, Level
from telegram_bot.tables.model import ComputerPlayer
from telegram_bot.words.catalogue import Catalogue


def level_label(level: Level, w: Catalogue) -> str:
    """A level, as on a button."""
    return {
        Level.NOVICE: w.context_say("level", "novice"),
        Level.REGULAR: w.context_say("level", "regular"),
        Level.STRONG: w.context_say("level", "strong"),
        Level.EXPERT: w.context_say("level", "expert"),
    }[level]


def character_label(character: Character, w: Catalogue) -> str:
    """A character, as on a button."""
    return {
        Character.PLAIN: w.context_say("character", "calm"),
        Character.CAUTIOUS: w.context_say("character", "cautious"),
        Character.BOLD: w.context_say("character", "bold"),
        Character.HONEST: w.context_say("character", "honest"),
        Character.TRICKSTER: w.context_say("character", "trickster"),
        Character.MIRROR: w.context_say("character", "mirror"),
    }[character]


def computer_label(computer: ComputerPlayer, w: Catalogue) -> str:
    """How a computer player plays: `regular, bold`."""
    return f"{level_label(computer.level, w)}, {character_label(computer.character, w)}"
