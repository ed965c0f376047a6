"""The requests for statistics and leagues."""

from dataclasses import dataclass

from telegram_bot.service.intents import AboutPerson, PersonIntent


@dataclass(frozen=True, slots=True)
class SeeStatistics(AboutPerson):
    """Show the statistics of the person, or of another one."""


@dataclass(frozen=True, slots=True)
class SeeLeague(PersonIntent):
    """Show the group's league of this month, or the ratings of computer players."""

    computers: bool = False
