"""The notices that are worded once for all channels, as ranked lines."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from telegram_bot import notices as n
from telegram_bot.registry import Registry
from telegram_bot.words import house_rule_words, messages, reply_words, results
from telegram_bot.words.lines import Format, Line

LINES: Final = Registry[type, Callable[[Any, Format], list[Line]]](
    "the words of notices",
    {
        n.ConfirmationNotice: reply_words.done_lines,
        n.RejectionNotice: reply_words.rejection_lines,
        n.AnswerNotice: reply_words.answer_lines,
        n.KnockedOutNotice: results.knocked_out_lines,
        n.ClosedNotice: reply_words.closed_lines,
        n.GuestNotice: reply_words.guest_lines,
        n.ConfirmNotice: reply_words.question_lines,
        n.RulesNotice: house_rule_words.rules_lines,
        n.HelpNotice: messages.help_lines,
        n.WelcomeNotice: messages.welcome_lines,
        n.SettingsNotice: messages.settings_lines,
        n.LinkCodeNotice: messages.link_code_lines,
        n.HostNotice: messages.host_lines,
        n.ReminderNotice: messages.reminder_lines,
        n.AwayNotice: messages.away_lines,
        n.PausedNotice: messages.paused_lines,
        n.ResumedNotice: messages.resumed_lines,
        n.RestoredNotice: messages.restored_lines,
        n.NextGameOfferNotice: messages.next_game_offer_lines,
        n.NextGameNotice: messages.next_game_lines,
        n.IdentifyAdminNotice: messages.identify_admin_lines,
    },
)
ADDED_LINES: Final = Registry[type, Sequence[Callable[[Any, Format], list[Line]]]]("the lines that features add")
"""By the type of a notice of the base game: lines of features at its end."""


def part_lines(notice: n.ExtendedNotice, f: Format) -> list[Line]:
    """Return the lines of the parts that features have added to a notice."""
    return [line for part in notice.parts for line in LINES[type(part)](part, f)]


def added_lines(notice: n.Notice, f: Format) -> list[Line]:
    """Return the lines that features add at the end of a notice of the base game."""
    return [line for lines in ADDED_LINES.get(type(notice), ()) for line in lines(notice, f)]
