"""The buttons below the group's message about its tournament."""

from telegram_bot.features.tournament.dice_file import CheckTournamentDice
from telegram_bot.features.tournament.list_requests import CloseList, LetIn, RemoveEntrant, SeeEntrants
from telegram_bot.features.tournament.notices import BracketNotice, EntrantsNotice, Phase, TournamentNotice
from telegram_bot.features.tournament.requests import (
    ChangeTournamentRules,
    FillTournament,
    JoinTournament,
    LeaveTournament,
    StartTournament,
)
from telegram_bot.presentation.keys import Key, Keys, Style
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import plain_name


def tournament_keys(notice: TournamentNotice, w: Catalogue) -> Keys:
    """Return the ways in and out, and the host's choices; later the way out, and the start of a final that waits."""
    number = notice.tournament
    leave = Key(w.say("Leave"), LeaveTournament(number), sign="🚪")
    join = Key(w.say("Join"), JoinTournament(number), sign="🪑", style=Style.SUCCESS)
    people = Key(w.say("People"), SeeEntrants(number), sign="👥")
    match notice.phase:
        case Phase.OPEN:
            fill = w.say("No computers") if notice.computers else w.context_say("lobby", "Fill")
            return [
                [join, leave],
                [
                    Key(w.say("Other rules"), ChangeTournamentRules(number), sign="📖"),
                    Key(fill, FillTournament(number), sign="🤖"),
                ],
                [Key(w.say("Start"), StartTournament(number), sign="▶️", style=Style.SUCCESS), people],
            ]
        case Phase.TABLES if notice.late is not None:
            return [[join, leave], [people]]
        case Phase.TABLES:
            return [[leave]]
        case Phase.FINAL_WAITS:
            return [[Key(w.say("Start the final"), StartTournament(number), sign="▶️", style=Style.SUCCESS), leave]]
        case _:
            return []


def entrants_keys(notice: EntrantsNotice, w: Catalogue) -> Keys:
    """Return an answer to each person who asks, the removal of each person on the list, and its end."""
    number, group = notice.tournament, notice.group
    if notice.closing:
        closes = Key(w.say("Close the list"), CloseList(number, group, confirmed=True), sign="🛑", style=Style.DANGER)
        return [[closes, Key(w.say("Back"), SeeEntrants(number, group), sign="↩️")]]
    everyone = Key(w.say("Let all in"), LetIn(number, group), sign="🚪", style=Style.SUCCESS)
    rows = [[everyone]] if len(notice.asking) > 1 else []
    for player, name in notice.asking:
        comes_in = Key(plain_name(name), LetIn(number, group, player), sign="🚪", style=Style.SUCCESS)
        rows.append([comes_in, Key(w.say("Refuse"), RemoveEntrant(number, group, player), sign="✖️")])
    for player, name in notice.people:
        removed = w.say("Remove {name}", name=plain_name(name))
        rows.append([Key(removed, RemoveEntrant(number, group, player), sign="✖️")])
    for player, name in notice.removed:
        again = w.say("Let {name} in again", name=plain_name(name))
        rows.append([Key(again, LetIn(number, group, player), sign="↩️")])
    if notice.is_open:
        rows.append([Key(w.say("Close the list"), CloseList(number, group), sign="🛑", style=Style.DANGER)])
    return rows


def bracket_keys(notice: BracketNotice, w: Catalogue) -> Keys:
    """Return the file with the proof of all dice."""
    return [[Key(w.say("Check all dice"), CheckTournamentDice(notice.tournament), sign="🎲")]]
