"""Errors that an operator can fix, with messages for them."""


class OperatorError(Exception):
    """The bot, or a command, cannot run or continue; the message explains what to do."""


class MisconfiguredError(OperatorError):
    """A setting is wrong. A restart would not help, so a supervisor should not try."""


class TakenOverError(OperatorError):
    """Another process plays now, so this one may write no more."""

    def __init__(self) -> None:
        super().__init__("another process has taken over, because this one stood still or lost its database")


class UnreadableError(ValueError):
    """An input that cannot be read. The message names the part that is wrong and never quotes it."""
