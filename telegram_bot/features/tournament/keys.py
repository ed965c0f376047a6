"""The buttons below the group's message about its tournament."""

from telegram_bot.channels.telegram.buttons import SUCCESS, Rows, button, start_link
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.features.tournament.notices import BracketNotice, Phase, TournamentNotice
from telegram_bot.features.tournament.requests import (
    ChangeTournamentRules,
    CheckTournamentDice,
    FillTournament,
    JoinTournament,
    LeaveTournament,
    OpenTournament,
    StartTournament,
)
from telegram_bot.service.requests import write_button
from telegram_bot.words.catalogue import Catalogue


def tournament_keys(notice: TournamentNotice, w: Catalogue) -> Rows:
    """Return the ways in and out, and the host's choices; later the way out, and the start of a final that waits."""
    number = notice.tournament
    leave = button("🚪 " + w.say("Leave"), data_of(LeaveTournament(number)))
    join = button("🪑 " + w.say("Join"), data_of(JoinTournament(number)), SUCCESS)
    match notice.phase:
        case Phase.OPEN:
            private = {
                "text": "💬 " + w.say("Private chat"),
                "url": start_link(notice.bot, write_button(OpenTournament())),
            }
            fill = w.say("No computers") if notice.computers else w.context_say("lobby", "Fill")
            return [
                [join, leave, private],
                [
                    button("📖 " + w.say("Other rules"), data_of(ChangeTournamentRules(number))),
                    button("🤖 " + fill, data_of(FillTournament(number))),
                ],
                [button("▶️ " + w.say("Start"), data_of(StartTournament(number)), SUCCESS)],
            ]
        case Phase.TABLES if notice.late is not None:
            return [[join, leave]]
        case Phase.TABLES:
            return [[leave]]
        case Phase.FINAL_WAITS:
            return [[button("▶️ " + w.say("Start the final"), data_of(StartTournament(number)), SUCCESS), leave]]
        case _:
            return []


def bracket_keys(notice: BracketNotice, w: Catalogue) -> Rows:
    """Return the file with the proof of all dice."""
    return [[button("🎲 " + w.say("Check all dice"), data_of(CheckTournamentDice(notice.tournament)))]]
