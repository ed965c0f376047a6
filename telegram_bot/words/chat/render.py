"""Turn a notice into the message or the alert that one reader sees."""

from __future__ import annotations

from html import escape
from typing import assert_never

from telegram_bot.service import notices as n
from telegram_bot.words import replies
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat import coach, heard, lobby, reveal, static_pages, statistics, story, table, tutorial


def message_html(notice: n.Notice, w: Catalogue) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one case per notice
    """A notice as a message in HTML; None if only the keyboard changes, or if the notice is for phones only."""
    match notice:
        case n.LobbyNotice():
            return lobby.lobby_text(notice, w)
        case n.StartedNotice():
            return lobby.started_text(notice, w)
        case n.ClosedNotice():
            return lobby.closed_text(notice, w)
        case n.TableNotice():
            return table.round_text(notice, w)
        case n.RevealNotice():
            return reveal.reveal_text(notice, w)
        case n.CallNotice():
            return reveal.call_text(notice, w)
        case n.RoundOverNotice():
            return reveal.round_over_text(notice, w)
        case n.GameOverNotice():
            return reveal.game_over_text(notice, w)
        case n.KnockedOutNotice():
            return reveal.knocked_out_text(notice, w)
        case n.HandNotice():
            return table.hand_text(notice, w)
        case n.HeardNotice():
            return heard.heard_text(notice, w)
        case n.ReminderNotice():
            return static_pages.reminder_page(notice, w)
        case n.AwayNotice():
            return static_pages.away_page(notice, w)
        case n.RecordNotice():
            return static_pages.record_page(notice, w)
        case n.StoryNotice():
            return story.story_text(notice, w)
        case n.LinkCodeNotice():
            return static_pages.link_code_page(notice, w)
        case n.IdentifyAdminNotice():
            return static_pages.unmask_page(notice, w)
        case n.PausedNotice():
            return static_pages.paused_page(notice, w)
        case n.ResumedNotice():
            return static_pages.resumed_page(notice, w)
        case n.HostNotice():
            return static_pages.host_page(notice, w)
        case n.RulesNotice():
            return static_pages.rules_page(notice, w)
        case n.HelpNotice():
            return static_pages.help_page(notice, w)
        case n.WelcomeNotice():
            return static_pages.welcome_page(notice, w)
        case n.CoachNotice():
            return coach.coach_text(notice, w)
        case n.RoundReviewNotice():
            return coach.review_text(notice, w)
        case n.TutorialNotice():
            return tutorial.tutorial_text(notice, w)
        case n.PracticeNotice():
            return static_pages.practice_page(w)
        case n.SettingsNotice():
            return static_pages.settings_page(notice, w)
        case n.WhichTableNotice():
            return static_pages.which_table_page(notice, w)
        case n.ConfirmLeaveNotice():
            return static_pages.confirm_leave_page(notice, w)
        case n.NextGameOfferNotice():
            return static_pages.next_game_offer_page(notice, w)
        case n.NextGameNotice():
            return static_pages.next_game_page(notice, w)
        case n.ConfirmStopNotice():
            return static_pages.confirm_stop_page(notice, w)
        case n.StatisticsNotice():
            return statistics.statistics_text(notice, w)
        case n.LeagueNotice():
            return statistics.league_text(notice, w)
        case n.ComputerRatingsNotice():
            return statistics.computer_ratings_text(notice, w)
        case n.ConfirmationNotice() | n.RejectionNotice() | n.DiceNotice():
            return escape(toast_text(notice, w), quote=False)
        case n.BidsNotice() | n.OutdatedNotice() | n.PhoneNotice() | n.ReactionNotice() | n.SpokenNotice():
            return None
        case _:
            assert_never(notice)


def toast_text(notice: n.Toast, w: Catalogue) -> str:
    """A notice as plain text, at most 200 characters."""
    match notice:
        case n.ConfirmationNotice():
            text = replies.done_text(notice, w)
        case n.RejectionNotice():
            text = replies.denied_text(notice, w)
        case n.DiceNotice():
            text = table.dice_alert(notice, w)
        case _:
            assert_never(notice)
    return text if len(text) <= table.LONGEST_ALERT else text[: table.LONGEST_ALERT - 1] + "…"
