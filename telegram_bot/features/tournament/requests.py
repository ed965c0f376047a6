"""The requests of people about their group's tournament; each button names the tournament."""

from dataclasses import dataclass

from telegram_bot.service.intents import PersonIntent


@dataclass(frozen=True, slots=True)
class OpenTournament(PersonIntent):
    """Open a tournament in the group, or show the running one again at the end of the chat."""


@dataclass(frozen=True, slots=True)
class JoinTournament(PersonIntent):
    """Take part; by text message in the tournament with a code."""

    tournament: int = 0
    code: str | None = None


@dataclass(frozen=True, slots=True)
class LeaveTournament(PersonIntent):
    """Stop taking part; by text message in the person's only tournament."""

    tournament: int = 0


@dataclass(frozen=True, slots=True)
class ChangeTournamentRules(PersonIntent):
    """Choose the next rulebook, for the host, before the draw."""

    tournament: int


@dataclass(frozen=True, slots=True)
class FillTournament(PersonIntent):
    """Let computer players fill the smaller tables, or not any more, for the host, before the draw."""

    tournament: int


@dataclass(frozen=True, slots=True)
class CheckTournamentDice(PersonIntent):
    """Send the file with all games of a tournament that has ended, and the proof of their dice."""

    tournament: int


@dataclass(frozen=True, slots=True)
class StartTournament(PersonIntent):
    """Draw the tables, for the host; begin a final that waits, for anyone in the group."""

    tournament: int
