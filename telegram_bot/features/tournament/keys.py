"""The buttons below the group's message about its tournament."""

from telegram_bot.channels.telegram.buttons import DANGER, SUCCESS, Rows, button
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.features.tournament.notices import BracketNotice, EntrantsNotice, Phase, TournamentNotice
from telegram_bot.features.tournament.requests import (
    ChangeTournamentRules,
    CheckTournamentDice,
    CloseList,
    FillTournament,
    JoinTournament,
    LeaveTournament,
    LetIn,
    RemoveEntrant,
    SeeEntrants,
    StartTournament,
)
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import plain_name


def tournament_keys(notice: TournamentNotice, w: Catalogue) -> Rows:
    """Return the ways in and out, and the host's choices; later the way out, and the start of a final that waits."""
    number = notice.tournament
    leave = button("🚪 " + w.say("Leave"), data_of(LeaveTournament(number)))
    join = button("🪑 " + w.say("Join"), data_of(JoinTournament(number)), SUCCESS)
    people = button("👥 " + w.say("People"), data_of(SeeEntrants(number)))
    match notice.phase:
        case Phase.OPEN:
            fill = w.say("No computers") if notice.computers else w.context_say("lobby", "Fill")
            return [
                [join, leave],
                [
                    button("📖 " + w.say("Other rules"), data_of(ChangeTournamentRules(number))),
                    button("🤖 " + fill, data_of(FillTournament(number))),
                ],
                [button("▶️ " + w.say("Start"), data_of(StartTournament(number)), SUCCESS), people],
            ]
        case Phase.TABLES if notice.late is not None:
            return [[join, leave], [people]]
        case Phase.TABLES:
            return [[leave]]
        case Phase.FINAL_WAITS:
            return [[button("▶️ " + w.say("Start the final"), data_of(StartTournament(number)), SUCCESS), leave]]
        case _:
            return []


def entrants_keys(notice: EntrantsNotice, w: Catalogue) -> Rows:
    """Return an answer to each person who asks, the removal of each person on the list, and its end."""
    number, group = notice.tournament, notice.group
    if notice.closing:
        closes = button("🛑 " + w.say("Close the list"), data_of(CloseList(number, group, confirmed=True)), DANGER)
        return [[closes, button("↩️ " + w.say("Back"), data_of(SeeEntrants(number, group)))]]
    everyone = button("🚪 " + w.say("Let all in"), data_of(LetIn(number, group)), SUCCESS)
    rows = [[everyone]] if len(notice.asking) > 1 else []
    for player, name in notice.asking:
        comes_in = button("🚪 " + plain_name(name), data_of(LetIn(number, group, player)), SUCCESS)
        rows.append([comes_in, button("✖️ " + w.say("Refuse"), data_of(RemoveEntrant(number, group, player)))])
    for player, name in notice.people:
        removed = w.say("Remove {name}", name=plain_name(name))
        rows.append([button("✖️ " + removed, data_of(RemoveEntrant(number, group, player)))])
    for player, name in notice.removed:
        again = w.say("Let {name} in again", name=plain_name(name))
        rows.append([button("↩️ " + again, data_of(LetIn(number, group, player)))])
    if notice.is_open:
        rows.append([button("🛑 " + w.say("Close the list"), data_of(CloseList(number, group)), DANGER)])
    return rows


def bracket_keys(notice: BracketNotice, w: Catalogue) -> Rows:
    """Return the file with the proof of all dice."""
    return [[button("🎲 " + w.say("Check all dice"), data_of(CheckTournamentDice(notice.tournament)))]]
