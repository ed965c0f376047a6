"""One place that turns a notice into the sentences one reader sees."""

from __future__ import annotations

from html import escape
from typing import assert_never

from telegram_bot.service import notices as n
from telegram_bot.words import lobby_text, page_text, reply_text, reveal_text, round_text
from telegram_bot.words.catalogue import Catalogue


def message_html(notice: n.Notice, w: Catalogue) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one case per notice
    """A notice as a message in HTML; None where only a keyboard changes, and for what phones alone are told."""
    match notice:
        case n.LobbyNotice():
            return lobby_text.lobby_text(notice, w)
        case n.StartedNotice():
            return lobby_text.started_text(notice, w)
        case n.ClosedNotice():
            return lobby_text.closed_text(notice, w)
        case n.TableNotice():
            return round_text.round_text(notice, w)
        case n.RevealNotice():
            return reveal_text.reveal_text(notice, w)
        case n.GameOverNotice():
            return reveal_text.game_over_text(notice, w)
        case n.HandNotice():
            return round_text.hand_text(notice, w)
        case n.ReminderNotice():
            return page_text.reminder_page(notice, w)
        case n.AwayNotice():
            return page_text.away_page(notice, w)
        case n.RecordNotice():
            return page_text.record_page(notice, w)
        case n.LinkCodeNotice():
            return page_text.link_code_page(notice, w)
        case n.UnmaskNotice():
            return page_text.unmask_page(notice, w)
        case n.PausedNotice():
            return page_text.paused_page(notice, w)
        case n.ResumedNotice():
            return page_text.resumed_page(notice, w)
        case n.HostNotice():
            return page_text.host_page(notice, w)
        case n.RulesNotice():
            return page_text.rules_page(notice, w)
        case n.HelpNotice():
            return page_text.help_page(notice, w)
        case n.WelcomeNotice():
            return page_text.welcome_page(notice, w)
        case n.SettingsNotice():
            return page_text.settings_page(notice, w)
        case n.WhichTableNotice():
            return page_text.which_table_page(notice, w)
        case n.ConfirmLeaveNotice():
            return page_text.confirm_leave_page(notice, w)
        case n.DoneNotice() | n.DeniedNotice() | n.DiceNotice():
            return escape(toast_text(notice, w), quote=False)
        case n.KeyboardNotice() | n.StripNotice() | n.PhoneNotice():
            return None
        case _:
            assert_never(notice)


def toast_text(notice: n.Toast, w: Catalogue) -> str:
    """A notice as plain text, at most 200 characters."""
    match notice:
        case n.DoneNotice():
            text = reply_text.done_text(notice, w)
        case n.DeniedNotice():
            text = reply_text.denied_text(notice, w)
        case n.DiceNotice():
            text = round_text.dice_alert(notice, w)
        case _:
            assert_never(notice)
    return text if len(text) <= round_text.LONGEST_ALERT else text[: round_text.LONGEST_ALERT - 1] + "…"
