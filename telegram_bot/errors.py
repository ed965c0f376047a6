"""Errors that an operator can fix, in words for them."""


class OperatorError(Exception):
    """The bot, or a command, cannot run or go on; the message says what to do."""


class MisconfiguredError(OperatorError):
    """A setting is wrong: it would be as wrong after a restart, so a supervisor should not try."""
