"""Errors that an operator can fix, with messages for them."""


class OperatorError(Exception):
    """The bot, or a command, cannot run or continue; the message explains what to do."""


class MisconfiguredError(OperatorError):
    """A setting is wrong. A restart would not help, so a supervisor should not try."""


class UnreadableError(ValueError):
    """An input that cannot be read. The message names the part that is wrong and never quotes it."""
