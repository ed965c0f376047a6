"""What the host chose in the lobby, short enough for a toast."""

from __future__ import annotations

from perudo_core import Rules
from telegram_bot.service.notices import ConfirmationNotice
from telegram_bot.tables.model import TurnClock
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.house_rules import rules_title
from telegram_bot.words.phrases import clock_label, on_timeout_label
from telegram_bot.words.rules import option_label, option_value_label


def rules_chosen(rules: Rules, notice: ConfirmationNotice, w: Catalogue) -> str:
    """The rules, and the turn clock if it was chosen with them."""
    title = rules_title(rules, notice.house_rules, w)
    clock = "" if notice.clock is None else f" · ⏱ {clock_label(notice.clock, w)}"
    return w.say("We play: {rules}", rules=title) + clock


def option_changed(rules: Rules, option: str, w: Catalogue) -> str:
    """An option and its value."""
    value = option_value_label(option, getattr(rules, option), w)
    return w.say("{option}: {value}", option=option_label(option, w), value=value)


def clock_chosen(clock: TurnClock, w: Catalogue) -> str:
    """The turn clock, and what happens when it runs out."""
    return "⏱ " + (
        f"{clock_label(clock, w)}, {on_timeout_label(clock.on_timeout, w)}" if clock.seconds else clock_label(clock, w)
    )
