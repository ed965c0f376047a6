"""The requests of people about their group's tournament; each button names the tournament."""

from dataclasses import dataclass

from telegram_bot.service.intents import ForAdmins, PersonIntent, Place


@dataclass(frozen=True, slots=True)
class OpenTournament(PersonIntent):
    """Open a tournament in the group, or show the running one again at the end of the chat."""


@dataclass(frozen=True, slots=True)
class JoinTournament(PersonIntent):
    """Take part; by text message in the tournament with a code, and with a name from now on.

    `asks`: whether the host is asked even about a person whom they let into their room.
    """

    tournament: int = 0
    code: str | None = None
    name: str | None = None
    asks: bool = False


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


@dataclass(frozen=True, slots=True)
class ListRequest(PersonIntent, ForAdmins):
    """A request of the host, or of an admin of the group, about the people on the list.

    `group`: the address of the group, if the button is in a private chat.
    """

    tournament: int
    group: int | None = None

    def group_in(self, where: Place | None) -> int | None:
        """Return the address of the group, in the group or in a private chat."""
        return self.group if where is None else where.address


@dataclass(frozen=True, slots=True)
class SeeEntrants(ListRequest):
    """Show the people on the list in the private chat, with buttons that let people in and remove them."""


@dataclass(frozen=True, slots=True)
class LetIn(ListRequest):
    """Put a person on the list who asked or was removed; 0: all who ask."""

    player: int = 0


@dataclass(frozen=True, slots=True)
class RemoveEntrant(ListRequest):
    """Remove a person from the list, or refuse them, for good."""

    player: int = 0


@dataclass(frozen=True, slots=True)
class CloseList(ListRequest):
    """Close the list before the draw, after a confirmation: the tournament does not take place."""

    confirmed: bool = False
