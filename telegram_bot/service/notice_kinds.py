"""The kinds of confirmations, of messages about a phone, and of what a notice does with the message before it."""

from __future__ import annotations

from enum import StrEnum


class Confirmation(StrEnum):
    """A success that the person is told of."""

    JOINED = "joined"
    LEFT = "left"
    BID = "bid"
    DUDO = "dudo"
    CALZA = "calza"
    CLAIMED = "claimed"
    BACK = "back"
    VIEW_CHOSEN = "view_chosen"
    STARTED = "started"
    BIDS_SHOWN_TO_ALL = "shared_keyboard"
    DICE_SENT = "dice_sent"
    RECORD_ABOVE = "record_above"
    SENT_OUT = "sent_out"
    ROOM_OPENED = "room_opened"
    TABLE_CHOSEN = "table_chosen"
    LINKED = "linked"
    UNLINKED = "unlinked"
    VERBOSE = "verbose"
    BRIEF = "brief"
    QUIET = "quiet"
    NEVER_QUIET = "never_quiet"
    LANGUAGE_CHOSEN = "language_chosen"
    DICE_STYLE_CHOSEN = "dice_style_chosen"
    GROUP_LANGUAGE_CHOSEN = "group_language_chosen"
    RULES_CHOSEN = "rules_chosen"
    OPTION_CHANGED = "option_changed"
    CLOCK_CHOSEN = "clock_chosen"
    PLAYS_ON = "plays_on"
    NEXT_GAME = "next_game"
    TAP_DUDO_AGAIN = "tap_dudo_again"
    TAP_CALZA_AGAIN = "tap_calza_again"
    ASKS_TWICE = "asks_twice"
    ASKS_ONCE = "asks_once"


class PhoneMessage(StrEnum):
    """A message about the phone itself, not about a game."""

    HINT = "hint"
    """For an unknown number: how to begin."""
    WHO = "who"
    """The answer to HELP: who sends these texts, and how to stop them."""
    STOPPED = "stopped"
    RESUMED = "resumed"
    TOO_OLD = "too_old"
    """A text that took days to arrive."""
    LIMIT = "limit"
    """The day's texts are used up."""
    NEEDS_CODE = "needs_code"
    MEANT = "meant"
    """The text is almost a command: what to text instead."""
    LANGUAGES = "languages"
    QUIET_HOW = "quiet_how"
    VERBOSE_HOW = "verbose_how"
    CLOCK_HOW = "clock_how"
    KICK_HOW = "kick_how"
    BOOK_HOW = "book_how"


class SendMode(StrEnum):
    """What a notice does with the message that fills its slot."""

    EDIT = "edit"
    """Edit it, or send a new one where there is none."""
    SEND = "send"
    """Send a new one, which takes the slot over."""
    REPLACE = "replace"
    """Send a new one, then mark the old one as out of date."""
    TARGET = "target"
    """Edit the message that the envelope names."""
